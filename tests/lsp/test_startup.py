"""What is loaded when; and generated code that is kept: used when it is sound, never missed."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import os
import re
import subprocess
import sys
import weakref
from pathlib import Path
from typing import get_type_hints

import attr._make
import attrs
import pytest
from rpc import RpcClient

from akm_ls.import_cache import Generated
from akm_ls.lsp import features, offers
from akm_ls.lsp.startup import Start

COMPILER = sys.modules["re._compiler" if sys.version_info >= (3, 11) else "sre_compile"]


def quick(directory: Path | None) -> contextlib.AbstractContextManager[None]:
    return Start(None if directory is None else str(directory)).imports()


def file_in(directory: Path) -> Path:
    (found,) = directory.glob("generated-*.bin")
    return found


def make_class() -> type:
    return attrs.make_class("Point", ["x", "y"])


def make_dataclass() -> type:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Place:
        x: int
        y: str = "here"

    return Place


def make_pattern(text: str = r"(?P<word>[α-ω\w]+)\s*(?:;|$)", flags: int = 0) -> re.Pattern[str]:
    re.purge()
    return re.compile(text, flags)


# What is loaded when.

NEVER = {"numpy", "httpx", "rich", "tokenizers", "wordllama", "mcp", "watchfiles"}
LATER = ("hover", "completion", "code_actions", "rename", "requests")

PROGRAM = """
import json, sys
from akm_ls.lsp.startup import Start
start = Start(sys.argv[1])
with start.imports():
    from akm_ls.lsp.server import AkmLanguageServer
    server = AkmLanguageServer()
protocol = server.protocol
protocol.write = lambda data: None
params = {"processId": None, "capabilities": {}, "workspaceFolders": []}
protocol.dispatch({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
assert server.session
print(json.dumps(sorted(sys.modules)))
"""


def test_initialize_is_answered_without_what_only_later_requests_take(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    for _ in range(2):  # the first time it has to write the file
        found = subprocess.check_output(command, text=True)
    loaded = set(re.findall(r'"([\w.]+)"', found))
    assert {"pygls", "akm_ls.lsp.session", "akm_ls.lint.engine"} <= loaded
    assert loaded & NEVER == set()
    assert [name for name in LATER if f"akm_ls.lsp.features.{name}" in loaded] == []


def test_a_feature_is_loaded_when_it_is_asked_for(tmp_path: Path) -> None:
    program = (
        "import sys; from akm_ls.lsp import features\n"
        "def loaded(): return [name for name in sys.argv[1:] if name in sys.modules]\n"
        "print(loaded()); features.hover.hover; print(loaded())"
    )
    names = [f"akm_ls.lsp.features.{name}" for name in ("hover", "code_actions")]
    command = [sys.executable, "-c", program, *names]
    assert subprocess.check_output(command, text=True) == f"[]\n{names[:1]}\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = features.nothing


async def test_the_rest_is_loaded_soon_after_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    done = asyncio.Event()
    monkeypatch.setattr("akm_ls.lsp.startup._SOON", 0.01)
    monkeypatch.setattr(features, "__all__", ["rename", "hover"])
    for name in features.__all__:
        monkeypatch.delattr(features, name, raising=False)

    def load(name: str) -> object:
        asked.append(name)
        if name == features.__all__[-1]:
            asyncio.get_running_loop().call_soon(done.set)
        with features.loading():
            return make_dataclass()

    monkeypatch.setattr(features, "__getattr__", load)
    Start(str(tmp_path)).load_rest_soon()
    assert asked == []
    await asyncio.wait_for(done.wait(), 20)
    assert asked == ["rename", "hover"]
    assert features.loading is contextlib.nullcontext
    assert file_in(tmp_path).stat().st_size > 0


def test_a_request_that_comes_before_the_rest_is_loaded_is_answered(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "akm_ls", "serve", "--data-dir", str(tmp_path)]
    with RpcClient(command) as client:
        client.initialize()
        place = {"textDocument": {"uri": "untitled:a"}, "position": {"line": 0, "character": 0}}
        hover, status = client.request("textDocument/hover", place), client.request("akm/status")
        assert hover.result() is None
        assert "bundles" in status.result()


def test_what_is_offered_is_what_the_features_do() -> None:
    from akm_ls.lsp.features import refactorings

    assert set(offers.REQUESTS) == set(features.requests.REQUESTS)
    assert set(refactorings.KINDS) <= set(offers.CODE_ACTIONS.code_action_kinds or ())
    assert offers.COMPLETION.trigger_characters
    assert set("/#[.@") <= set(offers.COMPLETION.trigger_characters)


# What is generated.


def test_classes_made_inside_are_the_same_with_and_without_a_file(tmp_path: Path) -> None:
    for _ in range(2):
        with quick(tmp_path):
            point, place = make_class(), make_dataclass()
        assert point(1, 2) == point(1, 2)
        assert repr(point(1, 2)) == "Point(x=1, y=2)"
        assert place(1) == place(1, "here") and hash(place(1)) == hash(place(1))
        assert repr(place(1)).endswith("Place(x=1, y='here')")
        with pytest.raises(dataclasses.FrozenInstanceError):
            place(1).x = 2
        annotations = place.__init__.__annotations__
        assert annotations["return"] is None and set(annotations) == {"x", "y", "return"}
        assert get_type_hints(place) == {"x": int, "y": str}


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.VERBOSE | re.MULTILINE])
def test_patterns_made_inside_are_the_same_with_and_without_a_file(
    tmp_path: Path, flags: int
) -> None:
    usual = make_pattern(flags=flags)
    for _ in range(2):
        with quick(tmp_path):
            kept = make_pattern(flags=flags)
        assert kept == usual
        assert kept.groupindex == usual.groupindex == {"word": 1}
        found = kept.match("Ωμέγα ;") or kept.match("ωμέγα ;")
        assert found is not None and found["word"].casefold() == "ωμέγα"


def test_text_and_bytes_are_different_patterns(tmp_path: Path) -> None:
    for _ in range(2):
        re.purge()
        with quick(tmp_path):
            assert re.compile("é").match("é") and re.compile("é".encode()).match("é".encode())


def test_what_is_known_is_not_generated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with quick(tmp_path):
        make_class(), make_dataclass(), make_pattern()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("generated again")

    with monkeypatch.context() as forbidden, quick(tmp_path):
        forbidden.setattr("akm_ls.import_cache.compile", refuse, raising=False)
        forbidden.setattr(COMPILER, "_code", refuse)
        make_class(), make_dataclass(), make_pattern()
        with pytest.raises(AssertionError):
            make_pattern("something else")


def test_nothing_stays_behind(tmp_path: Path) -> None:
    def replaced() -> tuple[object, ...]:
        places = ((attr._make, "compile"), (dataclasses, "exec"), (COMPILER, "compile"))
        names = tuple(vars(module).get(name) for module, name in places)
        return (*names, vars(COMPILER)["_sre"], gc.get_threshold())

    before = replaced()
    with quick(tmp_path):
        assert all(now != usual for now, usual in zip(replaced(), before, strict=True))
        assert gc.get_threshold()[0] > before[-1][0]  # type: ignore[index]
    assert replaced() == before
    with pytest.raises(KeyError), quick(tmp_path):
        raise KeyError
    assert replaced() == before


def test_what_the_classes_leave_behind_is_collected(tmp_path: Path) -> None:
    class Left:
        pass

    with quick(tmp_path):
        left = Left()
        left.myself = left  # type: ignore[attr-defined]
        gone = weakref.ref(left)
        del left
        for _ in range(3):
            _ = [[] for _ in range(gc.get_threshold()[0] + 1)]
    assert gone() is None


# The file.


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 1000])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    with quick(tmp_path):
        make_class(), make_pattern()
    sound = file_in(tmp_path).read_bytes()
    file_in(tmp_path).write_bytes(damage + sound[len(damage) :][:100])
    with quick(tmp_path):
        make_class(), make_pattern()
    assert file_in(tmp_path).read_bytes() == sound


def test_one_changed_byte_is_noticed(tmp_path: Path) -> None:
    with quick(tmp_path):
        make_class()
    sound = file_in(tmp_path).read_bytes()
    file_in(tmp_path).write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    with quick(tmp_path):
        make_class()
    assert file_in(tmp_path).read_bytes() == sound


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_file_that_others_may_write_is_not_read(tmp_path: Path) -> None:
    with quick(tmp_path):
        make_class()
    file_in(tmp_path).chmod(0o666)
    before = file_in(tmp_path).stat().st_ino
    with quick(tmp_path):
        make_class()
    assert file_in(tmp_path).stat().st_ino != before


def test_a_directory_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with quick(tmp_path / "file" / "below"):
        make_class()
    with quick(None):
        make_class()


def generate(directory: Path, names: range) -> int:
    """Bytes of the file after a start that takes these."""
    generated = Generated(str(directory), "test")
    for name in names:
        generated.code(f"x = {name}", "<string>", "exec")
    generated.keep()
    return file_in(directory).stat().st_size


def test_what_is_not_used_any_more_is_dropped_in_the_end(tmp_path: Path) -> None:
    once = generate(tmp_path, range(100))
    assert generate(tmp_path, range(50, 150)) > once  # two versions may take turns
    assert generate(tmp_path, range(60)) > once
    before = file_in(tmp_path).stat().st_ino
    generate(tmp_path, range(150))
    assert file_in(tmp_path).stat().st_ino == before  # all of it is there
    assert generate(tmp_path, range(200, 260)) < once


def test_a_source_that_differs_at_every_start_is_not_written_each_time(tmp_path: Path) -> None:
    generate(tmp_path, range(100))
    before = file_in(tmp_path).read_bytes()
    generate(tmp_path, range(101))
    assert file_in(tmp_path).read_bytes() == before


def test_the_protocol_types_work_from_the_file(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from akm_ls.lsp.startup import Start\n"
        "with Start(sys.argv[1]).imports():\n"
        "    from lsprotocol import types\n"
        "print(types.Position(1, 2), types.Position(1, 2) == types.Position(1, 2))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    without, with_file = (subprocess.check_output(command, text=True) for _ in range(2))
    assert without == with_file == "1:2 True\n"
