"""What has the shape of a ref of earlier akm versions."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse


def found(text: str) -> list[str]:
    return [legacy.span.of(text) for legacy in parse(text).legacy_refs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Follow knowledge:web-ux/rubric.\n", ["knowledge:web-ux/rubric"]),
        (
            "`skill:review`, **agent:planner**, _memory:a-b_\n",
            ["skill:review", "agent:planner", "memory:a-b"],
        ),
        (
            "team//skill:review#steps and github:o/r//workflow:x1\n",
            ["team//skill:review#steps", "github:o/r//workflow:x1"],
        ),
        ("| script:db/migrate.ts | > fact:team/x\n", ["script:db/migrate.ts", "fact:team/x"]),
        ("    lesson:indented\n", ["lesson:indented"]),
        (
            "---\nxrefs: [knowledge:a/b, 'skill:ccc']\nrefs: memory:dd\n---\n",
            ["knowledge:a/b", "skill:ccc", "memory:dd"],
        ),
        ("---\nxrefs:\n  - team//memory:old\n---\n", ["team//memory:old"]),
    ],
)
def test_they_are_found_where_refs_can_stand(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "note: this, skill: that, and skill:\n",
        "Ratio 3:4, time 10:30, key:value, type:name\n",
        "std::env::var, env::home, task:run(), env:A=1, secret:${X}\n",
        "https://example.com/skill:review and x/skill:review\n",
        "my-skill:review, subagent:planner, .skill:x1, {env:HOME}, <task:x1>\n",
        "```\nskill:review\n```\n<!-- skill:review -->\n",
        "---\ndescription: skill:review\nskill:review\n---\n",
        "---\nxrefs: ['skill:a b', 'see skill:review']\n---\n",
    ],
)
def test_other_colons_are_none(text: str) -> None:
    assert found(text) == []
