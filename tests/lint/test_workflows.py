"""The structure of workflows: each rule, where its finding stands, and what mends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from one_document import findings as all_findings
from stash import lint_stash

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits

STRUCTURE = "invalid-workflow-structure"
REL = "workflows/a.md"
TAKING = "  - id: build\n  - id: use\n    inputs: ['{}.output.x']\n"
BUILDING = "## build\n\nDo.\n\n## use\n\nDo.\n"


def findings(text: str, rel: str = REL, code: str = STRUCTURE) -> tuple[Finding, ...]:
    return tuple(finding for finding in all_findings(text, rel) if finding.code == code)


def told(text: str) -> list[tuple[str, str]]:
    """What each finding is about, and the text it stands under."""
    return [(str(finding.data["key"]), finding.span.of(text)) for finding in findings(text)]


def workflow(*, top: str = "", steps: str = "  - id: one\n", body: str = "## one\n\nDo.\n") -> str:
    return f"---\ntype: workflow\n{top}steps:\n{steps}---\n# W\n\n{body}"


def step(keys: str) -> str:
    """A workflow whose second step has some more keys."""
    lines = "".join(f"    {line}\n" for line in keys.splitlines())
    return workflow(
        steps=f"  - id: one\n  - id: two\n{lines}  - id: last\n",
        body="## one\n\nDo.\n\n## two\n\nDo.\n\n## last\n\nDo.\n",
    )


def mended(text: str, title: str) -> str:
    """The text after the one fix whose title starts like this."""
    (fix,) = [
        fix for finding in findings(text) for fix in finding.fixes if fix.title.startswith(title)
    ]
    return apply_edits(text, fix.edits)


def test_the_format_of_earlier_versions_is_one_finding() -> None:
    retired = (
        "---\ndescription: d\nparams:\n  roots: Directories to scan\n---\n"
        "# Workflow: Harvest\n\n## Step: Capture scope\nStep ID: capture\n\nDo.\n"
    )
    assert told(retired) == [("steps", "---")]
    assert "earlier akm versions" in findings(retired)[0].message
    told_now = told(retired.replace("Step ID: capture\n", ""))
    assert [key for key, _ in told_now] == ["steps", "params.roots"]


@pytest.mark.parametrize(
    "text",
    [
        workflow(),
        workflow(
            top=(
                "description: d\ntags: [a]\nwhen_to_use: always\nxrefs: [knowledge/a]\n"
                "updated: 2026-01-01\ntimestamp: 2026-01-01T00:00:00Z\nstale_after: 90d\n"
                "generated: {by: me, at: 2026-01-01}\nverified: [{by: you}]\nprovenance: {a: b}\n"
                "status: stable\nparams: {v_1: {type: string}}\n"
                "defaults: {engine: e, model: m, timeout: 90, on_error: fail, llm: {}}\n"
                "budget: {max_tokens: 1, max_units: 10000}\n"
            )
        ),
        step("inputs: [steps.one.output, 'steps.one.output.a-b[0].c']\noutput: {type: object}"),
        step("map:\n  over: params.anything\n  concurrency: 2\n  reducer: vote\n  unit: {}"),
        step(
            "route:\n  input: steps.one.output\n  when:\n    - {match: 1, step: last}\n"
            "    - {match: true, step: last}\n  default: last"
        ),
        step(
            "unit:\n  engine: e\n  model: m\n  timeout: NONE\n  retry: {max: 0, on: [timeout]}\n"
            "  on_error: continue\n  output: {}\n  env: [env/prod, team//env/x]\n"
            "  isolation: worktree\n  llm: {temperature: 0.5, max_tokens: 10, extra_params: {a: 1},"
            " supports_json_schema: true, context_length: 1, enable_thinking: false}"
        ),
        step("gate: {max_loops: 3}"),
        workflow(body="Free text.\n\n## one ##\n\nDo.\n\n### gate\n\nDone?\n\n```\n## code\n```\n"),
        workflow(
            steps="  - id: a\n    route: {input: params.x, when: [{match: a, step: one}]}\n"
            "  - id: one\n"
        ),
    ],
)
def test_workflows_that_run(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    ("top", "expected"),
    [
        ("titel: x\n", [("titel", "titel")]),
        ("updated: 2026-01-01\nupdated: 2026-01-02\n", [("updated", "updated")]),
        ("when_to_use: [a]\n", [("when_to_use", "[a]")]),
        ("description: 5\n", [("description", "5")]),
        ("tags: a\n", [("tags", "a")]),
        ("tags: [a, 5, ' ']\n", [("tags", "5"), ("tags", "' '")]),
        ("xrefs: knowledge/a\n", [("xrefs", "knowledge/a")]),
        ("xrefs: [knowledge/a/]\n", [("xrefs", "knowledge/a/")]),
        ("xrefs: ['knowledge:a']\n", [("xrefs", "'knowledge:a'")]),
        ("xrefs: [../a]\n", [("xrefs", "../a")]),
        ("xrefs: [[a]]\n", [("xrefs", "[a]")]),
        ("generated: me\n", [("generated", "me")]),
        ("generated: {at: x}\n", [("generated.by", "{at: x}")]),
        ("verified: [{by: ''}]\n", [("verified.by", "''")]),
        ("provenance: [a]\n", [("provenance", "[a]")]),
        ("status: done\n", [("status", "done")]),
        ("params: [a]\n", [("params", "[a]")]),
        ("params: {a-b: {}}\n", [("params.a-b", "a-b")]),
        ("params: {v: text}\n", [("params.v", "text")]),
        ("defaults: {retries: 1}\n", [("defaults.retries", "retries")]),
        ("defaults: {timeout: soon}\n", [("defaults.timeout", "soon")]),
        ("defaults: {on_error: stop}\n", [("defaults.on_error", "stop")]),
        ("budget: {max_tokens: 0}\n", [("budget.max_tokens", "0")]),
        ("budget: {max_units: 10001}\n", [("budget.max_units", "10001")]),
        ("budget: {max_units: true}\n", [("budget.max_units", "true")]),
    ],
)
def test_the_top_level(top: str, expected: list[tuple[str, str]]) -> None:
    assert told(workflow(top=top)) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("unti: {}", [("unti", "unti")]),
        ("map: {over: params.x}\nroute: {input: params.x, when: [{match: a, step: last}]}",
         [("route", "route")]),
        ("map: {over: params.x}\nunit: {}", [("unit", "unit")]),
        ("route: {input: params.x, when: [{match: a, step: last}]}\nunit: {}",
         [("unit", "unit")]),
        ("route: {input: params.x, when: [{match: a, step: last}]}\ninputs: [steps.one.output]",
         [("inputs", "inputs")]),
        ("unit: {image: x}", [("unit.image", "image")]),
        ("unit: {env: []}", [("unit.env", "[]")]),
        ("unit: {env: ['a//']}", [("unit.env", "'a//'")]),
        ("unit: {isolation: vm}", [("unit.isolation", "vm")]),
        ("unit: {on_error: retry}", [("unit.on_error", "retry")]),
        ("unit: {engine: ''}", [("unit.engine", "''")]),
        ("unit: {timeout: 5h}", [("unit.timeout", "5h")]),
        ("unit: {timeout: 0}", [("unit.timeout", "0")]),
        ("unit: {retry: {on: [timeout]}}", [("unit.retry.max", "{on: [timeout]}")]),
        ("unit: {retry: {max: -1}}", [("unit.retry.max", "-1")]),
        ("unit: {retry: {max: 1, on: []}}", [("unit.retry.on", "[]")]),
        ("unit: {retry: {max: 1, on: [boredom]}}", [("unit.retry.on", "boredom")]),
        ("unit: {llm: {temperature: hot}}", [("unit.llm.temperature", "hot")]),
        ("unit: {llm: {top_p: 1}}", [("unit.llm.top_p", "top_p")]),
        ("unit: {llm: {max_tokens: 0}}", [("unit.llm.max_tokens", "0")]),
        ("unit: {llm: {enable_thinking: 'yes'}}", [("unit.llm.enable_thinking", "'yes'")]),
        ("unit: {llm: {extra_params: {Max_Tokens: 1}}}",
         [("unit.llm.extra_params.Max_Tokens", "Max_Tokens")]),
        ("unit: {llm: {extra_params: {a: [{api-key: x}]}}}",
         [("unit.llm.extra_params.api-key", "api-key")]),
        ("unit: {output: text}", [("unit.output", "text")]),
        ("output: text", [("output", "text")]),
        ("gate: {max_loops: 0}", [("gate.max_loops", "0")]),
        ("gate: {until: x}", [("gate.until", "until")]),
        ("map: {concurrency: 2}", [("map.over", "map")]),
        ("map: {over: [1, 2]}", [("map.over", "[1, 2]")]),
        ("map: {over: one.output}", [("one.output", "one.output")]),
        ("map: {over: params.x, concurrency: 0}", [("map.concurrency", "0")]),
        ("map: {over: params.x, reducer: sum}", [("map.reducer", "sum")]),
        ("map: {over: params.x, unit: {image: y}}", [("map.unit.image", "image")]),
        ("inputs: []", [("inputs", "[]")]),
        ("inputs: steps.one.output", [("inputs", "steps.one.output")]),
        ("inputs: [params.x]", [("params.x", "params.x")]),
        ("inputs: [steps.gone.output]", [("steps.gone.output", "steps.gone.output")]),
        ("inputs: [steps.two.output]", [("steps.two.output", "steps.two.output")]),
        ("inputs: ['steps.last.output.x']", [("steps.last.output.x", "steps.last.output.x")]),
        ("inputs: [steps.one]", [("steps.one", "steps.one")]),
        ("inputs: [{a: b}]", [("inputs", "{a: b}")]),
        ("inputs:\n" + "  - steps.one.output\n" * 65, [("inputs", "steps.one.output")]),
        ("route: {}", [("route.input", "route"), ("route.when", "route")]),
        ("route: {input: params.x, when: []}", [("route.when", "[]")]),
        ("route: {input: params.x, when: [{match: a}]}", [("route.when.step", "{match: a}")]),
        ("route: {input: params.x, when: [{step: last}]}",
         [("route.when.match", "{step: last}")]),
        ("route: {input: params.x, when: [{match: [a], step: last}]}",
         [("route.when.match", "[a]")]),
        ("route: {input: params.x, when: [{match: 1, step: last}, {match: '1', step: last}]}",
         [("route.when.match", "'1'")]),
        ("route: {input: params.x, when: [{match: a, step: lst}]}", [("lst", "lst")]),
        ("route: {input: params.x, when: [{match: a, step: two}]}", [("two", "two")]),
        ("route: {input: params.x, when: [{match: a, step: one}]}", [("one", "one")]),
        ("route: {input: params.x, when: [{match: a, step: last}], default: gone}",
         [("gone", "gone")]),
    ],
)  # fmt: skip
def test_one_step(keys: str, expected: list[tuple[str, str]]) -> None:
    assert told(step(keys)) == expected


@pytest.mark.parametrize(
    ("steps", "body", "expected"),
    [
        ("  - id: one\n  - id: one\n", "## one\n\nDo.\n", [("one", "one")]),
        ("  - id: 1st\n", "## 1st\n\nDo.\n", [("1st", "1st")]),
        ("  - id: a.b\n", "## a.b\n\nDo.\n", [("a.b", "a.b")]),
        ("  - unit: {}\n", "", [("id", "unit")]),
        ("  - id: 5\n", "", [("id", "5")]),
        ("  - one\n", "", [("steps", "one")]),
        ("  - id: one\n", "", [("one", "one")]),
        ("  - id: one\n", "## one\n", [("one", "## one")]),
        ("  - id: one\n", "## one\n\n### gate\n\nDone?\n", [("one", "## one")]),
        ("  - id: one\n", "## one\n\nDo.\n\n## one\n\nDo.\n", [("one", "## one")]),
        ("  - id: one\n", "## one\n\nDo.\n\n## two\n\nDo.\n", [("two", "## two")]),
        ("  - id: one\n", "## One\n\nDo.\n", [("one", "one"), ("One", "## One")]),
        ("  - id: one\n", "## one\n\nDo.\n\n### gate\n\na\n\n### Gate\n\nb\n",
         [("one", "### Gate")]),
        ("  []\n", "## one\n\nDo.\n", [("steps", "steps")]),
        ("  - id: s\n" * 257, "## s\n\nDo.\n", None),
    ],
)  # fmt: skip
def test_steps_and_their_sections(
    steps: str, body: str, expected: list[tuple[str, str]] | None
) -> None:
    found = told(workflow(steps=steps, body=body))
    if expected is None:
        assert found[-1][0] == "steps"
    else:
        assert found == expected


def test_a_step_given_twice_is_marked_at_its_second_place() -> None:
    text = workflow(steps="  - id: one\n  - id: one\n")
    (found,) = findings(text)
    assert found.span.start == text.rindex("one\n---")


def test_prose_that_is_too_long() -> None:
    (found,) = told(workflow(body="## one\n\n" + "ä" * 140_000 + "\n"))
    assert found == ("one", "## one")


def test_a_schema_that_is_too_large() -> None:
    text = workflow(top="params:\n  v:\n    description: " + "ä" * 140_000 + "\n")
    assert [key for key, _ in told(text)] == ["params.v"]


def test_a_file_that_is_too_large() -> None:
    (found,) = told(workflow(body="## other\n\n" + "x" * 1_100_000))
    assert found == ("", "---")


@pytest.mark.parametrize(
    "text",
    [
        "---\ntype: workflow\nsteps: [\n---\n## x\n",
        "---\ntype: workflow\nsteps:\n  - id: one\n",
        "---\n- a\n---\n",
    ],
)
def test_frontmatter_that_cannot_be_read_is_one_fault(text: str) -> None:
    assert not findings(text)
    assert "invalid-frontmatter" in {finding.code for finding in all_findings(text, REL)}


def test_sections_can_be_declared_as_steps() -> None:
    text = "# W\r\n\r\n## build\r\n\r\nMake.\r\n\r\n## test\r\n\r\nTest.\r\n"
    assert told(text) == [("frontmatter", "# W")]
    after = mended(text, "Declare the sections")
    assert after == (
        "---\r\ntype: workflow\r\nsteps:\r\n  - id: build\r\n  - id: test\r\n---\r\n\r\n" + text
    )
    assert not told(after)


def test_steps_can_be_added_to_frontmatter_without() -> None:
    text = "---\ntype: workflow\ndescription: d\n---\n## build\n\nMake.\n"
    assert told(text) == [("steps", "---")]
    after = mended(text, "Declare the sections")
    assert after.startswith("---\ntype: workflow\ndescription: d\nsteps:\n  - id: build\n---\n")
    assert not told(after)


def test_a_missing_section_can_be_added_in_its_place() -> None:
    text = workflow(steps="  - id: zero\n  - id: one\n  - id: two\n")
    assert [key for key, _ in told(text)] == ["zero", "two"]
    after = mended(text, 'Add the section "## zero"')
    assert after.index("## zero") < after.index("## one")
    after = mended(after, 'Add the section "## two"')
    assert after.endswith("## one\n\nDo.\n\n## two\n\nSay what this step does.\n")
    assert not told(after)


def test_a_heading_can_be_made_to_fit() -> None:
    text = workflow(body="## Step: one\n\nDo.\n")
    assert mended(text, 'Rename to "one"') == workflow()
    text = workflow(body="## one\n\nDo.\n\n## two\n\nDo.\n")
    declared = mended(text, 'Declare the step "two"')
    assert "  - id: one\n  - id: two\n---\n" in declared
    assert not told(declared)
    assert not told(mended(text, "Make it a level-3 heading"))


@pytest.mark.parametrize(
    ("text", "title", "after"),
    [
        (workflow(steps=TAKING.format("steps.biuld"), body=BUILDING), "Replace by build",
         workflow(steps=TAKING.format("steps.build"), body=BUILDING)),
        (step("route: {input: params.x, when: [{match: a, step: 'lst'}]}"), "Replace by last",
         step("route: {input: params.x, when: [{match: a, step: 'last'}]}")),
        (step("unti: {}"), "Rename to `unit`", step("unit: {}")),
        (workflow(top="status: stabel\n"), "Replace by `stable`", workflow(top="status: stable\n")),
        (workflow(top="description: 5\n"), "Put it in quotes",
         workflow(top='description: "5"\n')),
        (workflow(top="params:\n  v: string # s\n"), "Make it a schema",
         workflow(top="params:\n  v: {type: string} # s\n")),
        (workflow(top='params: {v: "the \\"name\\""}\n'), "Make it a schema",
         workflow(top='params: {v: {type: string, description: "the \\"name\\""}}\n')),
    ],
)  # fmt: skip
def test_what_can_be_put_right(text: str, title: str, after: str) -> None:
    assert mended(text, title) == after
    assert not told(after)


def test_the_spelling_of_a_ref_needs_no_thought() -> None:
    text = workflow(top="xrefs: ['knowledge/a/'] # x\n")
    after = apply_edits(text, safe_edits(findings(text)))
    assert after == workflow(top="xrefs: ['knowledge/a'] # x\n")
    assert not told(after)


def test_an_output_is_advised() -> None:
    steps = "  - id: one\n  - id: two\n    output: {}\n"
    assert not findings(workflow(steps=steps), code="workflow-warning"), "it does not run yet"
    text = workflow(steps=steps, body="## one\n\nDo.\n\n## two\n\nDo.\n")
    (found,) = findings(text, code="workflow-warning")
    assert (found.severity, found.span.of(text)) == ("information", "one")


def test_a_parameter_is_advised_to_be_declared() -> None:
    keys = "map: {over: params.x, unit: {}}\noutput: {}"
    lines = "".join(f"    {line}\n" for line in keys.splitlines())
    steps = f"  - id: one\n{lines}"
    undeclared = workflow(top="params: {y: {}}\n", steps=steps)
    (found,) = findings(undeclared, code="workflow-warning")
    assert found.span.of(undeclared) == "params.x"
    assert not findings(workflow(top="params: {x: {}}\n", steps=steps), code="workflow-warning")
    assert not findings(workflow(steps=steps), code="workflow-warning"), "nothing is declared"


@pytest.mark.parametrize("rel", ["workflows/README.md", "workflows/index.md", "knowledge/a.md"])
def test_other_files_are_no_workflows(rel: str) -> None:
    assert not findings("# Notes\n\n## any\n", rel)


def test_a_workflow_is_one_wherever_it_lies() -> None:
    assert told("---\ntype: workflow\nsteps:\n  - id: one\n---\n") == [("one", "one")]
    assert findings("---\ntype: workflow\n---\n", "knowledge/a.md")


def test_a_bundle_of_workflows_alone(tmp_path: Path) -> None:
    files = {"a.md": workflow(), "sub/b.md": workflow(body=""), "README.md": "## Workflows\n"}
    assert list(lint_stash(tmp_path, files, STRUCTURE)) == ["sub/b.md"]
