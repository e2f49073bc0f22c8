"""``context`` and ``commands``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run, write


def test_context_prints_evidence_and_where_it_stands(akm: Run, team: Path) -> None:
    ran = akm("context", "rotate", "tokens")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("1. team//knowledge/auth/tokens")
    assert any(f"{(team / 'knowledge/auth/tokens.md').as_uri()}:" in line for line in lines)
    assert lines[-1].endswith(" of 1,200 tokens.")


def test_a_pack_as_json_is_no_longer_than_it_says(akm: Run) -> None:
    ran = akm("context", "tokens", "--max-tokens", "800", "--max-items", "1", "--format", "json")
    assert ran.code == 0
    assert ran.out.count("\n") == 1
    budgets = ran.json["budgets"]
    assert len(ran.out) / 4 <= budgets["estimated_tokens"] + 1
    assert budgets["estimated_tokens"] <= 800
    assert budgets["items_included"] == 1


def test_a_pack_of_nothing_is_exit_code_one(akm: Run) -> None:
    ran = akm("context", "xylophone")
    assert (ran.code, ran.out.splitlines()[0]) == (
        1,
        "Nothing matched: try other words, or `akm-ls index` if the files are new. "
        + ran.out.rpartition(". ")[2].strip(),
    )
    ran = akm("context", "xylophone", "--format", "json")
    assert (ran.code, ran.json["evidence"]) == (1, [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tokens", "--max-tokens", "799"], "--max-tokens must be at least 800, not 799"),
        (["--purpose", "proposal", "tokens"], "a proposal needs a topic"),
        ([], "a context pack needs a query"),
        (["tokens", "--bundle", "nope"], "no such bundle; there is team"),
    ],
)
def test_what_cannot_be_packed_is_wrong_usage(akm: Run, arguments: list[str], said: str) -> None:
    ran = akm("context", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_pack_that_does_not_fit_says_what_to_do(akm: Run) -> None:
    ran = akm("context", "tokens", "🦦" * 290, "--max-tokens", "800")
    assert (ran.code, ran.out) == (2, "")
    assert "increase --max-tokens" in ran.err


def test_duplicates_are_named_by_their_numbers(akm: Run, team: Path) -> None:
    same = "---\ndescription: Otters swim.\n---\n\n# Otters\n\nThey swim.\n"
    write(team, {"knowledge/a.md": same, "knowledge/b.md": same})
    ran = akm("context", "otters", "--dedupe", "--max-tokens", "3000")
    assert "1, 2 say the same (medium confidence)." in ran.out
    assert "say the same" not in akm("context", "otters").out


def test_commands_lists_what_does_it(akm: Run, team: Path) -> None:
    ran = akm("commands", "review", "a", "change")
    assert ran.code == 0
    assert ran.out.splitlines()[:3] == [
        "1. team//skills/review  skill  write",
        "   Review a change before it is merged.",
        "   read: akm-ls show team//skills/review",
    ]
    found = akm("commands", "who", "cites", "this", "--format", "json").json
    assert found["mode"] == "lexical"
    assert found["hits"][0]["key"] == "akm.references"
    assert found["hits"][0]["cli"] == "akm-ls refs REF"


def test_commands_by_effect_and_scope(akm: Run) -> None:
    found = akm("commands", "index", "--effect", "write", "--format", "json").json
    assert {hit["effect"] for hit in found["hits"]} == {"write"}
    found = akm("commands", "review", "index", "--scope", "assets", "--format", "json").json
    assert [hit["key"] for hit in found["hits"]] == ["team//skills/review"]


def test_no_command_is_exit_code_one(akm: Run) -> None:
    ran = akm("commands", "xylophone")
    assert (ran.code, ran.out) == (1, "Nothing found for 'xylophone'.\n")
    assert akm("commands", "?!").code == 1


def test_the_commands_of_akm_ls_are_there_without_a_bundle(
    akm: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert "akm-ls check" in akm("commands", "find", "broken", "links").out


def test_nothing_hidden_is_in_a_pack_or_among_the_commands(akm: Run) -> None:
    ran = [akm("context", word, "--format", "json") for word in ("API_KEY", "token", "marker")]
    ran += [akm("commands", word, "--format", "json") for word in ("API_KEY", "token", "marker")]
    assert not any("marker-" in json.dumps(one.json) for one in ran)
