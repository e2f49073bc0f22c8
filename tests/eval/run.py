r"""Measures how well search answers questions about a bundle; prints a table for every measure.

    python tests/eval/run.py BUNDLE --held-out --questions tests/eval/paraphrase.jsonl \
        --model wordllama

Questions are made of the bundle by rule (`questions.py`), and more can be given. ``--held-out``
takes what they are made of out of the index. ``--model`` is none, trigrams, wordllama or the path
of a model2vec folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

if __package__:
    from . import bench, models, questions
    from .metrics import Measures, mean, paired_difference
else:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from eval import bench, models, questions
    from eval.metrics import Measures, mean, paired_difference

BASELINE = "default, no boosts"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bundle", type=Path, nargs="+")
    parser.add_argument("--questions", type=Path, action="append", default=[])
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--no-rules", action="store_true", help="only the given questions")
    parser.add_argument("--model", default="none")
    parser.add_argument("--ways", help="some of: " + "; ".join(way.name for way in bench.WAYS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    known = {way.name for way in bench.WAYS}
    model = models.named(options.model)
    wanted = None if options.ways is None else [it.strip() for it in options.ways.split(";")]
    for name in wanted or ():
        if name not in known:
            parser.error(f"--ways {name}: one of {'; '.join(sorted(known))}")
    with tempfile.TemporaryDirectory() as work:
        roots = options.bundle
        with bench.opened(roots, Path(work) / "whole.db") as library:
            assets = bench.assets_of(library)
        asked = [] if options.no_rules else questions.make(assets)
        for path in options.questions:
            asked += questions.read(path, assets)
        if options.held_out:
            roots = [bench.held_out(root, Path(work, "held-out", root.name)) for root in roots]
        print(f"{len(assets)} assets; questions: {dict(questions.count(asked))}; {options.model}")
        results: dict[str, list[Measures]] = {}
        times: dict[str, float] = {}
        with bench.opened(roots, Path(work) / "index.db", model) as library:
            for way in bench.WAYS:
                if (way.needs_model and model is None) or (wanted and way.name not in wanted):
                    continue
                if way.name in results:
                    raise ValueError(f"two ways of searching are called {way.name}")
                began = time.perf_counter()
                results[way.name] = bench.ask(library, asked, way.options)
                times[way.name] = (time.perf_counter() - began) / max(1, len(asked))
    families = list(questions.count(asked))
    for measure in ("ndcg", "reciprocal_rank", "recall"):
        print(f"\n{table(results, asked, families, measure)}")
    print("\nmilliseconds a question:", {name: round(1000 * it, 1) for name, it in times.items()})
    if BASELINE in results:
        print(f"\n{differences(results, asked, families)}")
    if options.json:
        document = {name: means(found, asked, families, "ndcg") for name, found in results.items()}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def means(
    found: Sequence[Measures],
    asked: Sequence[questions.Question],
    families: Sequence[str],
    measure: str,
) -> dict[str, float]:
    """By family, and the mean of the families."""
    by_family = {
        family: mean(
            [
                getattr(item, measure)
                for item, question in zip(found, asked, strict=True)
                if question.family == family
            ]
        )
        for family in families
    }
    return {**by_family, "mean": mean(list(by_family.values()))}


def differences(
    results: dict[str, list[Measures]],
    asked: Sequence[questions.Question],
    families: Sequence[str],
) -> str:
    """A Markdown table of what every way gains over `BASELINE`, with 95 % intervals: in every
    family, and over all questions."""
    lines = [
        f"| nDCG@10 against {BASELINE} | {' | '.join(families)} | all questions |",
        "| --- |" + " ---: |" * (len(families) + 1),
    ]
    for way, found in results.items():
        if way == BASELINE:
            continue
        cells = []
        for family in (*families, None):
            pairs = [
                (one.ndcg, other.ndcg)
                for one, other, question in zip(found, results[BASELINE], asked, strict=True)
                if family in (question.family, None)
            ]
            numbers = paired_difference([one for one, _ in pairs], [other for _, other in pairs])
            cells.append("{:+.3f} [{:+.3f}, {:+.3f}]".format(*numbers).replace("0.", "."))
        lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


def table(
    results: dict[str, list[Measures]],
    asked: Sequence[questions.Question],
    families: Sequence[str],
    measure: str,
) -> str:
    """A Markdown table of one measure."""
    name = {"ndcg": "nDCG@10", "reciprocal_rank": "MRR@10", "recall": "Recall@5"}[measure]
    lines = [
        f"| {name} | {' | '.join(families)} | mean |",
        "| --- |" + " ---: |" * (len(families) + 1),
    ]
    for way, found in results.items():
        values = means(found, asked, families, measure).values()
        cells = " | ".join(f"{value:.3f}".removeprefix("0") for value in values)
        lines.append(f"| {way} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
