"""A small stash in, the findings of one file out, through the same call that `check` makes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from akm_ls.lint.finding import Finding
from akm_ls.lint.fixes import apply_edits, safe_edits
from akm_ls.lint.settings import LintSettings
from akm_ls.workspace import Workspace
from akm_ls.workspace.settings import Settings

Stash = Mapping[str, str]


def write_stash(root: Path, files: Stash) -> Path:
    """Write files by POSIX path below ``root``, line ends as given."""
    for rel, text in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return root


def lint_stash(
    root: Path, files: Stash, *codes: str, lint: LintSettings | None = None
) -> dict[str, tuple[Finding, ...]]:
    """The findings of every file that has some, by POSIX path; of some rules, or of all."""
    bundle = write_stash(root / "team", files)
    settings = Settings(
        bundle_dirs=(str(bundle),),
        data_dir=str(root / "data"),
        config="",
        lint=lint or LintSettings(),
    )
    with Workspace.open(settings) as workspace:
        workspace.refresh()
        found = {
            checked.rel: tuple(f for f in checked.findings if not codes or f.code in codes)
            for checked in workspace.check()
        }
    return {rel: findings for rel, findings in found.items() if findings}


def marked(text: str, finding: Finding) -> str:
    """The text a finding stands under."""
    return finding.span.of(text)


def fixed(text: str, findings: tuple[Finding, ...]) -> str:
    """The text with all safe fixes applied."""
    return apply_edits(text, safe_edits(findings))
