"""Every known asset, in memory: what completion, hover, definition and the rules ask.

Who cites an asset is not kept here: `store.Store.citations_of` answers that from the database's
own index, and open documents know their own citations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from akm_ls.index.delta import Claims, Delta, Key
from akm_ls.index.matching import Matcher, nearest_names
from akm_ls.index.neighbours import Neighbours
from akm_ls.index.stub import Stub
from akm_ls.refs import Ref

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import BundleSet

Status = Literal["found", "unknown-bundle", "elsewhere", "missing", "missing-fragment"]

SUGGESTIONS = 3
MAX_SUGGESTED = 1_000
"""Answers to "did you mean" that are kept until an asset comes or goes."""

_NO_ASSETS: dict[str, Stub] = {}
_MACHINE_FRAGMENT = re.compile(r"akm-fragment-\d+-[0-9a-f]{12}\Z")
"""A selector that akm makes by itself; it names no heading and is never wrong here."""


class Resolution(NamedTuple):
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

    Rows are what the index has, overlays what open buffers say. What a reader sees of a ref is
    settled whenever one of both changes: the smallest path among the files that claim it holds
    it, and a file whose buffer is open claims what the buffer says.

    Not thread-safe, but `stubs` may be called from any thread: it iterates over a copy.
    """

    def __init__(self) -> None:
        self._rows: dict[Key, Stub] = {}
        self._row_at: dict[str, Key] = {}
        self._claims: dict[Key, tuple[str, ...]] = {}
        self._claimed_at: dict[str, Key] = {}
        self._overlays: dict[str, tuple[Stub, ...]] = {}
        self._overlay_keys: dict[Key, dict[str, Stub]] = {}
        self._visible: dict[str, dict[str, Stub]] = {}
        """By bundle, then by concept id: a lint of 20,000 files asks ten times as often."""
        self._at: dict[str, Stub] = {}
        self._expected: tuple[str, ...] = ()
        self._complete: set[str] = set()
        self._matcher: Matcher | None = None
        self._neighbours: Neighbours | None = None
        self._suggested: dict[tuple[str, str | None, int], tuple[str, ...]] = {}
        self.edition = 0
        """Grows with every change that a reader can see: what was made from the catalog is old."""
        self.generation = 0
        """The index's last write transaction that this catalog knows whole (`Store.changes`)."""

    def __len__(self) -> int:
        return sum(map(len, self._visible.values()))

    # Filling.

    def expect(self, bundles: Iterable[str]) -> None:
        """Name the bundles there should be; `is_complete` is about these."""
        self._expected = tuple(bundles)
        self._complete &= set(self._expected)

    def load(
        self, stubs: Iterable[Stub], claims: Iterable[Claims] = (), generation: int = 0
    ) -> None:
        """Replace the indexed assets; overlays stay. ``generation`` is the index's, if known."""
        self._rows = {(stub.bundle, stub.concept_id): stub for stub in stubs}
        self._row_at = {stub.path: key for key, stub in self._rows.items()}
        self._claims, self._claimed_at = {}, {}
        for claim in claims:
            self._note_claim(claim)
        self._visible = {}
        for (bundle, concept_id), stub in self._rows.items():
            self._visible.setdefault(bundle, {})[concept_id] = stub
        self._at = {stub.path: stub for stub in self._rows.values()}
        self._matcher = None
        self._neighbours = None
        self._suggested.clear()
        self.edition += 1
        self.generation = generation
        keys = [key for path in self._overlays if (key := self._row_at.get(path)) is not None]
        self._settle([*keys, *self._overlay_keys], {})

    def apply(self, delta: Delta) -> Delta:
        """Take over a delta of the index; the result is what changed for a reader."""
        present = [*delta.added, *(new for _, new in delta.changed)]
        paths = {stub.path for stub in present} | set(delta.gone)
        touched = dict.fromkeys(key for path in paths if (key := self._row_at.get(path)))
        touched |= dict.fromkeys(_key(stub) for stub in (*delta.removed, *present))
        touched |= dict.fromkeys((claim.bundle, claim.concept_id) for claim in delta.claims)
        before = self._contests(touched)
        for stub in delta.removed:
            row = self._rows.get(_key(stub))
            if row is not None and stub.path in ("", row.path):
                self._drop_row(_key(stub))
        for path in delta.gone:
            if (key := self._row_at.get(path)) is not None:
                self._drop_row(key)
        for stub in present:
            self._set_row(stub)
        for claim in delta.claims:
            self._note_claim(claim)
        newly = tuple(bundle for bundle in delta.complete if bundle not in self._complete)
        was_complete = self.is_complete()
        for bundle in newly:
            self.mark_complete(bundle)
        if delta.generation == self.generation + 1:
            self.generation += 1
        return replace(
            self._settle(touched, before),
            complete=newly if not was_complete and self.is_complete() else (),
            deferred=delta.deferred,
        )

    def clear_bundle(self, bundle: str) -> Delta:
        """Forget a bundle that is no longer open."""
        keys = [key for key in self._rows if key[0] == bundle]
        before = self._contests(keys)
        for key in keys:
            self._drop_row(key)
            self._note_claim(Claims(*key, ()))
        self._complete.discard(bundle)
        return self._settle(keys, before)

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
        touched = [*self._keys_at(path), *map(_key, stubs)]
        before = self._contests(touched)
        self._lift(path)
        self._overlays[path] = tuple(stubs)
        for stub in stubs:
            self._overlay_keys.setdefault(_key(stub), {})[path] = stub
        return self._settle(touched, before)

    def drop_overlay(self, path: str) -> Delta:
        """The buffer was closed: the indexed state counts again."""
        touched = self._keys_at(path)
        before = self._contests(touched)
        self._lift(path)
        return self._settle(touched, before)

    def _keys_at(self, path: str) -> list[Key]:
        """The refs that a file claims now, by its buffer or by the index."""
        keys = [_key(stub) for stub in self._overlays.get(path, ())]
        indexed = (self._row_at.get(path), self._claimed_at.get(path))
        return [*keys, *(key for key in indexed if key is not None)]

    def _lift(self, path: str) -> None:
        for stub in self._overlays.pop(path, ()):
            over = self._overlay_keys.get(_key(stub), {})
            over.pop(path, None)
            if not over:
                self._overlay_keys.pop(_key(stub), None)

    def _drop_row(self, key: Key) -> None:
        row = self._rows.pop(key, None)
        if row is not None and self._row_at.get(row.path) == key:
            del self._row_at[row.path]

    def _set_row(self, stub: Stub) -> None:
        key = _key(stub)
        before = self._rows.get(key)
        if before is not None and before.path != stub.path:
            self._drop_row(key)
        stale = self._row_at.get(stub.path)
        if stale is not None and stale != key:
            # The file was another asset before, and that one's removal comes in another delta.
            self._drop_row(stale)
        self._rows[key] = stub
        self._row_at[stub.path] = key

    def _note_claim(self, claim: Claims) -> None:
        key = (claim.bundle, claim.concept_id)
        for path in self._claims.pop(key, ()):
            if self._claimed_at.get(path) == key:
                del self._claimed_at[path]
        if len(claim.paths) > 1:
            self._claims[key] = claim.paths
            self._claimed_at.update(dict.fromkeys(claim.paths, key))

    def _contests(self, keys: Iterable[Key]) -> dict[Key, tuple[str, ...]]:
        """The files of each ref that several claim."""
        if not self._claims and not self._overlays:
            return {}
        contests = ((key, self.claimants(*key)) for key in keys)
        return {key: paths for key, paths in contests if len(paths) > 1}

    def _settle(self, keys: Iterable[Key], before: Mapping[Key, tuple[str, ...]]) -> Delta:
        """Bring what readers see in line with rows and overlays for some refs."""
        added: list[Stub] = []
        changed: list[tuple[Stub, Stub]] = []
        removed: list[Stub] = []
        keys = dict.fromkeys(keys)
        for key in keys:
            old, new = self.get(*key), self._holder(key)
            if old == new:
                continue
            if self._neighbours is not None:
                self._neighbours.change(old, new)
            if old is not None and self._at.get(old.path) is old:
                del self._at[old.path]
            if new is None:
                assert old is not None
                del self._visible[key[0]][key[1]]
                removed.append(old)
                continue
            self._visible.setdefault(key[0], {})[key[1]] = new
            if old is None:
                added.append(new)
            else:
                changed.append((old, new))
        for stub in (*added, *(new for _, new in changed)):
            self._at[stub.path] = stub
        self.edition += bool(added or changed or removed)
        if added or removed:
            self._suggested.clear()
        if self._matcher is not None and not all(self._matcher.add(_key(it)) for it in added):
            self._matcher = None
        after = self._contests(keys)
        claims = tuple(
            Claims(*key, after.get(key, ()))
            for key in keys
            if before.get(key, ()) != after.get(key, ())
        )
        return Delta(tuple(added), tuple(changed), tuple(removed), claims)

    def _holder(self, key: Key) -> Stub | None:
        """The stub that holds a ref: of several files the smallest path (akm.md §3.4)."""
        row = self._rows.get(key)
        over = self._overlay_keys.get(key)
        if row is not None and row.path in self._overlays:
            # Its buffer says what that file is now; another file may have waited for the ref.
            claims = self._claims.get(key, ())
            heir = next((path for path in claims if path not in self._overlays), None)
            row = Stub(*key, row.type, row.name, heir) if heir is not None else None
        if over is None:
            return row
        stubs = [*over.values()] if row is None else [*over.values(), row]
        return min(stubs, key=lambda stub: stub.path)

    # Asking.

    def get(self, bundle: str, concept_id: str) -> Stub | None:
        of_bundle = self._visible.get(bundle)
        return None if of_bundle is None else of_bundle.get(concept_id)

    def of_bundle(self, bundle: str) -> Mapping[str, Stub]:
        """The assets of one bundle by concept id, for many questions; they are not copied."""
        return self._visible.get(bundle, _NO_ASSETS)

    def _has(self, key: Key) -> bool:
        return self.get(*key) is not None

    def by_path(self, path: str) -> Stub | None:
        return self._at.get(path)

    def by_concept(self, concept_id: str) -> tuple[Stub, ...]:
        """The assets of that id in every bundle, in the order of the expected bundles."""
        bundles = dict.fromkeys((*self._expected, *self._visible))
        found = (self.get(bundle, concept_id) for bundle in bundles)
        return tuple(stub for stub in found if stub is not None)

    def stubs(self, bundle: str | None = None) -> Iterator[Stub]:
        return iter(self._all_of(bundle))

    def _all_of(self, bundle: str | None = None) -> list[Stub]:
        visible = self._visible
        of_bundles = list(visible.values()) if bundle is None else [visible.get(bundle, {})]
        found: list[Stub] = []
        for stubs in of_bundles:
            found += list(stubs.values())  # in one step, as somebody may change it meanwhile
        return found

    def claimants(self, bundle: str, concept_id: str) -> tuple[str, ...]:
        """The files that claim a ref, the holder first (akm.md §3.4)."""
        key = (bundle, concept_id)
        row = self._rows.get(key)
        on_disk = self._claims.get(key) or ((row.path,) if row is not None else ())
        paths = {path for path in on_disk if path not in self._overlays}
        return tuple(sorted(paths | set(self._overlay_keys.get(key, ()))))

    def contested_by(self, path: str) -> str | None:
        """The concept id that the file at ``path`` and another file both claim, if any."""
        if not self._claims and not self._overlay_keys:
            return None
        overlaid = self._overlays.get(path)
        if overlaid is not None:
            key = (overlaid[0].bundle, overlaid[0].concept_id) if overlaid else None
        else:
            key = self._claimed_at.get(path) or self._row_at.get(path)
        if key is None or (key not in self._claims and key not in self._overlay_keys):
            return None
        if len(self.claimants(*key)) < 2:
            return None
        return key[1]

    def find(self, bundle: str, concept_id: str) -> Stub | None:
        """The asset that a concept id means in a bundle, however its author spelled it.

        Besides the id itself akm takes the path of the file: ``knowledge/x.md``,
        ``skills/x/SKILL.md``, ``skills/x/references/y.md``, ``env/prod.env``.
        """
        stub = self.get(bundle, concept_id)
        if stub is not None:
            return stub
        for spelling in readings_of(concept_id):
            stub = self.get(bundle, spelling)
            if stub is not None:
                return stub
        return None

    def resolve(
        self, ref: Ref, home: str | None, bundles: BundleSet, *, suggest: bool = True
    ) -> Resolution:
        """Where ``ref`` leads from a file of bundle ``home`` (``None``: from a command line).

        Without ``suggest`` nothing is looked for in place of what is missing, which takes longer
        than all the rest.
        """
        # Most refs are spelled as the catalog spells them.
        own = home if ref.bundle is None else ref.bundle
        stub = None if own is None else self.get(own, ref.concept_id)
        if ref.bundle is not None:
            if bundles.get(ref.bundle) is None:
                near = self._other_bundles(ref, bundles) if suggest else ()
                return Resolution("unknown-bundle", suggestions=near)
            if stub is None:
                stub = self.find(ref.bundle, ref.concept_id)
            if stub is None:
                others = self.by_concept(ref.concept_id)
                if others:
                    refs = tuple(other.ref for other in others[:SUGGESTIONS])
                    return Resolution("elsewhere", others[0], suggestions=refs)
        elif stub is None:
            order = dict.fromkeys((home, bundles.default, *(bundle.id for bundle in bundles)))
            for bundle in order:
                if bundle is not None and (stub := self.find(bundle, ref.concept_id)) is not None:
                    break
        if stub is None:
            return Resolution("missing", suggestions=self.suggest(ref, home) if suggest else ())
        if ref.fragment is None:
            return Resolution("found", stub)
        slug = stub.fragment(ref.fragment)
        if slug is None and _MACHINE_FRAGMENT.match(ref.fragment):
            slug = ref.fragment
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
        # A document with many broken refs is linted again with every key.
        question = (ref.concept_id, ref.bundle or home, limit)
        answer = self._suggested.get(question)
        if answer is None:
            concept_id, prefer, _ = question
            found = self._ready_matcher().nearest(
                concept_id, prefer=prefer, limit=limit, passes=self._has
            )
            answer = tuple(f"{bundle}//{concept_id}" for bundle, concept_id in found)
            if len(self._suggested) >= MAX_SUGGESTED:
                self._suggested.clear()
            self._suggested[question] = answer
        return answer

    @property
    def neighbours(self) -> Neighbours:
        """Assets of one name or one description; made on the first question."""
        if self._neighbours is None:
            self._neighbours = Neighbours(self._all_of())
        return self._neighbours

    def candidates(
        self,
        query: str,
        *,
        bundle: str | None = None,
        limit: int = 100,
        types: frozenset[str] | None = None,
    ) -> tuple[list[Stub], bool]:
        """Assets whose concept id matches, best first, and whether these are all of them."""

        def passes(key: Key) -> bool:
            stub = self.get(*key)
            return (
                stub is not None
                and (bundle is None or stub.bundle == bundle)
                and (types is None or stub.type in types)
            )

        keys, complete = self._ready_matcher().match(query, limit, passes)
        return [self._visible[bundle][concept_id] for bundle, concept_id in keys], complete

    def _ready_matcher(self) -> Matcher:
        if self._matcher is None:
            self._matcher = Matcher(map(_key, self._all_of()))
        return self._matcher


def _key(stub: Stub) -> Key:
    return (stub.bundle, stub.concept_id)


def readings_of(concept_id: str) -> Iterator[str]:
    """The concept ids that a written one may stand for, the likeliest first; see `Catalog.find`."""
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
