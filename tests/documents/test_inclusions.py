"""Paths behind ``@``."""

from __future__ import annotations

from akm_ls.documents.document import parse


def test_paths_with_an_ending_are_inclusions() -> None:
    text = "@CLAUDE.md, @docs/a.md and (@./b/c.py); not me@example.com, @clerk/nextjs, `@x/y.md`\n"
    document = parse(text)
    assert [span.of(text) for span in document.inclusions] == ["CLAUDE.md", "docs/a.md", "./b/c.py"]
