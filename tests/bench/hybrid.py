"""Search by words and meaning, with vectors that the server itself makes.

The model is a folder of random rows for the words that the generated texts are made of: reading
it, averaging and searching cost what a real static model costs, and nothing is downloaded.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editor import HERE, LONG, Editor
from generate import _WORDS, words

sys.path.insert(0, str(HERE.parent))

if TYPE_CHECKING:
    from measures import Bench

DIMS = 256
BUDGETS = {20_000: (20, 50), 100_000: (None, 200)}
"""Milliseconds of a hybrid search, the median's and p95's, by assets."""
QUERIES = 200


def model_folder(path: Path) -> Path:
    """A model2vec folder with `DIMS` random numbers for each word of `generate`."""
    import numpy as np

    from embedders.model_folder import UNKNOWN, tokenizer, write_model

    rows = np.random.default_rng(7).normal(size=(len(_WORDS) + 1, DIMS)).astype(np.float16)
    write_model(path, {"embeddings": rows})
    (path / "tokenizer.json").write_text(tokenizer((UNKNOWN, *_WORDS)), encoding="utf-8")
    return path


def hybrid(bench: Bench) -> None:
    """Embedding in the background while requests come in, then searches, then cancelled ones."""
    folder = model_folder(Path(bench.work, "model"))
    options = {"embedding": {"localModel": str(folder)}}
    data = bench.data
    with Editor(bench.made, data, bench.home, options=options) as editor:
        editor.indexed()
        _embed(bench, editor)
        _first(bench, editor)
        for fusion in ("convex", "rrf"):
            _search(bench, editor, fusion)
        _search(bench, editor, "convex", of=lambda it: it.rare(), what="one rare word")
        _cancel(bench, editor)
        bench.results.add("memory with the vectors", editor.resident_megabytes(), "MB")


def _state(editor: Editor) -> dict[str, Any]:
    found: dict[str, Any] = editor.call("akm/status", {})["semantic"]
    return found


def _embed(bench: Bench, editor: Editor) -> None:
    """The background run, and hovering meanwhile."""
    results, probe = bench.results, bench.made.probes[0]
    editor.open(probe)
    params = {**editor.document(probe), "position": {"line": 6, "character": 8}}
    began, hovers = time.perf_counter(), []
    while _state(editor)["status"] == "pending":
        for _ in range(20):
            hovers.append(editor.timed("textDocument/hover", params))
            time.sleep(0.02)
        if time.perf_counter() - began > 5 * LONG:
            raise RuntimeError(f"still embedding: {_state(editor)}")
    if hovers:
        took = time.perf_counter() - began
        results.add(f"embedding {_state(editor)['embedded']:,} assets, waiting included", took, "s")
        results.add("hover meanwhile", hovers)
        results.add("hover meanwhile, the slow ones", hovers, of="p95")


def _first(bench: Bench, editor: Editor) -> None:
    """The first one loads numpy, the model and the matrix."""
    took = editor.timed("akm/search", {"query": "rotate tokens"})
    bench.results.add("the first hybrid search", took)


class _Chance(random.Random):
    def query(self) -> str:
        return " ".join(words(self, self.randint(1, 4)))

    def rare(self) -> str:
        return str(self.choice(_WORDS[1000:]))


def _search(
    bench: Bench,
    editor: Editor,
    fusion: str,
    of: Any = _Chance.query,
    what: str = "",
) -> None:
    results = bench.results
    median, slow = BUDGETS.get(len(bench.made.ids), (None, None))
    name = f"hybrid search, {what or fusion}"
    chance, cpu = _Chance(2), editor.cpu_seconds()
    for _ in range(QUERIES):
        params = {"query": of(chance), "fusion": fusion}
        pending = editor.request("akm/search", params)
        answer = pending.result(LONG)
        if answer["mode"] != "hybrid":
            raise RuntimeError(f"{params}: {answer['mode']}, {answer['degraded']}")
        results.add(name, 1000 * pending.seconds, budget=median)
        results.add(f"{name}, the slow ones", 1000 * pending.seconds, budget=slow, of="p95")
    spent = 1000 * (editor.cpu_seconds() - cpu) / QUERIES
    results.add(f"{name}, processor time each", spent)


def _cancel(bench: Bench, editor: Editor) -> None:
    """Searches that nobody wants any more make room: how long one waits that comes after them."""
    common = " ".join(_WORDS[:12])
    alone = [editor.timed("akm/search", {"query": f"{common} {at}"}) for at in range(5)]
    bench.results.add("a slow search", alone)
    after, unwanted = [], 20
    for turn in range(5):
        pending = [
            editor.request("akm/search", {"query": f"{common} {turn} {at}"})
            for at in range(unwanted)
        ]
        time.sleep(0.02)
        for item in pending:
            editor.cancel(item)
        after.append(editor.timed("akm/search", {"query": "rotate"}))
        cancelled = sum(
            item.answer(LONG).get("error", {}).get("code") == -32800 for item in pending
        )
        bench.results.add(f"of {unwanted} such searches were cancelled in time", cancelled, "")
    bench.results.add(f"a quick search after {unwanted} cancelled slow ones", after)
