"""A tool's arguments, read with tolerance for how models slip, and with errors they can act on."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from akm_ls.mcp.tools import ToolDescription

_AROUND_A_REF = re.compile(r"^[`\"'<\[]+|[`\"'>\].,]+$")
_SHOW = re.compile(r"^akm\.show\s+")


class ToolError(Exception):
    """What a model is told instead of an answer; ``str(error)`` says what to do about it."""


def read_arguments(tool: ToolDescription, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments by the tool's schema, with its defaults; numbers are held within its limits.

    Raises:
        ToolError: an argument is missing, unknown or of the wrong kind.
    """
    given = given or {}
    properties: Mapping[str, Mapping[str, Any]] = tool.input["properties"]
    for name in given:
        if name not in properties:
            near = difflib.get_close_matches(name, properties, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(properties)}"
            raise ToolError(f"{tool.name} has no argument {name[:80]!r}: {hint}")
    read = {}
    for name, schema in properties.items():
        value = _read(name, given.get(name), schema)
        if value is None and name in tool.input.get("required", ()):
            raise ToolError(f"{tool.name} needs {name}: {schema['description']}")
        if value is not None:
            read[name] = value
    return read


def ref_of(text: str) -> str:
    """A ref, without the quotes, brackets or ``akm.show`` that models leave around it."""
    return _AROUND_A_REF.sub("", _SHOW.sub("", text.strip()))


def _read(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    if value is None or value == "":
        return schema.get("default")
    kind = schema["type"]
    if kind == "integer":
        return _integer(name, value, schema)
    if kind == "array":
        return _strings(name, value)
    if not isinstance(value, str):
        raise ToolError(f"{name} must be a string")
    if not (text := value.strip()):
        return schema.get("default")
    choices = schema.get("enum")
    if choices is None or text in choices:
        return text
    near = difflib.get_close_matches(text.lower(), choices, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ToolError(f"{name} must be one of {', '.join(choices)}{hint}")


def _integer(name: str, value: Any, schema: Mapping[str, Any]) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:9])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ToolError(f"{name} must be a whole number")
    return min(max(value, int(schema["minimum"])), int(schema["maximum"]))


def _strings(name: str, value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        raise ToolError(f"{name} must be a list of strings")
    return values
