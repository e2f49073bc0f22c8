"""Completion of the names of a workflow."""

from __future__ import annotations

import pytest
from completing import complete, labels
from editor import Editor

NAME = "team/workflows/draft.md"
HEAD = (
    "---\ntype: workflow\nparams:\n  service:\n    type: string\nsteps:\n"
    "  - id: check\n    output:\n      type: object\n      properties:\n        safe:\n"
    "          type: boolean\n"
)
TAIL = "  - id: notes\n---\n"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "  - id: next\n    map:\n      over: $0\n",
            ["params.service", "steps.check.output", "steps.check.output.safe"],
        ),
        (
            "  - id: next\n    inputs:\n      - $0\n",
            ["steps.check.output", "steps.check.output.safe"],
        ),
        (
            "  - id: next\n    inputs: [ste$0]\n",
            ["steps.check.output", "steps.check.output.safe"],
        ),
        (
            "  - id: next\n    route:\n      input: par$0\n",
            ["params.service", "steps.check.output", "steps.check.output.safe"],
        ),
        ("  - id: next\n    route:\n      default: $0\n", ["notes"]),
        (
            "  - id: next\n    route:\n      when:\n        - match: a\n          step: $0\n",
            ["notes"],
        ),
        ("  - id: next\n    unit:\n      on_error: $0\n", ["fail", "continue"]),
        ("  - id: next\n    unit:\n      isolation: $0\n", ["none", "worktree"]),
        ("  - id: next\n    map:\n      reducer: $0\n", ["collect", "vote"]),
        ("  - id: next\n    map:\n      unit:\n        on_error: $0\n", ["fail", "continue"]),
    ],
)
async def test_names_that_a_step_may_use(editor: Editor, step: str, expected: list[str]) -> None:
    await editor.start()
    assert labels(await complete(editor, NAME, HEAD + step + TAIL)) == expected


@pytest.mark.parametrize(
    "step",
    [
        "  - id: next\n    map:\n      over: params.$0\n",
        '  - id: next\n    map:\n      over: "params.$0"\n',
        "  - id: next\n    route:\n      input: params.$0\n",
    ],
)
async def test_a_dot_asks_for_the_parameters(editor: Editor, step: str) -> None:
    await editor.start()
    found = labels(await complete(editor, NAME, HEAD + step + TAIL, typed="."))
    assert "params.service" in found


@pytest.mark.parametrize("typed", ["params.", "{{params.", "${{ params."])
async def test_no_parameter_is_offered_where_akm_reads_none(editor: Editor, typed: str) -> None:
    """Each step has all of them already: as an input one is an error, in prose plain words."""
    await editor.start()
    step = f"  - id: next\n    inputs:\n      - {typed}$0\n"
    assert "params.service" not in labels(await complete(editor, NAME, HEAD + step + TAIL))
    body = HEAD + TAIL + f"\n## check\n\nDeploy {typed}$0\n"
    assert "params.service" not in labels(await complete(editor, NAME, body))


@pytest.mark.parametrize(
    ("step", "has"),
    [
        ("  - $0\n", {"id", "unit", "map", "route", "inputs", "output", "gate"}),
        ("  - id: next\n    $0\n", {"unit", "map"}),
        ("  - id: next\n    unit:\n      $0\n", {"timeout", "retry", "env"}),
        ("  - id: next\n    unit:\n      retry:\n        $0\n", {"max", "on"}),
        ("  - id: next\n    route:\n      when:\n        - $0\n", {"match", "step"}),
        ("  - id: next\n    output:\n      $0\n", {"type", "properties"}),
    ],
)
async def test_the_keys_of_a_step(editor: Editor, step: str, has: set[str]) -> None:
    await editor.start()
    found = set(labels(await complete(editor, NAME, HEAD + step + TAIL)))
    assert has <= found
    assert "id" not in found or step == "  - $0\n"


async def test_a_heading_is_offered_the_steps_without_a_section(editor: Editor) -> None:
    await editor.start()
    found = await complete(editor, NAME, HEAD + TAIL + "\n## check\n\nDo.\n\n## no$0\n")
    assert labels(found) == ["notes"]
    assert editor.accept(NAME, found, "notes").endswith("\n## notes\n")
