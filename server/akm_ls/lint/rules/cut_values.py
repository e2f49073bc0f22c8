"""Texts that YAML cuts off at a ``#``: ``description: Closes issue #12 and tells the author``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from akm_ls.documents.nodes import Mapping, Scalar
from akm_ls.documents.text import Span
from akm_ls.documents.yaml_mends import quoted
from akm_ls.lint.finding import Finding, Fix, TextEdit

_SENTENCES = frozenset(
    ("description", "argument-hint", "when_to_use", "title", "summary", "usage", "compatibility")
)
"""Keys whose values are words for a reader, which a comment seldom follows."""
_REST = re.compile(r"[ \t]+(?P<rest>#[^\s][^\r\n]*)")
"""A comment that somebody meant as one has a blank behind its ``#``."""


def cut_values(text: str, root: Mapping) -> Iterator[Finding]:
    """A finding for each text of ``root``, which parses, that goes on behind a ``#``."""
    for pair in root.pairs:
        value = pair.value
        if pair.key.text not in _SENTENCES or not isinstance(value, Scalar) or value.style:
            continue
        found = _REST.match(text, value.span.end)
        if found is None or not value.text:
            continue
        whole = Span(value.span.start, found.start() + len(found.group().rstrip()))
        yield Finding(
            code="invalid-frontmatter",
            severity="warning",
            message=(
                f"`#` behind a blank starts a comment in YAML, so `{pair.key.text}` ends with "
                f'"{value.text.split()[-1]}". Put the whole value in quotes.'
            ),
            span=Span(found.start("rest"), whole.end),
            data={"kind": "comment", "key": pair.key.text},
            fixes=(
                Fix(
                    f"Quote the value of `{pair.key.text}`",
                    (TextEdit(whole, quoted(whole.of(text))),),
                ),
            ),
        )
