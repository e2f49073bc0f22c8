"""Task files that akm cannot schedule."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
