"""Static models: a vector for every token, and a text is the mean of its tokens' vectors."""

from __future__ import annotations

import importlib.util
import itertools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from akm_ls.embedders.embedder import (
    Document,
    EmbeddingCancelled,
    EmbeddingError,
    Watch,
    never,
)
from akm_ls.embedders.model_files import ModelFiles, model_files
from akm_ls.embedders.safetensors import Tensor, mapped, tensors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_TOKENS = 512
BODY_LIMIT = 400
"""A mean over a long text resembles every other mean: measured best with this much of a body."""
BATCH_DOCUMENTS = 100
_MATRIX_NAMES = ("embeddings", "embedding.weight")
_NO_TOKENIZERS = (
    "a local model needs the package tokenizers:"
    " pip install 'akm-language-server[local-embeddings]'"
)


class StaticModel:
    """Read from a weights file and a tokenizer; both are only looked at, never written.

    A token's vector is ``embeddings[mapping[id]] * weights[id]``, where a model has no ``mapping``
    or ``weights`` without these. Special tokens are not added and unknown words say nothing.
    """

    def __init__(self, files: ModelFiles) -> None:
        """
        Raises:
            EmbeddingError: the files are not those of such a model.
        """
        found = tensors(files.weights)
        matrix = _matrix_of(files, found)
        self._matrix = mapped(files.weights, matrix)
        self._dims = matrix.shape[1]
        self._weights = self._column(files, found, "weights")
        self._mapping = self._column(files, found, "mapping")
        if self._mapping is not None and self._mapping.dtype.kind not in "iu":
            raise EmbeddingError(f"{files.weights}: mapping holds no whole numbers")
        self._tokenizer, self._unknown = _open_tokenizer(files.tokenizer)
        self._id = files.fingerprint(self._dims)

    @staticmethod
    def _column(files: ModelFiles, found: Mapping[str, Tensor], name: str) -> NDArray[Any] | None:
        if name not in found:
            return None
        if len(found[name].shape) != 1:
            raise EmbeddingError(f"{files.weights}: {name} is not one column")
        return mapped(files.weights, found[name])

    @property
    def id(self) -> str:
        return self._id

    @property
    def dims(self) -> int | None:
        return self._dims

    @property
    def body_limit(self) -> int | None:
        return BODY_LIMIT

    def embed_documents(self, documents: Iterable[Document], watch: Watch) -> None:
        source = iter(documents)
        while batch := list(itertools.islice(source, BATCH_DOCUMENTS)):
            if watch.cancelled():
                raise EmbeddingCancelled
            vectors = self.encode([document.text for document in batch])
            watch.on_batch([document.key for document in batch], vectors)
        if watch.cancelled():
            raise EmbeddingCancelled

    def embed_query(self, text: str, cancelled: Callable[[], bool] = never) -> NDArray[np.float32]:
        query: NDArray[np.float32] = self.encode([text])[0]
        return query

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for every text, zeros for one without a known token."""
        import numpy as np

        vectors = np.zeros((len(texts), self._dims), dtype=np.float32)
        for at, ids in enumerate(_token_ids(self._tokenizer, texts)):
            vector = self._mean(ids)
            if vector is not None:
                vectors[at] = vector
        return vectors

    def _mean(self, ids: Sequence[int]) -> NDArray[np.float32] | None:
        import numpy as np

        known = np.asarray([i for i in ids if i != self._unknown][:MAX_TOKENS], dtype=np.int64)
        for column in (self._weights, self._mapping):
            if column is not None:
                known = known[known < len(column)]
        rows = known if self._mapping is None else self._mapping[known].astype(np.int64)
        inside = (rows >= 0) & (rows < len(self._matrix))
        rows, known = rows[inside], known[inside]
        if not len(rows):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            vectors = self._matrix[rows].astype(np.float32)
            if self._weights is not None:
                vectors *= self._weights[known].astype(np.float32)[:, None]
            mean = vectors.mean(axis=0)
            length = float(np.linalg.norm(mean))
        if not 0 < length < math.inf:
            return None
        unit: NDArray[np.float32] = mean / np.float32(length)
        return unit


def _matrix_of(files: ModelFiles, found: Mapping[str, Tensor]) -> Tensor:
    name = next((name for name in _MATRIX_NAMES if name in found), None)
    if name is None or len(found[name].shape) != 2 or not math.prod(found[name].shape):
        raise EmbeddingError(f"{files.weights} holds no array called embeddings")
    return found[name]


def static_model_id(name: str) -> str:
    """`StaticModel.id` of the model `open_static_model` would open, without opening it.

    Raises:
        EmbeddingError: it is not there, or not usable.
    """
    files = model_files(name)
    dims = _matrix_of(files, tensors(files.weights)).shape[1]
    if importlib.util.find_spec("tokenizers") is None:
        raise EmbeddingError(_NO_TOKENIZERS)
    return files.fingerprint(dims)


def open_static_model(name: str) -> StaticModel:
    """The model called ``wordllama``, or in the model2vec folder at a path.

    Raises:
        EmbeddingError: it is not there, or not usable.
    """
    return StaticModel(model_files(name))


def _open_tokenizer(path: str) -> tuple[Any, int | None]:
    """The tokenizer of a file and the id of its unknown token."""
    # Set before its threads exist; otherwise it warns about every fork of this process.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise EmbeddingError(_NO_TOKENIZERS) from None
    try:
        tokenizer = Tokenizer.from_file(path)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        unknown = _unknown_token(tokenizer)
    except BaseException as problem:  # its panics are no Exception
        if isinstance(problem, KeyboardInterrupt | SystemExit):
            raise
        raise EmbeddingError(f"{path} is not a tokenizer that can be used") from None
    return tokenizer, unknown


def _unknown_token(tokenizer: Any) -> int | None:
    """The id of the token that stands for every unknown word, if there is one."""
    name = getattr(tokenizer.model, "unk_token", None)
    if isinstance(name, str):
        found = tokenizer.token_to_id(name)
        return found if isinstance(found, int) else None
    import json

    value = json.loads(tokenizer.to_str()).get("model", {}).get("unk_id")
    return value if isinstance(value, int) else None


def _token_ids(tokenizer: Any, texts: Sequence[str]) -> list[Sequence[int]]:
    plain = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    try:
        encoded = tokenizer.encode_batch(plain, add_special_tokens=False)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt | SystemExit):
            raise
        raise EmbeddingError(f"the tokenizer failed ({type(problem).__name__})") from None
    return [item.ids for item in encoded]
