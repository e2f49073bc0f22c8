"""What each bundle format recognises."""

from __future__ import annotations

import pytest

from akm_ls.bundles.adapters import ADAPTERS, HOST, adapter_of, get_adapter
from akm_ls.bundles.bundle import Bundle
from akm_ls.documents.document import kind_of, parse


def recognised(adapter: str, rel: str, text: str = "") -> tuple[str, str, str] | None:
    """(concept id, type, name) of a file, read as the indexer reads it."""
    chosen = HOST if adapter == "host" else get_adapter(adapter)
    if not chosen.wants(rel):
        return None
    document = parse(text, kind_of(rel)) if chosen.reads(rel) else None
    found = chosen.recognise(rel, document)
    return None if found is None else (found.concept_id, found.type, found.name)


CASES = {
    "website-snapshot": {
        "stash/knowledge/docs/api.md": ("docs/api", "website", "The API"),
        "stash/knowledge/untagged.md": None,
        "knowledge/docs/api.md": None,
    },
    "agent-skills": {
        "review/SKILL.md": ("review", "skill", "review"),
        "group/inner/SKILL.md": ("group/inner", "skill", "inner"),
        "SKILL.md": None,
        "review/references/a.md": None,
        "review/skill.md": None,
    },
    "claude": {
        "CLAUDE.md": ("CLAUDE", "instruction", "CLAUDE"),
        "commands/git/commit.md": ("commands/git/commit", "command", "git/commit"),
        "agents/a.md": ("agents/a", "agent", "a"),
        "skills/s/SKILL.md": ("skills/s", "skill", "s"),
        "skills/g/s/SKILL.md": ("skills/g/s", "skill", "g/s"),
        "skills/SKILL.md": None,
        "skills/s/references/a.md": None,
        "agents/README.md": None,
        "agents/index.md": None,
        "commands/log.md": None,
        "docs/CLAUDE.md": None,
        "knowledge/x.md": None,
    },
    "opencode": {
        "AGENTS.md": ("AGENTS", "instruction", "AGENTS"),
        "command/x.md": ("commands/x", "command", "x"),
        "agent/a.md": ("agents/a", "agent", "a"),
        "skill/s/SKILL.md": ("skills/s", "skill", "s"),
        "commands/y.md": ("commands/y", "command", "y"),
        "CLAUDE.md": None,
    },
    "dotenv": {
        "env/.env": ("env/default", "env", "default"),
        "env/a.env": ("env/a", "env", "a"),
        "env/readme.txt": None,
        "secrets/tls.pem": ("secrets/tls.pem", "secret", "tls.pem"),
        "secrets/tls.sensitive": None,
        "secrets/tls.lock": None,
    },
    "akm-workflow": {
        "deploy.md": ("deploy", "workflow", "deploy"),
        "sub/deploy.md": ("sub/deploy", "workflow", "sub/deploy"),
        "README.md": None,
    },
    "akm-task": {
        "nightly.yml": ("nightly", "task", "nightly"),
        "sub/nightly.yml": ("sub/nightly", "task", "sub/nightly"),
        "nightly.yaml": None,
    },
    "llm-wiki": {
        "pages/auth/tls.md": ("pages/auth/tls", "note", "auth/tls"),
        "raw/paper.md": ("raw/paper", "wiki-source", "paper"),
        "schema.md": None,
        "index.md": None,
        "log.md": None,
        "other/x.md": None,
    },
    "okf": {
        "tables/orders.md": ("tables/orders", "knowledge", "orders"),
        "plain.md": ("plain", "knowledge", "plain"),
        "index.md": None,
        "tables/Log.md": None,
        "data.csv": None,
    },
    "generic-files": {
        "run.py": ("run.py", "script", "run.py"),
        "notes/todo.txt": ("notes/todo", "document", "notes/todo"),
        "a.markdown": ("a", "document", "a"),
        "logo.png": ("logo.png", "file", "logo.png"),
        "Makefile": ("Makefile", "file", "Makefile"),
    },
    "akm": {
        "skills/s/references/a.md": (
            "knowledge/skills/s/references/a",
            "knowledge",
            "skills/s/references/a",
        ),
        "memories/m.md": ("memories/m", "memory", "m"),
        "skills/flat.md": None,
        "image.png": None,
    },
    "host": {
        "skills/s/SKILL.md": ("skills/s", "skill", "s"),
        "skills/g/s/SKILL.md": ("skills/g/s", "skill", "g/s"),
        "skill/s/SKILL.md": ("skills/s", "skill", "s"),
        "extra/s/SKILL.md": ("skills/extra/s", "skill", "extra/s"),
        "skills/s/references/a.md": (
            "knowledge/skills/s/references/a",
            "knowledge",
            "skills/s/references/a",
        ),
        "skills/s/scripts/run.sh": (
            "scripts/skills/s/scripts/run.sh",
            "script",
            "skills/s/scripts/run.sh",
        ),
        "skills/s/logo.png": None,
        "skills/README.md": None,
        "agents/a.md": ("agents/a", "agent", "a"),
        "agents/team/b.agent.md": ("agents/team/b", "agent", "team/b"),
        "agent/a.md": ("agents/a", "agent", "a"),
        "chatmodes/plan.chatmode.md": ("agents/plan", "agent", "plan"),
        "commands/git/commit.md": ("commands/git/commit", "command", "git/commit"),
        "commands/log.md": ("commands/log", "command", "log"),
        "prompts/new.prompt.md": ("commands/new", "command", "new"),
        "workflows/release.md": ("commands/release", "command", "release"),
        "workflows/ci.yml": None,
        "rules/style.md": ("instructions/style", "instruction", "style"),
        "instructions/py.instructions.md": ("instructions/py", "instruction", "py"),
        "copilot-instructions.md": (
            "instructions/copilot-instructions",
            "instruction",
            "copilot-instructions",
        ),
        "CLAUDE.md": ("instructions/CLAUDE", "instruction", "CLAUDE"),
        "agents/README.md": None,
        "commands/Readme.md": None,
        "README.md": None,
        "ISSUE_TEMPLATE/bug.md": None,
        "CONTRIBUTING.md": None,
        "settings.json": None,
    },
}

TEXTS = {
    "stash/knowledge/docs/api.md": "---\ntitle: The API\nsourceUrl: https://x.org/api\n---\n",
}


@pytest.mark.parametrize(
    ("adapter", "rel"), [(adapter, rel) for adapter, files in CASES.items() for rel in files]
)
def test_recognition(adapter: str, rel: str) -> None:
    assert recognised(adapter, rel, TEXTS.get(rel, "text")) == CASES[adapter][rel]


def test_every_format_has_cases() -> None:
    assert {adapter.id for adapter in ADAPTERS} | {"host"} == set(CASES)


class TestContentDecides:
    def test_a_skill_is_called_what_it_says(self) -> None:
        found = recognised("agent-skills", "review/SKILL.md", "---\nname: code-review\n---\n")
        assert found == ("review", "skill", "code-review")

    def test_an_okf_type_is_the_authors_word(self) -> None:
        text = "---\ntype: Table\ntitle: Customers\n---\n"
        assert recognised("okf", "tables/customers.md", text) == (
            "tables/customers",
            "Table",
            "Customers",
        )

    def test_a_wiki_page_has_its_kind(self) -> None:
        assert recognised("llm-wiki", "pages/x.md", "---\npageKind: concept\n---\n") == (
            "pages/x",
            "concept",
            "x",
        )

    def test_a_raw_source_has_none(self) -> None:
        found = recognised("llm-wiki", "raw/x.md", "---\npageKind: concept\n---\n")
        assert found == ("raw/x", "wiki-source", "x")

    def test_a_page_of_a_site_is_known_by_its_tag_too(self) -> None:
        found = recognised(
            "website-snapshot", "stash/knowledge/a/b.md", "---\ntags: [website]\n---\n"
        )
        assert found == ("a/b", "website", "b")

    def test_markdown_of_another_type_is_no_workflow(self) -> None:
        assert recognised("akm-workflow", "x.md", "---\ntype: note\n---\n") is None

    def test_a_repository_that_is_one_skill(self) -> None:
        found = recognised("host", "SKILL.md", "---\nname: review\n---\n")
        assert found == ("skills/review", "skill", "review")

    def test_a_workflow_that_github_runs_is_no_command(self) -> None:
        assert recognised("host", "workflows/ci.md", "---\non: push\n---\n") is None


@pytest.mark.parametrize("adapter", [adapter.id for adapter in ADAPTERS] + ["host"])
@pytest.mark.parametrize("rel", ["secrets/token", "secrets/notes.md", "a/secrets/b/c.yml"])
def test_no_format_opens_anything_below_secrets(adapter: str, rel: str) -> None:
    chosen = HOST if adapter == "host" else get_adapter(adapter)
    assert not chosen.reads(rel)


@pytest.mark.parametrize("adapter", ["generic-files", "okf", "claude", "host"])
@pytest.mark.parametrize("rel", [".env", "a/prod.env", ".env.local"])
def test_formats_without_env_files_do_not_open_them(adapter: str, rel: str) -> None:
    chosen = HOST if adapter == "host" else get_adapter(adapter)
    assert not chosen.reads(rel)


def test_a_tools_directory_is_read_as_such_whatever_format_it_resembles() -> None:
    bundle = Bundle("x", "/x/.claude", "/x/.claude", "claude", origin="host")
    assert adapter_of(bundle) is HOST
    configured = Bundle("x", "/x", "/x", "claude", origin="config")
    assert adapter_of(configured) is get_adapter("claude")
