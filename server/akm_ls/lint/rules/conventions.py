"""An akm bundle's conventions: placement, vocabulary, cross references, provenance."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
