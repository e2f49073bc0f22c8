"""One text in, its findings out, with no disk: an empty bundle whose every ref is missing."""

from __future__ import annotations

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import kind_of, parse
from akm_ls.index.catalog import Catalog
from akm_ls.lint.engine import lint
from akm_ls.lint.finding import Finding
from akm_ls.lint.rule import Subject
from akm_ls.lint.settings import LintSettings

TEAM = Bundle("team", "/team", "/team", "akm")


def findings(
    text: str,
    rel: str = "knowledge/a.md",
    settings: LintSettings | None = None,
    bundle: Bundle = TEAM,
) -> tuple[Finding, ...]:
    return lint(
        Subject(
            parse(text, kind_of(rel)),
            f"/team/{rel}",
            rel,
            bundle,
            BundleSet((bundle,)),
            Catalog(),
            settings or LintSettings(),
        )
    )


def codes(text: str, rel: str = "knowledge/a.md") -> list[str]:
    """The codes of all findings, in text order."""
    return [finding.code for finding in findings(text, rel)]
