"""All faults of YAML that does not parse, each with the edits that would mend it.

A parser stops at the first fault. Here it is mended on a copy and the copy read again, so that
one look shows every fault that has a mechanical cure, and whether the cures are enough.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from akm_ls.documents.frontmatter import read_yaml
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_problems import YamlProblem

Edit = tuple[Span, str]
"""Replace the characters of the span by the text."""

MAX_FAULTS = 20
MAX_SOURCE = 32 * 1024
"""Characters of a block in which more than the first fault is looked for."""

TEXT_KEYS = frozenset(
    (
        *("name", "description", "title", "argument-hint", "when_to_use", "summary", "usage"),
        *("license", "compatibility"),
    )
)
"""Keys whose value is a text in every kind of file, whatever it looks like."""

_COMMON_KEYS = TEXT_KEYS | {
    "license",
    "metadata",
    "allowed-tools",
    "tools",
    "model",
    "type",
    "tags",
}
_COMMENT = re.compile(r"(?<![ \t])[ \t]+#(?:[ \t].*)?\Z")
_LINE_END = re.compile(r"\r\n|\r|\n")
_ODD_SPACES = re.compile(r"[^\S\r\n]+")
_INDENT = re.compile(r"[ \t]*")
_KEY_LINE = re.compile(r"[ \t]*(?:-[ \t]+)?[\"']?[\w][\w.-]*[\"']?[ \t]*:(?:[ \t\r\n]|\Z)")
_OTHER_ESCAPE = re.compile(r"\\[^\\\"]")
_BLOCK_HEADER = re.compile(r"[|>][-+]?[ \t]+")
_CONTRACTION = re.compile(r"'(?:tis|twas|em|til|cause|n|\d\ds)\b", re.IGNORECASE)
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'"})


@dataclass(frozen=True, slots=True)
class Mend:
    """Edits that cure one fault. ``safe``: the author's text or structure stays what it is."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Fault:
    problem: YamlProblem
    mend: Mend | None


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults in text order of finding. ``sound``: the mends are safe and together enough."""

    faults: tuple[Fault, ...]
    sound: bool


@lru_cache(maxsize=16)
def find_faults(source: str) -> Faults:
    """What is wrong with YAML text; spans and edits are into ``source``. Never raises."""
    found: list[Fault] = []
    applied: list[Edit] = []
    working = source
    problem = _problem_of(working)
    limit = MAX_FAULTS if len(source) <= MAX_SOURCE else 1
    while problem is not None and len(found) < limit:
        mend = mend_of(working, problem)
        original = _mapped_mend(mend, applied)
        after = working
        following: YamlProblem | None = problem
        if mend is not None and original is not None:
            after = apply(working, mend.edits)
            following = _problem_of(after)
            if following is not None and not _is_further(following, problem, mend):
                mend = None
        found.append(Fault(_mapped_problem(problem, applied), original if mend else None))
        if mend is None or original is None:
            return Faults(tuple(found), False)
        applied = sorted((*applied, *original.edits))
        working, problem = after, following
    safe = all(fault.mend is not None and fault.mend.safe for fault in found)
    return Faults(tuple(found), problem is None and safe)


def _problem_of(source: str) -> YamlProblem | None:
    return read_yaml(source)[1]


def apply(text: str, edits: tuple[Edit, ...]) -> str:
    """``text`` with edits applied that do not overlap."""
    pieces: list[str] = []
    at = 0
    for span, new in sorted(edits):
        pieces += (text[at : span.start], new)
        at = span.end
    return "".join((*pieces, text[at:]))


def quoted(text: str) -> str:
    """``text`` in quotes, so that YAML reads exactly these characters (and folds its lines).

    Double quotes, unless they would need a backslash and single ones would not need anything.
    """
    if ('"' in text or "\\" in text) and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _is_further(following: YamlProblem, before: YamlProblem, mend: Mend) -> bool:
    """Whether what is wrong after a mend is another fault and not the same one again."""
    start = min(span.start for span, _ in mend.edits)
    if following.span.start < min(start, before.span.start):
        return False
    return (following.kind, following.span.start) != (before.kind, before.span.start)


def mend_of(source: str, problem: YamlProblem) -> Mend | None:
    """The mechanical cure of one problem, if there is one; not whether it is enough."""
    match problem.kind:
        case "tab":
            return _spaces(source, problem)
        case "unclosed-quote":
            if _CONTRACTION.match(source, problem.span.start):
                return _quote(source, problem, problem.span)
            quote = source[problem.span.start]
            end = _end_of_continuation(source, problem.span)
            return Mend("Close the quote", ((Span(end, end), quote),))
        case "unclosed-bracket" if problem.key in TEXT_KEYS and problem.value is not None:
            return _quote(source, problem, problem.value)  # a text is not given a bracket
        case "unclosed-bracket":
            closer = "]" if source[problem.span.start] == "[" else "}"
            end = _end_of_continuation(source, problem.span)
            return Mend(f"Close it with `{closer}`", ((Span(end, end), closer),))
        case "missing-colon":
            return _colon_or_indent(source, problem)
        case "escape":
            at = problem.span.start
            rest = source[at + 2 : _line_end(source, at)]
            before = source[_line_start(source, at) : at]
            safe = not _OTHER_ESCAPE.search(before.replace("\\\\", "")) and not re.search(
                r"(?<!\\)\\[0abtnvfreNLPxuU _]", rest
            )
            return Mend("Write the backslash twice", ((Span(at, at), "\\"),), safe)
        case "control-character":
            return Mend("Remove the character", ((problem.span, ""),), False)
        case "curly-quote" if problem.value is not None:
            return _straight_quotes(source, problem.value)
        case "list-on-key-line" if problem.value is not None:
            if problem.key in TEXT_KEYS:
                return _quote(source, problem, problem.value)
            return _list_below(source, problem.value)
        case "indentation":
            return _align_or_quote(source, problem)
        case _ if problem.value is not None:
            return _quote(source, problem, problem.value)
        case "indicator" if source[problem.span.start] in "|>":
            return _block_below(source, problem)
        case _:
            return None


def _quote(source: str, problem: YamlProblem, value: Span) -> Mend:
    key = problem.key
    end = value.end
    if not source[end : _line_end(source, end)].strip():
        end = _end_of_continuation(source, value)
    if end == value.end:
        comment = _COMMENT.search(source, value.start, value.end)
        if comment and comment.start() > value.start:
            end = comment.start()
    span = Span(value.start, end)
    text = span.of(source)
    title = f"Quote the value of `{key}`" if key else "Quote the value"
    first, last = text[0], text[-1]
    if problem.kind == "text-after-value" and first in "\"'" and first == last and len(text) > 2:
        inner = text[1:-1]
        close = inner.find(first)
        if close > 0 and (inner[close - 1] == " " or inner[close + 1 : close + 2].isalnum()):
            # The quotes at the ends are the value's, those between them belong to the text.
            escaped = inner.replace("'", "''") if first == "'" else _escape(inner)
            return Mend("Escape the quotes inside", ((span, f"{first}{escaped}{last}"),))
    safe = True
    if problem.kind == "syntax":
        safe = key in TEXT_KEYS
    elif problem.kind == "text-after-value" and first in "[{":
        # `[a, b],` is a list with a slip, `[a] [b]` a text.
        safe = text.rpartition("]" if first == "[" else "}")[2].strip() not in (",", ";", ".")
    return Mend(title, ((span, quoted(text)),), safe)


def _escape(text: str) -> str:
    """Backslashes before each double quote that has none."""
    return re.sub(r'(?<!\\)"', '\\\\"', text)


def _straight_quotes(source: str, value: Span) -> Mend:
    text = value.of(source)
    inner = text[1:-1]
    if inner.translate(_CURLY) != inner or '"' in inner or "\\" in inner:
        return Mend("Put the value in straight quotes", ((value, quoted(inner)),))
    quote = text[0].translate(_CURLY)
    first, last = Span(value.start, value.start + 1), Span(value.end - 1, value.end)
    if quote in inner:
        return Mend("Use straight quotes", ((value, quoted(inner)),))
    return Mend("Use straight quotes", ((first, quote), (last, quote)))


def _list_below(source: str, value: Span) -> Mend:
    """`key: - item` with the item on a line of its own, indented as the lines below are."""
    start = value.start
    while start > 0 and source[start - 1] in " \t":
        start -= 1
    line_start = _line_start(source, start)
    own = len(_indent_at(source, line_start))
    below = _next_line(source, value.end)
    following = _indent_at(source, below) if below is not None else ""
    is_item = below is not None and source.startswith("-", below + len(following))
    indent = following if is_item and len(following) >= own else " " * (own + 2)
    new = _newline(source) + indent
    return Mend("Put the list below its key", ((Span(start, value.start), new),))


def _block_below(source: str, problem: YamlProblem) -> Mend | None:
    span = problem.span
    header = _BLOCK_HEADER.match(source, span.start, span.end)
    if header is None:
        return _quote(source, problem, span) if len(span.of(source)) > 1 else None
    line_start = _line_start(source, span.start)
    own = len(_indent_at(source, line_start))
    below = _next_line(source, span.end)
    following = _indent_at(source, below) if below is not None else ""
    indent = following if len(following) > own else " " * (own + 2)
    mark = header.group().rstrip()
    edit = Span(span.start + len(mark), header.end()), _newline(source) + indent
    return Mend("Start the text on the next line", (edit,), False)


def _colon_or_indent(source: str, problem: YamlProblem) -> Mend | None:
    line = problem.span
    if problem.key is not None:
        colon = source.find(f"{problem.key}:", line.start) + len(problem.key) + 1
        odd = _ODD_SPACES.match(source, colon)
        return Mend(
            "Put a blank after the colon", ((Span(colon, odd.end() if odd else colon), " "),)
        )
    if " goes on with " not in problem.message:
        return None
    edits: list[Edit] = []
    at: int | None = _line_start(source, line.start)
    own = len(_indent_at(source, _line_start(source, line.start)))
    while at is not None and not _KEY_LINE.match(source, at) and source[at : at + 1].strip():
        edits.append((Span(at, at), " " * (own + 2)))
        at = _next_line(source, _line_end(source, at))
    return Mend("Indent the text below its key", tuple(edits), False) if edits else None


def _align_or_quote(source: str, problem: YamlProblem) -> Mend | None:
    """A key that is indented below a value: one of the keys, or the value's own text."""
    if problem.value is None:
        return None
    line_start = _line_start(source, problem.span.start)
    key = problem.span.of(source).partition(":")[0].strip()
    if key not in _COMMON_KEYS:
        return _quote(source, problem, problem.value)
    owner = _indent_at(source, _line_start(source, problem.value.start))
    indent = Span(line_start, line_start + len(_indent_at(source, line_start)))
    return Mend(f"Align `{key}` with the other keys", ((indent, owner),), False)


def _spaces(source: str, problem: YamlProblem) -> Mend | None:
    """Tabs that indent, in this line and those below it, as two or more spaces each."""
    line_start = _line_start(source, problem.span.start)
    if source[line_start : problem.span.start].strip(" "):
        return Mend("Replace the tab by a blank", ((problem.span, " "),))
    runs: list[Span] = []
    at: int | None = line_start
    while at is not None and "\t" in (indent := _indent_at(source, at)):
        runs.append(Span(at, at + len(indent)))
        at = _next_line(source, _line_end(source, at))
    best: Mend | None = None
    for width in (2, 4, 1, 8):
        edits = tuple((run, run.of(source).replace("\t", " " * width)) for run in runs)
        mend = Mend("Replace tabs by spaces", edits)
        following = _problem_of(apply(source, edits))
        if following is None:
            return mend
        if best is None and following.span.start > runs[-1].end + len(edits[0][1]):
            best = mend
    return best


def _end_of_continuation(source: str, value: Span) -> int:
    """Where a value ends that goes on in the lines below it, which are indented more."""
    own = len(_indent_at(source, _line_start(source, value.start)))
    end = value.end
    at = _next_line(source, _line_end(source, end))
    while at is not None:
        indent = _indent_at(source, at)
        line_end = _line_end(source, at)
        text = source[at:line_end]
        if text.strip():
            if len(indent) <= own:
                break
            end = at + len(text.rstrip())
        at = _next_line(source, line_end)
    return end


def _indent_at(source: str, line_start: int) -> str:
    match = _INDENT.match(source, line_start)
    return match.group() if match else ""


def _line_start(source: str, at: int) -> int:
    return max(source.rfind("\n", 0, at), source.rfind("\r", 0, at)) + 1


def _line_end(source: str, at: int) -> int:
    match = _LINE_END.search(source, at)
    return match.start() if match else len(source)


def _next_line(source: str, line_end: int) -> int | None:
    """Where the line after one that ends at ``line_end`` starts; ``None`` after the last."""
    match = _LINE_END.match(source, line_end)
    return match.end() if match and match.end() < len(source) else None


def _newline(source: str) -> str:
    match = _LINE_END.search(source)
    return match.group() if match else "\n"


def _mapped_mend(mend: Mend | None, applied: list[Edit]) -> Mend | None:
    """A mend of the mended text as one of the original; ``None`` when it touches earlier ones."""
    if mend is None or not applied:
        return mend
    written: list[Span] = []
    shift = 0
    for span, new in applied:
        written.append(Span(span.start + shift, span.start + shift + len(new)))
        shift += len(new) - (span.end - span.start)
    edits: list[Edit] = []
    for span, new in mend.edits:
        if any(span.start <= old.end and old.start <= span.end for old in written):
            return None
        edits.append((Span(*(_original(at, applied) for at in span)), new))
    return Mend(mend.title, tuple(edits), mend.safe)


def _mapped_problem(problem: YamlProblem, applied: list[Edit]) -> YamlProblem:
    if not applied:
        return problem
    start, end = (_original(at, applied) for at in problem.span)
    return YamlProblem(
        problem.message, Span(start, max(start, end)), problem.kind, None, problem.key
    )


def _original(at: int, applied: list[Edit]) -> int:
    """An offset of the mended text in the original one."""
    shift = 0
    for span, new in applied:
        if at < span.start + shift:
            break
        if at <= span.start + shift + len(new):
            # Inside what was written: the nearest place that was there before.
            return span.end if at == span.start + shift + len(new) else span.start
        shift += len(new) - (span.end - span.start)
    return at - shift
