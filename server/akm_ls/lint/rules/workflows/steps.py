"""The graph: each step, what it runs, where it takes values from and where it leads."""

from __future__ import annotations

from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import STEP_ID, Reference, Step, Target, Workflow, read_reference
from akm_ls.index.matching import nearest_names
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lint.rules.workflows.problems import Checker
from akm_ls.lint.rules.workflows.values import check_schema, check_unit

MAX_STEPS = 256
MAX_CHOICES = 256
MAX_INPUTS = 64

STEP_KEYS = ("id", "unit", "map", "route", "inputs", "output", "gate")


def check_steps(checker: Checker, workflow: Workflow) -> None:
    """Everything below ``steps``, which is there and a list with items."""
    declared = workflow.root.get("steps")
    items = declared.items if isinstance(declared, Sequence) else ()
    if len(items) > MAX_STEPS:
        checker.report(
            f"a workflow has at most {MAX_STEPS} steps, this one has {len(items)}.",
            items[MAX_STEPS].span,
            "steps",
        )
    for item in items[:MAX_STEPS]:
        if not isinstance(item, Mapping):
            checker.report("each of `steps` must be a mapping with an `id`.", item.span, "steps")
    for step in workflow.steps:
        if step.index < MAX_STEPS:
            _check_step(checker.at(_where(step)), workflow, step)


def _where(step: Step) -> str:
    return f'Step "{step.id}": ' if step.id else f"Step {step.index + 1}: "


def _check_step(checker: Checker, workflow: Workflow, step: Step) -> None:
    node = step.node
    checker.keys(node, "", STEP_KEYS)
    _check_id(checker, workflow, step)
    if "map" in node and "route" in node:
        checker.report("a step has `map` or `route`, not both.", _key(node, "route"), "route")
    if "unit" in node:
        if "route" in node:
            checker.report("a route runs nothing. Remove `unit`.", _key(node, "unit"), "unit")
        elif "map" in node:
            checker.report("put `unit` below `map`.", _key(node, "unit"), "unit")
        check_unit(checker, node.get("unit"), "unit")
    if "map" in node:
        _check_map(checker, workflow, step)
    if "route" in node:
        _check_route(checker, workflow, step)
        if "inputs" in node:
            checker.report(
                "a route takes no inputs. Remove `inputs`.", _key(node, "inputs"), "inputs"
            )
    if "inputs" in node and "route" not in node:
        _check_inputs(checker, workflow, step)
    check_schema(checker, node.get("output"), "output")
    gate = checker.mapping(node.get("gate"), "gate", ("max_loops",))
    if gate is not None:
        checker.integer(gate.get("max_loops"), "gate.max_loops", 1)


def _key(node: Mapping, key: str) -> Span:
    pair = node.pair(key)
    return node.span if pair is None else pair.key.span


def _check_id(checker: Checker, workflow: Workflow, step: Step) -> None:
    if not step.id.strip():
        checker.report("it has no `id`, a text that names it.", step.span, "id")
        return
    if not STEP_ID.match(step.id):
        checker.report(
            "its id cannot be used in a reference: letters, digits, _ and - only, and a letter "
            "or _ first.",
            step.span,
            step.id,
        )
        return
    first = workflow.step_by_id[step.id]
    if first is not step:
        checker.report(
            f"step {first.index + 1} has the same id. Rename one of them.", step.span, step.id
        )


def _check_map(checker: Checker, workflow: Workflow, step: Step) -> None:
    keys = ("over", "concurrency", "reducer", "unit")
    mapped = checker.mapping(step.node.get("map"), "map", keys)
    if mapped is None:
        return
    over = mapped.get("over")
    if over is None:
        checker.report(
            "`map` needs `over`, the list to go through.", _key(step.node, "map"), "map.over"
        )
    else:
        _check_single(checker, workflow, step, over, "map.over")
    checker.integer(mapped.get("concurrency"), "map.concurrency", 1)
    checker.one_of(mapped.get("reducer"), "map.reducer", ("collect", "vote"))
    check_unit(checker, mapped.get("unit"), "map.unit")


def _check_single(checker: Checker, workflow: Workflow, step: Step, node: Node, place: str) -> None:
    if not isinstance(node, Scalar):
        checker.report(
            f"`{place}` must be a reference: params.<name> or steps.<id>.output.", node.span, place
        )
        return
    reference = read_reference(node, "map.over" if place == "map.over" else "route.input")
    _check_reference(checker, workflow, step, reference)


def _check_reference(
    checker: Checker, workflow: Workflow, step: Step, reference: Reference
) -> None:
    """That it is one, and that what it names is there by the time the step runs."""
    place = reference.place
    if not reference.scope:
        checker.report(
            f'"{reference.text}" in `{place}` is no reference. Write '
            f"{'' if place == 'inputs' else 'params.<name> or '}steps.<id>.output.",
            reference.span,
            reference.text or place,
        )
        return
    if reference.scope == "params":
        if place == "inputs":
            checker.report(
                f"`{reference.text}` does not belong in `inputs`: every step gets the parameters "
                "anyway. Remove it.",
                reference.span,
                reference.text,
            )
        return
    source = workflow.step_by_id.get(reference.name)
    if source is None:
        earlier = [other.id for other in workflow.steps[: _position(workflow, step)] if other.id]
        nearest = nearest_names(reference.name, earlier, 1)
        checker.report(
            f'`{reference.text}` cannot be resolved: no step has the id "{reference.name}".'
            f"{f' Did you mean {nearest[0]}?' if nearest else ''}",
            reference.span,
            reference.text,
            *(
                Fix(f"Replace by {other}", (TextEdit(reference.name_span, other),))
                for other in nearest
            ),
        )
    elif source.index >= step.index:
        why = "it is this step" if source is step else "that step comes later"
        checker.report(
            f"`{reference.text}` has no value yet: {why}.", reference.span, reference.text
        )


def _position(workflow: Workflow, step: Step) -> int:
    return next(at for at, other in enumerate(workflow.steps) if other is step)


def _check_inputs(checker: Checker, workflow: Workflow, step: Step) -> None:
    for item in checker.items(step.node.get("inputs"), "inputs", most=MAX_INPUTS):
        if isinstance(item, Scalar):
            _check_reference(checker, workflow, step, read_reference(item, "inputs"))
        else:
            checker.report("`inputs` must list references: steps.<id>.output.", item.span, "inputs")


def _check_route(checker: Checker, workflow: Workflow, step: Step) -> None:
    route = checker.mapping(step.node.get("route"), "route", ("input", "when", "default"))
    if route is None:
        return
    given = route.get("input")
    if given is None:
        checker.report(
            "`route` needs `input`, the value to decide by.",
            _key(step.node, "route"),
            "route.input",
        )
    else:
        _check_single(checker, workflow, step, given, "route.input")
    when = route.get("when")
    if when is None:
        checker.report(
            "`route` needs `when`, a list of `match` and `step`.",
            _key(step.node, "route"),
            "route.when",
        )
    seen: set[str] = set()
    for item in checker.items(when, "route.when", most=MAX_CHOICES):
        choice = checker.mapping(item, "route.when", ("match", "step"))
        if choice is not None:
            _check_choice(checker, choice, seen)
    checker.text(route.get("default"), "route.default", blank=False)
    for target in step.targets():
        _check_target(checker, workflow, step, target)


def _check_choice(checker: Checker, choice: Mapping, seen: set[str]) -> None:
    match = choice.get("match")
    if match is None:
        checker.report("each of `route.when` needs `match`.", choice.span, "route.when.match")
    elif not isinstance(match, Scalar) or match.plain is None:
        checker.report(
            "`match` must be a text, a number, true or false.", match.span, "route.when.match"
        )
    else:
        # 1 and "1" are the same to akm: it compares texts.
        text = match.text if isinstance(match.plain, str) else str(match.plain).lower()
        if text in seen:
            checker.report(
                f'"{text}" is matched twice. Remove one of them.', match.span, "route.when.match"
            )
        seen.add(text)
    if choice.get("step") is None:
        checker.report(
            "each of `route.when` needs `step`, where to go.", choice.span, "route.when.step"
        )
    else:
        checker.text(choice.get("step"), "route.when.step", blank=False)


def _check_target(checker: Checker, workflow: Workflow, step: Step, target: Target) -> None:
    found = workflow.step_by_id.get(target.name)
    if found is None:
        later = [other.id for other in workflow.steps if other.index > step.index and other.id]
        nearest = nearest_names(target.name, later, 1)
        checker.report(
            f'the route leads to "{target.name}", but no step has this id.'
            f"{f' Did you mean {nearest[0]}?' if nearest else ''}",
            target.span,
            target.name,
            *(Fix(f"Replace by {other}", (TextEdit(target.span, other),)) for other in nearest),
        )
    elif found is step:
        checker.report("the route leads to itself.", target.span, target.name)
    elif found.index < step.index:
        checker.report(
            f'the route leads back to "{target.name}". A route goes on to a later step.',
            target.span,
            target.name,
        )
