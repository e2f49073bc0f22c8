"""The two request and answer formats: OpenAI's ``/v1/embeddings`` and Ollama's ``/api/embed``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from akm_ls.counts import count as counted
from akm_ls.embedders.embedder import EmbeddingError
from akm_ls.embedders.failures import Malformed
from akm_ls.embedders.settings import EmbeddingSettings, shown_endpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_DIMS = 65_536


def request_url(settings: EmbeddingSettings) -> str:
    """The address to post to; an endpoint may be a server, its API root or the full address.

    Raises:
        EmbeddingError: it is no http or https URL.
    """
    try:
        parts = urlsplit(settings.endpoint.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise EmbeddingError(
            "akm.embedding.endpoint is no http or https address:"
            f" {shown_endpoint(settings.endpoint)}"
        )
    path = parts.path.rstrip("/")
    if settings.kind == "ollama":
        for tail in ("/api/embeddings", "/api/embed", "/api", "/v1/embeddings", "/v1"):
            if path.endswith(tail):
                path = path[: -len(tail)]
                break
        path += "/api/embed"
    elif not path.endswith("/embeddings"):
        path = f"{path or '/v1'}/embeddings"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def request_body(settings: EmbeddingSettings, texts: Sequence[str]) -> bytes:
    """The JSON to post."""
    body: dict[str, Any] = {"model": settings.model, "input": list(texts)}
    if settings.dimension is not None:
        body["dimensions"] = settings.dimension
    if settings.kind != "ollama":
        body["encoding_format"] = "float"
    elif settings.context_length is not None:
        body["options"] = {"num_ctx": settings.context_length}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def vectors_in(answer: bytes, count: int) -> NDArray[np.float32]:
    """The vectors of an answer in the order of the request, as rows of length 1.

    Raises:
        Malformed: the answer has another form, another number of vectors, vectors of different
            lengths, or a number that is none.
    """
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        raise Malformed("the answer is not JSON, or was cut off") from None
    rows = _rows(value)
    if len(rows) != count:
        raise Malformed(f"{counted(len(rows), 'vector')} for {counted(count, 'text')}")
    return _normalised(rows)


def _rows(value: object) -> list[Any]:
    if not isinstance(value, Mapping):
        raise Malformed("the answer holds no embeddings")
    found = value.get("embeddings")
    if isinstance(found, list):
        return found
    data = value.get("data")
    if not isinstance(data, list) or not all(isinstance(item, Mapping) for item in data):
        raise Malformed("the answer holds no embeddings")
    places = [item.get("index", at) for at, item in enumerate(data)]
    if any(type(place) is not int for place in places):
        raise Malformed("the answer does not say which text a vector is of")
    if sorted(places) != list(range(len(data))):
        raise Malformed("the answer leaves out a text, or has one twice")
    ordered: list[Any] = [None] * len(data)
    for place, item in zip(places, data, strict=True):
        ordered[place] = item.get("embedding")
    return ordered


def _normalised(rows: list[Any]) -> NDArray[np.float32]:
    import numpy as np

    dims = {len(row) if isinstance(row, list) else 0 for row in rows}
    if len(dims) != 1 or not 0 < (width := dims.pop()) <= MAX_DIMS:
        raise Malformed("the vectors have different lengths or none")
    if not all(type(number) in (int, float) for row in rows for number in row):
        raise Malformed("a vector holds something that is no number")
    try:
        matrix = np.asarray(rows, dtype=np.float64).reshape(len(rows), width)
    except (TypeError, ValueError, OverflowError):
        raise Malformed("a vector holds something that is no number") from None
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt((matrix * matrix).sum(axis=1))
    # NaN compares false with everything.
    if not bool(np.all((lengths > 0) & np.isfinite(lengths))):
        raise Malformed("a vector is zero, or holds NaN or infinity")
    return np.asarray(matrix / lengths[:, None], dtype=np.float32)
