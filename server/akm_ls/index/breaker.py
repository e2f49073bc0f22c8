"""When to stop asking a model that does not answer."""

from __future__ import annotations

from akm_ls.embedders.embedder import Skip

THRESHOLD = 3


class Breaker:
    """Opens after three losses in a row that speak against the endpoint itself (akm.md §9.6).

    There are two rows: losses of single documents to time or to the network, and losses of any
    size to the network. A batch that was too slow as a whole is no evidence, since it comes back
    in parts; an input that is too long shows that the endpoint lives.
    """

    def __init__(self) -> None:
        self._single = self._network = 0
        self._reason = ""
        self._is_open = False

    @property
    def is_open(self) -> bool:
        return self._is_open

    def message(self, stored: int) -> str:
        return (
            f"embedding provider failed {THRESHOLD} consecutive batches (last: {self._reason});"
            f" stopped after {stored} embeddings were stored — rerun akm index when the endpoint"
            " is healthy"
        )

    def succeeded(self) -> None:
        self._single = self._network = 0

    def failed(self, skip: Skip) -> None:
        if skip.kind == "context-window-exceeded":
            self.succeeded()
            return
        self._network += skip.kind == "network"
        self._single += skip.size == 1 and skip.kind in ("network", "timeout")
        self._reason = skip.reason
        self._is_open = self._is_open or max(self._single, self._network) >= THRESHOLD
