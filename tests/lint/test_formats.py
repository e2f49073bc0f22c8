"""Rules of single bundle formats: OKF and LLM wikis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from stash import lint_stash, marked

from akm_ls.lint.fixes import apply_edits

OKF = {"index.md": "# Tables\n", "tables/orders.md": "---\ntype: Table\n---\n# Orders\n"}
WIKI = {
    "schema.md": "# Schema\n",
    "raw/minutes.md": "Minutes.\n",
    "raw/unused.md": "Nobody read this.\n",
    "pages/team.md": "---\ndescription: The team\nsources: [raw/minutes]\n---\n# Team\n",
}


def told(tmp_path: Path, files: Mapping[str, str], rel: str, code: str) -> list[str]:
    """The texts under which findings of one file stand."""
    found = lint_stash(tmp_path, files, code)
    return [marked(files[rel], finding) for finding in found.get(rel, ())]


def test_an_okf_document_without_a_type(tmp_path: Path) -> None:
    text = "---\r\ntitle: Users\r\n---\r\n# Users\r\n"
    files = OKF | {"tables/users.md": text, "log.md": "# Log\n", "plain.md": "Plain.\n"}
    found = lint_stash(tmp_path, files, "missing-type")
    assert list(found) == ["plain.md", "tables/users.md"]
    (finding,) = found["tables/users.md"]
    assert (finding.severity, finding.fixable) == ("information", False)
    assert apply_edits(text, finding.fixes[0].edits) == (
        "---\r\ntype: knowledge\r\ntitle: Users\r\n---\r\n# Users\r\n"
    )


def test_okf_pages_link_by_path(tmp_path: Path) -> None:
    text = (
        "---\ntype: Table\n---\n[o](orders.md) [i](/index.md#x) [a](gone.md) [b](/no/such.md#y)\n"
        "[c][r] ![image](image.md) `[code](code.md)` [w](https://example.com/w.md) [d](data.csv)\n"
        "\n[r]: ./gone-too.md\n\n```\n[fence](fence.md)\n```\n"
    )
    files = OKF | {"tables/users.md": text}
    assert told(tmp_path, files, "tables/users.md", "missing-ref") == [
        "gone.md",
        "/no/such.md#y",
        "./gone-too.md",
    ]


def test_a_wiki_page_has_a_description(tmp_path: Path) -> None:
    files = WIKI | {"pages/a.md": "---\npageKind: note\n---\n", "pages/b.md": "Plain.\n"}
    found = lint_stash(tmp_path, files, "missing-description")
    assert list(found) == ["pages/a.md", "pages/b.md"]
    assert {finding.severity for (finding,) in found.values()} == {"warning"}


def test_a_wiki_page_refers_to_pages(tmp_path: Path) -> None:
    text = (
        "---\ndescription: d\nxrefs:\n  - wiki:team/pages/gone\n  - wiki:team/pages/team\n"
        "  - wiki:elsewhere/pages/x\n  - pages/gone-too\n  - pages/team\n---\n"
        "[t](team.md) [r](../raw/minutes.md) [x](../raw/no.md) [y](/pages/no.md)\n`[z](z.md)`\n"
    )
    files = WIKI | {"pages/a.md": text}
    assert told(tmp_path, files, "pages/a.md", "broken-xref") == [
        "wiki:team/pages/gone",
        "pages/gone-too",
        "../raw/no.md",
        "/pages/no.md",
    ]


def test_a_wiki_page_names_sources_that_are_there(tmp_path: Path) -> None:
    text = (
        "---\ndescription: d\nsources: [raw/gone, raw/gone-too.md, raw/minutes.md, "
        "https://example.com, raw/a/b]\n---\n"
    )
    files = WIKI | {"pages/a.md": text}
    assert told(tmp_path, files, "pages/a.md", "broken-source") == ["raw/gone", "raw/gone-too.md"]


def test_a_raw_source_wants_to_be_cited(tmp_path: Path) -> None:
    found = lint_stash(tmp_path, WIKI, "uncited-raw")
    assert list(found) == ["raw/unused.md"]
    linked = {"pages/b.md": "---\ndescription: d\n---\n[u](../raw/unused.md)\n"}
    assert list(lint_stash(tmp_path, WIKI | linked, "uncited-raw")) == ["raw/unused.md"]
    cited = {"pages/b.md": "---\ndescription: d\nsources: raw/unused.md\n---\n"}
    assert not lint_stash(tmp_path, WIKI | cited, "uncited-raw")


@pytest.mark.parametrize("code", ["missing-type", "missing-description", "broken-xref"])
def test_other_formats_are_left_alone(tmp_path: Path, code: str) -> None:
    files = {"knowledge/a.md": "[gone](gone.md)\n", "memories/b.md": "# B\n"}
    assert not lint_stash(tmp_path, files, code)
