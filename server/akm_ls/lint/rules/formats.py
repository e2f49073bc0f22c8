"""What single bundle formats ask: OKF, LLM wikis and the tools' own layouts."""

from __future__ import annotations

from akm_ls.lint.rule import Rule

RULES: tuple[Rule, ...] = ()
