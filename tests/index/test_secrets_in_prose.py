"""Keys that authors left in ordinary text: no model is given them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from akm_ls.embedders.remote import RemoteEmbedder
from akm_ls.embedders.settings import EmbeddingSettings
from akm_ls.index.embedding import run_embedding
from akm_ls.index.semantic_status import Readiness
from akm_ls.search.semantic import SemanticIndex
from embedders.endpoint import Endpoint

from .conftest import Site

KEY = "Zq9xZq9xZq9xZq9xZq9xZq9x"
SECRETS = {
    "a key block": f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----",
    "an assignment": f"api_key = {KEY}",
    "an assignment with markup in it": f"password = Zq9!{KEY}",
    "a bearer": f"Send Authorization: Bearer {KEY} with it.",
    "a URL": f"Clone https://bot:{KEY}@example.org/x.git first.",
    "OpenAI's": f"The key is sk-proj-{KEY}.",
    "Anthropic's": f"The key is sk-ant-api03-{KEY}.",
    "GitHub's": f"Use ghp_{KEY} for it.",
    "Amazon's": "Use AKIAZQ9XZQ9XZQ9XZQ9X for it.",
}
PLACES = {
    "body": "---\ndescription: A page\n---\n\nFirst plainword.\n\n{secret}\n",
    "heading": "---\ndescription: A page\n---\n\n# About plainword {line}\n\nText.\n",
    "description": "---\ndescription: |-\n  plainword\n  {line}\n---\n\nText.\n",
    "when": "---\ndescription: plainword\nwhen_to_use: |-\n  {line}\n---\n\nText.\n",
    "tag": "---\ndescription: plainword\ntags: ['{line}']\n---\n\nText.\n",
}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


def embed(site: Site, endpoint: Endpoint) -> int:
    """How many assets were embedded."""
    model = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    return run_embedding(site.store_path, site.set(), model).stored


def sent(endpoint: Endpoint) -> str:
    return "\n".join(text for request in endpoint.requests for text in request.texts)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("what", SECRETS)
def test_a_key_in_a_text_is_not_sent(site: Site, endpoint: Endpoint, what: str, place: str) -> None:
    secret = SECRETS[what]
    text = PLACES[place].format(secret=secret, line=secret.replace("\n", " "))
    site.write({"team/knowledge/a.md": text})
    site.index()
    assert embed(site, endpoint) == 1
    assert "plainword" in sent(endpoint)
    assert "zq9x" not in sent(endpoint).lower()


def test_a_key_is_not_sent_with_a_query(site: Site, endpoint: Endpoint) -> None:
    site.write({"team/knowledge/a.md": "# A\n"})
    site.index()
    model = RemoteEmbedder(EmbeddingSettings(endpoint=endpoint.url, model="m"))
    semantic = SemanticIndex(lambda: model, lambda store: Readiness("ready", "m", 1, 0, None))
    embed(site, endpoint)
    with site.store() as store:
        for secret in SECRETS.values():
            semantic.lane(store, semantic.state(store), f"plainword {secret}")
    assert "plainword" in sent(endpoint)
    assert "zq9x" not in sent(endpoint).lower()


def test_a_text_with_another_key_is_sent_again_and_again_without_it(
    site: Site, endpoint: Endpoint
) -> None:
    other = KEY.replace("9", "8")
    site.write({"team/knowledge/a.md": f"Use ghp_{KEY} here.\n"})
    site.index()
    assert embed(site, endpoint) == 1
    site.write({"team/knowledge/a.md": f"Use ghp_{other} here.\n\n"})
    site.index()
    assert embed(site, endpoint) == 1
    assert "zq9x" not in sent(endpoint).lower()
    found = "SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?"
    assert site.sql(found, f'"ghp_{KEY}"') == [(0,)]
    assert site.sql(found, f'"ghp_{other}"') == [(1,)]
