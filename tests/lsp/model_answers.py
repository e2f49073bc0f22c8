"""What a server answers about everything there is, and where two servers differ."""

from __future__ import annotations

from typing import Any

from model_client import ModelClient, as_text
from model_texts import CITED, QUERIES
from positions import line_starts, position_of

Answers = dict[str, dict[str, Any]]


def answers(client: ModelClient) -> Answers:
    """References, outlines and symbols, by what was asked for."""
    asked: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
        "references": [
            *((ref, "akm/references", {"ref": ref}) for ref in CITED),
            *_references_in_text(client),
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
