"""Uses added up by asset, so that a utility is a look-up and not a question to the file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from akm_ls.search.usage.utility import Sums, decayed, utility_of_sums, weight_of

_NONE = Sums(0.0, 0.0)


class UseRow(NamedTuple):
    """One use as it is stored; ``at`` in seconds since 1970."""

    id: int
    bundle: str
    concept_id: str
    kind: str
    at: float
    project: str
    searched: bool


class Tally:
    """What the uses of every asset come to, for one project; ``""``: every use is of it.

    All uses decay alike, so the sums of one moment serve every later one. One thread adds;
    others may look up meanwhile.
    """

    def __init__(self, project: str, now: float) -> None:
        self.project = project
        self._since = now
        self._sums: dict[tuple[str, str], Sums] = {}

    def __len__(self) -> int:
        return len(self._sums)

    def add(self, rows: Iterable[UseRow], now: float) -> None:
        for row in rows:
            # A clock that was ahead makes no use fresher than fresh.
            at = min(row.at, now)
            value = weight_of(row.kind, searched=row.searched) * decayed(self._since - at)
            key = (row.bundle, row.concept_id)
            here, anywhere = self._sums.get(key, _NONE)
            if not self.project or row.project == self.project:
                here += value
            self._sums[key] = Sums(here, anywhere + value)

    def utility(self, bundle: str, concept_id: str, now: float) -> float:
        """From 0 to 1."""
        sums = self._sums.get((bundle, concept_id))
        if sums is None:
            return 0.0
        left = decayed(max(0.0, now - self._since))
        return utility_of_sums(Sums(sums.here * left, sums.anywhere * left))
