"""Models that turn texts into vectors: over HTTP, or from files on this machine.

Nothing here knows assets or the index. numpy and httpx are imported when a model is used, never
before: a server without a model pays for neither.
"""

from akm_ls.embedders.choice import embedder_for, model_id
from akm_ls.embedders.embedder import (
    Document,
    Embedder,
    EmbeddingCancelled,
    EmbeddingError,
    Skip,
    Watch,
)
from akm_ls.embedders.settings import EmbeddingSettings

__all__ = [
    "Document",
    "Embedder",
    "EmbeddingCancelled",
    "EmbeddingError",
    "EmbeddingSettings",
    "Skip",
    "Watch",
    "embedder_for",
    "model_id",
]
