"""A workflow's top-level keys but for its steps."""

from __future__ import annotations

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.documents.workflow import PARAM_NAME, Workflow
from akm_ls.lint.finding import Fix, TextEdit
from akm_ls.lint.rules.workflows.problems import Checker
from akm_ls.lint.rules.workflows.values import ON_ERROR, check_llm, check_schema, check_timeout
from akm_ls.refs import RefError, parse_ref

MAX_PARAMS = 128
MAX_UNITS = 10_000

TOP_KEYS = (
    "type",
    "description",
    "tags",
    "when_to_use",
    "xrefs",
    "updated",
    "timestamp",
    "generated",
    "verified",
    "provenance",
    "status",
    "stale_after",
    "params",
    "defaults",
    "budget",
    "steps",
)
_TEXTS = ("when_to_use", "description", "updated", "timestamp", "stale_after")


def check_envelope(checker: Checker, workflow: Workflow) -> None:
    root = workflow.root
    checker.keys(root, "", TOP_KEYS)
    checker.one_of(root.get("type"), "type", ("workflow",))
    for key in _TEXTS:
        checker.text(root.get(key), key)
    for item in checker.items(root.get("tags"), "tags", empty=True):
        if not isinstance(item, Scalar) or not isinstance(item.plain, str) or not item.text.strip():
            checker.report("`tags` must list words.", item.span, "tags", *_quoted(item))
    for item in checker.items(root.get("xrefs"), "xrefs", empty=True):
        _check_xref(checker, item)
    if "generated" in root:
        _check_stamp(checker, root.get("generated"), "generated")
    verified = root.get("verified")
    stamps = verified.items if isinstance(verified, Sequence) else (verified,)
    for stamp in stamps:
        if stamp is not None:
            _check_stamp(checker, stamp, "verified")
    checker.mapping(root.get("provenance"), "provenance")
    checker.one_of(root.get("status"), "status", ("draft", "stable", "deprecated"))
    _check_params(checker, root.get("params"))
    defaults = checker.mapping(
        root.get("defaults"), "defaults", ("engine", "model", "timeout", "on_error", "llm")
    )
    if defaults is not None:
        checker.text(defaults.get("engine"), "defaults.engine", blank=False)
        checker.text(defaults.get("model"), "defaults.model", blank=False)
        check_timeout(checker, defaults.get("timeout"), "defaults.timeout")
        checker.one_of(defaults.get("on_error"), "defaults.on_error", ON_ERROR)
        check_llm(checker, defaults.get("llm"), "defaults.llm")
    budget = checker.mapping(root.get("budget"), "budget", ("max_tokens", "max_units"))
    if budget is not None:
        checker.integer(budget.get("max_tokens"), "budget.max_tokens", 1)
        checker.integer(budget.get("max_units"), "budget.max_units", 1, MAX_UNITS)


def _quoted(item: Node) -> tuple[Fix, ...]:
    if not isinstance(item, Scalar) or item.style or not item.text.strip():
        return ()
    return (Fix("Put it in quotes", (TextEdit(item.span, f'"{item.text}"'),)),)


def _check_xref(checker: Checker, item: Node) -> None:
    if not isinstance(item, Scalar) or not isinstance(item.plain, str) or not item.text.strip():
        checker.report("`xrefs` must list refs.", item.span, "xrefs")
        return
    text = item.text
    if ":" in text:
        checker.report(
            f'"{text}" in `xrefs` has a colon, which no ref has. Write one such as '
            "knowledge/guide or team//knowledge/guide.",
            item.span,
            "xrefs",
        )
        return
    try:
        canonical = str(parse_ref(text))
    except RefError as error:
        checker.report(f'"{text}" in `xrefs` is no ref: {error}', item.span, "xrefs")
        return
    if canonical != text:
        checker.report(
            f'"{text}" in `xrefs` is not how a ref is written; akm wants "{canonical}".',
            item.span,
            "xrefs",
            Fix(f"Replace by {canonical}", (TextEdit(item.inner, canonical),), safe=True),
        )


def _check_stamp(checker: Checker, node: Node | None, name: str) -> None:
    stamp = checker.mapping(node, name, ("by", "at"))
    if stamp is None:
        return
    if "by" in stamp:
        checker.text(stamp.get("by"), f"{name}.by", blank=False)
    else:
        checker.report(f"`{name}` needs `by`, who did it.", stamp.span, f"{name}.by")
    checker.text(stamp.get("at"), f"{name}.at")


def _check_params(checker: Checker, node: Node | None) -> None:
    params = checker.mapping(node, "params")
    if params is None:
        return
    if len(params.pairs) > MAX_PARAMS:
        checker.report(
            f"`params` has {len(params.pairs)} names; {MAX_PARAMS} are allowed.",
            params.pairs[MAX_PARAMS].key.span,
            "params",
        )
    for pair in params.pairs:
        name = f"params.{pair.key.text}"
        if not PARAM_NAME.match(pair.key.text):
            checker.report(
                f'"{pair.key.text}" cannot be the name of a parameter: letters, digits and _ '
                "only, and no digit first.",
                pair.key.span,
                name,
            )
        if isinstance(pair.value, Mapping):
            check_schema(checker, pair.value, name)
        else:
            checker.report(
                f"`{name}` must be a JSON Schema, such as {{type: string}}.",
                pair.value.span if pair.value.span.start < pair.value.span.end else pair.key.span,
                name,
                *_as_schema(checker.document, pair.value),
            )


def _as_schema(document: Document, value: Node) -> tuple[Fix, ...]:
    """A description where the schema should be is what the other asset types have here."""
    if not isinstance(value, Scalar) or value.style in ("|", ">") or value.plain is None:
        return ()
    source = value.span.of(document.text)
    if "\n" in source or "\r" in source or not isinstance(value.plain, str):
        return ()
    types = ("string", "number", "integer", "boolean", "array", "object")
    if value.text in types:
        schema = f"{{type: {value.text}}}"
    else:
        quoted = value.text.replace("\\", "\\\\").replace('"', '\\"')
        schema = f'{{type: string, description: "{quoted}"}}'
    return (Fix("Make it a schema", (TextEdit(Span(*value.span), schema),)),)
