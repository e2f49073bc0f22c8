"""Findings hold until something they were made from changes, and no longer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.known_findings import KnownFindings

DRAFT = "knowledge/draft.md"


class Session:
    """A bundle with open documents, and what is known of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace(
            Settings(bundle_dirs=(str(root),), data_dir=str(root.parent / "data"))
        )
        self.workspace.refresh()
        self.known = KnownFindings(self.workspace)

    def path(self, name: str) -> str:
        return str(self.root / name)

    def open(self, name: str, text: str) -> tuple[str, ...]:
        """Open or edit; the other documents that this makes stale."""
        delta = self.workspace.put(self.path(name), text, 1)
        stale = {*self.known.changed(delta), *self.known.buffer_changed(self.path(name))}
        return self.names(stale - {self.path(name)})

    def close(self, name: str) -> tuple[str, ...]:
        self.known.forget(self.path(name))
        delta = self.workspace.drop(self.path(name))
        stale = {*self.known.changed(delta), *self.known.buffer_changed(self.path(name))}
        return self.names(stale)

    def write(self, name: str, text: str | None) -> tuple[str, ...]:
        """Write a file behind the editor's back, or delete it."""
        path = self.root / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        delta = self.workspace.files_changed([str(path)])
        stale = {*self.known.changed(delta), *self.known.files_changed([str(path)])}
        return self.names(stale)

    def names(self, paths: set[str]) -> tuple[str, ...]:
        return tuple(sorted(Path(path).relative_to(self.root).as_posix() for path in paths))

    def codes(self, name: str = DRAFT) -> list[str]:
        found = self.known.of(self.path(name))
        told = {"missing-ref", "dead-anchor", "dead-link"}
        return [finding.code for finding in found if finding.code in told]

    def messages(self, name: str = DRAFT) -> str:
        return "\n".join(finding.message for finding in self.known.of(self.path(name)))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    root = tmp_path.resolve() / "team"
    (root / ".stash").mkdir(parents=True)
    (root / "knowledge").mkdir()
    (root / "knowledge/there.md").write_text("# There\n\n## Part\n")
    session = Session(root)
    yield session
    session.workspace.close()


def test_they_are_made_once_for_one_state(session: Session) -> None:
    deep = session.path("elsewhere/deep")
    os.makedirs(deep)
    session.open(DRAFT, "See team//knowledge/gone.\n")
    first = session.known.of(session.path(DRAFT))
    assert session.known.of(session.path(DRAFT)) is first
    # Neither another document nor another file matters to this one.
    assert session.open("knowledge/other.md", "Plain words.\n") == (DRAFT,), "it may be meant"
    session.known.of(session.path(DRAFT))
    assert session.open("knowledge/other.md", "Other plain words.\n") == ()
    assert session.write("scripts/other.sh", "true\n") == (DRAFT,), "it is an asset as well"
    session.known.of(session.path(DRAFT))
    for directory in (deep, os.path.dirname(deep), session.path("")):
        os.utime(directory, (1, 1))  # neither is new
    assert session.write("elsewhere/deep/readme.txt", "text\n") == ()
    assert session.known.is_known(session.path(DRAFT))


Step = Callable[[Session], tuple[str, ...]]
CHANGES: list[tuple[str, str, list[str], Step, list[str]]] = [
    (
        "a cited asset appears",
        "See team//knowledge/later.\n",
        ["missing-ref"],
        lambda it: it.write("knowledge/later.md", "# Later\n"),
        [],
    ),
    (
        "a cited asset is spelled like its file",
        "See team//knowledge/there.md.\n",
        [],
        lambda it: it.write("knowledge/there.md", None),
        ["missing-ref"],
    ),
    (
        "a cited heading goes",
        "See team//knowledge/there#part.\n",
        [],
        lambda it: it.open("knowledge/there.md", "# There\n"),
        ["dead-anchor"],
    ),
    (
        "a heading that a link by path names goes from a buffer",
        "See [it](there.md#part).\n",
        [],
        lambda it: it.open("knowledge/there.md", "# There\n"),
        ["dead-anchor"],
    ),
    (
        "a linked file goes",
        "See [the part](there.md).\n",
        [],
        lambda it: it.write("knowledge/there.md", None),
        ["dead-link"],
    ),
    (
        "the directory of a linked file appears",
        "See [the file](scripts/run.sh).\n",
        ["dead-link"],
        lambda it: it.write("knowledge/scripts/run.sh", "x\n"),
        [],
    ),
]


@pytest.mark.parametrize(
    ("what", "text", "before", "change", "after"), CHANGES, ids=[change[0] for change in CHANGES]
)
def test_what_they_depend_on(
    session: Session, what: str, text: str, before: list[str], change: Step, after: list[str]
) -> None:
    session.open(DRAFT, text)
    assert session.codes() == before
    assert DRAFT in change(session)
    assert session.codes() == after


def test_a_buffer_that_is_closed_no_longer_counts(session: Session) -> None:
    session.open("knowledge/there.md", "# There\n")
    session.open(DRAFT, "See [it](there.md#part).\n")
    assert session.codes() == ["dead-anchor"]
    assert session.close("knowledge/there.md") == (DRAFT,)
    assert session.codes() == []


def test_a_better_suggestion_replaces_the_old_one(session: Session) -> None:
    session.open(DRAFT, "See team//knowledge/thereabouts.\n")
    assert "thereabout?" not in session.messages()
    assert session.write("knowledge/thereabout.md", "# Thereabout\n") == (DRAFT,)
    assert "Did you mean team//knowledge/thereabout?" in session.messages()


def test_what_replaces_the_replacement_counts_too(session: Session) -> None:
    old = "---\nbeliefState: superseded\nsupersededBy: [knowledge/{}]\n---\n# Old\n"
    session.write("knowledge/one.md", old.format("two"))
    session.write("knowledge/two.md", old.format("three"))
    session.write("knowledge/three.md", "# Three\n")
    session.open(DRAFT, "See team//knowledge/one.\n")

    def offered() -> set[str]:
        return {
            edit.new_text
            for finding in session.known.of(session.path(DRAFT))
            for fix in finding.fixes
            for edit in fix.edits
        }

    assert "team//knowledge/three" in offered()
    assert session.write("knowledge/three.md", None) == (DRAFT,)
    assert "team//knowledge/three" not in offered()
