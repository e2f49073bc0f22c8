"""For every rule: its example fires, a near miss does not, and its fix gives what was meant.

The examples are the rules' own (``Rule.example``); the rest is in ``data/rule_cases.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from akm_ls.bundles.bundle import Bundle
from akm_ls.documents.document import kind_of, parse
from akm_ls.lint.engine import CODES, lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits
from akm_ls.lint.pages import Shown, best_fix
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import ALL_RULES
from akm_ls.lint.settings import LintSettings
from akm_ls.workspace import Settings, Workspace

CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "data" / "rule_cases.yaml").read_text(encoding="utf-8")
)
RULES: dict[str, Rule] = {}
for _rule in ALL_RULES:
    RULES.setdefault(_rule.code, _rule)  # of rules with one code the first is the main one
each_code = pytest.mark.parametrize("code", sorted(CODES))


@dataclass(frozen=True)
class Run:
    """The findings of one rule in one document, and the root of its bundle."""

    findings: tuple[Finding, ...]
    root: Path


def run(
    root: Path, rule: Rule, text: str, path: str = "", around: Mapping[str, str] | None = None
) -> Run:
    """What a rule says of a document, wherever ``rule`` needs it under the portable profile."""
    rel = path or rule.example_path
    files = {**rule.around, **(around or {}), rel: text}
    for name, content in files.items():
        file = root / "team" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
    beside = sorted({name.split("/")[1] for name in files if name.startswith("../")})
    settings = Settings(
        bundle_dirs=(str(root / "team"), *(str(root / name) for name in beside)),
        data_dir=str(root / "data"),
        config="",
    )
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        bundle: Bundle = workspace.bundles.bundles[0]
        subject = Subject(
            parse(text, kind_of(rel)),
            bundle.path_of(rel),
            rel,
            bundle,
            workspace.bundles,
            workspace.complete_catalog,
            LintSettings({} if rule.default else {rule.code: rule.severity}),
            workspace.surroundings,
        )
        return Run(lint(subject, (rule,)), root / "team")


def replaced(text: str, replacements: Mapping[str, str]) -> str:
    for old, new in replacements.items():
        assert old in text, f"{old!r} is not in the example"
        text = text.replace(old, new, 1) if old.endswith("\n") else text.replace(old, new)
    return text


def test_every_rule_has_its_cases() -> None:
    assert sorted(CASES) == sorted(CODES)


@each_code
def test_the_example_fires_and_the_near_miss_does_not(code: str, tmp_path: Path) -> None:
    rule, case = RULES[code], CASES[code]
    assert run(tmp_path / "fires", rule, rule.example).findings
    near = replaced(rule.example, case["near"])
    around = case.get("around") if not case["near"] else None
    assert near != rule.example or around or case.get("path"), "the example itself is no near miss"
    missed = run(tmp_path / "near", rule, near, case.get("path", ""), around)
    assert missed.findings == ()


@each_code
def test_the_fix_gives_what_was_meant(code: str, tmp_path: Path) -> None:
    rule, case = RULES[code], CASES[code]
    broken = replaced(rule.example, case.get("broken", {}))
    around = case.get("around") if case["near"] else None
    done = run(tmp_path / "broken", rule, broken, around=around)
    assert done.findings
    finding = next((found for found in done.findings if found.fixes), done.findings[0])
    wanted = case["fix"]
    if wanted == "by hand":
        assert finding.fixes == ()
        return
    fix = finding.fixes[0]
    if wanted == "deletes":
        assert [Path(path).relative_to(done.root.resolve()).as_posix() for path in fix.deletes] == [
            rule.example_path
        ]
        assert not fix.edits and not fix.safe
        return
    mended = apply_edits(broken, fix.edits)
    expected = {
        old: new.replace("TODAY", fix.title.partition(": ")[2].rstrip("`"))
        for old, new in wanted.items()
    }
    assert mended == replaced(broken, expected)
    assert [Path(path).relative_to(done.root.resolve()).as_posix() for path in fix.elsewhere] == (
        [case["also"]] if "also" in case else []
    )
    if "also" not in case:
        after = run(tmp_path / "mended", rule, mended, around=around)
        assert len(after.findings) < len(done.findings), "the fix leaves the fault"


@each_code
def test_the_page_promises_the_fix_there_is(code: str, tmp_path: Path) -> None:
    """A page that says "by hand" of a rule with a fix keeps people from it."""
    rule, case = RULES[code], CASES[code]
    shown: list[Shown] = []
    for number, replacements in enumerate(({}, case.get("broken", {}))):
        around = case.get("around") if case["near"] and number else None
        text = replaced(rule.example, replacements)
        for found in run(tmp_path / str(number), rule, text, around=around).findings:
            fixes = tuple((fix.title, fix.unasked) for fix in found.fixes)
            shown.append(Shown(found.severity, found.message, 1, 1, fixes))
    best = "safe" if any(safe for one in shown for _, safe in one.fixes) else "offered"
    best = best if any(one.fixes for one in shown) else "by hand"
    kinds = ("by hand", "offered", "safe")
    assert kinds.index(best) <= kinds.index(best_fix(rule, shown))
