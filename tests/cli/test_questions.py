"""``index``, ``search``, ``show``, ``refs`` and ``doctor``."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run, write


def test_index_says_what_it_did(akm: Run, team: Path) -> None:
    ran = akm("index")
    assert ran.code == 0
    assert ran.out.startswith("Indexed 4 assets in 1 bundle from ")
    assert "4 added" in ran.out
    write(team, {"knowledge/new.md": "# New\n"})
    report = akm("index", "--format", "json").json
    assert (report["added"], report["changed"], report["removed"]) == (1, 0, 0)
    assert report["entries"] == 5
    assert akm("index", "--full", "--format", "json").json["mode"] == "full"
    assert akm("index", "--clean", "--format", "json").json["entries"] == 5


def test_the_index_is_where_data_dir_says(akm: Run, tmp_path: Path) -> None:
    place = tmp_path / "deep" / "index"
    akm("--data-dir", str(place), "index")
    assert akm("doctor", "--data-dir", str(place), "--format", "json").json["index"]["entries"] == 4
    assert (place / "akm-ls.db").exists()


def test_search_lists_hits_with_reasons(akm: Run) -> None:
    ran = akm("search", "rotate", "tokens")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "1. team//knowledge/auth/tokens  knowledge"
    assert lines[1] == "   How tokens are rotated."
    assert lines[2].startswith("   why: ")
    assert lines[-1] == "3 hits."


def test_search_quotes_what_has_no_description(akm: Run, team: Path) -> None:
    write(team, {"commands/pay.md": "# Paying\n\nPay the zebra at once.\n"})
    lines = akm("search", "zebra").out.splitlines()
    assert lines[:2] == ["1. team//commands/pay  command", "   Pay the zebra at once."]


def test_search_finds_what_was_written_a_moment_ago(akm: Run, team: Path) -> None:
    assert akm("search", "zebra").code == 1
    write(team, {"knowledge/zebra.md": "# Zebra\n"})
    assert akm("search", "zebra").code == 0


def test_search_prefers_the_project_of_the_current_directory(
    akm: Run, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(team, {f"memories/{name}/deploy.md": "# Deploying\n" for name in ("bakery", "orchard")})
    for name in ("bakery", "orchard"):
        (tmp_path / "code" / name).mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "code" / name)
        ran = akm("search", "deploying", "--bundle-dir", str(team), "--format", "json")
        assert ran.json["hits"][0]["conceptId"] == f"memories/{name}/deploy"


def test_search_with_no_words_lists_everything(akm: Run) -> None:
    assert akm("search", "--format", "json").json["total"] == 4
    assert akm("search", "--type", "skill", "--format", "json").json["total"] == 1
    assert akm("search", "--limit", "2").out.splitlines()[-1] == "4 hits, 2 shown."


def test_search_that_finds_nothing_says_so(akm: Run) -> None:
    ran = akm("search", "xylophone")
    assert (ran.code, ran.out.splitlines()[0]) == (1, "Nothing found for 'xylophone'.")
    ran = akm("search", "xylophone", "--format", "json")
    assert (ran.code, ran.json["hits"]) == (1, [])


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_who_asks_for_the_meaning_is_told_why_there_is_none(akm: Run, mode: str) -> None:
    told = [line for line in akm("search", "rotate", "--mode", mode).out.splitlines() if line]
    (line,) = [line for line in told if "by meaning" in line]
    assert line.startswith("Searched by words, not by meaning: no embedding model configured. Name")
    assert "akm-ls index --embed" in line
    assert "by meaning" not in akm("search", "rotate").out


def test_search_in_an_unknown_bundle_is_wrong_usage(akm: Run) -> None:
    ran = akm("search", "x", "--bundle", "nope")
    assert ran.code == 2
    assert "there is team" in ran.err


def test_show_prints_a_card_and_the_content(akm: Run) -> None:
    ran = akm("show", "knowledge/auth/tokens")
    assert ran.code == 0
    assert ran.out.startswith("team//knowledge/auth/tokens  knowledge\nHow tokens are rotated.\n")
    assert "cited by: 1 asset (team//skills/review)" in ran.out
    assert "file: knowledge/auth/tokens.md" in ran.out
    assert "Issue, wait, revoke." in ran.out


def test_show_prints_one_section(akm: Run) -> None:
    ran = akm("show", "team//skills/review#steps")
    assert ran.code == 0
    assert ran.out.startswith("team//skills/review#steps  skill\n")
    assert ran.out.endswith("## Steps\n\nSee team//knowledge/auth/tokens#rotate.\n")


def test_show_of_something_unknown_suggests_what_is_near(akm: Run) -> None:
    ran = akm("show", "knowledge/auth/tokenz")
    assert ran.code == 1
    assert ran.out == ""
    assert "team//knowledge/auth/tokens" in ran.err
    assert ran.err.count("\n") == 1
    answer = akm("show", "knowledge/auth/tokenz", "--format", "json")
    assert answer.code == 1
    assert answer.json["error"]["code"] == "ASSET_NOT_FOUND"
    assert answer.json["error"]["suggestions"] == ["team//knowledge/auth/tokens"]


@pytest.mark.parametrize("command", ["show", "refs"])
def test_the_beginning_of_a_name_suggests_what_goes_on_so(akm: Run, command: str) -> None:
    ran = akm(command, "knowledge/auth/tok")
    assert ran.code == 1
    assert "id you mean team//knowledge/auth/tokens?" in ran.err


@pytest.mark.parametrize("command", ["show", "refs"])
def test_what_is_no_ref_is_unusable(akm: Run, command: str) -> None:
    ran = akm(command, "../outside")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1


def test_values_and_secrets_stay_in_their_files(akm: Run, alone: Path) -> None:
    shown = [akm("show", ref) for ref in ("env/prod", "secrets/token")]
    shown += [akm("show", ref, "--format", "json") for ref in ("env/prod", "secrets/token")]
    shown += [akm("search", query) for query in ("API_KEY", "marker", "token")]
    assert [ran.code for ran in shown[:2]] == [0, 0]
    assert "keys: API_KEY" in shown[0].out
    assert not any("marker-" in ran.out + ran.err for ran in shown)
    for file in alone.rglob("*"):
        assert not file.is_file() or b"marker-" not in file.read_bytes()


def test_control_characters_in_content_do_not_reach_the_terminal(akm: Run, team: Path) -> None:
    write(team, {"knowledge/evil.md": "# E\n\n\x1b[2Jcleared\n\tindented\n"})
    out = akm("show", "knowledge/evil").out
    assert "\\x1b[2Jcleared\n\tindented\n" in out
    assert "\x1b" not in out
    json_out = akm("show", "knowledge/evil", "--format", "json")
    assert "\x1b" not in json_out.out
    assert "\x1b[2J" in json_out.json["content"]


def test_refs_lists_who_cites(akm: Run) -> None:
    ran = akm("refs", "knowledge/auth/tokens")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "skills/review/SKILL.md:10:5: team//knowledge/auth/tokens#rotate  prose",
        "1 citation in 1 file.",
    ]
    answer = akm("refs", "skills/review", "--format", "json").json
    [place] = answer["references"]
    assert place["channel"] == "xrefs"
    assert place["range"]["start"] == {"line": 4, "character": 4}


def test_refs_of_what_nothing_cites(akm: Run) -> None:
    ran = akm("refs", "env/prod")
    assert (ran.code, ran.out, ran.err) == (1, "", "akm-ls: nothing cites env/prod\n")
    answer = akm("refs", "env/prod", "--format", "json").json
    assert (answer["found"], answer["target"], answer["total"]) == (True, "team//env/prod", 0)


def test_refs_of_what_does_not_exist_says_so(akm: Run, team: Path) -> None:
    ran = akm("refs", "skills/revue")
    assert (ran.code, ran.out) == (1, "")
    problem = "skills/revue leads nowhere, did you mean team//skills/review?"
    assert ran.err == f"akm-ls: {problem} Nothing cites it.\n"
    asked = akm("refs", "skills/revue", "--format", "json")
    assert asked.code == 1
    answer = asked.json
    assert (answer["found"], answer["target"], answer["total"]) == (False, None, 0)
    assert answer["suggestions"] == ["team//skills/review"]
    assert answer["warnings"] == [problem]


def test_broken_citations_are_listed_as_such(akm: Run, team: Path) -> None:
    write(team, {"knowledge/old.md": "See team//knowledge/gone, team//skills/review#stepz.\n"})
    ran = akm("refs", "team//knowledge/gone")
    assert ran.code == 0
    assert ran.out.startswith("knowledge/old.md:1:5: team//knowledge/gone  prose\n")
    assert "team//knowledge/gone leads nowhere" in ran.err
    assert "These citations are broken." in ran.err
    answer = akm("refs", "skills/review#stepz", "--format", "json").json
    assert (answer["found"], answer["target"]) == (False, "team//skills/review")
    assert answer["suggestions"] == ["steps"]
    answer = akm("refs", "nobody//knowledge/gone", "--format", "json").json
    assert 'no bundle is named "nobody"' in answer["warnings"][0]


def test_refs_from_files_that_are_no_assets(akm: Run, team: Path) -> None:
    write(team, {"README.md": "# Team\n\nStart at team//skills/review.\n"})
    ran = akm("refs", "skills/review")
    assert ran.out.splitlines() == [
        "README.md:3:10: team//skills/review  prose",
        "knowledge/auth/tokens.md:5:5: skills/review  xrefs",
        "2 citations in 2 files.",
    ]
    sources = [
        place["ref"]
        for place in akm("refs", "skills/review", "--format", "json").json["references"]
    ]
    assert sources == [str(team / "README.md"), "team//knowledge/auth/tokens"]
    assert akm("show", "skills/review", "--format", "json").json["citedBy"] == {
        "total": 1,
        "refs": ["team//knowledge/auth/tokens"],
    }


def test_doctor_says_what_is_there_and_why(akm: Run, team: Path) -> None:
    akm("index")
    out = akm("doctor").out
    assert "team  akm, found in this directory, writable, 4 assets" in out
    assert "akm-ls.db" in out
    assert "python: 3." in out
    report = akm("doctor", "--format", "json").json
    assert report["bundles"][0]["root"] == str(team)
    assert report["index"]["bytes"] > 0
    assert report["semantic"]["status"] == "off"
    assert report["notes"]


def test_doctor_explains_a_directory_that_is_no_bundle(
    akm: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    ran = akm("doctor")
    assert ran.code == 0
    assert f"{empty}: not a bundle" in ran.out


def test_the_first_question_after_the_index_was_deleted_makes_it_again(
    akm: Run, alone: Path
) -> None:
    before = akm("search", "tokens").out
    (database,) = alone.rglob("akm-ls.db")
    for path in database.parent.glob("akm-ls.db*"):
        path.unlink()
    assert akm("refs", "knowledge/auth/tokens").code == 0
    assert akm("search", "tokens").out == before
