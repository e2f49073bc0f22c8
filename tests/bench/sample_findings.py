"""Draw findings of real files at random, to be judged by hand.

    python tests/bench/sample_findings.py PATH… --seed 1 --count 100 --severity warning
    python tests/bench/sample_findings.py PATH… --select dead-link,dead-anchor --distinct

Prints counts per path, code and severity, then a table: file:line, severity and code, message, the
line of source with the marked text in ``⟦…⟧``. The same seed and files give the same draw.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from akm_ls.lint.finding import SEVERITIES, Finding, at_least
from akm_ls.workspace import Settings, Workspace

_WIDTH = 220


@dataclass(frozen=True, slots=True)
class Drawn:
    """One finding at its place; ``line`` is 1-based."""

    path: str
    line: int
    source: str
    finding: Finding


def findings_of(path: str, codes: frozenset[str]) -> list[Drawn]:
    """All findings of a directory of skills, as `akm-ls check` makes them."""
    found: list[Drawn] = []
    with tempfile.TemporaryDirectory() as data:
        settings = Settings(folders=(path,), data_dir=data, config="")
        with Workspace.open(settings) as workspace:
            workspace.refresh()
            for checked in workspace.check([path]):
                for finding in checked.findings:
                    if codes and finding.code not in codes:
                        continue
                    found.append(_drawn(checked.path, checked.document.text, finding))
    return found


def _drawn(path: str, text: str, finding: Finding) -> Drawn:
    start, end = finding.span
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    end = min(end, line_end)
    before, after = text[line_start:start].lstrip()[-_WIDTH:], text[end:line_end].rstrip()[:_WIDTH]
    source = f"{before}⟦{text[start:end]}⟧{after}"
    return Drawn(path, text.count("\n", 0, start) + 1, source, finding)


def draw(found: list[Drawn], count: int, seed: int, *, distinct: bool) -> list[Drawn]:
    """``count`` findings at random; ``distinct`` leaves one of those under the same words."""
    if distinct:
        found = list({(it.finding.code, it.source): it for it in found}.values())
    found = sorted(found, key=lambda it: (it.path, it.line, it.finding.span, it.finding.code))
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    return sorted(chosen, key=lambda it: (it.path, it.line, it.finding.span))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--severity", choices=SEVERITIES, default="warning", help="the mildest")
    parser.add_argument("--select", default="", help="rule codes, separated by commas")
    parser.add_argument("--distinct", action="store_true", help="one of those that are alike")
    options = parser.parse_args()
    codes = frozenset(code for code in options.select.split(",") if code)
    found: list[Drawn] = []
    for path in options.paths:
        here = findings_of(str(Path(path).resolve()), codes)
        print(f"# {path}")
        counts = Counter((it.finding.code, it.finding.severity) for it in here)
        for (code, severity), number in sorted(counts.items()):
            print(f"{number:6} {code} {severity}")
        found += [it for it in here if at_least(it.finding.severity, options.severity)]
    print(f"# {len(found)} findings of {options.severity} or graver")
    for it in draw(found, options.count, options.seed, distinct=options.distinct):
        print(f"\n{it.path}:{it.line}\t{it.finding.severity}\t{it.finding.code}")
        print(f"  {it.finding.message}")
        print(f"  {it.source}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
