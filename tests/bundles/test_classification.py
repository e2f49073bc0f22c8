"""Which type a file of an akm bundle has, and what it is called."""

from __future__ import annotations

import pytest

from akm_ls.bundles.classification import classify, identify
from akm_ls.documents.document import parse


def type_of(rel: str, text: str | None = None) -> str | None:
    found = classify(rel, None if text is None else parse(text))
    return None if found is None else found.type


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        ("skills/review/SKILL.md", "skill"),
        ("anywhere/SKILL.md", "skill"),
        ("commands/git/commit.md", "command"),
        ("agents/reviewer.md", "agent"),
        ("knowledge/auth/tls.md", "knowledge"),
        ("instructions/house.md", "instruction"),
        ("memories/note.md", "memory"),
        ("lessons/l.md", "lesson"),
        ("sessions/claude/s.md", "session"),
        ("facts/team/f.md", "fact"),
        ("workflows/w.md", "workflow"),
        ("workflows/w.yml", None),
        ("scripts/db/migrate.py", "script"),
        ("scripts/notes.txt", None),
        ("tools/x.kts", "script"),
        ("env/.env", "env"),
        ("env/sub/stage.env", "env"),
        (".env", None),
        ("secrets/token", "secret"),
        ("secrets/deep/er/tls.pem", "secret"),
        ("tasks/nightly.yml", "task"),
        ("tasks/nightly.yaml", None),
        ("other/nightly.yml", None),
        ("docs/guide.md", "knowledge"),
        ("knowledge/upper.MD", "knowledge"),
        ("knowledge/page.markdown", None),
        ("vaults/old.md", None),
    ],
)
def test_the_path_decides_where_the_content_says_nothing(rel: str, expected: str | None) -> None:
    assert type_of(rel, "plain text") == expected


def test_the_parent_directory_beats_a_directory_further_up() -> None:
    assert type_of("knowledge/agents/nested.md") == "agent"
    assert type_of("agents/knowledge/x.md") == "knowledge"


def test_of_several_directories_further_up_the_first_counts() -> None:
    assert type_of("memories/agents/sub/x.md") == "memory"
    assert type_of("tasks/agents/sub/x.md") == "agent", "a task is no Markdown"


@pytest.mark.parametrize(
    ("frontmatter", "expected"),
    [
        ("type: workflow", "workflow"),
        ("type: workflow\ntools: [Read]", "workflow"),
        ("tools: [Read]", "agent"),
        ("tools:", "agent"),
        ("agent: reviewer", "command"),
        ("model: opus", "memory"),
        ("type: agent", "memory"),
    ],
)
def test_frontmatter_can_outrank_the_directory(frontmatter: str, expected: str) -> None:
    assert type_of("memories/x.md", f"---\n{frontmatter}\n---\nbody") == expected


def test_a_model_makes_an_agent_only_outside_typed_directories() -> None:
    assert type_of("notes/x.md", "---\nmodel: opus\n---\n") == "agent"


def test_frontmatter_that_is_never_closed_does_not_count() -> None:
    assert type_of("memories/x.md", "---\ntools: [Read]\nbody") == "memory"


def test_a_skill_stays_a_skill_whatever_it_contains() -> None:
    text = "---\ntools: [Read]\nagent: x\n---\n$ARGUMENTS"
    assert type_of("skills/review/SKILL.md", text) == "skill"


class TestPlaceholders:
    def test_arguments_make_a_command_in_any_directory(self) -> None:
        assert type_of("memories/x.md", "Use $ARGUMENTS") == "command"

    def test_numbers_make_a_command_only_where_no_directory_has_a_type(self) -> None:
        assert type_of("docs/x.md", "Use $1") == "command"
        assert type_of("memories/x.md", "Use $1") == "memory"
        assert type_of("docs/knowledge/sub/x.md", "Use $1") == "knowledge"

    @pytest.mark.parametrize("text", ["costs $10", "costs $1.50", "costs $2,000", "$4", "$100"])
    def test_prices_are_no_placeholders(self, text: str) -> None:
        assert type_of("docs/x.md", text) == "knowledge"

    def test_a_sentence_may_end_with_a_placeholder(self) -> None:
        assert type_of("docs/x.md", "Greets $1.") == "command"

    def test_in_the_frontmatter_they_do_not_count(self) -> None:
        assert type_of("docs/x.md", "---\ndescription: $ARGUMENTS\n---\nbody") == "knowledge"

    def test_in_what_a_skill_brings_along_they_do_not_count(self) -> None:
        assert type_of("skills/x/references/cmd.md", "run $ARGUMENTS with $1") == "knowledge"


class TestSkillResources:
    def test_directories_below_a_skill_declare_no_type(self) -> None:
        assert type_of("skills/x/references/a.md") == "knowledge"
        assert type_of("skills/x/agents/a.md") == "knowledge"
        assert type_of("skills/x/scripts/run.sh") == "script"
        assert type_of("skills/x/tasks/a.yml") is None
        assert type_of("skills/x/env/prod.env") is None

    def test_frontmatter_still_counts(self) -> None:
        assert type_of("skills/x/agents/a.md", "---\ntools: [Read]\n---\n") == "agent"

    def test_a_nested_skill_is_a_skill(self) -> None:
        assert type_of("skills/group/inner/SKILL.md") == "skill"


class TestReservedNames:
    @pytest.mark.parametrize("rel", ["index.md", "knowledge/Index.md", "a/b/LOG.md"])
    def test_index_and_log_are_never_assets(self, rel: str) -> None:
        assert type_of(rel, "---\ntools: [Read]\n---\n") is None

    def test_the_readme_of_the_bundle_is_no_asset(self) -> None:
        assert type_of("README.md", "text") is None

    @pytest.mark.parametrize("rel", ["agents/README.md", "commands/readme.md"])
    def test_other_readmes_are_knowledge_whatever_they_contain(self, rel: str) -> None:
        assert type_of(rel, "---\ntools: [Read]\n---\n$ARGUMENTS") == "knowledge"

    def test_a_wiki_keeps_its_schema_to_itself(self) -> None:
        assert type_of("wikis/team/schema.md") is None
        assert type_of("wikis/team/pages/schema.md") == "knowledge"

    @pytest.mark.parametrize("name", ["token.lock", "token.sensitive"])
    def test_markers_beside_secrets_are_no_assets(self, name: str) -> None:
        assert type_of(f"secrets/{name}") is None


def test_nothing_below_secrets_is_typed_by_its_content() -> None:
    assert type_of("secrets/agent.md", "---\ntools: [Read]\n---\n") == "secret"


def test_every_verdict_says_why() -> None:
    found = classify("memories/x.md", parse("---\ntools: [Read]\n---\n"))
    assert found is not None
    assert (found.specificity, found.reason) == (20, 'the frontmatter key "tools"')


@pytest.mark.parametrize(
    ("type_name", "rel", "concept_id"),
    [
        ("knowledge", "knowledge/auth/tls.md", "knowledge/auth/tls"),
        ("knowledge", "docs/guide.md", "knowledge/docs/guide"),
        ("knowledge", "skills/x/references/a.md", "knowledge/skills/x/references/a"),
        ("knowledge", "knowledge/upper.MD", "knowledge/upper.MD"),
        ("knowledge", "knowledge/knowledge.md", "knowledge/knowledge"),
        ("memory", "proj/memories/y.md", "memories/proj/memories/y"),
        ("memory", "memories/a.derived.md", "memories/a.derived"),
        ("skill", "skills/review/SKILL.md", "skills/review"),
        ("skill", "skills/group/inner/SKILL.md", "skills/group/inner"),
        ("skill", "review/SKILL.md", "skills/review"),
        ("script", "scripts/db/migrate.py", "scripts/db/migrate.py"),
        ("env", "env/.env", "env/default"),
        ("env", "env/sub/.env", "env/sub/default"),
        ("env", "env/prod.env", "env/prod"),
        ("secret", "secrets/tls.pem", "secrets/tls.pem"),
        ("task", "tasks/nightly.yml", "tasks/nightly"),
    ],
)
def test_concept_ids(type_name: str, rel: str, concept_id: str) -> None:
    found = identify(type_name, rel)
    assert found is not None
    assert found[0] == concept_id
    assert concept_id.endswith(f"/{found[1]}")


@pytest.mark.parametrize("rel", ["skills/SKILL.md", "skills/flat.md", "SKILL.md"])
def test_a_skill_needs_a_directory_of_its_own(rel: str) -> None:
    assert identify("skill", rel) is None


def test_concept_ids_are_composed_however_the_disk_spells_them() -> None:
    assert identify("knowledge", "knowledge/n\u0303.md") == ("knowledge/\xf1", "\xf1")
