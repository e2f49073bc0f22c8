"""From settings to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from akm_ls.embedders.embedder import Embedder, EmbeddingError
from akm_ls.embedders.protocols import request_url
from akm_ls.embedders.settings import EmbeddingSettings, Kind, shown_endpoint

if TYPE_CHECKING:
    from akm_ls.embedders.clock import Clock


def model_id(settings: EmbeddingSettings, *, offline: bool = False) -> str | None:
    """The fingerprint of the configured model without loading it; ``None``: there is none.

    Raises:
        EmbeddingError: the model that is configured cannot be used.
    """
    kind = _kind(settings, offline)
    if kind == "local":
        from akm_ls.embedders.static_model import static_model_id

        return static_model_id(settings.local_model)
    if kind is None:
        return None
    request_url(settings)
    return settings.remote_id


def embedder_for(
    settings: EmbeddingSettings, *, offline: bool = False, clock: Clock | None = None
) -> Embedder | None:
    """The configured model; ``None`` when none is, or semantic search is off.

    Nothing is sent yet. ``offline`` allows what is on this machine, an endpoint there included.

    Raises:
        EmbeddingError: the model that is configured cannot be used.
    """
    kind = _kind(settings, offline)
    if kind is None:
        return None
    if kind == "local":
        from akm_ls.embedders.static_model import open_static_model

        return open_static_model(settings.local_model)
    from akm_ls.embedders.remote import RemoteEmbedder

    return RemoteEmbedder(settings, clock=clock)


def _kind(settings: EmbeddingSettings, offline: bool) -> Kind | None:
    kind = None if settings.mode == "off" else settings.kind
    if offline and kind in ("openai", "ollama") and not settings.is_loopback:
        raise EmbeddingError(
            f"akm-ls is offline, and {shown_endpoint(settings.endpoint)} is on the network"
        )
    return kind
