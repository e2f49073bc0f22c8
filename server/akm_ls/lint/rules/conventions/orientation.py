"""An asset says what it is and when it helps, where search and agents look (S2; akm.md §10.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Scalar
from akm_ls.lint.finding import Finding, Fix
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.conventions.stash import (
    is_own_with_frontmatter,
    is_placed,
    placement_of,
    top_of,
)

MIN_CHARACTERS = 20
MAX_CHARACTERS = 400
"""A description's length (akm.md §10.1); skills and agents may say more."""
MAX_FACT_WORDS = 400
MIN_TITLED_BODY = 400
"""Characters of body from which on a page needs a title."""

_DESCRIBED = frozenset(
    ("knowledge", "instruction", "memory", "lesson", "fact", "workflow", "command", "agent")
)
"""Types whose missing description is said here; of a skill another rule says it."""
_TRIGGERED = frozenset({"lesson", "skill", "fact"})
_LONG = frozenset({"skill", "agent", "command"})
_TRIGGER = re.compile(
    r"\b(?:when|whenever|use|used|uses|using|before|after|if|while|during|surfaced|applies)\b",
    re.IGNORECASE,
)
_CONNECTORS = (
    "a after an and are as at be been before being but by can could did do does for from had has",
    "have if in into is may might must of on onto or per shall should so than that the to upon",
    "via was were when which while will with would",
)
_LAST_WORDS = frozenset(word for line in _CONNECTORS for word in line.split())
"""Words that no sentence ends in."""
_PREPOSITIONS = frozenset(("at", "by", "for", "from", "in", "of", "on", "to", "upon", "with"))
_RELATIVES = frozenset(("how", "what", "where", "which", "who", "whom", "why"))
_HEADING = re.compile(
    r"for example\b|to reduce\b|key (?:pitfalls|fixes|points|takeaways|considerations|steps|notes|"
    r"tips|insights|features|benefits|risks)\b|(?:examples?|summary|overview|introduction|"
    r"takeaways|conclusion|notes?|tips?)[.:]?\Z",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:def|function|class|const|let|var|export|import|public|private|protected|fn|func)\s+\w"
    r"[^ ]*(?:\(|\{|=|;|\Z)"
)
_MARKER = re.compile(r"[0-9]|[#>|]|[-*+][ \t]|```")


def check_orientation(subject: Subject) -> Iterator[Finding]:
    if placement_of(subject) is None:
        return
    frontmatter = subject.document.frontmatter
    description = _text(frontmatter, "description")
    if not description:
        if subject.type in _DESCRIBED:
            yield _missing_description(subject)
        return
    if subject.type not in _TRIGGERED or _text(frontmatter, "when_to_use"):
        return
    if subject.type != "lesson" and (
        _TRIGGER.search(description) or _quality_fault(description, subject.type)
    ):
        return  # a poor description is to be mended first, and may say it then
    yield Finding(
        code="orientation-missing",
        severity="hint",
        message=(
            f"Nothing says when this {subject.type} applies; add `when_to_use` with what it is "
            "for and what triggers it."
        ),
        span=top_of(subject),
        data={"missing": "when_to_use"},
    )


def _missing_description(subject: Subject) -> Finding:
    line = _first_sentence(subject)
    edits = FrontmatterEdits(subject.document)
    added = line is not None and edits.set("description", line)
    return Finding(
        code="orientation-missing",
        severity="hint",
        message=(
            f"This {_noun(subject.type)} has no description: search and agents know only its file "
            "name. Say in one sentence what it is."
        ),
        span=top_of(subject),
        data={"missing": "description"},
        fixes=(Fix("Describe it by its first sentence", edits.edits()),) if added else (),
    )


def _noun(asset_type: str | None) -> str:
    return "page of knowledge" if asset_type == "knowledge" else str(asset_type)


def _first_sentence(subject: Subject) -> str | None:
    """The first line of prose, where it would do as a description."""
    document = subject.document
    fences = document.fences
    lines = document.lines
    for number in range(lines.line_of(document.body_start), min(len(lines), 200)):
        span = lines.line_span(number)
        text = span.of(document.text).strip()
        if span.start < document.body_start or not text or text.startswith("#"):
            continue
        if any(fence.span.start <= span.start < fence.span.end for fence in fences):
            continue
        sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
        return sentence if _quality_fault(sentence, None) is None else None
    return None


def check_description_quality(subject: Subject) -> Iterable[Finding]:
    frontmatter = subject.document.frontmatter
    node = None if frontmatter is None else frontmatter.get("description")
    if frontmatter is None or not isinstance(node, Scalar) or not node.text.strip():
        return ()
    text = (frontmatter.meant("description") or "").strip()
    fault = _quality_fault(text, subject.type) if text else None
    if fault is None:
        return ()
    message = f"The description {fault}."
    return (Finding("description-quality", "hint", message, node.span),)


def _quality_fault(text: str, asset_type: str | None) -> str | None:
    """What is wrong with a description, as the rest of a sentence; ``None``: nothing."""
    length = len(text)
    if not text.isascii():
        length += sum(char > "\uffff" for char in text)
    if length < MIN_CHARACTERS:
        unit = "character" if length == 1 else "characters"
        return (
            f"has {length} {unit}; with fewer than {MIN_CHARACTERS} it tells nobody what the "
            "asset is for"
        )
    if length > MAX_CHARACTERS and asset_type not in _LONG:
        return f"has {length} characters; keep it to one sentence of at most {MAX_CHARACTERS}"
    if text.endswith((",", ";", ":", "+", "...", "…")) or _ends_in_connector(text):
        return f'seems cut off: it ends in "{text.split()[-1]}"'
    if match := _MARKER.match(text):
        return f'begins with "{match.group().strip()}"; begin with a word that says what it is'
    if _HEADING.match(text):
        return "reads like a heading; say in a sentence what the asset is"
    if _CODE.match(text):
        return "reads like code; say in words what the asset is"
    if text.count("`") % 2:
        return "has an odd number of backticks; close the code span"
    return None


def _ends_in_connector(text: str) -> bool:
    words = text.split()
    if words[-1] in _PREPOSITIONS and words[0].lower() in _RELATIVES:
        return False  # "Where the rubric came from" is whole
    return words[-1] in _LAST_WORDS


def check_body_title(subject: Subject) -> Iterator[Finding]:
    if placement_of(subject) is None:
        return
    document = subject.document
    if len(document.text) - document.body_start < MIN_TITLED_BODY:
        return
    if any(heading.level == 1 for heading in document.headings):
        return
    line = document.lines.line_of(document.body_start)
    while line + 1 < len(document.lines) and not document.lines.line_text(line).strip():
        line += 1
    yield Finding(
        code="body-title",
        severity="hint",
        message="The text has no title; begin it with `# Title` and one line that says what it is.",
        span=document.lines.line_span(line),
    )


def check_fact_too_long(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return
    category = _text(frontmatter, "category")
    pinned = frontmatter.data.get("pinned") is True
    if category not in ("convention", "meta") and not pinned:
        return
    document = subject.document
    words = len(document.body.split())
    words -= sum(len(comment.of(document.text).split()) for comment in document.comments)
    if words <= MAX_FACT_WORDS:
        return
    kind = "pinned" if pinned else category
    yield Finding(
        code="fact-too-long",
        severity="hint",
        message=(
            f"This {kind} fact has {words} words and goes into every prompt; keep such facts below "
            f"about {MAX_FACT_WORDS} and move the rest to a page of knowledge."
        ),
        span=top_of(subject),
        data={"words": words},
    )


def _text(frontmatter: Frontmatter | None, key: str) -> str:
    return "" if frontmatter is None else (frontmatter.text(key) or "").strip()


RULES = (
    Rule(
        code="orientation-missing",
        best_fix="offered",
        severity="hint",
        summary="An asset does not say what it is, or a lesson, skill or fact when it applies.",
        why=(
            "After the name, the description and `when_to_use` weigh most in search, and they are "
            "all that an agent sees before it decides."
        ),
        remedy="Write a `description`; for lessons, skills and facts say when they apply.",
        example="---\nupdated: 2026-01-02\n---\n# Queue\n",
        check=check_orientation,
        about=lambda traits: traits.is_own and is_placed(traits),
        group="conventions",
        places=("frontmatter",),
    ),
    Rule(
        code="description-quality",
        severity="hint",
        summary="A description is too short, too long, cut off, or a heading or code.",
        why="A description that says nothing is found by nobody and helps nobody choose.",
        remedy=(
            f"One whole sentence of {MIN_CHARACTERS} to {MAX_CHARACTERS} characters that says what "
            "the asset is; skills and agents may take more."
        ),
        example="---\ndescription: How the queue is drained before the\n---\n",
        check=check_description_quality,
        about=is_own_with_frontmatter,
        group="conventions",
        places=("frontmatter",),
    ),
    Rule(
        code="body-title",
        severity="hint",
        summary="A page of knowledge or a skill has no title.",
        why="The title is what a reader of the bare text, and a list of results, begins with.",
        remedy="Begin the text with a level-1 heading and one line that says what it is.",
        example=(
            "---\ndescription: How the queue is drained\n---\n"
            + "The queue is drained before every deployment. " * 10
            + "\n"
        ),
        check=check_body_title,
        about=lambda traits: is_placed(traits) and traits.type in ("knowledge", "skill"),
        group="conventions",
        places=("headings",),
    ),
    Rule(
        code="fact-too-long",
        severity="hint",
        summary="A convention, meta or pinned fact is long.",
        why="Such facts are put into the prompts of every agent that writes.",
        remedy=f"Keep them below about {MAX_FACT_WORDS} words.",
        example=(
            "---\ncategory: convention\ndescription: How things are done here\n---\n"
            + "Do it well. " * 140
            + "\n"
        ),
        example_path="facts/conventions/writing.md",
        check=check_fact_too_long,
        about=lambda traits: is_own_with_frontmatter(traits) and traits.type == "fact",
        group="conventions",
        places=("prose",),
    ),
)
