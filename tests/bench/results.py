"""Measured values beside their budgets: a table for people, JSON for comparing."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from os import cpu_count
from typing import Any, Literal

Statistic = Literal["median", "p95"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value. ``budget`` is ``None`` for what is only told."""

    section: str
    what: str
    value: float
    unit: str
    budget: float | None
    statistic: Statistic
    samples: int

    @property
    def holds(self) -> bool:
        return self.budget is None or self.value <= self.budget


class Results:
    """The rows of a run. Samples of one row may come from several repetitions."""

    def __init__(self) -> None:
        self._samples: dict[tuple[str, str], list[float]] = {}
        self._rows: dict[tuple[str, str], tuple[str, float | None, Statistic]] = {}
        self.section = ""

    def add(
        self,
        what: str,
        samples: float | Sequence[float],
        unit: str = "ms",
        *,
        budget: float | None = None,
        of: Statistic = "median",
    ) -> None:
        """Add samples to the row ``what`` of the current section."""
        key = self.section, what
        given = [samples] if isinstance(samples, int | float) else list(samples)
        self._samples.setdefault(key, []).extend(given)
        self._rows[key] = unit, budget, of

    @property
    def rows(self) -> list[Row]:
        rows = []
        for key, (unit, budget, statistic) in self._rows.items():
            samples = self._samples[key]
            value = statistics.median(samples) if statistic == "median" else p95(samples)
            rows.append(Row(*key, round(value, 2), unit, budget, statistic, len(samples)))
        return rows

    def table(self, section: str) -> str:
        lines = []
        for row in self.rows:
            if row.section != section:
                continue
            what = f"{row.section}: {row.what}" + (", p95" if row.statistic == "p95" else "")
            value = f"{row.value:10.2f} {row.unit:2}"
            verdict = (
                "" if row.budget is None else f"{row.budget:8g}  {'ok' if row.holds else 'MISSED'}"
            )
            lines.append(f"{what:64} {value} {verdict}".rstrip())
        return "\n".join(lines)

    def to_json(self, assets: int) -> dict[str, Any]:
        return {
            "assets": assets,
            "machine": {
                "cpus": cpu_count(),
                "platform": platform.platform(),
                "python": platform.python_version(),
                "pygls": version("pygls"),
                "lsprotocol": version("lsprotocol"),
            },
            "rows": [
                {
                    "section": row.section,
                    "what": row.what,
                    "statistic": row.statistic,
                    "value": row.value,
                    "unit": row.unit,
                    "budget": row.budget,
                    "holds": row.holds,
                    "samples": row.samples,
                }
                for row in self.rows
            ],
        }


def p95(samples: Sequence[float]) -> float:
    return sorted(samples)[max(0, round(0.95 * len(samples)) - 1)] if samples else 0.0
