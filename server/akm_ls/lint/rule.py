"""What a rule is, and the register of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from akm_ls.bundles.bundle import Bundle, BundleSet
from akm_ls.documents.document import Document, Kind
from akm_ls.index.catalog import Catalog
from akm_ls.lint.finding import Finding, Severity


@dataclass(frozen=True, slots=True)
class Subject:
    """One document under the rules, and what they may ask about the rest of the world.

    ``catalog`` is ``None`` until every bundle has been read once: rules that need it wait.
    """

    document: Document
    path: str
    rel: str
    bundle: Bundle
    bundles: BundleSet
    catalog: Catalog | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A stable code with its check and its documentation.

    ``why`` and ``remedy`` are Markdown sentences; ``example`` is a document that fires the rule.
    ``skippable`` rules honour akm's ``lint_skip`` frontmatter key.
    """

    code: str
    severity: Severity
    summary: str
    why: str
    remedy: str
    example: str
    check: Callable[[Subject], Iterable[Finding]]
    kinds: frozenset[Kind] = frozenset({"markdown"})
    needs_catalog: bool = False
    skippable: bool = False
