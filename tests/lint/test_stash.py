"""The lint tests' own stash: a bundle whose faults are known."""

from __future__ import annotations

from pathlib import Path

from stash import lint_stash, marked


def test_a_missing_ref_is_found_where_it_stands(tmp_path: Path) -> None:
    text = "# A\n\nSee team//knowledge/gone.\n"
    found = lint_stash(
        tmp_path,
        {"knowledge/a.md": text, "knowledge/b.md": "# B\n\nSee team//knowledge/a.\n"},
        "missing-ref",
    )
    assert list(found) == ["knowledge/a.md"]
    assert marked(text, found["knowledge/a.md"][0]) == "team//knowledge/gone"
