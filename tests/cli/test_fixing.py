"""Writing fixes to files."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from akm_ls.bundles.bundle import Bundle
from akm_ls.cli import fixing
from akm_ls.cli.check import Selection
from akm_ls.documents.document import Document, parse
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.workspace import FileFindings

ALL = Selection(frozenset(), frozenset(), "hint")


class OneRule:
    """As much of a workspace as fixing needs, with one rule: ``wrong`` has to be ``right``."""

    def __init__(self, *, safe: bool = True, replacement: str = "right") -> None:
        self.documents: dict[str, Any] = {}  # nothing is open
        self._safe = safe
        self._replacement = replacement

    def findings_in(self, document: Document, *_: object) -> tuple[Finding, ...]:
        start = document.text.find("wrong")
        if start < 0:
            return ()
        span = Span(start, start + 5)
        fix = Fix("Replace it", (TextEdit(span, self._replacement),), safe=self._safe)
        return (Finding("some-rule", "warning", "wrong", span, fixes=(fix,)),)

    def display_path(self, path: str) -> str:
        return path


def fix(
    path: Path, data: bytes | None = None, selection: Selection = ALL, **more: Any
) -> tuple[int, FileFindings]:
    """Write a file, fix it, and say how many findings were mended."""
    if data is not None:
        path.write_bytes(data)
    writable = more.pop("writable", True)
    workspace: Any = OneRule(**more)
    root = str(path.parent)
    bundle = Bundle("team", root, root, "akm", writable=writable)
    found = FileFindings(str(path), path.name, bundle, (), workspace)
    return fixing._fix_file(workspace, found, selection), found


def test_a_fix_keeps_line_endings_the_byte_order_mark_and_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"")
    os.chmod(path, 0o640)
    number, _ = fix(path, b"\xef\xbb\xbfone\r\nwrong \xf0\x9f\x98\x80\rlast")
    assert number == 1
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\nright \xf0\x9f\x98\x80\rlast"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_hard_links_stay_one_file(tmp_path: Path) -> None:
    path, other = tmp_path / "a.md", tmp_path / "b.md"
    path.write_bytes(b"")
    os.link(path, other)
    for before, after in ((b"is wrong\n", b"is right\n"), (b"no longer wrong", b"no longer right")):
        assert fix(path, before)[0] == 1
        assert (path.read_bytes(), other.read_bytes()) == (after, after)
    assert path.samefile(other)
    assert fix(path, b"it is wrong\n", replacement="")[0] == 1
    assert other.read_bytes() == b"it is \n"


def test_a_hard_link_that_cannot_be_written_keeps_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = tmp_path / "a.md", tmp_path / "b.md"
    path.write_bytes(b"is wrong, as you see\n")
    os.link(path, other)
    fill = fixing._fill
    full = iter([True])

    def fails_at_first(file: Any, data: bytes) -> None:
        if next(full, False):
            file.write(data[:6])
            raise OSError(28, "No space left on device")
        fill(file, data)

    monkeypatch.setattr(fixing, "_fill", fails_at_first)
    assert fix(path, replacement="")[0] == 0
    assert other.read_bytes() == b"is wrong, as you see\n"
    assert "not fixed, it cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "chown"), reason="files have no owner there")
@pytest.mark.parametrize("may_give", [True, False])
def test_a_fix_keeps_the_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, may_give: bool
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"wrong\n")
    given: list[tuple[int, int]] = []

    def chown(file: str, owner: int, group: int) -> None:
        if not may_give:
            raise PermissionError(1, "Operation not permitted")
        given.append((owner, group))

    class Somebody:
        """The file as if it were another user's."""

        def __init__(self, real: os.stat_result) -> None:
            self.st_mode, self.st_nlink = real.st_mode, real.st_nlink
            self.st_uid, self.st_gid = real.st_uid + 7, real.st_gid + 8

    real_stat, inode, ours = os.stat, path.stat().st_ino, path.stat()
    with monkeypatch.context() as patched:
        patched.setattr(fixing.os, "chown", chown)
        patched.setattr(
            fixing.os,
            "stat",
            lambda file, **how: (
                Somebody(real_stat(file)) if str(file) == str(path) else real_stat(file, **how)
            ),
        )
        fixing._replace(str(path), b"right\n")
    assert path.read_bytes() == b"right\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]
    assert given == ([(ours.st_uid + 7, ours.st_gid + 8)] if may_give else [])
    assert (path.stat().st_ino == inode) != may_give


def test_fixes_that_make_room_for_others_are_followed_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert fix(path, b"wrong wrong wrong\n")[0] == 3
    assert path.read_bytes() == b"right right right\n"


def test_fixes_that_undo_each_other_do_not_go_on_forever(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    number, _ = fix(path, b"wrong\n", replacement="wrong wrong")
    assert number <= 10
    assert len(path.read_bytes()) < 200


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a privilege there")
def test_a_symlink_stays_one(tmp_path: Path) -> None:
    target = tmp_path / "target.md"
    target.write_bytes(b"wrong\n")
    link = tmp_path / "link.md"
    link.symlink_to(target)
    assert fix(link)[0] == 1
    assert link.is_symlink()
    assert target.read_bytes() == b"right\n"


@pytest.mark.parametrize(
    "data",
    [b"wrong \xff\n", "wrong\n".encode("utf-16")],
    ids=["invalid utf-8", "utf-16"],
)
def test_a_file_that_would_not_survive_is_left_alone(
    tmp_path: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.md"
    assert fix(path, data)[0] == 0
    assert path.read_bytes() == data
    assert "not fixed" in capsys.readouterr().err


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    _, found = fix(path, b"wrong\n", safe=False)
    assert found.document.text == "wrong\n"
    path.write_bytes(b"somebody else was faster, and wrong\n")
    workspace: Any = OneRule()
    assert fixing._fix_file(workspace, found, ALL) == 0
    assert path.read_bytes() == b"somebody else was faster, and wrong\n"


def test_a_read_only_bundle_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert fix(path, b"wrong\n", writable=False)[0] == 0
    assert path.read_bytes() == b"wrong\n"


def test_only_safe_fixes_of_selected_findings_are_applied(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    assert fix(path, b"wrong\n", safe=False)[0] == 0
    assert fix(path, b"wrong\n", Selection(frozenset(), frozenset(), "error"))[0] == 0
    ignored = Selection(frozenset(), frozenset({"some-rule"}), "hint")
    assert fix(path, b"wrong\n", ignored)[0] == 0
    assert path.read_bytes() == b"wrong\n"


def test_a_diff_is_one_that_patch_understands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "a.md")
    assert fixing._unified(path, parse("one\nwrong"), "one\nright") == (
        "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n"
        "-wrong\n\\ No newline at end of file\n"
        "+right\n\\ No newline at end of file\n"
    )


def test_a_diff_of_an_env_file_shows_no_values(tmp_path: Path) -> None:
    path = str(tmp_path / "a.env")
    shown = fixing._unified(path, parse("A=marker\n", "env"), "B=marker\n")
    assert "marker" not in shown
    assert "a.env" in shown
