"""Finding refs in running text beside what the original akm finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from akm_ls.refs import RefError, find_refs, parse_ref

VECTORS = Path(__file__).parent.parent / "conformance" / "vectors"


def vectors(name: str) -> list[dict[str, Any]]:
    recorded = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return list(recorded["vectors"])


# akm takes the dress of a ref for a part of it, and then misses what exists. Here emphasis,
# brackets, table pipes and sentence marks stay outside, and characters that separate words in
# Markdown, prose or a shell separate refs.
OTHERWISE = {
    "see (alpha//knowledge/x). **beta//y/z**": [("alpha//knowledge/x", 5), ("beta//y/z", 28)],
    "<a//b>": [("a//b", 1)],
    "{a//b}": [("a//b", 1)],
    "a//b.": [("a//b", 0)],
    "${v}//x": [],
    "—a//b": [("a//b", 1)],
    "a//b|c|": [("a//b", 0)],
    "*a//b*": [("a//b", 1)],
    "x=a//b": [("a//b", 2)],
    "a;b//c": [("b//c", 2)],
    "!a//b": [("a//b", 1)],
}


@pytest.mark.parametrize("vector", vectors("scan_body_refs"), ids=lambda v: repr(v["args"][0]))
def test_the_same_tokens_are_found(vector: dict[str, Any]) -> None:
    (text,) = vector["args"]
    recorded = [(token["token"], token["index"]) for token in vector["ok"]]
    found = [(token.text, token.start) for token in find_refs(text)]
    assert found == OTHERWISE.get(text, recorded)


@pytest.mark.parametrize("vector", vectors("parse_ref_input"), ids=lambda v: repr(v["args"][0]))
def test_what_a_command_takes_for_an_asset_is_a_ref(vector: dict[str, Any]) -> None:
    (text,) = vector["args"]
    if "ok" in vector:
        ref = parse_ref(text)
        assert ref.bundle == vector["ok"].get("origin")
        assert ref.concept_id.endswith(vector["ok"]["name"].rstrip("/"))
    elif "Unrecognized asset ref" not in vector["err"] and "fragment" not in vector["err"]:
        # Those two are a command's own refusals of well-formed refs.
        with pytest.raises(RefError):
            parse_ref(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("请参考team//knowledge/target。", ["team//knowledge/target"]),
        ("「team//skills/x」と『team//skills/y』", ["team//skills/x", "team//skills/y"]),
        ("team//skills/日本語、team//skills/нет", ["team//skills/日本語", "team//skills/нет"]),
        ("team//knowledge/target’s heading", ["team//knowledge/target"]),
        ("team//knowledge/x(see below)", ["team//knowledge/x"]),
        ("team//knowledge/x(y)z", ["team//knowledge/x(y)z"]),
        ("_team//knowledge/x alone", ["_team//knowledge/x"]),
        ("_(team//knowledge/x)_ ~~a//skills/y~~", ["team//knowledge/x", "a//skills/y"]),
        ("[a//skills/b](c//skills/d)", ["a//skills/b", "c//skills/d"]),
        ("a//skills/b,c//skills/d;e//skills/f", ["a//skills/b", "c//skills/d", "e//skills/f"]),
        ("a//skills/b... a//skills/c…", ["a//skills/b", "a//skills/c"]),
        ("a///b ////c//d /a//b x.y//z C:\\x//y &a//b", []),
        (f"{'x' * 200}//skills/y a//{'y' * 2000}", []),
    ],
)  # fmt: skip
def test_refs_in_every_dress(text: str, found: list[str]) -> None:
    assert [token.text for token in find_refs(text)] == found
