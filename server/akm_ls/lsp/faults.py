"""What a client is told of a fault: one line, without paths and frames, which only the log has."""

from __future__ import annotations


def invalid(error: Exception) -> str:
    """Why parameters do not fit, in one line."""
    if isinstance(error, KeyError) and error.args:
        return f'the parameters lack "{one_line(str(error.args[0]))}"'
    return f"the parameters are invalid: {one_line(str(error)) or type(error).__name__}"


def said(error: BaseException) -> str:
    """An exception in one line, without the paths and frames that only the log may have."""
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error.strerror or 'input or output failed'}"
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str, limit: int = 200) -> str:
    line = " ".join(text[: 2 * limit].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
