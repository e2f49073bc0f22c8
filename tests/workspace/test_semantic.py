"""Which model a workspace uses, and what is said of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.workspace import Settings, Workspace, read_settings
from akm_ls.workspace.semantic import embedding_settings
from embedders.endpoint import Answer, Endpoint
from embedders.model_folder import write_model


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A bundle with two pages, and an index of its own."""
    root = tmp_path / "team"
    for name in ("one", "two"):
        path = root / "knowledge" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ndescription: Page {name}\n---\n", encoding="utf-8")
    return Settings(bundle_dirs=(str(root),), data_dir=str(tmp_path / "data"))


def with_model(settings: Settings, **embedding: Any) -> Settings:
    return replace(settings, embedding=EmbeddingSettings(**embedding))


def status(settings: Settings) -> dict[str, Any]:
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        semantic: dict[str, Any] = workspace.status()["semantic"]
        return semantic


# Settings of a client.


def test_every_setting_is_read() -> None:
    section = {
        "semantic": {"mode": "off"},
        "embedding": {
            "provider": "ollama",
            "endpoint": "http://localhost:11434",
            "model": "bge-m3",
            "dimension": 1024,
            "apiKey": "k",
            "apiKeyEnv": "MY_KEY",
            "localModel": "wordllama",
            "maxInputTokens": 256,
            "maxTokens": 3000,
            "batchSize": 20,
            "timeoutMs": 60000,
            "concurrency": 4,
            "contextLength": 2048,
        },
    }
    found, problems = read_settings(section)
    assert problems == ()
    assert found.embedding == EmbeddingSettings(
        mode="off",
        provider="ollama",
        endpoint="http://localhost:11434",
        model="bge-m3",
        dimension=1024,
        local_model="wordllama",
        api_key="k",
        api_key_env="MY_KEY",
        max_input_tokens=256,
        max_tokens=3000,
        batch_size=20,
        timeout_ms=60_000,
        concurrency=4,
        context_length=2048,
    )


def test_without_settings_there_is_no_model() -> None:
    assert read_settings({})[0].embedding == EmbeddingSettings()
    assert EmbeddingSettings().kind is None


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("provider", "cohere", "one of auto, openai, ollama, local"),
        ("endpoint", 3, "text on one line"),
        ("model", "a\nb", "text on one line"),
        ("dimension", 0, "a whole number from 1 to 65536"),
        ("dimension", True, "a whole number from 1 to 65536"),
        ("concurrency", 17, "a whole number from 1 to 16"),
        ("concurrency", 0, "a whole number from 1 to 16"),
        ("timeoutMs", "120s", "a whole number"),
        ("maxTokens", 1.5, "a whole number"),
        ("localModel", ["x"], "text on one line"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_and_the_default_stays(
    key: str, value: object, wanted: str
) -> None:
    found, problems = read_settings({"embedding": {key: value}})
    assert found.embedding == EmbeddingSettings()
    (problem,) = problems
    assert problem.key == f"akm.embedding.{key}"
    assert wanted in problem.message


def test_a_key_of_the_wrong_kind_is_told_without_it() -> None:
    found, problems = read_settings({"embedding": {"apiKey": ["sk-marker"]}})
    assert found.embedding.api_key == ""
    assert "sk-marker" not in repr(problems)
    assert "akm.embedding.apiKey" in problems[0].message


def test_a_key_is_not_in_what_settings_look_like() -> None:
    found, _ = read_settings({"embedding": {"apiKey": "sk-marker"}})
    assert found.embedding.api_key == "sk-marker"
    assert "sk-marker" not in repr(found)


def test_the_folder_of_a_model_is_relative_to_where_paths_start(tmp_path: Path) -> None:
    section = {"embedding": {"localModel": "models/tiny"}}
    found, _ = read_settings(section, relative_to=str(tmp_path))
    assert found.embedding.local_model == str(tmp_path / "models" / "tiny")


# akm's configuration.


def configured(tmp_path: Path, **data: Any) -> EmbeddingSettings:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return embedding_settings(Settings(config=str(path)))


REMOTE = {"endpoint": "http://localhost:8080/v1/embeddings", "model": "m", "dimension": 384}


def test_akms_model_is_used_where_the_client_names_none(tmp_path: Path) -> None:
    found = configured(tmp_path, semanticSearchMode="auto", embedding=REMOTE)
    assert (found.mode, found.kind, found.remote_id) == ("auto", "openai", "remote:m|384")


@pytest.mark.parametrize("mode", [{}, {"semanticSearchMode": "off"}])
def test_akms_model_is_off_unless_akm_says_auto(tmp_path: Path, mode: dict[str, str]) -> None:
    assert configured(tmp_path, embedding=REMOTE, **mode).mode == "off"


def test_a_key_in_akms_configuration_is_not_taken(tmp_path: Path) -> None:
    values = {**REMOTE, "apiKey": "sk-marker", "apiKeyEnv": "OTHER"}
    found = configured(tmp_path, semanticSearchMode="auto", embedding=values)
    assert (found.api_key, found.api_key_env) == ("", "AKM_EMBED_API_KEY")


def test_a_model_that_akm_would_download_is_no_model_here(tmp_path: Path) -> None:
    values = {"localModel": "Xenova/all-MiniLM-L6-v2"}
    assert configured(tmp_path, semanticSearchMode="auto", embedding=values).kind is None


@pytest.mark.parametrize("embedding", [3, [], {"endpoint": 3}, {"model": None}, None])
def test_a_broken_section_names_no_model(tmp_path: Path, embedding: object) -> None:
    assert configured(tmp_path, semanticSearchMode="auto", embedding=embedding).kind is None


def test_the_clients_model_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"semanticSearchMode": "auto", "embedding": REMOTE}))
    for own in (EmbeddingSettings(local_model="wordllama"), EmbeddingSettings(mode="off")):
        assert embedding_settings(Settings(config=str(path), embedding=own)) == own


def test_with_named_bundles_akms_own_configuration_has_no_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({"semanticSearchMode": "auto", "embedding": REMOTE})
    )
    monkeypatch.setenv("AKM_CONFIG_DIR", str(tmp_path))
    assert embedding_settings(Settings()).kind == "openai"
    assert embedding_settings(Settings(bundle_dirs=("/x",))).kind is None


# The status.


def test_without_a_model_it_is_off(settings: Settings) -> None:
    assert status(settings) == {
        "status": "off",
        "provider": None,
        "model": None,
        "fingerprint": None,
        "embedded": 0,
        "missing": 0,
        "running": False,
        "reason": "no embedding model configured",
    }


def test_it_is_pending_until_everything_is_embedded(settings: Settings, endpoint: Endpoint) -> None:
    settings = with_model(settings, endpoint=endpoint.url, model="m")
    found = status(settings)
    assert (found["status"], found["embedded"], found["missing"]) == ("pending", 0, 2)
    assert (found["provider"], found["model"]) == ("openai", "m")
    assert endpoint.requests == [], "a status asks no endpoint"
    with Workspace.open(settings) as workspace:
        outcome = workspace.embed()
    assert outcome.readiness.status == "ready"
    found = status(settings)
    assert (found["status"], found["embedded"], found["reason"]) == ("ready", 2, None)


def test_another_host_leaves_it_ready_and_another_model_does_not(
    settings: Settings, endpoint: Endpoint
) -> None:
    with Workspace.open(with_model(settings, endpoint=endpoint.url, model="m")) as workspace:
        workspace.refresh()
        workspace.embed()
    moved = with_model(settings, endpoint="https://moved.example/v1", model="m")
    assert status(moved)["status"] == "ready"
    other = with_model(settings, endpoint=endpoint.url, model="n")
    assert status(other)["status"] == "pending"


def test_a_run_that_failed_blocks_it_and_the_index_is_as_good_as_before(
    settings: Settings, endpoint: Endpoint
) -> None:
    endpoint.behave = lambda request: Answer(403)
    settings = with_model(settings, endpoint=endpoint.url, model="m", api_key="sk-marker")
    with Workspace.open(settings) as workspace:
        assert workspace.refresh().entries == 2
        outcome = workspace.embed()
        assert outcome.readiness.status == "blocked"
        assert "refuses the API key (HTTP 403)" in str(outcome.readiness.reason)
        assert len(workspace.catalog) == 2
    found = status(settings)
    assert (found["status"], found["missing"]) == ("blocked", 2)
    assert "sk-marker" not in repr(found)


@pytest.mark.parametrize(
    ("embedding", "reason"),
    [
        ({"local_model": "/no/such/folder"}, "is neither a directory nor wordllama"),
        ({"endpoint": "ftp://h/", "model": "m"}, "akm.embedding.endpoint is no http"),
    ],
)
def test_a_model_that_cannot_be_used_blocks_it(
    settings: Settings, embedding: dict[str, str], reason: str
) -> None:
    settings = with_model(settings, **embedding)
    found = status(settings)
    assert found["status"] == "blocked"
    assert reason in found["reason"]
    with Workspace.open(settings) as workspace:
        outcome = workspace.embed()
    assert outcome.report is None
    assert outcome.readiness.status == "blocked"


def test_offline_no_endpoint_on_the_network_is_asked(settings: Settings) -> None:
    settings = with_model(settings, endpoint="https://h.example/v1?key=hidden", model="m")
    found = status(replace(settings, offline=True))
    assert found["status"] == "blocked"
    assert found["reason"] == "akm-ls is offline, and https://h.example/v1 is on the network"


def test_offline_this_machine_may_be_asked(settings: Settings, endpoint: Endpoint) -> None:
    settings = with_model(replace(settings, offline=True), endpoint=endpoint.url, model="m")
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        assert workspace.embed().readiness.status == "ready"


def test_an_index_that_cannot_be_used_blocks_it(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    with Workspace(with_model(settings, endpoint="http://h/v1", model="m")) as workspace:
        assert workspace.status()["semantic"]["status"] == "blocked"


def test_a_local_model_needs_no_network(settings: Settings, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="the extra local-embeddings is not installed")
    model = write_model(tmp_path / "tiny")
    settings = with_model(replace(settings, offline=True), local_model=str(model))
    assert status(settings)["status"] == "pending"
    with Workspace.open(settings) as workspace:
        report = workspace.embed().report
    assert report is not None
    assert (report.stored, report.missing) == (2, 0)
    assert report.model.startswith("local:tiny|16|")
    assert status(settings)["status"] == "ready"


# What it costs where it is not used.


def test_reading_settings_and_status_loads_no_model(settings: Settings, tmp_path: Path) -> None:
    model = write_model(tmp_path / "tiny")
    program = (
        "import sys\n"
        "import akm_ls.index.embedding, akm_ls.index.vectors, akm_ls.embedders\n"
        "from akm_ls.workspace import Settings, Workspace\n"
        "from akm_ls.embedders.settings import EmbeddingSettings\n"
        f"for embedding in (EmbeddingSettings(local_model={str(model)!r}),\n"
        "                  EmbeddingSettings(endpoint='http://localhost:1/v1', model='m')):\n"
        f"    settings = Settings(bundle_dirs={settings.bundle_dirs!r},\n"
        f"                        data_dir={settings.data_dir!r}, embedding=embedding)\n"
        "    with Workspace.open(settings) as workspace:\n"
        "        workspace.refresh()\n"
        "        workspace.status()\n"
        "heavy = {'numpy', 'httpx', 'tokenizers', 'wordllama', 'asyncio.base_events'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
