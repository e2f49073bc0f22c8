"""What SARIF 2.1.0 demands of the objects that akm-ls writes.

The standard's schema has no licence to be copied here; these are its facts for the objects in use:
which properties an object may and must have, and what they hold. An object may have no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

Check = Callable[[Any, str], Iterator[str]]

_URI_REFERENCE = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*\Z")
_SEMANTIC_VERSION = re.compile(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?\Z")
LEVELS = {"none", "note", "warning", "error"}


def problems(log: Any) -> list[str]:
    """Where a log is no SARIF 2.1.0; each problem names its place."""
    return list(LOG(log, "log"))


def text(value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{at}: not a string"


def flag(value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f"{at}: not a boolean"


def uri(value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, str) or not _URI_REFERENCE.match(value):
        yield f"{at}: {value!r} is no URI reference"


def one_of(*allowed: str) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if value not in allowed:
            yield f"{at}: {value!r} is none of {allowed}"

    return check


def matching(pattern: re.Pattern[str]) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, str) or not pattern.match(value):
            yield f"{at}: {value!r} does not match {pattern.pattern}"

    return check


def number(lowest: int) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
            yield f"{at}: {value!r} is no number from {lowest} on"

    return check


def array(item: Check, *, at_least: int = 0, unique: bool = False) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, list) or len(value) < at_least:
            yield f"{at}: not a list of {at_least} or more"
            return
        if unique and any(value.count(one) > 1 for one in value):
            yield f"{at}: the same thing twice"
        for index, one in enumerate(value):
            yield from item(one, f"{at}[{index}]")

    return check


def mapping(item: Check) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{at}: not an object"
            return
        for key, one in value.items():
            yield from item(one, f"{at}.{key}")

    return check


def object_of(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    known = required | (optional or {})

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{at}: not an object"
            return
        yield from (f"{at}: no {name}" for name in required if name not in value)
        for name, one in value.items():
            if name in known:
                yield from known[name](one, f"{at}.{name}")
            else:
                yield f"{at}: {name} is not known here"

    return check


MESSAGE = object_of({"text": text}, {"markdown": text})
LEVEL = one_of(*sorted(LEVELS))
ARTIFACT_LOCATION = object_of({}, {"uri": uri, "uriBaseId": text})
REGION = object_of(
    {"startLine": number(1)},
    {"startColumn": number(1), "endLine": number(1), "endColumn": number(1)},
)
LOCATION = object_of(
    {},
    {
        "message": MESSAGE,
        "physicalLocation": object_of({"artifactLocation": ARTIFACT_LOCATION}, {"region": REGION}),
    },
)
RULE = object_of(
    {"id": text},
    {
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
        "helpUri": uri,
        "defaultConfiguration": object_of({}, {"level": LEVEL}),
    },
)
RESULT = object_of(
    {"message": MESSAGE},
    {
        "ruleId": text,
        "ruleIndex": number(-1),
        "level": LEVEL,
        "locations": array(LOCATION),
        "relatedLocations": array(LOCATION, unique=True),
    },
)
INVOCATION = object_of(
    {"executionSuccessful": flag},
    {"toolConfigurationNotifications": array(object_of({"message": MESSAGE}, {"level": LEVEL}))},
)
DRIVER = object_of(
    {"name": text},
    {
        "semanticVersion": matching(_SEMANTIC_VERSION),
        "informationUri": uri,
        "rules": array(RULE, unique=True),
    },
)
RUN = object_of(
    {"tool": object_of({"driver": DRIVER})},
    {
        "columnKind": one_of("utf16CodeUnits", "unicodeCodePoints"),
        "originalUriBaseIds": mapping(ARTIFACT_LOCATION),
        "invocations": array(INVOCATION),
        "results": array(RESULT),
    },
)
LOG = object_of({"version": one_of("2.1.0"), "runs": array(RUN)}, {"$schema": uri})
