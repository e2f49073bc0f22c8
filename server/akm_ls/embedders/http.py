"""One request to an embedding endpoint, and its answer or a failure of a known kind."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urljoin, urlsplit

from akm_ls.embedders.embedder import EmbeddingError
from akm_ls.embedders.failures import (
    Busy,
    ContextExceeded,
    HttpFailure,
    NetworkFailure,
    RequestTimeout,
    error_text,
    is_context_size,
    retry_after,
)
from akm_ls.embedders.protocols import request_body, request_url, vectors_in
from akm_ls.embedders.settings import EmbeddingSettings, shown_endpoint

if TYPE_CHECKING:
    import httpx
    import numpy as np
    from numpy.typing import NDArray

MAX_ANSWER_BYTES = 128 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
MAX_REDIRECTS = 3
_SAME_METHOD = (307, 308)
_OTHER_METHOD = (301, 302, 303)
_HOPELESS = (401, 403, 404, 405)


class Transport(Protocol):
    """Sends one request at a time or several; what it raises is a `RequestFailure`, or an
    `EmbeddingError` where asking again is of no use."""

    async def request(self, texts: Sequence[str], timeout: float) -> NDArray[np.float32]:
        """The vectors of some texts, within ``timeout`` seconds."""

    async def close(self) -> None: ...


class HttpTransport:
    """Speaks to the endpoint of the settings, with the key from them or from the environment.

    The key goes to the host of the endpoint and nowhere else, and neither do the texts: a
    redirect to another host is an error that names it.
    """

    def __init__(
        self, settings: EmbeddingSettings, environment: Mapping[str, str] | None = None
    ) -> None:
        """
        Raises:
            EmbeddingError: the endpoint is no http or https URL, or the key cannot be a header.
        """
        self._settings = settings
        self._url = request_url(settings)
        where = os.environ if environment is None else environment
        self._key = (settings.api_key or where.get(settings.api_key_env, "")).strip()
        if not self._key.isascii() or not (self._key + "x").isprintable():
            raise EmbeddingError("the API key of the embedding model holds a character no key has")
        self._client: httpx.AsyncClient | None = None

    async def request(self, texts: Sequence[str], timeout: float) -> NDArray[np.float32]:
        import httpx

        try:
            answer = await asyncio.wait_for(self._post(texts, timeout), timeout)
        except (asyncio.TimeoutError, httpx.TimeoutException):
            raise RequestTimeout(f"no answer within {timeout:g} s") from None
        except httpx.HTTPError as problem:
            # Only the kind of error: its text may hold the address with a key in it.
            reason = _NETWORK_REASONS.get(type(problem).__name__, "the connection failed")
            raise NetworkFailure(f"{reason} ({shown_endpoint(self._url)})") from None
        except (httpx.InvalidURL, UnicodeError):
            raise EmbeddingError("akm.embedding.endpoint is not a usable address") from None
        return vectors_in(answer, len(texts))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _open(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            # It logs every address it asks, and what stands there of a key.
            for name in ("httpx", "httpcore"):
                logging.getLogger(name).setLevel(logging.WARNING)
            # A proxy of the environment must not stand between this machine and itself. A kept
            # connection that the endpoint has closed meanwhile would look like an endpoint down.
            self._client = httpx.AsyncClient(
                follow_redirects=False,
                trust_env=not self._settings.is_loopback,
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        return self._client

    async def _post(self, texts: Sequence[str], timeout: float) -> bytes:
        client, url = self._open(), self._url
        body = request_body(self._settings, texts)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        for _ in range(MAX_REDIRECTS + 1):
            async with client.stream(
                "POST", url, content=body, headers=headers, timeout=timeout
            ) as answer:
                if answer.status_code in _SAME_METHOD + _OTHER_METHOD:
                    url = self._redirected(url, answer)
                    continue
                if answer.status_code != 200:
                    raise self._failure(answer, await _head(answer, MAX_ERROR_BYTES))
                return await _whole(answer)
        raise EmbeddingError("the embedding endpoint redirects in circles")

    def _redirected(self, url: str, answer: httpx.Response) -> str:
        target = urljoin(url, str(answer.headers.get("location", "")))
        shown = shown_endpoint(target)
        if not _is_same_host(url, target):
            raise EmbeddingError(
                f"the embedding endpoint redirects to another host, {shown}; if that is right,"
                " set akm.embedding.endpoint to it"
            )
        if answer.status_code not in _SAME_METHOD:
            raise EmbeddingError(f"the embedding endpoint has moved to {shown}")
        return target

    def _failure(self, answer: httpx.Response, body: str) -> Exception:
        status = answer.status_code
        said = error_text(status, body, self._key)
        if is_context_size(status, body):
            return ContextExceeded(said)
        after = retry_after(answer.headers.get("retry-after"), time.time())
        if status == 429 or (status == 503 and after is not None):
            return Busy(said, after)
        if status in _HOPELESS:
            return EmbeddingError(_hopeless(status, said, self._settings, bool(self._key)))
        return HttpFailure(said)


_NETWORK_REASONS = {
    "ConnectError": "no connection",
    "ReadError": "the connection broke",
    "WriteError": "the connection broke",
    "RemoteProtocolError": "the answer was cut off or is no HTTP",
    "LocalProtocolError": "the request could not be sent",
    "ProxyError": "the proxy gave no connection",
    "UnsupportedProtocol": "the proxy's address is not usable",
    "DecodingError": "the answer could not be decompressed",
}


def _hopeless(status: int, said: str, settings: EmbeddingSettings, has_key: bool) -> str:
    where = shown_endpoint(settings.endpoint)
    if status in (401, 403):
        key = "refuses the API key" if has_key else "wants an API key"
        return f"{where} {key} ({said}): set {settings.api_key_env} or akm.embedding.apiKey"
    return f"{where} has no model {settings.model} or no embeddings there ({said})"


def _is_same_host(url: str, target: str) -> bool:
    """The same host and port, or the same host moving from http to https."""
    try:
        old, new = urlsplit(url), urlsplit(target)
        ports = (old.port, new.port)
    except ValueError:
        return False
    if old.hostname != new.hostname or new.username not in (None, old.username):
        return False
    if (old.scheme, ports[0]) == (new.scheme, ports[1]):
        return True
    default = {"http": 80, "https": 443}
    return (
        (old.scheme, new.scheme) == ("http", "https")
        and ports[0] in (None, default["http"])
        and ports[1] in (None, default["https"])
    )


async def _head(answer: httpx.Response, limit: int) -> str:
    """The beginning of an error's body; one that breaks off is taken as far as it came."""
    import httpx

    found = bytearray()
    try:
        async for piece in answer.aiter_bytes():
            found += piece
            if len(found) >= limit:
                break
    except (httpx.StreamError, httpx.HTTPError):
        pass
    return bytes(found[:limit]).decode("utf-8", "replace")


async def _whole(answer: httpx.Response) -> bytes:
    found = bytearray()
    async for piece in answer.aiter_bytes():
        found += piece
        if len(found) > MAX_ANSWER_BYTES:
            raise HttpFailure(f"the answer is larger than {MAX_ANSWER_BYTES // 1024**2} MiB")
    return bytes(found)
