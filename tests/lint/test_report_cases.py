"""Small inputs made after public reports, each with the right answer.

``expect`` lists findings; with ``only`` nothing else may be at warning or above. ``fixed`` and
``fixed_contains`` are what the fixes give, ``after_fix`` says it in words.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from akm_ls.documents.document import parse
from akm_ls.lint.finding import Finding, at_least
from akm_ls.lint.fixes import apply_edits, fix_text
from akm_ls.refs import ASSET_DIRECTORIES
from akm_ls.workspace import FileFindings, Workspace
from akm_ls.workspace.settings import Settings

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "data" / "report_cases.yaml").read_text(encoding="utf-8")
)


class Found(NamedTuple):
    bundle: str
    file: str
    finding: Finding
    text: str

    @property
    def line(self) -> int:
        return parse(self.text).lines.line_of(self.finding.span.start)


def text_of(expression: str) -> str:
    """The text that a case builds of literals with ``+`` and ``*``."""

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            return left + right if isinstance(node.op, ast.Add) else left * right
        return ast.literal_eval(node)

    return str(value(ast.parse(expression, mode="eval").body))


def write(case: dict[str, Any], root: Path) -> Settings:
    trees = case.get("bundles") or {case.get("bundle", "bundle"): case["files"]}
    for name, files in trees.items():
        texts = dict(files)
        texts |= {rel: text_of(code) for rel, code in case.get("files_py", {}).items()}
        for rel, text in texts.items():
            path = root / name / rel
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        for rel, target in case.get("symlinks", {}).items():
            (root / name / rel).parent.mkdir(parents=True, exist_ok=True)
            (root / name / rel).symlink_to(target, target_is_directory=True)
    roots = tuple(str(root / name) for name in trees)
    native = any((root / name / kind).is_dir() for name in trees for kind in ASSET_DIRECTORIES)
    return Settings(
        bundle_dirs=roots if native else (),
        folders=() if native else roots,
        data_dir=str(root / "data"),
        config="",
    )


def checked(settings: Settings) -> Iterator[FileFindings]:
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        yield from workspace.check()


def place(root: Path, file: FileFindings) -> tuple[str, str]:
    """The name of the tree a file is in, and its path there."""
    tree, *rest = Path(file.path).relative_to(root.resolve()).parts
    return tree, "/".join(rest)


def is_meant(expected: dict[str, Any], found: Found) -> bool:
    finding = found.finding
    if (expected["file"], expected["code"]) != (found.file, finding.code):
        return False
    if expected.get("bundle", found.bundle) != found.bundle or expected["line"] != found.line:
        return False
    if expected.get("severity", finding.severity) != finding.severity:
        return False
    if "covers" in expected and finding.span.of(found.text) != expected["covers"]:
        return False
    suggestions = finding.data.get("suggestions", ())
    return "suggests" not in expected or expected["suggests"] in suggestions  # type: ignore[operator]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_answer_is_right(case: dict[str, Any], tmp_path: Path) -> None:
    settings = write(case, tmp_path)
    found = [
        Found(*place(tmp_path, file), finding, file.document.text)
        for file in checked(settings)
        for finding in file.findings
    ]
    meant: set[int] = set()
    for expected in case["expect"]:
        hits = [number for number, one in enumerate(found) if is_meant(expected, one)]
        assert len(hits) == expected.get("count", 1), (expected, found)
        meant.update(hits)
        if "says" in expected:
            assert expected["says"] in found[hits[0]].finding.message
    if case.get("only"):
        others = [one for number, one in enumerate(found) if number not in meant]
        assert [one for one in others if at_least(one.finding.severity, "warning")] == []


FIXED = [case for case in CASES if {"fixed", "fixed_contains", "after_fix"} & set(case)]


@pytest.mark.parametrize("case", FIXED, ids=lambda case: case["id"])
def test_the_fix_gives_what_was_meant(case: dict[str, Any], tmp_path: Path) -> None:
    settings = write(case, tmp_path)
    after: dict[str, str] = {}
    for file in checked(settings):
        wanted = {expected["code"] for expected in case["expect"]}
        findings = [finding for finding in file.findings if finding.code in wanted]
        preferred = [finding.fixes[0] for finding in findings if finding.fixes]
        if preferred:
            edits = {edit for fix in preferred for edit in fix.edits}
            after[place(tmp_path, file)[1]] = apply_edits(file.document.text, edits)
    for rel, text in case.get("fixed", {}).items():
        assert after[rel] == text
    if "fixed_contains" in case:
        assert any(case["fixed_contains"] in text for text in after.values()), after


def test_a_quoted_description_reads_as_it_was_written(tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case["id"] == "colon-space-with-quotes-inside")
    (before,) = case["files"].values()
    written = before.partition("description: ")[2].partition("\n")[0]
    settings = write(case, tmp_path)
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        (file,) = workspace.check()
        rest = (file.path, file.bundle, file.rel)
        fixed = fix_text(before, lambda text: workspace.findings_in(parse(text), *rest))
        again = fix_text(fixed.text, lambda text: workspace.findings_in(parse(text), *rest))
    frontmatter = parse(fixed.text).frontmatter
    assert frontmatter is not None and frontmatter.text("description") == written
    assert again.findings == 0 and again.text == fixed.text


def test_the_expressions_of_texts_are_read() -> None:
    assert text_of("'a' + 'b' * 3 + 'c'") == "abbbc"
