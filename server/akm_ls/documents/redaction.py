"""Secrets that authors left in ordinary text: found by their shape, and kept out of previews.

Secret files and env values never come here: they are not read at all. This is for the key that
somebody pasted into a skill. What counts as one is deliberately wide: a word too many in
``[REDACTED:…]`` costs a reader little.
"""

from __future__ import annotations

import itertools
import re
import string
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from akm_ls.documents.text import Span

REACH = 20_000
"""How far before and after a stretch of text a secret that reaches into it is looked for."""
_MAX_KEY_BLOCK = 20_000
"""Characters of a private key block whose end is missing."""

_KEYWORDS = (
    r"api[ _-]?key|secret|token|password|passwd|passphrase|credential|access[_-]?key"
    r"|private[_-]?key|auth[_-]?key"
)
_KEYWORD = f"(?i:{_KEYWORDS})"
# The same in lower case, with what has to follow at least: few words get as far as that.
_FOLDED_KEYWORD = re.compile(
    rf"(?:{_KEYWORDS})(?=[a-z0-9_-]{{0,41}}[\"'`\]]{{0,3}}[ \t]{{0,8}}[=:])"
)
# What may follow the keyword in a name: API_KEYS, token_prod, secretValue; not "tokenizer".
_REST_OF_NAME = r"(?:[sS]|[_-][A-Za-z0-9_-]{0,40}|[A-Z][A-Za-z0-9_]{0,40})?"
_ASSIGNMENT = re.compile(
    _KEYWORD
    + _REST_OF_NAME
    + r"[\"'`\]]{0,3}[ \t]{0,8}(?:=>|:=|==|=|:)[ \t]{0,8}"
    + r"(?:\"(?P<double>[^\"\r\n]{8,4000})\"|'(?P<single>[^'\r\n]{8,4000})'"
    + r"|`(?P<tick>[^`\r\n]{8,4000})`|(?P<bare>[^\s\"'`<>,;]{8,4000}))"
)
_AUTHORISATION = re.compile(
    r"(?i:\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:bearer|basic|token)"
    r"|\bbearer)[ \t]{1,4}(?P<bare>[A-Za-z0-9._~+/=-]{12,4000})"
)
# A reference to a value is not the value: ${TOKEN}, $TOKEN, {{ token }}, <your-key>, ********.
_PLACEHOLDER = re.compile(
    r"\$\{[^}]*\}\S*|\$\([^)]*\)?\S*|\$[A-Za-z_][A-Za-z0-9_]*|\{\{.*|<.*|%[A-Za-z_]+%|[*xX.…]+"
    r"|\[REDACTED.*|process\.env\.\w+|os\.environ\S*"
)
_KEY_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BLOCK_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES = re.compile(r"[A-Za-z0-9+/=:,.\\ \t\r\n-]*")

_PLACE = r"(?<![A-Za-z0-9])"
# Each with what every text must hold that has one: looking for that is fifty times faster.
_SHAPES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (kind, marks, re.compile(_PLACE + shape))
    for kind, marks, shape in (
        ("anthropic_api_key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{16,400}"),
        ("context7_api_key", ("ctx7sk",), r"ctx7sk[_-][A-Za-z0-9_-]{12,400}"),
        (
            "openai_api_key",
            ("sk-",),
            r"sk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,400}",
        ),
        (
            "aws_access_key_id",
            ("AKIA", "ASIA", "AROA", "AIDA"),
            r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        ),
        ("github_pat", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{20,400}"),
        (
            "github_token",
            ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
            r"gh[pousr]_[A-Za-z0-9]{20,400}",
        ),
        ("gitlab_token", ("glpat-",), r"glpat-[A-Za-z0-9_-]{20,400}"),
        ("npm_token", ("npm_",), r"npm_[A-Za-z0-9]{20,400}"),
        ("xai_api_key", ("xai-",), r"xai-[A-Za-z0-9_-]{20,400}"),
        ("google_api_key", ("AIza",), r"AIza[A-Za-z0-9_-]{30,400}"),
        ("slack_token", ("xox",), r"xox[abprs]-[A-Za-z0-9-]{10,400}"),
        ("stripe_key", ("k_live_", "k_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,400}"),
        (
            "jwt",
            ("eyJ",),
            r"eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}",
        ),
    )
)
_TELLING_WORDS = ("key", "secret", "token", "passw", "passp", "credential")
"""`_KEYWORDS`, as few words as tell."""
_SIGN_REACH = 80
"""From the start of such a word: the rest of the keyword, of the name, quotes, blanks, the sign."""
_OTHER_LETTERS = frozenset("\u017f\u0130\u0131\u212a")
_AUTHORISATION_MARKS = ("authorization", "bearer")

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"'`|\\^]{1,4000}")
_LETTERS = frozenset(string.ascii_letters)
_SCHEME = _LETTERS | frozenset(string.digits + "+.-")
_MAX_SCHEME = 21
_SECTION = re.compile(r"[?#][^?#\s]+")
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?\s]{1,200})=([^&;#\s]*)")
_USER = re.compile(r"://([^/?#@\s]{1,400})@")
_SECRET_PARAMETERS = frozenset(
    ("token", "access_token", "api_key", "apikey", "key", "secret", "password", "signature", "sig")
)
_SECRET_NAME = re.compile(
    r"(?i)token|api[_-]?key|secret|passw|passphrase|credential|signature|auth|session|jwt"
    r"|(?:^|[_.-])(?:sig|key|pwd|code)$"
)


class Secret(NamedTuple):
    """A stretch of a text that must not be shown, in ``str`` offsets, and what stands for it."""

    start: int
    end: int
    kind: str
    stand_in: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without its secrets, and how many there were."""

    text: str
    count: int = 0


def redact(text: str) -> Redacted:
    """``text`` with every secret replaced by ``[REDACTED:kind]``, and URLs without theirs."""
    return redact_span(text, 0, len(text), find_secrets(text))


def redact_span(text: str, start: int, end: int, secrets: tuple[Secret, ...]) -> Redacted:
    """``text[start:end]`` without ``secrets``, which are those of the whole text, in order.

    One that only reaches into the stretch is replaced as well: no cut makes a secret visible.
    """
    parts: list[str] = []
    count, at = 0, start
    for secret in secrets:
        if secret.end <= at or secret.start >= end:
            continue
        if secret.start > at:
            parts.append(text[at : secret.start])
        parts.append(secret.stand_in)
        at = min(secret.end, end)
        count += 1
    parts.append(text[at:end])
    return Redacted("".join(parts), count)


def redact_url(url: str) -> str:
    """A URL without user, password and the parameters that hold secrets; other text too."""
    return redact(url).text


def secrets_around(text: str, start: int, end: int, *, reach: int = REACH) -> tuple[Secret, ...]:
    """The secrets of a text that may reach into a stretch of it, in offsets of the whole text."""
    low, high = max(0, start - reach), min(len(text), end + reach)
    # All but key blocks end with their line.
    first = max(low, text.rfind("\n", low, start))
    last = text.find("\n", end, high)
    lines = _within_lines(text[first : high if last < 0 else last])
    return _merged([*_moved(_key_blocks(text[low:high]), low), *_moved(lines, first)])


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text, in order, without overlaps."""
    return _merged([*_key_blocks(text), *_within_lines(text)])


def _within_lines(text: str) -> list[Secret]:
    urls = _urls(text)
    # What is assigned in a URL is a parameter, which ends at the next one.
    assigned = _outside(urls, list(_assigned(text)))
    return [*_known_shapes(text), *_in_urls(text, urls), *assigned]


def _urls(text: str) -> list[Span]:
    """As ``_URL.finditer(text)``, from what every URL has: few texts have many."""
    found: list[Span] = []
    at = 0
    while (sign := text.find("://", at)) >= 0:
        start = sign
        while start > max(at, sign - _MAX_SCHEME) and text[start - 1] in _SCHEME:
            start -= 1
        while start < sign and text[start] not in _LETTERS:
            start += 1
        url = _URL.match(text, start)
        at = sign + len("://") if url is None else url.end()
        if url is not None:
            found.append(Span(*url.span()))
    return found


def _moved(secrets: Iterable[Secret], by: int) -> Iterator[Secret]:
    return (it._replace(start=it.start + by, end=it.end + by) for it in secrets)


def _merged(found: list[Secret]) -> tuple[Secret, ...]:
    found.sort(key=lambda secret: (secret.start, -secret.end))
    merged: list[Secret] = []
    for secret in found:
        if merged and secret.start < merged[-1].end:
            if secret.end > merged[-1].end:
                merged[-1] = merged[-1]._replace(end=secret.end)
            continue
        merged.append(secret)
    return tuple(merged)


def _mask(kind: str) -> str:
    return f"[REDACTED:{kind}]"


def _outside(urls: list[Span], secrets: list[Secret]) -> Iterator[Secret]:
    spans = deque(urls)
    for secret in sorted(secrets):
        while spans and spans[0].end <= secret.start:
            spans.popleft()
        if not spans or secret.start < spans[0].start:
            yield secret


def _key_blocks(text: str) -> Iterator[Secret]:
    at = 0
    while (begin := _KEY_BLOCK.search(text, at)) is not None:
        limit = min(len(text), begin.end() + _MAX_KEY_BLOCK)
        end = _KEY_BLOCK_END.search(text, begin.end(), limit)
        if end is not None:
            at = end.end()
        else:
            lines = _KEY_LINES.match(text, begin.end(), limit)
            at = begin.end() if lines is None else lines.end()
        yield Secret(begin.start(), at, "private_key_block", _mask("private_key_block"))


def _known_shapes(text: str) -> Iterator[Secret]:
    for kind, marks, shape in _SHAPES:
        for mark in marks:  # without a generator for each: most texts have no mark at all
            if mark in text:
                break
        else:
            continue
        for match in shape.finditer(text):
            yield Secret(match.start(), match.end(), kind, _mask(kind))


def _assigned(text: str) -> Iterator[Secret]:
    folded = text.lower()
    matches = [_assignments(text, folded)]
    if any(mark in folded for mark in _AUTHORISATION_MARKS):
        matches.append(_AUTHORISATION.finditer(text))
    for match in itertools.chain(*matches):
        group = match.lastgroup or "bare"
        value = match.group(group)
        # A link is no password, whatever stands before it; its own secrets are seen to.
        if _PLACEHOLDER.fullmatch(value) or (group == "bare" and "://" in value):
            continue
        start, end = match.span(group)
        yield Secret(start, end, "secret_assignment", _mask("secret_assignment"))


def _assignments(text: str, folded: str) -> Iterator[re.Match[str]]:
    """As ``_ASSIGNMENT.finditer(text)``, in a twentieth of the time: every excerpt is searched."""
    if not text.isascii() and not _OTHER_LETTERS.isdisjoint(text):
        # Letters that are others in lower case without being so for the pattern, or the reverse.
        yield from _ASSIGNMENT.finditer(text)
        return
    if not _tells_of_a_value(folded):
        return
    at = 0
    while (name := _FOLDED_KEYWORD.search(folded, at)) is not None:
        match = _ASSIGNMENT.match(text, name.start())
        if match is None:
            at = name.start() + 1
        else:
            yield match
            at = match.end()


def _tells_of_a_value(folded: str) -> bool:
    """Whether a sign follows a telling word so closely that something may be assigned to it."""
    for word in _TELLING_WORDS:
        at = folded.find(word)
        while at >= 0:
            end = at + _SIGN_REACH
            if folded.find("=", at, end) >= 0 or folded.find(":", at, end) >= 0:
                return True
            at = folded.find(word, at + len(word))
    return False


def _in_urls(text: str, urls: list[Span]) -> Iterator[Secret]:
    for url in urls:
        user = _USER.match(text, text.index("://", url.start), url.end)
        if user is not None:
            yield Secret(*user.span(1), "url_credentials", _mask("url_credentials"))
        for section in _SECTION.finditer(text, url.start, url.end):
            yield from _parameters(text, Span(*section.span()))


def _parameters(text: str, section: Span) -> Iterator[Secret]:
    """The secret parameters behind one ``?`` or ``#``, each with a separator beside it."""
    parameters = list(_PARAMETER.finditer(text, section.start, section.end))
    secret = [_is_secret_parameter(*parameter.groups()) for parameter in parameters]
    if not any(secret):
        return
    if all(secret) and parameters[0].start() == section.start + 1:
        yield Secret(section.start, parameters[-1].end(), "url_parameter", "")
        return
    kept_before = parameters[0].start() != section.start + 1
    for parameter, is_secret in zip(parameters, secret, strict=True):
        start, end = parameter.span()
        if not is_secret:
            kept_before = True
        elif kept_before:
            yield Secret(start - 1, end, "url_parameter", "")
        else:
            yield Secret(start, min(end + 1, section.end), "url_parameter", "")


def _is_secret_parameter(name: str, value: str) -> bool:
    name = unquote(name)
    if name.lower() in _SECRET_PARAMETERS or _SECRET_NAME.search(name):
        return True
    return any(shape.search(value) for _, _, shape in _SHAPES)
