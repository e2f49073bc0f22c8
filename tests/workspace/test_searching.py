"""What the searches of a workspace share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.vectors import Vectors
from akm_ls.search import SearchRequest
from akm_ls.workspace import Settings, Workspace, read_settings, searching
from embedders.model_folder import write_model


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    root = tmp_path / "team"
    for name, text in (("shipping", "ship"), ("cooking", "bake a cake")):
        path = root / "knowledge" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ndescription: How to {text}\n---\n", encoding="utf-8")
    model = str(write_model(tmp_path / "model"))
    return Settings(
        bundle_dirs=(str(root),),
        data_dir=str(tmp_path / "data"),
        embedding=EmbeddingSettings(local_model=model),
    )


def test_the_meaning_counts_from_the_moment_there_are_vectors(settings: Settings) -> None:
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        before = workspace.search(SearchRequest("deploy")).to_json()
        assert (before["mode"], before["hits"], before["semantic"]["status"]) == (
            "lexical",
            [],
            "pending",
        )
        workspace.embed()
        after = workspace.search(SearchRequest("deploy")).to_json()
        assert (after["mode"], after["semantic"]["status"]) == ("hybrid", "ready")
        assert [hit["name"] for hit in after["hits"]] == ["shipping"]


def test_switching_it_off_needs_no_restart(settings: Settings) -> None:
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        workspace.embed()
        workspace.settings = replace(settings, embedding=EmbeddingSettings(mode="off"))
        answer = workspace.search(SearchRequest("ship")).to_json()
        assert (answer["mode"], answer["semantic"]["status"]) == ("lexical", "off")
        workspace.settings = settings
        assert workspace.search(SearchRequest("ship")).mode == "hybrid"


def test_plan_and_fusion_are_settings_that_a_request_overrides(tmp_path: Path) -> None:
    section = {"search": {"plan": "akm", "fusion": "rrf"}}
    settings, problems = read_settings(section, Settings(data_dir=str(tmp_path)))
    assert problems == ()
    defaults = Workspace(settings).search_defaults
    assert (defaults.plan, defaults.fusion) == ("akm", "rrf")
    request = SearchRequest.from_params({"query": "x", "plan": "default"}, defaults)
    assert (request.plan, request.fusion) == ("default", "rrf")
    assert SearchRequest.from_params({"lexical": "default"}, defaults).plan == "default"


def test_an_unknown_plan_is_named(tmp_path: Path) -> None:
    settings, (problem,) = read_settings({"search": {"plan": "best"}})
    assert settings.search_plan == "default"
    assert 'akm.search.plan: "best" is not one of default, akm' in problem.message


def test_the_project_of_the_opened_folder_comes_first(tmp_path: Path) -> None:
    folder = tmp_path / "web-shop"
    folder.mkdir()
    settings = Settings(folders=(str(folder),), data_dir=str(tmp_path / "data"))
    assert Workspace(settings).search_defaults.project == ("web", "shop")


def test_what_the_first_search_needs_may_be_loaded_before_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.open(settings) as workspace:
        workspace.prepare_search()  # nothing is there yet
        workspace.refresh()
        workspace.embed()
        workspace.prepare_search()

        def too_late(*_: object) -> None:
            raise AssertionError("loaded again")

        monkeypatch.setattr(Vectors, "_load", too_late)
        monkeypatch.setattr(searching, "embedder_for", too_late)
        assert workspace.search(SearchRequest("deploy")).mode == "hybrid"
