"""What a rule is, for hover and completion: its sentence, why, and what to do."""

from __future__ import annotations

from functools import lru_cache

from akm_ls.lint.pages import rule_url
from akm_ls.lint.rule import Rule
from akm_ls.lint.rules import ALL_RULES


@lru_cache(maxsize=1)
def rules_by_code() -> dict[str, Rule]:
    """The first rule of each code, by code."""
    found: dict[str, Rule] = {}
    for rule in ALL_RULES:
        found.setdefault(rule.code, rule)
    return found


def summary_of(code: str) -> str:
    rule = rules_by_code().get(code)
    return "" if rule is None else rule.summary


def rule_card(code: str) -> str:
    """Markdown; ``""`` for a code that no rule has."""
    rule = rules_by_code().get(code)
    if rule is None:
        return ""
    return "\n\n".join(
        (
            f"**`{code}`** · {rule.severity}",
            rule.summary,
            rule.why,
            f"**What to do:** {rule.remedy}",
            f"[All of it]({rule_url(code)})",
        )
    )
