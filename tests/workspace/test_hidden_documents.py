"""An open buffer is hidden when its file is: also behind a symlink, or beside a marker."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

TEXT = "---\ndescription: marker-text\n---\n# marker-text\n\nteam//knowledge/gone\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("knowledge", "secrets", "env"):
        (tmp_path / "team" / name).mkdir(parents=True)
    (tmp_path / "team/secrets/note.md").write_text(TEXT)
    (tmp_path / "team/knowledge/link.md").symlink_to("../secrets/note.md")
    (tmp_path / "team/knowledge/open.md").write_text(TEXT)
    (tmp_path / "team/env/prod.env").write_text("PATH=marker-text\n")
    (tmp_path / "team/env/prod.env.sensitive").touch()
    return tmp_path / "team"


@pytest.mark.parametrize(
    ("rel", "hidden"),
    [
        ("secrets/note.md", True),
        ("knowledge/link.md", True),
        ("env/prod.env", True),
        ("knowledge/open.md", False),
    ],
)
def test_what_is_hidden_on_disk_is_hidden_in_a_buffer(root: Path, rel: str, hidden: bool) -> None:
    settings = Settings(bundle_dirs=(str(root),), data_dir=str(root.parent / "data"), config="")
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        workspace.put(str(root / rel), TEXT)
        opened = workspace.documents.get(workspace.canonical(str(root / rel)))
        assert opened is not None
        assert ("marker-text" in opened.text) is not hidden
        assert bool(workspace.findings(str(root / rel))) is not hidden
        assert opened.entry is None or ("marker-text" in opened.entry.description) is not hidden
