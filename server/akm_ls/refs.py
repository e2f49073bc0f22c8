"""The ref grammar: how one asset names another.

A ref is ``[bundle//]conceptId[#fragment]``, for example ``team//skills/review#steps``.
This module parses, normalises, formats and finds refs; it knows nothing of files or bundles.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

ASSET_DIRECTORIES = (
    "skills",
    "commands",
    "agents",
    "knowledge",
    "instructions",
    "memories",
    "lessons",
    "sessions",
    "facts",
    "workflows",
    "scripts",
    "env",
    "secrets",
    "tasks",
)
"""First segments of the concept ids an akm bundle mints, one per asset type."""

RefErrorCode = Literal[
    "empty",
    "empty-bundle",
    "bad-bundle",
    "empty-path",
    "null-byte",
    "drive-path",
    "traversal",
    "relative",
    "absolute",
    "hash",
    "malformed",
]

# A named tuple's own constructor takes half as long again.
_new = tuple.__new__

_SLUG = re.compile(r"[^\s:.#/]+\Z")
_DRIVE = re.compile(r"[A-Za-z]:")
# What nearly every ref looks like, and what the rules below would leave as it is.
_USUAL = re.compile(
    r"(?:(?P<bundle>[\w-]+)//)?(?P<path>[\w-][\w.-]*(?:/[\w-][\w.-]*)*)(?:#(?P<fragment>[\w-]+))?\Z",
    re.ASCII,
)
_FORM = "Expected [bundle//]conceptId, e.g. knowledge/guide or core//skills/review"


class RefError(ValueError):
    """Text that is not a ref. ``str(error)`` is the sentence to show; ``code`` is stable."""

    def __init__(self, code: RefErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: RefErrorCode = code


class Ref(NamedTuple):
    """A parsed ref. ``str(ref)`` is its canonical spelling and parses back to an equal ref."""

    bundle: str | None
    concept_id: str
    fragment: str | None = None

    def __str__(self) -> str:
        text = self.concept_id if self.bundle is None else f"{self.bundle}//{self.concept_id}"
        return text if self.fragment is None else f"{text}#{self.fragment}"

    @property
    def head(self) -> str:
        """The first segment of the concept id: the asset directory in an akm bundle."""
        return self.concept_id.partition("/")[0]

    @property
    def asset(self) -> Ref:
        """The same ref without its fragment."""
        return self if self.fragment is None else self._replace(fragment=None)

    def in_bundle(self, bundle: str) -> Ref:
        """The same ref, qualified with ``bundle`` unless it already names one."""
        return self if self.bundle is not None else self._replace(bundle=bundle)


def is_bundle_slug(text: str) -> bool:
    """Whether ``text`` may stand before ``//`` in a ref."""
    return _SLUG.match(text) is not None


def usual_ref(text: str) -> Ref | None:
    """`parse_ref` for the spelling that nearly every ref has; ``None``: it may still be one."""
    usual = _USUAL.match(text)
    return None if usual is None else _new(Ref, usual.groups())


def parse_ref(text: str) -> Ref:
    """Parse one ref.

    Steps: Unicode NFC, trim, split at the first ``//``, check the bundle, split at the first ``#``,
    turn backslashes into slashes and collapse empty segments.

    Raises:
        RefError: for anything that is not a ref; never another exception.
    """
    usual = usual_ref(text)
    if usual is not None:
        return usual
    text = unicodedata.normalize("NFC", text).strip()
    if not text:
        raise RefError("empty", "Empty ref.")
    bundle, separator, rest = text.partition("//")
    if not separator:
        return _parse_path(None, text, text)
    if not bundle:
        raise RefError("empty-bundle", "Empty bundle in ref.")
    if not is_bundle_slug(bundle):
        raise RefError(
            "bad-bundle",
            f'Invalid bundle slug "{bundle}" in ref "{text}". '
            "A bundle slug may not contain ':', '.', '#', '/', or whitespace.",
        )
    if not rest:
        raise RefError("malformed", f'Invalid ref "{text}". {_FORM}')
    return _parse_path(bundle, rest, text)


def _parse_path(bundle: str | None, path: str, whole: str) -> Ref:
    path, _, fragment = path.partition("#")
    if not path.strip():
        raise RefError("empty-path", "Empty asset name.")
    if "\0" in path or "\0" in fragment:
        raise RefError("null-byte", "Null byte in asset name.")
    path = path.replace("\\", "/")
    if _DRIVE.match(path):
        raise RefError("drive-path", "Windows drive path in asset name.")
    if path.startswith("/"):
        raise RefError("absolute", "Absolute path in asset name.")
    segments = path.split("/")
    if ".." in segments:
        raise RefError("traversal", "Path traversal in asset name.")
    if "." in segments:
        raise RefError("relative", "Relative path segments in asset name.")
    concept_id = posixpath.normpath(path)
    # The second one: `x /` has its blank behind the segment, not behind the path.
    blanks = path != path.strip() or concept_id != concept_id.strip()
    if blanks or any("\n" in s or "\r" in s for s in segments):
        raise RefError("malformed", f'Invalid ref "{whole}". {_FORM}')
    return Ref(bundle, concept_id, fragment or None)


def try_parse_ref(text: str) -> Ref | None:
    """`parse_ref`, with ``None`` for text that is not a ref."""
    try:
        return parse_ref(text)
    except RefError:
        return None


class RefToken(NamedTuple):
    """A stretch of prose that has the shape of a qualified ref; offsets are into the text.

    ``ref`` is what `parse_ref` makes of ``text``, where that was plain on the way.
    """

    start: int
    end: int
    text: str
    ref: Ref | None = None


MAX_SLUG = 128
MAX_PATH = 1024
"""Longer tokens in prose are no refs: file systems allow 255 bytes a name."""

# In prose a slug is made of letters, digits and these; what akm allows besides is Markdown's or a
# shell's own punctuation more often than a bundle's name.
_SLUG_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_@"
_SLUG_CHARACTERS = frozenset(_SLUG_LETTERS)
# Before a slug these mean a URL, a path, a variable or an entity.
_NO_REF_AFTER = frozenset(":.#/$\\%&?")
_EXPANSIONS = ("$(", "${", "::")
# A path stops at white space, quotes, angle brackets and list separators, before a second `//`,
# and at what `_ends_path` says of the characters that are neither ASCII's nor letters or digits.
_PATH = re.compile(r"(?:[\w!#$%&()*+\-.:=?@\[\\\]^{}~]|/(?!/))+")
# Beyond ASCII names are made of letters, their marks and numbers. These belong to a name only
# between two of its characters, and the second kind only within a script other than Latin:
# Catalan's dot and two hyphens; what Persian, Hindi, Hebrew and Japanese join words with.
_WITHIN_WORD = frozenset("·\u2010\u2011")
_WITHIN_SCRIPT = frozenset("\u200c\u200d\u05be\u05f3\u05f4・･")
_NO_MARK = re.compile("[\u20dd-\u20e4\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# What nearly every path in prose looks like, up to what certainly ends it: the rules for dress
# would take nothing off it, and `parse_ref` changes nothing in it. Reading it so takes a third of
# the time, and a large bundle has many refs. It must be kept from running past a second `//`.
_USUAL_PATH = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9_./-]*)(?:(?<![./])#([A-Za-z0-9_-]+))?(?<![_./])"
    r"(?=[\s,`'\"<>|;，。、；：！？）」』】]|[)\]}]?[.,:;!?]?\s)"
)
_BEFORE_SLUG = frozenset(" \t\r\n`'\",|[")
"""Among what may stand before a slug, what often does."""
_SLASHES = re.compile(r"/+")
_SENTENCE_AND_EMPHASIS = ".,;:!?*~\\([{"
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_BRACKET = re.compile(r"[()\[\]{}]")
# Scripts written without blanks: a slug in Latin letters starts where they end.
_UNSPACED = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
    r"(?=[A-Za-z0-9_@-]+\Z)"
)


def find_refs(text: str, start: int = 0, end: int | None = None) -> Iterator[RefToken]:
    """Yield what looks like a qualified ref in running text, without the dress around it.

    Sentence punctuation, emphasis marks and unbalanced brackets are not part of a ref. Shell and
    template expansions (``$(``, ``${``, ``::``) are never refs. Whether a token names a bundle
    that exists is the caller's question: see `is_citation`. Linear in the length of the text.
    """
    end = len(text) if end is None else end
    find, usual_path = text.find, _USUAL_PATH.match
    slug = ""  # the one before: nearly all refs of a text name one bundle
    at = find("//", start, end)
    while at >= 0:
        after = at + 2
        following = find("//", after, end)
        begin = at - len(slug)
        if (
            begin <= start
            or not text.startswith(slug, begin)
            or text[begin - 1] not in _BEFORE_SLUG
            or not slug
        ):
            begin = _slug_start(text, at, start)
            slug = text[begin:at] if begin >= 0 else ""
            if "@" in slug or not slug.isascii():
                slug = ""
        usual = usual_path(text, after, end if following < 0 else following) if slug else None
        if (
            usual is not None
            and (path_end := usual.end()) - after <= MAX_PATH
            and "/." not in (path := usual[1])
        ):
            after = path_end
            ref = _new(Ref, (slug, path, usual[2]))
            yield _new(RefToken, (begin, after, text[begin:after], ref))
        elif text.startswith("/", after):
            # Part of a longer run of slashes: an absolute path, a comment, a rule.
            slashes = _SLASHES.match(text, after, end)
            after = slashes.end() if slashes else after
        elif begin >= 0:
            path_end = _path_end(text, after, end)
            token = _undressed(text, begin, after, path_end)
            if token is None:
                after = path_end
            else:
                after = token.end
                yield token
        at = following if following < 0 or following >= after else find("//", after, end)


def is_writable_in_prose(ref: str) -> bool:
    """Whether a qualified ref, written into running text or a code span, is read there as itself.

    A name with a blank, or one that ends in punctuation, is cut short there; in YAML it is whole.
    """
    token = next(find_refs(ref), None)
    return token is not None and (token.start, token.end) == (0, len(ref))


def _path_end(text: str, start: int, end: int) -> int:
    """Where the path ends, or a place more than `MAX_PATH` on. ``a//b//c`` is one ref."""
    limit = min(end, start + MAX_PATH + 1)
    at = _part_end(text, start, limit)
    # What follows a bracket may be a ref of its own: `[a//b](c//d)`.
    while start < at and text.startswith("//", at) and not _BRACKET.search(text, start, at):
        further = _part_end(text, at + 2, limit) if at + 2 < limit else at + 2
        if further == at + 2:
            break
        start, at = at + 2, further
    return at


def token_end(text: str, start: int, end: int) -> int:
    """Where a ref that ``start`` is inside of ends at the latest, emphasis and brackets aside.

    This is `find_refs`'s own end, for a ref that is still being typed.
    """
    at = _part_end(text, start, end)
    while text.startswith("/", at) and at < end:
        at = _part_end(text, at + 1, end)
    return at


def _part_end(text: str, start: int, end: int) -> int:
    """Where a stretch of path characters without ``//`` ends; ``start`` when there is none."""
    match = _PATH.match(text, start, end)
    at = start if match is None else match.end()
    while at < end and (char := text[at]) > "\x7f":
        if _ends_path(char) and not _joins(char, text[at - 1], text[at + 1 : min(at + 2, end)]):
            break
        match = _PATH.match(text, at + 1, end)
        at = at + 1 if match is None else match.end()
    return at


@lru_cache(maxsize=4096)
def _ends_path(char: str) -> bool:
    """Whether a character beyond ASCII ends a ref in prose.

    Punctuation, symbols, emoji with what modifies them, and invisible characters do.
    """
    kind = unicodedata.category(char)
    if kind[0] in "LN":
        return False
    if kind[0] == "M":
        return _NO_MARK.match(char) is not None
    return True


def _joins(char: str, before: str, after: str) -> bool:
    """Whether a character that ends a ref elsewhere belongs to a word that goes on behind it."""
    if char in _WITHIN_WORD:
        return before.isalnum() and after.isalnum()
    return char in _WITHIN_SCRIPT and all(
        part > "\x7f" and not _ends_path(part) for part in (before, after)
    )


def _slug_start(text: str, end: int, floor: int) -> int:
    """Where the slug that ends at ``end`` begins; -1 when there is none."""
    limit = max(floor, end - MAX_SLUG)
    begin = limit + len(text[limit:end].rstrip(_SLUG_LETTERS))
    if begin > limit and text[begin - 1] > "\x7f":
        while begin > limit and _is_slug_character(text[begin - 1]):
            begin -= 1
    if begin == end or (begin == limit > floor and _is_slug_character(text[begin - 1])):
        return -1
    slug = text[begin:end]
    if not slug.isascii() and (boundary := _UNSPACED.search(slug)):
        return begin + boundary.end()
    if begin > 0:
        before = text[begin - 1]
        if before in _NO_REF_AFTER or (before in "({" and text[begin - 2 : begin - 1] == "$"):
            return -1
    return begin


def _is_slug_character(char: str) -> bool:
    if char in _SLUG_CHARACTERS:
        return True
    return char > "\x7f" and not _ends_path(char)


def _undressed(text: str, begin: int, path_start: int, path_end: int) -> RefToken | None:
    """The token without emphasis, punctuation and unbalanced brackets, if something is left."""
    path = text[path_start:path_end]
    if not path or len(path) > MAX_PATH:
        return None
    if ("$" in path or "::" in path) and any(mark in path for mark in _EXPANSIONS):
        return None
    path = path[: _first_unbalanced(path)].rstrip(_SENTENCE_AND_EMPHASIS)
    if path.endswith("_"):
        # `_team//x_` is emphasis only when both marks are there; else the mark is the name's.
        lead = begin
        while text[lead] == "_":
            lead += 1
        if lead > begin or (begin > 0 and text[begin - 1] in "*~_"):
            path = path.rstrip(_SENTENCE_AND_EMPHASIS + "_")
            begin = lead
    if not path or text[begin] == "/":
        return None
    end = path_start + len(path)
    return RefToken(begin, end, text[begin:end])


def _first_unbalanced(path: str) -> int:
    """Where the first bracket stands that has no partner; the length when all have one."""
    if _BRACKET.search(path) is None:
        return len(path)
    open_brackets: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(path):
        char = match.group()
        if char in "([{":
            open_brackets.append((char, match.start()))
        elif open_brackets and open_brackets[-1][0] == _BRACKETS[char]:
            open_brackets.pop()
        else:
            return min(match.start(), *(at for _, at in open_brackets), len(path))
    return open_brackets[0][1] if open_brackets else len(path)


def is_citation(ref: Ref, known_bundles: Container[str]) -> bool:
    """Whether a qualified ref in prose is meant as one.

    It is when its bundle is known or its path starts in an asset directory; ``x//y`` or
    ``@repo//pkg:target`` in somebody's text is not.
    """
    if ref.bundle is not None and ref.bundle in known_bundles:
        return True
    return ref.head in ASSET_DIRECTORIES and is_plausible_name(ref)


def is_plausible_name(ref: Ref) -> bool:
    """Whether the part after the asset directory can be a name: no glob, placeholder or path."""
    name = ref.concept_id.partition("/")[2]
    if len(name) <= 1 or name == "**":
        return False
    return not name.startswith(("/", "~", "http")) and _IN_NO_NAME.isdisjoint(name)


_IN_NO_NAME = frozenset("<>{}*?$|\\")
