"""Comments and `lint_skip` entries that name no rule, and so hide nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from akm_ls.documents.nodes import scalar_items
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.suppression import WORDS

CODE = "unknown-suppression"


def check_unknown_suppression(subject: Subject) -> Iterable[Finding]:
    if not subject.suppressions.directives and not subject.traits.has("lint_skip"):
        return ()
    return _unknown_names(subject)


def _unknown_names(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = document.frontmatter
    directives = subject.suppressions.directives
    from akm_ls.lint.engine import CODES, SKIPPABLE

    for directive in directives:
        if directive.scope is None:
            written = directive.words.of(document.text)
            if "enable" in written.lower() or written.lower().endswith("-on"):
                yield _unknown(
                    f"`{written}` does nothing: no comment switches a rule on again. For one "
                    f"place write `{WORDS['line']}` or `{WORDS['next-line']}`",
                    written,
                    directive.words,
                    (),
                )
                continue
            yield _unknown(
                f"`{written}` is no comment that akm-ls knows",
                written,
                directive.words,
                WORDS.values(),
            )
            continue
        for code, span in directive.codes:
            if code not in CODES:
                yield _unknown(
                    f"No rule is called `{code}`: this comment hides nothing", code, span, CODES
                )
    if frontmatter is None or document.kind != "markdown":
        return
    for item in scalar_items(frontmatter.get("lint_skip")):
        code = item.text.strip()
        if not code or code in SKIPPABLE:
            continue
        if code in CODES:
            yield Finding(
                CODE,
                "hint",
                f"`lint_skip` has no effect on `{code}`. Below the frontmatter, "
                f"`<!-- {WORDS['file']} {code} -->` switches it off for this file.",
                item.inner,
                data={"code": code, "suggestions": []},
            )
        else:
            yield _unknown(
                f"No rule that `lint_skip` can switch off is called `{code}`",
                code,
                item.inner,
                SKIPPABLE,
            )


def _unknown(problem: str, written: str, span: Span, known: Collection[str]) -> Finding:
    near = get_close_matches(written.lower(), known, n=1)
    message = f"{problem}. Did you mean `{near[0]}`?" if near else f"{problem}."
    return Finding(
        CODE,
        "hint",
        message,
        span,
        data={"code": written, "suggestions": near},
        fixes=tuple(Fix(f"Replace by {name}", (TextEdit(span, name),)) for name in near),
    )


RULES = (
    Rule(
        code=CODE,
        severity="hint",
        summary="A comment or `lint_skip` names a rule that does not exist.",
        why=(
            "The finding it was meant to hide is still shown, and whoever reads the comment "
            "believes that it is hidden."
        ),
        remedy=(
            "Correct the rule's code. `lint_skip` is akm's own key and takes akm's four basic "
            "checks only; for every other rule write a comment."
        ),
        example="See team//knowledge/later. <!-- akm-ls-disable-line mising-ref -->\n",
        check=check_unknown_suppression,
        group="markdown",
        places=("HTML comments", "frontmatter"),
        kinds=frozenset({"markdown", "yaml", "env"}),
    ),
)
