"""Where a local model's files are. Nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from akm_ls.embedders.embedder import EmbeddingError

WORDLLAMA = "wordllama"
"""The name of the model that comes with the package of the same name."""
_FINGERPRINTED_BYTES = 64 * 1024
_WORDLLAMA_WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
_WORDLLAMA_TOKENIZERS = (
    "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
    "wordllama/tokenizer/l2_supercat_tokenizer_config.json",
)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The two files of a static model; ``name`` is for people and for the fingerprint."""

    name: str
    weights: str
    tokenizer: str

    def fingerprint(self, dims: int) -> str:
        """``local:<name>|<dims>|<hash>``, the hash of the weights' head and size.

        Raises:
            EmbeddingError: the weights cannot be read.
        """
        try:
            with open(self.weights, "rb") as file:
                digest = hashlib.sha256(file.read(_FINGERPRINTED_BYTES))
                digest.update(str(os.fstat(file.fileno()).st_size).encode())
        except OSError as error:
            raise EmbeddingError(f"{self.weights} cannot be read: {error.strerror}") from None
        return f"local:{self.name}|{dims}|{digest.hexdigest()[:12]}"


def model_files(name: str) -> ModelFiles:
    """The files of ``wordllama``, or of the model2vec folder at a path.

    Raises:
        EmbeddingError: they are not there; the message says what is missing and what to do.
    """
    return _wordllama() if name == WORDLLAMA else _folder(name)


def _wordllama() -> ModelFiles:
    """Found through its metadata: importing the package would cost a third of a second."""
    from importlib import metadata

    try:
        package = metadata.distribution("wordllama")
    except metadata.PackageNotFoundError:
        raise EmbeddingError(
            "the local model wordllama is not installed:"
            " pip install 'akm-language-server[local-embeddings]'"
        ) from None
    weights = str(package.locate_file(_WORDLLAMA_WEIGHTS))
    tokenizers = [str(package.locate_file(path)) for path in _WORDLLAMA_TOKENIZERS]
    tokenizer = next(filter(os.path.isfile, tokenizers), None)
    if not os.path.isfile(weights) or tokenizer is None:
        raise EmbeddingError(
            f"wordllama {package.version} is installed without the files of its model"
        )
    return ModelFiles(WORDLLAMA, weights, tokenizer)


def _folder(path: str) -> ModelFiles:
    folder = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(folder):
        raise EmbeddingError(
            f"akm.embedding.localModel: {path} is neither a directory nor {WORDLLAMA}"
        )
    wanted = ("model.safetensors", "tokenizer.json")
    missing = [name for name in wanted if not os.path.isfile(os.path.join(folder, name))]
    if missing:
        raise EmbeddingError(f"{folder} is no model2vec folder: {' and '.join(missing)} not there")
    return ModelFiles(
        os.path.basename(folder),
        os.path.join(folder, wanted[0]),
        os.path.join(folder, wanted[1]),
    )
