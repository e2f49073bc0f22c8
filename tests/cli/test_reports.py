"""Findings in each output format."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from akm_ls.bundles.bundle import Bundle
from akm_ls.cli.check import CheckedFile, Summary
from akm_ls.cli.check_github import GithubReport
from akm_ls.cli.check_json import JsonReport
from akm_ls.cli.check_sarif import SarifReport
from akm_ls.cli.check_text import TextReport
from akm_ls.cli.terminal import PlainPrinter, cells
from akm_ls.documents.document import kind_of
from akm_ls.documents.text import LineIndex, Span
from akm_ls.lint.finding import Finding, Related

TEXT = "# Notes\n\nsee 😀 team//knowledge/gone here\n"
REF = Span(TEXT.index("team"), TEXT.index(" here"))


def checked(root: Path, *findings: Finding, text: str = TEXT, rel: str = "a b.md") -> CheckedFile:
    bundle = Bundle("team", str(root), str(root), "akm")
    return CheckedFile(bundle.path_of(rel), rel, bundle, LineIndex(text), findings, kind_of(rel))


def missing(span: Span = REF, message: str = "No such asset.", **more: object) -> Finding:
    return Finding("missing-ref", "warning", message, span, **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def text_of(file: CheckedFile, summary: Summary | None = None) -> str:
    stream = io.StringIO()
    report = TextReport(PlainPrinter(stream, width=80))
    report.file(file)
    if summary is not None:
        report.finish(summary)
    return stream.getvalue()


def test_text_has_place_severity_code_source_and_carets(tmp_path: Path) -> None:
    related = Related(str(tmp_path / "other.md"), "this one, too")
    assert text_of(checked(tmp_path, missing(related=(related,)))) == (
        "a b.md:3:7: warning[missing-ref] No such asset.\n"
        "    3 | see 😀 team//knowledge/gone here\n"
        "      |        ^^^^^^^^^^^^^^^^^^^^\n"
        "      = other.md: this one, too\n"
    )


def test_text_names_places_in_the_same_file_by_their_line(tmp_path: Path) -> None:
    related = Related(str(tmp_path / "a b.md"), "named first", Span(0, 7))
    assert text_of(checked(tmp_path, missing(related=(related,)))).endswith(
        "      = line 1: named first\n"
    )


def test_text_counts_in_words_that_there_are(tmp_path: Path) -> None:
    found = Finding("dead-link", "information", "Gone.", REF)
    counted = {"error": 0, "warning": 0, "information": 2, "hint": 0}
    summary = Summary(files=1, bundles=1, severities=counted, shown=2, files_with_shown=1)
    last = text_of(checked(tmp_path, found, found), summary).splitlines()[-1]
    assert last == "2 information in 1 file; checked 1 file in 1 bundle."


def test_text_never_lets_a_file_speak_to_the_terminal(tmp_path: Path) -> None:
    text = "\x1b[2Jteam//knowledge/gone\n"
    finding = missing(Span(4, 24), "no \x1b[2J\x9b asset")
    shown = text_of(checked(tmp_path, finding, text=text, rel="\x1b[31m\nb.md"))
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert shown.count("\n") == 3


def test_text_shows_a_finding_in_a_line_of_megabytes_at_once(tmp_path: Path) -> None:
    text = "x" * 3_000_000 + " team//knowledge/gone " + "y" * 3_000_000
    start = text.index("team")
    shown = text_of(checked(tmp_path, missing(Span(start, start + 20)), text=text))
    assert "team//knowledge/gone" in shown
    assert len(shown) < 500


@pytest.mark.parametrize(
    ("text", "source", "marker"),
    [
        ("\tsee 日本 team//x here\n", "    see 日本 team//x here", " " * 13 + "^" * 7),
        ("é👍🏽 team//x\n", "é👍🏽 team//x", " " * 6 + "^" * 7),
        ("a\u0301 team//x\n", "a\u0301 team//x", " " * 2 + "^" * 7),
        ("see team//x\r\n", "see team//x", " " * 4 + "^" * 7),
    ],
)
def test_carets_stand_below_what_they_mean_whatever_comes_before(
    tmp_path: Path, text: str, source: str, marker: str
) -> None:
    start = text.index("team")
    lines = text_of(checked(tmp_path, missing(Span(start, start + 7)), text=text)).splitlines()
    assert lines[1] == f"    1 | {source}"
    assert lines[2] == f"      | {marker}"


def test_source_lines_fit_into_eighty_columns(tmp_path: Path) -> None:
    text = "日" * 100 + " team//knowledge/gone " + "x" * 100 + "\n"
    start = text.index("team")
    shown = text_of(checked(tmp_path, missing(Span(start, start + 20)), text=text)).splitlines()
    for line in shown[1:]:
        assert sum(cells(char) for char in line) <= 80
    at = sum(cells(char) for char in shown[1][: shown[1].index("team")])
    assert shown[2].index("^") == at
    assert shown[2].count("^") == 20


def test_an_env_files_values_are_never_shown(tmp_path: Path) -> None:
    text = "export PATH=marker-value # marker\nKEY='marker\nmarker'\n"
    at = text.index("PATH")
    key = Finding("dangerous-env-key", "warning", "Risky.", Span(at, at + 4))
    line = Finding("duplicate-ref", "warning", "Twice.", Span(0, text.index("\n")))
    inside = Finding("duplicate-ref", "warning", "Twice.", Span(len(text) - 8, len(text) - 2))
    shown = text_of(checked(tmp_path, key, line, inside, text=text, rel="env/a.env"))
    assert "marker" not in shown
    assert "    1 | export PATH=…\n      |        ^^^^\n" in shown


def test_the_summary_counts_what_is_shown_and_says_what_is_not(tmp_path: Path) -> None:
    summary = Summary(
        files=12,
        bundles=1,
        severities={"error": 0, "warning": 1, "information": 0, "hint": 3},
        shown=1,
        files_with_shown=1,
        fixable=1,
    )
    text = text_of(checked(tmp_path, missing()), summary)
    assert "\n\n1 warning in 1 file; checked 12 files in 1 bundle.\n" in text
    assert "1 can be fixed with --fix.\n" in text
    assert "3 milder findings not shown: --severity hint\n" in text
    stream = io.StringIO()
    TextReport(PlainPrinter(stream)).finish(Summary(files=1, bundles=1, fixed=2))
    assert stream.getvalue() == ("Fixed 2 findings.\nNo findings: checked 1 file in 1 bundle.\n")


def test_json_counts_from_zero_in_utf_16(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = missing(data={"ref": "team//knowledge/gone"})
    report = JsonReport()
    file = checked(tmp_path, finding)
    report.file(file)
    report.finish(Summary(files=1, bundles=1, shown=1))
    document = json.loads(capsys.readouterr().out)
    assert document["schemaVersion"] == 1
    [found] = document["findings"]
    assert found == {
        "file": "a b.md",
        "path": str(tmp_path / "a b.md"),
        "bundle": "team",
        "code": "missing-ref",
        "severity": "warning",
        "message": "No such asset.",
        "range": {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 27}},
        "data": {"ref": "team//knowledge/gone"},
        "fixable": False,
        "source": "akm",
        "related": [],
    }
    assert document["summary"]["files"] == 1
    assert document["summary"]["fixed"] == 0


def test_json_escapes_what_a_terminal_would_act_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = "\x1b \x9b \u202e \udc80 é 日本"
    report = JsonReport()
    file = checked(tmp_path, missing(message=message))
    report.file(file)
    report.finish(Summary())
    printed = capsys.readouterr().out
    assert not any(char in printed for char in "\x1b\x9b\u202e\udc80")
    assert "é 日本" in printed
    assert json.loads(printed)["findings"][0]["message"] == message


def test_github_annotations_are_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = GithubReport()
    file = checked(tmp_path, missing(message="100%: gone,\nreally"), rel="a,b:c.md")
    report.file(file)
    assert capsys.readouterr().out == (
        "::warning file=a%2Cb%3Ac.md,line=3,endLine=3,col=8,endColumn=27,title=missing-ref"
        "::100%25: gone,%0Areally\n"
    )


def test_what_could_not_be_used_is_told_in_github_annotations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    GithubReport().finish(Summary(warnings=("a.toml: lint: 100% wrong\nreally",)))
    assert capsys.readouterr().out == (
        "::warning title=akm-ls::a.toml: lint: 100%25 wrong%0Areally\n"
        "No findings: checked 0 files in 0 bundles.\n"
    )


def test_the_github_summary_counts_the_files_that_findings_are_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    GithubReport().finish(Summary(files=6, bundles=1, shown=7, files_with_shown=2))
    assert capsys.readouterr().out == "7 findings in 2 files; checked 6 files in 1 bundle.\n"


def test_github_paths_are_relative_to_the_checkout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    report = GithubReport()
    file = checked(tmp_path, missing())
    report.file(file)
    assert f"file={tmp_path.name}/a b.md," in capsys.readouterr().out


def test_sarif_has_rules_levels_and_utf_16_regions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = Related("/elsewhere/other.md", "this one, too")
    report = SarifReport()
    file = checked(tmp_path, missing(related=(outside,)))
    report.file(file)
    report.finish(Summary())
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == "2.1.0"
    [run] = document["runs"]
    [result] = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == "missing-ref"
    assert rule["shortDescription"]["text"]
    assert result["level"] == "warning"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.md", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 8, "endLine": 3, "endColumn": 28}
    assert run["columnKind"] == "utf16CodeUnits"
    related = result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]
    assert related == {"uri": "file:///elsewhere/other.md"}
