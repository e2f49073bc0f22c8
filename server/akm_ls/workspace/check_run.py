"""What bringing the index up to date leaves for the check right after it."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from akm_ls.bundles.sensitive import is_secret
from akm_ls.index.reader_process import WorkerDied
from akm_ls.index.workers import Crew

if TYPE_CHECKING:
    from akm_ls.bundles.walker import WalkedFile
    from akm_ls.workspace.settings import Settings

_PROGRAM = "akm_ls.workspace.crew_member"
CHECKED_ENDINGS = (".md", ".mdc", ".markdown", ".yml", ".yaml", ".env")


class CheckRun:
    """One `Workspace.refresh` and one `Workspace.check`, between which nothing is changed.

    Each file is listed and parsed once for both. ``crew`` are the processes that have parsed
    much; ``walked`` has the files of each bundle by its id, those to check among them.
    """

    def __init__(self) -> None:
        self.crew = Crew(_PROGRAM, stays=True)
        self.walked: Mapping[str, Sequence[WalkedFile]] = {}
        self.is_open = False

    def __enter__(self) -> CheckRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.crew.dismiss()

    def open(self, settings: Settings) -> None:
        """The index is whole: have the crew load the catalog while the run comes to its end."""
        told = pickle.dumps(settings)
        for member in self.crew.members:
            with contextlib.suppress(WorkerDied):  # whoever waits for the answer finds out
                member.ask("open", told)
        self.is_open = True


def may_be_checked(rel: str) -> bool:
    """Whether rules look at a file by its name; never at a secret, whatever its name."""
    return rel.lower().endswith(CHECKED_ENDINGS) and not is_secret(rel)
