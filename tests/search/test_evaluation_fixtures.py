"""The numbered fixtures of the evaluation plan: those about finding by words, and the list of all.

E5, R1 and V1 are in test_hybrid.py, P1 to P10 in test_default_plan.py, C1 to C6 in
test_context_pack.py.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from akm_ls.search.context_pack import PackRequest, build_pack
from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.result import SearchResult
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

HANDBOOK = (
    "# Paid time off\n\nEveryone has twenty days of paid time off, and payroll counts them. "
    "Holidays of the country come on top of these.\n\n## Approvals\n\n"
    "Managers approve PTO requests within three days, and payroll is told.\n"
)
FILES = {
    "knowledge/handbook.md": page("Employee handbook", HANDBOOK),
    "knowledge/contractors.md": page("Contractors", "Their time is paid when a bill has approval."),
    "knowledge/incident-runbook.md": page(
        "Incident response", "The escalation owner leads the incident response."
    ),
    "knowledge/incident-history.md": page("Past trouble", "An incident in May. Nobody responded."),
    "knowledge/vpn-2019.md": page(
        "Deprecated VPN", "VPN password rotation by hand.", beliefState="deprecated"
    ),
    "knowledge/vpn.md": page("VPN", "Keys instead of a VPN password; rotation is automatic."),
    "secrets/pay.md": "Private executive compensation plan.",
    "lessons/pay.md": page("Executive compensation plan", "Private.", quality="proposed"),
    "wikis/onboarding.md": page("Onboarding", "Durable knowledge for new people."),
    "memories/active-note.md": page("Zebra crossing note", "Zebras cross here."),
    "memories/archived-note.md": page("Zebra note of old", "Zebras.", beliefState="archived"),
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(team=FILES)


def ask(library: Library, query: str, **options: Any) -> SearchResult:
    return search(library, SearchRequest(query, **options))


def names(library: Library, query: str, **options: Any) -> list[str]:
    return [hit.entry.name for hit in ask(library, query, **options).hits]


def test_e1_the_handbook_answers_by_its_words(library: Library) -> None:
    first, *others = ask(library, "paid time off approvals").to_json()["hits"]
    assert first["name"] == "handbook"
    assert [hit["name"] for hit in others] == ["contractors"]
    assert first["whyMatched"][0] == "fts bm25 relevance"


def test_e2_the_citation_is_the_sentence_that_answers(library: Library) -> None:
    (first, *_) = ask(library, "manager approve pto payroll").to_json()["hits"]
    assert first["name"] == "handbook"
    data = Path(first["path"]).read_bytes()
    assert first["contentHash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert "Managers approve PTO requests" in first["citation"]["text"]
    assert first["citation"]["fragment"] == "approvals"


@pytest.mark.parametrize("boosts", [True, False])
def test_e3_the_runbook_is_before_the_history(library: Library, boosts: bool) -> None:
    answer = ask(library, "incident response escalation owner", boosts=boosts)
    assert [hit.entry.name for hit in answer.hits[:2]] == ["incident-runbook", "incident-history"]
    assert answer.hits[0].score.total > answer.hits[-1].score.total


def test_e4_a_page_is_found_by_name_and_by_body(library: Library) -> None:
    (first, *_) = ask(library, "onboarding durable knowledge page").to_json()["hits"]
    assert first["name"] == "wikis/onboarding"
    assert "matched name tokens" in first["whyMatched"]
    assert first["citation"]["text"] == "Durable knowledge for new people."
    assert names(library, "durable people") == ["wikis/onboarding"]


def test_e6_what_is_deprecated_is_behind_what_replaced_it(library: Library) -> None:
    answer = ask(library, "vpn password rotation")
    assert [hit.entry.name for hit in answer.hits] == ["vpn", "vpn-2019"]
    assert answer.hits[1].score.total <= 0.28
    assert names(library, "vpn password rotation", belief="current") == ["vpn"]


def test_e7_what_is_private_or_proposed_is_absent(library: Library) -> None:
    assert names(library, "private executive compensation plan") == []
    assert names(library, "private executive compensation plan", include_proposed=True) == ["pay"]
    (hit,) = ask(library, "pay", type="secret").hits
    assert (hit.entry.content_hash, hit.excerpt) == ("", None)


def test_e8_nothing_is_found_where_there_is_nothing(make_library: MakeLibrary) -> None:
    library = make_library(empty={"readme.txt": "x"})
    answer = ask(library, "quantum coffee policy")
    assert (answer.hits, answer.total) == ((), 0)
    assert answer.tip is not None
    asked = PackRequest(query="quantum coffee policy")
    pack = build_pack(library, asked, lambda request: search(library, request)).to_json()
    assert (pack["evidence"], pack["citations"]) == ([], [])
    assert "Nothing" in pack["message"]


def test_e9_a_proposal_quotes_its_source_and_writes_nothing(library: Library) -> None:
    query = "How do managers approve PTO requests?"
    asked = PackRequest(query=query, topic="pto", purpose="proposal")
    pack = build_pack(library, asked, lambda request: search(library, request)).to_json()
    first, cited = pack["evidence"][0], {item["id"]: item for item in pack["citations"]}
    assert first["ref"] == "team//knowledge/handbook#approvals"
    assert "Managers approve PTO requests" in first["text_preview"]
    citation = cited[first["citation_ids"][0]]
    assert "Managers approve PTO requests" in citation["quote_preview"]
    assert citation["ref"] == first["ref"]
    assert pack["dry_run"] is True
    assert pack["safety"]["durable_writes_performed"] is False
    assert any("approve" in action for action in pack["outline"]["next_actions"])


def test_n1_an_archived_note_is_found_by_who_asks_for_history(library: Library) -> None:
    assert names(library, "zebra", belief="current") == ["active-note"]
    assert names(library, "zebra", belief="historical") == ["archived-note"]


def test_n2_a_citation_leads_back_to_the_text(library: Library) -> None:
    (first, *_) = ask(library, "handbook twenty days").to_json()["hits"]
    text = Path(first["path"]).read_text("utf-8")
    citation = first["citation"]
    assert text[citation["startOffset"] : citation["endOffset"]] == citation["text"]


PLANNED = {"E": 9, "P": 10, "R": 1, "C": 6, "N": 2, "V": 1}
"""How many fixtures the plan has of every kind."""
NOT_APPLICABLE: dict[str, str] = {}
"""None so far. What of a fixture does not apply is in `ADAPTED`."""
ADAPTED = {
    "E4": "a page and its parts are one asset here: one hit, by name and by body",
    "E6": "what is no longer believed is held below what replaced it, as in akm, and is absent from"
    " what is believed now; deleted files are absent",
    "E7": "secrets are not indexed at all, and proposals are left out before anything is ranked",
    "E9": "nothing is generated: the pack quotes its sources",
    "P3": "a full match hides the others by akm's plan alone",
    "R1": "the state of the vectors is the queue: nothing is queued twice as nothing is queued",
    "C3": "there are no loops and runs: notes that repeat are the duplicates",
    "C5": "there are no runs: a command's prompt loses its secret",
    "N1": "an archived note is history: found by who asks for that",
}
_NUMBERED = re.compile(r"^def test_([eprcnv]\d+)_", re.MULTILINE)


def test_every_number_that_applies_is_a_test() -> None:
    here = Path(__file__).parent
    found = [
        number.upper()
        for path in sorted(here.glob("test_*.py"))
        for number in _NUMBERED.findall(path.read_text(encoding="utf-8"))
    ]
    planned = {f"{kind}{n}" for kind, count in PLANNED.items() for n in range(1, count + 1)}
    assert set(found) | set(NOT_APPLICABLE) == planned
    assert len(found) == len(set(found)), "a number stands for one test"
    assert set(ADAPTED) <= set(found)
