"""What a server answers about everything there is, and where two servers differ."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from model_client import Kind, ModelClient, as_text, write
from model_texts import CITED, FOLDERS, QUERIES
from positions import line_starts, position_of

PATIENCE = 8.0
"""Seconds until a difference is one that stays."""

Answers = dict[str, dict[str, Any]]


class Comparing:
    """An author's editor, and beside it servers that have just been started.

    ``files`` are what its two bundles hold in the beginning, by name.
    """

    def __init__(
        self, command: Sequence[str], root: Path, kind: Kind, files: Mapping[str, str]
    ) -> None:
        self.root = root
        self._command = command
        self._starts = 0
        for folder in FOLDERS:
            (root / folder / ".stash").mkdir(parents=True)
        for name, text in files.items():
            write(root / name, text)
        self.editor = self._started(kind, FOLDERS)
        self._compared: int | None = None

    def _started(self, kind: Kind, folders: Sequence[str]) -> ModelClient:
        """A client of a server that knows nothing yet."""
        self._starts += 1
        client = ModelClient(self._command, self.root, kind, f"data-{self._starts}")
        try:
            client.start(folders)
        except BaseException:
            client.close()
            raise
        return client

    def end(self) -> None:
        self.editor.close()

    def compare(self, patience: float = PATIENCE) -> None:
        """Fail if the author's server says anything but what a fresh one says, and goes on so."""
        if self._compared == self.editor.told:
            return  # nothing has happened since
        fresh = self._started(self.editor.kind, self.editor.folders)
        try:
            for name, buffer in self.editor.buffers.items():
                fresh.open(name, buffer.text)
            expected = fresh_answers(fresh)
        finally:
            fresh.close()
        until = time.monotonic() + patience
        while difference := differences(live_answers(self.editor), expected):
            if time.monotonic() > until:
                raise AssertionError(f"not as after a fresh start\n{difference}")
            self.editor.wait_for_news(0.05)
        self._compared = self.editor.told


def answers(client: ModelClient) -> Answers:
    """References, texts, outlines and symbols, by what was asked for."""
    asked: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
        "references": [
            *((ref, "akm/references", {"ref": ref}) for ref in CITED),
            *_references_in_text(client),
        ],
        "texts": [
            (name, "akm/show", {"textDocument": {"uri": client.uri(name)}})
            for name in client.buffers
        ],
        "outlines": [
            (name, "textDocument/documentSymbol", {"textDocument": {"uri": client.uri(name)}})
            for name in client.buffers
        ],
        "symbols": [(query, "workspace/symbol", {"query": query}) for query in QUERIES],
    }
    pending = {
        what: {key: client.rpc.request(method, params) for key, method, params in questions}
        for what, questions in asked.items()
    }
    return {
        what: {key: _outcome(client, one.answer()) for key, one in ones.items()}
        for what, ones in pending.items()
    }


def _outcome(client: ModelClient, message: dict[str, Any]) -> Any:
    return client.named(message["error"] if "error" in message else message["result"])


def _references_in_text(client: ModelClient) -> list[tuple[str, str, dict[str, Any]]]:
    """Asked where an author would: on each heading of each open document."""
    found = []
    for name, buffer in client.buffers.items():
        text = buffer.text
        for start in line_starts(text):
            if text.startswith("#", start):
                place = position_of(text, start, client.kind.encoding)
                params = {
                    "textDocument": {"uri": client.uri(name)},
                    "position": place,
                    "context": {"includeDeclaration": True},
                }
                found.append((f"{name}:{place['line']}", "textDocument/references", params))
    return found


def fresh_answers(client: ModelClient) -> Answers:
    """Everything that a server which has just been started says, findings too."""
    client.list_now()
    reports = {
        name: client.rpc.request(
            "textDocument/diagnostic", {"textDocument": {"uri": client.uri(name)}}
        )
        for name in client.buffers
    }
    opened = {name: client.named(one.result()["items"]) for name, one in reports.items()}
    return {"open": opened, "all": client.list_of_all(), **answers(client)}


def live_answers(client: ModelClient) -> Answers:
    """What the author is shown of findings, and what a server that has seen it all says."""
    client.keep_up()
    return {**client.shown(), **answers(client)}


def differences(live: Answers, fresh: Answers) -> str:
    """Where two servers disagree, a line for each question; empty if they do not."""
    lines = []
    for what in fresh:
        for key in sorted(live[what].keys() | fresh[what].keys()):
            here, there = live[what].get(key), fresh[what].get(key)
            if here != there:
                lines.append(f"{what} of {key!r}:")
                lines += [f"  {mark} {line}" for mark, line in _unequal(here, there)]
    return "\n".join(lines)


def _unequal(here: Any, there: Any) -> list[tuple[str, str]]:
    if isinstance(here, list) and isinstance(there, list):
        ours, theirs = list(map(as_text, here)), list(map(as_text, there))
        if sorted(ours) == sorted(theirs):
            return [("another order:", as_text(here)), ("        fresh:", as_text(there))]
        return [
            *(("only here: ", line) for line in ours if line not in theirs),
            *(("only fresh:", line) for line in theirs if line not in ours),
        ]
    return [(" here:", as_text(here)), ("fresh:", as_text(there))]
