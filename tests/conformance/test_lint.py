"""Lint finds what akm 0.9.0 finds, but for a list of differences that are meant.

A finding is compared by its code, its file, and the ref, key, path or step it names; how often akm
repeats itself about one thing is not. `differences-lint.yaml` names each difference with its
reason. One that is not listed fails, in either direction, and so does a listed one that no longer
occurs.

Only codes that akm has are compared. akm-ls has more (`invalid-frontmatter`, `dead-link`,
`unknown-key` and so on), and `workflow-warning` is of a newer akm than the one recorded; neither
is a difference.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from akm_ls.lint.finding import Finding
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

from . import recorded

HERE = Path(__file__).parent

CODES = frozenset(
    {
        "unquoted-colon",
        "missing-updated",
        "stale-path",
        "missing-ref",
        "missing-name-or-type",
        "missing-category",
        "invalid-task-yaml",
        "orphaned-stub",
        "placeholder-stub",
        "invalid-workflow-structure",
        "missing-skill-md",
        "dangerous-env-key",
        "missing-type",
        "uncited-raw",
        "missing-description",
        "broken-xref",
        "broken-source",
        "skill-name-invalid",
        "skill-description-too-long",
    }
)

Fact = tuple[str, str, str]
"""File, code, and what the finding names."""

_QUOTED = re.compile(r'"([^"]*)"')


def theirs() -> set[Fact]:
    found = set()
    for bundle in recorded.BUNDLES:
        for finding in recorded.load(f"_lint-{bundle}.json")["flagged"]:
            code, detail = finding["issue"], finding["detail"]
            for subject in their_subjects(code, detail):
                found.add((f"{bundle}/{finding['file']}", code, subject))
    return found


def their_subjects(code: str, detail: str) -> Iterable[str]:
    """What a recorded finding is about, in the words that `our_subjects` uses."""
    if code == "missing-ref" and "link target not found" in detail:
        return [detail.split(": ")[2].split(" (")[0]]
    if code in ("missing-ref", "stale-path"):
        return [detail.split(": ", 1)[1].split(" (")[0]]
    if code == "missing-name-or-type" and detail.startswith("missing fields: "):
        return detail.removeprefix("missing fields: ").split(";")[0].split(", ")
    if code == "missing-name-or-type":
        return ["type"] if detail.startswith("type field") else ["name", "description"]
    if code == "invalid-task-yaml":
        keys = detail.removeprefix("missing required fields: ")
        keys = keys.replace("prompt, workflow, or command", "target")
        return [key.split(" ")[0] for key in keys.split(", ")]
    if code == "invalid-workflow-structure":
        return [_about_a_workflow(detail)]
    if code == "dangerous-env-key":
        return [detail.split("`")[1]]
    if code in ("broken-xref", "uncited-raw", "broken-source"):
        return [re.findall(r"(?:raw|pages)/\S+", detail)[0]]
    return [""]


def _about_a_workflow(detail: str) -> str:
    if detail.startswith("Workflow markdown must start"):
        return "frontmatter"
    if detail.startswith("Param "):
        return f"params.{_QUOTED.findall(detail)[0]}"
    names = _QUOTED.findall(detail.removeprefix("Unexpected level-2 heading"))
    if " inputs[" in detail:
        return names[1]
    return names[0].removeprefix("## ") or "(no id)"


def our_subjects(finding: Finding) -> Iterable[str]:
    data: dict[str, Any] = dict(finding.data)
    if finding.code == "missing-name-or-type":
        return list(data["keys"])
    if finding.code == "missing-ref":
        return [str(data["ref"])]
    if finding.code == "stale-path":
        return [str(data["path"])]
    if finding.code in ("invalid-task-yaml", "invalid-workflow-structure", "dangerous-env-key"):
        return [str(data["key"])]
    if finding.code in ("broken-xref", "uncited-raw", "broken-source"):
        return [str(data["ref"])]
    return [""]


def ours(stashes: Path, data: Path) -> Iterator[Fact]:
    for run, bundles in recorded.RUNS.items():
        settings = Settings(
            bundle_dirs=tuple(str(stashes / bundle) for bundle in bundles),
            data_dir=str(data / run),
            config="",
        )
        with Workspace.open(settings) as workspace:
            workspace.refresh()
            for checked in workspace.check():
                file = f"{checked.bundle.id}/{checked.rel}"
                for finding in checked.findings:
                    for subject in our_subjects(finding):
                        where = file
                        if finding.code == "missing-skill-md":
                            where = f"{checked.bundle.id}/{finding.data['directory']}"
                        yield where, finding.code, subject.replace(str(stashes), "${STASHES}")


@pytest.fixture(scope="module")
def linted(stashes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundles with the one absolute path in them as it is here."""
    target = tmp_path_factory.mktemp("lint") / "stashes"
    shutil.copytree(stashes, target)
    portable = target / "alpha" / "knowledge" / "sp-portable.md"
    text = portable.read_text(encoding="utf-8")
    portable.write_text(text.replace("${STASHES}", str(target)), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def differences(linted: Path, tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    # Nobody can say what is not in a directory that may not be looked into.
    hidden = () if os.access("/root", os.X_OK) else ("/root/nope",)
    before = {fact for fact in theirs() if fact[1] in CODES and fact[2] not in hidden}
    after = {fact for fact in ours(linted, tmp_path_factory.mktemp("data")) if fact[1] in CODES}
    return {
        (file, f"{sign} {code} {subject}".rstrip())
        for sign, facts in (("without", before - after), ("with", after - before))
        for file, code, subject in facts
    }


def listed() -> set[tuple[str, str]]:
    data = yaml.safe_load((HERE / "differences-lint.yaml").read_text(encoding="utf-8"))
    found: list[tuple[str, str]] = []
    for group in data:
        assert group["reason"].strip()
        found += [
            (entry["where"], what) for entry in group["differences"] for what in entry["what"]
        ]
    assert len(set(found)) == len(found), "a difference is listed twice"
    return set(found)


def test_findings_are_the_same(differences: set[tuple[str, str]]) -> None:
    expected = listed()
    assert sorted(differences - expected) == [], "not listed"
    assert sorted(expected - differences) == [], "listed, but no longer so"


def test_most_recorded_findings_are_found(differences: set[tuple[str, str]]) -> None:
    before = theirs()
    lost = [what for _, what in differences if what.startswith("without ")]
    assert len(before) > 150
    assert len(lost) < len(before) / 2


def test_what_is_recorded_is_understood() -> None:
    """A detail that is read wrongly would look like two differences."""
    for file, code, subject in theirs():
        assert code in CODES, (file, code)
        assert subject or code in (
            "unquoted-colon",
            "missing-updated",
            "missing-category",
            "orphaned-stub",
            "placeholder-stub",
            "missing-skill-md",
            "missing-type",
            "missing-description",
        ), (file, code)
