"""Whatever happens, in whatever order: the author sees what a fresh start would show.

Documents are opened, typed into, saved and closed; files come, change, move and go, behind the
editor's back and in its tree; things are renamed. After each step the findings that the client
shows, and the references, outlines and symbols that a server answers which has seen it all, equal
those of one that has just been started on the same files with the same open documents.

More examples, at random: ``AKM_MODEL_EXAMPLES=500 pytest tests/lsp/test_model_over_lsp.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from model_answers import Comparing
from model_client import CHANGED, CREATED, DELETED, Kind, ModelClient
from model_texts import (
    CONFIGURATIONS,
    DIRECTORIES,
    FILES,
    FOLDERS,
    NEW_NAMES,
    SETTINGS,
    Change,
    bundles,
    files,
    line_ends,
    names,
    other_heading,
    texts,
    typing,
    typing_behind_wide_characters,
)
from positions import position_of
from rpc import RpcError
from warm_server import forks

EXAMPLES = int(os.environ.get("AKM_MODEL_EXAMPLES", "0"))
PATIENCE = float(os.environ.get("AKM_MODEL_PATIENCE", "8"))
"""Seconds until a difference is one that stays."""
REFUSED = -32803

NAMED = re.compile(r"[\w-]+//[\w/.-]+(?:#[\w-]+)?|^#+ .*$|auth|part", re.MULTILINE)
"""What has a name that can be renamed, or looks like it."""


class Authoring(RuleBasedStateMachine):
    """An author at work, with one server from beginning to end."""

    command: list[str]
    directory: Path

    def __init__(self) -> None:
        super().__init__()
        self.unchecked = 0
        self.root = Path(tempfile.mkdtemp(dir=self.directory)).resolve()
        self.comparing: Comparing | None = None

    def teardown(self) -> None:
        if self.comparing is not None:
            self.comparing.end()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def editor(self) -> ModelClient:
        assert self.comparing is not None
        return self.comparing.editor

    # What there is to choose from.

    def existing(self) -> list[str]:
        return [name for name in FILES if self.editor.path(name).is_file()]

    def is_free(self, name: str) -> bool:
        return not self.editor.path(name).exists() and name not in self.editor.buffers

    # How it begins.

    @initialize(
        pulls=st.booleans(),
        encoding=st.sampled_from(["utf-16", "utf-8"]),
        edits_closed_files=st.booleans(),
        tells_renames=st.booleans(),
        given=bundles(),
        opened=st.integers(2, 6),
    )
    def begin(
        self,
        pulls: bool,
        encoding: str,
        edits_closed_files: bool,
        tells_renames: bool,
        given: dict[str, str],
        opened: int,
    ) -> None:
        kind = Kind(encoding, pulls, edits_closed_files, tells_renames)  # type: ignore[arg-type]
        self.comparing = Comparing(self.command, self.root, kind, given)
        for name in list(given)[:opened]:
            self.editor.open(name, given[name])

    # What the author does with documents.

    @rule(name=names, text=texts())
    def open_a_file_or_a_new_document(self, name: str, text: str) -> None:
        if name not in self.editor.buffers:
            on_disk = self.editor.text_on_disk(name)
            self.editor.open(name, text if on_disk is None else on_disk)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data(), times=st.integers(1, 3))
    def type(self, data: st.DataObject, times: int) -> None:
        self.change_a_document(data, typing, times)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data())
    def type_behind_wide_characters(self, data: st.DataObject) -> None:
        self.change_a_document(data, typing_behind_wide_characters)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data(), times=st.integers(1, 2))
    def split_and_join_lines(self, data: st.DataObject, times: int) -> None:
        self.change_a_document(data, line_ends, times)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data())
    def give_a_heading_other_words(self, data: st.DataObject) -> None:
        self.change_a_document(data, other_heading)

    def change_a_document(
        self,
        data: st.DataObject,
        change: Callable[[str], st.SearchStrategy[Change]],
        times: int = 1,
    ) -> None:
        """One notification with some changes, each of the text that the one before has left."""
        name = data.draw(st.sampled_from(sorted(self.editor.buffers)))
        text, changes = self.editor.buffers[name].text, []
        for _ in range(times):
            start, end, new = data.draw(change(text))
            changes.append((start, end, new))
            text = text[:start] + new + text[end:]
        self.editor.change(name, changes)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data(), text=texts())
    def replace_everything(self, data: st.DataObject, text: str) -> None:
        self.editor.replace(data.draw(st.sampled_from(sorted(self.editor.buffers))), text)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data(), watched=st.booleans())
    def save(self, data: st.DataObject, watched: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.editor.buffers)))
        self.editor.save(name, watched=watched)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data(), watched=st.booleans())
    def save_and_close(self, data: st.DataObject, watched: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.editor.buffers)))
        self.editor.save(name, watched=watched)
        self.editor.close_document(name)

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data())
    def close_saved_or_not(self, data: st.DataObject) -> None:
        self.editor.close_document(data.draw(st.sampled_from(sorted(self.editor.buffers))))

    @precondition(lambda self: self.editor.buffers)
    @rule(data=st.data(), new=st.sampled_from(NEW_NAMES))
    def rename_what_stands_in_a_document(self, data: st.DataObject, new: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.editor.buffers)))
        text = self.editor.buffers[name].text
        if places := [match.end() - 1 for match in NAMED.finditer(text)]:
            place = position_of(text, data.draw(st.sampled_from(places)), self.editor.kind.encoding)
            params = {"textDocument": {"uri": self.editor.uri(name)}, "position": place}
            try:
                edit = self.editor.rpc.call("textDocument/rename", {**params, "newName": new})
            except RpcError as refused:
                assert refused.code == REFUSED, refused
            else:
                self.editor.apply(edit)

    # What the author does in the editor's tree.

    @precondition(lambda self: self.existing())
    @rule(data=st.data(), new=names, watched=st.booleans())
    def move_a_file(self, data: st.DataObject, new: str, watched: bool) -> None:
        if self.is_free(new):
            old = data.draw(st.sampled_from(self.existing()))
            self.editor.move_in_tree(old, new, watched=watched)

    @rule(old=st.sampled_from(DIRECTORIES), watched=st.booleans())
    def move_a_directory(self, old: str, watched: bool) -> None:
        new = f"{old}-moved"
        if self.editor.path(new).is_dir():
            old, new = new, old
        if self.editor.path(old).is_dir() and not self.editor.path(new).exists():
            self.editor.move_in_tree(old, new, watched=watched)

    @precondition(lambda self: self.existing())
    @rule(data=st.data(), watched=st.booleans())
    def delete_a_file(self, data: st.DataObject, watched: bool) -> None:
        name = data.draw(st.sampled_from(self.existing()))
        self.editor.delete_in_tree(name, watched=watched)

    # What happens behind the editor's back.

    @rule(name=names, text=texts())
    def another_program_writes_a_file(self, name: str, text: str) -> None:
        kind = CHANGED if self.editor.path(name).exists() else CREATED
        self.editor.write(name, text)
        self.editor.tell((name, kind))

    @precondition(lambda self: self.existing())
    @rule(data=st.data())
    def another_program_deletes_a_file(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.existing()))
        self.editor.path(name).unlink()
        self.editor.tell((name, DELETED))

    @precondition(lambda self: self.existing())
    @rule(data=st.data(), new=names)
    def another_program_moves_a_file(self, data: st.DataObject, new: str) -> None:
        if not self.editor.path(new).exists():
            old = data.draw(st.sampled_from(self.existing()))
            self.editor.path(new).parent.mkdir(parents=True, exist_ok=True)
            self.editor.path(old).rename(self.editor.path(new))
            self.editor.tell((old, DELETED), (new, CREATED))

    @rule(name=st.sampled_from(DIRECTORIES))
    def another_program_deletes_a_directory(self, name: str) -> None:
        if self.editor.path(name).is_dir():
            shutil.rmtree(self.editor.path(name))
            self.editor.tell((name, DELETED))

    @rule(written=files(least=1, most=4), gone=st.sets(names, max_size=3))
    def another_branch_is_checked_out(self, written: dict[str, str], gone: set[str]) -> None:
        changes = []
        for name in sorted(gone - written.keys()):
            if self.editor.path(name).is_file():
                self.editor.path(name).unlink()
                changes.append((name, DELETED))
        for name, text in written.items():
            changes.append((name, CHANGED if self.editor.path(name).exists() else CREATED))
            self.editor.write(name, text)
        self.editor.tell(*changes)

    # What happens to the workspace.

    @rule(text=st.sampled_from(CONFIGURATIONS))
    def the_settings_of_a_bundle_change(self, text: str) -> None:
        kind = CHANGED if self.editor.path(SETTINGS).exists() else CREATED
        self.editor.write(SETTINGS, text)
        self.editor.tell((SETTINGS, kind))

    @rule(folder=st.sampled_from(FOLDERS))
    def a_folder_is_taken_out_or_put_in(self, folder: str) -> None:
        folders = self.editor.folders
        if folder in folders:
            self.editor.put_folders([name for name in folders if name != folder])
        else:
            self.editor.put_folders([*folders, folder])

    # In what order.

    @rule(steps=st.integers(1, 3))
    def the_next_steps_come_quickly(self, steps: int) -> None:
        """Nobody waits for the server before them."""
        self.unchecked = steps + 1

    @invariant()
    def all_is_as_after_a_fresh_start(self) -> None:
        if self.comparing is None:
            return
        if self.unchecked > 1:
            self.unchecked -= 1
            return
        self.unchecked = 0
        self.comparing.compare(PATIENCE)


@pytest.mark.skipif(not forks(), reason="needs servers that start in a moment")
def test_all_is_as_after_a_fresh_start(server_command: list[str], tmp_path: Path) -> None:
    class Session(Authoring):
        command = server_command
        directory = tmp_path

    run_state_machine_as_test(
        Session,
        settings=settings(
            max_examples=EXAMPLES or 24,
            stateful_step_count=20 if EXAMPLES else 14,
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
