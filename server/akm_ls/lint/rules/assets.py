"""Assets that lack what akm asks of their type, or that stand for nothing."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
