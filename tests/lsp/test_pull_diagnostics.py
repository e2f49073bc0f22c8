"""Diagnostics for a client that asks for them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest
from editor import ADVICE, Editor, plain
from lsprotocol import types as lsp

DRAFT = "team/knowledge/draft.md"
OTHER = "team/knowledge/other.md"
Adjust = Callable[[lsp.ClientCapabilities], None]


def pulls(*, refresh: bool = True, related: bool = False) -> Adjust:
    def adjust(capabilities: lsp.ClientCapabilities) -> None:
        assert capabilities.text_document and capabilities.workspace
        capabilities.text_document.diagnostic = lsp.DiagnosticClientCapabilities(
            related_document_support=related
        )
        capabilities.workspace.diagnostics = lsp.DiagnosticWorkspaceClientCapabilities(
            refresh_support=refresh
        )

    return adjust


async def pull(editor: Editor, name: str, previous: str | None = None) -> Any:
    return await editor.client.text_document_diagnostic_async(
        lsp.DocumentDiagnosticParams(
            lsp.TextDocumentIdentifier(editor.uri(name)), previous_result_id=previous
        )
    )


def codes(report: Any) -> list[str]:
    """The codes of a full report, advice left out."""
    assert report.kind == "full"
    return [str(item.code) for item in report.items if item.code not in ADVICE]


async def test_who_asks_is_not_sent_any(editor: Editor) -> None:
    result = await editor.start(adjust=pulls())
    provider = result.capabilities.diagnostic_provider
    assert isinstance(provider, lsp.DiagnosticOptions)
    assert provider.inter_file_dependencies and provider.workspace_diagnostics
    editor.open(DRAFT, "See team//knowledge/gone.\n")
    assert codes(await pull(editor, DRAFT)) == ["missing-ref"]
    editor.change(DRAFT, "See team//knowledge/gone and team//knowledge/away.\n")
    assert codes(await pull(editor, DRAFT)) == ["missing-ref", "missing-ref"]
    await asyncio.sleep(0.5)  # longer than a pushing server waits
    assert editor.published == []


async def test_what_did_not_change_is_not_sent_again(editor: Editor) -> None:
    await editor.start(adjust=pulls())
    editor.open(DRAFT, "# D\n\nSee team//knowledge/gone.\n")
    first = await pull(editor, DRAFT)
    again = await pull(editor, DRAFT, first.result_id)
    assert (again.kind, again.result_id) == ("unchanged", first.result_id)
    # An edit behind the finding changes nothing about it.
    editor.change(DRAFT, "# D\n\nSee team//knowledge/gone. More.\n")
    again = await pull(editor, DRAFT, first.result_id)
    assert again.kind == "unchanged"
    editor.change(DRAFT, "# D\n\n\nSee team//knowledge/gone. More.\n")
    moved = await pull(editor, DRAFT, first.result_id)
    assert codes(moved) == ["missing-ref"]
    assert moved.result_id != first.result_id
    assert (await pull(editor, DRAFT, "of another server")).kind == "full"


async def test_a_change_elsewhere_is_told_and_asked_for(editor: Editor) -> None:
    await editor.start(adjust=pulls())
    editor.open(DRAFT, "See team//knowledge/later and team//knowledge/auth/tls#new-part.\n")
    first = await pull(editor, DRAFT)
    assert codes(first) == ["missing-ref", "dead-anchor"]
    before = editor.client.diagnostic_refresh_count
    editor.write("team/knowledge/later.md", "# Later\n")
    editor.outside_change(("team/knowledge/later.md", lsp.FileChangeType.Created))
    await editor.until(
        lambda: editor.client.diagnostic_refresh_count > before, "after a file appeared"
    )
    second = await pull(editor, DRAFT, first.result_id)
    assert codes(second) == ["dead-anchor"]
    before = editor.client.diagnostic_refresh_count
    editor.open("team/knowledge/auth/tls.md", "# TLS\n\n## New part\n")
    await editor.until(
        lambda: editor.client.diagnostic_refresh_count > before, "after a buffer brought a heading"
    )
    assert codes(await pull(editor, DRAFT, second.result_id)) == []


async def test_an_answer_brings_along_what_an_edit_made_wrong(editor: Editor) -> None:
    await editor.start(adjust=pulls(related=True))
    editor.open(OTHER, "# Other\n\n## Part\n")
    editor.open(DRAFT, "See team//knowledge/other#part.\n")
    assert codes(await pull(editor, DRAFT)) == []
    await pull(editor, OTHER)
    editor.change(OTHER, "# Other\n\n## Piece\n")
    report = await pull(editor, OTHER)
    related = report.related_documents
    assert related is not None and list(related) == [editor.uri(DRAFT)]
    assert codes(related[editor.uri(DRAFT)]) == ["dead-anchor"]
    again = await pull(editor, DRAFT, related[editor.uri(DRAFT)].result_id)
    assert again.kind == "unchanged"


async def test_a_linked_file_that_comes_or_goes_is_noticed(editor: Editor) -> None:
    await editor.start(adjust=pulls())
    editor.open(
        "team/skills/release/SKILL.md",
        "---\nname: release\ndescription: Use it when you release.\n---\n[x](scripts/run.sh)\n",
    )
    first = await pull(editor, "team/skills/release/SKILL.md")
    assert codes(first) == ["dead-link"]
    before = editor.client.diagnostic_refresh_count
    editor.write("team/skills/release/scripts/run.sh", "true\n")
    editor.outside_change(("team/skills/release/scripts/run.sh", lsp.FileChangeType.Created))
    await editor.until(
        lambda: editor.client.diagnostic_refresh_count > before, "after the file was written"
    )
    assert codes(await pull(editor, "team/skills/release/SKILL.md", first.result_id)) == []


async def test_tags_are_told_to_who_knows_them(editor: Editor) -> None:
    def adjust(capabilities: lsp.ClientCapabilities) -> None:
        pulls()(capabilities)
        assert capabilities.text_document and capabilities.text_document.diagnostic
        capabilities.text_document.diagnostic.tag_support = lsp.ClientDiagnosticsTagOptions(
            [lsp.DiagnosticTag.Unnecessary]
        )

    await editor.start(adjust=adjust)
    editor.open(DRAFT, "---\nxrefs: [knowledge/old, memories/note, memories/note]\n---\n# D\n")
    report = await pull(editor, DRAFT)
    tags = {tag for item in report.items for tag in item.tags or ()}
    assert tags <= {lsp.DiagnosticTag.Unnecessary}


# Everything there is.


async def pull_all(
    editor: Editor, previous: dict[str, str] | None = None, token: str | None = None
) -> list[Any]:
    ids = [lsp.PreviousResultId(uri, value) for uri, value in (previous or {}).items()]
    report = await editor.client.workspace_diagnostic_async(
        lsp.WorkspaceDiagnosticParams(ids, partial_result_token=token)
    )
    return list(report.items)


def receive_parts(editor: Editor) -> list[list[Any]]:
    """The partial results, as they come."""
    parts: list[list[Any]] = []

    def take(params: Any) -> None:
        parts.append(plain(params.value)["items"])

    # pytest-lsp knows the progress of work only.
    editor.client.protocol.fm.features[lsp.PROGRESS] = take
    return parts


def by_name(editor: Editor, items: list[Any]) -> dict[str, list[str]]:
    return {editor.name(item.uri): codes(item) for item in items if item.kind == "full"}


async def test_every_file_is_reported_open_ones_as_they_stand(editor: Editor) -> None:
    editor.write("team/knowledge/broken.md", "See team//knowledge/gone.\n")
    editor.write("team/knowledge/mended.md", "See team//knowledge/gone.\n")
    await editor.start(["team", "other"], adjust=pulls())
    editor.open("team/knowledge/mended.md", "# All is well\n")
    items = await pull_all(editor)
    found = by_name(editor, items)
    assert found["team/knowledge/broken.md"] == ["missing-ref"]
    assert found["team/knowledge/mended.md"] == []
    versions = {editor.name(item.uri): item.version for item in items}
    assert versions["team/knowledge/mended.md"] == 1
    assert versions["team/knowledge/broken.md"] is None
    ids = {item.uri: item.result_id for item in items}
    again = await pull_all(editor, ids)
    assert {item.kind for item in again} == {"unchanged"}
    assert {item.uri for item in again} == set(ids)


async def test_only_what_changed_is_linted_and_told_again(editor: Editor) -> None:
    editor.write("team/knowledge/one.md", "See team//knowledge/later.\n")
    editor.write("team/knowledge/two.md", "See team//knowledge/gone.\n")
    await editor.start(adjust=pulls())
    items = await pull_all(editor)
    ids = {item.uri: item.result_id for item in items}
    editor.write("team/knowledge/later.md", "See team//knowledge/gone.\n")
    editor.outside_change(("team/knowledge/later.md", lsp.FileChangeType.Created))
    await editor.until(lambda: len(editor.indexed) > 1)
    again = await pull_all(editor, ids)
    assert by_name(editor, again) == {
        "team/knowledge/later.md": ["missing-ref"],
        "team/knowledge/one.md": [],
    }
    ids |= {item.uri: item.result_id for item in again}
    os.unlink(editor.root / "team/knowledge/later.md")
    editor.outside_change(("team/knowledge/later.md", lsp.FileChangeType.Deleted))
    await editor.until(lambda: len(editor.indexed) > 2)
    assert by_name(editor, await pull_all(editor, ids)) == {
        "team/knowledge/later.md": [],
        "team/knowledge/one.md": ["missing-ref"],
    }


async def test_a_client_that_takes_parts_gets_parts(editor: Editor) -> None:
    for number in range(250):
        editor.write(f"team/knowledge/many/n{number}.md", "See team//knowledge/gone.\n")
    await editor.start(adjust=pulls())
    parts = receive_parts(editor)
    assert await pull_all(editor, token="parts") == []
    uris = [item["uri"] for part in parts for item in part]
    assert len(uris) >= 250 and len(uris) == len(set(uris))
    assert 1 < len(parts) < len(uris)


async def test_a_client_that_knows_everything_waits_for_news(editor: Editor) -> None:
    editor.write("team/knowledge/one.md", "See team//knowledge/gone.\n")
    await editor.start(adjust=pulls())
    ids = {item.uri: item.result_id for item in await pull_all(editor)}
    parts = receive_parts(editor)
    waiting = asyncio.ensure_future(pull_all(editor, ids, token="news"))
    # The next answer comes after the request above has been taken in.
    await pull(editor, "team/knowledge/one.md")
    assert not waiting.done()
    editor.write("team/knowledge/two.md", "See team//knowledge/gone.\n")
    editor.outside_change(("team/knowledge/two.md", lsp.FileChangeType.Created))
    assert await waiting == []
    (part,) = parts
    assert [editor.name(item["uri"]) for item in part] == ["team/knowledge/two.md"]


async def test_files_that_are_not_open_can_be_left_out(editor: Editor) -> None:
    editor.write("team/knowledge/broken.md", "See team//knowledge/gone.\n")
    await editor.start(adjust=pulls(), options={"diagnostics": {"workspace": False}})
    assert await pull_all(editor) == []
    assert codes(await pull(editor, "team/knowledge/broken.md")) == ["missing-ref"]


CLOSED = [
    ("team/knowledge/broken.md", ["missing-ref"]),
    ("team/knowledge/auth/tls.md", []),
    ("team/secrets/deploy-key", []),
    ("team/knowledge/nowhere.md", []),
    ("nowhere/at/all.md", []),
]


@pytest.mark.parametrize("refresh", [True, False])
async def test_a_file_that_is_not_open_is_read_from_disk(editor: Editor, refresh: bool) -> None:
    editor.write("team/knowledge/broken.md", "See team//knowledge/gone.\n")
    await editor.start(adjust=pulls(refresh=refresh))
    for name, expected in CLOSED:
        report = await pull(editor, name)
        assert codes(report) == expected, name
        if report.result_id is not None:
            assert (await pull(editor, name, report.result_id)).kind == "unchanged"
