"""``akm-ls check``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import Run, write

GONE = (
    "---\ndescription: Cites what is not there.\n---\n\n# N\n\nsee team//knowledge/auth/tokenz.\n"
)
TWICE = (
    "---\ndescription: Lists one ref twice.\n"
    "xrefs:\n  - skills/review\n  - skills/review\n---\n\n# T\n"
)
COLON = "---\ndescription: Fridays: no deploys\n---\n\n# C\n"


def test_a_clean_bundle_is_said_to_be_clean(akm: Run) -> None:
    ran = akm("check")
    assert ran.code == 0
    assert ran.out.startswith("No findings: checked ")
    assert ran.err == ""


def test_findings_have_a_place_and_exit_code_one(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE})
    ran = akm("check")
    assert ran.code == 1
    first, source, carets = ran.out.splitlines()[:3]
    assert first.startswith("knowledge/notes.md:7:5: warning[missing-ref] ")
    assert "team//knowledge/auth/tokens" in first
    assert source == "    7 | see team//knowledge/auth/tokenz."
    assert carets == "      |     " + "^" * len("team//knowledge/auth/tokenz")


def test_paths_narrow_what_is_checked(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE})
    assert akm("check", "skills").code == 0
    assert akm("check", "knowledge/auth/tokens.md", "skills").code == 0
    assert akm("check", "knowledge").code == 1
    assert akm("check", "knowledge/notes.md").code == 1
    assert akm("check", str(team.parent)).code == 1


def test_refs_are_right_although_only_one_file_is_checked_and_nothing_was_indexed(
    akm: Run, team: Path
) -> None:
    assert akm("check", "skills/review/SKILL.md").code == 0
    (team / "knowledge/auth/tokens.md").unlink()
    ran = akm("check", "skills/review/SKILL.md")
    assert ran.code == 1
    assert "missing-ref" in ran.out


def test_rules_are_selected_and_ignored(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE, "knowledge/twice.md": TWICE})
    both = akm("check", "--format", "json").json
    assert {f["code"] for f in both["findings"]} == {"missing-ref", "duplicate-ref"}
    only = akm("check", "--format", "json", "--select", "duplicate-ref").json
    assert {f["code"] for f in only["findings"]} == {"duplicate-ref"}
    assert akm("check", "--ignore", "missing-ref,duplicate-ref").code == 0
    assert akm("check", "--ignore", "missing-ref", "--ignore", "duplicate-ref").code == 0


def test_an_unknown_rule_is_wrong_usage(akm: Run) -> None:
    ran = akm("check", "--select", "mising-ref")
    assert ran.code == 2
    assert ran.err == "akm-ls: --select: no rule is called mising-ref, did you mean missing-ref?\n"
    assert ran.out == ""


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("missing_ref", "did you mean missing-ref?"),
        ("ref", "did you mean duplicate-ref, legacy-ref, missing-ref?"),
        ("zzz", "(all are in https://"),
    ],
)
def test_an_unknown_rule_is_answered_with_the_nearest_ones(
    akm: Run, asked: str, answer: str
) -> None:
    for option in ("--select", "--ignore"):
        ran = akm("check", option, asked)
        assert (ran.code, ran.out) == (2, "")
        assert answer in ran.err
        assert ran.err.count("\n") == 1


@pytest.mark.parametrize("nothing", ["", ",", " , "])
def test_a_selection_of_no_rule_is_wrong_usage(akm: Run, nothing: str) -> None:
    ran = akm("check", "--select", nothing)
    assert ran.code == 2
    assert "--select names no rule" in ran.err


def test_severity_is_what_is_shown_and_what_fails(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE})
    ran = akm("check", "--severity", "error", "--select", "missing-ref")
    assert ran.code == 0
    assert "milder finding" in ran.out
    assert akm("check", "--severity", "hint").code == 1
    assert akm("check", "--exit-zero").code == 0


def test_json_is_one_document_with_the_promised_fields(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE.replace("see", "see 😀")})
    ran = akm("check", "--format", "json")
    assert ran.code == 1
    document = ran.json
    [finding] = document["findings"]
    assert finding["file"] == "knowledge/notes.md"
    assert finding["path"] == str(team / "knowledge" / "notes.md")
    assert finding["bundle"] == "team"
    assert finding["source"] == "akm"
    assert finding["range"] == {
        "start": {"line": 6, "character": 7},
        "end": {"line": 6, "character": 34},
    }
    assert document["summary"]["warning"] == 1
    assert document["summary"]["bundles"] == 1


def test_safe_fixes_are_written_and_counted(akm: Run, team: Path) -> None:
    write(team, {"knowledge/colon.md": COLON})
    diff = akm("check", "--diff")
    assert diff.code == 1
    assert "-description: Fridays: no deploys\n+description: " in diff.out
    assert (team / "knowledge/colon.md").read_text() == COLON
    assert akm("check", "--diff", "--format", "json").json["diff"] == diff.out
    ran = akm("check", "--fix")
    assert ran.code == 0
    assert "Fixed 1 finding." in ran.out
    fixed = (team / "knowledge/colon.md").read_text()
    assert fixed == COLON.replace("Fridays: no deploys", '"Fridays: no deploys"')
    assert akm("check", "--fix").out.startswith("No findings")


def test_nothing_is_fixable_in_a_read_only_bundle(akm: Run, team: Path, tmp_path: Path) -> None:
    write(team, {"knowledge/colon.md": COLON})
    config = tmp_path / "config.json"
    config.write_text(
        f'{{"bundles": {{"team": {{"path": "{team.as_posix()}", "writable": false}}}}}}'
    )
    [finding] = akm("--config", str(config), "check", "--format", "json").json["findings"]
    assert (finding["code"], finding["fixable"]) == ("unquoted-colon", False)
    for mode in ("--fix", "--diff"):
        ran = akm("--config", str(config), "check", mode)
        assert ran.code == 1
        assert "can be fixed" not in ran.out
        assert "not fixed, the bundle team is read-only" in ran.err
    assert (team / "knowledge/colon.md").read_text() == COLON


def test_a_path_outside_every_bundle_is_unusable(akm: Run, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"notes.md": "x//y\n"})
    ran = akm("check", str(elsewhere))
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "is in no bundle" in ran.err
    assert ran.out == ""
    ran = akm("check", str(elsewhere), ".")
    assert ran.code == 0
    assert "not checked" in ran.err


NOT_CHECKED = {
    "secrets/token": "a secret, which is never opened",
    "env/prod.env": "marked as sensitive, so never opened",
    "knowledge/huge.md": "more than the 10,485,760 that are read",
    "knowledge/pipe.md": "not a regular file",
    "knowledge/hangs.md": "No such file or directory",
    "scripts/run.sh": "no rule is for such files",
    "node_modules/a.md": "not part of its bundle",
}
UNREADABLE = ("knowledge/huge.md", "knowledge/pipe.md", "knowledge/hangs.md")


@pytest.fixture
def unchecked(team: Path) -> Path:
    """The bundle with one file for each reason not to check it."""
    write(team, {"env/prod.sensitive": "", "scripts/run.sh": "true\n", "node_modules/a.md": "A\n"})
    os.mkfifo(team / "knowledge/pipe.md")
    (team / "knowledge/hangs.md").symlink_to("nowhere.md")
    with open(team / "knowledge/huge.md", "wb") as file:
        file.truncate(12_000_000)
    return team


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize(("rel", "reason"), NOT_CHECKED.items())
def test_a_named_file_that_is_not_checked_does_not_pass(
    akm: Run, unchecked: Path, rel: str, reason: str
) -> None:
    ran = akm("check", rel)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"akm-ls: {rel}: not checked, ")
    assert reason in ran.err
    assert ran.err.count("\n") == 1

    beside = akm("check", rel, "skills", "--format", "json")
    assert beside.code == (2 if rel in UNREADABLE else 0)
    assert f"{rel}: not checked, " in beside.err
    assert any(reason in warning for warning in beside.json["warnings"])

    hook = akm("check", "--skip-outside", rel, "skills")
    assert (hook.code, "not checked" in hook.err) == (
        (2, True) if rel in UNREADABLE else (0, False)
    )


NOTHING_INSIDE = {
    "emptydir": "no file below it is checked",
    "pictures/": "no file below it is checked",
    "secrets/": "what is below it is secret",
    "skills/t/SKILL.md": "it is a directory",
    "node_modules": "no file below it is checked",
}


@pytest.mark.parametrize(("rel", "reason"), NOTHING_INSIDE.items())
@pytest.mark.parametrize("mode", [[], ["--fix"], ["--diff"], ["--format", "json"]])
def test_a_named_directory_without_a_file_to_check_does_not_pass(
    akm: Run, team: Path, rel: str, reason: str, mode: list[str]
) -> None:
    write(team, {"pictures/a.png": "", "node_modules/a.md": "A\n"})
    (team / rel).mkdir(parents=True, exist_ok=True)
    ran = akm("check", rel, *mode)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"akm-ls: {rel}: nothing to check, {reason}")
    assert ran.err.count("\n") == 1

    beside = akm("check", rel, "knowledge", *mode)
    assert beside.code == 0
    said = beside.json["warnings"] if "json" in mode else [beside.err]
    assert any(f"{rel}: nothing to check, {reason}" in line for line in said)
    assert akm("check", "--skip-outside", rel, *mode).code == 0


def test_an_empty_bundle_is_clean_unless_it_is_named(
    akm: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = write(tmp_path / "empty", {"knowledge/.keep": ""})
    monkeypatch.chdir(empty)
    ran = akm("--bundle-dir", str(empty), "check")
    assert (ran.code, ran.err) == (0, "")
    assert akm("--bundle-dir", str(empty), "check", ".").code == 2


def test_a_path_that_does_not_exist_is_unusable(akm: Run) -> None:
    ran = akm("check", "nope.md")
    assert ran.code == 2
    assert ran.err == "akm-ls: nope.md: no such file or directory\n"


def test_without_any_bundle_there_is_nothing_to_check(
    akm: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    ran = akm("check")
    assert ran.code == 2
    assert "no bundle found here" in ran.err


def test_configured_bundles_are_checked_from_anywhere(
    akm: Run, alone: Path, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(team, {"knowledge/notes.md": GONE})
    config = tmp_path / "config.json"
    config.write_text(f'{{"bundles": {{"team": {{"path": "{team.as_posix()}"}}}}}}')
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    ran = akm("check", "--config", str(config))
    assert ran.code == 1
    assert "checking 1 configured bundle" in ran.err
    assert str(team) in ran.out


def test_bundle_dir_names_exactly_what_is_checked(
    akm: Run, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(team, {"knowledge/notes.md": GONE})
    other = write(tmp_path / "other", {"anything/n.md": "see other//knowledge/gone\n"})
    assert akm("--bundle-dir", str(other), "check", str(team)).code == 2
    ran = akm("--bundle-dir", str(other), "check", "--format", "json")
    assert {f["bundle"] for f in ran.json["findings"]} == {"other"}


def test_secrets_are_not_checked_and_values_are_not_printed(akm: Run, team: Path) -> None:
    write(team, {"secrets/x.md": "team//knowledge/gone marker-secret", "env/x.env": "PATH=marker"})
    for output_format in ("text", "json", "sarif", "github"):
        ran = akm("check", "--severity", "hint", "--format", output_format)
        assert "marker" not in ran.out + ran.err


def test_a_bundles_own_settings_count_and_their_faults_are_told(akm: Run, team: Path) -> None:
    write(team, {"knowledge/notes.md": GONE, ".akm-ls.toml": "[lint.rules]\nmissing-ref = false\n"})
    assert akm("check").code == 0
    write(team, {".akm-ls.toml": "[lint.rules]\nmissing-ref = 'loud'\n"})
    ran = akm("check")
    assert ran.code == 1
    assert f'warning: {team / ".akm-ls.toml"}: lint.rules.missing-ref: "loud"' in ran.err
    assert any(
        "missing-ref" in warning for warning in akm("check", "--format", "json").json["warnings"]
    )


def test_a_place_that_cannot_be_written_keeps_nobody_from_checking(
    akm: Run, team: Path, tmp_path: Path
) -> None:
    write(team, {"knowledge/a.md": "See team//knowledge/gone.\n"})
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    ran = akm("--bundle-dir", str(team), "--data-dir", str(blocked / "data"), "check")
    assert ran.code == 1 and "team//knowledge/gone" in ran.out
    assert "the index of this run is not kept" in ran.err
