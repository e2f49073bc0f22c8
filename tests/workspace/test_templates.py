"""Templates are files that need nothing but the author's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.documents.document import kind_of, parse
from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.templates import NewAsset, kinds_with_template, template_for, title_of

TODAY = "2026-05-19"


@pytest.mark.parametrize("kind", [kind for kind in kinds_with_template() if kind in TYPE_BY_NAME])
def test_a_template_has_no_faults_of_its_own(tmp_path: Path, kind: str) -> None:
    asset = TYPE_BY_NAME[kind]
    name = "ship-it.sh" if kind == "script" else "ship-it"
    rel = asset.paths_for(name)[0]
    (tmp_path / "knowledge").mkdir()
    with Workspace(
        Settings(bundle_dirs=(str(tmp_path),), data_dir=str(tmp_path / "data"), config="")
    ) as workspace:
        (bundle,) = workspace.bundles
        template = template_for(kind, NewAsset(name, TODAY, xrefs=("knowledge/why",)))
        assert template is not None
        document = parse(template.text, kind_of(rel))
        path = str(Path(bundle.real_root) / rel)
        findings = workspace.findings_in(document, path, bundle, rel)
    assert [f for f in findings if f.severity != "hint"] == []
    assert document.frontmatter is None or document.frontmatter.problem is None


def test_what_is_known_stands_in_the_new_file() -> None:
    new = NewAsset("x", TODAY, title="Why: it broke", description="A: b", xrefs=("knowledge/y",))
    template = template_for("lesson", new)
    assert template is not None
    document = parse(template.text)
    assert document.frontmatter is not None
    assert document.frontmatter.data["description"] == "A: b"
    assert document.frontmatter.data["xrefs"] == ["knowledge/y"]
    assert document.title == "Why: it broke"
    assert title_of("rotate_the-tokens") == "Rotate the tokens"


def test_what_nobody_writes_by_hand_has_no_template() -> None:
    assert template_for("secret", NewAsset("x", TODAY)) is None
    assert template_for("session", NewAsset("x", TODAY)) is None
