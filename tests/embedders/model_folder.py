"""A tiny model2vec folder: a few words, and words of one meaning lie close together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

MEANINGS = (
    ("deploy", "release", "ship"),
    ("pdf", "document", "paper"),
    ("token", "key", "credential"),
    ("cake", "bake", "chocolate"),
)
UNKNOWN = "[UNK]"
WORDS = (UNKNOWN, *(word for words in MEANINGS for word in words))
DIMS = 16
_KINDS = {"f2": "F16", "f4": "F32", "f8": "F64", "i1": "I8", "i4": "I32", "i8": "I64"}


def rows(dtype: Any = np.float32) -> Any:
    """A row for every word; the unknown word's is far from zero, so that using it would show."""
    random = np.random.default_rng(7)
    centres = random.normal(size=(len(MEANINGS), DIMS))
    near = [
        centre + random.normal(scale=0.15, size=DIMS)
        for centre, words in zip(centres, MEANINGS, strict=True)
        for _ in words
    ]
    return np.asarray([random.normal(scale=9, size=DIMS), *near]).astype(dtype)


def safetensors(arrays: Mapping[str, Any]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": _KINDS[array.dtype.str[1:]],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + data


def tokenizer(words: Sequence[str] = WORDS) -> str:
    """A tokenizer of whole lower-case words, which would add a special token if it were asked."""
    return json.dumps(
        {
            "version": "1.0",
            "truncation": {
                "direction": "Right",
                "max_length": 3,
                "strategy": "LongestFirst",
                "stride": 0,
            },
            "padding": {
                "strategy": {"Fixed": 9},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 1,
                "pad_type_id": 0,
                "pad_token": words[1],
            },
            "added_tokens": [],
            "normalizer": {"type": "Lowercase"},
            "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [
                    {"SpecialToken": {"id": words[-1], "type_id": 0}},
                    {"Sequence": {"id": "A", "type_id": 0}},
                ],
                "pair": [
                    {"Sequence": {"id": "A", "type_id": 0}},
                    {"Sequence": {"id": "B", "type_id": 0}},
                ],
                "special_tokens": {
                    words[-1]: {"id": words[-1], "ids": [len(words) - 1], "tokens": [words[-1]]}
                },
            },
            "decoder": None,
            "model": {
                "type": "WordLevel",
                "vocab": {word: at for at, word in enumerate(words)},
                "unk_token": UNKNOWN,
            },
        }
    )


def write_model(folder: Path, arrays: Mapping[str, Any] | None = None) -> Path:
    """A model2vec folder; ``arrays`` instead of plain float32 ``embeddings``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(safetensors(arrays or {"embeddings": rows()}))
    (folder / "tokenizer.json").write_text(tokenizer(), encoding="utf-8")
    (folder / "config.json").write_text('{"model_type": "model2vec", "normalize": true}')
    return folder
