"""A workflow file as its steps, sections and references."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse
from akm_ls.documents.workflow import read_workflow

TEXT = """---
params:
  repo: {type: string}
steps:
  - id: list
    output: {type: array}
  - id: each
    map:
      over: steps.list.output.items[0]
      unit: {timeout: 5m}
  - id: choose
    route:
      input: params.repo
      when:
        - {match: a, step: "done"}
      default: each
  - id: done
    inputs: ["steps.each.output", nonsense]
---
# Title

## list

List.

### gate

All there.

```
## no heading
```

## done

## other
"""


def test_steps_have_ids_and_kinds() -> None:
    workflow = read_workflow(parse(TEXT))
    assert [(step.id, step.kind) for step in workflow.steps] == [
        ("list", "unit"),
        ("each", "map"),
        ("choose", "route"),
        ("done", "unit"),
    ]
    assert [step.span.of(TEXT) for step in workflow.steps] == ["list", "each", "choose", "done"]
    assert [name.text for name in workflow.params] == ["repo"]


def test_sections_hold_instructions_and_a_rubric() -> None:
    listed, done, other = read_workflow(parse(TEXT)).sections
    assert listed.instructions.of(TEXT) == "List."
    assert listed.rubric is not None
    assert listed.rubric.of(TEXT) == "All there.\n\n```\n## no heading\n```"
    assert done.instructions.of(TEXT) == "" and done.rubric is None
    assert other.name == "other"


def test_references_and_targets_know_their_place() -> None:
    workflow = read_workflow(parse(TEXT))
    references = [reference for step in workflow.steps for reference in step.references()]
    assert [(r.scope, r.name, r.place) for r in references] == [
        ("steps", "list", "map.over"),
        ("params", "repo", "route.input"),
        ("steps", "each", "inputs"),
        ("", "", "inputs"),
    ]
    for reference in references:
        assert reference.span.of(TEXT) == reference.text
        assert reference.name_span.of(TEXT) in (reference.name, reference.text)
    (choose,) = [step for step in workflow.steps if step.kind == "route"]
    assert [(t.name, t.span.of(TEXT)) for t in choose.targets()] == [
        ("done", "done"),
        ("each", "each"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# No frontmatter\n\n## one\n",
        "---\nsteps:\n",
        "---\nsteps: [a, {id: [b]}, {}, {id: 5, map: x, route: [y]}]\n---\n",
        "---\nsteps: {a: b}\nparams: [c]\n---\n## \n",
        "---\nsteps:\n  - id: a\n    route: {when: [1, {step: }], default: {}}\n---\n",
    ],
)
def test_half_a_workflow_is_read_as_half_a_workflow(text: str) -> None:
    workflow = read_workflow(parse(text))
    for step in workflow.steps:
        assert list(step.references()) == [] and list(step.targets()) == []
        assert step.span.end <= len(text)
    assert len(workflow.sections) <= 1
