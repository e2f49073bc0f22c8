"""What is wrong with YAML that does not parse, in words its author understands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from akm_ls.documents.text import Span
from akm_ls.documents.yaml_lines import (
    CLOSED_QUOTE,
    PLAIN_KEY,
    key_above,
    line_at,
    open_quote_above,
    rest_of_line,
    tab_at,
    value_above,
    value_at,
    visible_at,
)
from akm_ls.documents.yaml_reader import YamlFailure

ProblemKind = Literal[
    "syntax",
    "tab",
    "unclosed-quote",
    "unclosed-bracket",
    "text-after-value",
    "colon",
    "missing-colon",
    "indentation",
    "indicator",
    "alias",
    "escape",
    "list-on-key-line",
    "curly-quote",
    "second-document",
    "not-a-mapping",
    "control-character",
    "too-deep",
    "too-large",
    "alias-bomb",
    "unclosed-block",
]


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """Why YAML does not parse.

    ``message`` is one sentence, ``span`` the place, inside the block and not empty where there is
    any text. ``value`` is the scalar that would read as written if it were quoted, when quoting is
    a cure; ``key`` its key.
    """

    message: str
    span: Span
    kind: ProblemKind
    value: Span | None = None
    key: str | None = None

    def moved(self, by: int) -> YamlProblem:
        """The same problem in a text that has ``by`` more characters in front."""
        value = self.value
        return YamlProblem(
            self.message,
            Span(self.span.start + by, self.span.end + by),
            self.kind,
            None if value is None else Span(value.start + by, value.end + by),
            self.key,
        )


_KEY_WITHOUT_BLANK = re.compile(r"[ \t]*(?:-[ \t]+)?([\w][\w-]*):(?=[^ \t\r\n/])")
_CLOSERS = {"[": "]", "{": "}"}
_KINDS_OF_VALUE = {"[": "list", "{": "map"}
_NO_START = frozenset("@`%")
_CURLY = {"“": "”", "‘": "’", "„": "“", "«": "»"}


def explain(source: str, failure: YamlFailure) -> YamlProblem:
    """The problem behind ``failure`` of reading ``source``; spans are into ``source``.

    libyaml's words name its own state, and often the place where it gave up rather than the one
    at fault, so the text around decides as much as they do.
    """
    at = min(failure.at, len(source))
    problem = _by_kind(source, failure, at) or _by_text(source, failure, at)
    if problem.span.start >= problem.span.end:
        problem = YamlProblem(problem.message, visible_at(source, problem.span.start), problem.kind)
    return problem


def _by_kind(source: str, failure: YamlFailure, at: int) -> YamlProblem | None:
    if failure.kind == "too-deep":
        return YamlProblem(
            "The YAML is nested too deeply to be read.", rest_of_line(source, at), "too-deep"
        )
    if failure.kind == "alias":
        key, value = value_at(source, at)
        return YamlProblem(
            f"A value that starts with `*` is a YAML alias, and nothing here is named "
            f"`&{failure.reason}`; put the value in quotes.",
            value or rest_of_line(source, at),
            "alias",
            value,
            key,
        )
    if failure.kind == "alias-loop":
        key, _ = value_at(source, at)
        return YamlProblem(
            f"`*{failure.reason}` stands in the value that `&{failure.reason}` names, so the "
            "value contains itself, and most tools cannot read it; write out what it stands for.",
            Span(at, at + 1 + len(failure.reason)),
            "alias",
            None,
            key,
        )
    if failure.kind == "alias-bomb":
        return YamlProblem(
            "The YAML aliases multiply into too many values to be read.",
            rest_of_line(source, at),
            "alias-bomb",
        )
    if failure.kind == "document":
        return YamlProblem(
            "A second YAML document starts here; only the first one is read.",
            line_at(source, at),
            "second-document",
        )
    return None


def _by_text(source: str, failure: YamlFailure, at: int) -> YamlProblem:
    reason, context = failure.reason, failure.context
    context_at = failure.context_at if failure.context_at is not None else at
    if (tab := tab_at(source, at)) is not None:
        return YamlProblem("A tab cannot indent YAML; use spaces instead.", tab, "tab")
    if "quoted scalar" in context:
        return _in_quotes(source, reason, at, context_at)
    if "expected ':'" in reason:
        return _missing_colon(source, at, context_at)
    if (quote := open_quote_above(source, at)) is not None:
        return _unclosed_quote(source, quote)
    if (curly := _curly_quotes(source, at)) is not None:
        return curly
    if "values are not allowed" in reason:
        return _colon(source, at)
    if "flow sequence" in context or "flow mapping" in context or "flow node" in context:
        return _in_brackets(source, at, context_at)
    if "sequence entries are not allowed" in reason:
        key, value = value_at(source, at)
        if value is not None and value.start < at and source[value.start] != "-":
            return _bad_value(source, key, value, at, reason)
        return YamlProblem(
            "A list cannot start on the line of its key; put each `- item` on a line of its own.",
            value or rest_of_line(source, at),
            "list-on-key-line",
            value,
            key,
        )
    key, value = value_at(source, at)
    if value is not None and value.start <= at:
        return _bad_value(source, key, value, at, reason)
    if "expected" in reason and ("key" in reason or "block end" in reason or "'-'" in reason):
        return _indentation(source, at)
    if "document start" in reason:
        return _missing_colon(source, at, at)
    line = line_at(source, at)
    if at < len(source) and source[at] in "@`%&*!|>'\"":
        return YamlProblem(
            f"`{source[at]}` has a meaning of its own in YAML and cannot start a line here.",
            line,
            "indicator",
        )
    return YamlProblem(f"The YAML cannot be read here: {reason}.", line, "syntax")


def _in_quotes(source: str, reason: str, at: int, context_at: int) -> YamlProblem:
    if "escape" in reason or "hex" in reason or "Unicode" in reason:
        # libyaml marks the backslash, the Python parser the character after it.
        start = at if source[at : at + 1] == "\\" else source.rfind("\\", 0, at + 1)
        start = max(start, context_at)
        return YamlProblem(
            f"`{source[start : start + 2]}` is no escape that YAML knows inside double quotes; "
            "write the backslash twice, or use single quotes.",
            Span(start, min(start + 2, len(source))),
            "escape",
        )
    return _unclosed_quote(source, context_at)


def _unclosed_quote(source: str, at: int) -> YamlProblem:
    key, _ = value_at(source, at)
    of = f" of `{key}`" if key else ""
    return YamlProblem(
        f"The quote that opens the value{of} is never closed.",
        rest_of_line(source, at),
        "unclosed-quote",
        None,
        key,
    )


def _missing_colon(source: str, at: int, context_at: int) -> YamlProblem:
    if (quote := open_quote_above(source, context_at)) is not None:
        return _unclosed_quote(source, quote)
    line = line_at(source, context_at)
    match = _KEY_WITHOUT_BLANK.match(source, line.start, line.end)
    if match:
        odd = source[match.end()].isspace()
        return YamlProblem(
            f"There must be a blank after the colon of `{match.group(1)}:`"
            + (", and this is another kind of space." if odd else "."),
            line,
            "missing-colon",
            None,
            match.group(1),
        )
    says = "This line is neither a `key: value` pair nor a list item"
    text = line.of(source)
    if re.fullmatch(r"[\w-]+", text) and not source[line.end :].strip():
        says += f"; a key needs a colon: `{text}: …`"
    elif (above := key_above(source, line.start)) is not None:
        says += f"; indent it if it goes on with the value of `{above}`"
    return YamlProblem(says + ".", line, "missing-colon")


def _curly_quotes(source: str, at: int) -> YamlProblem | None:
    """A value in typographic quotes, which are letters like others to YAML."""
    key, value = value_at(source, at)
    if value is None:
        return None
    first, last = source[value.start], source[value.end - 1]
    if first not in _CURLY or last not in (_CURLY[first], first, '"') or len(value.of(source)) < 2:
        return None
    of = f" of `{key}`" if key else ""
    return YamlProblem(
        f"The value{of} stands in curly quotes, which mean nothing to YAML; use straight ones.",
        value,
        "curly-quote",
        value,
        key,
    )


def _colon(source: str, at: int) -> YamlProblem:
    line = line_at(source, at)
    key, value = value_at(source, at)
    if value is not None and value.start <= at:
        of = f"of `{key}` " if key else ""
        first = source[value.start]
        if first in CLOSED_QUOTE or first in _CLOSERS:
            return _text_after(source, key, value)
        return YamlProblem(
            f"The value {of}contains a colon followed by a blank, which YAML reads as another "
            "key; put the value in quotes.",
            value,
            "colon",
            value,
            key,
        )
    if PLAIN_KEY.match(source, line.start, line.end):
        key, value = value_above(source, line)
        return YamlProblem(
            "This key is indented below a line that has a value already; align it with the "
            "other keys, or put the value above in quotes if it goes on here.",
            line,
            "indentation",
            value,
            key,
        )
    key, value = value_above(source, line)
    return YamlProblem(
        "This line continues the value above and contains a colon followed by a blank, which "
        "YAML reads as another key; put the whole value in quotes.",
        line,
        "colon",
        value,
        key,
    )


def _in_brackets(source: str, at: int, context_at: int) -> YamlProblem:
    opener = source[context_at : context_at + 1]
    if opener not in _CLOSERS:
        # "while parsing a flow node": a stray comma or bracket; the opener is before it.
        start = line_at(source, at).start
        opens = [source.rfind(char, start, at) for char in _CLOSERS]
        context_at = max(opens) if max(opens) >= 0 else context_at
        opener = source[context_at : context_at + 1]
    key, value = value_at(source, context_at)
    name = "map" if opener == "{" else "list"
    if opener in _CLOSERS and (at >= len(source) or line_at(source, at).start > context_at):
        return YamlProblem(
            f"The {name} that opens here with `{opener}` is never closed with "
            f"`{_CLOSERS[opener]}`.",
            rest_of_line(source, context_at),
            "unclosed-bracket",
            value if value is not None and source[value.start] in _CLOSERS else None,
            key,
        )
    return YamlProblem(
        f"This is not a YAML {name}: an item is missing or needs quotes; quote the whole value "
        "if it is meant as text.",
        value or rest_of_line(source, at),
        "syntax",
        value,
        key,
    )


def _bad_value(source: str, key: str | None, value: Span, at: int, reason: str) -> YamlProblem:
    first = source[value.start]
    of = f" of `{key}`" if key else ""
    if first in CLOSED_QUOTE or first in _CLOSERS:
        if first in _CLOSERS and source[at : at + 1] in _NO_START and _is_open(source, value, at):
            return _bad_item(source, value, at)
        if at > value.start:
            return _text_after(source, key, value)
        message = f"The value{of} cannot be read: {reason}."
        return YamlProblem(message, value, "syntax", value, key)
    if first in "|>":
        return YamlProblem(
            f"The text{of} after `{first}` must start on the next line.",
            value,
            "indicator",
            None,
            key,
        )
    if first in "*&!@`%,]}?":
        what = {"*": "an alias", "&": "an anchor", "!": "a tag"}.get(first)
        quoted = "a backtick" if first == "`" else f"`{first}`"
        begin = f"A value that starts with {quoted} is {what} in YAML"
        return YamlProblem(
            f"{begin if what else f'A value cannot start with {quoted} in YAML'}; "
            f"put the value{of} in quotes.",
            value,
            "indicator",
            value,
            key,
        )
    return YamlProblem(f"The value{of} cannot be read: {reason}.", value, "syntax", value, key)


def _is_open(source: str, value: Span, at: int) -> bool:
    """Whether the bracket that opens a value is still open at ``at``."""
    return at > value.start and _CLOSERS[source[value.start]] not in source[value.start : at]


def _bad_item(source: str, value: Span, at: int) -> YamlProblem:
    end = at
    while end < value.end and source[end] not in ",]}":
        end += 1
    item = Span(at, at + len(source[at:end].rstrip()))
    char = "a backtick" if source[at] == "`" else f"`{source[at]}`"
    return YamlProblem(
        f"An item cannot start with {char} in YAML; put `{item.of(source)}` in quotes.",
        item,
        "indicator",
        item,
    )


def _text_after(source: str, key: str | None, value: Span) -> YamlProblem:
    first = source[value.start]
    of = f" of `{key}`" if key else ""
    if first in CLOSED_QUOTE:
        message = f"The value{of} goes on after its closing quote; put the whole value in quotes."
    else:
        message = (
            f"A value that starts with `{first}` is a {_KINDS_OF_VALUE[first]}, and the text "
            f"after its closing `{_CLOSERS[first]}` breaks it; put the whole value{of} in quotes."
        )
    return YamlProblem(
        message,
        value,
        "text-after-value",
        value,
        key,
    )


def _indentation(source: str, at: int) -> YamlProblem:
    return YamlProblem(
        "This line does not fit the lines above; check its indentation.",
        line_at(source, at),
        "indentation",
    )
