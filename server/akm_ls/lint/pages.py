"""The documentation of the rules, written from the rules themselves.

`scripts/rule_pages.py` runs every rule on its own example, hands what it found to `rule_pages` and
writes ``docs/rules/``; a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

from akm_ls.documents.document import kind_of
from akm_ls.lint.finding import Severity
from akm_ls.lint.rule import FixKind, Group, Place, Rule
from akm_ls.lint.suppression import WORDS

Documented: TypeAlias = "tuple[Rule, Sequence[Shown]]"
"""A rule, and what it said about its example."""

RULES_URL = "https://github.com/akm-language-server/akm-language-server/blob/main/docs/rules/"
"""Where the pages are published: diagnostics and SARIF link there."""

INDEX = "README.md"
_WRITTEN = (
    "<!-- Written by scripts/rule_pages.py from the rule itself: change the rule, not this. -->"
)
_LANGUAGES = {"markdown": "markdown", "yaml": "yaml", "env": "sh"}
_KINDS = {
    "markdown": "Markdown",
    "yaml": "YAML",
    "env": "env files",
    "script": "scripts",
    "other": "other files",
}
_FIXES: dict[FixKind, str] = {
    "by hand": "by hand",
    "offered": "in the editor, when you choose it",
    "safe": "where it is safe, also by `akm-ls check --fix`",
}
_MOST_LINES = 60
_TICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a rule said about its example. ``fixes`` are titles, and whether each one is safe."""

    severity: Severity
    message: str
    line: int
    column: int
    fixes: tuple[tuple[str, bool], ...] = ()


def rule_url(code: str) -> str:
    """The page of a rule."""
    return f"{RULES_URL}{code}.md"


def rule_pages(rules: Sequence[Documented]) -> dict[str, str]:
    """The pages by file name: one for each code, and the index."""
    by_code: dict[str, list[Documented]] = {}
    for rule, found in rules:
        by_code.setdefault(rule.code, []).append((rule, found))
    pages = {f"{code}.md": _page(same) for code, same in by_code.items()}
    pages[INDEX] = _index(by_code)
    return pages


def _page(rules: Sequence[Documented]) -> str:
    """One code's page. Several rules may share a code: each one has a part of its own."""
    code = rules[0][0].code
    parts = [_WRITTEN, f"# {code}"]
    for number, (rule, found) in enumerate(rules):
        parts.append(f"## Also: {rule.summary}" if number else rule.summary)
        level = "###" if number else "##"
        parts += [
            _facts(rule, found),
            f"{level} Why",
            rule.why,
            f"{level} What to do",
            rule.remedy,
            _fixes(found),
            f"{level} Example",
            *_example(rule, found),
        ]
    parts += ["## Switch it off", _switching_off([rule for rule, _ in rules])]
    parts.append("[All rules](README.md)")
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(rule: Rule, found: Sequence[Shown]) -> str:
    rows = [
        ("Severity", rule.severity),
        ("On", "always" if rule.default else "when a setting gives it a severity"),
        ("Looks at", f"{', '.join(rule.places)} of {_kinds(rule)}"),
        ("Fix", _FIXES[best_fix(rule, found)]),
    ]
    if rule.needs_catalog:
        rows.append(("Needs", "the index: silent until every bundle has been read once"))
    return "\n".join(
        ["| | |", "| --- | --- |", *(f"| {name} | {_cell(text)} |" for name, text in rows)]
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _kinds(rule: Rule) -> str:
    return ", ".join(name for kind, name in _KINDS.items() if kind in rule.kinds)


def best_fix(rule: Rule, found: Sequence[Shown]) -> FixKind:
    """The best a rule has to offer, for its example or for another document."""
    if rule.best_fix is not None:
        return rule.best_fix
    fixes = [safe for one in found for _, safe in one.fixes]
    return "safe" if any(fixes) else "offered" if fixes else "by hand"


def _fixes(found: Sequence[Shown]) -> str:
    titles = dict.fromkeys(fix for one in found for fix in one.fixes)
    if not titles:
        return ""
    lines = ["The editor offers, for the example below:", ""]
    lines += [f"- *{title}*{' (safe)' if safe else ''}" for title, safe in titles]
    return "\n".join(lines)


def _example(rule: Rule, found: Sequence[Shown]) -> Iterable[str]:
    yield f"`{rule.example_path}`:"
    yield _block(_shortened(rule.example), _LANGUAGES.get(kind_of(rule.example_path), "text"))
    if rule.around:
        yield "beside"
        for path, text in rule.around.items():
            yield f"`{path}`:"
            yield _block(text, _LANGUAGES.get(kind_of(path), "text"))
    if found:
        yield "akm-ls says:"
        yield _block(
            "".join(
                f"{rule.example_path}:{one.line}:{one.column}: "
                f"{one.severity}[{rule.code}] {one.message}\n"
                for one in found
            ),
            "text",
        )


def _shortened(text: str) -> str:
    """An example that is long because that is its fault, without most of its lines."""
    lines = text.splitlines(keepends=True)
    if len(lines) <= _MOST_LINES:
        return text
    return "".join((*lines[:8], f"… {len(lines) - 9} more lines …\n", lines[-1]))


def _block(text: str, language: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{language}\n{text}{end}{fence}"


def _switching_off(rules: Sequence[Rule]) -> str:
    code = rules[0].code
    kinds = frozenset[str]().union(*(rule.kinds for rule in rules))
    lines = []
    if "markdown" in kinds:
        lines += [
            f"- on one line: `<!-- {WORDS['line']} {code} -->` at its end, or "
            f"`<!-- {WORDS['next-line']} {code} -->` above it; in frontmatter "
            f"`# {WORDS['next-line']} {code}`",
            f"- in one file: `<!-- {WORDS['file']} {code} -->` below the frontmatter",
        ]
    if kinds & {"yaml", "env"}:
        where = " and ".join(_KINDS[kind] for kind in ("yaml", "env") if kind in kinds)
        lines.append(f"- in {where}: the same words behind a `#`")
    if any(rule.skippable for rule in rules):
        lines.append(f"- in one file, as akm has it: `lint_skip: [{code}]` in the frontmatter")
    lines += [
        f'- in one bundle: `{code} = "off"` below `[lint.rules]` in `.akm-ls.toml` at its root',
        f'- everywhere: `"akm.lint.rules": {{"{code}": "off"}}` in the editor\'s settings, '
        f"`--ignore {code}` on the command line",
    ]
    more = "More on each: [Fix and suppress](../fix-and-suppress.md)."
    return "\n".join([*lines, "", more])


def _index(by_code: Mapping[str, Sequence[Documented]]) -> str:
    parts = [
        _WRITTEN,
        "# Rules",
        f"akm-ls has {len(by_code)} rules. [Fix and suppress](../fix-and-suppress.md) says how to "
        "set their severity, how to switch them off, and which fixes are safe. A rule in *italics* "
        "is off until a setting gives it a severity.",
    ]
    for group in get_args(Group):
        same = {code: rules for code, rules in by_code.items() if rules[0][0].group == group}
        if not same:
            continue
        rows = [f"## {group.capitalize()}", ""]
        rows += ["| Rule | Severity | | Fix |", "| --- | --- | --- | --- |"]
        for code, rules in same.items():
            first, _ = rules[0]
            name = f"[{code}]({code}.md)" if first.default else f"*[{code}]({code}.md)*"
            kinds = [best_fix(rule, shown) for rule, shown in rules]
            word = max(kinds, key=list(_FIXES).index).replace("by hand", "")
            rows.append(f"| {name} | {first.severity} | {_cell(first.summary)} | {word} |")
        parts.append("\n".join(rows))
    parts += ["## Where each rule looks", _places(by_code)]
    return "\n\n".join(parts) + "\n"


def _places(by_code: Mapping[str, Sequence[Documented]]) -> str:
    """The one table of where rules look, from `Rule.places`."""
    columns = get_args(Place)
    rows = [f"| | {' | '.join(columns)} |", f"| --- |{' :-: |' * len(columns)}"]
    for code, rules in by_code.items():
        looked = {place for rule, _ in rules for place in rule.places}
        marks = ("x" if column in looked else "" for column in columns)
        rows.append(f"| [{code}]({code}.md) | {' | '.join(marks)} |")
    return "\n".join(rows)
