"""One asset twice in one list of refs."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import lint_stash, marked

TLS = "---\ndescription: Certificates\nupdated: 2024-01-01\n---\n# TLS\n"


@pytest.mark.parametrize(
    ("items", "repeated", "said"),
    [
        ("knowledge/tls, knowledge/tls", "knowledge/tls", "already in this xrefs list."),
        (
            "knowledge/tls, knowledge/tls.md",
            "knowledge/tls.md",
            "already in this xrefs list, as knowledge/tls.",
        ),
        (
            "team//knowledge/tls.md, knowledge/tls",
            "knowledge/tls",
            "already in this xrefs list, as team//knowledge/tls.md.",
        ),
        (
            "skills/tls, skills/tls/SKILL.md",
            "skills/tls/SKILL.md",
            "already in this xrefs list, as skills/tls.",
        ),
        ("knowledge/gone, knowledge//gone", "", ""),
        ("knowledge/tls, knowledge/tls#tls", "", ""),
        ("knowledge/tls, skills/tls", "", ""),
    ],
)
def test_a_second_mention_is_marked_however_it_is_spelled(
    tmp_path: Path, items: str, repeated: str, said: str
) -> None:
    page = f"---\ndescription: D\nxrefs: [{items}]\n---\n# Page\n"
    found = lint_stash(
        tmp_path,
        {
            "knowledge/page.md": page,
            "knowledge/tls.md": TLS,
            "skills/tls/SKILL.md": "---\nname: tls\ndescription: TLS\n---\n# TLS\n",
        },
        "duplicate-ref",
    ).get("knowledge/page.md", ())
    assert [(marked(page, finding), finding.message) for finding in found] == (
        [(repeated, f"{repeated} is {said}")] if repeated else []
    )
