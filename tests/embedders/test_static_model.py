"""Models read from files: a tiny one made here, and the one a package brings."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akm_ls.embedders.embedder import Document, EmbeddingCancelled, EmbeddingError
from akm_ls.embedders.model_files import model_files
from akm_ls.embedders.safetensors import mapped, tensors

from .conftest import Log
from .model_folder import DIMS, WORDS, rows, safetensors, write_model

pytest.importorskip("tokenizers", reason="the extra local-embeddings is not installed")

from akm_ls.embedders.static_model import StaticModel, open_static_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


@pytest.fixture
def model(folder: Path) -> StaticModel:
    return open_static_model(str(folder))


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def row(word: str) -> Any:
    return rows()[WORDS.index(word)]


# What a vector is.


def test_words_of_one_meaning_are_close_and_others_are_not(model: StaticModel) -> None:
    query = model.embed_query("ship")
    near, far = model.encode(["release", "chocolate cake"]) @ query
    assert near > 0.9
    assert far < 0.5


def test_a_text_is_the_mean_of_its_words_with_length_one(model: StaticModel) -> None:
    wanted = unit((row("deploy") + row("pdf") + row("pdf")) / 3)
    assert np.allclose(model.embed_query("Deploy pdf PDF"), wanted, atol=1e-6)


def test_unknown_words_and_special_tokens_say_nothing(model: StaticModel) -> None:
    assert np.allclose(model.embed_query("the ship zzz"), unit(row("ship")), atol=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "zzz", "!?", "\ud800"])
def test_a_text_without_a_known_word_has_no_direction(model: StaticModel, text: str) -> None:
    assert not model.embed_query(text).any()


def test_the_first_512_tokens_count(model: StaticModel) -> None:
    text = "ship " * 512 + "cake " * 5000
    assert np.allclose(model.embed_query(text), unit(row("ship")), atol=1e-6)


def test_unknown_words_are_not_among_the_512(model: StaticModel) -> None:
    assert np.allclose(model.embed_query("zzz " * 600 + "ship"), unit(row("ship")), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_of_every_precision_give_the_same(tmp_path: Path, dtype: Any) -> None:
    model = open_static_model(str(write_model(tmp_path / "m", {"embeddings": rows(dtype)})))
    wanted = unit(row("ship") + row("cake"))
    assert np.allclose(model.embed_query("ship cake"), wanted, atol=2e-3)


def test_whole_numbers_give_nearly_the_same(tmp_path: Path) -> None:
    scaled = np.clip(np.round(rows() * 40), -127, 127).astype(np.int8)
    model = open_static_model(str(write_model(tmp_path / "m", {"embeddings": scaled})))
    assert model.embed_query("ship") @ unit(row("ship")) > 0.99


def test_weights_and_mapping_are_applied_by_token(tmp_path: Path) -> None:
    weights = np.linspace(0.1, 2.0, len(WORDS)).astype(np.float32)
    mapping = np.asarray([(at * 5) % len(WORDS) for at in range(len(WORDS))], dtype=np.int64)
    arrays = {"embeddings": rows(), "weights": weights, "mapping": mapping}
    model = open_static_model(str(write_model(tmp_path / "m", arrays)))
    a, b = WORDS.index("pdf"), WORDS.index("key")
    wanted = unit(rows()[mapping[a]] * weights[a] + rows()[mapping[b]] * weights[b])
    assert np.allclose(model.embed_query("pdf key"), wanted, atol=1e-6)


def test_a_token_outside_of_the_matrix_says_nothing(tmp_path: Path) -> None:
    model = open_static_model(str(write_model(tmp_path / "m", {"embeddings": rows()[:3]})))
    assert np.allclose(model.embed_query("cake deploy"), unit(row("deploy")), atol=1e-6)
    assert not model.embed_query("cake").any()


def test_a_mapping_that_points_nowhere_says_nothing(tmp_path: Path) -> None:
    mapping = np.full(len(WORDS), 99, dtype=np.int32)
    mapping[1] = -1
    arrays = {"embeddings": rows(), "mapping": mapping}
    model = open_static_model(str(write_model(tmp_path / "m", arrays)))
    assert not model.encode(["deploy ship", "cake"]).any()


def test_numbers_that_are_none_give_no_direction(tmp_path: Path) -> None:
    broken = rows()
    broken[WORDS.index("ship")] = np.nan
    model = open_static_model(str(write_model(tmp_path / "m", {"embeddings": broken})))
    assert not model.embed_query("ship").any()
    assert model.embed_query("cake").any()


# Runs.


def test_documents_come_back_in_batches_with_their_keys(model: StaticModel, log: Log) -> None:
    model.embed_documents((Document(at, "ship") for at in range(250)), log.watch)
    assert [len(batch) for batch in log.batches] == [100, 100, 50]
    assert sorted(log.stored) == list(range(250))
    assert np.allclose(log.stored[249], unit(row("ship")), atol=1e-6)


def test_a_run_can_be_cancelled_between_batches(model: StaticModel, log: Log) -> None:
    log.cancelled = lambda: len(log.batches) == 1
    with pytest.raises(EmbeddingCancelled):
        model.embed_documents((Document(at, "ship") for at in range(250)), log.watch)
    assert len(log.stored) == 100


# The fingerprint.


def test_the_fingerprint_names_the_folder_and_the_length_of_its_vectors(
    model: StaticModel, folder: Path
) -> None:
    assert model.id.startswith(f"local:tiny|{DIMS}|")
    assert model.dims == DIMS
    assert open_static_model(str(folder)).id == model.id


def test_a_folder_may_move(model: StaticModel, folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "tiny"
    shutil.copytree(folder, moved)
    assert open_static_model(str(moved)).id == model.id


def test_other_weights_are_another_model(model: StaticModel, folder: Path) -> None:
    write_model(folder, {"embeddings": -rows()})
    assert open_static_model(str(folder)).id != model.id


# Files that are not what they should be.


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(EmbeddingError, match=r"akm\.embedding\.localModel: ~/no-such is neither"):
        open_static_model("~/no-such")


def test_a_folder_without_the_files_says_which(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbeddingError, match=r"model\.safetensors not there"):
        open_static_model(str(tmp_path))


def test_a_tokenizer_that_is_none_is_named(folder: Path) -> None:
    for text in ("{}", "", '{"model": {"type": "WordLevel", "vocab": {"a": -1}}}', "\0"):
        (folder / "tokenizer.json").write_text(text)
        with pytest.raises(EmbeddingError, match="is not a tokenizer"):
            open_static_model(str(folder))


def header(value: Any) -> bytes:
    head = json.dumps(value).encode() if not isinstance(value, bytes) else value
    return len(head).to_bytes(8, "little") + head + b"\0" * 64


def entry(**changes: Any) -> dict[str, Any]:
    return {"embeddings": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64], **changes}}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01\0\0",
        b"\xff" * 8,
        (10**9).to_bytes(8, "little") + b"{}",
        header(b"{"),
        header(b"[" * 50_000),
        header([]),
        header({}),
        header({"embeddings": 1}),
        header(entry(dtype="F4")),
        header(entry(dtype=["F32"])),
        header(entry(shape=[4, 5])),
        header(entry(shape=[-4, -4])),
        header(entry(shape=[16])),
        header(entry(shape=[0, 4], data_offsets=[0, 0])),
        header(entry(shape="4")),
        header(entry(data_offsets=[64, 128])),
        header(entry(data_offsets=[64, 0])),
        header(entry(data_offsets=[-64, 0])),
        header(entry(data_offsets=[0])),
        header(entry(shape=[10**30, 10**30])),
        safetensors({"embeddings": rows(), "weights": rows()}),
        safetensors({"embeddings": rows(), "mapping": rows()[0]}),
    ],
)
def test_weights_that_are_none_are_an_error_that_names_the_file(folder: Path, data: bytes) -> None:
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(EmbeddingError, match=r"model\.safetensors"):
        open_static_model(str(folder))


def test_weights_cut_off_at_any_place_are_an_error(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    for length in range(0, len(whole), 37):
        (folder / "model.safetensors").write_bytes(whole[:length])
        with pytest.raises(EmbeddingError):
            open_static_model(str(folder))


def test_arrays_are_found_where_the_header_says(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(safetensors({"first": rows(np.float16), "second": np.arange(5)}))
    found = tensors(str(path))
    assert mapped(str(path), found["second"]).tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(mapped(str(path), found["first"]), rows(np.float16))


# The package wordllama.


def test_wordllama_that_is_not_installed_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(EmbeddingError, match=r"pip install 'akm-language-server\[local-embeddings"):
        model_files("wordllama")


def test_wordllama_without_its_files_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Package:
        version = "9.9"

        def locate_file(self, path: str) -> Path:
            return tmp_path / path

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Package())
    with pytest.raises(EmbeddingError, match=r"wordllama 9\.9 .* without the files"):
        model_files("wordllama")


def test_wordllama_is_read_as_data_and_never_imported() -> None:
    try:
        importlib.metadata.distribution("wordllama")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the extra local-embeddings is not installed")
    program = (
        "import sys\n"
        "from akm_ls.embedders.static_model import open_static_model\n"
        "model = open_static_model('wordllama')\n"
        "query = model.embed_query('rotate access tokens')\n"
        "near, far = model.encode(['renewing keys and tokens', 'a chocolate cake']) @ query\n"
        "print(model.id[:20], near > far + 0.2, 'wordllama' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["local:wordllama|256|", "True", "False"], done.stderr
