"""Corrections come in pairs, and one action writes both halves."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits

NEW, OLD = "knowledge/new-way.md", "knowledge/old-way.md"


def new(*keys: str, says: str = "Replaces old-way, which holds no longer") -> str:
    return "\n".join(("---", f"description: {says}", *keys, "---", "# New", ""))


def old(*keys: str) -> str:
    return "\n".join(("---", "description: How it was done", *keys, "---", "# Old", ""))


def paired(root: Path, files: dict[str, str]) -> dict[str, tuple[Finding, ...]]:
    return lint_stash(root, files, "correction-pairing")


def applied(root: Path, files: dict[str, str], rel: str, finding: Finding) -> dict[str, str]:
    """The stash after the finding's fix, its edits elsewhere included."""
    (fix,) = finding.fixes
    assert not fix.safe
    after = dict(files)
    after[rel] = apply_edits(files[rel], fix.edits)
    for path, edits in fix.elsewhere.items():
        other = Path(path).relative_to(root / "team").as_posix()
        after[other] = apply_edits(files[other], edits)
    return after


def test_the_new_asset_cites_and_the_old_one_does_not_know(tmp_path: Path) -> None:
    files = {NEW: new("xrefs: [knowledge/old-way]"), OLD: old()}
    found = paired(tmp_path, files)
    assert list(found) == [NEW]
    (finding,) = found[NEW]
    assert marked(files[NEW], finding).startswith("Replaces old-way")
    after = applied(tmp_path, files, NEW, finding)
    assert after == {
        NEW: files[NEW],
        OLD: old("beliefState: superseded", "supersededBy: [knowledge/new-way]"),
    }
    assert paired(tmp_path, after) == {}


def test_the_old_asset_knows_and_the_new_one_does_not_cite(tmp_path: Path) -> None:
    files = {
        NEW: new("tags: [a]", says="How it is done by now"),
        OLD: old("supersededBy:", "  - knowledge/new-way"),
    }
    found = paired(tmp_path, files)
    assert list(found) == [OLD]
    (finding,) = found[OLD]
    assert marked(files[OLD], finding) == "knowledge/new-way"
    after = applied(tmp_path, files, OLD, finding)
    assert after == {
        NEW: new("tags: [a]", "xrefs: [knowledge/old-way]", says="How it is done by now"),
        OLD: old("supersededBy:", "  - knowledge/new-way", "beliefState: superseded"),
    }
    assert paired(tmp_path, after) == {}


def test_a_claim_in_the_first_line_with_a_ref(tmp_path: Path) -> None:
    text = (
        "---\ndescription: How it is done by now\n---\n# New\n\nCorrects team//knowledge/old-way.\n"
    )
    files = {NEW: text, OLD: old("beliefState: superseded", "supersededBy: knowledge/new-way")}
    found = paired(tmp_path, files)
    assert set(found) == {NEW, OLD}
    after = applied(tmp_path, files, NEW, found[NEW][0])
    assert "xrefs: [knowledge/old-way]\n" in after[NEW]
    assert after[OLD] == files[OLD]
    assert paired(tmp_path, after) == {}


@pytest.mark.parametrize(
    "files",
    [
        {NEW: new("xrefs: [knowledge/old-way]", says="Replaces tabs by blanks"), OLD: old()},
        {NEW: new("xrefs: [knowledge/old-way]", says="Goes with old-way at all times"), OLD: old()},
        {
            NEW: new("xrefs: [knowledge/old-way]"),
            OLD: old("beliefState: contradicted", "contradictedBy: [team//knowledge/new-way]"),
        },
        {OLD: old("supersededBy: [knowledge/gone]")},
    ],
)
def test_what_is_no_correction_or_a_whole_one(tmp_path: Path, files: dict[str, str]) -> None:
    assert paired(tmp_path, files) == {}


@pytest.mark.parametrize(
    ("keys", "covered", "after"),
    [
        (("beliefState: superseded",), "superseded", None),
        (("beliefState: contradicted",), "contradicted", None),
        (
            ("supersededBy: knowledge/x  # y",),
            "supersededBy",
            ("supersededBy: knowledge/x  # y", "beliefState: superseded"),
        ),
        (("beliefState: active", "supersededBy: knowledge/x"), "supersededBy", None),
    ],
)
def test_a_state_and_its_ref_belong_together(
    tmp_path: Path, keys: tuple[str, ...], covered: str, after: tuple[str, ...] | None
) -> None:
    text, there = old(*keys), {"knowledge/x.md": new(says="How it is done")}
    (finding,) = lint_stash(tmp_path, {OLD: text, **there}, "belief-orphan")[OLD]
    assert marked(text, finding) == covered
    assert not finding.fixable  # the state takes an asset out of its place: nobody does so unasked
    if after is not None:
        text = apply_edits(text, finding.fixes[0].edits)
        assert text == old(*after)
        assert lint_stash(tmp_path, {OLD: text, **there}, "belief-orphan") == {}


@pytest.mark.parametrize("target", ["knowledge/gone", "[knowledge/gone, other//knowledge/x]"])
def test_what_nothing_replaces_is_not_put_behind_it(tmp_path: Path, target: str) -> None:
    text = old(f"supersededBy: {target}")
    assert lint_stash(tmp_path, {OLD: text}, "belief-orphan") == {}
    codes = {finding.code for finding in lint_stash(tmp_path, {OLD: text})[OLD]}
    assert "missing-ref" in codes


@pytest.mark.parametrize(
    "keys",
    [
        ("beliefState: active",),
        ("beliefState: superseded", "supersededBy: knowledge/x"),
        ("beliefState: archived", "supersededBy: knowledge/x"),
    ],
)
def test_states_that_are_whole(tmp_path: Path, keys: tuple[str, ...]) -> None:
    assert lint_stash(tmp_path, {OLD: old(*keys)}, "belief-orphan") == {}
