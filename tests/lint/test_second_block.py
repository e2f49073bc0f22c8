"""Refs in a second frontmatter block, which some tools nest at the start of the body."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked

OUTER = "---\ndescription: A page that some tool has wrapped.\nupdated: 2026-01-01\n---\n\n"


@pytest.mark.parametrize(
    ("inner", "missing"),
    [
        ("refs: [knowledge/gone, knowledge/here]", ["knowledge/gone"]),
        ("xrefs:\n  - knowledge/gone\n  - team//knowledge/gone", ["knowledge/gone"] * 2),
        ("akm_memory_kind: session_checkpoint\nrefs: [team//knowledge/gone]", ["knowledge/gone"]),
        ("note: knowledge/gone", []),
        ("refs: [knowledge/here]", []),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_its_lists_are_checked(tmp_path: Path, inner: str, missing: list[str], end: str) -> None:
    text = f"{OUTER}---\n{inner}\n---\n\n# Page\n".replace("\n", end)
    files = {"memories/m.md": text, "knowledge/here.md": OUTER + "# Here\n"}
    found = lint_stash(tmp_path, files, "missing-ref").get("memories/m.md", ())
    assert [marked(text, finding).removeprefix("team//") for finding in found] == missing


def test_a_rule_between_paragraphs_is_no_block(tmp_path: Path) -> None:
    text = f"{OUTER}Text.\n\n---\nrefs: [knowledge/gone]\n---\n"
    assert not lint_stash(tmp_path, {"memories/m.md": text}, "missing-ref")
