"""Files that stand for nothing. Deleting one is offered by name, and never done unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked

STUB = "---\nupdated: 2026-01-01\ninferenceProcessed: true\n---\nSee the other file.\n"
WORKFLOW = "---\ntype: workflow\nsteps:\n  - id: one\n---\n# {title}\n\n## one\n\nDo it.\n"


def test_a_memory_without_its_twin(tmp_path: Path) -> None:
    files = {"memories/a.md": STUB, "memories/b.md": STUB, "memories/b.derived.md": "# B\n"}
    found = lint_stash(tmp_path, files, "orphaned-stub")
    assert list(found) == ["memories/a.md"]
    ((finding,),) = found.values()
    assert (finding.severity, finding.data["derived"]) == ("warning", "a.derived.md")
    (fix,) = finding.fixes
    assert fix.deletes == (str(tmp_path / "team" / "memories" / "a.md"),)
    assert fix.title == "Delete memories/a.md"
    assert not fix.safe and not fix.edits and not fix.preferred


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("memories/a.md", STUB + "x" * 100),
        ("memories/a.md", STUB.replace("true", "false")),
        ("memories/a.md", STUB.replace("true", '"true"')),
        ("memories/a.derived.md", STUB),
        ("knowledge/a.md", STUB),
    ],
)
def test_a_memory_that_says_something(tmp_path: Path, rel: str, text: str) -> None:
    assert not lint_stash(tmp_path, {rel: text}, "orphaned-stub")


def test_the_templates_text(tmp_path: Path) -> None:
    text = WORKFLOW.format(title="Example Workflow").replace("## one", "## other")
    found = lint_stash(
        tmp_path, {"workflows/a.md": text}, "placeholder-stub", "invalid-workflow-structure"
    )
    (finding,) = found["workflows/a.md"]  # its structure does not matter yet
    assert (finding.code, marked(text, finding)) == ("placeholder-stub", "Example Workflow")
    assert finding.fixes[0].deletes and not finding.fixable


@pytest.mark.parametrize("rel", ["workflows/README.md", "knowledge/a.md"])
def test_the_same_words_elsewhere(tmp_path: Path, rel: str) -> None:
    assert not lint_stash(tmp_path, {rel: "# Example Workflow\n"}, "placeholder-stub")


def test_a_workflow_of_its_own(tmp_path: Path) -> None:
    text = WORKFLOW.format(title="Release")
    assert not lint_stash(tmp_path, {"workflows/a.md": text}, "placeholder-stub")
