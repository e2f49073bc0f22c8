"""The rules, one module per topic."""

from __future__ import annotations

from akm_ls.lint.rule import Rule
from akm_ls.lint.rules import frontmatter, references

ALL_RULES: tuple[Rule, ...] = (*frontmatter.RULES, *references.RULES)
