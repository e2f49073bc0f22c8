"""Task files that akm cannot schedule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping as YamlMapping
from akm_ls.documents.nodes import Node, Pair, Scalar, Sequence
from akm_ls.documents.task import (
    KEYS_BY_TARGET,
    KEYS_V2,
    KEYS_V4,
    SHELLS,
    STEPS_TARGETS,
    TARGETS,
    Task,
    read_task,
    schedule_problem,
)
from akm_ls.documents.text import Span
from akm_ls.index.matching import nearest_names
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.frontmatter_edits import is_blank, set_keys
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.assets import first_line
from akm_ls.lint.traits import Traits
from akm_ls.refs import try_parse_ref

CURRENT_VERSION = 2
KNOWN_VERSIONS = (2, 3, 4)

_TOLERATED = frozenset({"refs", "xrefs", "lint_skip", "updated"})
"""Keys that akm's lint itself reads in a task."""
_BOOLEANS = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false"}
_BOOLEANS["off"] = "false"
_USES_HEADS = ("commands", "workflows", "scripts")


@dataclass(frozen=True, slots=True)
class _Problem:
    message: str
    span: Span
    key: str
    severity: Severity = "error"
    fixes: tuple[Fix, ...] = ()


def check_invalid_task_yaml(subject: Subject) -> Iterator[Finding]:
    for problem in _problems(subject):
        yield Finding(
            code="invalid-task-yaml",
            severity=problem.severity,
            message=problem.message,
            span=problem.span,
            data={"key": problem.key},
            fixes=problem.fixes,
        )


def _is_task(traits: Traits) -> bool:
    return traits.format == "akm-task" or (traits.format == "akm" and traits.head == "tasks")


def _problems(subject: Subject) -> Iterator[_Problem]:
    document = subject.document
    top = first_line(document)
    if not subject.rel.endswith(".yml"):
        yield _Problem(
            "akm reads tasks from .yml files only. Rename this file to end in .yml.",
            top,
            "",
            "warning",
        )
        return
    frontmatter = document.frontmatter
    assert frontmatter is not None
    if frontmatter.problem is not None:
        problem = frontmatter.problem
        yield _Problem(f"The task cannot be read. {problem.message}", problem.span, "")
        return
    task = read_task(document)
    if task is None or not task.root.pairs:
        yield _Problem(
            "The task is empty. Give it a `version`, a `schedule`, and a `workflow`, "
            "`prompt` or `command` to run.",
            Span(len(document.text), len(document.text)),
            "",
        )
        return
    yield from _version(document, task)
    if task.version == 4 or (task.version is None and task.is_modern):
        yield from _version_4(task)
    elif task.version == 3:
        if not task.targets:
            yield _no_target(document, task, (*TARGETS, *STEPS_TARGETS))
    elif task.version in (None, 0, 1, 2) or not task.is_modern:
        yield from _version_2(document, task)


def _version(document: Document, task: Task) -> Iterator[_Problem]:
    """The number that decides which keys a task has."""
    if task.version in KNOWN_VERSIONS:
        return
    pair = task.root.pair("version")
    wanted = 4 if task.is_modern else CURRENT_VERSION
    edit = set_keys(document, {"version": str(wanted)}, first=True)
    if is_blank(pair):
        yield _Problem(
            f"The task has no `version`, so akm does not run it. Add `version: {wanted}`.",
            _beginning(document, task),
            "version",
            fixes=() if edit is None else (Fix(f"Add `version: {wanted}`", (edit,), safe=True),),
        )
        return
    assert pair is not None
    written = pair.value.span.of(document.text)
    # A task of a version to come may well be right.
    unheard_of = task.is_modern or (task.version is not None and task.version > max(KNOWN_VERSIONS))
    yield _Problem(
        f"{written} is no version of a task known here. Use `version: {wanted}`.",
        pair.value.span,
        "version",
        "information" if unheard_of else "error",
        (
            Fix(
                f"Replace by `{wanted}`",
                (TextEdit(pair.value.span, str(wanted)),),
                safe=_is_number(pair.value, wanted),
            ),
        ),
    )


def _is_number(node: Node, number: int) -> bool:
    """Whether this is the number as a text: ``"2"`` in quotes."""
    return isinstance(node, Scalar) and node.text.strip() == str(number)


def _version_2(document: Document, task: Task) -> Iterator[_Problem]:
    root = task.root
    yield from _schedule_2(document, task)
    enabled = root.pair("enabled")
    if enabled is not None and not is_blank(enabled):
        yield from _enabled(document, enabled)
    targets = [pair for pair in task.targets if pair.key.text in TARGETS]
    filled = [pair for pair in targets if not is_blank(pair)]
    if not filled:
        yield _no_target(document, task, TARGETS)
    for extra in filled[1:]:
        yield _Problem(
            f"A task runs one thing, and `{filled[0].key.text}` says which. "
            f"Remove `{extra.key.text}`, or make a second task of it.",
            extra.key.span,
            extra.key.text,
        )
    own = KEYS_BY_TARGET[filled[0].key.text] if filled else frozenset[str]()
    elsewhere = {
        key: target for target, keys in KEYS_BY_TARGET.items() for key in keys if key not in own
    }
    for pair in root.pairs:
        key = pair.key.text
        if filled and key in elsewhere:
            yield _Problem(
                f"`{key}` belongs to a task that runs a {elsewhere[key]}; "
                f"akm refuses it beside `{filled[0].key.text}`.",
                pair.key.span,
                key,
                "warning",
            )
    yield from _unknown_keys(root, KEYS_V2.union(*KEYS_BY_TARGET.values()), "2")


def _schedule_2(document: Document, task: Task) -> Iterator[_Problem]:
    pair = task.root.pair("schedule")
    if is_blank(pair):
        edit = set_keys(document, {"schedule": '"@daily"'})
        yield _Problem(
            'The task has no `schedule`. Say when it runs: five cron fields such as "15 3 * * *", '
            "or @daily.",
            _beginning(document, task) if pair is None else pair.key.span,
            "schedule",
            fixes=()
            if edit is None
            else (Fix('Add `schedule: "@daily"`', (edit,), preferred=False),),
        )
        return
    assert pair is not None
    if not isinstance(pair.value, Scalar) or not isinstance(pair.value.plain, str):
        yield _Problem(
            'The `schedule` must be a text, such as "15 3 * * *" or "@daily".',
            pair.value.span,
            "schedule",
        )
    else:
        yield from _cron(pair.value)


def _cron(node: Scalar) -> Iterator[_Problem]:
    problem = schedule_problem(node.text)
    if problem is not None:
        yield _Problem(f"The schedule never comes up: {problem}.", node.span, "schedule")


def _enabled(document: Document, pair: Pair) -> Iterator[_Problem]:
    value = pair.value
    if isinstance(value, Scalar) and isinstance(value.plain, bool):
        return
    meant = _BOOLEANS.get(value.text.strip().lower()) if isinstance(value, Scalar) else None
    yield _Problem(
        "`enabled` must be true or false, without quotes.",
        value.span,
        "enabled",
        fixes=(Fix(f"Replace by `{meant}`", (TextEdit(value.span, meant),), safe=True),)
        if meant
        else (),
    )


def _version_4(task: Task) -> Iterator[_Problem]:
    root = task.root
    filled = [
        pair for pair in task.targets if pair.key.text in STEPS_TARGETS and not is_blank(pair)
    ]
    if not filled:
        yield _Problem(
            "The task runs nothing. Add `uses:` with a command, workflow or script of a bundle, or "
            "`run:` with shell text.",
            Span(root.span.start, root.pairs[0].key.span.end),
            "uses",
        )
    for extra in filled[1:]:
        yield _Problem(
            f"A task has `uses` or `run`, not both. Remove `{extra.key.text}`.",
            extra.key.span,
            extra.key.text,
        )
    uses = root.get("uses")
    if uses is not None and filled and not _is_target(uses):
        yield _Problem(
            "`uses` must be akm/command or a ref that starts with commands/, workflows/ or "
            "scripts/.",
            uses.span,
            "uses",
        )
    shell = root.get("shell")
    if shell is not None and not (isinstance(shell, Scalar) and shell.text in SHELLS):
        yield _Problem(f"`shell` must be one of {', '.join(SHELLS)}.", shell.span, "shell")
    yield from _schedule_4(root.get("schedule"))
    for pair in task.targets:
        if pair.key.text in TARGETS:
            yield _Problem(
                f"`{pair.key.text}` is of version 2. Version 4 names what it runs in `uses` or "
                "`run`.",
                pair.key.span,
                pair.key.text,
            )
    yield from _unknown_keys(root, KEYS_V4.union(TARGETS), "4")


def _is_target(node: Node) -> bool:
    if not isinstance(node, Scalar):
        return False
    text = node.text.strip()
    ref = try_parse_ref(text)
    return text == "akm/command" or (
        ref is not None and ref.head in _USES_HEADS and "/" in ref.concept_id
    )


def _schedule_4(node: Node | None) -> Iterator[_Problem]:
    if node is None or (isinstance(node, Scalar) and node.plain is None):
        return
    if isinstance(node, Scalar):
        yield from _cron(node)
        return
    items = node.items if isinstance(node, Sequence) else ()
    for item in items:
        cron = item.get("cron") if isinstance(item, YamlMapping) else None
        if isinstance(cron, Scalar):
            yield from _cron(cron)
        else:
            yield _Problem("A schedule of a list needs a `cron` text.", item.span, "schedule")
    if not items:
        yield _Problem(
            "The `schedule` must be a text or a list of `cron` and `inputs`.",
            node.span,
            "schedule",
        )


def _no_target(document: Document, task: Task, targets: tuple[str, ...]) -> _Problem:
    empty = next((pair for pair in task.targets if is_blank(pair)), None)
    listed = ", ".join(f"`{name}`" for name in targets[:-1]) + f" or `{targets[-1]}`"
    return _Problem(
        f"The task runs nothing. Add one of {listed}.",
        _beginning(document, task) if empty is None else empty.key.span,
        "target",
    )


def _unknown_keys(root: YamlMapping, known: frozenset[str], version: str) -> Iterator[_Problem]:
    for pair in root.pairs:
        key = pair.key.text
        if key in known or key in _TOLERATED:
            continue
        nearest = nearest_names(key, sorted(known), 1)
        hint = f" Did you mean `{nearest[0]}`?" if nearest else ""
        yield _Problem(
            f"A task of version {version} has no key `{key}`, and akm refuses it.{hint}",
            pair.key.span,
            key,
            "warning",
            tuple(Fix(f"Rename to `{name}`", (TextEdit(pair.key.span, name),)) for name in nearest),
        )


def _beginning(document: Document, task: Task) -> Span:
    """The first key: where what is missing is marked."""
    if task.root.pairs:
        return task.root.pairs[0].key.span
    return first_line(document)


RULES: tuple[Rule, ...] = (
    Rule(
        code="invalid-task-yaml",
        best_fix="safe",
        severity="error",
        summary="A task file cannot be scheduled.",
        why=(
            "akm passes over a task it cannot read, without a word: the job never runs. What a "
            "task needs depends on its `version`."
        ),
        remedy=(
            "Version 2 needs `version`, `schedule` and one of `workflow`, `prompt` and `command`; "
            "version 4 needs `uses` or `run`. The file must end in `.yml`."
        ),
        example="version: 2\nschedule: whenever\nprompt: Check the backups.\n",
        check=check_invalid_task_yaml,
        about=_is_task,
        group="assets",
        places=("whole file",),
        example_path="tasks/nightly.yml",
        kinds=frozenset({"yaml"}),
    ),
)
