"""``akm-ls index --embed`` and ``--reembed``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from akm_ls.cli.embedding import Lines
from embedders.endpoint import Answer, Endpoint

from .conftest import Ran, Run, write


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def embed(akm: Run, alone: Path, team: Path, endpoint: Endpoint) -> Callable[..., Ran]:
    """Runs ``index`` with an endpoint that akm's configuration names."""
    path = alone / "config.json"
    section = {"endpoint": endpoint.url, "model": "m", "batchSize": 1}
    path.write_text(json.dumps({"semanticSearchMode": "auto", "embedding": section}))
    return lambda *options: akm("--config", str(path), "index", *options)


@pytest.mark.parametrize("option", ["--embed", "--reembed"])
def test_without_a_model_it_says_so_and_indexes(akm: Run, option: str) -> None:
    ran = akm("index", option)
    assert ran.code == 0
    assert ran.err == f"akm-ls: {option}: no embedding model configured, nothing to embed\n"
    assert ran.out.startswith("Indexed ")


def test_without_the_option_nothing_is_sent(embed: Callable[..., Ran], endpoint: Endpoint) -> None:
    ran = embed("--format", "json")
    assert "semanticStatus" not in ran.json
    assert endpoint.requests == []


def test_it_embeds_what_is_missing(embed: Callable[..., Ran], endpoint: Endpoint) -> None:
    ran = embed("--embed")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("Indexed ")
    assert re.fullmatch(r"Stored 2 embeddings in \S+s \(\S+ entries/s, ~\d+ tokens/s\)\.", lines[1])
    assert ran.err == "akm-ls: Generating embeddings for 2 entries.\n"
    assert len(endpoint.texts) == 2
    again = embed("--embed")
    assert again.out.splitlines()[1] == "Embeddings are up to date: 2 assets."
    assert len(endpoint.texts) == 2


@pytest.mark.parametrize("format_", ["text", "json"])
def test_what_was_cut_and_a_smaller_budget_are_said_without_being_asked_for(
    embed: Callable[..., Ran], endpoint: Endpoint, team: Path, format_: str
) -> None:
    write(team, {f"knowledge/long{at}.md": f"# Long {at}\n\n{'word ' * 1000}\n" for at in range(2)})
    endpoint.script(Answer(413))
    ran = embed("--embed", "--format", format_)
    assert [line for line in ran.err.splitlines() if "budget" in line or "only" in line] == [
        "akm-ls: The endpoint takes less than was sent: the request budget is 4500 tokens now.",
        "akm-ls: Embedded only the first 512 tokens of 2 entries.",
    ]


@pytest.mark.parametrize("format_", ["text", "json"])
def test_verbose_has_a_line_for_every_batch(embed: Callable[..., Ran], format_: str) -> None:
    ran = embed("--embed", "--verbose", "--format", format_)
    told = [line for line in ran.err.splitlines() if "Embedded" in line]
    assert told == ["akm-ls: Embedded 1/2 entries.", "akm-ls: Embedded 2/2 entries."]


def test_neither_secrets_nor_env_values_are_sent(
    embed: Callable[..., Ran], endpoint: Endpoint
) -> None:
    embed("--embed")
    assert endpoint.texts
    assert not [text for text in endpoint.texts if "marker" in text or "api_key" in text.lower()]


def test_reembed_computes_everything_again(embed: Callable[..., Ran], endpoint: Endpoint) -> None:
    embed("--embed")
    ran = embed("--reembed", "--format", "json")
    assert ran.json["embedding"]["stored"] == 2
    assert len(endpoint.texts) == 4


def test_json_is_one_document_and_says_how_it_went(embed: Callable[..., Ran]) -> None:
    ran = embed("--embed", "--format", "json")
    assert ran.json["semanticStatus"] == "ready"
    embedding: dict[str, Any] = ran.json["embedding"]
    assert embedding.pop("seconds") >= 0
    assert embedding == {
        "model": "remote:m|default",
        "stored": 2,
        "failed": 0,
        "truncated": 0,
        "missing": 0,
        "reason": None,
    }
    assert "akm-ls: Generating embeddings for 2 entries.\n" in ran.err
    assert "Stored 2 embeddings in " in ran.err
    assert "Embedded 1/2" not in ran.err


def test_a_model_that_fails_blocks_semantic_search_and_not_the_command(
    embed: Callable[..., Ran], endpoint: Endpoint
) -> None:
    endpoint.behave = lambda request: Answer(401)
    ran = embed("--embed", "--format", "json")
    assert ran.code == 0
    assert ran.json["entries"] > 0
    assert ran.json["semanticStatus"] == "blocked"
    assert "wants an API key" in ran.json["embedding"]["reason"]
    assert "akm-ls: semantic search is blocked: " in ran.err


def test_what_is_missing_after_a_run_is_said(embed: Callable[..., Ran], endpoint: Endpoint) -> None:
    endpoint.script(Answer(500, "oh"))
    ran = embed("--embed")
    assert ran.code == 0
    assert "akm-ls: Embedding 1 entry failed (http): HTTP 500: oh\n" in ran.err
    assert "semantic search is not complete: 1 of 2 assets without a vector" in ran.err


def test_the_doctor_names_the_model_and_what_is_missing(
    embed: Callable[..., Ran], akm: Run, alone: Path
) -> None:
    embed()
    ran = akm("--config", str(alone / "config.json"), "doctor")
    assert "status: pending" in ran.out
    assert "model: m (openai)" in ran.out
    assert "embedded: 0, 2 missing" in ran.out


@pytest.mark.parametrize("as_json", [True, False])
def test_the_heartbeat_is_on_stderr_and_batches_are_silent(
    capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    lines = Lines(as_json=as_json)
    lines("start", "Generating embeddings for 2 entries.")
    lines("batch", "Embedded 1/2 entries.")
    lines("wait", "Still generating embeddings: 1/2 stored, 0 failed; waiting on ...")
    lines.clear()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert [line.removeprefix("akm-ls: ") for line in shown.err.splitlines()] == [
        "Generating embeddings for 2 entries.",
        "Still generating embeddings: 1/2 stored, 0 failed; waiting on ...",
    ]
