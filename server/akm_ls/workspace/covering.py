"""The last look at an answer for agents: no key leaves, whatever part of the answer it stands in.

Most of an answer is covered where it is made. This goes through all of it: names and refs, tags,
messages, and slugs, in which a key has lost its capitals and underscores but can still be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from akm_ls.documents.redaction import Secret, find_secrets, redact, redact_span

_SHORTEST = 14
"""Characters: ``token=`` and the shortest value that counts as one."""
_NAMES = frozenset(
    {"ref", "refs", "bundle", "conceptId", "path", "uri", "contentHash", "action", "hits"}
    | {"supersededBy", "origin", "alsoIn", "at", "citation", "file"}
)
"""What a client goes on with: covered only for what cannot be a name (``sk-2024-plans-of-all``)."""
_STAND_IN = re.compile(r"\[REDACTED:\w+\]")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_SLUG_MARKS = ("-", "akia", "asia", "aroa", "aida", "aiza", "eyj")
_IN_SLUG = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?P<anthropic_api_key>sk-ant-[a-z0-9-]{16,400})"
    r"|(?P<openai_api_key>sk-[a-z0-9-]{20,400})"
    r"|(?P<context7_api_key>ctx7sk-[a-z0-9-]{12,400})"
    r"|(?P<aws_access_key_id>(?:akia|asia|aroa|aida)[a-z0-9]{16}(?![A-Za-z0-9]))"
    r"|(?P<github_pat>github-pat-[a-z0-9-]{20,400})"
    r"|(?P<github_token>gh[pousr]-[a-z0-9]{20,400})"
    r"|(?P<gitlab_token>glpat-[a-z0-9-]{20,400})"
    r"|(?P<npm_token>npm-[a-z0-9]{20,400})"
    r"|(?P<xai_api_key>xai-[a-z0-9-]{20,400})"
    r"|(?P<google_api_key>aiza[a-z0-9-]{30,400})"
    r"|(?P<slack_token>xox[abprs]-[a-z0-9-]{10,400})"
    r"|(?P<stripe_key>[rs]k-(?:live|test)-[a-z0-9]{16,400})"
    r"|(?P<jwt>eyj[a-z0-9-]{26,4000})"
    r")"
)


def cover(value: Any, key: str = "") -> Any:
    """``value`` with ``[REDACTED:kind]`` for every key in its texts, at any depth.

    A fragment whose heading or slug holds a key is left out: nobody can ask for it as it is.

    Args:
        value: JSON, as an answer is made of; it is not changed.
        key: the name under which it stands in the answer.
    """
    if isinstance(value, str):
        return (
            _cover_tag(value)
            if key in ("tags", "name")
            else cover_text(value, is_name=key in _NAMES)
        )
    if isinstance(value, Mapping):
        return {name: cover(item, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        if key == "fragments":
            value = [item for item in value if not _is_named_by_key(item)]
        return [cover(item, key) for item in value]
    return value


def cover_text(text: str, *, is_name: bool = False) -> str:
    """``text`` without keys; a name, such as a ref, keeps what only begins like one."""
    if len(text) < _SHORTEST:
        return text
    # What is covered already is no value and no name of one.
    masked = _STAND_IN.sub(lambda match: "*" * len(match.group()), text)
    secrets = find_secrets(masked)
    if is_name:
        secrets = tuple(secret for secret in secrets if _is_random(secret, text))
    if secrets:
        text = redact_span(text, 0, len(text), secrets).text
    found = tuple(_in_slugs(text))
    return redact_span(text, 0, len(text), found).text if found else text


def _cover_tag(tag: str) -> str:
    """A tag is shown as akm reads it: in lower case, with blanks for what joins its words."""
    joined = cover_text(tag.replace(" ", "-"))
    return joined if "[REDACTED:" in joined else tag


def _is_named_by_key(fragment: Any) -> bool:
    if not isinstance(fragment, Mapping):
        return False
    slug, title = str(fragment.get("slug") or ""), str(fragment.get("title") or "")
    covered = "[REDACTED:" in title or redact(title).count > 0
    return covered or cover_text(slug) != slug


def _in_slugs(text: str) -> Iterator[Secret]:
    if not any(mark in text for mark in _SLUG_MARKS):
        return
    for match in _IN_SLUG.finditer(text):
        kind = match.lastgroup or "key"
        secret = Secret(*match.span(), kind, f"[REDACTED:{kind}]")
        if _is_random(secret, text):
            yield secret


def _is_random(secret: Secret, text: str) -> bool:
    """Whether a long run of letters has digits among them: words joined by hyphens have none."""
    runs = _RUN.findall(text, secret.start, secret.end)
    return any(char.isdigit() for run in runs for char in run)
