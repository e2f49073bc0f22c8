"""One asset, or a section of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from akm_ls.search.library import Library
from akm_ls.search.request import SearchRequest
from akm_ls.search.search import search
from akm_ls.search.show import ShowError, show, show_path

from .conftest import MakeLibrary, page

GUIDE = """---
description: About tokens
tags: [auth]
xrefs:
  - team//skills/rotate
  - knowledge/gone
supersededBy: knowledge/new
beliefState: superseded
---

# Tökens 😀

Intro.

## Setup Steps

First.

## Setup Steps

Second.

### Detail

x
"""
WORKFLOW = """---
type: workflow
description: Ships it
params:
  version:
    type: string
    description: what to ship
steps:
  - id: build
    unit: {}
  - id: publish
    inputs: [steps.build.output]
    gate:
      max_loops: 2
---

# Ship

Preamble.

## build

Build it.

### Gate

All green.

## publish

Publish it.
"""
TEAM = {
    "knowledge/tokens.md": GUIDE,
    "knowledge/new.md": page("New", "See team//knowledge/tokens and knowledge/tokens."),
    "knowledge/index.md": "# Index\n",
    "skills/rotate/SKILL.md": page("Rotates", "# Rotate\n\nSee team//knowledge/tokens.", name="x"),
    "skills/rotate/references/how.md": page("How", "# How"),
    "commands/ask.md": page("Asks", "Ask $1 about {{topic}}.", agent="helper", model="small"),
    "agents/helper.md": page("Helps", "You help.", tools="Read, Grep", model="big"),
    "lessons/care.md": page("Care", "Take care.", when_to_use="Always."),
    "facts/f.md": page("Fact", "Water is wet.", category="team"),
    "sessions/s.md": page("Session", "We spoke."),
    "memories/m.md": page("Memory", "I recall."),
    "workflows/ship.md": WORKFLOW,
    "tasks/nightly.yml": 'version: 2\nschedule: "@daily"\nprompt: "hello"\n',
    "scripts/deploy.sh": "#!/bin/sh\n# Deploys\necho marker-script\n",
    "scripts/tool/run.py": "# @run uv run run.py\n# @cwd /srv\nprint()\n",
    "scripts/js/build.ts": "// Builds\n",
    "scripts/js/package.json": "{}",
    "env/prod.env": "# comment marker-4711\nA=marker-4711\nexport B='marker-4711'\n",
    "secrets/token": "marker-4711",
    "secrets/notes.md": "# marker-4711",
    "secrets/hidden.md": "# marker-4711",
    "secrets/hidden.md.sensitive": "",
    "secrets/x.lock": "marker-4711",
    ".meta/index.md": "# About this bundle\n",
    ".meta/style.md": "# Style\n",
    ".meta/x.txt": "text",
}
OTHER = {
    "knowledge/only.md": page("Only here", "Cites team//knowledge/tokens#setup-steps."),
    "knowledge/tokens.md": page("Others", "x"),
    "agents/foreign.md": page("Foreign", "You roam.", tools="[Bash]"),
    ".meta/only.md": "# Only\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(team=TEAM, other=OTHER)


def shown(library: Library, ref: str, **options: Any) -> dict[str, Any]:
    return show(library, ref, **options).to_json()


def refusal(library: Library, ref: str, **options: Any) -> ShowError:
    with pytest.raises(ShowError) as caught:
        show(library, ref, **options)
    return caught.value


# Everything about one asset.


def test_an_asset(library: Library) -> None:
    answer = shown(library, "knowledge/tokens")
    path = Path(answer["path"])
    assert answer.pop("contentHash").startswith("sha256:")
    assert answer == {
        "schemaVersion": 1,
        "ref": "team//knowledge/tokens",
        "bundle": "team",
        "conceptId": "knowledge/tokens",
        "type": "knowledge",
        "name": "tokens",
        "title": "Tökens 😀",
        "path": str(path),
        "uri": path.as_uri(),
        "range": None,
        "origin": "team",
        "editable": True,
        "editHint": None,
        "action": "Reference: read the content, or one section of it as REF#fragment.",
        "description": "About tokens",
        "whenToUse": None,
        "tags": ["auth"],
        "content": GUIDE,
        "fragments": [
            fragment("tökens", "Tökens 😀", 1, 10, 11),
            fragment("setup-steps", "Setup Steps", 2, 14, 14),
            fragment("setup-steps-1", "Setup Steps", 2, 18, 14),
            fragment("detail", "Detail", 3, 22, 10),
        ],
        "xrefs": ["team//skills/rotate", "knowledge/gone"],
        "citedBy": {
            "total": 3,
            "refs": ["team//knowledge/new", "team//skills/rotate", "other//knowledge/only"],
        },
        "related": {
            "total": 3,
            "hits": ["team//skills/rotate", "team//knowledge/new", "other//knowledge/only"],
        },
        "beliefState": "superseded",
        "supersededBy": ["knowledge/new"],
        "quality": "generated",
        "estimatedTokens": -(-len(GUIDE) // 4),
        "warnings": [],
    }


def fragment(slug: str, title: str, level: int, line: int, width: int) -> dict[str, Any]:
    return {
        "slug": slug,
        "title": title,
        "level": level,
        "range": {
            "start": {"line": line, "character": 0},
            "end": {"line": line, "character": width},
        },
    }


def test_ranges_follow_the_encoding(library: Library) -> None:
    (first, *_) = show(library, "knowledge/tokens").to_json("utf-8")["fragments"]
    assert first["range"]["end"]["character"] == 14


def test_only_the_first_citing_assets_are_named(make_library: MakeLibrary) -> None:
    citing = {f"knowledge/n{n:02}.md": page("n", "b//knowledge/x") for n in range(25)}
    library = make_library(b={"knowledge/x.md": page("x", "y"), "memories/m.md": "m", **citing})
    cited = shown(library, "knowledge/x")["citedBy"]
    assert (cited["total"], len(cited["refs"])) == (25, 20)


# By type.


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("skills/rotate", {"content": "\n# Rotate\n\nSee team//knowledge/tokens.\n"}),
        (
            "commands/ask",
            {
                "template": "\nAsk $1 about {{topic}}.\n",
                "agent": "helper",
                "modelHint": "small",
                "parameters": ["$1", "topic"],
            },
        ),
        (
            "agents/helper",
            {"prompt": "\nYou help.\n", "toolPolicy": ["Read", "Grep"], "modelHint": "big"},
        ),
        ("lessons/care", {"content": "\nTake care.\n", "whenToUse": "Always."}),
        ("facts/f", {"content": "\nWater is wet.\n"}),
        ("sessions/s", {"content": "\nWe spoke.\n"}),
        ("memories/m", {"content": "---\ndescription: Memory\n---\n\nI recall.\n"}),
        ("tasks/nightly", {"content": 'version: 2\nschedule: "@daily"\nprompt: "hello"\n'}),
        ("scripts/deploy.sh", {"run": "bash deploy.sh"}),
        ("scripts/tool/run.py", {"run": "uv run run.py", "cwd": "/srv"}),
        ("env/prod", {"keys": ["A", "B"]}),
        (
            "workflows/ship",
            {
                "content": "# Ship\n\nPreamble.",
                "workflowTitle": "ship",
                "parameters": ["version"],
                "parameterDescriptions": {"version": "what to ship"},
                "workflowParameters": [{"name": "version", "description": "what to ship"}],
                "steps": [
                    {
                        "id": "build",
                        "title": "build",
                        "instructions": "Build it.",
                        "completionCriteria": "All green.",
                        "sequenceIndex": 0,
                    },
                    {
                        "id": "publish",
                        "title": "publish",
                        "instructions": "Publish it.",
                        "sequenceIndex": 1,
                        "orchestration": {
                            "inputs": ["steps.build.output"],
                            "gate": {"max_loops": 2},
                        },
                    },
                ],
            },
        ),
    ],
)
def test_what_a_type_gives(library: Library, ref: str, expected: dict[str, Any]) -> None:
    answer = shown(library, ref)
    assert {key: answer.get(key) for key in expected} == expected
    bodies = {"content", "template", "prompt"} & answer.keys()
    assert bodies == {"content", "template", "prompt"} & expected.keys()


@pytest.mark.parametrize(
    ("ref", "action"),
    [
        ("skills/rotate", "Follow the instructions"),
        ("commands/ask", "Fill in the template's placeholders"),
        ("agents/helper", "Hand the whole prompt to an agent"),
        ("lessons/care", "Apply when: Always."),
        ("facts/f", "Apply as a lasting fact (team)."),
        ("sessions/s", "Summary of an earlier session."),
        ("memories/m", "Background"),
        ("workflows/ship", "Go through the steps"),
        ("scripts/deploy.sh", "Execute the run command."),
        ("tasks/nightly", "A scheduled task"),
        ("env/prod", "Names of variables only"),
        ("secrets/token", "A name only"),
        ("meta", "Orientation"),
    ],
)
def test_every_type_says_what_to_do_with_it(library: Library, ref: str, action: str) -> None:
    assert shown(library, ref)["action"].startswith(action)


def test_what_to_do_with_it_comes_from_the_frontmatter(make_library: MakeLibrary) -> None:
    session = page(
        "A session",
        "We spoke.",
        harness="claude",
        project="shop",
        started_at='"2026-01-02"',
        ended_at='"2026-01-03"',
        log_path="logs/1.jsonl",
    )
    library = make_library(
        b={
            "sessions/s.md": session,
            "facts/f.md": page("F", "x", category="team", pinned="true"),
            "lessons/l.md": page("L", "x"),
            "skills/s/SKILL.md": page("S", "x", name="s"),
        }
    )
    assert shown(library, "sessions/s")["action"] == (
        "Summary of an earlier session (by claude, about shop, 2026-01-02 to 2026-01-03, "
        "log: logs/1.jsonl)."
    )
    assert shown(library, "facts/f")["action"] == "Apply as a lasting fact (team, pinned)."
    assert shown(library, "lessons/l")["action"] == "Apply when: its description fits"


def test_a_script_nobody_can_run_is_shown_as_its_source(make_library: MakeLibrary) -> None:
    library = make_library(b={"scripts/x.kts": "println()\n", "scripts/y.sh": "true\n"})
    assert shown(library, "scripts/x.kts")["run"] == "kotlin x.kts"
    assert "content" not in shown(library, "scripts/y.sh")


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("a.sh", "bash a.sh"),
        ("a.ts", "bun a.ts"),
        ("a.js", "bun a.js"),
        ("a.py", "python a.py"),
        ("a.rb", "ruby a.rb"),
        ("a.go", "go run a.go"),
        ("a.ps1", "powershell -File a.ps1"),
        ("a.cmd", "cmd /c a.cmd"),
        ("a.bat", "cmd /c a.bat"),
        ("a.pl", "perl a.pl"),
        ("a.php", "php a.php"),
        ("a.lua", "lua a.lua"),
        ("a.r", "Rscript a.r"),
        ("a.swift", "swift a.swift"),
        ("a.kt", "kotlin a.kt"),
        ("a.kts", "kotlin a.kts"),
    ],
)
def test_every_kind_of_script_has_its_interpreter(scripts: Library, name: str, run: str) -> None:
    answer = shown(scripts, f"scripts/{name}")
    assert answer["run"] == run
    assert "content" not in answer


@pytest.fixture(scope="module")
def scripts(make_library: MakeLibrary) -> Library:
    names = [
        "sh",
        "ts",
        "js",
        "py",
        "rb",
        "go",
        "ps1",
        "cmd",
        "bat",
        "pl",
        "php",
        "lua",
        "r",
        "swift",
        "kt",
        "kts",
    ]
    directories = {
        "py/requirements.txt": "x",
        "rb/Gemfile": "x",
        "go/go.mod": "x",
        "js/package.json": "{}",
    }
    return make_library(
        b={
            **{f"scripts/a.{name}": "x\n" for name in names},
            **{f"scripts/{name}/a.{name}": "x\n" for name in ("py", "rb", "go", "js")},
            **{f"scripts/{name}": text for name, text in directories.items()},
            "skills/s/SKILL.md": page("S", "x", name="s"),
        }
    )


@pytest.mark.parametrize(
    ("directory", "setup"),
    [
        ("py", "pip install -r requirements.txt"),
        ("rb", "bundle install"),
        ("go", "go mod download"),
        ("js", "bun install"),
    ],
)
def test_what_a_script_needs_is_seen_beside_it(
    scripts: Library, directory: str, setup: str
) -> None:
    answer = shown(scripts, f"scripts/{directory}/a.{directory}")
    assert answer["setup"] == setup
    assert answer["cwd"] == str(Path(answer["path"]).parent)


def test_a_bundle_that_is_not_ours_says_so(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": page("x", "y"), "memories/m.md": "m"})
    (bundle,) = library.bundles
    foreign = replace(library.bundles, bundles=(replace(bundle, writable=False),))
    answer = shown(replace(library, bundles=foreign), "knowledge/x")
    assert answer["editable"] is False
    assert "Copy the asset" in answer["editHint"]


def test_a_script_is_prepared_in_its_directory(library: Library) -> None:
    answer = shown(library, "scripts/js/build.ts")
    assert (answer["run"], answer["setup"]) == ("bun build.ts", "bun install")
    assert answer["cwd"] == str(Path(answer["path"]).parent)


def test_tools_are_granted_in_the_primary_bundle_only(library: Library) -> None:
    assert "toolPolicy" not in shown(library, "other//agents/foreign")


def test_a_secret_gives_its_name_and_nothing_else(library: Library) -> None:
    for ref in ("secrets/token", "secrets/notes.md"):
        answer = shown(library, ref)
        assert answer["type"] == "secret"
        assert answer["fragments"] == []
        assert (answer["contentHash"], answer["estimatedTokens"]) == (None, None)
        assert not {"content", "size", "keys"} & answer.keys()


def test_a_secret_is_not_even_read_from_an_open_document(make_library: MakeLibrary) -> None:
    library = make_library(
        {"b/secrets/s.md": "# marker-4711", "b/env/x.env": "NEW=marker-4711\nC=1"},
        b={"secrets/s.md": "x", "env/x.env": "OLD=1", "knowledge/k.md": "k"},
    )
    assert "marker" not in json.dumps(shown(library, "secrets/s.md"))
    environment = shown(library, "env/x")
    assert environment["keys"] == ["NEW", "C"]
    assert "marker" not in json.dumps(environment)


@pytest.mark.parametrize("suffix", ["", "#marker-4711", "#A", ".md", ".env"])
def test_no_value_is_ever_told(library: Library, suffix: str) -> None:
    for ref in ("env/prod", "secrets/token", "secrets/notes", "secrets/hidden", "secrets/x.lock"):
        try:
            answer = json.dumps(shown(library, ref + suffix))
        except ShowError as error:
            answer = f"{error} {error.suggestions}".replace(suffix or " ", "")
        assert "marker" not in answer


def test_no_value_is_in_anything_shown_or_found(library: Library) -> None:
    for stub in library.catalog.stubs():
        assert "marker-4711" not in json.dumps(shown(library, stub.ref))
    for query in ("", "marker", "comment", "token", "A", "B"):
        answer = search(library, SearchRequest(query, limit=200, detail="full")).to_json()
        assert "marker-4711" not in json.dumps(answer)


# Sections.


@pytest.mark.parametrize(
    ("fragment", "content"),
    [
        ("setup-steps", "## Setup Steps\n\nFirst.\n"),
        ("Setup Steps", "## Setup Steps\n\nFirst.\n"),
        ("setup-steps-1", "## Setup Steps\n\nSecond.\n\n### Detail\n\nx\n"),
        ("detail", "### Detail\n\nx\n"),
    ],
)
def test_a_section(library: Library, fragment: str, content: str) -> None:
    answer = shown(library, f"team//knowledge/tokens#{fragment}")
    assert answer["content"] == content
    assert answer["ref"] == "team//knowledge/tokens"
    assert answer["estimatedTokens"] == -(-len(content) // 4)
    start = answer["range"]["start"]
    assert GUIDE.split("\n")[start["line"]] == content.split("\n")[0]


def test_a_section_of_a_type_with_a_key_of_its_own(make_library: MakeLibrary) -> None:
    library = make_library(
        b={"commands/c.md": page("C", "# A\n\na $1\n\n# B\n\nb"), "memories/m.md": "m"}
    )
    answer = shown(library, "commands/c#a")
    assert (answer["template"], answer["fragment"]) == ("# A\n\na $1\n", "a")


def test_lines_that_end_in_crlf(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": "# A\r\n\r\na\r\n\r\n# B\r\n", "memories/m.md": ""})
    assert shown(library, "knowledge/x#a")["content"] == "# A\r\n\r\na\r\n"


def test_a_section_that_is_not_there(library: Library) -> None:
    error = refusal(library, "knowledge/tokens#setup-stps")
    assert error.code == "ASSET_NOT_FOUND"
    assert str(error) == (
        'Fragment "#setup-stps" not found in tokens. '
        "Available fragments: #tökens, #setup-steps, #setup-steps-1, #detail."
    )
    assert error.suggestions[0] == "team//knowledge/tokens#setup-steps"


@pytest.mark.parametrize("ref", ["env/prod#A", "scripts/deploy.sh#x", "secrets/notes.md#x"])
def test_only_markdown_has_sections(library: Library, ref: str) -> None:
    assert refusal(library, ref).code == "INVALID_FLAG_VALUE"


def test_a_machines_selector_shows_the_whole(library: Library) -> None:
    answer = shown(library, "knowledge/tokens#akm-fragment-1-0123456789ab")
    assert answer["content"] == GUIDE
    assert len(answer["warnings"]) == 1


# Which asset.


def test_a_short_ref_is_of_the_default_bundle_else_of_the_first_that_has_it(
    library: Library,
) -> None:
    assert shown(library, "knowledge/tokens")["bundle"] == "team"
    assert shown(library, "knowledge/only")["bundle"] == "other"
    assert shown(library, "knowledge/tokens", home="other")["bundle"] == "other"
    assert shown(library, "skills/rotate", home="other")["bundle"] == "team"


def test_a_qualified_ref_is_of_its_bundle_only(library: Library) -> None:
    assert shown(library, "other//knowledge/tokens")["bundle"] == "other"
    assert refusal(library, "team//knowledge/only").code == "ASSET_NOT_FOUND"


def test_blanks_around_a_ref(library: Library) -> None:
    assert shown(library, " knowledge/tokens\n")["name"] == "tokens"


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("knowledge/tokens.md", "team//knowledge/tokens"),
        ("skills/rotate/references/how", "team//knowledge/skills/rotate/references/how"),
        ("env/prod.env", "team//env/prod"),
        ("tasks/nightly.yml", "team//tasks/nightly"),
    ],
)
def test_the_name_of_the_file(library: Library, ref: str, found: str) -> None:
    assert shown(library, ref)["ref"] == found


def test_a_page_that_is_no_asset(library: Library) -> None:
    answer = shown(library, "knowledge/index")
    assert (answer["type"], answer["content"]) == ("knowledge", "# Index\n")


def test_a_file_that_is_not_indexed_yet(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": "x", "memories/m.md": "m"})
    root = Path(library.bundles.bundles[0].real_root)
    (root / "knowledge" / "late.md").write_text("# Late\n", encoding="utf-8")
    (root / "secrets").mkdir()
    (root / "secrets" / "late").write_text("marker-4711", encoding="utf-8")
    assert shown(library, "knowledge/late")["ref"] == "b//knowledge/late"
    assert "marker" not in json.dumps(shown(library, "secrets/late"))


def test_a_link_that_leaves_the_bundle_is_not_followed(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": "x", "memories/m.md": "m", "secrets/s": "marker"})
    root = Path(library.bundles.bundles[0].real_root)
    outside = root.parent / "outside.md"
    outside.write_text("marker", encoding="utf-8")
    (root / "knowledge" / "out.md").symlink_to(outside)
    (root / "knowledge" / "in.md").symlink_to(root / "secrets" / "s")
    for ref in ("knowledge/out", "knowledge/in"):
        assert refusal(library, ref).code == "ASSET_NOT_FOUND"


@pytest.mark.parametrize(
    ("ref", "title", "bundle"),
    [
        ("meta", "# About this bundle\n", "team"),
        ("team//meta", "# About this bundle\n", "team"),
        ("meta:style", "# Style\n", "team"),
        ("meta:style.md", "# Style\n", "team"),
        ("meta:x.txt", "text", "team"),
        ("meta:only", "# Only\n", "other"),
    ],
)
def test_orientation_documents(library: Library, ref: str, title: str, bundle: str) -> None:
    answer = shown(library, ref)
    assert (answer["type"], answer["content"], answer["bundle"]) == ("meta", title, bundle)


@pytest.mark.parametrize(
    "ref", ["meta:nope", "team//meta:only", "meta:../knowledge/new", "meta:a/"]
)
def test_orientation_documents_that_are_not_there(library: Library, ref: str) -> None:
    assert refusal(library, ref).code in ("ASSET_NOT_FOUND", "INVALID_REF")


# Refusals.


def test_an_unknown_asset_comes_with_suggestions(library: Library) -> None:
    error = refusal(library, "knowledge/token")
    assert error.code == "ASSET_NOT_FOUND"
    assert "team//knowledge/tokens" in error.suggestions


@pytest.mark.parametrize(
    ("ref", "suggestions"),
    [
        ("agents/legacy", ("team//agents/legacy/one", "team//agents/legacy-reviewer")),
        ("team//agents/Leg", ("team//agents/legacy/one", "team//agents/legacy-reviewer")),
        ("nosuch//agents/legacy", ("team//agents/legacy/one", "team//agents/legacy-reviewer")),
        ("agents/leg4cy-reviewer", ("team//agents/legacy-reviewer",)),
        ("agents/le", ()),
        ("agents/reviewer", ()),
    ],
)
def test_the_beginning_of_a_name_tells_what_goes_on_so(
    make_library: MakeLibrary, ref: str, suggestions: tuple[str, ...]
) -> None:
    library = make_library(
        team={"agents/legacy-reviewer.md": page("Old"), "agents/legacy/one.md": page("Older")}
    )
    assert refusal(library, ref).suggestions == suggestions


def test_an_unknown_bundle(library: Library) -> None:
    error = refusal(library, "nosuch//knowledge/tokens")
    assert error.code == "ASSET_NOT_FOUND"
    assert str(error).startswith('Bundle "nosuch" is not installed')
    assert "team//knowledge/tokens" in error.suggestions


@pytest.mark.parametrize("ref", ["", "  ", "team//", "../x", "/x", "https://x.org//y", "a\0b"])
def test_what_is_no_ref(library: Library, ref: str) -> None:
    assert refusal(library, ref).code == "INVALID_REF"


def test_two_files_for_one_ref(make_library: MakeLibrary) -> None:
    library = make_library(
        b={
            "knowledge/skills/a/x.md": "# One",
            "skills/a/x.md": "# Two",
            "skills/a/SKILL.md": page("A", "a", name="a"),
        }
    )
    error = refusal(library, "knowledge/skills/a/x")
    assert error.code == "RESOURCE_ALREADY_EXISTS"
    paths = [
        str(Path(library.bundles.bundles[0].real_root, p))
        for p in ("knowledge/skills/a/x.md", "skills/a/x.md")
    ]
    assert f"{paths[0]}, {paths[1]}" in str(error)


def test_a_file_that_is_gone(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": "x", "memories/m.md": "m"})
    Path(library.bundles.bundles[0].real_root, "knowledge", "x.md").unlink()
    error = refusal(library, "knowledge/x")
    assert error.code == "ASSET_NOT_FOUND"
    assert "akm-ls index" in str(error)


# As it is now.


def test_the_file_is_read_afresh(make_library: MakeLibrary) -> None:
    library = make_library(b={"knowledge/x.md": "old", "memories/m.md": "m"})
    path = Path(library.bundles.bundles[0].real_root, "knowledge", "x.md")
    path.write_text(page("New", "# New"), encoding="utf-8")
    answer = shown(library, "knowledge/x#new")
    assert (answer["description"], answer["content"]) == ("New", "# New\n")


def test_an_open_document_wins(make_library: MakeLibrary) -> None:
    library = make_library(
        {"b/knowledge/x.md": page("Unsaved", "# Unsaved")},
        b={"knowledge/x.md": page("Saved", "# Saved"), "memories/m.md": "m"},
    )
    answer = shown(library, "knowledge/x")
    assert answer["description"] == "Unsaved"
    assert answer["content"].endswith("# Unsaved\n")


def test_broken_frontmatter_is_said(make_library: MakeLibrary) -> None:
    library = make_library(
        b={"knowledge/x.md": "---\ndescription: a: b\n---\n\n# X\n", "memories/m.md": "m"}
    )
    (warning,) = shown(library, "knowledge/x")["warnings"]
    assert warning.startswith("The frontmatter is not valid YAML: ")


def test_by_path(library: Library) -> None:
    path = shown(library, "knowledge/tokens")["path"]
    found = show_path(library, path)
    assert found is not None
    assert found.entry.ref == "team//knowledge/tokens"
    assert show_path(library, "/nowhere") is None


@given(
    st.text(max_size=60) | st.text(alphabet="/#:.\\am \0é", max_size=20).map("knowledge/".__add__)
)
@example("meta:" + "../" * 5 + "etc/passwd")
@example("knowledge/" + "x" * 10_000)
@example("knowledge/tokens#" + "x" * 10_000)
@example("\ud83d//knowledge/tokens")
@example("secrets/\ud83d")
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_shown_or_refused(library: Library, ref: str) -> None:
    try:
        json.dumps(shown(library, ref))
    except ShowError as error:
        assert str(error)
