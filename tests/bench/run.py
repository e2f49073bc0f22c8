"""Measures the real server, over stdio, on a generated bundle; prints a table and JSON.

    .venv/bin/python tests/bench/run.py --assets 20000 --json bench.json
    .venv/bin/python tests/bench/run.py --only start,warm
    .venv/bin/python tests/bench/run.py --hybrid --assets 100000 --keep /tmp/bench-100000

Values are medians unless the row says p95, beside their budgets. Machines are noisy: compare
what was measured in one sitting. The exit code is 1 if a budget was missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from generate import generate
from measures import EXTRA, SECTIONS, Bench


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--assets", type=int, default=20_000)
    usual = ",".join(name for name in SECTIONS if name not in EXTRA)
    parser.add_argument("--only", default=usual, help=f"some of {', '.join(SECTIONS)}")
    parser.add_argument(
        "--hybrid", action="store_true", help="only: search by words and meaning (needs numpy)"
    )
    parser.add_argument("--keep", type=Path, help="keep bundle and index there for another time")
    parser.add_argument("--repeat", type=int, default=3, help="of what needs a new process each")
    parser.add_argument("--json", type=Path, help="write the rows to this file as well")
    options = parser.parse_args()
    only = "hybrid" if options.hybrid else options.only
    wanted = [name.strip() for name in only.split(",")]
    for name in wanted:
        if name not in SECTIONS:
            parser.error(f"--only {name}: one of {', '.join(SECTIONS)}")
    if options.assets < 1000 or options.repeat < 1:
        parser.error("at least 1000 assets and one repetition")
    if options.keep is None:
        work = tempfile.mkdtemp(prefix="akm-ls-bench-")
    else:
        work = os.path.abspath(options.keep)
        os.makedirs(work, exist_ok=True)
    try:
        root = os.path.join(work, "bench")
        made = generate(root, options.assets, write=not os.path.isdir(root))
        bench = Bench(made, work, options.repeat, keep=options.keep is not None)
        print(f"{'':64} {'measured':>10}    {'budget':>8}")
        for name in wanted:
            bench.results.section = name
            SECTIONS[name](bench)
            print(bench.results.table(name), flush=True)
    finally:
        if options.keep is None:
            shutil.rmtree(work, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(bench.results.to_json(options.assets), indent=1) + "\n")
    return 0 if all(row.holds for row in bench.results.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
