"""Relative links, images, inclusions and named resources that lead nowhere."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
