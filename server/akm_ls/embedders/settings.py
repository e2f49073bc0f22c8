"""How a model is chosen and how it is talked to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Provider = Literal["auto", "openai", "ollama", "local"]
Kind = Literal["openai", "ollama", "local"]
Mode = Literal["auto", "off"]

PROVIDERS: tuple[Provider, ...] = ("auto", "openai", "ollama", "local")
MODES: tuple[Mode, ...] = ("auto", "off")
API_KEY_VARIABLE = "AKM_EMBED_API_KEY"
MAX_CONCURRENCY = 16
_LOOPBACK_NAMES = frozenset(("localhost", "ip6-localhost", "::1", "0:0:0:0:0:0:0:1"))
_OLLAMA_PORT = 11434


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The model and its limits. Token counts are estimates of four characters each.

    ``api_key`` is never shown, logged or stored. ``concurrency`` ``None`` means by endpoint: 1 on
    this machine, where a model server computes one answer at a time, and 2 elsewhere.
    ``context_length`` goes to Ollama as ``num_ctx`` and has no part in how requests are cut.
    """

    mode: Mode = "auto"
    provider: Provider = "auto"
    endpoint: str = ""
    model: str = ""
    dimension: int | None = None
    local_model: str = ""
    api_key: str = field(default="", repr=False)
    api_key_env: str = API_KEY_VARIABLE
    max_input_tokens: int = 512
    max_tokens: int = 6000
    batch_size: int = 100
    timeout_ms: int = 120_000
    concurrency: int | None = None
    context_length: int | None = None

    @property
    def kind(self) -> Kind | None:
        """Which protocol is spoken; ``None``: no model is configured."""
        if self.provider == "local" or (self.provider == "auto" and not self.endpoint):
            return "local" if self.local_model else None
        if not self.endpoint or not self.model:
            return None
        if self.provider != "auto":
            return self.provider
        parts = urlsplit(self.endpoint)
        path = parts.path.rstrip("/")
        if path.endswith(("/api/embed", "/api")):
            return "ollama"
        return "ollama" if _port(self.endpoint) == _OLLAMA_PORT and not path else "openai"

    @property
    def remote_id(self) -> str:
        """The fingerprint of a model behind an endpoint. The endpoint has no part in it."""
        return f"remote:{self.model}|{self.dimension or 'default'}"

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        return is_loopback(self.endpoint)

    @property
    def effective_concurrency(self) -> int:
        """How many requests are on their way at once."""
        if self.concurrency is not None:
            return max(1, min(self.concurrency, MAX_CONCURRENCY))
        return 1 if self.is_loopback else 2


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine, by its name alone."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    if host in _LOOPBACK_NAMES or host.endswith(".localhost"):
        return True
    numbers = host.split(".")
    return len(numbers) == 4 and numbers[0] == "127" and all(map(str.isdecimal, numbers))


def _port(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return None


def shown_endpoint(url: str) -> str:
    """An endpoint for people: without user name, password, query and fragment."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return "(not a URL)"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"
