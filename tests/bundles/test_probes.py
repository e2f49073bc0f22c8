"""Which format a directory has, by what lies in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm_ls.bundles.adapters import ADAPTERS, FALLBACK, detect_adapter, probes

VECTORS = Path(__file__).parents[1] / "conformance" / "vectors" / "detect_adapter.json"
LAYOUTS: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]

Tree = Callable[..., str]


@pytest.mark.parametrize("layout", LAYOUTS, ids=[layout["case"] for layout in LAYOUTS])
def test_a_recorded_layout_is_detected_as_akm_detects_it(
    tree: Tree, layout: dict[str, Any]
) -> None:
    root = tree("root", layout["files"])
    assert (detect_adapter(root) or FALLBACK) == layout["adapter"]


def test_the_order_of_the_probes() -> None:
    assert [adapter.id for adapter in ADAPTERS] == [
        "website-snapshot",
        "agent-skills",
        "claude",
        "opencode",
        "dotenv",
        "akm-workflow",
        "akm-task",
        "llm-wiki",
        "akm",
        "okf",
        "generic-files",
    ]


@pytest.mark.parametrize(
    ("probe", "files"),
    [
        (probes.website_snapshot, {"manifest.json": '{"url": 1, "fetchedAt": "x"}'}),
        (probes.website_snapshot, {"manifest.json": '["url", "fetchedAt"]'}),
        (probes.website_snapshot, {"manifest.json": "[" * 50_000}),
        (probes.website_snapshot, {"manifest.json": "no json"}),
        (probes.agent_skills, {"SKILL.md": "", "a/skill.txt": ""}),
        (probes.agent_skills, {"a/b/SKILL.md": ""}),
        (probes.claude, {"CLAUDE.md": "", "docs/x.md": ""}),
        (probes.claude, {"agents/x.md": ""}),
        (probes.opencode, {"AGENTS.md": ""}),
        (probes.dotenv, {"README.md": ""}),
        (probes.dotenv, {"env/a.env": "", "src/x": ""}),
        (probes.akm_workflow, {"README.md": "---\ntype: workflow\n---\n"}),
        (probes.akm_workflow, {"a/w.md": "---\ntype: workflow\n---\n"}),
        (probes.akm_task, {"t.yml": "schedule: ''\n"}),
        (probes.akm_task, {"t.yml": "schedule: [1]\n"}),
        (probes.akm_task, {"t.yml": "- schedule: x\n"}),
        (probes.akm_task, {"t.yml": "schedule: 'open\n"}),
        (probes.akm_task, {"t.yaml": "schedule: x\n"}),
        (probes.llm_wiki, {"schema.md": "", "page/x.md": ""}),
        (probes.akm, {"docs/a.md": ""}),
        (probes.okf, {"index/a.md": "type: x\n"}),
        (probes.okf, {"a.md": "---\ntype: ''\n---\n"}),
        (probes.okf, {"a.md": "---\ntype: x\n"}),
        (probes.okf, {"a.md": "---\nother: 'type: x'\n---\n"}),
        (probes.okf, {"a/index.md": "---\ntype: x\n---\n", "log.md": "---\ntype: x\n---\n"}),
        (probes.generic_files, {"a.md": "", "b.sh": ""}),
    ],
)
def test_what_a_probe_leaves_alone(
    tree: Tree, probe: Callable[[str], bool], files: dict[str, str]
) -> None:
    assert probe(tree("root", files)) is False


@pytest.mark.parametrize("name", ["commands", "command", "agents", "agent", "skills", "skill"])
def test_opencode_knows_singular_directories_too(tree: Tree, name: str) -> None:
    assert probes.opencode(tree("root", {"AGENTS.md": "", f"{name}/x.md": ""}))


def test_a_task_file_may_have_a_byte_order_mark_and_crlf(tree: Tree) -> None:
    assert probes.akm_task(tree("root", {"t.yml": "\ufeffschedule: '@daily'\r\n"}))


def test_a_frontmatter_type_may_be_quoted_or_come_late(tree: Tree) -> None:
    late = "---\n" + "".join(f"k{n}: v\n" for n in range(200)) + '"type": Table\n---\n'
    assert probes.okf(tree("late", {"a/b.md": late}))


@pytest.mark.parametrize("adapter", ADAPTERS, ids=[adapter.id for adapter in ADAPTERS])
@pytest.mark.parametrize("root", ["/no/such/directory", "\0", "\udcff", __file__])
def test_no_probe_raises(adapter: Any, root: str) -> None:
    assert adapter.probe(root) is False


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
def test_a_pipe_does_not_hang_a_probe(tree: Tree) -> None:
    root = tree("root", {"knowledge/b.md": ""})
    for name in ("a.md", "a.yml", "manifest.json", "CLAUDE.md", "knowledge/a.md"):
        os.mkfifo(os.path.join(root, name))
    assert detect_adapter(root) == "akm"


def test_an_unreadable_file_claims_nothing(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("root", {"w.md": "---\ntype: workflow\n---\n"})

    def refuse(*_: object) -> int:
        raise PermissionError(13, "no")

    monkeypatch.setattr(os, "open", refuse)
    assert detect_adapter(root) is None


def test_a_search_for_types_is_bounded(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("root", [f"d{n}/x.md" for n in range(12)])
    monkeypatch.setattr(probes, "OKF_FILES", 5)
    assert len(list(probes.okf_documents(root))) == 5
    monkeypatch.setattr(probes, "OKF_DIRECTORIES", 3)
    assert len(list(probes.okf_documents(root))) == 2


def test_a_search_for_types_follows_no_link(tree: Tree) -> None:
    tree("other", {"a.md": "---\ntype: x\n---\n"})
    root = tree("root", {"b/link": "-> ../../other", "loop": "-> .", "c.md": "-> ../other/a.md"})
    assert probes.okf(root) is False


def test_no_probe_opens_a_secret(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "---\ntype: secret\nschedule: x\n---\n"
    files = dict.fromkeys(("a.md", "t.yml", "manifest.json", "deep/b.md"), typed)
    bundle = tree("bundle", {f"secrets/{name}": text for name, text in files.items()})
    opened: list[str] = []
    real_open = os.open

    def watch(path: str, *rest: Any, **named: Any) -> int:
        opened.append(str(path))
        return real_open(path, *rest, **named)

    monkeypatch.setattr(os, "open", watch)
    for directory in ("", "secrets", "secrets/deep"):
        for adapter in ADAPTERS:
            adapter.probe(os.path.join(bundle, directory))
    assert not [path for path in opened if "/secrets/" in path]
