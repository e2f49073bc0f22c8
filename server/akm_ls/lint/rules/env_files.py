"""Environment variables that change what a program loads or runs."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
