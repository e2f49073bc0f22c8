"""Searching with less than there could be: each step down is an answer that says why."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.search import SearchRequest
from akm_ls.search.commands import FindRequest
from akm_ls.search.context_pack import PackRequest, build_pack
from akm_ls.workspace import Settings, Workspace
from embedders.model_folder import write_model

FILES = {
    "knowledge/shipping.md": "---\ndescription: How to ship\n---\n# Shipping\n\nEvery Friday.\n",
    "knowledge/cooking.md": "---\ndescription: How to bake a cake\n---\n# Cooking\n",
    "memories/draft.md": "---\ndescription: ship it\nquality: proposed\n---\n",
    "commands/harbour.md": "---\ndescription: Where boats stay\n---\n",
    "secrets/key": "MARKER-7f3a\n",
}
LOST = "SQLite was built without full-text search (FTS5)"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    root = tmp_path / "team"
    for rel, text in FILES.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / ".stash").mkdir()
    model = str(write_model(tmp_path / "model"))
    return Settings(
        bundle_dirs=(str(root),),
        data_dir=str(tmp_path / "data"),
        embedding=EmbeddingSettings(local_model=model),
    )


@contextlib.contextmanager
def sqlite_without_fts5() -> Iterator[None]:
    def strip(connection: apsw.Connection) -> None:
        connection.drop_modules(["json_each", "json_tree"])
        connection.create_scalar_function("fts5_source_id", None, 0)

    apsw.connection_hooks.append(strip)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(strip)


def ask(workspace: Workspace, query: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = workspace.search(SearchRequest(query, **more)).to_json()
    return answer


def names(answer: dict[str, Any]) -> list[str]:
    return [hit["name"] for hit in answer["hits"]]


def test_each_step_down_answers_and_says_why(settings: Settings) -> None:
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        workspace.embed()
        best = ask(workspace, "release", mode="hybrid")
        assert (best["mode"], best["degraded"], names(best)) == ("hybrid", [], ["shipping"])
        gone = replace(settings.embedding, local_model="/no/such/model")
        workspace.settings = replace(settings, embedding=gone)
        words = ask(workspace, "ship friday", mode="hybrid")
        assert (words["mode"], names(words)) == ("lexical", ["shipping"])
        [step] = words["degraded"]
        assert step["lane"] == "semantic"
        assert "/no/such/model is neither a directory nor wordllama" in step["reason"]
        assert words["semantic"]["status"] == "blocked"
        assert words["semantic"]["reason"] == step["reason"]


def test_without_fts5_names_and_descriptions_are_compared(settings: Settings) -> None:
    with sqlite_without_fts5(), Workspace.open(settings) as workspace:
        assert workspace.refresh().entries == 5
        assert workspace.embed().readiness.status == "ready"
        for mode in ("auto", "lexical", "hybrid", "semantic"):
            for plan in ("default", "akm"):
                answer = ask(workspace, "ship", mode=mode, plan=plan)
                assert (answer["mode"], names(answer)) == ("overlap", ["shipping"])
                assert {"lane": "lexical", "reason": LOST} in answer["degraded"]
                assert any(LOST in warning for warning in answer["warnings"])
        assert names(ask(workspace, "knowledge/")) == ["cooking", "shipping"]
        assert ask(workspace, "elephants")["hits"] == []
        assert workspace.status()["index"]["state"] == "ready"
        assert workspace.show("knowledge/shipping").entry.title == "Shipping"
        assert workspace.commands.find(workspace.library(), FindRequest("boats")).hits
        pack = build_pack(workspace.library(), PackRequest(query="ship"), workspace.search)
        assert "shipping" in str(pack.to_json())


def test_without_fts5_the_index_follows_the_files(settings: Settings) -> None:
    root = Path(settings.bundle_dirs[0])
    with sqlite_without_fts5(), Workspace.open(settings) as workspace:
        workspace.refresh()
        (root / "knowledge/sailing.md").write_text("---\ndescription: Sailing ships\n---\n")
        (root / "knowledge/cooking.md").unlink()
        workspace.refresh()
        assert names(ask(workspace, "sailing")) == ["sailing"]
        assert names(ask(workspace, "cake")) == []
        assert workspace.refresh(full=True).warnings == ()


def test_with_fts5_again_everything_is_found_and_no_vector_was_lost(settings: Settings) -> None:
    root = Path(settings.bundle_dirs[0])
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        workspace.embed()
    with sqlite_without_fts5(), Workspace.open(settings) as workspace:
        (root / "knowledge/shipping.md").write_text("# Shipping\n\nOn every other Monday.\n")
        workspace.refresh()
    with Workspace.open(settings) as workspace:
        assert workspace.refresh().warnings == ()
        found = ask(workspace, "monday", mode="lexical")
        assert (found["mode"], names(found)) == ("lexical", ["shipping"])
        assert names(ask(workspace, "friday", mode="lexical")) == []
        assert names(ask(workspace, "cake", mode="lexical")) == ["cooking"]
        report = workspace.embed().report
        assert report is not None
        assert report.pending == 1, "the changed one"
