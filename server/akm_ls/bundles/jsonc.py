"""JSON as people write it by hand: with comments, trailing commas and a byte order mark."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from akm_ls.documents.nodes import Plain

# An unterminated string or comment runs to the end, which keeps the scan linear.
_STRING_OR_COMMENT = re.compile(
    r"""("(?:[^"\\]|\\.)*(?:"|\Z))|//[^\r\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
_STRING_OR_COMMA = re.compile(r"""("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=[ \t\r\n]*[}\]])""", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """Why text is not JSON; ``line`` and ``column`` count from 1, in characters."""

    message: str
    line: int
    column: int


def parse_jsonc(text: str) -> tuple[Plain, JsonProblem | None]:
    """The value in ``text``, or ``None`` and the problem. Raises nothing."""
    text = text.removeprefix("\ufeff")
    text = _STRING_OR_COMMENT.sub(_blank, text)
    text = _STRING_OR_COMMA.sub(_blank, text)
    try:
        value: Plain = json.loads(text)
    except json.JSONDecodeError as error:
        return None, JsonProblem(error.msg, error.lineno, error.colno)
    except RecursionError:
        return None, JsonProblem("Nested too deeply", 1, 1)
    except ValueError as error:  # a number with thousands of digits
        return None, JsonProblem(str(error).partition(";")[0], 1, 1)
    return value, None


def _blank(match: re.Match[str]) -> str:
    """Spaces of the same shape, so that positions in error messages stay true."""
    return match[1] or _NOT_LINE_END.sub(" ", match[0])
