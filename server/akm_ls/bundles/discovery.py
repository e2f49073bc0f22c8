"""Which bundles there are, in which order, and under which ids: `resolve_bundles`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from akm_ls.bundles.adapters import FALLBACK, detect_adapter
from akm_ls.bundles.bundle import Bundle, BundleOrigin, BundleSet, is_usable, printable
from akm_ls.bundles.bundle_ids import BundleIds
from akm_ls.bundles.claims import (
    Claim,
    Declined,
    claim,
    climbed_claim,
    enclosing_claim,
    names_itself,
    nested_claim,
)
from akm_ls.bundles.config import AkmConfig, load_config
from akm_ls.bundles.configured import configured_roots
from akm_ls.bundles.directories import expand, home_directory
from akm_ls.bundles.host_search import (
    Enclosing,
    HostSearch,
    find_home_bundles,
    find_host_bundles,
)
from akm_ls.bundles.locators import is_within
from akm_ls.counts import count
from akm_ls.refs import is_bundle_slug


def resolve_bundles(
    *,
    overrides: Sequence[str] = (),
    overrides_from: str = "--bundle-dir",
    folders: Sequence[str] = (),
    config: str | None = None,
    env: Mapping[str, str] | None = None,
    force: Sequence[str] = (),
) -> BundleSet:
    """The bundles in force, in priority order.

    ``overrides`` are exactly the roots to use; nothing of the user's configuration is read then.
    ``overrides_from`` is the option or setting that names them.
    Otherwise akm's configuration comes first (``config`` names another ``config.json``), then
    what the opened ``folders`` hold. ``force`` lists folders that are bundles whatever is in
    them. Nothing on disk makes this raise: what cannot be used becomes a warning.
    """
    resolution = _Resolution(os.environ if env is None else env)
    if overrides:
        for path in overrides:
            resolution.add_override(path, overrides_from)
        return resolution.result()
    resolution.add_config(load_config(resolution.env, resolution.home, path=config))
    forced = {resolution.absolute(path) for path in force}
    for path in (*folders, *force):
        resolution.add_folder(path, forced=resolution.absolute(path) in forced)
    return resolution.result()


class _Resolution:
    """Gathers bundles in priority order."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.home = os.path.abspath(home_directory(env) or os.sep)
        self._real_home = os.path.realpath(self.home)
        self._ids = BundleIds()
        self._bundles: list[Bundle] = []
        self._by_real: dict[str, Bundle] = {}
        self._warnings: list[str] = []
        self._unusable: list[str] = []
        self._notes: list[str] = []
        self._watch: tuple[str, ...] = ()
        self._default: str | None = None

    def result(self) -> BundleSet:
        return BundleSet(
            bundles=tuple(self._bundles),
            default=self._default,
            warnings=tuple(dict.fromkeys(map(printable, self._warnings))),
            notes=tuple(dict.fromkeys(map(printable, self._notes))),
            watch=self._watch,
            unusable=tuple(dict.fromkeys(map(printable, self._unusable))),
        )

    def absolute(self, path: str) -> str:
        return expand(path, home=self.home, base=os.getcwd())

    def add_override(self, path: str, named_by: str) -> None:
        root = self._directory(path, named_by)
        if root is None:
            self._unusable.append(self._warnings[-1])
            return
        if os.path.realpath(root) in self._by_real:
            self._notes.append(f"{root}: named twice.")
            return
        adapter, why = _detect_or_fall_back(root)
        bundle = self._add(root, adapter, origin="override", configured=True)
        self._default = self._default or bundle.id
        self._notes.append(f'{root}: bundle "{bundle.id}", named explicitly; {why}.')

    def add_config(self, akm: AkmConfig) -> None:
        self._watch = (akm.path, akm.lock_path)
        self._warnings.extend(akm.warnings)
        if akm.unusable is not None:
            self._unusable.append(akm.unusable)
        state = "read" if akm.found else "not there" if not akm.warnings else "not usable"
        self._notes.append(f"Configuration {akm.path}: {state}.")
        configured = configured_roots(akm)
        self._warnings.extend(configured.warnings)
        self._notes.extend(configured.notes)
        self._ids = BundleIds(entry.key for entry in akm.entries if _is_legal(entry.key))
        for root in configured.roots:
            key = root.key if root.key is not None and _is_legal(root.key) else None
            adapter, why = root.adapter, f"{root.adapter} by configuration"
            if adapter is None:
                adapter, why = _detect_or_fall_back(root.root)
            bundle = self._add(
                root.root,
                adapter,
                key=key,
                origin=root.origin,
                configured=True,
                writable=root.writable,
                pinned=root.adapter is not None,
            )
            if root.real == configured.default:
                self._default = bundle.id
            if root.key is not None and key is None:
                self._warnings.append(
                    f"{akm.path}: bundles.{root.key}: not a legal bundle name; "
                    f'refs must call it "{bundle.id}".'
                )
            self._notes.append(f'{root.root}: bundle "{bundle.id}", configured; {why}.')

    def add_folder(self, path: str, *, forced: bool = False) -> None:
        folder = self._directory(path, "workspace folder")
        if folder is None:
            return
        real = os.path.realpath(folder)
        if is_within(self._real_home, real) and not forced:
            self._add_home(folder, real)
            return
        owner = self._owner(real)
        if owner is None:
            owner = self._claim_folder(folder, forced=forced)
        elif owner.real_root != real or not forced:
            where = "is" if owner.real_root == real else "lies in"
            self._notes.append(f'{folder}: {where} bundle "{owner.id}".')
        self._search(folder, owner)

    def _claim_folder(self, folder: str, *, forced: bool) -> Bundle | None:
        if forced:
            adapter, why = _detect_or_fall_back(folder)
            found: Claim | Declined = Claim(folder, adapter, "workspace", f"forced; {why}")
        else:
            found = self._best_claim(folder)
        if isinstance(found, Declined):
            self._notes.append(f"{folder}: not a bundle: {found.why}.")
            return None
        existing = self._by_real.get(os.path.realpath(found.root))
        if existing is not None:
            self._notes.append(f'{folder}: lies in bundle "{existing.id}".')
            return existing
        bundle = self._add(
            found.root, found.adapter, origin=found.origin, label=found.label, wish=found.wish
        )
        place = folder if found.root == folder else f"{folder}: lies in {found.root}"
        self._notes.append(f'{place}: bundle "{bundle.id}" ({bundle.adapter}): {found.why}.')
        return bundle

    def _best_claim(self, folder: str) -> Claim | Declined:
        own = claim(folder) if names_itself(folder) else None
        if isinstance(own, Claim):
            return own
        enclosing = enclosing_claim(folder, self.home)
        if enclosing is not None:
            return enclosing
        own = own or claim(folder)
        if isinstance(own, Claim):
            return own
        return climbed_claim(folder, self.home) or own

    def _search(self, folder: str, owner: Bundle | None) -> None:
        """Find what tools keep in a folder, apart from the bundle it is or lies in."""
        enclosing = None
        if owner is not None:
            root = owner.root if is_within(folder, owner.root) else owner.real_root
            enclosing = Enclosing(root, owner.adapter, owner.origin)
            folder = folder if is_within(folder, root) else os.path.realpath(folder)
        search = find_host_bundles(
            folder,
            enclosing=enclosing,
            taken=self._by_real.__contains__,
            only_hosts=owner is not None and owner.configured,
            nested=nested_claim,
        )
        self._add_found(search)
        if search.truncated:
            self._notes.append(
                f"{folder}: stopped looking for skills after "
                f"{count(search.directories, 'directory', 'directories')}; "
                "open a smaller folder to find the rest."
            )

    def _add_home(self, folder: str, real: str) -> None:
        self._notes.append(
            f"{folder}: a home directory or one above it is never a bundle; "
            "only tools' own directories in it are looked at."
        )
        if real == self._real_home:
            self._add_found(find_home_bundles(folder))

    def _add_found(self, search: HostSearch) -> None:
        self._notes.extend(search.notes)
        for found in search.found:
            if os.path.realpath(found.root) in self._by_real:
                continue
            bundle = self._add(
                found.root, found.adapter, origin=found.origin, label=found.label, wish=found.wish
            )
            self._notes.append(f'{found.root}: bundle "{bundle.id}": {found.why}.')

    def _owner(self, real: str) -> Bundle | None:
        inside = [bundle for root, bundle in self._by_real.items() if is_within(real, root)]
        return max(inside, key=lambda bundle: len(bundle.real_root), default=None)

    def _add(
        self,
        root: str,
        adapter: str,
        *,
        origin: BundleOrigin,
        configured: bool = False,
        writable: bool = True,
        key: str | None = None,
        pinned: bool = False,
        label: str = "",
        wish: str | None = None,
    ) -> Bundle:
        real = os.path.realpath(root)
        bundle = Bundle(
            id=key or self._ids.derive(root, wish),
            root=root,
            real_root=real,
            adapter=adapter,
            writable=writable,
            configured=configured,
            origin=origin,
            label=label,
            pinned=pinned,
            ignore_case=ignores_case(real),
        )
        self._bundles.append(bundle)
        self._by_real[real] = bundle
        return bundle

    def _directory(self, path: str, what: str) -> str | None:
        try:
            root = self.absolute(path)
            if os.path.isdir(root):
                os.path.realpath(root).encode("utf-8")
                return root
            if os.path.exists(root):
                self._warnings.append(f"{what}: not a directory: {root}.")
                return None
        except (OSError, ValueError):
            root = path
        self._warnings.append(f"{what}: no such directory: {root}.")
        return None


def _is_legal(key: str) -> bool:
    return is_bundle_slug(key) and is_usable(key)


def ignores_case(directory: str) -> bool:
    """Whether the file system under ``directory`` takes ``A`` and ``a`` for one name."""
    swapped = directory.swapcase()
    if swapped == directory:
        return os.name == "nt"
    try:
        return os.path.samefile(directory, swapped)
    except (OSError, ValueError):
        return False


def _detect_or_fall_back(root: str) -> tuple[str, str]:
    """The adapter of a directory that is a bundle by somebody's word, and why in words."""
    adapter = detect_adapter(root)
    if adapter is None:
        return FALLBACK, f"{FALLBACK}, since no format claims it"
    return adapter, f"{adapter} by its layout"
