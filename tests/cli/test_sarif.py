"""``check --format sarif`` is SARIF 2.1.0, whatever the files hold."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from akm_ls.bundles.bundle import Bundle
from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.check_sarif import SarifReport
from akm_ls.documents.text import LineIndex, Span
from akm_ls.lint.finding import Finding, Related
from akm_ls.lint.pages import rule_url
from akm_ls.lint.rules import ALL_RULES

from .conftest import Run, write
from .sarif import LEVELS, problems


def test_the_checker_sees_faults() -> None:
    run: dict[str, Any] = {"tool": {"driver": {"name": "x", "rules": [{"id": "a"}]}}, "results": []}
    log = {"version": "2.1.0", "runs": [run]}
    assert problems(log) == []
    run["results"] = [{"ruleId": "a", "level": "hint", "message": {}, "extra": 1}]
    assert problems(log) == [
        "log.runs[0].results[0].level: 'hint' is none of ('error', 'none', 'note', 'warning')",
        "log.runs[0].results[0].message: no text",
        "log.runs[0].results[0]: extra is not known here",
    ]


def test_a_real_run_is_valid(akm: Run, team: Path) -> None:
    write(
        team,
        {
            "knowledge/a b.md": "---\ndescription: x: y\nxrefs: [knowledge/a, knowledge/a]\n---\n",
            ".akm-ls.toml": "nonsense = 1\n",
        },
    )
    ran = akm("check", "--format", "sarif", "--severity", "hint")
    assert ran.code == 1
    assert problems(ran.json) == []
    [run] = ran.json["runs"]
    assert run["results"]
    assert {result["level"] for result in run["results"]} <= LEVELS
    for result in run["results"]:
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["helpUri"] == rule_url(rule["id"])
    [notification] = run["invocations"][0]["toolConfigurationNotifications"]
    assert "nonsense" in notification["message"]["text"]


def test_every_rule_is_described_once(capsys: pytest.CaptureFixture[str]) -> None:
    SarifReport().finish(Summary())
    log = json.loads(capsys.readouterr().out)
    assert problems(log) == []
    ids = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert sorted(ids) == sorted({rule.code for rule in ALL_RULES})


def test_odd_names_and_texts_stay_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "😀 \udc80 \u2028\r\nsecond"
    names = ["ü %#?.md", "日本/a.md", os.fsdecode(b"\xff.md")]
    report = SarifReport()
    for root in (str(tmp_path), "/elsewhere"):
        bundle = Bundle("team", root, root, "akm")
        for name in names:
            finding = Finding(
                "missing-ref",
                "information",
                "no \x1b \udc80 asset",
                Span(0, len(text)),
                related=(Related(f"{root}/{name}", "here"), Related(f"{root}/b.md", "there")),
            )
            path = f"{root}/{name}"
            report.file(CheckedFile(path, name, bundle, LineIndex(text), (finding,)))
    report.finish(Summary(warnings=("odd \udc80 warning",)))
    log = json.loads(capsys.readouterr().out)
    assert problems(log) == []
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 1, "endLine": 2, "endColumn": 7}
