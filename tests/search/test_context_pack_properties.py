"""Whatever is asked of whatever text: the budget holds, and every quote is in its file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akm_ls.documents.document import parse
from akm_ls.documents.redaction import redact_span, secrets_around
from akm_ls.documents.text import LineIndex, decode
from akm_ls.refs import parse_ref
from akm_ls.search.context_pack import PackError, PackRequest, build_pack
from akm_ls.search.library import Library
from akm_ls.search.search import search

from .conftest import MakeLibrary, page

KEY = "sk-" + "ant-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4"
WORDS = [
    "river",
    "otter",
    "straße",
    "日本語の文",
    "🦦",
    "naïve",
    "TLS",
    "deploy",
    "token",
    "x" * 30,
]


def _text(number: int) -> str:
    words = [WORDS[(number * 7 + at * at) % len(WORDS)] for at in range(20 + number * 11)]
    lines = [" ".join(words[at : at + 9]) for at in range(0, len(words), 9)]
    line_end = "\r\n" if number % 3 == 0 else "\n"
    secret = f"API_KEY={KEY} otter deploy" if number % 4 == 0 else ""
    body = [f"# River {number}", "", *lines[:3], secret, "", f"## Deploy {number}", "", *lines[3:]]
    return page(f"About otters {number} 🦦.", line_end.join(body))


@pytest.fixture(scope="module")
def river(make_library: MakeLibrary) -> Library:
    files = {f"knowledge/deep/er/r{number}.md": _text(number) for number in range(24)}
    files |= {f"memories/m{number}.md": _text(number) for number in range(8)}
    return make_library(team=files, other={"knowledge/o.md": _text(5)})


queries = st.lists(st.sampled_from([*WORDS, "about", "nothing-there"]), min_size=1, max_size=5).map(
    " ".join
)
requests = st.builds(
    PackRequest,
    query=queries | st.text(min_size=1, max_size=3_000).filter(lambda text: bool(text.split())),
    max_tokens=st.integers(800, 3_000) | st.integers(800, 12_000),
    max_items=st.integers(1, 50),
    dedupe=st.booleans(),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(request=requests, encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_a_pack_holds_its_budget_and_its_citations_resolve(
    river: Library, request: PackRequest, encoding: Any
) -> None:
    try:
        pack = build_pack(river, request, lambda asked: search(river, asked), encoding=encoding)
    except PackError as error:
        assert error.needed > request.max_tokens
        assert "increase --max-tokens" in str(error)
        return
    document = pack.to_json()
    tokens = -(-len(json.dumps(document)) // 4)
    assert tokens == document["budgets"]["estimated_tokens"] <= request.max_tokens
    assert len(document["evidence"]) <= request.max_items
    assert KEY not in json.dumps(document)
    ids = {citation["id"] for citation in document["citations"]}
    assert ids == {key for item in document["evidence"] for key in item["citation_ids"]}
    for citation in document["citations"]:
        _resolves(river, citation, encoding)


def _resolves(library: Library, citation: dict[str, Any], encoding: Any) -> None:
    path = Path(url2pathname(urlparse(citation["source_uri"]).path))
    text = decode(path.read_bytes()).text
    start, end = citation["start_offset"], citation["end_offset"]
    secrets = secrets_around(text, start, end)
    assert redact_span(text, start, end, secrets).text == citation["quote_preview"]
    if not any(secret.start < end and start < secret.end for secret in secrets):
        assert text[start:end] == citation["quote_preview"]
    lines, span = LineIndex(text), citation["range"]
    assert lines.offset(*span["start"].values(), encoding) == start
    assert lines.offset(*span["end"].values(), encoding) == end
    ref = parse_ref(citation["ref"])
    stub = library.catalog.find(ref.bundle or "", ref.concept_id)
    assert stub is not None
    assert Path(stub.path) == path
    if ref.fragment is not None:
        heading = parse(text).fragment(ref.fragment)
        assert heading is not None
        assert heading.section.start <= start < heading.section.end


def test_the_smallest_budget_holds_one_piece_of_evidence(river: Library) -> None:
    request = PackRequest(query="otter deploy", max_tokens=800)
    document = build_pack(river, request, lambda asked: search(river, asked)).to_json()
    assert document["budgets"]["estimated_tokens"] <= 800
    assert len(document["evidence"]) >= 1


@pytest.mark.parametrize("length", range(8))
def test_a_pack_one_token_too_large_is_measured_as_well(river: Library, length: int) -> None:
    # With a topic the query stands in the pack once: each dot is one character more.
    request = PackRequest(query="otter" + "." * length, topic="otters", max_tokens=12_000)
    pack = build_pack(river, request, lambda asked: search(river, asked))
    tokens = pack.to_json()["budgets"]["estimated_tokens"]
    for less in range(4):
        tight = replace(request, max_tokens=tokens - less)
        document = replace(pack, request=tight).to_json()
        budgets = document["budgets"]
        exceeded = budgets["estimated_tokens"] > tight.max_tokens
        assert budgets["token_budget_exceeded"] is exceeded


def test_what_cannot_fit_is_refused_with_what_it_would_take(river: Library) -> None:
    # Every character beyond ASCII counts as what its escape takes.
    request = PackRequest(query="otter " + "🦦" * 290, max_tokens=800)
    with pytest.raises(PackError) as error:
        build_pack(river, request, lambda asked: search(river, asked))
    assert error.value.needed > 800
    assert "token_budget_floor" in error.value.warnings
