"""Refs by channel, with the text they cover."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.refs import Ref


def found(document: Document) -> list[tuple[str, str]]:
    """Channel and covered text of every ref."""
    return [(ref.channel, ref.span.of(document.text)) for ref in document.refs]


@pytest.mark.parametrize(
    "key", ["refs", "xrefs", "supersededBy", "contradictedBy", "currentBeliefRefs"]
)
@pytest.mark.parametrize(
    "value",
    [
        " knowledge/a",
        " 'knowledge/a'",
        ' "knowledge/a"  # why',
        " [knowledge/a]",
        "\n  - knowledge/a",
        '\n  - "knowledge/a"',
        "\n- knowledge/a\n",
        " &anchor knowledge/a",
        " !!str knowledge/a",
    ],
)
def test_a_channel_holds_one_ref_or_a_list(key: str, value: str) -> None:
    document = parse(f"---\ndescription: d\n{key}:{value}\n---\nbody\n")
    assert found(document) == [(key, "knowledge/a")]
    assert document.refs[0].ref == Ref(None, "knowledge/a")


def test_what_is_no_ref_is_left_out_of_a_channel() -> None:
    entries = [
        "memory:gone", "alpha//memory:gone", "https://x.y/z", "wiki:foo/bar", "5", "true", "~",
        "''", "a//$(x)", "knowledge/${v}", "foo::bar", "{a: b}", "[nested/x]",
    ]  # fmt: skip
    document = parse("---\nxrefs:\n" + "".join(f"  - {entry}\n" for entry in entries) + "---\n")
    assert found(document) == []


def test_an_entry_that_does_not_parse_says_why() -> None:
    document = parse("---\nxrefs: [../memories/gone.md, knowledge/ok]\n---\n")
    (broken, good) = document.refs
    assert (broken.ref, broken.text) == (None, "../memories/gone.md")
    assert broken.error == "Path traversal in asset name."
    assert (good.ref, good.error) == (Ref(None, "knowledge/ok"), None)


def test_channels_are_read_while_another_key_is_broken() -> None:
    document = parse(
        "---\ndescription: Use when: broken\nrefs: [team//knowledge/a, 'knowledge/b']\n"
        'xrefs:\n  - knowledge/c: d: e\n  - "knowledge/f\n  - knowledge/g\n---\n'
    )
    assert found(document) == [
        ("refs", "team//knowledge/a"),
        ("refs", "knowledge/b"),
        ("xrefs", "knowledge/f"),
        ("xrefs", "knowledge/g"),
    ]


def test_an_alias_leads_to_the_place_that_spells_the_refs() -> None:
    document = parse("---\nrefs: &all [knowledge/a]\nxrefs: *all\n---\n")
    assert found(document) == [("refs", "knowledge/a")]


def test_other_keys_hold_no_refs() -> None:
    text = "---\nwhen_to_use: see team//knowledge/a\nsources: [knowledge/b]\n---\n"
    assert found(parse(text)) == []


def test_environments_of_a_workflows_units() -> None:
    document = parse(
        "---\ntype: workflow\nsteps:\n  - id: a\n    unit: {env: [env/prod, team//env/x]}\n"
        "  - id: b\n    map:\n      over: steps.a.output\n      unit:\n        env: [env/stage]\n"
        "  - loose text\n---\n## a\n"
    )
    assert found(document) == [("env", "env/prod"), ("env", "team//env/x"), ("env", "env/stage")]


def test_a_task_names_its_target_and_cites_in_prose_and_comments() -> None:
    document = parse(
        "version: 2\nworkflow: workflows/nightly\nprompt: see alpha//knowledge/a for more\n"
        'xrefs: [knowledge/b, "alpha//knowledge/c"]\n# alpha//knowledge/d\n'
        "docs: https://e.x//knowledge/e\n",
        "yaml",
    )
    assert found(document) == [
        ("task", "workflows/nightly"),
        ("prose", "alpha//knowledge/a"),
        ("xrefs", "knowledge/b"),
        ("xrefs", "alpha//knowledge/c"),
        ("prose", "alpha//knowledge/d"),
    ]


@pytest.mark.parametrize("value", ["hello", "Tidy up the workflows", "akm/command", "x: y", "7"])
def test_a_prompts_text_is_no_ref(value: str) -> None:
    assert found(parse(f"version: 2\nprompt: {value!r}\n", "yaml")) == []


def test_composed_and_decomposed_spellings_are_one_ref() -> None:
    (first, second) = parse("a//knowledge/\u00fc and a//knowledge/u\u0308\n").refs
    assert first.ref == second.ref
    assert len(first.span.of("a//knowledge/\u00fc and ")) == 14
    assert second.span.end - second.span.start == 15


def test_a_ref_is_found_by_any_place_the_cursor_touches() -> None:
    text = "See team//knowledge/x, then more.\n"
    document = parse(text)
    start, end = document.refs[0].span
    assert [document.ref_at(at) is not None for at in (start - 1, start, end, end + 1)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "can"),
    [
        ("before | after", True),
        ("```\n|\n```\n", False),
        ("```\ncode|", False),
        ("```\ncode\n```|\n", False),
        ("```\ncode\n```\n|", True),
        ("<!-- note| -->", False),
        ("<!-- open|", False),
        ("<!-- note -->|", True),
        ("https://example.com/a|", False),
        ("https://example.com/a |", True),
        ("---\nname: |x\n---\n", False),
        ("---\nname: x\n---\n|", True),
        ("|", True),
    ],
)
def test_where_a_ref_can_be_typed(text: str, can: bool) -> None:
    offset = text.index("|")
    document = parse(text.replace("|", ""))
    assert document.can_hold_ref(offset) is can


@pytest.mark.parametrize("kind", ["env", "script", "other"])
def test_files_that_are_not_prose_have_no_refs(kind: str) -> None:
    assert parse("team//knowledge/x\n", kind).refs == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/b/skills/x/SKILL.md", "markdown"),
        ("/b/.cursor/rules/x.MDC", "markdown"),
        ("/b/tasks/t.yml", "yaml"),
        ("/b/env/.env", "env"),
        ("/b/env/prod.env", "env"),
        ("/b/.env.local", "env"),
        ("/b/scripts/x.sh", "script"),
        ("/b/secrets/key.pem", "other"),
        ("/b.md/LICENSE", "other"),
    ],
)
def test_the_name_tells_the_kind(path: str, kind: str) -> None:
    assert kind_of(path) == kind
