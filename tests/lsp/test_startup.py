"""The cache of compiled code: used when it is sound, never missed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import attr._make
import attrs
import pytest

from akm_ls.lsp.startup import quick_imports


def generated(directory: Path) -> Path:
    (found,) = directory.glob("generated-*.bin")
    return found


def make_class() -> type:
    return attrs.make_class("Point", ["x", "y"])


def test_classes_made_inside_are_the_same_with_and_without_a_cache(tmp_path: Path) -> None:
    for _ in range(2):
        with quick_imports(str(tmp_path)):
            point = make_class()
        assert point(1, 2) == point(1, 2)
        assert repr(point(1, 2)) == "Point(x=1, y=2)"
    assert generated(tmp_path).stat().st_size > 100


def test_nothing_stays_behind(tmp_path: Path) -> None:
    before = gc.get_threshold()
    with quick_imports(str(tmp_path)):
        assert gc.get_threshold()[0] > before[0]
        assert "compile" in vars(attr._make)
    assert gc.get_threshold() == before
    assert "compile" not in vars(attr._make)
    with pytest.raises(KeyError), quick_imports(str(tmp_path)):
        raise KeyError
    assert gc.get_threshold() == before
    assert "compile" not in vars(attr._make)


def test_what_the_classes_leave_behind_is_collected(tmp_path: Path) -> None:
    class Left:
        pass

    with quick_imports(str(tmp_path)):
        left = Left()
        left.myself = left  # type: ignore[attr-defined]
        gone = weakref.ref(left)
        del left
        for _ in range(3):
            _ = [[] for _ in range(gc.get_threshold()[0] + 1)]
    assert gone() is None


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 1000])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    with quick_imports(str(tmp_path)):
        make_class()
    sound = generated(tmp_path).read_bytes()
    generated(tmp_path).write_bytes(damage + sound[len(damage) :][:100])
    with quick_imports(str(tmp_path)):
        make_class()
    assert generated(tmp_path).read_bytes()[:32] == sound[:32]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_cache_that_others_may_write_is_not_read(tmp_path: Path) -> None:
    with quick_imports(str(tmp_path)):
        make_class()
    generated(tmp_path).chmod(0o666)
    before = generated(tmp_path).stat().st_ino
    with quick_imports(str(tmp_path)):
        make_class()
    assert generated(tmp_path).stat().st_ino != before


def test_a_directory_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with quick_imports(str(tmp_path / "file" / "below")):
        make_class()
    with quick_imports(None):
        make_class()


def test_the_protocol_types_work_from_the_cache(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from akm_ls.lsp.startup import quick_imports\n"
        "with quick_imports(sys.argv[1]):\n"
        "    from lsprotocol import types\n"
        "print(types.Position(1, 2), types.Position(1, 2) == types.Position(1, 2))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    without, with_cache = (subprocess.check_output(command, text=True) for _ in range(2))
    assert without == with_cache == "1:2 True\n"
