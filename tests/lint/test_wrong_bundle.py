"""Refs whose asset is in another bundle than they say, and those that are nowhere."""

from __future__ import annotations

from pathlib import Path

from stash import lint_stash, marked, write_stash

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

CODES = ("wrong-bundle", "missing-ref", "dead-anchor")


def check(root: Path, text: str) -> tuple[Finding, ...]:
    roots = (
        write_stash(root / "team", {"knowledge/here.md": text, "knowledge/both.md": "# B\n"}),
        write_stash(
            root / "other",
            {"knowledge/there.md": "# There\n\n## Top\n", "knowledge/both.md": "# B\n"},
        ),
    )
    settings = Settings(bundle_dirs=tuple(map(str, roots)), data_dir=str(root / "data"), config="")
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        (here,) = (it for it in workspace.check() if it.rel == "knowledge/here.md")
        return tuple(f for f in here.findings if f.code in CODES)


def test_each_way_a_ref_can_miss_has_its_code(tmp_path: Path) -> None:
    text = (
        "# Here\n\nother//knowledge/here, nosuch//knowledge/here, team//knowledge/there#top, "
        "other//knowledge/there#nope, other//knowledge/gone\n"
    )
    assert [(f.code, marked(text, f)) for f in check(tmp_path, text)] == [
        ("wrong-bundle", "other//knowledge/here"),
        ("missing-ref", "nosuch//knowledge/here"),
        ("wrong-bundle", "team//knowledge/there#top"),
        ("dead-anchor", "nope"),
        ("missing-ref", "other//knowledge/gone"),
    ]


def test_the_right_bundle_is_offered_with_the_fragment(tmp_path: Path) -> None:
    text = "---\nxrefs: [team//knowledge/there#top]\n---\n# Here\n"
    (found,) = check(tmp_path, text)
    assert found.code == "wrong-bundle"
    (fix,) = found.fixes
    mended = apply_edits(text, fix.edits)
    assert "xrefs: [other//knowledge/there#top]" in mended
    assert check(tmp_path, mended) == ()


def test_no_name_is_offered_that_the_place_cannot_hold(tmp_path: Path) -> None:
    """With a blank in it a ref is cut short in running text, and whole in frontmatter."""
    text = "---\nxrefs: [agents/my-agent]\n---\n\nAsk team//agents/my-agent first.\n"
    files = {"knowledge/a.md": text, "agents/My Agent.md": "# Mine\n"}
    listed, written = lint_stash(tmp_path, files, "missing-ref")["knowledge/a.md"]
    assert [fix.edits[0].new_text for fix in listed.fixes] == ["agents/My Agent"]
    assert written.fixes == ()
    assert "Did you mean" not in written.message


def test_a_bundle_that_has_the_asset_is_right(tmp_path: Path) -> None:
    assert (
        check(tmp_path, "team//knowledge/both other//knowledge/both other//knowledge/there\n") == ()
    )


def test_lint_skip_of_refs_takes_it_along(tmp_path: Path) -> None:
    text = "---\nlint_skip: missing-ref\n---\nother//knowledge/here\n"
    assert check(tmp_path, text) == ()
