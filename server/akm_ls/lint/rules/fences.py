"""Code fences that do not end where they should."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
