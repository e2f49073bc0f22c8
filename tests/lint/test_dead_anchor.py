"""Fragments: GitHub's ids in Markdown links, akm's slugs in refs."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits

OTHER = (
    "# Other\n\n## Files & Names\n\nSetext one\n----------\n\n<a id='given'></a>\n\n"
    "## Same\n\n## Same\n"
)


def check(root: Path, text: str, rel: str = "knowledge/a.md") -> tuple[Finding, ...]:
    files = {"knowledge/other.md": OTHER, rel: text}
    return lint_stash(root, files, "dead-anchor").get(rel, ())


@pytest.mark.parametrize(
    ("text", "covers", "nearest"),
    [
        ("[a](#files-names)\n\n## Files & Names\n", "files-names", "files--names"),
        ("[a](other.md#files-names)\n", "files-names", "files--names"),
        ("[a](#schema-design)\n\n## 4. Schema Design\n", "schema-design", "4-schema-design"),
        ("[a](#refs)\n\n## Refs (removed)\n", "refs", "refs-removed"),
        ("[a](./other.md#same-2)\n", "same-2", "same"),
        ("[r]\n\n[r]: other.md#setext\n", "setext", "setext-one"),
        ("See team//knowledge/other#files--names.\n", "files--names", "files-names"),
        ("See team//knowledge/other#setext-one.\n", "setext-one", None),
    ],
)
def test_a_fragment_no_heading_has(
    tmp_path: Path, text: str, covers: str, nearest: str | None
) -> None:
    (found,) = check(tmp_path, text)
    assert (marked(text, found), found.severity) == (covers, "warning")
    if nearest is None:
        assert not found.fixes
        return
    assert nearest in [fix.edits[0].new_text for fix in found.fixes]
    mended = apply_edits(
        text, next(fix.edits for fix in found.fixes if fix.edits[0].new_text == nearest)
    )
    assert check(tmp_path, mended) == ()


@pytest.mark.parametrize(
    "text",
    [
        "[a](#files--names) [top](#top) [empty](#)\n\n## Files & Names\n",
        "[a](other.md#files--names) [b](other.md#setext-one) [c](other.md#given)\n",
        "[a](other.md#same) [b](other.md#same-1) [c](other.md#L3-L5)\n",
        "[a](gone.md#x) [b](https://example.com/#x) [c](script.py#L10) [d](#<section>)\n",
        "[a](#%C3%BCbung)\n\n# Übung\n",
        "[a](#-warning)\n\n# ⚠️ Warning\n",
        "See team//knowledge/other#same-1 and team//knowledge/other#akm-fragment-1-0123456789ab.\n",
        "```\n[a](#nope)\n```\n`[b](#nope)` <!-- [c](#nope) -->\n",
        "{% hint %}\n[a](#nope)\n{% endhint %}\n",
    ],
)
def test_what_a_heading_has_or_no_renderer_asks_for(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, text) == ()


def test_another_case_is_information_with_the_right_one(tmp_path: Path) -> None:
    (found,) = check(tmp_path, "[a](#Steps)\n\n## Steps\n")
    assert found.severity == "information"
    assert found.fixes[0].edits[0].new_text == "steps"


def test_headings_in_doubt_are_not_held_against_a_link(tmp_path: Path) -> None:
    text = "[a](#nope)\n\n## Steps\n\n```sh\nx\n"
    assert check(tmp_path, text) == ()


def test_lint_skip_of_refs_takes_their_fragments_along(tmp_path: Path) -> None:
    text = "---\nlint_skip: [missing-ref]\n---\nSee team//knowledge/other#nope.\n"
    assert check(tmp_path, text) == ()


def test_of_very_many_dead_anchors_the_first_ones_get_advice(tmp_path: Path) -> None:
    headings = "".join(f"## Part {number} of all\n" for number in range(1_000))
    found = check(tmp_path, "[a](#part-7-of-al)\n" * 100 + headings)
    assert len(found) == 100
    assert "part-7-of-all" in found[0].data["suggestions"]
    assert found[-1].data["suggestions"] == []
