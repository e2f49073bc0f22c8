"""Measures the real server, over stdio, on a generated bundle; prints a table and JSON.

    .venv/bin/python tests/bench/run.py --assets 20000 --json bench.json

Times are wall time seen by a client in another process; medians unless the row says p95.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lsp"))

from generate import Generated, generate, words  # noqa: E402
from rpc import RpcClient  # noqa: E402

PUBLISH = "textDocument/publishDiagnostics"
LONG = 120.0


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value beside its budget, in ``unit`` (ms, s or MB)."""

    what: str
    value: float
    budget: float
    unit: str

    @property
    def holds(self) -> bool:
        return self.value <= self.budget


class Bench:
    def __init__(self, made: Generated, work: str) -> None:
        self.made = made
        self.work = work
        self.rows: list[Row] = []
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("AKM_", "XDG_"))},
            "HOME": os.path.join(work, "home"),
        }

    def add(self, what: str, value: float, budget: float, unit: str = "ms") -> None:
        row = Row(what, round(value, 2), budget, unit)
        self.rows.append(row)
        mark = "ok" if row.holds else "MISSED"
        print(f"{what:58} {row.value:10.2f} {unit:3} {budget:9g}  {mark}", flush=True)

    # Servers.

    def server(self, data: str) -> RpcClient:
        command = [sys.executable, "-m", "akm_ls", "serve", "--data-dir", data]
        return RpcClient(command, env=self.environment)

    def begin(self, client: RpcClient) -> None:
        root = self.made.root
        client.initialize(
            {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "textDocument": {
                    "completion": {"completionList": {"itemDefaults": ["editRange"]}},
                    "hover": {"contentFormat": ["markdown"]},
                },
                "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
                "window": {"workDoneProgress": True},
            },
            workspaceFolders=[{"uri": Path(root).as_uri(), "name": "bench"}],
            processId=os.getpid(),
        )

    def uri(self, concept_id: str) -> str:
        return Path(self.made.path(concept_id)).as_uri()

    def text(self, concept_id: str) -> str:
        return Path(self.made.path(concept_id)).read_text(encoding="utf-8")

    def open(self, client: RpcClient, concept_id: str, text: str) -> None:
        item = {"uri": self.uri(concept_id), "languageId": "markdown", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": item})

    def published(self, client: RpcClient, concept_id: str, since: int = 0) -> float:
        """When diagnostics of a document came in."""
        uri = self.uri(concept_id)

        def ours(message: dict[str, Any]) -> bool:
            return message.get("method") == PUBLISH and message["params"]["uri"] == uri

        found = client.wait_for(ours, LONG, since)
        return next(at for at, message in reversed(client.received) if message is found)

    # What is measured.

    def start(self) -> None:
        """Process start to the answer of ``initialize``, beside a bare server, alternating."""
        ours, bare = [], []
        data = os.path.join(self.work, "start")
        for _ in range(7):
            for times, command in (
                (bare, [sys.executable, str(HERE / "bare_server.py")]),
                (ours, [sys.executable, "-m", "akm_ls", "serve", "--data-dir", data]),
            ):
                with RpcClient(command, env=self.environment) as client:
                    client.call("initialize", {"processId": None, "capabilities": {}})
                    times.append(1000 * (time.perf_counter() - client.started))
        base = statistics.median(bare)
        self.add("start: bare pygls server answers initialize", base, float("inf"))
        self.add("start: ours beyond the bare one", statistics.median(ours) - base, 100)

    def cold(self, data: str) -> None:
        """First start: diagnostics at once, typing while the index is built."""
        probe = self.made.ids[1]
        with self.server(data) as client:
            self.begin(client)
            began = time.perf_counter()
            self.open(client, probe, "---\ndescription: a: b\n---\n" + self.text(probe))
            at = self.published(client, probe)
            self.add("cold: initialized to first diagnostics", 1000 * (at - began), 100)
            times = []
            while "akm/didIndex" not in client.methods():
                times.append(self.complete(client, probe))
                time.sleep(0.02)
            indexed = next(
                at for at, message in client.received if message.get("method") == "akm/didIndex"
            )
            self.add(f"cold: full index of {len(self.made.ids):,}", indexed - began, 6, "s")
            self.add("cold: completion meanwhile, p95", p95(times), 60)
            self.add("memory after the cold index", client.resident_megabytes(), memory(self), "MB")
            assert client.shutdown() == 0

    def warm(self, data: str) -> None:
        """A later start, and every feature on the whole bundle."""
        hub, probe = self.made.hub, self.made.ids[1]
        with self.server(data) as client:
            self.begin(client)
            began = time.perf_counter()
            self.open(client, probe, self.text(probe) + "\nSee bench//knowledge/gone.\n")
            at = self.published(client, probe)
            self.add("warm: initialized to first diagnostics", 1000 * (at - began), 100)
            client.wait_for_method("akm/didIndex", LONG)
            self.add("warm: start, whole index usable", time.perf_counter() - began, 1, "s")
            self.ask(client, hub, probe)
            self.type(client, probe)
            self.save(client)
            self.add("memory, warm", client.resident_megabytes(), memory(self), "MB")
            client.call("shutdown")
            left = time.perf_counter()
            client.notify("exit")
            client.exit_code()
            self.add("exit to process gone", time.perf_counter() - left, 1, "s")

    def complete(self, client: RpcClient, concept_id: str, line: int | None = None) -> float:
        where = self.line_end(client, concept_id, "") if line is None else line
        pending = client.request(
            "textDocument/completion",
            {
                "textDocument": {"uri": self.uri(concept_id)},
                "position": {"line": where, "character": 0},
            },
        )
        pending.result(LONG)
        return 1000 * pending.seconds

    @staticmethod
    def line_end(_client: RpcClient, _concept_id: str, _text: str) -> int:
        return 9

    def ask(self, client: RpcClient, hub: str, probe: str) -> None:
        lines = [f"bench//{hub}", "bench//", "bench//know", "bench//memories/tok"]
        text = "# Probe\n\n" + "\n".join(lines) + "\n"
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri(probe), "version": 2},
                "contentChanges": [{"text": text}],
            },
        )
        document = {"textDocument": {"uri": self.uri(probe)}}
        chance = random.Random(1)

        def timed(method: str, params: Callable[[], dict[str, Any]], count: int) -> list[float]:
            times = []
            for _ in range(count):
                pending = client.request(method, params())
                pending.result(LONG)
                times.append(1000 * pending.seconds)
            return times

        def completing() -> dict[str, Any]:
            line = chance.choice((3, 4, 5))
            return {**document, "position": {"line": line, "character": len(lines[line - 2])}}

        on_ref = {**document, "position": {"line": 2, "character": 12}}
        times = timed("textDocument/completion", completing, 100)
        self.add("completion, 100 items, p50", statistics.median(times), 5)
        self.add("completion, 100 items, p95", p95(times), 20)
        times = timed("textDocument/hover", lambda: on_ref, 100)
        self.add("hover, p50", statistics.median(times), 2)
        times = timed("textDocument/definition", lambda: on_ref, 100)
        self.add("definition, p50", statistics.median(times), 2)
        context = {**on_ref, "context": {"includeDeclaration": False}}
        found = client.call("textDocument/references", context)
        times = timed("textDocument/references", lambda: context, 50)
        self.add(f"references, {len(found)} hits, p50", statistics.median(times), 20)

        def searching() -> dict[str, Any]:
            return {"query": " ".join(words(chance, chance.randint(1, 4)))}

        times = timed("akm/search", searching, 100)
        self.add("search, lexical, p50", statistics.median(times), 15)
        self.add("search, lexical, p95", p95(times), 40)

    def type(self, client: RpcClient, probe: str) -> None:
        """A keystroke in a document of 20 KB to its diagnostics, without the settle time."""
        settle = 200.0
        text = self.text(probe)
        text += ("\n\n" + text[text.index("# ") :]) * max(1, 20_000 // len(text))
        times = []
        for version in range(3, 23):
            since = len(client.received)
            broken = f"\nSee bench//knowledge/gone-{version}.\n"
            sent = time.perf_counter()
            client.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": self.uri(probe), "version": version},
                    "contentChanges": [{"text": text + broken}],
                },
            )
            times.append(1000 * (self.published(client, probe, since) - sent) - settle)
        self.add("didChange to diagnostics, 20 KB, beyond settling, p95", p95(times), 50)

    def save(self, client: RpcClient) -> None:
        """One changed file to the index knowing it, without the quiet time we wait for more."""
        quiet = 100.0
        times = []
        for number in range(10):
            concept_id = self.made.ids[100 + number]
            path = self.made.path(concept_id)
            before = self.text(concept_id)
            since = len(client.received)
            Path(path).write_text(before + f"\nMore {number}.\n", encoding="utf-8")
            sent = time.perf_counter()
            change = {"uri": self.uri(concept_id), "type": 2}
            client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
            client.wait_for_method("akm/didIndex", LONG, since)
            times.append(1000 * (time.perf_counter() - sent) - quiet)
            Path(path).write_text(before, encoding="utf-8")
        self.add("one saved file, beyond the quiet time", statistics.median(times), 50)

    def command_line(self) -> None:
        data = os.path.join(self.work, "cli")
        command = [sys.executable, "-m", "akm_ls", "--data-dir", data]
        command += ["--bundle-dir", self.made.root, "check", "--exit-zero"]
        for what, budget in (("check, cold", 8.0), ("check, warm", 1.5)):
            began = time.perf_counter()
            subprocess.run(command, env=self.environment, capture_output=True, check=True)
            self.add(what, time.perf_counter() - began, budget, "s")


def memory(bench: Bench) -> float:
    return 80 if len(bench.made.ids) <= 5_000 else 200


def p95(times: list[float]) -> float:
    return sorted(times)[max(0, round(0.95 * len(times)) - 1)] if times else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assets", type=int, default=20_000)
    parser.add_argument("--only", help="start, cold, warm or check, separated by commas")
    parser.add_argument("--json", type=Path, help="write the rows to this file as well")
    options = parser.parse_args()
    wanted = set((options.only or "start,cold,warm,check").split(","))
    work = tempfile.mkdtemp(prefix="akm-ls-bench-")
    try:
        bench = Bench(generate(os.path.join(work, "bench"), options.assets), work)
        print(f"{'':58} {'measured':>10} {'':3} {'budget':>9}")
        data = os.path.join(work, "data")
        if "start" in wanted:
            bench.start()
        if wanted & {"cold", "warm"}:
            bench.cold(data)
        if "warm" in wanted:
            bench.warm(data)
        if "check" in wanted:
            bench.command_line()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.json:
        rows = [
            {**asdict(row), "holds": row.holds, "budget": min(row.budget, 1e9)}
            for row in bench.rows
        ]
        options.json.write_text(json.dumps({"assets": options.assets, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
