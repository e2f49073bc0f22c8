"""Write ``docs/rules/`` from the rules, running each one on its own example.

    python scripts/rule_pages.py            # write the pages
    python scripts/rule_pages.py --check    # say which ones are not current

A rule that does not fire on its example stops it: no page shows an example that is a lie.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from akm_ls.documents.document import kind_of, parse
from akm_ls.lint.engine import lint
from akm_ls.lint.pages import Shown, rule_pages
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lint.settings import LintSettings
from akm_ls.workspace import Settings, Workspace

PAGES = Path(__file__).resolve().parent.parent / "docs" / "rules"
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


class NoFinding(Exception):
    """A rule that does not fire on its own example."""


def run_example(rule: Rule) -> tuple[Shown, ...]:
    """What a rule says about its example; where it needs it, under the ``portable`` profile.

    Raises:
        NoFinding: nothing.
    """
    found = tuple(_findings(rule, portable=False)) or tuple(_findings(rule, portable=True))
    if not found:
        raise NoFinding(f"{rule.code}: does not fire on {rule.example_path} of its own example")
    return found


def _findings(rule: Rule, *, portable: bool) -> Iterator[Shown]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "team"
        for rel, text in {**rule.around, rule.example_path: rule.example}.items():
            path = root / rel
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        lint_settings = LintSettings(
            {} if rule.default else {rule.code: rule.severity}, portable=portable
        )
        beside = {rel.split("/")[1] for rel in rule.around if rel.startswith("../")}
        roots = (str(root), *(str(root.parent / name) for name in sorted(beside)))
        settings = Settings(bundle_dirs=roots, data_dir=str(Path(directory) / "data"), config="")
        with Workspace.open(settings) as workspace:
            workspace.refresh()
            document = parse(rule.example, kind_of(rule.example_path))
            bundle = workspace.bundles.bundles[0]
            subject = Subject(
                document,
                bundle.path_of(rule.example_path),
                rule.example_path,
                bundle,
                workspace.bundles,
                workspace.complete_catalog,
                lint_settings,
                workspace.surroundings,
            )
            for finding in lint(subject, (rule,)):
                line, column = document.lines.position(finding.span.start, "utf-32")
                yield Shown(
                    finding.severity,
                    _lasting(finding.message, root.parent),
                    line + 1,
                    column + 1,
                    tuple((_lasting(fix.title, root.parent), fix.unasked) for fix in finding.fixes),
                )


def _lasting(text: str, root: Path) -> str:
    """``text`` without what is another on every machine and day."""
    return _DATE.sub("YYYY-MM-DD", text.replace(str(root), "/path/to"))


def pages(rules: Sequence[Rule] = ALL_RULES) -> dict[str, str]:
    """The pages as they have to be, by file name.

    Raises:
        NoFinding: a rule does not fire on its own example.
    """
    return rule_pages([(rule, run_example(rule)) for rule in rules])


def stale(wanted: dict[str, str]) -> list[str]:
    """The names of pages that are missing, not current, or of no rule any more."""
    present = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    return sorted(name for name in {*wanted, *present} if wanted.get(name) != present.get(name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    try:
        wanted = pages()
    except NoFinding as problem:
        print(problem, file=sys.stderr)
        return 1
    changed = stale(wanted)
    if options.check:
        for name in changed:
            print(f"docs/rules/{name} is not current: run scripts/rule_pages.py")
        return 1 if changed else 0
    PAGES.mkdir(parents=True, exist_ok=True)
    for name in changed:
        if name in wanted:
            (PAGES / name).write_text(wanted[name], encoding="utf-8", newline="\n")
        else:
            (PAGES / name).unlink()
        print(f"docs/rules/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
