"""Citations of assets that something newer replaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import fixed, lint_stash, marked

NEW = "---\ndescription: The new way\n---\n# New\n\n## Setup\n"
OLD = "---\ndescription: The old way\nbeliefState: superseded\nsupersededBy: [knowledge/new]\n---\n"


def citing(xrefs: str, body: str = "") -> str:
    return f"---\ndescription: Cites others\nxrefs: {xrefs}\n---\n# Cites\n{body}"


def findings(root: Path, text: str, **files: str) -> tuple[str, list[tuple[str, str, str]]]:
    """The text with its safe fixes, and (severity, marked text, message) of each finding."""
    stash = {"knowledge/a.md": text, "knowledge/old.md": OLD, "knowledge/new.md": NEW}
    stash |= {f"knowledge/{name}.md": content for name, content in files.items()}
    found = lint_stash(root, stash, "superseded-target").get("knowledge/a.md", ())
    assert all(finding.tags == ("deprecated",) for finding in found)
    return fixed(text, found), [(it.severity, marked(text, it), it.message) for it in found]


def test_an_xref_is_replaced_by_the_one_replacement(tmp_path: Path) -> None:
    text, [(severity, covered, message)] = findings(tmp_path, citing("['knowledge/old', x]"))
    assert text == citing("['knowledge/new', x]")
    assert (severity, covered) == ("information", "knowledge/old")
    assert message == "knowledge/old is superseded by knowledge/new; cite that instead."
    assert findings(tmp_path, text) == (text, [])


def test_prose_keeps_its_spelling_and_is_not_changed_unasked(tmp_path: Path) -> None:
    written = "# A\n\nSee team//knowledge/old.\n"
    stash = {"knowledge/a.md": written, "knowledge/old.md": OLD, "knowledge/new.md": NEW}
    (finding,) = lint_stash(tmp_path, stash, "superseded-target")["knowledge/a.md"]
    assert not finding.fixable
    assert [fix.edits[0].new_text for fix in finding.fixes] == ["team//knowledge/new"]


def test_a_replacement_that_running_text_cannot_name_is_only_told(tmp_path: Path) -> None:
    old = OLD.replace("knowledge/new", "knowledge/The New")
    stash = {"knowledge/a.md": "# A\n\nSee team//knowledge/old.\n", "knowledge/old.md": old}
    stash |= {"knowledge/The New.md": NEW, "knowledge/b.md": citing("[knowledge/old]")}
    found = lint_stash(tmp_path, stash, "superseded-target")
    ((written,), (listed,)) = found["knowledge/a.md"], found["knowledge/b.md"]
    assert "by team//knowledge/The New" in written.message
    assert written.fixes == ()
    assert listed.fixable


def test_where_the_replacement_is_cited_too_the_old_ref_goes(tmp_path: Path) -> None:
    text, _ = findings(tmp_path, citing("[knowledge/old, knowledge/new]"))
    assert text == citing("[knowledge/new]")


def test_a_fragment_is_kept_where_the_replacement_has_it(tmp_path: Path) -> None:
    text, _ = findings(tmp_path, citing("[knowledge/old#setup]"))
    assert text == citing("[knowledge/new#setup]")
    text, found = findings(tmp_path, citing("[knowledge/old#gone]"))
    assert (text, len(found)) == (citing("[knowledge/old#gone]"), 1)


def test_replacements_of_replacements_are_followed(tmp_path: Path) -> None:
    older = OLD.replace("knowledge/new", "knowledge/old")
    text, _ = findings(tmp_path, citing("[knowledge/older]"), older=older)
    assert text == citing("[knowledge/new]")
    circle = OLD.replace("knowledge/new", "knowledge/circle")
    text, found = findings(tmp_path, citing("[knowledge/circle]"), circle=circle)
    assert (text, len(found)) == (citing("[knowledge/circle]"), 1)


@pytest.mark.parametrize(
    ("keys", "severity"),
    [
        ("beliefState: archived", "hint"),
        ("beliefState: deprecated", "hint"),
        ("status: deprecated", "hint"),
        ("beliefState: contradicted", "information"),
        ("beliefState: contradicted\ncontradictedBy: [knowledge/new]", "information"),
        ("supersededBy: knowledge/new", "information"),
    ],
)
def test_each_way_to_be_outdated(tmp_path: Path, keys: str, severity: str) -> None:
    text, found = findings(
        tmp_path, citing("[knowledge/dead]"), dead=f"---\ndescription: Dead\n{keys}\n---\n"
    )
    assert [it[0] for it in found] == [severity]
    assert (text == citing("[knowledge/new]")) == ("new" in keys)


def test_two_replacements_are_the_authors_choice(tmp_path: Path) -> None:
    both = OLD.replace("[knowledge/new]", "[knowledge/new, knowledge/newer]")
    text, [(_, _, message)] = findings(tmp_path, citing("[knowledge/both]"), both=both, newer=NEW)
    assert text == citing("[knowledge/both]")
    assert "knowledge/new and knowledge/newer" in message


@pytest.mark.parametrize(
    "text",
    [
        # What corrects an asset cites it, and so does history.
        "---\nsupersededBy: [knowledge/old]\ncontradictedBy: knowledge/old\n---\n",
        OLD.replace("---\n", "---\nxrefs: [knowledge/old]\n", 1),
        citing("[knowledge/new, knowledge/gone]"),
    ],
)
def test_citations_that_are_in_order(tmp_path: Path, text: str) -> None:
    assert findings(tmp_path, text)[1] == []


def test_a_correction_may_cite_what_it_corrects(tmp_path: Path) -> None:
    stash = {
        "knowledge/new.md": NEW.replace("---\n", "---\nxrefs: [knowledge/old]\n", 1),
        "knowledge/old.md": OLD,
    }
    assert lint_stash(tmp_path, stash, "superseded-target") == {}
