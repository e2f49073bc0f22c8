"""A process that reads files for the index, keeps what it has parsed, and lints it later.

It is the other end of `lint_crew`: in a first `check` of a large bundle each file is read and
parsed once.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from akm_ls.bundles.adapters.adapter import Recognition
from akm_ls.bundles.walker import WalkedFile
from akm_ls.index import reader
from akm_ls.index.rows import PreparedFile, native_path, prepare, root_prefix
from akm_ls.workspace.linter import FileToCheck, Linter, packed
from akm_ls.workspace.workspace import Workspace

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.documents.document import Document

_ENTRY = PreparedFile._fields.index("entry")

MAX_CHARACTERS = 32_000_000
"""Text whose parses one process keeps: they take some ten times as much memory."""


def serve() -> None:
    reader.serve(Member)


class Member(reader.Reader):
    """Answers the jobs of a reader, and two of `lint_crew`.

    ``open`` with pickled settings says that the index is whole; ``lint`` with a bundle's number
    and its files as (rel, size, mtime_ns) is answered with what `linter.unpacked` reads.
    """

    def __init__(self, bundles: Sequence[Bundle]) -> None:
        super().__init__(bundles)
        self._documents: dict[str, tuple[int, int, Document]] = {}
        self._recognised: dict[str, Recognition] = {}
        self._room = MAX_CHARACTERS
        self._linter: Linter | None = None

    def answer(self, job: str, *content: Any) -> bytes:
        if job == "open":
            self._open(*content)
            return b""
        if job == "lint":
            return self._lint(*content)
        answer = super().answer(job, *content)
        # What is kept has no cycles: there is nothing in it for the collector to find.
        gc.freeze()
        return answer

    def read(
        self, bundle: Bundle, rel: str, size: int, mtime_ns: int, racy: int
    ) -> tuple[Any, ...]:
        parsed: list[Document] = []
        row = prepare(bundle, rel, size, mtime_ns, racy, parsed.append, walked=True)
        if parsed and not racy:
            self._room -= len(parsed[0].text)
            if self._room >= 0:
                path = native_path(root_prefix(bundle.real_root), rel)
                self._documents[path] = (size, mtime_ns, parsed[0])
                if (recognition := recognised(row)) is not None:
                    self._recognised[path] = recognition
        return row

    def _open(self, settings: bytes) -> None:
        workspace = Workspace.open(pickle.loads(settings))
        self._linter = Linter(workspace, self._parsed, self._recognition)
        gc.freeze()

    def _lint(self, number: int, files: Sequence[tuple[str, int, int]]) -> bytes:
        assert self._linter is not None
        bundle = self._bundles[number]
        walked = (WalkedFile(*file) for file in files)
        linted = [self._linter.lint(FileToCheck.of(bundle, file)) for file in walked]
        return packed(linted)

    def _parsed(self, file: FileToCheck) -> Document | None:
        """The parse of a file that is as it was when it was read; it is needed once."""
        size, mtime_ns, document = self._documents.pop(file.path, (-1, -1, None))
        return document if (size, mtime_ns) == (file.walked.size, file.walked.mtime_ns) else None

    def _recognition(self, file: FileToCheck) -> Recognition | None:
        """What a file that `_parsed` has given was recognised as."""
        return self._recognised.pop(file.path, None)


def recognised(row: tuple[Any, ...]) -> Recognition | None:
    """What the file of a row that `prepare` made is; ``None``: no asset, or its rows do not say."""
    entry = row[_ENTRY]
    if entry is None:
        return None
    concept_id, _, asset_type, name, *_ = entry[0]
    return Recognition(concept_id, asset_type, name)
