"""What a rename rewrites and what it leaves, in every format of bundle and every odd file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from renamed import Disk, renaming

from akm_ls.workspace.renaming import Plan, RenameRefused, citers_of, view_of
from akm_ls.workspace.renaming.headings import links_into

TOKENS = "---\ndescription: Tokens\n---\n# Tokens\n\n## Daily\n"


def disk(root: Path, **texts: str) -> Disk:
    """The bundle ``team`` with ``knowledge/tokens`` and a file of each name with its text."""
    files = {f"team/memories/{name}.md": text for name, text in texts.items()}
    return Disk(root, {"team/knowledge/tokens.md": TOKENS, **files})


def left(plan: Plan) -> list[tuple[str, int, str]]:
    return [(item.source.rel, item.count, item.reason) for item in plan.left]


# How refs are written.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("xrefs: knowledge/tokens", "xrefs: knowledge/keys"),
        ("xrefs: [team//knowledge/tokens]", "xrefs: [team//knowledge/keys]"),
        ("xrefs: ['knowledge/tokens#daily', \"x\"]", "xrefs: ['knowledge/keys#daily', \"x\"]"),
        ("refs:\n  - 'knowledge/tokens' # why", "refs:\n  - 'knowledge/keys' # why"),
        ("supersededBy: knowledge/tokens.md", "supersededBy: knowledge/keys.md"),
        ("contradictedBy:\n- team//knowledge/tokens", "contradictedBy:\n- team//knowledge/keys"),
        ("currentBeliefRefs: [knowledge/tokens]", "currentBeliefRefs: [knowledge/keys]"),
        ("derivedFrom: knowledge/tokens", "derivedFrom: knowledge/keys"),
        ("sources:\n  - resource: knowledge/tokens", "sources:\n  - resource: knowledge/keys"),
        ("xrefs: [&a knowledge/tokens]\nrefs: [*a]", "xrefs: [&a knowledge/keys]\nrefs: [*a]"),
        ("xrefs: [knowledge\\tokens]", "xrefs: [knowledge/keys]"),
        ('xrefs: ["knowledge/t\\u006fkens"]', 'xrefs: ["knowledge/keys"]'),
        ("description: see knowledge/tokens", "description: see knowledge/tokens"),
        ("source: the knowledge/tokens file", "source: the knowledge/tokens file"),
        ("xrefs: [knowledge/tokens, broken: [", "xrefs: [knowledge/keys, broken: ["),
    ],
)
def test_frontmatter_keeps_its_spelling(tmp_path: Path, before: str, after: str) -> None:
    here = disk(tmp_path, note=f"---\n{before}\n---\n# N team//knowledge/tokens\n")
    here.rename("team//knowledge/tokens", "keys")
    assert here.text("team/memories/note.md") == f"---\n{after}\n---\n# N team//knowledge/keys\n"


def test_yaml_needs_quotes_where_the_new_name_does(tmp_path: Path) -> None:
    here = disk(tmp_path, note="---\nxrefs: [knowledge/tokens, 'knowledge/tokens#daily']\n---\n")
    here.rename("team//knowledge/tokens", "it's, so")
    assert here.text("team/memories/note.md") == (
        "---\nxrefs: [\"knowledge/it's, so\", 'knowledge/it''s, so#daily']\n---\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "knowledge/tokens, tokens, knowledge/tokens.md",
        "```\nteam//knowledge/tokens [t](../knowledge/tokens.md)\n```",
        "<!-- team//knowledge/tokens -->",
        "https://x.org/team//knowledge/tokens",
        "team//knowledge/tokens-2 team//knowledge/tokens/x other//knowledge/tokens",
        "`knowledge/tokens` [[knowledge/tokens]] knowledge:tokens",
        "[t](tokens.md) [u](knowledge/tokens.md) [v](/knowledge/tokens.md)",
    ],
)
def test_what_only_looks_like_a_citation_stays(tmp_path: Path, text: str) -> None:
    here = disk(tmp_path, note=text)
    here.rename("team//knowledge/tokens", "keys")
    assert here.text("team/memories/note.md") == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[t](../knowledge/tokens.md#daily)", "[t](../knowledge/a%20b.md#daily)"),
        ("[t](<../knowledge/tokens.md> 'T')", "[t](<../knowledge/a b.md> 'T')"),
        ("![t](./../knowledge/tokens.md)", "![t](../knowledge/a%20b.md)"),
        ("[t]: ../knowledge/tokens.md", "[t]: ../knowledge/a%20b.md"),
        ("[t](../knowledge/to%6Bens.md?x=1)", "[t](../knowledge/a%20b.md?x=1)"),
        ("[t](../memories/../knowledge/tokens.md)", "[t](../memories/../knowledge/a%20b.md)"),
        ("[t](../knowledge/tokens.md:12)", "[t](../knowledge/a%20b.md:12)"),
        ("[![i](../knowledge/tokens.md)](x.md)", "[![i](../knowledge/a%20b.md)](x.md)"),
    ],
)
def test_links_keep_their_manner(tmp_path: Path, before: str, after: str) -> None:
    here = disk(tmp_path, note=f"# N\r\n\r\n{before}\r\n")
    here.rename("team//knowledge/tokens", "a b")
    assert here.text("team/memories/note.md") == f"# N\r\n\r\n{after}\r\n"


def test_inline_code_of_a_skill_names_files(tmp_path: Path) -> None:
    text = (
        "---\nname: review\ndescription: R\n---\nRead `references/list.md`, run "
        "`python scripts/go.py --fast`, `${CLAUDE_SKILL_DIR}/scripts/go.py`; `list.md` is a word.\n"
    )
    here = Disk(
        tmp_path,
        {
            "team/skills/review/SKILL.md": text,
            "team/skills/review/references/list.md": "See `scripts/go.py`.\n",
            "team/skills/review/scripts/go.py": "print()\n",
            "team/knowledge/x.md": "Read `references/list.md`.\n",
        },
    )
    here.move_files(("team/skills/review/references/list.md", "team/skills/review/docs/all.md"))
    here.move_files(("team/skills/review/scripts/go.py", "team/skills/review/scripts/run.py"))
    assert here.text("team/skills/review/SKILL.md") == (
        "---\nname: review\ndescription: R\n---\nRead `docs/all.md`, run "
        "`python scripts/run.py --fast`, `${CLAUDE_SKILL_DIR}/scripts/run.py`; `list.md` is a "
        "word.\n"
    )
    assert here.text("team/skills/review/docs/all.md") == "See `scripts/run.py`.\n"
    assert here.text("team/knowledge/x.md") == "Read `references/list.md`.\n"


def test_a_bare_ref_that_would_be_caught_by_the_new_name_says_what_it_meant(
    tmp_path: Path,
) -> None:
    here = Disk(
        tmp_path,
        {
            "base/knowledge/tls.md": "# TLS\n",
            "team/knowledge/old.md": "# Old\n",
            "team/memories/note.md": "---\nxrefs: [knowledge/tls]\n---\n",
        },
    )
    here.rename("team//knowledge/old", "tls")
    assert here.text("team/memories/note.md") == "---\nxrefs: [base//knowledge/tls]\n---\n"


def test_out_of_its_bundle_an_asset_still_cites_what_it_cited(tmp_path: Path) -> None:
    here = Disk(
        tmp_path,
        {
            "team/knowledge/a.md": "---\nxrefs: [knowledge/b2]\n---\n[b](b2.md)\n",
            "team/knowledge/b2.md": "---\nxrefs: [knowledge/a, knowledge/b2]\n---\n",
            "other/knowledge/c.md": "# C\n",
        },
    )
    here.rename("team//knowledge/b2", "other//knowledge/deep/b2")
    assert here.text("other/knowledge/deep/b2.md") == (
        "---\nxrefs: [team//knowledge/a, knowledge/deep/b2]\n---\n"
    )
    assert here.text("team/knowledge/a.md") == (
        "---\nxrefs: [other//knowledge/deep/b2]\n---\n[b](../../other/knowledge/deep/b2.md)\n"
    )


# Kinds of assets and formats of bundles.


@pytest.mark.parametrize(
    ("path", "ref", "typed", "expected"),
    [
        ("team/scripts/db/go.sh", "scripts/db/go.sh", "run", "team/scripts/db/run.sh"),
        ("team/scripts/db/go.sh", "scripts/db/go.sh", "run.py", "team/scripts/db/run.py"),
        ("team/env/prod.env", "env/prod", "staging", "team/env/staging.env"),
        ("team/env/.env", "env/default", "local", "team/env/local.env"),
        ("team/env/prod.env", "env/prod", "default", "team/env/.env"),
        ("team/secrets/key", "secrets/key", "old/key", "team/secrets/old/key"),
        ("team/tasks/nightly.yml", "tasks/nightly", "weekly.yml", "team/tasks/weekly.yml"),
        ("team/docs/guide.md", "knowledge/docs/guide", "manual", "team/docs/manual.md"),
        ("team/memories/note.md", "memories/note", "knowledge/fact", "team/knowledge/fact.md"),
        ("team/knowledge/a1.md", "knowledge/a1", "net/tls.md", "team/knowledge/net/tls.md"),
        (
            "team/skills/x1/references/a.md",
            "knowledge/skills/x1/references/a",
            "steps",
            "team/skills/x1/references/steps.md",
        ),
    ],
)
def test_where_a_new_name_puts_the_file(
    tmp_path: Path, path: str, ref: str, typed: str, expected: str
) -> None:
    here = Disk(tmp_path, {path: "x: 1\n", "team/knowledge/base.md": "# B\n", "team/.stash/x": ""})
    here.rename(f"team//{ref}", typed)
    assert expected in here.files()
    assert path not in here.files()


def test_okf_links_by_path_and_from_the_root(tmp_path: Path) -> None:
    here = Disk(
        tmp_path,
        {
            "wh/index.md": "# Tables\n\n[o](tables/orders.md)\n",
            "wh/tables/orders.md": "---\ntype: Table\n---\n[c](/tables/customers.md#id)\n",
            "wh/tables/customers.md": "---\ntype: Table\n---\n# C\n\n[o](orders.md)\n",
        },
    )
    here.rename("wh//tables/customers", "people")
    here.move_files(("wh/tables", "wh/sales"))
    assert here.text("wh/index.md") == "# Tables\n\n[o](sales/orders.md)\n"
    assert "[c](/sales/people.md#id)\n" in here.text("wh/sales/orders.md")
    assert "[o](orders.md)\n" in here.text("wh/sales/people.md")


def test_a_wiki_names_pages_and_sources_in_its_own_way(tmp_path: Path) -> None:
    page = "---\ndescription: A\nxrefs: ['wiki:wiki/pages/b1', pages/b1]\nsources: [raw/r1]\n---\n"
    here = Disk(
        tmp_path,
        {
            "wiki/schema.md": "# S\n",
            "wiki/pages/a.md": page,
            "wiki/pages/b1.md": "---\ndescription: B\n---\n",
            "wiki/raw/r1.md": "Raw\n",
        },
    )
    here.rename("wiki//pages/b1", "b2")
    here.rename("wiki//raw/r1", "r2")
    assert here.text("wiki/pages/a.md") == page.replace("b1", "b2").replace("r1", "r2")


def test_skills_by_themselves_and_tools_directories(tmp_path: Path) -> None:
    here = Disk(
        tmp_path,
        {
            "skills/review/SKILL.md": "---\nname: 'review'\ndescription: R\n---\n",
            "skills/review/more.md": "[up](SKILL.md) [a](../audit/SKILL.md)\n",
            "skills/audit/SKILL.md": "---\nname: other\ndescription: R\n---\nskills//review\n",
            "tool/CLAUDE.md": "@commands/go.md and [go](commands/go.md)\n",
            "tool/commands/go.md": "# Go\n",
        },
    )
    here.rename("skills//review", "inspect")
    here.rename("skills//audit", "check")
    here.rename("tool//commands/go", "run")
    assert "name: 'inspect'\n" in here.text("skills/inspect/SKILL.md")
    assert here.text("skills/inspect/more.md") == "[up](SKILL.md) [a](../check/SKILL.md)\n"
    assert here.text("skills/check/SKILL.md").endswith(
        "name: other\ndescription: R\n---\nskills//inspect\n"
    )
    assert here.text("tool/CLAUDE.md") == "@commands/run.md and [go](commands/run.md)\n"


# What is left.


def test_bytes_that_an_editor_would_lose_are_not_touched(tmp_path: Path) -> None:
    here = disk(tmp_path)
    here.write("team/memories/bad.md", b"\xff team//knowledge/tokens\n")
    here.write("team/memories/mark.md", b"\xef\xbb\xbf# M\r\n\r\nteam//knowledge/tokens\r\n")
    plan = here.rename("team//knowledge/tokens", "keys")
    assert left(plan) == [("memories/bad.md", 1, "damaged")]
    assert "not UTF-8" in plan.messages()[0]
    assert here.files()["team/memories/mark.md"] == (
        b"\xef\xbb\xbf# M\r\n\r\nteam//knowledge/keys\r\n"
    )


def test_where_a_fence_is_out_of_balance_nothing_is_guessed(tmp_path: Path) -> None:
    text = (
        "---\nxrefs: [knowledge/tokens]\n---\n```sh\necho\n\nteam//knowledge/tokens\n\n"
        "```sh\nx\n```\n\nteam//knowledge/tokens\n\n```\n"
    )
    here = disk(tmp_path, note=text)
    plan = here.rename("team//knowledge/tokens", "keys")
    assert left(plan) == [("memories/note.md", 1, "doubtful")]
    assert here.text("team/memories/note.md") == text.replace(
        "[knowledge/tokens]", "[knowledge/keys]"
    )


def test_a_twin_is_renamed_with_its_memory_only(tmp_path: Path) -> None:
    here = disk(tmp_path, note="# N\n")
    here.write("team/memories/note.derived.md", "# D\n")
    with pytest.raises(RenameRefused, match="is the twin of memories/note"):
        here.rename("team//memories/note.derived", "memo")
    here.write("team/memories/memo.derived.md", "# D\n")
    with pytest.raises(RenameRefused, match=r"memo\.derived\.md exists"):
        here.rename("team//memories/note", "memo")


def test_what_its_content_types_stays_of_its_type(tmp_path: Path) -> None:
    here = disk(tmp_path, agent="---\ntools: [x]\n---\n# A\n")
    with pytest.raises(RenameRefused, match="what is in it decides its type"):
        here.rename("team//agents/memories/agent", "knowledge/agent")


def test_names_through_links_out_of_the_bundle_are_refused(tmp_path: Path) -> None:
    here = disk(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "team/knowledge/out")
    with pytest.raises(RenameRefused, match="outside the bundle"):
        here.rename("team//knowledge/tokens", "knowledge/out/tokens")


def test_the_same_name_is_no_rename(tmp_path: Path) -> None:
    here = disk(tmp_path)
    for typed in ("tokens", "tokens.md", " knowledge/tokens ", "team//knowledge/tokens"):
        assert here.plan(partial(renaming, ref="team//knowledge/tokens", typed=typed)).is_empty


# Deleting.


def test_who_cites_what_is_deleted(tmp_path: Path) -> None:
    here = disk(
        tmp_path,
        a="---\nxrefs: [knowledge/tokens, memories/b]\n---\n[t](../knowledge/tokens.md)\n",
        b="team//knowledge/tokens#daily\n",
    )
    with here.workspace() as workspace:
        view = view_of(workspace)
        one = citers_of(view, [here.path("team/knowledge/tokens.md")])
        assert one.message() == (
            "team//knowledge/tokens is still cited in 3 places: team: memories/a.md (2), "
            "team: memories/b.md."
        )
        (file,) = one.files
        assert [change.new_text for change in file.changes] == [""]
        everything = [here.path("team/knowledge"), here.path("team/memories")]
        assert citers_of(view, everything).message() is None


@pytest.mark.parametrize(
    ("written", "name"),
    [("a%20b.md", "a b.md"), ("a%2520b.md", "a%20b.md"), ("<a b.md>", "a b.md")],
)
def test_a_link_is_decoded_once(tmp_path: Path, written: str, name: str) -> None:
    """One that names a part of a file leads to that file and to no other."""
    target = written.replace(">", "#part>") if ">" in written else f"{written}#part"
    here = disk(tmp_path, note=f"# N\n\n[it]({target})\n")
    with here.workspace() as workspace:
        source = view_of(workspace).source(here.path("team/memories/note.md"))
    assert source is not None
    beside = os.path.dirname(source.path)
    for other in ("a b.md", "a%20b.md"):
        found = [fragment for _, fragment in links_into(source, os.path.join(beside, other))]
        assert found == (["part"] if other == name else [])
