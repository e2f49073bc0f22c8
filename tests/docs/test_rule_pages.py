"""Every rule fires on its own example, and the pages of ``docs/rules`` are written from the rules.

``make rules`` writes the pages again.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from akm_ls.lint.pages import RULES_URL, rule_url
from akm_ls.lint.rule import Rule
from akm_ls.lint.rules import ALL_RULES

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = ROOT / "docs" / "rules"
sys.path.insert(0, str(ROOT / "scripts"))
import rule_pages  # noqa: E402 (a script, not a package)

_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: f"{rule.code} in {rule.example_path}")
def test_the_rule_fires_on_its_own_example(rule: Rule) -> None:
    assert rule_pages.run_example(rule)


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: f"{rule.code} in {rule.example_path}")
def test_the_rule_is_documented(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", rule.code)
    assert rule.places, "the table says where each rule looks"
    for text in (rule.summary, rule.why, rule.remedy):
        assert text.endswith((".", "`", "?")), text
    assert "\n" not in rule.summary


def test_the_pages_are_current() -> None:
    assert rule_pages.stale(rule_pages.pages()) == [], "run `make rules`"


def test_links_of_the_pages_lead_somewhere() -> None:
    for page in RULES.glob("*.md"):
        targets = _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))
        assert [t for t in targets if not (page.parent / t).exists()] == [], page.name


def test_diagnostics_link_to_a_page_that_is_there() -> None:
    for rule in ALL_RULES:
        url = rule_url(rule.code)
        assert url.startswith(RULES_URL)
        assert (RULES / url.removeprefix(RULES_URL)).is_file()
