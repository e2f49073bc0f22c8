"""What is measured, one function a section. Times are what a client in another process sees."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from editor import HERE, PUBLISH, QUIET_MS, SETTLE_MS, Editor, environment
from generate import Generated, generate, words
from hybrid import hybrid
from results import Results
from rpc import RpcClient

SMALL = 5_000
MEMORY = {SMALL: 80, 20_000: 200}


@dataclass(slots=True)
class Bench:
    """One run: the bundle, a directory for everything else, and the results so far."""

    made: Generated
    work: str
    repeat: int
    keep: bool = False
    results: Results = field(default_factory=Results)
    _data: str | None = None

    @property
    def home(self) -> str:
        return os.path.join(self.work, "home")

    def fresh(self) -> str:
        """A data directory with nothing in it."""
        return tempfile.mkdtemp(dir=self.work, prefix="data-")

    @property
    def data(self) -> str:
        """A data directory with the whole bundle in its index."""
        if self._data is None:
            self._data = os.path.join(self.work, "kept") if self.keep else self.fresh()
            self.cli("index", data=self._data)
        return self._data

    def cli(self, *arguments: str, data: str) -> float:
        """Seconds a subcommand takes on the bundle."""
        command = [sys.executable, "-m", "akm_ls", "--data-dir", data]
        command += ["--bundle-dir", self.made.root, *arguments]
        began = time.perf_counter()
        done = subprocess.run(command, env=environment(self.home), capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{arguments}: {done.stderr.decode()[-500:]}")
        return time.perf_counter() - began

    def editor(self, data: str, *, pull: bool = False) -> Editor:
        return Editor(self.made, data, self.home, pull=pull)


def start(bench: Bench) -> None:
    """Process start to the answer of ``initialize``, beside a bare pygls server, alternating."""
    results, data = bench.results, bench.fresh()
    bare = [sys.executable, str(HERE / "bare_server.py")]

    def ours(data: str) -> list[str]:
        return [sys.executable, "-m", "akm_ls", "serve", "--data-dir", data]

    def seconds(command: list[str]) -> float:
        with RpcClient(command, env=environment(bench.home)) as client:
            client.call("initialize", {"processId": None, "capabilities": {}})
            return 1000 * (time.perf_counter() - client.started)

    for command in (bare, ours(data)):  # byte code and page cache
        seconds(command)
    for _ in range(max(5, 2 * bench.repeat + 1)):
        base = seconds(bare)
        results.add("a bare pygls server answers initialize", base)
        results.add("ours answers later by", seconds(ours(data)) - base, budget=100)
        results.add("the first time ever, later by", seconds(ours(bench.fresh())) - base)


def cold(bench: Bench) -> None:
    """No index yet: diagnostics at once, and an editor that asks without a pause meanwhile.

    That editor and its answers take much of two cores: how long the index itself takes is
    measured once more, with a document open and nobody typing.
    """
    results, made = bench.results, bench.made
    probe = made.probes[0]
    cited = f"{made.bundle}//{made.probes[5]}"
    text = f"---\ndescription: a: b\n---\n# Probe\n\n{made.bundle}//know\n\n{cited}\n"
    places = {
        "completion": {"line": 5, "character": len(f"{made.bundle}//know")},
        "hover": {"line": 7, "character": 3},
        "definition": {"line": 7, "character": 3},
    }
    for _ in range(bench.repeat):
        with bench.editor(bench.fresh()) as editor:
            editor.open(probe, text)
            took = editor.indexed() - editor.initialized_at
            results.add(f"full index of {len(made.ids):,} assets", took, "s", budget=6)
        with bench.editor(bench.fresh()) as editor:
            editor.open(probe, text)
            shown = editor.diagnosed(probe) - editor.initialized_at
            results.add("initialized to first diagnostics", 1000 * shown, budget=100)
            asked: dict[str, list[float]] = {feature: [] for feature in places}
            typing, peak, turn = _Typing(editor, made.probes[1]), 0.0, 0
            while "akm/didIndex" not in editor.methods():
                for feature, where in places.items():
                    params = {**editor.document(probe), "position": where}
                    asked[feature].append(editor.timed(f"textDocument/{feature}", params))
                typing.look()
                turn += 1
                if turn % 20 == 0:
                    peak = max(peak, editor.resident_megabytes())
                time.sleep(0.02)
            took = editor.indexed() - editor.initialized_at
            results.add("full index while an editor asks without a pause", took, "s")
            for feature, times in asked.items():
                results.add(f"{feature} meanwhile", times, budget=60, of="p95")
            if typing.took:
                what = "didChange to diagnostics of 20 KB meanwhile, beyond settling"
                results.add(what, typing.took, budget=50, of="p95")
            results.add("memory meanwhile, with the workers", peak, "MB")
            results.add(
                "memory afterwards", editor.resident_megabytes(), "MB", budget=_memory(made)
            )
            _leave(results, editor)


def warm(bench: Bench) -> None:
    """The index exists: how soon everything is there, then every feature."""
    results, probe, data = bench.results, bench.made.probes[0], bench.data
    for turn in range(bench.repeat):
        with bench.editor(data) as editor:
            editor.open(probe)
            shown = editor.diagnosed(probe) - editor.initialized_at
            results.add("initialized to first diagnostics", 1000 * shown, budget=100)
            usable = editor.indexed() - editor.initialized_at
            results.add("initialized to the whole index usable", usable, "s", budget=1)
            if turn == bench.repeat - 1:
                _ask(bench, editor)
                _search(bench, editor)
                _type(bench, editor)
                _dependants(bench, editor)
                _save(bench, editor)
            memory = editor.resident_megabytes()
            results.add("memory", memory, "MB", budget=_memory(bench.made))
            _leave(results, editor)
    if "diagnosticProvider" in editor.offers:
        with bench.editor(data, pull=True) as editor:
            editor.indexed()
            _pull(bench, editor)


def small(bench: Bench) -> None:
    """Memory on a bundle of 5,000 assets."""
    made = generate(os.path.join(bench.work, "small"), SMALL)
    data = bench.fresh()
    for when in ("after the cold index", "warm"):
        with Editor(made, data, bench.home) as editor:
            editor.open(made.probes[0])
            editor.indexed()
            memory = editor.resident_megabytes()
            what = f"memory at {SMALL:,} assets, {when}"
            bench.results.add(what, memory, "MB", budget=MEMORY[SMALL])


def check(bench: Bench) -> None:
    """``akm-ls check`` of the whole bundle."""
    for _ in range(bench.repeat):
        data = bench.fresh()
        cold = bench.cli("check", "--exit-zero", data=data)
        bench.results.add("cold", cold, "s", budget=8)
        warm = bench.cli("check", "--exit-zero", data=data)
        bench.results.add("with a warm index", warm, "s", budget=1.5)


def packs(bench: Bench) -> None:
    """Context packs and commands alone."""
    with bench.editor(bench.data) as editor:
        editor.indexed()
        _pack(bench, editor)


SECTIONS: dict[str, Callable[[Bench], None]] = {
    "start": start,
    "cold": cold,
    "warm": warm,
    "small": small,
    "check": check,
    "packs": packs,
    "hybrid": hybrid,
}
EXTRA = ("hybrid",)
"""Sections that are run when they are asked for."""


def _memory(made: Generated) -> float | None:
    return next((limit for size, limit in MEMORY.items() if len(made.ids) <= size), None)


def _leave(results: Results, editor: Editor) -> None:
    """The end, with stdin left open."""
    editor.call("shutdown")
    began = time.perf_counter()
    editor.notify("exit")
    editor.exit_code()
    results.add("exit to the process gone", time.perf_counter() - began, "s", budget=1)


def _ask(bench: Bench, editor: Editor) -> None:
    results, made = bench.results, bench.made
    probe, bundle = made.probes[0], made.bundle
    begun = [f"{bundle}//", f"{bundle}//know", f"{bundle}//memories/tok"]
    lines = ["# Probe", "", *begun, f"{bundle}//{made.probes[5]}", f"{bundle}//{made.hub}"]
    editor.change(probe, {"text": "\n".join(lines) + "\n"})
    document = editor.document(probe)
    chance = random.Random(1)
    for _ in range(100):
        line = 2 + chance.randrange(len(begun))
        params = {**document, "position": {"line": line, "character": len(lines[line])}}
        took = editor.timed("textDocument/completion", params)
        results.add("completion", took, budget=5)
        results.add("completion, the slow ones", took, budget=20, of="p95")
    listed = editor.call("textDocument/completion", params)
    results.add("completion, items of a list", len(listed["items"]), "")
    on_ref = {**document, "position": {"line": 5, "character": len(bundle) + 5}}
    on_hub = {**document, "position": {"line": 6, "character": len(bundle) + 5}}
    for feature in ("hover", "definition"):
        for _ in range(100):
            took = editor.timed(f"textDocument/{feature}", on_ref)
            results.add(feature, took, budget=2)
    for _ in range(100):
        results.add("hover on the hub", editor.timed("textDocument/hover", on_hub))
    params = {**on_hub, "context": {"includeDeclaration": False}}
    found = len(editor.call("textDocument/references", params))
    for _ in range(50):
        took = editor.timed("textDocument/references", params)
        results.add(f"references, {found} hits", took, budget=20)
    if editor.offers.get("workspaceSymbolProvider"):
        for _ in range(50):
            query = words(chance, 1)[0][: chance.randint(1, 6)]
            took = editor.timed("workspace/symbol", {"query": query})
            results.add("workspace/symbol", took, budget=50)


def _search(bench: Bench, editor: Editor) -> None:
    chance = random.Random(2)
    for _ in range(100):
        query = " ".join(words(chance, chance.randint(1, 4)))
        took = editor.timed("akm/search", {"query": query, "mode": "lexical"})
        bench.results.add("search, lexical", took, budget=15)
        bench.results.add("search, lexical, the slow ones", took, budget=40, of="p95")


def _pack(bench: Bench, editor: Editor) -> None:
    """Context packs of the default size, and of the largest; commands by what they are for."""
    chance = random.Random(3)
    for _ in range(100):
        query = " ".join(words(chance, chance.randint(1, 4)))
        took = editor.timed("akm/contextPack", {"query": query})
        bench.results.add("context pack", took, budget=100, of="p95")
    for _ in range(20):
        query = " ".join(words(chance, chance.randint(1, 4)))
        params = {"query": query, "maxItems": 50, "maxTokens": 12_000, "dedupe": True}
        took = editor.timed("akm/contextPack", params)
        bench.results.add("context pack, 50 items in 12,000 tokens", took, of="p95")
    first = editor.timed("akm/findCommand", {"query": "rotate tokens"})
    bench.results.add("find a command, the first time", first)
    for _ in range(50):
        query = " ".join(words(chance, chance.randint(1, 4)))
        took = editor.timed("akm/findCommand", {"query": query})
        bench.results.add("find a command", took, of="p95")


def _long_text(editor: Editor, concept_id: str) -> str:
    """20 KB made of an asset's own sections."""
    text = editor.text(concept_id)
    return text + ("\n\n" + text[text.index("# ") :]) * max(1, 20_000 // len(text))


def _keystroke(editor: Editor, concept_id: str, number: int) -> None:
    """Type into the first line of the body: a ref that is broken in a new way each time."""
    start = {"line": 9, "character": 0}
    end = {"line": 9, "character": 0 if number == 0 else len(_broken(editor, number - 1))}
    text = _broken(editor, number)
    editor.change(concept_id, {"range": {"start": start, "end": end}, "text": text})


def _broken(editor: Editor, number: int) -> str:
    return f"{editor.made.bundle}//knowledge/gone-{number:03} "


class _Typing:
    """Keystrokes in a document of 20 KB, each once the last one's diagnostics are there.

    The finding is one that needs no index, and moves with each keystroke.
    """

    def __init__(self, editor: Editor, concept_id: str) -> None:
        self.took: list[float] = []
        self._editor, self._uri = editor, editor.uri(concept_id)
        self._concept_id = concept_id
        text = _long_text(editor, concept_id)
        editor.open(concept_id, "---\ndescription: a: b\n---\n" + text[text.index("# ") :])
        editor.diagnosed(concept_id)
        self._type()

    def look(self) -> None:
        """Whether the diagnostics have come; if so, the next keystroke."""
        for at, message in self._editor.received[self._since :]:
            if message.get("method") == PUBLISH and message["params"]["uri"] == self._uri:
                self.took.append(1000 * (at - self._began) - SETTLE_MS)
                self._type()
                return

    def _type(self) -> None:
        self._since, self._began = len(self._editor.received), time.perf_counter()
        place = {"line": 1, "character": len("description: a")}
        edit = {"range": {"start": place, "end": place}, "text": "x"}
        self._editor.change(self._concept_id, edit)


def _type(bench: Bench, editor: Editor) -> None:
    """A keystroke in a document of 20 KB to its diagnostics, without the settle time."""
    probe = bench.made.probes[1]
    editor.open(probe, _long_text(editor, probe))
    editor.diagnosed(probe)
    for number in range(30):
        since, began = len(editor.received), time.perf_counter()
        _keystroke(editor, probe, number)
        took = 1000 * (editor.diagnosed(probe, since) - began) - SETTLE_MS
        what = "didChange to diagnostics of 20 KB, beyond settling"
        bench.results.add(what, took, budget=50, of="p95")


def _pull(bench: Bench, editor: Editor) -> None:
    """The same, asked for by the client."""
    probe = bench.made.probes[1]
    editor.open(probe, _long_text(editor, probe))
    for number in range(50):
        _keystroke(editor, probe, number)
        took = editor.timed("textDocument/diagnostic", editor.document(probe))
        bench.results.add("didChange to pulled diagnostics of 20 KB", took, budget=30, of="p95")


def _dependants(bench: Bench, editor: Editor) -> None:
    """A heading is renamed in one open document; another one cites it."""
    target, citing = bench.made.probes[2:4]
    editor.open(target, "# Target\n\n## There\n")
    editor.open(citing, f"# Citing\n\n{bench.made.bundle}//{target}#there\n")
    editor.diagnosed(citing)
    time.sleep(2 * SETTLE_MS / 1000)
    for number in range(10):
        since, began = len(editor.received), time.perf_counter()
        editor.change(target, {"text": f"# Target\n\n## {'There' if number % 2 else 'Gone'}\n"})
        took = 1000 * (editor.diagnosed(citing, since) - began)
        bench.results.add("didChange to diagnostics of a dependant", took, budget=250, of="p95")


def _save(bench: Bench, editor: Editor) -> None:
    """One changed file to the index knowing it, without the time we wait for more of them."""
    for number, concept_id in enumerate(bench.made.probes[10:20]):
        path = Path(bench.made.path(concept_id))
        before = path.read_bytes()
        since = len(editor.received)
        path.write_bytes(before + b"\nMore %d.\n" % number)
        began = time.perf_counter()
        change = {"uri": editor.uri(concept_id), "type": 2}
        editor.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        took = 1000 * (editor.indexed(since) - began) - QUIET_MS
        bench.results.add("one saved file, beyond the quiet time", took, budget=50)
        path.write_bytes(before)
