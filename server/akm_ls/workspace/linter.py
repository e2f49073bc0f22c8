"""Running the rules over files of one workspace, as they are on disk."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.reading import read_text
from akm_ls.bundles.walker import WalkedFile
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.index.rows import native_path, root_prefix
from akm_ls.lint.engine import lint
from akm_ls.lint.record import to_plain
from akm_ls.lint.rule import Subject
from akm_ls.workspace.kept_findings import Kept, OneRun

if TYPE_CHECKING:
    from akm_ls.bundles.adapters.adapter import Recognition
    from akm_ls.lint.settings import LintSettings
    from akm_ls.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileToCheck:
    """A file of a bundle at its canonical path, as the walk saw it."""

    bundle: Bundle
    walked: WalkedFile
    path: str

    @classmethod
    def of(cls, bundle: Bundle, walked: WalkedFile) -> FileToCheck:
        return cls(bundle, walked, native_path(root_prefix(bundle.real_root), walked.rel))


class Linted(NamedTuple):
    """What the rules say of a file, and the text that they looked at if they say anything."""

    kept: Kept
    text: str | None


def packed(found: Sequence[Linted | None]) -> bytes:
    """What is said of some files, for another process; `unpacked` reads it."""
    return marshal.dumps([item and (*item.kept, item.text) for item in found])


def unpacked(data: bytes) -> list[Linted | None]:
    return [item and Linted(Kept(*item[:-1]), item[-1]) for item in marshal.loads(data)]


class Linter:
    """Runs the rules over the files of one workspace, one after the other.

    ``parsed`` gives the document of a file that was parsed before and has not changed since, and
    ``recognised`` what that file was taken for then, if it is known.
    """

    def __init__(
        self,
        workspace: Workspace,
        parsed: Callable[[FileToCheck], Document | None] = lambda file: None,
        recognised: Callable[[FileToCheck], Recognition | None] = lambda file: None,
    ) -> None:
        self._workspace = workspace
        self._parsed = parsed
        self._recognised = recognised
        self._around = OneRun(workspace.surroundings)
        self._known_settings: dict[str, LintSettings] = {}

    def lint(self, file: FileToCheck) -> Linted | None:
        """What the rules say of a file; ``None``: it is not to be read."""
        bundle, walked, path = file.bundle, file.walked, file.path
        opened = self._workspace.documents.get(path)
        document = self._parsed(file) if opened is None else opened.document
        recognition = None
        if document is None:
            text = read_text(bundle, walked.rel)
            document = None if text is None else parse(text, kind_of(path))
        elif opened is None:
            recognition = self._recognised(file)
        if document is None:
            return None
        self._around.start()
        subject = Subject(
            document,
            path,
            walked.rel,
            bundle,
            self._workspace.bundles,
            self._workspace.complete_catalog,
            self._settings(bundle),
            self._around,
            recognised=recognition,
        )
        plain = [to_plain(finding) for finding in lint(subject)]
        kept = Kept([walked.mtime_ns, walked.size], self._around.looked, plain)
        return Linted(kept, document.text if plain else None)

    def _settings(self, bundle: Bundle) -> LintSettings:
        settings = self._known_settings.get(bundle.id)
        if settings is None:
            workspace = self._workspace
            settings = workspace.bundle_settings.over(workspace.settings.lint, bundle)
            self._known_settings[bundle.id] = settings
        return settings
