"""What the words around a path say of it: that it is an output, announced, or an example."""

from __future__ import annotations

import re

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span
from akm_ls.lint.rule import Subject

_BEFORE = 45
_AFTER = 40
_INTRODUCTION_LINES = 25

_OUTPUT = re.compile(
    r"\b(?:sav(?:e|es|ed|ing)|writ(?:e|es|ten|ing)|wrote|creat(?:e|es|ed|ing)|generat(?:e|es|ed|ing)"
    r"|output(?:s|ting)?|produc(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|export(?:s|ed|ing)?"
    r"|put(?:s|ting)?|plac(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|cop(?:y|ies|ied|ying)"
    r"|add(?:s|ed|ing)?|append(?:s|ed|ing)?|render(?:s|ed|ing)?|dump(?:s|ed|ing)?"
    r"|log(?:s|ged|ging)?|persist(?:s|ed)?|record(?:s|ed|ing)?|updat(?:e|es|ed|ing)"
    r"|nam(?:e|ed|ing)|renam(?:e|ed|ing)|initiali[sz]e[sd]?|scaffold(?:s|ed|ing)?|extract(?:s|ed)?"
    r"|download(?:s|ed)?|delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|ignor(?:e|es|ed|ing)"
    r"|new|missing|into|keep(?:s|ing)?|split(?:s|ting)?|organi[sz]e[sd]?|extend(?:s|ed)?"
    r"|instead of|e\.g\.|for example|such as|like|optional(?:ly)?"
    r"|your|user'?s|project'?s|repo(?:sitory)?'?s?|workspace|codebase)\b"
    r"|\b(?:if|when)\b[^.]{0,12}\b(?:present|exists?|available|any|provided)\b|->|→|=>",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|when|where)\b[^.\n]{0,20}\b(?:present|exists?|existing|available|needed to exist"
    r"|provided|applicable)\b|\bif any\b|\boptional\b|\bwill be\b|\bshould (?:be|contain)\b"
    r"|\b(?:is|are|gets?) (?:created|generated|written|saved|produced|stored|updated)\b"
    r"|\bdirectory\b"
    r"|\bdoes(?: not|n't) exist\b|\bmissing\b|\bin (?:your|the user's|the target|the project)\b"
    r"|\b(?:to|and) (?:be )?(?:created?|generated?)\b|\bwould (?:be|help|contain)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:sav\w*|writ\w*|creat\w*|generat\w*|output\w*|produc\w*|stor(?:e|es|ed|ing)|export\w*"
    r"|put|plac(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|copy|copied|append\w*|dump\w*)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:planned|coming soon|to be (?:written|added|created)|todo|tbd|not yet|future|upcoming"
    r"|work in progress|wip|placeholder|if (?:present|available|it exists))\b",
    re.IGNORECASE,
)
_INTRODUCES_EXAMPLES = re.compile(
    r"\b(?:creat\w*|sav(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|writ(?:e|es|ten|ing)|generat\w*|output\w*"
    r"|produc\w*|add|e\.g\.|for example|examples?|such as|structure|layout|organi[sz]\w*"
    r"|deliverables?|artifacts?|split|extract\w*)\b",
    re.IGNORECASE,
)
_EXAMPLE_LABEL = re.compile(
    r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?[^\w\s*_]?[ \t]*[*_]{0,2}"
    r"(?:for )?(?:examples?|good|bad|better|right|wrong|avoid|prefer)[*_]{0,2}:",
    re.IGNORECASE,
)
_MAKES_SKILLS = re.compile(r"skill|plugin", re.IGNORECASE)
_DESCRIBES_MAKING = re.compile(
    r"\b(?:creat|writ|author|build|develop|scaffold|design|improv|optimi[sz]|packag|publish|audit"
    r"|review|validat|evaluat|generat|manag)\w*\b[^.]{0,60}\b(?:skills?|plugins?)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]|[ \t]{2,}\S|[ \t>]*\|")
_MADE_BEFORE = re.compile(
    r"(?:>>?|\btee(?: -a)?|\btouch|(?:^|\s)-o|--out(?:put|file)?[ =]?|\b(?:cp|mv|ln -s)\s+\S+"
    r"|\bmkdir(?: -p)?)\s*[\"']?\Z"
)


def is_output(document: Document, span: Span) -> bool:
    """Whether the text close to ``span`` says that the path is made, or may be missing."""
    before, after = _near(document, span)
    return _OUTPUT.search(before) is not None or _CONDITIONAL.search(after) is not None


def has_output_verb(document: Document, span: Span) -> bool:
    return _VERB.search(_near(document, span)[0]) is not None


def is_labelled_example(document: Document, span: Span) -> bool:
    """Whether the line begins with a label such as ``**Examples**:`` or ``Good:``."""
    line = document.lines.line_span(document.lines.line_of(span.start))
    return _EXAMPLE_LABEL.match(document.text, line.start, span.start) is not None


def is_planned(document: Document, span: Span) -> bool:
    """Whether the line announces what is not there yet."""
    line = document.lines.line_span(document.lines.line_of(span.start))
    return _PLANNED.search(line.of(document.text)[:2_000]) is not None


def _near(document: Document, span: Span) -> tuple[str, str]:
    """The words before and after in the same line, or those of the line above a list item."""
    line = document.lines.line_span(document.lines.line_of(span.start))
    text = document.text
    before = text[max(line.start, span.start - _BEFORE) : span.start]
    after = text[span.end : min(line.end, span.end + _AFTER)]
    return before, after


def introduction(document: Document, offset: int) -> str:
    """The line that introduces the list which holds ``offset``; ``""`` outside lists."""
    lines = document.lines
    number = lines.line_of(offset)
    if not _ITEM.match(lines.line_text(number)):
        return ""
    for above in range(number - 1, max(-1, number - _INTRODUCTION_LINES), -1):
        line = lines.line_text(above)[:1_000]
        if line.strip() and not _ITEM.match(line):
            return line
    return ""


def introduces_examples(line: str) -> bool:
    return _INTRODUCES_EXAMPLES.search(line) is not None


def paragraph(document: Document, offset: int) -> str:
    """The lines around ``offset`` up to blank ones."""
    text = document.text
    start = text.rfind("\n\n", max(0, offset - 2_000), offset)
    end = text.find("\n\n", offset, offset + 2_000)
    start = max(0, offset - 2_000) if start < 0 else start
    return text[start : offset + 2_000 if end < 0 else end]


def is_made_here(document: Document, path: str) -> bool:
    """Whether a command in the document makes the file: ``> path``, ``-o path``, ``cp x path``."""
    text = document.text
    at = text.find(path)
    for _ in range(50):
        if at < 0:
            return False
        line_start = text.rfind("\n", max(0, at - 200), at) + 1
        if _MADE_BEFORE.search(text[max(line_start, at - 200) : at]):
            return True
        at = text.find(path, at + 1)
    return False


def makes_skills(subject: Subject, skill: str) -> bool:
    """Whether a skill is about making skills or plugins: its paths are advice, not claims."""
    name = skill.replace("\\", "/").rpartition("/")[2]
    if _MAKES_SKILLS.search(name):
        return True
    main = subject.around.document(f"{skill}/SKILL.md")
    frontmatter = None if main is None else main.frontmatter
    description = "" if frontmatter is None else frontmatter.text("description") or ""
    return _DESCRIBES_MAKING.search(description[:2_000]) is not None
