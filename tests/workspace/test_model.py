"""Whatever happens, in whatever order: what is known is what a fresh start would find.

Files come, change, move and go; documents are opened, edited, saved and closed. After each step
the findings, references and symbols of the workspace that has seen everything happen equal those
of one that has just been started on the same files with the same open documents.

More examples: ``AKM_MODEL_EXAMPLES=500 pytest tests/workspace/test_model.py``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from akm_ls.refs import parse_ref
from akm_ls.workspace import Settings, Workspace
from akm_ls.workspace.closed_findings import ClosedFindings, files_to_check
from akm_ls.workspace.known_findings import KnownFindings
from lsp.model_texts import CITED, DIRECTORIES, FILES, FOLDERS, QUERIES, bundles, names, texts

EXAMPLES = int(os.environ.get("AKM_MODEL_EXAMPLES", "40"))
STEPS = 12


class Editing(RuleBasedStateMachine):
    """One workspace that lives through it all."""

    directory: Path

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=self.directory)).resolve()
        self.workspace: Workspace | None = None
        self.buffers: dict[str, str] = {}

    def teardown(self) -> None:
        if self.workspace is not None:
            self.workspace.close()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def live(self) -> Workspace:
        assert self.workspace is not None
        return self.workspace

    def started(self, data: str) -> Workspace:
        """A workspace that has just been started on the files as they are."""
        workspace = Workspace(
            Settings(
                bundle_dirs=(str(self.root / "team"), str(self.root / "other")),
                data_dir=str(self.root / data),
            )
        )
        workspace.refresh()
        return workspace

    @initialize(
        given=bundles(),
        opened=st.integers(0, 4),
    )
    def begin(self, given: dict[str, str], opened: int) -> None:
        for bundle in FOLDERS:
            (self.root / bundle / ".stash").mkdir(parents=True)
        for name, text in given.items():
            self.put(name, text)
        self.workspace = self.started("data")
        self.known = KnownFindings(self.workspace)
        self.closed = ClosedFindings(self.workspace)
        self.told: dict[str, list[str]] = {}
        for name in list(given)[:opened]:
            self.lay(name, given[name])

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    # What a session does with what happens.

    def spread(self, *names: str) -> None:
        """Files on disk have changed."""
        paths = [str(self.root / name) for name in names]
        delta = self.live.apply(self.live.upsert(paths))
        self.known.changed(delta)
        self.known.files_changed(paths)
        self.closed.changed(delta)
        self.closed.files_changed(paths)

    def lay(self, name: str, text: str | None) -> None:
        """A buffer has another text, or none any more."""
        path = str(self.root / name)
        if text is None:
            del self.buffers[name]
            delta = self.live.drop(path)
            self.known.forget(path)
        else:
            self.buffers[name] = text
            delta = self.live.put(path, text, 1)
        self.known.changed(delta)
        self.known.buffer_changed(path)
        self.closed.changed(delta)
        self.closed.files_changed([path])

    # What happens.

    @rule(name=names, text=texts())
    def write_behind_the_editor(self, name: str, text: str) -> None:
        self.put(name, text)
        self.spread(name)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if names := self.existing():
            name = data.draw(st.sampled_from(names))
            (self.root / name).unlink()
            self.spread(name)

    @rule(data=st.data(), new=names)
    def rename(self, data: st.DataObject, new: str) -> None:
        if (names := self.existing()) and not (self.root / new).exists():
            old = data.draw(st.sampled_from(names))
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).rename(self.root / new)
            if old in self.buffers:
                text = self.buffers[old]
                self.lay(old, None)
                self.lay(new, text)
            self.spread(old, new)

    @rule(name=st.sampled_from(DIRECTORIES))
    def delete_a_directory(self, name: str) -> None:
        if (self.root / name).is_dir():
            shutil.rmtree(self.root / name)
            self.spread(name)

    @rule(name=st.sampled_from(DIRECTORIES))
    def move_a_directory_away_and_back(self, name: str) -> None:
        old, new = self.root / name, self.root / f"{name}-moved"
        if old.is_dir() and not new.exists():
            old.rename(new)
            self.spread(name, f"{name}-moved")
        elif new.is_dir() and not old.exists():
            new.rename(old)
            self.spread(f"{name}-moved", name)

    @rule(name=names, text=texts())
    def open(self, name: str, text: str) -> None:
        if name not in self.buffers:
            path = self.root / name
            self.lay(name, path.read_bytes().decode() if path.is_file() else text)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data(), text=texts())
    def edit(self, data: st.DataObject, text: str) -> None:
        self.lay(data.draw(st.sampled_from(sorted(self.buffers))), text)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def save(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.buffers)))
        self.put(name, self.buffers[name])
        self.spread(name)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        self.lay(data.draw(st.sampled_from(sorted(self.buffers))), None)

    def existing(self) -> list[str]:
        return [name for name in FILES if (self.root / name).is_file()]

    # What has to hold.

    @invariant()
    def it_is_as_after_a_fresh_start(self) -> None:
        if self.workspace is None:
            return
        fresh_data = tempfile.mkdtemp(prefix="data-", dir=self.root)
        with self.started(fresh_data) as fresh:
            for name, text in self.buffers.items():
                fresh.put(str(self.root / name), text, 1)
            assert stubs(self.live) == stubs(fresh)
            assert symbols(self.live) == symbols(fresh)
            assert references(self.live) == references(fresh)
            for name in sorted(self.buffers):
                path = str(self.root / name)
                assert shown(self.known.of(path)) == shown(fresh.findings(path)), name
            assert self.closed_findings(self.closed, self.told) == self.closed_findings(
                ClosedFindings(fresh), {}
            )
        shutil.rmtree(fresh_data, ignore_errors=True)

    def closed_findings(
        self, closed: ClosedFindings, told: dict[str, list[str]]
    ) -> dict[str, list[str]]:
        """What a client would show of the files that are not open."""
        closed.settle()
        files = {
            os.path.relpath(file.path, self.root): file
            for file in files_to_check(self.live.bundles)
        }
        for name in files.keys() - self.buffers.keys():
            report = closed.check(files[name])
            if report.document is not None or not report.fingerprint:
                told[name] = [report.fingerprint, *shown(report.findings)]
        return {name: told[name] for name in sorted(files.keys() - self.buffers.keys())}


def stubs(workspace: Workspace) -> dict[str, object]:
    catalog = workspace.catalog
    return {
        stub.ref: (stub, catalog.claimants(stub.bundle, stub.concept_id))
        for stub in sorted(catalog.stubs(), key=lambda stub: stub.ref)
    }


def symbols(workspace: Workspace) -> dict[str, list[tuple[str, str, str | None]]]:
    return {
        query: [(it.stub.ref, it.name, it.fragment) for it in workspace.symbols.find(query)]
        for query in QUERIES
    }


def references(workspace: Workspace) -> dict[str, list[tuple[object, ...]]]:
    return {
        ref: [
            (it.source, it.path, it.channel, it.line, it.start, it.text)
            for it in workspace.references(parse_ref(ref))
        ]
        for ref in CITED
    }


def shown(findings: Iterable[object]) -> list[str]:
    return [repr(finding) for finding in findings]


def test_all_is_as_after_a_fresh_start(tmp_path: Path) -> None:
    class Session(Editing):
        directory = tmp_path

    run_state_machine_as_test(
        Session,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=EXAMPLES <= 40,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
