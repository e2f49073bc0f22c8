"""Frontmatter keys, their types and their values, by what the tools read."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
