"""Tags, cross references, provenance, orientation and spelling in a stash."""

from __future__ import annotations

from pathlib import Path

import pytest
from stash import fixed, lint_stash, marked

from akm_ls.lint.finding import Finding

DESCRIBED = "description: What is said here in one whole sentence"


def note(*keys: str, body: str = "# Title\n", eol: str = "\n") -> str:
    return eol.join(("---", DESCRIBED, *keys, "---", "")) + body


def found_in(
    root: Path, text: str, code: str, rel: str = "knowledge/auth/a.md", **others: str
) -> tuple[Finding, ...]:
    files = {rel: text} | {f"knowledge/{name}.md": other for name, other in others.items()}
    return lint_stash(root, files, code).get(rel, ())


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_project_becomes_a_tag(tmp_path: Path, eol: str) -> None:
    text = note("project: shop  # ours", "tags: [queue]", eol=eol)
    found = found_in(tmp_path, text, "project-key-invisible")
    assert [marked(text, finding) for finding in found] == ["project"]
    after = fixed(text, found)
    assert after == note("project: shop  # ours", "tags: [queue, shop]", eol=eol)
    assert found_in(tmp_path, after, "project-key-invisible") == ()


@pytest.mark.parametrize(
    ("rel", "keys"),
    [
        ("knowledge/a.md", ("project: web-shop", "tags: [Web_Shop]")),
        ("memories/shop/a.md", ("project: shop",)),
        ("sessions/claude/a.md", ("project: shop",)),
        ("knowledge/a.md", ("project:",)),
    ],
)
def test_a_project_that_is_found_anyway(tmp_path: Path, rel: str, keys: tuple[str, ...]) -> None:
    assert found_in(tmp_path, note(*keys), "project-key-invisible", rel) == ()


def test_a_tag_that_the_path_says(tmp_path: Path) -> None:
    text = note("tags:", "  - queue", '  - "Auth"  # again', "  - authors")
    found = found_in(tmp_path, text, "tag-restates-path")
    assert [(marked(text, it), it.tags) for it in found] == [('"Auth"', ("unnecessary",))]
    assert fixed(text, found) == note("tags:", "  - queue", "  - authors")


def test_the_last_tags_are_not_removed_unasked(tmp_path: Path) -> None:
    text = note("tags: [auth]")
    (finding,) = found_in(tmp_path, text, "tag-restates-path")
    assert not finding.fixable
    assert finding.fixes


def test_six_cross_references_are_one_too_many(tmp_path: Path) -> None:
    text = note("xrefs: [a, b, c, d, e, f]")
    assert [marked(text, it) for it in found_in(tmp_path, text, "xref-cap")] == ["xrefs"]
    assert found_in(tmp_path, note("xrefs: [a, b, c, d, e]"), "xref-cap") == ()


@pytest.mark.parametrize("own", ["knowledge/auth/a", "team//knowledge/auth/a"])
def test_an_asset_does_not_cite_itself(tmp_path: Path, own: str) -> None:
    text = note(f"xrefs: [knowledge/b, {own}]")
    found = found_in(tmp_path, text, "xref-self")
    assert [marked(text, finding) for finding in found] == [own]
    assert fixed(text, found) == note("xrefs: [knowledge/b]")
    assert found_in(tmp_path, note("xrefs: [other//knowledge/auth/a]"), "xref-self") == ()


def test_one_asset_in_two_spellings(tmp_path: Path) -> None:
    text = note("xrefs:", "  - knowledge/b", "  - team//knowledge/b.md")
    found = found_in(tmp_path, text, "xref-duplicate", b=note())
    assert [marked(text, finding) for finding in found] == ["team//knowledge/b.md"]
    assert fixed(text, found) == note("xrefs:", "  - knowledge/b")
    # Two sections are two refs, and the same spelling twice is another rule's.
    same = note("xrefs: [knowledge/b, knowledge/b#title, knowledge/b]")
    assert found_in(tmp_path, same, "xref-duplicate", b=note()) == ()


@pytest.mark.parametrize(
    ("keys", "body", "covered"),
    [
        (("sources: [knowledge/b, https://example.com]",), "", "knowledge/b"),
        (("sources:", "  - {resource: knowledge/b}"), "", "knowledge/b"),
        (("derivedFrom: knowledge/b",), "", "knowledge/b"),
        ((), "This was synthesised from `team//knowledge/b`.\n", "team//knowledge/b"),
        ((), "Based on team//knowledge/b.\n", "team//knowledge/b"),
    ],
)
def test_a_source_is_cited(tmp_path: Path, keys: tuple[str, ...], body: str, covered: str) -> None:
    text = note(*keys, body=body)
    found = found_in(tmp_path, text, "provenance-missing", b=note())
    assert [marked(text, finding) for finding in found] == [covered]
    after = fixed(text, found)
    assert after == note(*keys, "xrefs: [knowledge/b]", body=body)
    assert found_in(tmp_path, after, "provenance-missing", b=note()) == ()


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("knowledge/a.md", note("source: a talk", body="See team//knowledge/b, based on it.\n")),
        ("knowledge/a.md", note("sources: [knowledge/gone]")),
        ("memories/a.derived.md", note("source: knowledge/b", "inferred: true")),
    ],
)
def test_no_source_no_citation(tmp_path: Path, rel: str, text: str) -> None:
    assert found_in(tmp_path, text, "provenance-missing", rel, b=note()) == ()


def test_a_source_that_changed_later(tmp_path: Path) -> None:
    text = note("updated: 2026-01-02", "sources: [knowledge/b]", "xrefs: [knowledge/b]")
    newer, older = note("updated: 2026-03-04"), note("updated: 2026-01-02")
    (finding,) = found_in(tmp_path, text, "source-changed", b=newer)
    assert marked(text, finding) == "knowledge/b"
    assert "2026-03-04" in finding.message and "2026-01-02" in finding.message
    assert found_in(tmp_path, text, "source-changed", b=older) == ()
    assert found_in(tmp_path, text.replace("sources", "other"), "source-changed", b=newer) == ()


@pytest.mark.parametrize(
    ("rel", "text", "missing"),
    [
        ("knowledge/a.md", "# A\n", "description"),
        ("memories/a.md", "---\nupdated: 2026-01-02\n---\nText\n", "description"),
        ("lessons/a.md", note(), "when_to_use"),
        ("facts/conventions/a.md", note("category: team"), "when_to_use"),
        ("skills/a/SKILL.md", note("name: a"), "when_to_use"),
    ],
)
def test_an_asset_without_orientation(tmp_path: Path, rel: str, text: str, missing: str) -> None:
    files = {rel: text, "knowledge/k.md": note()}
    (finding,) = lint_stash(tmp_path, files, "orientation-missing")[rel]
    assert finding.data["missing"] == missing


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        ("lessons/a.md", note("when_to_use: Before a release of the shop")),
        ("skills/a/SKILL.md", "---\nname: a\ndescription: Draws figures. Use for reports.\n---\n"),
        ("skills/a/references/b.md", "# B\n"),
        ("knowledge/README.md", "# B\n"),
        ("env/prod.env", "A=1\n"),
    ],
)
def test_an_asset_with_orientation(tmp_path: Path, rel: str, text: str) -> None:
    files = {rel: text, "knowledge/k.md": note()}
    assert lint_stash(tmp_path, files, "orientation-missing") == {}


def test_the_first_sentence_can_become_the_description(tmp_path: Path) -> None:
    text = "# Queue\n\nThe queue is drained before a deployment. More follows.\n"
    (finding,) = found_in(tmp_path, text, "orientation-missing")
    (fix,) = finding.fixes
    assert not fix.safe
    assert [edit.new_text for edit in fix.edits] == [
        '---\ndescription: "The queue is drained before a deployment."\n---\n\n'
    ]


@pytest.mark.parametrize(
    ("description", "says"),
    [
        ("Too short a text", "has 16 characters"),
        ("x" * 401, "has 401 characters"),
        ("How the queue is drained before the", 'ends in "the"'),
        ("How the queue is drained and then…", "cut off"),
        ("3 ways of draining the queue at night", 'begins with "3"'),
        ("Key points of draining the queue at night", "like a heading"),
        ("function drainQueue(queue) { return 1 }", "like code"),
        ("How `drain the queue works at night", "odd number of backticks"),
    ],
)
def test_a_description_that_says_nothing(tmp_path: Path, description: str, says: str) -> None:
    text = f"---\ndescription: {description!r}\n---\n"
    (finding,) = found_in(tmp_path, text, "description-quality")
    assert says in finding.message
    assert marked(text, finding) == repr(description)


@pytest.mark.parametrize(
    "description",
    ["x" * 20, "x" * 400, "Class sizes and how they are chosen", "Where the rubric came from"],
)
def test_a_description_that_will_do(tmp_path: Path, description: str) -> None:
    assert (
        found_in(tmp_path, f"---\ndescription: {description}\n---\n", "description-quality") == ()
    )


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("a", "has 1 character;"),
        ("ab", "has 2 characters;"),
        ('"foo', "has 3 characters;"),
        ("'f", "has 1 character;"),
        ('"fo"', "has 2 characters;"),
    ],
)
def test_characters_are_counted_as_they_are_meant(tmp_path: Path, value: str, says: str) -> None:
    (finding,) = found_in(tmp_path, f"---\ndescription: {value}\n---\n", "description-quality")
    assert says in finding.message


def test_a_skill_may_say_more(tmp_path: Path) -> None:
    text = f"---\nname: a\ndescription: {'Draws. ' * 100}\n---\n"
    files = {"skills/a/SKILL.md": text, "knowledge/k.md": note()}
    assert lint_stash(tmp_path, files, "description-quality") == {}


def test_a_page_without_a_title(tmp_path: Path) -> None:
    body = "\n## Part\n" + "Some words about it. " * 30
    text = note(body=body)
    assert [marked(text, it) for it in found_in(tmp_path, text, "body-title")] == ["## Part"]
    assert found_in(tmp_path, note(body="# T\n" + body), "body-title") == ()
    assert found_in(tmp_path, note(body="Short.\n"), "body-title") == ()


def test_a_fact_for_every_prompt_is_short(tmp_path: Path) -> None:
    rel = "facts/conventions/a.md"
    long = "word " * 401
    assert found_in(tmp_path, note("category: meta", body=long), "fact-too-long", rel)
    assert found_in(
        tmp_path, note("category: team", "pinned: true", body=long), "fact-too-long", rel
    )
    assert not found_in(tmp_path, note("category: team", body=long), "fact-too-long", rel)
    comment = f"<!-- {long} -->\nShort.\n"
    assert not found_in(tmp_path, note("category: meta", body=comment), "fact-too-long", rel)


VOCABULARY = note(
    body="# Names\n\n- Postgres (not postgresql / pg)\n- TLS (not tls / ssl when it is TLS)\n"
)


def spelled(root: Path, text: str) -> list[tuple[str, str]]:
    files = {"knowledge/a.md": text, "facts/conventions/domains.md": VOCABULARY}
    found = lint_stash(root, files, "entity-spelling")
    assert set(found) <= {"knowledge/a.md"}
    return [
        (marked(text, it), it.fixes[0].edits[0].new_text) for it in found.get("knowledge/a.md", ())
    ]


def test_names_are_spelled_as_the_vocabulary_has_them(tmp_path: Path) -> None:
    text = note(body="# On pg\n\nUse postgresql, (ssl) and Postgres over TLS.\n")
    assert spelled(tmp_path, text) == [
        ("pg", "Postgres"),
        ("postgresql", "Postgres"),
        ("ssl", "TLS"),
    ]


def test_other_peoples_spelling_is_left_alone(tmp_path: Path) -> None:
    text = note(
        "tags: [pg]",
        body=(
            "Run `pg_dump pg`, see [it](https://pg.example/pg) and team//knowledge/pg,\n"
            "pgbouncer, pg-pool, my.pg.host, /opt/pg or <!-- pg -->.\n\n```\npg\n```\n"
            "\nAs in\n\n    systemctl start pg\n\n    systemctl stop pg\n"
        ),
    )
    assert spelled(tmp_path, text) == []


@pytest.mark.parametrize("body", ["- a list\n\n    of pg\n", "words\n    of pg\n", "    pg\n"])
def test_what_is_indented_is_not_always_code(tmp_path: Path, body: str) -> None:
    assert spelled(tmp_path, note(body=body)) == [("pg", "Postgres")]
