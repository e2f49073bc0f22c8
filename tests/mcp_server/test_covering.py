"""What is covered in an answer on its way out, and what is left as it is."""

from __future__ import annotations

import pytest

from akm_ls.workspace.covering import cover, cover_text

from .conftest import PASTED

SLUG = PASTED.lower().replace("_", "-")


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        (f"see #use-{SLUG}-here", "see #use-[REDACTED:github_token]-here"),
        ("#sk-ant-api03-a1b2c3d4e5f6a7b8", "#[REDACTED:anthropic_api_key]"),
        ("#akia0123456789abcdef", "#[REDACTED:aws_access_key_id]"),
        ("[REDACTED:github_token]: described", "[REDACTED:github_token]: described"),
        ("token: [REDACTED:github_token]", "token: [REDACTED:github_token]"),
        (
            "t//knowledge/use-sk-learn-pipelines-at-work",
            "t//knowledge/use-sk-learn-pipelines-at-work",
        ),
    ],
)
def test_a_key_is_covered_in_slugs_too_and_once(text: str, covered: str) -> None:
    assert cover_text(text, is_name="//" in text) == covered


def test_a_name_that_only_begins_like_a_key_can_still_be_asked_for() -> None:
    ref = "team//knowledge/sk-2024-roadmap-for-everyone"
    answer = {"ref": ref, "hits": [{"ref": ref, "n": 1, "ok": True, "none": None}]}
    assert cover(answer) == answer
    assert cover({"ref": f"team//knowledge/{PASTED}"}) == {
        "ref": "team//knowledge/[REDACTED:github_token]"
    }


def test_a_heading_that_holds_a_key_is_no_fragment() -> None:
    kept = {"slug": "use", "title": "Use", "level": 2}
    fragments = [
        kept,
        {"slug": f"use-{SLUG}", "title": "Use", "level": 2},
        {"slug": "password-hunter2hunter2", "title": "Password: hunter2hunter2", "level": 2},
        {"slug": "a", "title": "[REDACTED:github_token]", "level": 2},
    ]
    assert cover({"fragments": fragments}) == {"fragments": [kept]}
