"""A client as an editor is one: buffers, files, and what the author is shown.

It speaks to a server over stdin and stdout, does what a workspace edit says, and shows no finding
but those that it was sent, or has asked for when an editor asks: after opening or editing a
document, when the server says that the old ones are out of date, and all the time for all files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from positions import Encoding, range_of, with_edits
from rpc import Pending, RpcClient

CREATED, CHANGED, DELETED = 1, 2, 3
"""``FileChangeType``."""
TOKEN = "all-files"


@dataclass(frozen=True)
class Kind:
    """One kind of client. Who ``pulls`` asks for diagnostics, all others are sent them."""

    encoding: Encoding = "utf-16"
    pulls: bool = False
    edits_closed_files: bool = True
    """Whether an edit of a file that is not open is written; else it is opened and changed."""
    tells_renames: bool = True
    """Whether the server hears of files that were moved by its own edit."""

    def capabilities(self) -> dict[str, Any]:
        document = {
            "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": self.pulls},
            "rename": {"prepareSupport": True},
        }
        workspace = {
            "workspaceFolders": True,
            "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
            "fileOperations": {"willRename": True, "didRename": True, "didDelete": True},
            "workspaceEdit": {
                "documentChanges": True,
                "resourceOperations": ["create", "rename", "delete"],
                **({"changeAnnotationSupport": {}} if self.pulls else {}),
            },
        }
        if self.pulls:
            document["diagnostic"] = {"relatedDocumentSupport": True}
            workspace["diagnostics"] = {"refreshSupport": True}
        return {
            "general": {"positionEncodings": [self.encoding]},
            "textDocument": document,
            "workspace": workspace,
        }


class Buffer:
    """An open document. ``shown`` are the diagnostics that the author sees in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.version = 1
        self.shown: list[Any] = []
        self.result_id: str | None = None


class ModelClient:
    """One editor in front of one server, with files below ``root``.

    Files have names there: ``team/knowledge/a.md``.
    """

    def __init__(self, command: Sequence[str], root: Path, kind: Kind, data: str) -> None:
        self.root, self.kind = root, kind
        self.folders: list[str] = []
        self.buffers: dict[str, Buffer] = {}
        self.left: dict[str, list[Any]] = {}
        """What is shown of documents that are not open any more."""
        self.listed: dict[str, tuple[str | None, list[Any]]] = {}
        """Of every file: the result id and the diagnostics of the client's list of all."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AKM_", "XDG_"))
        }
        self.told = 0
        """How often the server was told something."""
        self._data = str(root / data)
        self._heard = 0
        self._listing: Pending | None = None
        self._to_ask: dict[str, None] = {}
        self.rpc = RpcClient(
            command, env={**environment, "HOME": str(root / "home"), "AKM_LS_TEST_QUIET": "0.01"}
        )

    def close(self) -> None:
        self.rpc.kill()

    def start(self, folders: Iterable[str]) -> None:
        self.folders = list(folders)
        result = self.rpc.initialize(
            self.kind.capabilities(),
            workspaceFolders=[self._folder(name) for name in self.folders],
            initializationOptions={
                "dataDir": self._data,
                "config": str(self.root / "no-config.json"),
                "diagnostics": {"delay": 10},
                "usage": False,
            },
        )
        assert result["capabilities"]["positionEncoding"] == self.kind.encoding
        if self.kind.pulls:
            self._list_all()

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        self.told += 1
        self.rpc.notify(method, params)

    # Names.

    def path(self, name: str) -> Path:
        return self.root / name

    def uri(self, name: str) -> str:
        return "file://" + quote(str(self.root / name))

    def name(self, uri: str) -> str:
        return os.path.relpath(unquote(urlsplit(uri).path), self.root)

    def named(self, answer: Any) -> Any:
        """An answer with names in the place of URIs and paths."""
        if isinstance(answer, dict):
            return {self.named(key): self.named(value) for key, value in answer.items()}
        if isinstance(answer, list):
            return [self.named(item) for item in answer]
        if isinstance(answer, str):
            if answer.startswith(f"file://{quote(str(self.root))}/"):
                return self.name(answer)
            return answer.replace(f"{self.root}/", "")
        return answer

    def _folder(self, name: str) -> dict[str, str]:
        return {"uri": self.uri(name), "name": name}

    def _document(self, name: str) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri(name)}}

    # Documents.

    def open(self, name: str, text: str) -> None:
        self.buffers[name] = Buffer(text)
        self.left.pop(name, None)
        item = {"uri": self.uri(name), "languageId": "markdown", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": item})
        self._to_ask[name] = None

    def change(self, name: str, edits: Iterable[tuple[int, int, str]]) -> None:
        """Put texts in the place of ranges, one after the other, in one notification."""
        buffer = self.buffers[name]
        changes = []
        for start, end, new in edits:
            where = range_of(buffer.text, start, end, self.kind.encoding)
            changes.append({"range": where, "text": new})
            buffer.text = buffer.text[:start] + new + buffer.text[end:]
        self._changed(name, changes)

    def replace(self, name: str, text: str) -> None:
        self.buffers[name].text = text
        self._changed(name, [{"text": text}])

    def _changed(self, name: str, changes: list[dict[str, Any]]) -> None:
        buffer = self.buffers[name]
        buffer.version += 1
        identifier = {"uri": self.uri(name), "version": buffer.version}
        self._notify(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": changes}
        )
        self._to_ask[name] = None

    def save(self, name: str, *, watched: bool) -> None:
        before = self.path(name).exists()
        self.write(name, self.buffers[name].text)
        self._notify("textDocument/didSave", self._document(name))
        if watched:
            self.tell((name, CHANGED if before else CREATED))

    def close_document(self, name: str) -> None:
        self.left[name] = [] if self.kind.pulls else self.buffers.pop(name).shown
        self.buffers.pop(name, None)
        self._to_ask.pop(name, None)
        self._notify("textDocument/didClose", self._document(name))

    # Files and folders.

    def write(self, name: str, text: str) -> None:
        write(self.path(name), text)

    def text_on_disk(self, name: str) -> str | None:
        path = self.path(name)
        return path.read_bytes().decode("utf-8-sig") if path.is_file() else None

    def tell(self, *changes: tuple[str, int]) -> None:
        """What the client's watcher has seen."""
        events = [{"uri": self.uri(name), "type": change} for name, change in changes]
        self._notify("workspace/didChangeWatchedFiles", {"changes": events})

    def put_folders(self, folders: Sequence[str]) -> None:
        """Take folders out of the workspace, and others in."""
        event = {
            "added": [self._folder(name) for name in folders if name not in self.folders],
            "removed": [self._folder(name) for name in self.folders if name not in folders],
        }
        kept = [name for name in self.folders if name in folders]
        self.folders = kept + [name for name in folders if name not in kept]
        self._notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def move_in_tree(self, old: str, new: str, *, watched: bool) -> None:
        """Rename a file or directory where the editor shows them."""
        files = {"files": [{"oldUri": self.uri(old), "newUri": self.uri(new)}]}
        self.apply(self.rpc.call("workspace/willRenameFiles", files))
        self._move(old, new)
        self._notify("workspace/didRenameFiles", files)
        if watched:
            self.tell((old, DELETED), (new, CREATED))

    def delete_in_tree(self, name: str, *, watched: bool) -> None:
        files = {"files": [{"uri": self.uri(name)}]}
        self.apply(self.rpc.call("workspace/willDeleteFiles", files))
        self.path(name).unlink()
        if name in self.buffers:
            self.close_document(name)
        self._notify("workspace/didDeleteFiles", files)
        if watched:
            self.tell((name, DELETED))

    def apply(self, edit: dict[str, Any] | None) -> None:
        """Do what a workspace edit says, in its order."""
        for change in (edit or {}).get("documentChanges", ()):
            if change.get("kind") == "rename":
                self._rename(self.name(change["oldUri"]), self.name(change["newUri"]))
                continue
            assert "kind" not in change, change
            identifier = change["textDocument"]
            name = self.name(identifier["uri"])
            buffer = self.buffers.get(name)
            assert identifier["version"] in (None, buffer and buffer.version), identifier
            self._edit(name, change["edits"])

    def _edit(self, name: str, edits: list[dict[str, Any]]) -> None:
        buffer = self.buffers.get(name)
        text = self.text_on_disk(name) if buffer is None else buffer.text
        assert text is not None, f"an edit of {name}, which is not there"
        new = with_edits(text, edits, self.kind.encoding)
        if buffer is None and self.kind.edits_closed_files:
            self.write(name, new)
            self.tell((name, CHANGED))
            return
        if buffer is None:
            self.open(name, text)
        self.replace(name, new)

    def _rename(self, old: str, new: str) -> None:
        assert not self.path(new).exists(), f"{new} is there already"
        self._move(old, new)
        if self.kind.tells_renames:
            files = {"files": [{"oldUri": self.uri(old), "newUri": self.uri(new)}]}
            self._notify("workspace/didRenameFiles", files)
        self.tell((old, DELETED), (new, CREATED))

    def _move(self, old: str, new: str) -> None:
        """Move what is on the disk; open documents go along."""
        self.path(new).parent.mkdir(parents=True, exist_ok=True)
        self.path(old).rename(self.path(new))
        for name in list(self.buffers):
            if name == old or name.startswith(f"{old}/"):
                text = self.buffers[name].text
                self.close_document(name)
                self.open(new + name.removeprefix(old), text)

    # What the author is shown.

    def keep_up(self) -> None:
        """Take in what the server has sent, and ask for what it says is out of date."""
        received = self.rpc.received
        while self._heard < len(received):
            message = received[self._heard][1]
            self._heard += 1
            self._hear(message.get("method"), message.get("params"))
        assert not self.rpc.closed, "the server has ended"
        if self.kind.pulls:
            asked, self._to_ask = self._to_ask, {}
            for name in asked:
                self._ask(name)
            if self._listing is not None and self._listing.done:
                self._note_list(self._listing.result()["items"])
                self._list_all()

    def _hear(self, method: str | None, params: Any) -> None:
        if method == "textDocument/publishDiagnostics":
            buffer = self.buffers.get(self.name(params["uri"]))
            if buffer is None:
                self.left[self.name(params["uri"])] = params["diagnostics"]
            elif params.get("version") in (None, buffer.version):
                buffer.shown = params["diagnostics"]
        elif method == "workspace/diagnostic/refresh":
            self._to_ask.update(dict.fromkeys(self.buffers))
        elif method == "$/progress" and params["token"] == TOKEN:
            self._note_list(params["value"]["items"])

    def _ask(self, name: str) -> None:
        buffer = self.buffers.get(name)
        if buffer is not None:
            params = {**self._document(name), "previousResultId": buffer.result_id}
            report = self.rpc.call("textDocument/diagnostic", params)
            self._note_report(name, report)
            for uri, related in (report.get("relatedDocuments") or {}).items():
                self._note_report(self.name(uri), related)

    def _note_report(self, name: str, report: dict[str, Any]) -> None:
        buffer = self.buffers.get(name)
        if buffer is None:
            return
        if report["kind"] == "full":
            buffer.shown, buffer.result_id = report["items"], report.get("resultId")
        else:
            assert report["resultId"] == buffer.result_id, report

    def _list_all(self) -> None:
        """Ask for the findings of all files; the answer comes when there is news."""
        self._listing = self.rpc.request(
            "workspace/diagnostic",
            {"previousResultIds": self._known(), "partialResultToken": TOKEN},
        )

    def list_now(self) -> None:
        """Ask for the findings of all files, once."""
        params = {"previousResultIds": self._known()}
        self._note_list(self.rpc.call("workspace/diagnostic", params)["items"])

    def _known(self) -> list[dict[str, Any]]:
        return [
            {"uri": self.uri(name), "value": result_id}
            for name, (result_id, _) in self.listed.items()
            if result_id is not None
        ]

    def _note_list(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            name = self.name(item["uri"])
            if item["kind"] == "full":
                self.listed[name] = item.get("resultId"), item["items"]
            else:
                assert item["resultId"] == self.listed[name][0], item

    def shown(self) -> dict[str, Any]:
        """The findings in the open documents, and those in the list of all files."""
        if not self.kind.pulls:
            self.list_now()
        return {
            "open": self.named(
                {name: buffer.shown for name, buffer in self.buffers.items()}
                | {name: items for name, items in self.left.items() if items}
            ),
            "all": self.list_of_all(),
        }

    def list_of_all(self) -> dict[str, Any]:
        """What the list of all files shows. Of open documents it shows what is shown in them."""
        return self.named(
            {
                name: items
                for name, (_, items) in self.listed.items()
                if items and not (self.kind.pulls and name in self.buffers)
            }
        )

    def wait_for_news(self, seconds: float) -> None:
        with self.rpc._changed:
            if self._heard == len(self.rpc.received):
                self.rpc._changed.wait(seconds)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
