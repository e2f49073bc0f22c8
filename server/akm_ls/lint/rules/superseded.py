"""Citations of assets that something newer replaces."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
