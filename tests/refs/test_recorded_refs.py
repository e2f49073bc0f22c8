"""Ref parsing beside what the original akm answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from akm_ls.refs import RefError, parse_ref

VECTORS = Path(__file__).parent.parent / "conformance" / "vectors"


# A slash at the end names a directory to browse; as a ref it is the same asset.
OTHERWISE = {"knowledge/x/": (None, "knowledge/x")}


def vectors(name: str) -> list[dict[str, Any]]:
    recorded = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    return list(recorded["vectors"])


@pytest.mark.parametrize("vector", vectors("parse_bundle_ref"), ids=lambda v: repr(v["args"][0]))
def test_the_same_texts_are_refs_and_name_the_same_asset(vector: dict[str, Any]) -> None:
    (text,) = vector["args"]
    if "ok" not in vector:
        with pytest.raises(RefError):
            parse_ref(text)
        return
    ref = parse_ref(text)
    recorded = (vector["ok"].get("bundle"), vector["ok"]["conceptId"])
    assert (ref.bundle, ref.concept_id) == OTHERWISE.get(text, recorded)
