"""Checking many files: in one process or several, again or from what is kept, the same findings."""

from __future__ import annotations

import marshal
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from pickle import PickleError

import pytest

from akm_ls.bundles.walker import WalkedFile
from akm_ls.documents.text import Span
from akm_ls.index import reader_process, workers
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.record import from_plain, to_plain
from akm_ls.workspace import FileFindings, Workspace, lint_crew, lint_pool, linting
from akm_ls.workspace.check_run import CheckRun
from akm_ls.workspace.kept_findings import DIRECTORY, kept_findings
from akm_ls.workspace.linter import FileToCheck, Linter
from akm_ls.workspace.settings import Settings

OLD = 1_700_000_000
GRAVE = ("error", "warning")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    bundle = tmp_path / "team"
    for number in range(12):
        write(
            bundle / f"knowledge/k{number}.md",
            f"# K{number}\n\nSee team//knowledge/k{number + 1}.\n",
        )
    write(bundle / "knowledge/colon.md", "---\ndescription: Use when: now\n---\n")
    return bundle


def write(path: Path, text: str, time: int = OLD) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time, time))
    for directory in (path.parent, *path.parent.parents[:2]):
        os.utime(directory, (OLD, OLD))


def check(root: Path, *paths: Path) -> dict[str, tuple[Finding, ...]]:
    """The warnings and errors of a bundle by file."""
    with Workspace.open(settings_of(root)) as workspace:
        workspace.refresh()
        return grave(workspace.check([str(path) for path in paths]))


def settings_of(root: Path) -> Settings:
    return Settings(bundle_dirs=(str(root),), data_dir=str(root.parent / "data"), config="")


def grave(checked: Iterable[FileFindings]) -> dict[str, tuple[Finding, ...]]:
    found = {
        file.rel: tuple(finding for finding in file.findings if finding.severity in GRAVE)
        for file in checked
    }
    return {rel: findings for rel, findings in found.items() if findings}


def kept_files(root: Path) -> list[Path]:
    return list((root.parent / "data" / DIRECTORY).glob("*.bin"))


def test_several_processes_find_what_one_finds(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = check(root)
    assert sorted(alone) == ["knowledge/colon.md", "knowledge/k11.md"]
    for kept in kept_files(root):
        kept.unlink()
    monkeypatch.setattr(linting, "WORTH_STARTING", 2)
    monkeypatch.setattr(lint_pool, "BATCH", 3)
    assert check(root) == alone


def check_at_once(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    between: Callable[[CheckRun], object] = lambda run: None,
) -> dict[str, tuple[Finding, ...]]:
    """The same by processes that have read the files for the index."""
    monkeypatch.setattr(workers, "WORTH_STARTING", 2)
    monkeypatch.setattr(linting, "WORTH_STARTING", 2)
    monkeypatch.setattr(lint_crew, "BATCH", 3)
    monkeypatch.setattr(workers, "BATCH_FILES", 4)
    with Workspace.open(settings_of(root)) as workspace, CheckRun() as run:
        workspace.refresh(check_run=run)
        assert run.crew.members
        between(run)
        return grave(workspace.check(check_run=run))


def test_who_reads_the_files_for_the_index_lints_them_too(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = check_at_once(root, monkeypatch)
    assert sorted(found) == ["knowledge/colon.md", "knowledge/k11.md"]
    (kept,) = kept_files(root)
    kept.unlink()
    assert check(root) == found


def test_a_process_that_died_meanwhile_is_done_without(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = check_at_once(root, monkeypatch, lambda run: [it.stop() for it in run.crew.members])
    (kept,) = kept_files(root)
    kept.unlink()
    assert check(root) == found


INTERRUPTED_AT_ONCE = "import os, signal; os.kill(os.getpid(), signal.SIGINT);"


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent differently there")
def test_ctrl_c_is_not_heard_by_a_process_that_is_still_starting(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reader_process, "_BOOT", INTERRUPTED_AT_ONCE + reader_process._BOOT)
    found = check_at_once(root, monkeypatch)
    assert sorted(found) == ["knowledge/colon.md", "knowledge/k11.md"]

    with Workspace.open(settings_of(root)) as workspace:
        report = workspace.refresh(full=True)
        assert report.warnings == ()

    def interrupted(settings: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(lint_pool, "_open", interrupted)
    monkeypatch.setattr(lint_pool, "BATCH", 3)
    for kept in kept_files(root):
        kept.unlink()
    with monkeypatch.context() as patched:
        # What is done when the processes fail hides that they did.
        patched.setattr(lint_pool, "BrokenProcessPool", PickleError)
        if sys.platform == "linux":  # elsewhere another process does not see the patches
            assert check(root) == found
    assert capfd.readouterr().err == ""


def test_what_changes_between_reading_and_linting_is_seen_the_next_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "---\ndescription: Plain\n---\n"
    check_at_once(
        root, monkeypatch, lambda run: write(root / "knowledge/colon.md", text, OLD + 100)
    )
    assert sorted(check(root)) == ["knowledge/k11.md"]


def test_kept_findings_are_used_until_something_changes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = check(root)
    calls: list[str] = []
    lint = Linter.lint

    def noted(linter: Linter, file: FileToCheck) -> object:
        calls.append(file.walked.rel)
        return lint(linter, file)

    monkeypatch.setattr(Linter, "lint", noted)
    assert check(root) == first and not calls
    write(root / "knowledge/k12.md", "# K12\n")
    assert sorted(check(root)) == ["knowledge/colon.md"]
    assert "knowledge/k11.md" in calls, "its ref leads somewhere now"


def test_a_finding_goes_with_the_text_it_was_made_from(root: Path) -> None:
    with Workspace.open(settings_of(root)) as workspace:
        workspace.refresh()
        for file in workspace.check([str(root / "knowledge/colon.md")]):
            write(root / "knowledge/colon.md", "Changed.\n")
            assert "Use when: now" in file.document.text


def test_a_check_of_one_file_keeps_what_is_known_of_the_others(root: Path) -> None:
    first = check(root)
    assert list(check(root, root / "knowledge/colon.md")) == ["knowledge/colon.md"]
    assert check(root) == first
    with Workspace.open(settings_of(root)) as workspace:
        kept = kept_findings(workspace)
        assert kept is not None
        for path in root.rglob("*.md"):
            status = path.stat()
            walked = WalkedFile(path.name, status.st_size, status.st_mtime_ns)
            assert kept.get(str(path), walked) is not None


@pytest.mark.parametrize("keep", [0, 1, 60, 70, -1])
@pytest.mark.parametrize("more", [b"", b"\n", b"\x00\xff[]", b"\xe3" * 400])
def test_a_damaged_file_is_no_file(root: Path, keep: int, more: bytes) -> None:
    first = check(root)
    (kept,) = kept_files(root)
    kept.write_bytes(kept.read_bytes()[:keep] + more)
    assert check(root) == first


@pytest.mark.parametrize("at", range(0, 800, 41))
def test_a_byte_that_has_changed_is_noticed(root: Path, at: int) -> None:
    first = check(root)
    (kept,) = kept_files(root)
    content = bytearray(kept.read_bytes())
    content[at] ^= 0x55
    kept.write_bytes(content)
    assert check(root) == first


def test_a_finding_survives_being_kept() -> None:
    edit = TextEdit(Span(1, 2), "x")
    finding = Finding(
        "missing-ref",
        "warning",
        "Gone.",
        Span(1, 5),
        (Related("/a", "here", Span(0, 1)), Related("/b", "there")),
        {"ref": "a//b", "suggestions": ["c"]},
        (Fix("Do it", (edit,), True, False, {"/c": (edit,)}, {"/d": "text"}, ("/e",)), Fix("No")),
        ("deprecated",),
    )
    assert from_plain(marshal.loads(marshal.dumps(to_plain(finding)))) == finding
