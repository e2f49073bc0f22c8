"""The demonstration, on a terminal of eighty columns."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "demo.py"
MESSAGE = "This message is much longer than one line, and " * 4 + "it can be read to its end."
REF = "example-bundle//knowledge/" + "a-directory-with-a-long-name/" * 4 + "page"


class Answers:
    """A server that has one answer to everything."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def request(self, method: str, params: object) -> Any:
        return self._answer

    def notify(self, method: str, params: object) -> None:
        pass

    def wait_for_diagnostics(self, uri: str) -> Any:
        return self._answer


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(demo: ModuleType, scene: str, answer: Any) -> str:
    stream = io.StringIO()
    editor = demo.Editor(Answers(answer), Console(file=stream, width=80))
    editor.open(demo.BROKEN)
    arguments = {"search": ["x"], "references": [demo.BROKEN, "misspelt"]}
    getattr(editor, scene)(*arguments.get(scene, [demo.BROKEN]))
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return text


def test_a_message_is_wrapped_and_whole(demo: ModuleType) -> None:
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    text = printed(demo, "squiggles", [{"range": where, "message": MESSAGE, "code": "missing-ref"}])
    assert MESSAGE in " ".join(text.split())


def test_a_hit_is_wrapped_and_whole(demo: ModuleType) -> None:
    hit = {"ref": REF, "type": "knowledge", "description": MESSAGE}
    text = printed(demo, "search", {"hits": [hit]})
    assert MESSAGE in " ".join(text.split())
    assert REF in "".join(text.split())


def test_a_place_is_wrapped_and_whole(demo: ModuleType) -> None:
    lines = (demo.BUNDLE / demo.BROKEN).read_text(encoding="utf-8").split("\n")
    number = max(range(len(lines)), key=lambda at: len(lines[at]))
    place = {"uri": demo.uri_of(demo.BROKEN), "range": {"start": {"line": number, "character": 0}}}
    text = printed(demo, "references", [place])
    assert "".join(lines[number].split()) in "".join(text.split())
