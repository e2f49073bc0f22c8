"""Why one request gave no vectors, and how an endpoint's answer is told apart."""

from __future__ import annotations

import re

from akm_ls.embedders.embedder import SkipKind

_CONTEXT_SIZE = re.compile(
    r"exceed_context_size|input is too large to process|physical batch size|ubatch"
    r"|context_length_exceeded|maximum context length|exceeds? the context length"
    r"|input length exceeds|exceeds the available context size|larger than the max context size"
    r"|must have less than \d{1,9} tokens|too many tokens",
    re.IGNORECASE,
)
"""How llama.cpp, OpenAI, Ollama, vLLM and text-embeddings-inference call an input too long."""
_SHOWN_CHARS = 160


class RequestFailure(Exception):
    """One request failed; ``str(failure)`` is one line without secrets."""

    kind: SkipKind = "http"


class ContextExceeded(RequestFailure):
    """The endpoint says the input does not fit: it is alive, and less may go through."""

    kind = "context-window-exceeded"


class RequestTimeout(RequestFailure):
    kind = "timeout"


class NetworkFailure(RequestFailure):
    """No whole answer arrived: refused, reset, cut off."""

    kind = "network"


class HttpFailure(RequestFailure):
    """An answer that is an error."""


class Busy(HttpFailure):
    """The endpoint asks to come back later; ``retry_after`` in seconds if it says when."""

    def __init__(self, message: str, retry_after: float | None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Malformed(RequestFailure):
    """An answer that holds no usable vectors."""

    kind = "malformed"


def is_context_size(status: int, body: str) -> bool:
    """Whether an error answer says that the input was too long."""
    return status == 413 or (status >= 400 and _CONTEXT_SIZE.search(body) is not None)


def error_text(status: int, body: str, secret: str) -> str:
    """``HTTP 500`` and what the endpoint says about it, without the key.

    Where the endpoint refuses the key its words are left out: they may quote it.
    """
    shown = f"HTTP {status}"
    if status in (401, 403):
        return shown
    said = " ".join(_message(body).split())
    if secret:
        said = said.replace(secret, "[key]")
    said = re.sub(r"(?i)\bbearer\s{1,3}\S{1,200}", "[key]", said)
    said = "".join(char if char.isprintable() else "?" for char in said)
    if len(said) > _SHOWN_CHARS:
        said = said[: _SHOWN_CHARS - 1] + "…"
    return f"{shown}: {said}" if said else shown


def _message(body: str) -> str:
    import json

    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip().startswith("<") else body[:1000]
    for key in ("error", "message", "detail"):
        if isinstance(value, dict) and key in value:
            value = value[key]
            if isinstance(value, dict):
                value = value.get("message", "")
            break
    return value[:1000] if isinstance(value, str) else ""


def retry_after(header: str | None, now: float) -> float | None:
    """Seconds from a ``Retry-After`` header, a number or a date; ``now`` is a POSIX time."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, moment - now)
