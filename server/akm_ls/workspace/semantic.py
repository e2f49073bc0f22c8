"""Semantic search of a workspace: which model, how far it is, and bringing it up to date.

A client's settings decide; where they name no model, akm's own configuration does. A key comes
from the environment or from the client, never from a configuration file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from akm_ls.bundles.config import load_config
from akm_ls.embedders import EmbeddingError, EmbeddingSettings, embedder_for, model_id
from akm_ls.embedders.model_files import WORDLLAMA
from akm_ls.embedders.settings import MAX_CONCURRENCY, MODES, PROVIDERS
from akm_ls.index.semantic_status import Readiness, noted_problem, readiness
from akm_ls.index.store import Store, StoreError
from akm_ls.index.vectors import count_embeddable, rows_by_model
from akm_ls.lint.settings import as_json

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet
    from akm_ls.index.embedding import EmbeddingReport, LineKind
    from akm_ls.workspace.settings import Settings

_COUNTS: Mapping[str, tuple[str, int, int]] = {
    "dimension": ("dimension", 1, 65_536),
    "max_input_tokens": ("maxInputTokens", 1, 1_000_000),
    "max_tokens": ("maxTokens", 1, 10_000_000),
    "batch_size": ("batchSize", 1, 10_000),
    "timeout_ms": ("timeoutMs", 1, 3_600_000),
    "concurrency": ("concurrency", 1, MAX_CONCURRENCY),
    "context_length": ("contextLength", 1, 100_000_000),
}
"""Fields of `EmbeddingSettings` that count something: their key, least and greatest value."""
_TEXTS = {"endpoint": "endpoint", "model": "model", "api_key_env": "apiKeyEnv"}
_SHOWN_CHARS = 80

Fault = tuple[str, str]
"""A setting's key and what is wrong with it."""


# Settings.


def read_embedding(
    get: Callable[[str], object],
    base: EmbeddingSettings,
    absolute: Callable[[str], str] = os.path.abspath,
) -> tuple[EmbeddingSettings, list[Fault]]:
    """The settings ``semantic.mode`` and ``embedding.*``, laid over ``base``.

    Args:
        get: a value by its dotted key below ``akm``; ``None`` where there is none.
        base: what stays where nothing is set, or something that cannot be used.
        absolute: makes an absolute path of a model folder.
    """
    reader = _Reader(get, base, absolute)
    values = {
        "mode": reader.choice("semantic.mode", "mode", MODES),
        "provider": reader.choice("embedding.provider", "provider", PROVIDERS),
        "local_model": reader.local_model(),
        "api_key": reader.secret(),
        **{name: reader.text(f"embedding.{key}", name) for name, key in _TEXTS.items()},
        **{name: reader.count(f"embedding.{it[0]}", name, *it[1:]) for name, it in _COUNTS.items()},
    }
    return replace(base, **values), reader.faults


class _Reader:
    def __init__(
        self,
        get: Callable[[str], object],
        base: EmbeddingSettings,
        absolute: Callable[[str], str],
    ) -> None:
        self._get = get
        self._base = base
        self._absolute = absolute
        self.faults: list[Fault] = []

    def choice(self, key: str, name: str, choices: tuple[str, ...]) -> Any:
        value = self._get(key)
        if value is None or value == "" or value in choices:
            return value or getattr(self._base, name)
        return self._reject(key, name, value, f"one of {', '.join(choices)}")

    def text(self, key: str, name: str) -> Any:
        value = self._get(key)
        if value is None or value == "":
            return getattr(self._base, name)
        if not isinstance(value, str) or not value.isprintable():
            return self._reject(key, name, value, "text on one line")
        return value.strip()

    def count(self, key: str, name: str, low: int, high: int) -> Any:
        value = self._get(key)
        if value is None:
            return getattr(self._base, name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            return self._reject(key, name, value, f"a whole number from {low} to {high}")
        return value

    def local_model(self) -> Any:
        value = self.text("embedding.localModel", "local_model")
        if value in ("", WORDLLAMA, self._base.local_model):
            return value
        return self._absolute(value)

    def secret(self) -> Any:
        """The key of the endpoint; what is wrong with it is told without it."""
        value = self._get("embedding.apiKey")
        if value is None or isinstance(value, str):
            return value or self._base.api_key
        self.faults.append(
            ("akm.embedding.apiKey", "akm.embedding.apiKey: the value is not text; ignored")
        )
        return self._base.api_key

    def _reject(self, key: str, name: str, value: object, wanted: str) -> Any:
        kept = getattr(self._base, name)
        stays = f"{as_json(kept)} stays" if kept not in ("", None) else "the default stays"
        text = f"akm.{key}: {as_json(value, _SHOWN_CHARS)} is not {wanted}; {stays}"
        self.faults.append((f"akm.{key}", text))
        return kept


def embedding_settings(settings: Settings) -> EmbeddingSettings:
    """What holds in a workspace: the client's settings, or those of akm's configuration.

    With ``bundle_dirs`` akm's configuration is only asked when it was named.
    """
    own = settings.embedding
    if own.mode == "off" or own.kind is not None:
        return own
    if settings.bundle_dirs and settings.config is None:
        return own
    return _of_akm(load_config(os.environ, path=settings.config).data, own)


def _of_akm(data: Mapping[str, Any], base: EmbeddingSettings) -> EmbeddingSettings:
    """akm's ``embedding`` section; it counts where ``semanticSearchMode`` is ``auto``.

    A local model of akm's is one it downloads by name: only one that is here can be used.
    """
    section = data.get("embedding")
    if not isinstance(section, Mapping):
        return base

    def get(key: str) -> object:
        name = key.removeprefix("embedding.")
        if name == key or name in ("apiKey", "apiKeyEnv", "provider"):
            return None
        value = section.get(name)
        if name == "localModel" and value != WORDLLAMA:
            return value if isinstance(value, str) and os.path.isdir(value) else None
        return value

    found, _ = read_embedding(get, base)
    if found.kind is not None and data.get("semanticSearchMode") != "auto":
        return replace(found, mode="off")
    return found


# State.


def semantic_readiness(settings: Settings, store: Store | None) -> Readiness:
    """How far semantic search is; loads no model and asks no endpoint."""
    embedding = embedding_settings(settings)
    if store is None:
        return _unusable("the index cannot be used")
    model, unusable = None, None
    try:
        model = model_id(embedding, offline=settings.offline)
    except EmbeddingError as error:
        unusable = str(error)
    try:
        keys = store.keys().values()
        rows = store.database.run(lambda connection: rows_by_model(connection, keys))
        embeddable = store.database.run(lambda connection: count_embeddable(connection, keys))
        problem = store.database.run(lambda connection: noted_problem(connection, model or ""))
    except StoreError as error:
        return _unusable(str(error))
    return readiness(
        model,
        rows,
        embeddable,
        is_off=embedding.mode == "off",
        unusable=unusable,
        problem=problem,
    )


def _unusable(reason: str) -> Readiness:
    return Readiness("blocked", None, 0, 0, reason)


def semantic_status(
    settings: Settings, store: Store | None, *, running: bool = False
) -> dict[str, Any]:
    """``semantic`` of ``akm/status`` (protocol.md); ``running``: what is missing is on its way."""
    found = semantic_readiness(settings, store)
    embedding = embedding_settings(settings)
    is_on = found.status != "off"
    name = embedding.local_model if embedding.kind == "local" else embedding.model
    return {
        "status": found.status,
        "provider": embedding.kind if is_on else None,
        "model": (name or None) if is_on else None,
        "fingerprint": found.model,
        "embedded": found.embedded,
        "missing": found.missing,
        "running": running and is_on,
        "reason": found.reason,
    }


# Work.


@dataclass(frozen=True, slots=True)
class EmbeddingOutcome:
    """What came of an attempt to embed; no ``report``: there was no model to do it with."""

    readiness: Readiness
    report: EmbeddingReport | None = None


def _say_nothing(kind: LineKind, text: str) -> None:
    return None


def _no_progress(done: int, total: int) -> None:
    return None


def _never() -> bool:
    return False


def embed_workspace(
    settings: Settings,
    store_path: str,
    bundles: BundleSet,
    *,
    reembed: bool = False,
    only: str | None = None,
    lazily: bool = False,
    on_line: Callable[[LineKind, str], None] = _say_nothing,
    on_progress: Callable[[int, int], None] = _no_progress,
    cancelled: Callable[[], bool] = _never,
) -> EmbeddingOutcome:
    """Give every asset that has none a vector of the configured model; see `run_embedding`.

    Runs in any thread without an event loop. Fails for nothing a model does.

    Args:
        lazily: load no model where nothing is missing.

    Raises:
        StoreError: the index file cannot be used.
    """
    if lazily and not reembed:
        with Store(store_path, bundles) as store:
            state = semantic_readiness(settings, store)
        if not state.missing:
            return EmbeddingOutcome(state)
    from akm_ls.index.embedding import run_embedding

    embedding = embedding_settings(settings)
    report = None
    try:
        embedder = embedder_for(embedding, offline=settings.offline)
    except EmbeddingError:
        embedder = None  # the state says why
    if embedder is not None:
        report = run_embedding(
            store_path,
            bundles,
            embedder,
            max_input_tokens=embedding.max_input_tokens,
            reembed=reembed,
            only=only,
            on_line=on_line,
            on_progress=on_progress,
            cancelled=cancelled,
        )
    with Store(store_path, bundles) as store:
        return EmbeddingOutcome(semantic_readiness(settings, store), report)
