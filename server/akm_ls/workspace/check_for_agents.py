"""Findings for an agent: the gravest first, and no more of them than it can read."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from akm_ls.lint.finding import SEVERITIES, Severity, at_least
from akm_ls.search.request import RequestError
from akm_ls.search.result import SCHEMA_VERSION
from akm_ls.search.show import ShowError
from akm_ls.workspace.checking import NothingToCheck
from akm_ls.workspace.covering import cover
from akm_ls.workspace.finding_json import finding_json

if TYPE_CHECKING:
    from akm_ls.documents.text import PositionEncoding
    from akm_ls.lint.finding import Finding
    from akm_ls.workspace.checking import FileFindings
    from akm_ls.workspace.workspace import Workspace

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_PATHS = 200
MAX_FIXES = 3
SLICE = 0.008
"""Seconds of linting at a stretch; whatever else is asked comes in between."""
_ASKED = {"info": "information"}


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check. ``limit`` is held within 1 and 200.

    ``paths`` are files, directories or refs; none means every bundle. ``severity`` is the mildest
    to tell.
    """

    paths: tuple[str, ...] = ()
    severity: Severity = "warning"
    limit: int = DEFAULT_LIMIT

    @classmethod
    def from_params(cls, params: Mapping[str, object]) -> CheckRequest:
        """A request from the parameters of ``akm/check``.

        Raises:
            RequestError: a value of the wrong kind; unknown keys are passed over.
        """
        limit = params.get("limit")
        limit = DEFAULT_LIMIT if limit is None else limit
        if isinstance(limit, float) and limit.is_integer():
            limit = int(limit)
        if not isinstance(limit, int) or isinstance(limit, bool):
            raise RequestError("limit must be a whole number")
        return cls(
            paths=_paths(params.get("paths")),
            severity=_severity(params.get("severity")),
            limit=min(max(limit, 1), MAX_LIMIT),
        )


def _paths(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    # A model that has one path to check may well write it without the list.
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, Sequence) or not all(isinstance(path, str) for path in paths):
        raise RequestError("paths must be a list of files, directories or refs")
    if len(paths) > MAX_PATHS:
        raise RequestError(f"paths must be at most {MAX_PATHS}; a directory stands for its files")
    return tuple(path for path in map(str.strip, paths) if path)


def _severity(value: object) -> Severity:
    asked = "warning" if value is None else _ASKED.get(str(value), value)
    for severity in SEVERITIES:
        if severity == asked:
            return severity
    raise RequestError(f"severity must be one of {', '.join(SEVERITIES)}")


async def check_for_agents(
    workspace: Workspace,
    request: CheckRequest,
    *,
    encoding: PositionEncoding = "utf-16",
    cancelled: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int, str], None] = lambda *_: None,
) -> dict[str, Any]:
    """The shape of ``akm-ls check --format json``, with ``total`` beside what is shown.

    Runs on the event loop of the workspace, a little at a time. The summary counts everything;
    findings milder than asked for are only counted.

    Raises:
        RequestError: a path that is nothing, or lies in no bundle.
        ShowError: a ref that leads nowhere.
    """
    paths = [path for text in request.paths for path in _files_of(workspace, text)]
    try:
        running = workspace.check(paths, on_progress=on_progress, cancelled=cancelled, alone=True)
    except NothingToCheck as problem:
        raise RequestError(str(problem)) from None
    tally = _Tally(workspace, request, encoding)
    until = time.monotonic() + SLICE
    with contextlib.closing(running) as found_files:
        for found in found_files:
            tally.take(found)
            if time.monotonic() > until:
                await asyncio.sleep(0)
                until = time.monotonic() + SLICE
    return tally.to_json()


class _Tally:
    """What was found up to now."""

    def __init__(
        self, workspace: Workspace, request: CheckRequest, encoding: PositionEncoding
    ) -> None:
        self._workspace = workspace
        self._request = request
        self._encoding = encoding
        self._files = 0
        self._bundles: set[str] = set()
        self._counts: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
        self._fixable = 0
        self._total = 0
        self._shown: dict[str, list[dict[str, Any]]] = {severity: [] for severity in SEVERITIES}

    def take(self, found: FileFindings) -> None:
        self._files += 1
        self._bundles.add(found.bundle.id)
        for finding in found.findings:
            self._counts[finding.severity] += 1
            if not at_least(finding.severity, self._request.severity):
                continue
            self._total += 1
            self._fixable += finding.fixable
            shown = self._shown[finding.severity]
            if len(shown) < self._request.limit:
                shown.append(self._json(found, finding))

    def _json(self, found: FileFindings, finding: Finding) -> dict[str, Any]:
        display = self._workspace.display_path
        answer = finding_json(
            finding,
            rel=found.rel,
            path=display(found.path),
            bundle=found.bundle.id,
            lines=found.document.lines,
            encoding=self._encoding,
            shown=display,
        )
        stub = self._workspace.catalog.by_path(found.path)
        start = answer["range"]["start"]
        answer["fixes"] = [fix.title for fix in finding.fixes[:MAX_FIXES]]
        answer["ref"] = None if stub is None else stub.ref
        answer["at"] = f"{found.rel}:{start['line'] + 1}:{start['character'] + 1}"
        covered: dict[str, Any] = cover(answer)
        return covered

    def to_json(self) -> dict[str, Any]:
        workspace = self._workspace
        findings = [item for severity in SEVERITIES for item in self._shown[severity]]
        warnings = [*workspace.bundles.warnings, *workspace.settings_problems()]
        if workspace.complete_catalog is None:
            warnings.append("not every bundle could be read: refs were not checked")
        return {
            "schemaVersion": SCHEMA_VERSION,
            "findings": findings[: self._request.limit],
            "total": self._total,
            "severity": self._request.severity,
            "summary": {
                "files": self._files,
                "bundles": len(self._bundles),
                **self._counts,
                "fixable": self._fixable,
                "fixed": 0,
            },
            "warnings": warnings,
        }


def _files_of(workspace: Workspace, text: str) -> Iterator[str]:
    """The file or directory that ``text`` is, or those of the asset that it refers to."""
    path = _existing(workspace, text)
    if path is not None:
        yield path
        return
    if os.path.isabs(text) or text.startswith("."):
        raise RequestError(f"{text}: no such file or directory")
    try:
        entry = workspace.show(text).entry
    except ShowError as problem:
        if "//" in text or problem.suggestions:
            raise
        raise RequestError(f"{text}: no such file or directory, and no ref") from problem
    # A skill is its directory: what is wrong with it may be in any of its files.
    is_directory = entry.type == "skill" and os.path.basename(entry.path) == "SKILL.md"
    yield os.path.dirname(entry.path) if is_directory else entry.path


def _existing(workspace: Workspace, text: str) -> str | None:
    bases = (*workspace.settings.folders, *(b.root for b in workspace.bundles), os.getcwd())
    for base in bases:
        path = os.path.join(base, text)
        try:
            if os.path.lexists(path):
                return path
        except ValueError:
            return None
    return None
