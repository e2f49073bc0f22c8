"""Secrets in ordinary text: what is found, what is left alone, and what a cut may not reveal."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_ls.documents import redaction
from akm_ls.documents.redaction import (
    find_secrets,
    redact,
    redact_span,
    redact_url,
    secrets_around,
)

# Put together here, so that no scanner takes this file for a leak.
LONG = "Ab3dE6gH9jK2mN5pQ8sT1vW4"
SHAPES = {
    "openai_api_key": "sk-" + "proj-" + LONG,
    "anthropic_api_key": "sk-" + "ant-api03-" + LONG,
    "aws_access_key_id": "AKIA" + "IOSFODNN7EXAMPLE",
    "github_token": "ghp_" + LONG + LONG[:12],
    "github_pat": "github_" + "pat_" + LONG,
    "npm_token": "npm_" + LONG + LONG[:12],
    "context7_api_key": "ctx7" + "sk-" + LONG,
    "xai_api_key": "xai-" + LONG * 2,
    "google_api_key": "AIza" + "Sy" + LONG + "123456789",
    "gitlab_token": "glpat-" + LONG,
    "slack_token": "xoxb-" + "1234567890-" + LONG,
    "stripe_key": "sk_" + "live_" + LONG,
    "jwt": "eyJ" + f"{LONG}.{LONG}.{LONG}",
}
KEY_BLOCK = "-----BEGIN RSA {0}-----\nMIIEpAIBAAKCAQ==\n-----END RSA {0}-----".format("PRIVATE KEY")


@pytest.mark.parametrize(("kind", "secret"), SHAPES.items(), ids=list(SHAPES))
def test_keys_of_well_known_services(kind: str, secret: str) -> None:
    redacted = redact(f"Use {secret}, then go on.")
    assert redacted.text == f"Use [REDACTED:{kind}], then go on."
    assert redacted.count == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("API_KEY=abcd1234", "API_KEY={}"),
        ("api key: abcd1234", "api key: {}"),
        ('"client_secret": "abc 123 def"', '"client_secret": "{}"'),
        ("export DB_PASSWORD='hunter2hunter2'", "export DB_PASSWORD='{}'"),
        ("accessToken := abcdefgh", "accessToken := {}"),
        ("password = correcthorse", "password = {}"),
        ("Authorization: Bearer abcdef.ghijkl", "Authorization: Bearer {}"),
    ],
)
def test_what_is_assigned_to_a_name_that_says_secret(text: str, shown: str) -> None:
    assert redact(text).text == shown.format("[REDACTED:secret_assignment]")


@pytest.mark.parametrize(
    "text",
    [
        "Rotate the token every night.",
        "tokenizer: something-long-here",
        "API_KEY=${API_KEY}",
        "token: $DEPLOY_TOKEN",
        "password: <your-password>",
        "secret: {{ vault_secret }}",
        "password: ********",
        "token: short",
        "See https://example.org/keys?page=2#token-rotation",
        "The task-12345678901234567890 is done.",
        "-----BEGIN CERTIFICATE-----",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


def test_a_private_key_block_goes_as_a_whole_also_without_its_end() -> None:
    assert redact(f"a\n{KEY_BLOCK}\nb").text == "a\n[REDACTED:private_key_block]\nb"
    unended = KEY_BLOCK[: KEY_BLOCK.index("-----END")]
    assert redact(f"a\n{unended}").text == "a\n[REDACTED:private_key_block]"


@pytest.mark.parametrize(
    ("url", "stripped"),
    [
        ("https://x.org/a?token=abc", "https://x.org/a"),
        ("https://x.org/a?token=abc&page=2", "https://x.org/a?page=2"),
        ("https://x.org/a?page=2&sig=abc", "https://x.org/a?page=2"),
        ("https://x.org/a?page=2&sig=abc&n=1&key=v", "https://x.org/a?page=2&n=1"),
        ("https://x.org/a?X-Amz-Signature=abc&apikey=1", "https://x.org/a"),
        ("https://x.org/a#access_token=abc", "https://x.org/a"),
        ("https://x.org/a?v=" + SHAPES["github_token"], "https://x.org/a"),
        ("https://me:pass@x.org/a", "https://[REDACTED:url_credentials]@x.org/a"),
        ("https://x.org/a?page=2", "https://x.org/a?page=2"),
    ],
)
def test_urls_lose_their_secret_parameters(url: str, stripped: str) -> None:
    assert redact_url(url) == stripped
    assert redact(f"See {url} there").text == f"See {stripped} there"


@pytest.mark.parametrize("name", ["access_token", "api_key", "secret", "password", "signature"])
def test_every_named_parameter_is_secret(name: str) -> None:
    assert redact_url(f"https://x.org/?{name}=v&a=b") == "https://x.org/?a=b"


@given(st.integers(0, 120), st.integers(0, 120))
def test_no_cut_of_a_text_shows_a_part_of_a_secret(one: int, other: int) -> None:
    secret = SHAPES["openai_api_key"]
    text = f"Some words before it and {secret} some words after it, and more of them."
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    shown = redact_span(text, start, end, find_secrets(text)).text
    # Three characters of it are no more than chance.
    assert not any(secret[at : at + 4] in shown for at in range(len(secret) - 3))


def test_a_secret_far_into_a_long_text_is_found_around_a_stretch() -> None:
    text = "word " * 20_000 + KEY_BLOCK + " word" * 20_000
    at = text.index("MIIE")
    secrets = secrets_around(text, at, at + 10)
    assert redact_span(text, at, at + 10, secrets).text == "[REDACTED:private_key_block]"


@given(st.text(alphabet="sk-antghp_=:?&#/ \n'\"BEGIN12ab", max_size=200))
def test_any_text_comes_out_stable(text: str) -> None:
    secrets = find_secrets(text)
    assert all(one.end <= other.start for one, other in itertools.pairwise(secrets))
    once = redact(text)
    assert bool(once.count) == (once.text != text)


_PIECES = st.sampled_from(
    [
        *SHAPES.values(),
        KEY_BLOCK,
        "API_KEY",
        "token_prod",
        "Secret",
        "passwords:",
        "authorization: Bearer",
        f"bearer {LONG}",
        f"https://x.org/?sig={LONG}&a=b",
        "https://u:p@x.org/",
        "=",
        ": ",
        "'",
        '"',
        LONG,
        "tokeniſer",
        "İ",
        "word",
        " ",
        "\n",
        "\r\n",
    ]
)


@given(st.lists(_PIECES, max_size=20).map("".join), st.integers(0, 400), st.integers(0, 400))
def test_around_a_stretch_the_same_is_hidden_as_in_the_whole(
    text: str, one: int, other: int
) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    around = secrets_around(text, start, end)
    assert hidden(around, start, end) == hidden(find_secrets(text), start, end)


def hidden(secrets: tuple[redaction.Secret, ...], start: int, end: int) -> set[int]:
    return {at for it in secrets for at in range(max(it.start, start), min(it.end, end))}


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_the_fast_search_for_assignments_finds_what_the_pattern_finds(text: str) -> None:
    fast = [match.span() for match in redaction._assignments(text, text.lower())]
    assert fast == [match.span() for match in redaction._ASSIGNMENT.finditer(text)]


_URL_PIECES = st.sampled_from(
    ["http://", "x://", "a", "B9", "+", ".", "-", "1", "://", ":/", " ", "é", "://u@", "\n", "<"]
)


@given(st.lists(_URL_PIECES, max_size=12).map("".join))
def test_the_fast_search_for_urls_finds_what_the_pattern_finds(text: str) -> None:
    assert redaction._urls(text) == [match.span() for match in redaction._URL.finditer(text)]
