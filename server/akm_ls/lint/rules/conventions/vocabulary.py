"""A bundle's vocabulary: its domains and the spellings of names, from its own fact.

The fact ``facts/conventions/domains`` lists domains as bullets (a name in backticks, then what it
means) and spellings as bullets like ``- Postgres (not postgresql / pg)``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span
from akm_ls.index.stub import DOMAINS_FACT
from akm_ls.lint.rule import Subject

DEFAULT_DOMAINS = (
    "auth",
    "networking",
    "databases",
    "testing",
    "build",
    "cloud",
    "observability",
    "security",
    "frontend",
    "data-pipelines",
    "tooling",
    "policies",
    "conventions",
)
"""What a bundle without the fact goes by (akm.md §11)."""

MAX_LINES = 2_000
MAX_SPELLINGS = 100

_DOMAIN = re.compile(r"[ \t]*[-*+][ \t]+\*{0,2}`([\w.-]+)/?`")
_SUBDOMAIN = re.compile(r"`([\w.-]+/[\w.-]+)/?`")
# `ssl when you mean TLS` and `k8s in prose titles` say where a spelling is wrong.
_CONDITION = re.compile(r" (?:when|in|if|unless|for|except|as) .*")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a name is spelled, and how it is not."""

    canonical: str
    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Domains in the order of the list, which settles ties. ``end`` is where one can be added."""

    domains: tuple[str, ...] = DEFAULT_DOMAINS
    subdomains: tuple[str, ...] = ()
    spellings: tuple[Spelling, ...] = ()
    end: int | None = None

    def __contains__(self, segment: object) -> bool:
        return segment in self.domains

    def nearest(self, segment: str) -> str | None:
        """The domain that a segment probably means."""
        return _nearest(segment.lower(), self.domains)


DEFAULT = Vocabulary()


def domains_path(subject: Subject) -> str:
    """Where the bundle's fact lies, or would lie."""
    return _domains_path(subject.bundle.real_root)


@lru_cache(maxsize=64)
def _domains_path(root: str) -> str:
    return os.path.join(root, *DOMAINS_FACT.split("/")) + ".md"


def vocabulary_of(subject: Subject) -> Vocabulary:
    """The vocabulary of a document's bundle: an open buffer's first, else the disk's."""
    return subject.once(_vocabulary_of)


def _vocabulary_of(subject: Subject) -> Vocabulary:
    path = domains_path(subject)
    document = subject.document if path == subject.path else subject.around.document(path)
    return DEFAULT if document is None else read_vocabulary(document)


@lru_cache(maxsize=16)
def read_vocabulary(document: Document) -> Vocabulary:
    """What the fact says; the default domains when it lists none."""
    lines, comments = document.lines, document.comments
    first = lines.line_of(document.body_start)
    domains: dict[str, None] = {}
    subdomains: dict[str, None] = {}
    spellings: list[Spelling] = []
    end: int | None = None
    for number in range(first, min(len(lines), first + MAX_LINES)):
        span = lines.line_span(number)
        if any(comment.start <= span.start < comment.end for comment in comments):
            continue
        text = span.of(document.text)
        spelling = _spelling(text)
        if spelling is not None:
            spellings.append(spelling)
        elif match := _DOMAIN.match(text):
            domains.setdefault(match.group(1))
            subdomains.update(dict.fromkeys(_SUBDOMAIN.findall(text, match.end())))
            end = span.end
    if not domains:
        return Vocabulary(spellings=tuple(spellings[:MAX_SPELLINGS]))
    # The facts about conventions themselves lie in a directory that lists seldom name.
    domains.setdefault("conventions")
    return Vocabulary(tuple(domains), tuple(subdomains), tuple(spellings[:MAX_SPELLINGS]), end)


def added_line(document: Document, vocabulary: Vocabulary, domain: str) -> tuple[Span, str] | None:
    """Where and what to insert so that the fact lists one more domain."""
    if vocabulary.end is None:
        return None
    eol = "\r\n" if "\r\n" in document.text else "\n"
    return Span(vocabulary.end, vocabulary.end), f"{eol}- `{domain}`"


def _spelling(line: str) -> Spelling | None:
    """A bullet ``- Postgres (not postgresql / pg)``."""
    bullet = line.strip()
    name, mark, rest = bullet.partition("(not ")
    if not mark or bullet[:2] not in ("- ", "* ", "+ "):
        return None
    canonical = _undressed(name[2:])
    variants = _variants(rest.partition(")")[0])
    return Spelling(canonical, variants) if canonical and variants else None


def _undressed(text: str) -> str:
    return text.strip().strip("`\"'*").strip()


def _variants(text: str) -> tuple[str, ...]:
    parts = (" ".join(part.split()) for part in re.split(r"[/,]", text))
    found = (_undressed(_CONDITION.sub("", part)) for part in parts)
    return tuple(dict.fromkeys(filter(None, found)))


_CLOSE = 0.75
"""difflib's ratio from which on a segment is taken for a misspelt domain."""


@lru_cache(maxsize=4096)
def _nearest(segment: str, domains: tuple[str, ...]) -> str | None:
    for domain in domains:
        if len(segment) > 2 and (domain.startswith(segment) or segment.startswith(domain)):
            return domain
    likely = [
        domain for domain, letters in _letters(domains) if _may_resemble(segment, domain, letters)
    ]
    return next(iter(get_close_matches(segment, likely, n=1, cutoff=_CLOSE)), None)


@lru_cache(maxsize=64)
def _letters(domains: tuple[str, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((domain, frozenset(domain)) for domain in domains)


def _may_resemble(segment: str, domain: str, letters: frozenset[str]) -> bool:
    """A bound on what difflib says of two words, for a tenth of its time: letters in common."""
    together, bound = len(segment) + len(domain), min(len(segment), len(domain))
    return 2 * bound / together >= _CLOSE and (
        2 * sum(map(letters.__contains__, segment)) / together >= _CLOSE
    )
