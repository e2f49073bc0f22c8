"""Headings, code, links, and where a ref can be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from akm_ls.documents.document import parse
from akm_ls.documents.env_keys import read_env_keys
from akm_ls.documents.slugs import akm_slug, github_slug

VECTORS = Path(__file__).parent.parent / "conformance" / "vectors"


def vectors(name: str) -> list[dict[str, Any]]:
    return list(json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["vectors"])


@pytest.mark.parametrize("vector", vectors("heading_slug"), ids=lambda v: repr(v["args"][0]))
def test_slugs_are_akms(vector: dict[str, Any]) -> None:
    assert akm_slug(*vector["args"]) == vector["ok"]


@pytest.mark.parametrize(
    ("heading", "slug"),
    [("Function & File Health", "function--file-health"), ("A_b: c!", "a_b-c"), ("Ünï 😀", "ünï-")],
)
def test_github_has_other_slugs(heading: str, slug: str) -> None:
    assert github_slug(heading) == slug


# Their fence toggle flips at every run of backticks or tildes, whatever kind of fence is open.
OTHERWISE = {
    "```\n# x\n~~~\n# y\n```\n# z": ["z"],
    "````\n```\n# in\n````\n# out": ["out"],
}


@pytest.mark.parametrize("vector", vectors("fragments"), ids=lambda v: repr(v["args"][0]))
def test_headings_and_their_numbers_are_akms(vector: dict[str, Any]) -> None:
    (text,) = vector["args"]
    slugs = [heading.slug for heading in parse(text).headings if heading.slug]
    assert slugs == OTHERWISE.get(text, vector["ok"])


def test_a_section_goes_to_the_next_heading_of_its_level() -> None:
    text = "# A\nx\n## B\ny\n### D\nq\n## C\nz\n"
    sections = {h.text: h.section.of(text) for h in parse(text).headings}
    assert sections["B"] == "## B\ny\n### D\nq\n"
    assert sections["A"] == text


def test_a_fragment_is_a_slug_or_a_headings_text_in_any_case() -> None:
    document = parse("# Foo Bar\n")
    for name in ("foo-bar", "Foo Bar", "foo bar", " FOO BAR "):
        found = document.fragment(name)
        assert found is not None and found.text == "Foo Bar", name
    assert document.fragment("nope") is None


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n{ref}\n```\n",
        "~~~sh\n{ref}\n~~~\n",
        "````\n```\n{ref}\n```\n````\n",
        "> ```\n> {ref}\n> ```\n",
        "- item\n\n  ```\n  {ref}\n  ```\n",
        "```\n{ref}\n",
        "```\n    ```\n{ref}\n```\n",
        "- ```\n  code\n  {ref}\n  ```\n",
        "<!-- {ref} -->\n",
        "<!--\n{ref}\n-->\n",
        "<https://example.com/{ref}>\n",
        "https://example.com/{ref}\n",
        "---\ndescription: {ref}\n---\n",
    ],
)
def test_no_ref_is_seen_there(hidden: str) -> None:
    assert not parse(hidden.format(ref="team//knowledge/x")).refs


@pytest.mark.parametrize(
    "shown",
    [
        "{ref}\n",
        "## See {ref}\n",
        "| {ref} | y |\n",
        "> {ref}\n",
        "- {ref}\n",
        "`{ref}`\n",
        "    {ref}\n",
        "```\ncode\n```\n{ref}\n",
        "Say ``` once, then {ref}\n",
    ],
)
def test_a_ref_is_seen_there(shown: str) -> None:
    (occurrence,) = parse(shown.format(ref="team//knowledge/x")).refs
    assert (occurrence.text, occurrence.channel) == ("team//knowledge/x", "prose")


def test_links_have_their_targets() -> None:
    text = '[a](b.md#c) ![i](<p q.png>) [t](x(1).md "title")\n\n[r]: ../z.md\n\n`[no](code.md)`\n'
    assert [(link.kind, link.target) for link in parse(text).links] == [
        ("inline", "b.md#c"),
        ("image", "p q.png"),
        ("inline", "x(1).md"),
        ("definition", "../z.md"),
    ]


def test_env_keys_come_without_values() -> None:
    keys = read_env_keys(
        "A=first-value\nexport B='second-value'\n# C=third-value\n  D = fourth-value\n"
        "# akm-lint-ok: dangerous-env-key\nPATH=fifth-value\n"
    )
    assert [key.name for key in keys] == ["A", "B", "D", "PATH"]
    assert [key.suppressed for key in keys] == [False, False, False, True]
    assert "value" not in repr(keys)
