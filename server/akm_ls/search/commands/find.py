"""Commands of the server and of the bundles, kept searchable while the bundles change."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from akm_ls.documents.redaction import redact
from akm_ls.index.store import Store, StoreError
from akm_ls.search.commands.document import ASSET_KINDS, EFFECTS, CommandDoc, Effect, document_of
from akm_ls.search.commands.index import (
    DEFAULT_LIMIT,
    RRF_K,
    CommandHit,
    CommandIndex,
    FindMode,
)
from akm_ls.search.commands.verbs import VERBS
from akm_ls.search.library import entry_of_stub
from akm_ls.search.ranking import BELIEF_CEILING
from akm_ls.search.request import RequestError, read_count
from akm_ls.search.result import SCHEMA_VERSION

if TYPE_CHECKING:
    import apsw

    from akm_ls.bundles.entry import Entry
    from akm_ls.embedders.embedder import Embedder
    from akm_ls.index.stub import Stub
    from akm_ls.search.library import Library

Scope = Literal["all", "verbs", "assets"]
SCOPES: tuple[Scope, ...] = ("all", "verbs", "assets")
MAX_LIMIT = 200
MAX_DESCRIPTION = 250
_FEW = 20
"""Changed assets that are looked up one by one; more are read in one go."""
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class FindRequest:
    """One search for commands. ``effects`` are those that may be found."""

    query: str = ""
    limit: int = DEFAULT_LIMIT
    scope: Scope = "all"
    effects: frozenset[Effect] = frozenset(EFFECTS)
    bundle: str | None = None
    kind: str | None = None

    @classmethod
    def from_params(cls, params: object) -> FindRequest:
        """A request from the ``akm/findCommand`` parameters; ``writable: false`` means: only read.

        Raises:
            RequestError: a value of the wrong kind; unknown keys are passed over.
        """
        if not isinstance(params, Mapping):
            raise RequestError("the parameters must be an object with a query")
        scope = params.get("scope") or "all"
        if scope not in SCOPES:
            raise RequestError(f"scope must be one of {', '.join(SCOPES)}")
        return cls(
            query=_text(params, "query") or "",
            limit=min(read_count(params, "limit", DEFAULT_LIMIT, least=None), MAX_LIMIT),
            scope=cast(Scope, scope),
            effects=_effects(params),
            bundle=_text(params, "bundle"),
            kind=_text(params, "kind"),
        )


@dataclass(frozen=True, slots=True)
class FoundCommands:
    """The answer: hits, best first, and what kept it from being better."""

    request: FindRequest
    mode: FindMode
    hits: tuple[CommandHit, ...]
    searched: int
    degraded: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """``score`` is the fused score on a scale to 1; ranks are 0-based."""
        best = (2 if self.mode == "hybrid" else 1) / (RRF_K + 1)
        return {
            "schemaVersion": SCHEMA_VERSION,
            "query": self.request.query,
            "mode": self.mode,
            "searched": self.searched,
            "degraded": list(self.degraded),
            "hits": [_hit(hit, best) for hit in self.hits],
        }


class CommandFinder:
    """Finds commands; kept by whoever asks often. May be used from several threads.

    The commands of bundles follow the catalog: of what changed since the last search only that
    is read again.

    Args:
        verbs: what the caller can do itself.
        embedder: see `CommandIndex`.
    """

    def __init__(
        self, verbs: Iterable[CommandDoc] = VERBS, *, embedder: Embedder | None = None
    ) -> None:
        self._index = CommandIndex(verbs, embedder=embedder)
        self._known: dict[str, Stub] = {}
        self._lock = threading.Lock()

    def find(self, library: Library, request: FindRequest) -> FoundCommands:
        """Answer one request. A blank query finds nothing; nothing here raises."""
        with self._lock:
            self._follow(library)
            index = self._index
            allowed = frozenset(key for key in index.keys if _allows(request, index.get(key)))
            mode, hits = index.ranked(request.query, limit=request.limit, allowed=allowed)
            return FoundCommands(request, mode, hits, len(allowed), index.degraded)

    def _follow(self, library: Library) -> None:
        """Take over what changed in the bundles."""
        now = {
            stub.ref: stub
            for stub in library.catalog.stubs(None)
            if stub.type in ASSET_KINDS
            and stub.quality != "proposed"
            and stub.belief_state not in BELIEF_CEILING
            and stub.mark("status") != "deprecated"
        }
        self._index.drop(ref for ref in self._known if ref not in now)
        changed = [stub for ref, stub in now.items() if self._known.get(ref) != stub]
        if changed:
            entries = _entries(library, changed)
            self._index.put(document_of(entry) for entry in entries)
        self._known = now


def _entries(library: Library, stubs: list[Stub]) -> list[Entry]:
    """The entries of some assets, in their order; what the catalog knows where there is none."""
    stored: dict[str, Entry] = {}
    store = library.store
    if store is not None:
        try:
            if len(stubs) <= _FEW:
                rows = [store.entry(stub.bundle, stub.concept_id) for stub in stubs]
                stored = {row.entry.ref: row.entry for row in rows if row is not None}
            else:
                stored = _all_entries(store)
        except StoreError:
            stored = {}
    found = []
    for stub in stubs:
        entry = stored.get(stub.ref)
        # A stub that is newer than its row is that of an open document.
        fits = entry is not None and entry.path == stub.path and entry.name == stub.name
        found.append(entry if fits and entry is not None else entry_of_stub(library.bundles, stub))
    return found


def _all_entries(store: Store) -> dict[str, Entry]:
    def read(connection: apsw.Connection) -> list[int]:
        kinds = ", ".join(f"'{kind}'" for kind in sorted(ASSET_KINDS))
        rows = connection.execute(f"SELECT id FROM entries WHERE type IN ({kinds}) ORDER BY id")
        return [row for (row,) in rows]

    ids = store.database.run(read)
    return {
        stored.entry.ref: stored.entry
        for start in range(0, len(ids), _CHUNK)
        for stored in store.entries(ids[start : start + _CHUNK])
    }


def _allows(request: FindRequest, doc: CommandDoc) -> bool:
    if request.scope != "all" and doc.is_verb != (request.scope == "verbs"):
        return False
    if request.bundle is not None and doc.bundle != request.bundle:
        return False
    if request.kind is not None and doc.kind != request.kind:
        return False
    return doc.effect in request.effects


def _hit(hit: CommandHit, best: float) -> dict[str, Any]:
    doc = hit.doc
    description = redact(" ".join(doc.description.split())).text
    answer: dict[str, Any] = {
        "key": doc.key,
        "title": redact(doc.title).text,
        "kind": doc.kind,
        "description": description[:MAX_DESCRIPTION],
        "rank": hit.rank,
        "score": round(hit.score / best, 6),
        "lexicalRank": hit.lexical_rank,
        "semanticRank": hit.semantic_rank,
        "effect": doc.effect,
        "confirm": doc.effect != "read",
        "arguments": dict(doc.arguments),
    }
    if doc.call:
        answer["call"] = dict(doc.call)
    if doc.cli is not None:
        answer["cli"] = doc.cli
    if doc.bundle is not None:
        answer |= {"ref": doc.key, "bundle": doc.bundle, "uri": doc.uri}
    return answer


def _text(params: Mapping[str, object], key: str) -> str | None:
    value = params.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise RequestError(f"{key} must be a string")


def _effects(params: Mapping[str, object]) -> frozenset[Effect]:
    wanted = params.get("effects")
    if wanted is None:
        wanted = list(EFFECTS)
    if not isinstance(wanted, list | tuple) or not all(item in EFFECTS for item in wanted):
        raise RequestError(f"effects must be a list of {', '.join(EFFECTS)}")
    writable = params.get("writable")
    if writable is not None and not isinstance(writable, bool):
        raise RequestError("writable must be true or false")
    if writable is False:
        wanted = [item for item in wanted if item == "read"]
    return frozenset(wanted)
