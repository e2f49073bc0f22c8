"""Values that stand in more than one place of a workflow: units, timeouts, models, schemas."""

from __future__ import annotations

import re

from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.lint.rules.workflows.problems import Checker
from akm_ls.refs import try_parse_ref

MAX_SCHEMA = 256 * 1024
"""Bytes of one JSON Schema."""
MAX_EXTRA_PARAMS = 64 * 1024

UNIT_KEYS = (
    "engine",
    "model",
    "llm",
    "timeout",
    "retry",
    "on_error",
    "output",
    "env",
    "isolation",
)
LLM_KEYS = (
    "temperature",
    "max_tokens",
    "supports_json_schema",
    "extra_params",
    "context_length",
    "enable_thinking",
)
RETRY_REASONS = (
    "timeout",
    "spawn_failed",
    "non_zero_exit",
    "parse_error",
    "cooldown",
    "llm_rate_limit",
    "llm_content_filter",
    "llm_invalid_json",
    "content_policy_reject",
    "unsupported_type",
    "no_change",
    "aborted",
)
ON_ERROR = ("fail", "continue")

_TIMEOUT = re.compile(r"\d{1,15}(?:ms|s|m)?\Z", re.ASCII)
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]")
_RESERVED_TOP = frozenset(
    {
        "model",
        "messages",
        "temperature",
        "maxtokens",
        "responseformat",
        "stream",
        "streamoptions",
        "enablethinking",
        "chattemplatekwargs",
    }
)
_RESERVED_ANYWHERE = frozenset(
    ["authorization", "headers", "apikey", "token", "password", "secret", "cookie", "setcookie"]
)


def check_unit(checker: Checker, node: Node | None, name: str) -> None:
    unit = checker.mapping(node, name, UNIT_KEYS)
    if unit is None:
        return
    checker.text(unit.get("engine"), f"{name}.engine", blank=False)
    checker.text(unit.get("model"), f"{name}.model", blank=False)
    check_llm(checker, unit.get("llm"), f"{name}.llm")
    check_timeout(checker, unit.get("timeout"), f"{name}.timeout")
    _check_retry(checker, unit.get("retry"), f"{name}.retry")
    checker.one_of(unit.get("on_error"), f"{name}.on_error", ON_ERROR)
    check_schema(checker, unit.get("output"), f"{name}.output")
    checker.one_of(unit.get("isolation"), f"{name}.isolation", ("none", "worktree"))
    for item in checker.items(unit.get("env"), f"{name}.env"):
        if not isinstance(item, Scalar) or not item.text.strip():
            checker.report(
                f"`{name}.env` must list refs, such as env/prod.", item.span, f"{name}.env"
            )
        elif try_parse_ref(item.text.strip()) is None:
            checker.report(
                f'"{item.text.strip()}" in `{name}.env` is no ref. Write one such as env/prod.',
                item.span,
                f"{name}.env",
            )


def check_timeout(checker: Checker, node: Node | None, name: str) -> None:
    if node is None:
        return
    if isinstance(node, Scalar):
        text = node.text.strip()
        digits = text.rstrip("ms")
        if text.lower() == "none" or (_TIMEOUT.match(text) and int(digits) > 0):
            return
    checker.report(
        f"`{name}` must be a duration such as 500ms, 30s or 10m, a number of milliseconds, "
        "or none.",
        node.span,
        name,
    )


def check_llm(checker: Checker, node: Node | None, name: str) -> None:
    llm = checker.mapping(node, name, LLM_KEYS)
    if llm is None:
        return
    checker.number(llm.get("temperature"), f"{name}.temperature")
    checker.integer(llm.get("max_tokens"), f"{name}.max_tokens", 1)
    checker.boolean(llm.get("supports_json_schema"), f"{name}.supports_json_schema")
    checker.integer(llm.get("context_length"), f"{name}.context_length", 1)
    checker.boolean(llm.get("enable_thinking"), f"{name}.enable_thinking")
    extra_name = f"{name}.extra_params"
    extra = checker.mapping(llm.get("extra_params"), extra_name)
    if extra is not None:
        checker.size(extra, extra_name, MAX_EXTRA_PARAMS)
        for pair in extra.pairs:
            if _normalised(pair.key.text) in _RESERVED_TOP:
                checker.report(
                    f"`{extra_name}` may not set `{pair.key.text}`: akm sets it itself.",
                    pair.key.span,
                    f"{extra_name}.{pair.key.text}",
                )
        _check_credentials(checker, extra, extra_name)


def _check_credentials(checker: Checker, root: Node, name: str) -> None:
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Sequence):
            waiting += node.items
        elif isinstance(node, Mapping):
            for pair in node.pairs:
                waiting.append(pair.value)
                if _normalised(pair.key.text) in _RESERVED_ANYWHERE:
                    checker.report(
                        f"`{name}` may not hold `{pair.key.text}`: credentials do not belong in a "
                        "workflow.",
                        pair.key.span,
                        f"{name}.{pair.key.text}",
                    )


def _normalised(key: str) -> str:
    return _NOT_ALPHANUMERIC.sub("", key.lower())


def _check_retry(checker: Checker, node: Node | None, name: str) -> None:
    retry = checker.mapping(node, name, ("max", "on"))
    if retry is None:
        return
    if "max" in retry:
        checker.integer(retry.get("max"), f"{name}.max", 0)
    else:
        checker.report(
            f"`{name}` needs `max`, the number of further attempts.", retry.span, f"{name}.max"
        )
    for item in checker.items(retry.get("on"), f"{name}.on"):
        checker.one_of(item, f"{name}.on", RETRY_REASONS)


def check_schema(checker: Checker, node: Node | None, name: str) -> None:
    """A JSON Schema; of its content only that it is an object, and its size."""
    if node is None:
        return
    if not isinstance(node, Mapping):
        checker.report(
            f"`{name}` must be a JSON Schema, such as {{type: string}}.", node.span, name
        )
        return
    checker.size(node, name, MAX_SCHEMA)
