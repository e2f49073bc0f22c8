"""Context packs: what is in them, and the fixtures C1 to C6 of their specification."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

import pytest

from akm_ls.search.context_pack import ContextPack, PackRequest, build_pack
from akm_ls.search.context_pack.request import read_since
from akm_ls.search.library import Library
from akm_ls.search.request import RequestError, SearchRequest
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

# Put together here, so that no scanner takes this file for a leak.
KEY = "sk-" + "ant-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4"
PROSE = "Managers approve paid time off in the payroll tool before the month ends. "

HANDBOOK = {
    "knowledge/handbook.md": page(
        "How the company handles paid time off.",
        f"# Handbook\n\nWelcome.\n\n## Time off\n\n{PROSE * 20}\n\n## Sick leave\n\nCall in.",
    ),
    "knowledge/runbook.md": page(
        "What to do in an incident.", f"# Runbook\n\nThe escalation owner pages. {PROSE * 3}"
    ),
    "knowledge/named.md": page("Payroll at a glance."),
    "commands/leaky.md": page(
        "Sends the payroll report.", f"Use payroll with API_KEY={KEY} and {KEY}.\n\n{PROSE * 4}"
    ),
    "memories/vpn.md": page(
        "The old payroll VPN.", "Payroll needs the VPN.", beliefState="superseded"
    ),
    "memories/idea.md": page("A payroll idea.", "Payroll by post.", quality="proposed"),
    "env/payroll.env": "PAYROLL_TOKEN=hidden-value\n",
    "secrets/payroll": "hidden-value\n",
}


def pack(library: Library, query: str, **options: Any) -> ContextPack:
    request = PackRequest(query=query, **options)
    return build_pack(library, request, lambda asked: search(library, asked))


@pytest.fixture(scope="module")
def handbook(make_library: MakeLibrary) -> Library:
    return make_library(team=HANDBOOK)


def test_a_pack_has_evidence_citations_and_the_limits_of_both(handbook: Library) -> None:
    answer = pack(handbook, "approve paid time off", type="knowledge", max_items=1).to_json()
    assert (answer["ok"], answer["format"], answer["version"]) == (True, "akm-context-pack", 1)
    assert answer["dry_run"] is True
    assert answer["safety"]["durable_writes_performed"] is False
    assert answer["safety"]["raw_artifact_content_included"] is False
    assert len(answer["safety"]["reminders"]) == 5
    [evidence] = answer["evidence"]
    assert evidence["kind"] == "section"
    assert evidence["ref"] == "team//knowledge/handbook#time-off"
    assert evidence["provenance"]["record_ref"] == "section:team//knowledge/handbook#time-off"
    [citation] = answer["citations"]
    assert evidence["citation_ids"] == [citation["id"]]
    assert citation["ref"] == evidence["ref"]
    assert citation["hash"].startswith(citation["revision"])
    assert citation["quote_preview"].startswith("Managers approve paid time off")
    assert answer["outline"]["bullets"] == [f"{evidence['id']}: Handbook"]
    assert answer["outline"]["evidence_ids"] == [evidence["id"]]
    assert len(answer["outline"]["next_actions"]) == 3


def test_c1_the_budget_and_the_items_hold_and_the_secret_is_gone(handbook: Library) -> None:
    answer = pack(handbook, "payroll", max_items=3, max_tokens=800).to_json()
    budgets = answer["budgets"]
    assert budgets["max_items"] == 3
    assert budgets["items_included"] == len(answer["evidence"]) <= 3
    assert budgets["items_available"] > 3
    assert budgets["items_truncated"] is True
    assert -(-len(json.dumps(answer)) // 4) == budgets["estimated_tokens"] <= 800
    uncut = pack(handbook, "payroll", max_items=3, max_tokens=12_000).to_json()
    assert uncut["budgets"]["estimated_tokens"] > 800
    leaky = pack(handbook, "sends payroll report").to_json()
    assert leaky["evidence"][0]["ref"].startswith("team//commands/leaky")
    assert KEY not in json.dumps(leaky)
    assert "[REDACTED:" in leaky["evidence"][0]["text_preview"]
    assert leaky["safety"]["redactions"] >= 2


def test_c2_long_previews_and_quotes_are_shortened_until_they_fit(
    make_library: MakeLibrary,
) -> None:
    body = "zebra " + "x" * 5_000
    files = {f"knowledge/z{number}.md": page("zebra " * 90, body) for number in range(6)}
    shortened = pack(make_library(team=files), "zebra", max_tokens=1_300).to_json()
    assert shortened["budgets"]["estimated_tokens"] <= 1_300
    assert all(len(item["text_preview"]) <= 180 for item in shortened["evidence"])
    assert all(len(item["quote_preview"]) <= 120 for item in shortened["citations"])
    names = [warning.partition(":")[0] for warning in shortened["warnings"]]
    assert names == [
        "previews_shortened",
        "quotes_shortened",
        "details_dropped",
        "evidence_dropped",
    ]
    wide = pack(make_library(team=files), "zebra", max_tokens=12_000).to_json()
    assert [len(item["text_preview"]) for item in wide["evidence"]] == [520] * 6
    quotes = {item["id"]: len(item["quote_preview"]) for item in wide["citations"]}
    assert [quotes[item["citation_ids"][0]] for item in wide["evidence"]] == [220] * 3 + [140] * 3


def test_c3_a_proposal_sees_what_was_noted_before_and_what_repeats(
    make_library: MakeLibrary,
) -> None:
    files = {
        f"memories/run-{number}.md": page(
            "The nightly deploy failed.", f"# Deploy run {number}\n\nDeploy {number} hit a timeout."
        )
        for number in (41, 42, 43)
    }
    files["memories/other.md"] = page("Deploys wait.", "# Window\n\nNo deploy on a Friday.")
    library = make_library(team=files)
    answer = pack(library, "", topic="deploy", purpose="proposal", dedupe=True, max_tokens=4000)
    document = answer.to_json()
    assert (document["purpose"], document["topic"]) == ("proposal", "deploy")
    assert len(document["evidence"]) == 4
    [group] = document["duplicate_candidates"]
    assert group["confidence"] == "high"
    assert len(group["evidence_ids"]) == 3
    assert document["outline"]["duplicate_ids"] == [group["id"]]
    assert any("approve" in action for action in document["outline"]["next_actions"])
    assert pack(library, "deploy", max_tokens=4000).to_json()["duplicate_candidates"] == []


def test_two_of_a_kind_are_duplicates_with_less_confidence(make_library: MakeLibrary) -> None:
    files = {f"memories/{name}.md": page("Same.", "# Same\n\nThe same words.") for name in "ab"}
    document = pack(make_library(team=files), "same", dedupe=True).to_json()
    assert [group["confidence"] for group in document["duplicate_candidates"]] == ["medium"]


def test_c4_addresses_in_a_pack_have_no_secret_parameters(make_library: MakeLibrary) -> None:
    url = "https://docs.example.org/guide?page=2&token=hunter2&sig=abc"
    files = {
        "manifest.json": '{"url": "https://docs.example.org", "fetchedAt": "2026-01-01"}',
        "stash/knowledge/guide.md": page(
            "The guide.", f"# Guide\n\nSee {url} for the guide.", sourceUrl=url, tags="[website]"
        ),
    }
    answer = pack(make_library(site=files), f"guide {url}").to_json()
    assert answer["citations"][0]["source_url"] == "https://docs.example.org/guide?page=2"
    assert "See https://docs.example.org/guide?page=2 for" in answer["evidence"][0]["text_preview"]
    assert "hunter2" not in json.dumps(answer)


def test_c5_a_prompt_loses_its_secret(make_library: MakeLibrary) -> None:
    files = {"commands/ask.md": page("Asks.", f"Ask politely. password: '{KEY} and more'. Ask.")}
    answer = pack(make_library(team=files), "ask politely").to_json()
    assert "[REDACTED:secret_assignment]" in answer["evidence"][0]["text_preview"]
    assert KEY not in json.dumps(answer)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"query": "x", "maxTokens": 799}, "maxTokens must be at least 800"),
        ({"query": "x", "purpose": "proposal"}, "a proposal needs a topic"),
        ({"query": "x", "purpose": "proposal", "topic": " "}, "a proposal needs a topic"),
        ({"query": "  "}, "needs a query"),
        ({}, "needs a query"),
        ({"query": 5}, "query must be a string"),
        ({"query": "x", "maxItems": "many"}, "maxItems must be a whole number"),
        ({"query": "x", "dedupe": 1}, "dedupe must be true or false"),
        ({"query": "x", "purpose": "fun"}, "purpose must be one of"),
        ({"query": "x", "source": "loops"}, 'source must be "search"'),
        (None, "must be an object"),
    ],
)
def test_c6_what_cannot_be_asked_is_refused_by_name(params: Any, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        PackRequest.from_params(params)


def test_limits_are_held() -> None:
    asked = PackRequest.from_params({"query": "x", "maxTokens": 99_999, "maxItems": 99})
    assert (asked.max_tokens, asked.max_items) == (12_000, 50)
    asked = PackRequest.from_params({"query": "x", "limit": 4.0})
    assert (asked.max_tokens, asked.max_items) == (1_200, 4)


def test_secrets_and_proposals_are_not_packed_and_values_are_not_known(handbook: Library) -> None:
    answer = pack(handbook, "payroll", max_items=50, max_tokens=12_000).to_json()
    types = {item["type"] for item in answer["evidence"]}
    assert "secret" not in types
    assert "permission_filtered:1" in answer["warnings"]
    refs = [item["ref"] for item in answer["evidence"]]
    assert "team//memories/idea" not in refs
    assert "team//env/payroll" in refs
    assert "PAYROLL_TOKEN" in json.dumps(answer)
    assert "hidden-value" not in json.dumps(answer)


def test_what_is_no_longer_believed_is_said(handbook: Library) -> None:
    answer = pack(handbook, "payroll VPN").to_json()
    assert "superseded:team//memories/vpn" in answer["warnings"]


def test_evidence_comes_in_the_order_of_the_search(handbook: Library) -> None:
    document = pack(handbook, "payroll", max_items=50, max_tokens=12_000).to_json()
    found = search(handbook, _asked("payroll"))
    refs = [item["ref"].partition("#")[0] for item in document["evidence"]]
    assert refs == [hit.entry.ref for hit in found.hits if hit.entry.type != "secret"]
    scores = [item["score"] for item in document["evidence"]]
    assert scores == sorted(scores, reverse=True)
    ids = [citation["id"] for citation in document["citations"]]
    assert ids == sorted(set(ids))


def _asked(query: str) -> Any:
    from akm_ls.search.request import SearchRequest

    return SearchRequest(query=query, limit=60)


def test_an_asset_found_by_its_name_is_cited_by_its_description(handbook: Library) -> None:
    answer = pack(handbook, "payroll glance", max_items=1).to_json()
    assert answer["evidence"][0]["kind"] == "catalog"
    assert answer["citations"][0]["quote_preview"] == "Payroll at a glance."


@pytest.mark.parametrize("query", ["quantum coffee policy", "???"])
def test_nothing_found_is_a_pack_that_says_so(handbook: Library, query: str) -> None:
    answer = pack(handbook, query).to_json()
    assert (answer["ok"], answer["evidence"], answer["citations"]) == (True, [], [])
    assert answer["message"].startswith("Nothing matched")
    assert answer["budgets"]["items_available"] == 0


def test_the_same_index_makes_the_same_pack(handbook: Library) -> None:
    one, other = (pack(handbook, "payroll", dedupe=True).to_json() for _ in range(2))
    assert json.dumps(one) == json.dumps(other)
    larger = pack(handbook, "payroll", dedupe=True, max_tokens=2_000).to_json()
    assert larger["idempotency_key"] != one["idempotency_key"]


def test_an_open_document_is_what_is_quoted(make_library: MakeLibrary) -> None:
    library = make_library(
        buffers={"team/knowledge/draft.md": page("About otters.", "Otters now live in the river.")},
        team={"knowledge/draft.md": page("About otters.", "Otters live in the sea.")},
    )
    [citation] = pack(library, "otters live").to_json()["citations"]
    assert citation["dirty"] is True
    assert citation["quote_preview"] == "Otters now live in the river."


def test_a_file_that_changed_since_it_was_indexed_is_quoted_as_it_is(
    make_library: MakeLibrary,
) -> None:
    library = make_library(team={"knowledge/a.md": page("About otters.", "Otters in the sea.")})
    before = pack(library, "otters").to_json()
    path = next(stub.path for stub in library.catalog.stubs(None))
    with open(path, "w", encoding="utf-8") as file:
        file.write(page("About otters.", "Many otters in the river."))
    after = pack(library, "otters").to_json()
    assert "stale_source:team//knowledge/a" in after["warnings"]
    assert after["citations"][0]["quote_preview"] == "Many otters in the river."
    assert after["citations"][0]["hash"] != before["citations"][0]["hash"]


@pytest.mark.parametrize("saved", [False, True])
def test_what_became_a_proposal_since_it_was_indexed_is_not_quoted(
    make_library: MakeLibrary, saved: bool
) -> None:
    library = make_library(team={"knowledge/a.md": page("About otters.", "Otters in the sea.")})
    [path] = (stub.path for stub in library.catalog.stubs(None))
    text = page("About otters.", "Otters in secret.", quality="proposed")
    if saved:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        library = replace(library, text_of={path: text}.get)
    answer = pack(library, "otters").to_json()
    assert (answer["evidence"], answer["citations"]) == ([], [])
    assert "Otters in" not in json.dumps(answer)


def test_since_leaves_out_what_is_older(make_library: MakeLibrary) -> None:
    library = make_library(
        team={f"knowledge/{name}.md": page("Otters.", "Otters.") for name in ("old", "new")}
    )
    # The index has the files' times: this only moves them.
    old = next(s.path for s in library.catalog.stubs(None) if s.concept_id == "knowledge/old")
    request = PackRequest(query="otters", since="1h")
    later = os.stat(old).st_mtime + 7_200
    packed = build_pack(library, request, lambda asked: search(library, asked), now=lambda: later)
    assert packed.evidence == ()
    packed = build_pack(library, request, lambda asked: search(library, asked))
    assert len(packed.evidence) == 2
    assert "invalid_since_ignored" in pack(library, "otters", since="yesterday").warnings


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("30m", 1_000_000 - 1_800),
        ("2h", 1_000_000 - 7_200),
        ("7d", 1_000_000 - 604_800),
        ("1w", 1_000_000 - 604_800),
        ("1970-01-02", 86_400),
        ("1970-01-02T00:00:00Z", 86_400),
        ("tomorrow", None),
        ("-3h", None),
        ("", None),
    ],
)
def test_points_in_time(text: str, moment: float | None) -> None:
    assert read_since(text, 1_000_000) == moment


@pytest.mark.parametrize(
    "heading",
    [f"Payroll {KEY}", f"Payroll api_key = {KEY[-20:]}", "Payroll https://me:Ab3dE6gH9jK2@host/x"],
)
def test_a_secret_in_a_heading_is_in_no_fragment(make_library: MakeLibrary, heading: str) -> None:
    text = page("A page.", f"# {heading}\n\nThe zebra crosses. {PROSE}\n")
    library = make_library(team={"knowledge/leak.md": text})
    packed = pack(library, "zebra").to_json()
    [evidence], [citation] = packed["evidence"], packed["citations"]
    assert evidence["ref"] == citation["ref"] == "team//knowledge/leak"
    assert citation["range"]["start"]["line"] == text[: text.index("# Pay")].count("\n") + 2
    result = search(library, SearchRequest("zebra"))
    for answer in (packed, *(result.to_json(it) for it in ("brief", "normal", "full", "agent"))):
        said = json.dumps(answer).lower()
        assert "zebra" in said
        assert KEY[-12:].lower() not in said
        assert "ab3de6gh9jk2" not in said


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_offsets_count_the_text_without_a_byte_order_mark(
    make_library: MakeLibrary, mark: str, end: str
) -> None:
    text = f"# Zebras 😀{end}{end}The zebra crosses.{end}"
    library = make_library(team={"knowledge/zebra.md": f"{mark}{text}"})
    [citation] = pack(library, "zebra crosses").to_json()["citations"]
    start, stop = citation["start_offset"], citation["end_offset"]
    assert text[start:stop] == citation["quote_preview"]
    [hit] = search(library, SearchRequest("zebra crosses")).to_json()["hits"]
    found = hit["citation"]
    assert text[found["startOffset"] : found["endOffset"]] == found["text"]
