"""Bundles on disk, a rename of something in them, and what is on the disk afterwards."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from akm_ls.documents.text import Span
from akm_ls.lint.finding import TextEdit
from akm_ls.lint.fixes import apply_edits
from akm_ls.refs import parse_ref
from akm_ls.workspace import Workspace
from akm_ls.workspace.renaming import (
    Move,
    Plan,
    View,
    move_files,
    rename_asset,
    view_of,
)
from akm_ls.workspace.settings import Settings

Files = Mapping[str, str]


class Disk:
    """Bundles below one directory, by ``bundle/path``; ``read_only`` ones by their names."""

    def __init__(self, root: Path, files: Files, *, read_only: tuple[str, ...] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self._runs = 0
        for name, text in files.items():
            self.write(name, text)
        names = sorted({name.partition("/")[0] for name in files})
        self.config = self.root / "config.json"
        bundles = {
            name: {"path": str(self.root / name), "writable": name not in read_only}
            for name in names
        }
        settings = {"configVersion": "0.9.0", "bundles": bundles, "defaultBundle": names[0]}
        self.config.write_text(json.dumps(settings), encoding="utf-8")

    def write(self, name: str, text: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def path(self, name: str) -> str:
        return str(self.root / name)

    def files(self) -> dict[str, bytes]:
        """Every file of every bundle, by ``bundle/path``."""
        found: dict[str, bytes] = {}
        for directory, _, names in os.walk(self.root):
            for name in names:
                path = Path(directory) / name
                rel = path.relative_to(self.root).as_posix()
                if "/" in rel and not rel.startswith("data-"):
                    found[rel] = path.read_bytes()
        return found

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """Opened anew, with a fresh index."""
        self._runs += 1
        settings = Settings(
            config=str(self.config), data_dir=str(self.root / f"data-{self._runs}"), folders=()
        )
        with Workspace.open(settings) as workspace:
            workspace.refresh()
            yield workspace

    def plan(self, make: Callable[[View], Plan]) -> Plan:
        with self.workspace() as workspace:
            return make(view_of(workspace))

    def apply(self, plan: Plan) -> Plan:
        """Do what a plan says, as an editor would."""
        for file in plan.files:
            path = Path(file.source.path)
            data = path.read_bytes()
            mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
            edits = [TextEdit(Span(*change.span), change.new_text) for change in file.changes]
            text = apply_edits(file.source.document.text, edits)
            path.write_bytes(mark + text.encode())
        for move in plan.moves:
            self.move(move)
        return plan

    def move(self, move: Move) -> None:
        Path(move.new).parent.mkdir(parents=True, exist_ok=True)
        assert not os.path.lexists(move.new), move
        os.rename(move.old, move.new)

    def rename(self, ref: str, typed: str) -> Plan:
        """Rename an asset and do it."""
        return self.apply(self.plan(lambda view: renaming(view, ref, typed)))

    def move_files(self, *pairs: tuple[str, str]) -> Plan:
        """Move files or directories as in an editor's tree, and do what follows from it."""
        paths = [(self.path(old), self.path(new)) for old, new in pairs]
        return self.apply(self.plan(lambda view: move_files(view, paths)))

    def findings(self, moved: Callable[[str], str] = lambda name: name) -> dict[str, list[str]]:
        """What every rule says of every file, by its path; without places and paths in words."""
        with self.workspace() as workspace:
            found: dict[str, list[str]] = {}
            for file in workspace.check():
                name = moved(Path(file.path).relative_to(self.root).as_posix())
                said = [f"{finding.code}: {finding.severity}" for finding in file.findings]
                if said:
                    found[name] = sorted(said)
            return found

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()


def renaming(view: View, ref: str, typed: str) -> Plan:
    """The plan for an asset's new name."""
    parsed = parse_ref(ref)
    stub = view.catalog.get(parsed.bundle or "", parsed.concept_id)
    assert stub is not None, f"{ref} is no asset"
    return rename_asset(view, stub, typed)
