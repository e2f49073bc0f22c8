"""Running the rules over files of one workspace, as they are on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.reading import read_text
from akm_ls.bundles.walker import WalkedFile
from akm_ls.documents.document import Document, kind_of, parse
from akm_ls.index.rows import native_path, root_prefix
from akm_ls.lint.engine import lint
from akm_ls.lint.record import to_plain
from akm_ls.workspace.kept_findings import Kept, OneRun

if TYPE_CHECKING:
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


class Linter:
    """Runs the rules over the files of one workspace, one after the other.

    ``parsed`` gives the document of a file that was parsed before and has not changed since.
    """

    def __init__(
        self,
        workspace: Workspace,
        parsed: Callable[[FileToCheck], Document | None] = lambda file: None,
    ) -> None:
        self._workspace = workspace
        self._parsed = parsed
        self._around = OneRun(workspace.surroundings)
        self._known_settings: dict[str, LintSettings] = {}

    def lint(self, file: FileToCheck) -> Kept | None:
        """What the rules say of a file; ``None``: it is not to be read."""
        bundle, walked, path = file.bundle, file.walked, file.path
        document = self._document(file)
        if document is None:
            return None
        self._around.start()
        subject = self._workspace.subject(
            document, path, bundle, walked.rel, around=self._around, settings=self._settings(bundle)
        )
        plain = [to_plain(finding) for finding in lint(subject)]
        return Kept([walked.mtime_ns, walked.size], self._around.looked, plain)

    def _document(self, file: FileToCheck) -> Document | None:
        opened = self._workspace.documents.get(file.path)
        if opened is not None:
            return opened.document
        document = self._parsed(file)
        if document is None:
            text = read_text(file.bundle, file.walked.rel)
            document = None if text is None else parse(text, kind_of(file.path))
        return document

    def _settings(self, bundle: Bundle) -> LintSettings:
        settings = self._known_settings.get(bundle.id)
        if settings is None:
            workspace = self._workspace
            settings = workspace.bundle_settings.over(workspace.settings.lint, bundle)
            self._known_settings[bundle.id] = settings
        return settings
