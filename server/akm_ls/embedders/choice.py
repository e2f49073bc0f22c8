"""From settings to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.embedders.embedder import Embedder, EmbeddingError
from akm_ls.embedders.settings import EmbeddingSettings, shown_endpoint

if TYPE_CHECKING:
    from akm_ls.embedders.clock import Clock


def embedder_for(
    settings: EmbeddingSettings, *, offline: bool = False, clock: Clock | None = None
) -> Embedder | None:
    """The configured model; ``None`` when none is, or semantic search is off.

    Nothing is sent yet. ``offline`` allows what is on this machine, an endpoint there included.

    Raises:
        EmbeddingError: the model that is configured cannot be used.
    """
    kind = None if settings.mode == "off" else settings.kind
    if kind is None:
        return None
    if kind == "local":
        from akm_ls.embedders.static_model import open_static_model

        return open_static_model(settings.local_model)
    if offline and not settings.is_loopback:
        raise EmbeddingError(
            f"akm-ls is offline, and {shown_endpoint(settings.endpoint)} is on the network"
        )
    from akm_ls.embedders.remote import RemoteEmbedder

    return RemoteEmbedder(settings, clock=clock)
