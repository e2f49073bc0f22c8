"""Open documents that depend on another one without citing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from akm_ls.index.delta import Delta
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

REVIEW = "Reviews a change for faults before it is merged into main."
FILES = {
    "skills/a/SKILL.md": f"---\nname: a\ndescription: {REVIEW}\n---\n# A\n",
    "skills/b/SKILL.md": "---\nname: b\ndescription: Draws figures. Use for reports.\n---\n# B\n",
    "knowledge/old.md": "---\ndescription: How it was done\n---\n# Old\n",
    "knowledge/new.md": "---\ndescription: How it is done\n---\n# New\n",
    "knowledge/citer.md": "---\ndescription: Cites\nxrefs: [knowledge/old]\n---\n# Citer\n",
    "facts/conventions/domains.md": "# Domains\n\n- `auth`\n",
}
Opened = Callable[[str], str]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    for rel, text in FILES.items():
        path = tmp_path / "team" / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = Settings(bundle_dirs=(str(tmp_path / "team"),), data_dir=str(tmp_path / "data"))
    with Workspace.open(settings) as opened:
        opened.refresh()
        yield opened


def type_in(workspace: Workspace, rel: str, text: str | None = None) -> Delta:
    bundle = next(iter(workspace.bundles))
    return workspace.put(bundle.path_of(rel), FILES[rel] if text is None else text)


def affected(workspace: Workspace, delta: Delta, but: str) -> list[str]:
    """The other open documents that are checked again."""
    return [opened.rel for opened in workspace.affected(delta) if opened.rel != but]


def codes(workspace: Workspace, rel: str) -> list[str]:
    bundle = next(iter(workspace.bundles))
    return [finding.code for finding in workspace.findings(bundle.path_of(rel))]


def test_a_name_taken_in_one_file_is_news_for_the_other(workspace: Workspace) -> None:
    a, b = "skills/a/SKILL.md", "skills/b/SKILL.md"
    type_in(workspace, a)
    type_in(workspace, b)
    assert "duplicate-name" not in codes(workspace, a)
    delta = type_in(workspace, b, FILES[b].replace("name: b", "name: a"))
    assert affected(workspace, delta, b) == [a]
    assert "duplicate-name" in codes(workspace, a)
    delta = type_in(workspace, b)
    assert affected(workspace, delta, b) == [a]
    assert "duplicate-name" not in codes(workspace, a)


def test_a_description_that_is_copied_and_changed_again(workspace: Workspace) -> None:
    a, b = "skills/a/SKILL.md", "skills/b/SKILL.md"
    type_in(workspace, a)
    type_in(workspace, b)
    delta = type_in(workspace, b, FILES[b].replace("Draws figures. Use for reports.", REVIEW))
    assert affected(workspace, delta, b) == [a]
    assert "similar-description" in codes(workspace, a)
    delta = type_in(workspace, b, FILES[b].replace("Draws", "Paints"))
    assert affected(workspace, delta, b) == [a]
    assert "similar-description" not in codes(workspace, a)
    delta = type_in(workspace, b, FILES[b].replace("Draws", "Sketches"))
    assert affected(workspace, delta, b) == []


def test_an_asset_that_becomes_superseded(workspace: Workspace) -> None:
    type_in(workspace, "knowledge/citer.md")
    type_in(workspace, "knowledge/old.md")
    text = FILES["knowledge/old.md"].replace(
        "\n---\n", "\nbeliefState: superseded\nsupersededBy: knowledge/new\n---\n"
    )
    delta = type_in(workspace, "knowledge/old.md", text)
    assert affected(workspace, delta, "knowledge/old.md") == ["knowledge/citer.md"]
    assert "superseded-target" in codes(workspace, "knowledge/citer.md")
    text = FILES["knowledge/old.md"].replace("\n---\n", "\nstatus: deprecated\n---\n")
    delta = type_in(workspace, "knowledge/old.md", text)
    assert affected(workspace, delta, "knowledge/old.md") == ["knowledge/citer.md"]


def test_the_correction_that_begins_to_cite_what_it_corrects(workspace: Workspace) -> None:
    old = FILES["knowledge/old.md"].replace(
        "\n---\n", "\nbeliefState: superseded\nsupersededBy: [knowledge/new]\n---\n"
    )
    type_in(workspace, "knowledge/old.md", old)
    type_in(workspace, "knowledge/new.md")
    assert "correction-pairing" in codes(workspace, "knowledge/old.md")
    cites = FILES["knowledge/new.md"].replace("\n---\n", "\nxrefs: [knowledge/old]\n---\n")
    delta = type_in(workspace, "knowledge/new.md", cites)
    assert affected(workspace, delta, "knowledge/new.md") == ["knowledge/old.md"]
    assert "correction-pairing" not in codes(workspace, "knowledge/old.md")


def test_the_vocabulary_is_news_for_every_file_of_the_bundle(workspace: Workspace) -> None:
    domains = "facts/conventions/domains.md"
    type_in(workspace, "knowledge/new.md")
    type_in(workspace, domains)
    delta = type_in(workspace, domains, FILES[domains] + "- `shop`\n")
    assert affected(workspace, delta, domains) == ["knowledge/new.md"]


def test_typing_in_a_text_is_news_for_nobody(workspace: Workspace) -> None:
    type_in(workspace, "skills/a/SKILL.md")
    type_in(workspace, "skills/b/SKILL.md")
    delta = type_in(workspace, "skills/b/SKILL.md", FILES["skills/b/SKILL.md"] + "More text.\n")
    assert delta.is_empty
    assert affected(workspace, delta, "") == []
