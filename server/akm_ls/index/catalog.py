"""Every known asset, in memory: what completion, hover, definition and the rules ask.

Who cites an asset is not kept here: `store.Store.citations_of` answers that from the database's
own index, and open documents know their own citations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.index.delta import Claims, Delta, Key
from akm_ls.index.matching import Matcher, nearest, nearest_names
from akm_ls.index.stub import Stub
from akm_ls.refs import Ref

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet

Status = Literal["found", "unknown-bundle", "elsewhere", "missing", "missing-fragment"]

SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a ref leads.

    ``stub`` is the asset for ``found`` and ``missing-fragment``, and for ``elsewhere`` the asset
    of that id in another bundle than the one meant. ``fragment`` is the slug of the heading when
    one was asked for and found (machine selectors are passed through).
    ``suggestions`` are whole refs (``bundle//conceptId``), or slugs for ``missing-fragment``.
    """

    status: Status
    stub: Stub | None = None
    fragment: str | None = None
    suggestions: tuple[str, ...] = ()


class Catalog:
    """Stubs by ref and by path, with open buffers laid over the indexed ones.

    Not thread-safe, but `stubs` may be called from any thread: it iterates over a copy.
    """

    def __init__(self) -> None:
        self._rows: dict[Key, Stub] = {}
        self._row_at: dict[str, Key] = {}
        self._claims: dict[Key, tuple[str, ...]] = {}
        self._claimed_at: dict[str, Key] = {}
        self._overlays: dict[str, tuple[Stub, ...]] = {}
        self._overlay_keys: dict[Key, dict[str, Stub]] = {}
        self._visible: dict[Key, Stub] = {}
        self._at: dict[str, Stub] = {}
        self._concepts: dict[str, tuple[str, ...]] = {}
        self._expected: tuple[str, ...] = ()
        self._complete: set[str] = set()
        self._matcher: Matcher | None = None

    def __len__(self) -> int:
        return len(self._visible)

    # Filling.

    def expect(self, bundles: Iterable[str]) -> None:
        """Name the bundles there should be; `is_complete` is about these."""
        self._expected = tuple(bundles)
        self._complete &= set(self._expected)

    def load(self, stubs: Iterable[Stub], claims: Iterable[Claims] = ()) -> None:
        """Replace the indexed assets; overlays stay."""
        self._rows = {(stub.bundle, stub.concept_id): stub for stub in stubs}
        self._row_at = {stub.path: key for key, stub in self._rows.items()}
        self._claims, self._claimed_at = {}, {}
        for claim in claims:
            self._note_claim(claim)
        self._visible = dict(self._rows)
        self._at = {stub.path: stub for stub in self._visible.values()}
        self._concepts = {}
        for bundle, concept_id in self._visible:
            known = self._concepts.get(concept_id, ())
            self._concepts[concept_id] = (*known, bundle)
        self._matcher = None
        keys = [key for path in self._overlays if (key := self._row_at.get(path)) is not None]
        self._settle([*keys, *self._overlay_keys])

    def apply(self, delta: Delta) -> Delta:
        """Take over a delta of the index; the result is what changed for a reader."""
        touched: list[Key] = []
        for stub in delta.removed:
            key = (stub.bundle, stub.concept_id)
            row = self._rows.get(key)
            if row is not None and row.path == stub.path:
                del self._rows[key]
                self._row_at.pop(stub.path, None)
                touched.append(key)
        for stub in (*delta.added, *(new for _, new in delta.changed)):
            key = (stub.bundle, stub.concept_id)
            before = self._rows.get(key)
            if before is not None and before.path != stub.path:
                self._row_at.pop(before.path, None)
            stale = self._row_at.get(stub.path)
            if stale is not None and stale != key:
                # The file was another asset before and its removal comes in another delta.
                self._rows.pop(stale, None)
                touched.append(stale)
            self._rows[key] = stub
            self._row_at[stub.path] = key
            touched.append(key)
        claims = tuple(claim for claim in delta.claims if self._note_claim(claim))
        newly = tuple(bundle for bundle in delta.complete if bundle not in self._complete)
        was_complete = self.is_complete()
        for bundle in newly:
            self.mark_complete(bundle)
        changed = self._settle(touched)
        return Delta(
            changed.added,
            changed.changed,
            changed.removed,
            claims,
            newly if not was_complete and self.is_complete() else (),
            delta.deferred,
        )

    def clear_bundle(self, bundle: str) -> Delta:
        """Forget a bundle that is no longer open."""
        keys = [key for key in self._rows if key[0] == bundle]
        for key in keys:
            self._row_at.pop(self._rows.pop(key).path, None)
        self._complete.discard(bundle)
        return self._settle(keys)

    def mark_complete(self, bundle: str) -> None:
        if bundle in self._expected:
            self._complete.add(bundle)

    def is_complete(self, bundle: str | None = None) -> bool:
        """Whether a bundle (default: every bundle expected) has been read once to its end."""
        if bundle is not None:
            return bundle in self._complete
        return len(self._complete) == len(self._expected)

    def overlay(self, path: str, stubs: Sequence[Stub]) -> Delta:
        """Lay an open buffer over the file at ``path``; no stub: the buffer is no asset now."""
        touched = self._lift(path)
        self._overlays[path] = tuple(stubs)
        for stub in stubs:
            key = (stub.bundle, stub.concept_id)
            self._overlay_keys.setdefault(key, {})[path] = stub
            touched.append(key)
        return self._settle(touched)

    def drop_overlay(self, path: str) -> Delta:
        """The buffer was closed: the indexed state counts again."""
        return self._settle(self._lift(path))

    def _lift(self, path: str) -> list[Key]:
        touched = [(stub.bundle, stub.concept_id) for stub in self._overlays.pop(path, ())]
        for key in touched:
            over = self._overlay_keys[key]
            over.pop(path, None)
            if not over:
                del self._overlay_keys[key]
        row = self._row_at.get(path)
        return touched if row is None else [*touched, row]

    def _note_claim(self, claim: Claims) -> bool:
        key = (claim.bundle, claim.concept_id)
        before = self._claims.get(key, ())
        for path in before:
            if self._claimed_at.get(path) == key:
                del self._claimed_at[path]
        if len(claim.paths) > 1:
            self._claims[key] = claim.paths
            self._claimed_at.update(dict.fromkeys(claim.paths, key))
        else:
            self._claims.pop(key, None)
        return before != (claim.paths if len(claim.paths) > 1 else ())

    def _settle(self, keys: Iterable[Key]) -> Delta:
        """Bring what readers see in line with rows and overlays for some refs."""
        added: list[Stub] = []
        changed: list[tuple[Stub, Stub]] = []
        removed: list[Stub] = []
        for key in dict.fromkeys(keys):
            old, new = self._visible.get(key), self._holder(key)
            if old == new:
                continue
            if old is not None and self._at.get(old.path) is old:
                del self._at[old.path]
            if new is None:
                assert old is not None
                del self._visible[key]
                self._forget_concept(key)
                removed.append(old)
                continue
            self._visible[key] = new
            self._at[new.path] = new
            if old is None:
                bundle, concept_id = key
                self._concepts[concept_id] = (*self._concepts.get(concept_id, ()), bundle)
                added.append(new)
            else:
                changed.append((old, new))
        if added or removed or changed:
            self._matcher = None
        return Delta(tuple(added), tuple(changed), tuple(removed))

    def _holder(self, key: Key) -> Stub | None:
        """The stub that holds a ref: of several files the smallest path (akm.md §3.4)."""
        row = self._rows.get(key)
        over = self._overlay_keys.get(key)
        if over is None:
            return None if row is None or row.path in self._overlays else row
        stubs = list(over.values())
        if row is not None and row.path not in self._overlays:
            stubs.append(row)
        return min(stubs, key=lambda stub: stub.path)

    def _forget_concept(self, key: Key) -> None:
        bundle, concept_id = key
        left = tuple(other for other in self._concepts.get(concept_id, ()) if other != bundle)
        if left:
            self._concepts[concept_id] = left
        else:
            self._concepts.pop(concept_id, None)

    # Asking.

    def get(self, bundle: str, concept_id: str) -> Stub | None:
        return self._visible.get((bundle, concept_id))

    def by_path(self, path: str) -> Stub | None:
        return self._at.get(path)

    def by_concept(self, concept_id: str) -> tuple[Stub, ...]:
        """The assets of that id in every bundle, in the order of the expected bundles."""
        bundles = self._concepts.get(concept_id, ())
        if len(bundles) > 1:
            order = {bundle: rank for rank, bundle in enumerate(self._expected)}
            bundles = tuple(sorted(bundles, key=lambda bundle: order.get(bundle, len(order))))
        return tuple(self._visible[bundle, concept_id] for bundle in bundles)

    def stubs(self, bundle: str | None = None) -> Iterator[Stub]:
        visible = list(self._visible.values())
        return (stub for stub in visible if bundle is None or stub.bundle == bundle)

    def claimants(self, bundle: str, concept_id: str) -> tuple[str, ...]:
        """The files that claim a ref, the holder first (akm.md §3.4)."""
        key = (bundle, concept_id)
        row = self._rows.get(key)
        on_disk = self._claims.get(key) or ((row.path,) if row is not None else ())
        paths = {path for path in on_disk if path not in self._overlays}
        return tuple(sorted(paths | set(self._overlay_keys.get(key, ()))))

    def contested_by(self, path: str) -> str | None:
        """The concept id that the file at ``path`` and another file both claim, if any."""
        overlaid = self._overlays.get(path)
        if overlaid is not None:
            key = (overlaid[0].bundle, overlaid[0].concept_id) if overlaid else None
        else:
            key = self._claimed_at.get(path) or self._row_at.get(path)
        if key is None or len(self.claimants(*key)) < 2:
            return None
        return key[1]

    def find(self, bundle: str, concept_id: str) -> Stub | None:
        """The asset that a concept id means in a bundle, however its author spelled it.

        Besides the id itself akm takes the path of the file: ``knowledge/x.md``,
        ``skills/x/SKILL.md``, ``skills/x/references/y.md``, ``env/prod.env``.
        """
        for spelling in _spellings(concept_id):
            stub = self._visible.get((bundle, spelling))
            if stub is not None:
                return stub
        return None

    def resolve(self, ref: Ref, home: str | None, bundles: BundleSet) -> Resolution:
        """Where ``ref`` leads from a file of bundle ``home`` (``None``: from a command line)."""
        stub: Stub | None = None
        if ref.bundle is not None:
            if bundles.get(ref.bundle) is None:
                return Resolution("unknown-bundle", suggestions=self._other_bundles(ref, bundles))
            stub = self.find(ref.bundle, ref.concept_id)
            if stub is None:
                others = self.by_concept(ref.concept_id)
                if others:
                    refs = tuple(other.ref for other in others[:SUGGESTIONS])
                    return Resolution("elsewhere", others[0], suggestions=refs)
        else:
            order = dict.fromkeys((home, bundles.default, *(bundle.id for bundle in bundles)))
            for bundle in order:
                if bundle is not None and (stub := self.find(bundle, ref.concept_id)) is not None:
                    break
        if stub is None:
            return Resolution("missing", suggestions=self.suggest(ref, home))
        if ref.fragment is None:
            return Resolution("found", stub)
        slug = stub.fragment(ref.fragment)
        if slug is not None:
            return Resolution("found", stub, slug)
        names = [name for name, _ in stub.fragments()]
        return Resolution(
            "missing-fragment", stub, suggestions=nearest_names(ref.fragment, names, SUGGESTIONS)
        )

    def _other_bundles(self, ref: Ref, bundles: BundleSet) -> tuple[str, ...]:
        """What a ref into a bundle that does not exist may have meant."""
        same = tuple(stub.ref for stub in self.by_concept(ref.concept_id))
        if same:
            return same[:SUGGESTIONS]
        assert ref.bundle is not None
        return tuple(
            suggestion
            for bundle in nearest_names(ref.bundle, [bundle.id for bundle in bundles], 1)
            for suggestion in self.suggest(Ref(bundle, ref.concept_id), bundle, 1)
        )

    def suggest(self, ref: Ref, home: str | None, limit: int = SUGGESTIONS) -> tuple[str, ...]:
        """Existing refs (``bundle//conceptId``) that ``ref`` may have meant, likeliest first."""
        matcher = self._ready_matcher()
        found = nearest(ref.concept_id, matcher, prefer=ref.bundle or home, limit=limit)
        return tuple(stub.ref for stub in found)

    def candidates(
        self,
        query: str,
        *,
        bundle: str | None = None,
        limit: int = 100,
        types: frozenset[str] | None = None,
    ) -> tuple[list[Stub], bool]:
        """Assets whose concept id matches, best first, and whether these are all of them."""
        return self._ready_matcher().match(query, bundle, limit, types)

    def _ready_matcher(self) -> Matcher:
        if self._matcher is None:
            self._matcher = Matcher(self._visible.values())
        return self._matcher


def _spellings(concept_id: str) -> Iterator[str]:
    yield concept_id
    stem = concept_id.removesuffix(".md")
    if stem != concept_id:
        yield stem
    head, _, rest = concept_id.partition("/")
    if head == "skills":
        yield stem.removesuffix("/SKILL")
        yield f"knowledge/{stem}"
        yield f"scripts/{concept_id}"
    elif head == "env":
        if rest == ".env":
            yield "env/default"
        else:
            yield (
                concept_id.removesuffix("/.env") + "/default"
                if rest.endswith("/.env")
                else concept_id.removesuffix(".env")
            )
    elif head == "tasks":
        yield concept_id.removesuffix(".yml")
