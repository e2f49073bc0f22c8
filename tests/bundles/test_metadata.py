"""What an entry says of its asset."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.draft import normalise_tag, tokens, words
from akm_ls.bundles.entry import Entry, Parameter
from akm_ls.bundles.reading import entry_from_text

AKM = Bundle("team", "/team", "/team", "akm")


def entry(rel: str, text: str = "", bundle: Bundle = AKM) -> Entry:
    found = entry_from_text(bundle, rel, text)
    assert found is not None
    return found


def with_frontmatter(rel: str, frontmatter: str, body: str = "") -> Entry:
    return entry(rel, f"---\n{frontmatter}\n---\n{body}")


class TestIdentity:
    def test_what_it_is_and_where_it_lies(self) -> None:
        found = entry("knowledge/auth/tls.md", "# TLS\n")
        assert found.ref == "team//knowledge/auth/tls"
        assert (found.bundle, found.concept_id) == ("team", "knowledge/auth/tls")
        assert (found.type, found.name, found.adapter) == ("knowledge", "auth/tls", "akm")
        assert (found.path, found.rel) == ("/team/knowledge/auth/tls.md", "knowledge/auth/tls.md")
        assert found.title == "TLS"
        assert found.size == len(b"# TLS\n")
        assert found.content_hash.startswith("sha256:")

    def test_a_foreign_format_keeps_its_adapter(self) -> None:
        wiki = Bundle("wiki", "/wiki", "/wiki", "llm-wiki")
        assert entry("pages/x.md", "", wiki).adapter == "llm-wiki"


class TestDescription:
    def test_is_the_authors(self) -> None:
        found = with_frontmatter("knowledge/x.md", "description:  How we do TLS ")
        assert (found.description, found.source) == ("How we do TLS", "frontmatter")
        assert found.confidence == 0.9

    @pytest.mark.parametrize(
        ("rel", "expected"),
        [
            ("knowledge/deploy-notes_v2.md", "deploy notes v2"),
            ("knowledge/deployNotes.md", "deploy notes"),
            ("knowledge/README2.md", "readme2"),
            ("skills/code-review/SKILL.md", "code review"),
            ("env/.env", ".env"),
            ("env/stage.env", "stage"),
            ("secrets/deploy-token", "deploy token"),
            ("secrets/tls.pem", "tls"),
        ],
    )
    def test_else_it_is_the_words_of_the_name(self, rel: str, expected: str) -> None:
        found = entry(rel)
        assert (found.description, found.source, found.confidence) == (expected, "filename", 0.55)

    @pytest.mark.parametrize("value", ["", "~", "null", '""', "[a, b]", "{a: b}"])
    def test_only_a_string_counts(self, value: str) -> None:
        assert with_frontmatter("knowledge/x-y.md", f"description: {value}").description == "x y"

    def test_a_number_is_kept_as_it_is_written(self) -> None:
        assert with_frontmatter("knowledge/x.md", "description: 0x10").description == "0x10"

    def test_broken_yaml_is_read_as_far_as_it_goes(self) -> None:
        found = with_frontmatter("knowledge/x.md", "description: Use when: x\ntags: [a, b]")
        assert found.description == "Use when: x"
        assert found.tags[:2] == ("a", "b")

    def test_frontmatter_that_is_never_closed_is_not_read(self) -> None:
        assert entry("knowledge/x-y.md", "---\ndescription: d\n\nbody").description == "x y"


class TestTags:
    def test_are_the_authors_then_the_directories(self) -> None:
        found = with_frontmatter("knowledge/auth/oauth-2/x.md", "tags: [Data-Pipelines, a_b]")
        assert found.tags == ("data pipelines", "a b", "auth", "oauth")

    def test_else_the_words_of_the_name(self) -> None:
        assert entry("knowledge/auth/my-note.v2.md").tags == ("my", "note", "v2", "auth")

    def test_one_string_may_hold_several(self) -> None:
        assert with_frontmatter("facts/x.md", "tags: tls, auth").tags == ("tls", "auth", "fact")

    def test_an_asset_outside_its_directory_has_all_of_its_directories(self) -> None:
        assert entry("docs/how-to/guide.md").tags == ("guide", "docs", "how", "to")

    def test_a_type_adds_its_own(self) -> None:
        assert entry("env/sub/stage.env").tags == ("env", "secrets", "sub")
        assert entry("secrets/token").tags == ("secret", "sensitive")
        assert entry("tasks/nightly.yml").tags == ("task", "scheduled")
        assert entry("sessions/claude/s1.md").tags == ("session", "claude")
        fact = with_frontmatter("facts/x.md", "category: team\npinned: true")
        assert fact.tags == ("fact", "team", "pinned")

    def test_the_twin_of_a_memory_is_not_tagged_as_such(self) -> None:
        assert entry("memories/auth-note.derived.md").tags == ("auth", "note")

    def test_aliases_are_the_authors_the_name_in_words_and_the_tags(self) -> None:
        found = with_frontmatter("knowledge/auth/tls-keys.md", "aliases: [Cert_Notes]\ntags: [pki]")
        assert found.aliases == ("cert notes", "auth tls keys", "pki auth")


class TestHints:
    def test_come_from_every_key_that_helps_a_search(self) -> None:
        found = with_frontmatter(
            "knowledge/x.md",
            "searchHints: [rotate keys]\nusage: run it\nexamples: [ex]\n"
            "intent:\n  when: now\n  output: a key\nxrefs: [knowledge/y]",
        )
        assert found.hints == ("rotate keys", "run it", "ex", "now", "a key", "knowledge/y")
        assert found.extra["intent"] == {"when": "now", "output": "a key"}
        assert found.extra["xrefs"] == ["knowledge/y"]

    def test_when_to_use_stands_by_itself(self) -> None:
        found = with_frontmatter("lessons/x.md", "when_to_use: before a release")
        assert (found.when_to_use, found.hints) == ("before a release", ())

    def test_of_a_memory(self) -> None:
        found = with_frontmatter(
            "memories/x.md", "source: talk\nobserved_at: 2026-01-02\nsubjective: true"
        )
        assert found.hints == ("source:talk", "observed_at:2026-01-02", "subjective")

    def test_of_a_session(self) -> None:
        found = with_frontmatter("sessions/x.md", "harness: claude\nproject: p\nlog_path: /l")
        assert found.hints == ("harness:claude", "project:p", "log_path:/l")

    def test_of_a_task(self) -> None:
        text = 'version: 2\nschedule: "@daily"\nworkflow: workflows/good\ndescription: Nightly\n'
        found = entry("tasks/nightly.yml", text)
        assert found.hints == ("schedule:@daily", "workflow:workflows/good")
        assert found.description == "Nightly"
        assert found.extra["schedule"] == "@daily"

    def test_of_a_workflow(self) -> None:
        found = with_frontmatter(
            "workflows/x.md",
            "steps:\n  - id: one\n  - id: two\nparams:\n  v: {type: string, description: V}",
        )
        assert found.hints == ("one", "two")
        assert found.parameters == (Parameter("v", "V"),)


class TestParameters:
    def test_of_a_command_are_its_placeholders(self) -> None:
        found = entry("commands/x.md", "Do $ARGUMENTS with $2, {{ name }} and $2 for $10")
        names = [parameter.name for parameter in found.parameters]
        assert names == ["$ARGUMENTS", "$2", "name"]

    def test_are_described_in_the_frontmatter(self) -> None:
        found = with_frontmatter("commands/x.md", "params:\n  name: Whom to greet", "{{name}}")
        assert found.parameters == (Parameter("name", "Whom to greet"),)

    def test_other_types_have_no_placeholders(self) -> None:
        assert entry("knowledge/x.md", "{{name}}").parameters == ()


class TestBelief:
    def test_state_and_successors(self) -> None:
        found = with_frontmatter(
            "memories/x.md",
            "beliefState: superseded\nsupersededBy: memories/y\ncontradictedBy: [memories/z]",
        )
        assert found.belief_state == "superseded"
        assert found.superseded_by == ("memories/y",)
        assert found.extra["contradictedBy"] == ["memories/z"]

    def test_quality_is_generated_until_somebody_says_otherwise(self) -> None:
        assert entry("knowledge/x.md").quality == "generated"
        assert with_frontmatter("knowledge/x.md", "quality: curated").quality == "curated"

    def test_confidence_is_never_taken_from_the_file(self) -> None:
        assert with_frontmatter("knowledge/x.md", "confidence: 1.0").confidence == 0.55


class TestExtra:
    def test_scope_in_both_spellings(self) -> None:
        found = with_frontmatter("memories/x.md", "scope: {user: a, run: r}\nscope_agent: b")
        assert found.extra["scope"] == {"user": "a", "agent": "b", "run": "r"}

    def test_agents_and_commands(self) -> None:
        found = with_frontmatter("commands/x.md", "agent: a\nmodel: m\nallowed-tools: Read Grep")
        assert found.extra == {"agent": "a", "model": "m", "allowedTools": "Read Grep"}

    @pytest.mark.parametrize(
        ("rel", "frontmatter", "parent"),
        [
            ("memories/a/note.derived.md", "description: d", "memories/a/note"),
            ("memories/x.md", "inferred: true\nsource: note", "memories/note"),
            ("memories/x.md", "inferred: true\nsource: memories/note", "memories/note"),
            ("memories/x.md", "derivedFrom: memories/z", "memories/z"),
            ("memories/x.md", "source: note", None),
            ("knowledge/x.derived.md", "description: d", None),
        ],
    )
    def test_what_a_memory_was_derived_from(
        self, rel: str, frontmatter: str, parent: str | None
    ) -> None:
        assert with_frontmatter(rel, frontmatter).extra.get("derivedFrom") == parent

    def test_sources_as_strings_and_as_records(self) -> None:
        found = with_frontmatter("knowledge/x.md", "sources: [raw/a, {resource: https://x.org}]")
        assert found.extra["sources"] == ["raw/a", "https://x.org"]

    def test_dates_and_yes_stay_strings(self) -> None:
        found = with_frontmatter("knowledge/x.md", "updated: 2026-01-02\nstatus: yes")
        assert found.extra == {"updated": "2026-01-02", "status": "yes"}

    def test_can_be_written_as_json(self) -> None:
        found = with_frontmatter("knowledge/x.md", "verified: {by: me, at: .nan}\npinned: -.inf")
        json.dumps(found.extra, allow_nan=False)

    def test_capture_mode_is_one_of_two(self) -> None:
        assert with_frontmatter("memories/x.md", "captureMode: hot").extra == {"captureMode": "hot"}
        assert with_frontmatter("memories/x.md", "captureMode: other").extra == {}

    def test_lesson_strength_is_a_number_or_a_count(self) -> None:
        assert with_frontmatter("lessons/x.md", "lessonStrength: 3").extra["lessonStrength"] == 3
        counted = with_frontmatter("lessons/x.md", "lessonStrength: [a, b]")
        assert counted.extra["lessonStrength"] == 2


class TestScripts:
    def test_comments_at_the_top_describe_it(self) -> None:
        text = "#!/bin/sh\n# Deploy the thing\n# @tag ops\n# @param {string} env - where to\n"
        found = entry("scripts/deploy.sh", text)
        assert found.description == "Deploy the thing"
        assert found.tags == ("ops",)
        assert found.parameters == (Parameter("env", "where to"),)

    def test_it_says_how_to_run_it(self) -> None:
        assert entry("scripts/db/migrate.py").extra["run"] == "python migrate.py"
        told = entry("scripts/x.sh", "#!/bin/sh\n# @run make x\n")
        assert told.extra["run"] == "make x"

    def test_its_source_is_not_searched(self) -> None:
        assert entry("scripts/x.sh", "echo hello\n").content == ""


class TestBody:
    def test_prose_is_searched(self) -> None:
        found = with_frontmatter("knowledge/x.md", "description: d", "# Title\n\nSome *prose*.\n")
        assert "Some" in found.content and "prose" in found.content
        assert "description" not in found.content

    def test_headings_can_be_cited(self) -> None:
        text = "# One\n\n## Setup Steps\n\ntext\n\n## Setup Steps\n"
        found = entry("knowledge/x.md", text)
        assert [fragment.slug for fragment in found.fragments] == [
            "one",
            "setup-steps",
            "setup-steps-1",
        ]
        second = found.fragments[1]
        assert text[second.start : second.end].startswith("## Setup Steps\n\ntext")
        assert (second.title, second.level, second.line) == ("Setup Steps", 2, 2)

    @pytest.mark.parametrize(
        ("rel", "text"),
        [
            ("sessions/claude/s.md", "---\ntitle: T\n---\n# Talk\nwords\n"),
            ("memories/x.md", "---\nakm_memory_kind: session_checkpoint\n---\n# Talk\nwords\n"),
            ("memories/x.md", "---\nakm_memory_kind: checkpoint\n---\n# Talk\nwords\n"),
            ("memories/x.md", "---\nakm_memory_kind: Session-Checkpoint\n---\n# Talk\nwords\n"),
            (
                "memories/x.md",
                "---\ndescription: d\n---\n\n---\nakm_memory_kind: ' CHECKPOINT '\n---\n"
                "# Talk\nwords\n",
            ),
            (
                "memories/x.md",
                "---\ndescription: d\n---\n\n---\nakm_memory_kind: session_checkpoint\n---\n"
                "# Talk\nwords\n",
            ),
        ],
    )
    def test_what_was_said_in_a_session_is_not(self, rel: str, text: str) -> None:
        found = entry(rel, text + "see team//knowledge/x\n")
        assert found.content == ""
        assert found.fragments == ()
        assert found.citations == ()
        assert "words" not in repr(found) and "Talk" not in repr(found)

    def test_a_memory_of_another_kind_is(self) -> None:
        found = with_frontmatter("memories/x.md", "akm_memory_kind: note", "words")
        assert "words" in found.content

    def test_a_half_typed_workflow_stays_an_asset(self) -> None:
        found = entry("workflows/x.md", "---\ntype: workflow\nsteps:\n  - id: \n---\n# W\n")
        assert (found.type, found.title) == ("workflow", "W")


class TestCitations:
    def test_say_what_is_cited_and_where(self) -> None:
        text = "---\nxrefs:\n  - knowledge/b\n---\nsee 😀 team//knowledge/a#sec here\n"
        found = entry("knowledge/x.md", text).citations
        assert [(c.bundle, c.concept_id, c.fragment, c.channel) for c in found] == [
            (None, "knowledge/b", None, "xrefs"),
            ("team", "knowledge/a", "sec", "prose"),
        ]
        in_prose = found[1]
        assert text[in_prose.start : in_prose.end] == in_prose.text == "team//knowledge/a#sec"
        assert in_prose.line == 4
        # The emoji is four bytes and two UTF-16 units.
        assert in_prose.columns == (9, 30, 7, 28)

    def test_are_no_sums_and_comments(self) -> None:
        text = "5//2 is 2, n//k rounds down, 2024//q1; b//knowledge/x1, 7//skills/y1, team//z"
        found = entry("knowledge/x.md", text).citations
        assert [c.text for c in found] == ["b//knowledge/x1", "7//skills/y1", "team//z"]
        listed = with_frontmatter("knowledge/x.md", "xrefs: [5//2]").citations
        assert [c.text for c in listed] == ["5//2"]
        short = Bundle("k", "/k", "/k", "okf")
        assert [c.text for c in entry("x.md", "k//page n//k", short).citations] == ["k//page"]

    def test_of_an_okf_page_are_its_links_too(self) -> None:
        okf = Bundle("okf", "/okf", "/okf", "okf")
        text = "[o](orders.md#x) [i](/a/b%20c.md) [up](../../x.md) [w](https://x.org/y.md) [s](#x)"
        found = entry("tables/customers.md", text, okf).citations
        assert [(c.concept_id, c.fragment, c.channel) for c in found] == [
            ("tables/orders", "x", "link"),
            ("a/b c", None, "link"),
        ]
        assert text[found[0].start : found[0].end] == found[0].text == "orders.md#x"

    def test_of_a_wiki_page_are_its_sources_and_wiki_links(self) -> None:
        wiki = Bundle("wiki", "/wiki", "/wiki", "llm-wiki")
        text = (
            "---\nxrefs: [wiki:wiki/pages/other]\nsources: [raw/a, raw/b.md, https://x]\n---\n"
            "[o](ok.md)\n"
        )
        found = entry("pages/x.md", text, wiki).citations
        assert [(c.bundle, c.concept_id, c.channel) for c in found] == [
            ("wiki", "pages/other", "wiki"),
            (None, "raw/a", "sources"),
            (None, "raw/b", "sources"),
            (None, "pages/ok", "link"),
        ]


class TestWords:
    @pytest.mark.parametrize(
        ("written", "kept"),
        [("Data-Pipelines", "data pipelines"), ("  a__b  c ", "a b c"), ("-", "")],
    )
    def test_tags_have_one_spelling(self, written: str, kept: str) -> None:
        assert normalise_tag(written) == kept

    @given(st.text(max_size=60))
    @settings(deadline=None)
    def test_no_name_is_too_odd(self, name: str) -> None:
        assert normalise_tag(normalise_tag(name)) == normalise_tag(name)
        assert all(len(token) > 1 for token in tokens(name))
        words(name)


FRONTMATTER_KEYS = (
    "description", "tags", "aliases", "params", "scope", "intent", "sources", "steps", "xrefs",
    "refs", "supersededBy", "lessonStrength", "tools", "updated", "arguments", "pinned",
)  # fmt: skip


@given(
    st.sampled_from(["knowledge/x.md", "commands/x.md", "memories/x.md", "facts/x.md"]),
    st.lists(st.tuples(st.sampled_from(FRONTMATTER_KEYS), st.text(max_size=30)), max_size=6),
    st.text(max_size=200),
)
@settings(deadline=None, max_examples=150)
def test_no_content_breaks_it(rel: str, keys: list[tuple[str, str]], body: str) -> None:
    frontmatter = "".join(f"{key}: {value}\n" for key, value in keys)
    found = entry_from_text(AKM, rel, f"---\n{frontmatter}---\n{body}")
    assert found is not None
    json.dumps(dataclasses.asdict(found), allow_nan=False)
