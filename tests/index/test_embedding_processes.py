"""Several processes that embed into one index file, and one that dies doing it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from embedders.endpoint import Answer, Endpoint, Request, openai

PAGES = 120


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


class Team:
    """A bundle of small pages that other processes index and embed."""

    def __init__(self, root: Path, endpoint: Endpoint) -> None:
        self.data = root / "data"
        for number in range(PAGES):
            path = root / "team" / "knowledge" / f"page-{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"---\ndescription: Page number {number}\n---\n", encoding="utf-8")
        section = {"endpoint": endpoint.url, "model": "m", "batchSize": 5}
        config = root / "config.json"
        config.write_text(json.dumps({"semanticSearchMode": "auto", "embedding": section}))
        common = ["--bundle-dir", str(root / "team"), "--data-dir", str(self.data)]
        self.command = [
            *(sys.executable, "-m", "akm_ls", *common, "--config", str(config)),
            *("index", "--format", "json"),
        ]
        self.environment = {**os.environ, "HOME": str(root / "home")}

    def start(self, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.command, *options],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *options: str) -> Any:
        process = self.start(*options)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return json.loads(out)

    def embedded(self) -> int:
        path = self.data / "akm-ls.db"
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return int(connection.execute("SELECT count(*) FROM embeddings").fetchall()[0][0])
        finally:
            connection.close()


@pytest.fixture
def team(tmp_path: Path, endpoint: Endpoint) -> Team:
    return Team(tmp_path, endpoint)


def test_three_runs_at_once_embed_everything(team: Team) -> None:
    team.run()
    processes = [team.start("--embed") for _ in range(3)]
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0, err
        assert json.loads(out)["semanticStatus"] == "ready"
    assert team.embedded() == PAGES


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL there")
def test_a_run_that_is_killed_is_continued_where_it_was(team: Team, endpoint: Endpoint) -> None:
    team.run()

    def stall(request: Request) -> Answer:
        return openai(request) if len(endpoint.requests) <= 8 else Answer(hang=True)

    endpoint.behave = stall
    process = team.start("--embed")
    while len(endpoint.requests) < 9:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert team.embedded() == 40
    endpoint.behave = openai
    result = team.run("--embed")
    assert result["embedding"]["stored"] == PAGES - 40
    assert result["semanticStatus"] == "ready"
    assert len(set(endpoint.texts)) == PAGES


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent differently there")
def test_ctrl_c_ends_a_run_that_waits_for_the_endpoint(team: Team, endpoint: Endpoint) -> None:
    endpoint.behave = lambda request: Answer(hang=True)
    process = team.start("--embed")
    while not endpoint.requests:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=15)
    assert process.returncode == 130
    assert "Traceback" not in err
