"""From a file to an entry: open, decode, parse, recognise, build.

Runs in worker processes as well as in the server: it imports nothing heavy, and what it returns
can be pickled.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from akm_ls.bundles.adapters import adapter_of
from akm_ls.bundles.adapters.layout import is_unreadable
from akm_ls.bundles.citations import citations_of, may_cite
from akm_ls.bundles.contributions import SETUP_FILES
from akm_ls.bundles.metadata import PackageInfo, build_entry
from akm_ls.bundles.sensitive import SECRET_SIZE_LIMIT, is_secret, is_sensitive
from akm_ls.documents.document import Kind, kind_of, parse
from akm_ls.documents.env_keys import EnvKey, read_env_keys
from akm_ls.documents.text import decode

if TYPE_CHECKING:
    from akm_ls.bundles.adapters.adapter import Adapter
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.bundles.entry import Citation, Entry
    from akm_ls.documents.document import Document

MAX_FILE_BYTES = 10 * 1024 * 1024
"""Files larger than this are not read (akm.md §2.3 speaks of a configurable maximum)."""
_MAX_PACKAGE_BYTES = 1024 * 1024
_MAX_PACKAGES_KEPT = 1024

# Never wait for a pipe to be opened at its other end, and notice a symlink.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What reading one file gave.

    ``entry`` is None when the file is no asset or could not be read; ``warning`` says why in the
    second case. ``content_hash`` is ``sha256:<hex>`` of the bytes whenever they were read; of an
    env file only of its variables' names, so that nothing in the index is made from a value.
    ``citations`` are those of a file that is no asset; an asset's are in its entry. ``document``
    is the parse of a file that was read whole; an env file has none.
    """

    entry: Entry | None = None
    warning: str | None = None
    content_hash: str = ""
    citations: tuple[Citation, ...] = ()
    document: Document | None = field(default=None, compare=False, repr=False)


_UNWANTED = ReadResult()
"""For a file that its format does not look at."""


class _Unreadable(Exception):
    """A file whose content is not to be had; the message says why."""


def read_entry(
    bundle: Bundle, rel: str, size: int, mtime_ns: int, *, walked: bool = False
) -> ReadResult:
    """Read the asset at ``rel``; ``size`` and ``mtime_ns`` are what the walk saw.

    ``walked``: it is part of the same run, and has made sure that nothing marks the file.

    Problems with the file (gone, not permitted, too large, a directory) become a warning, never
    an exception.
    """
    adapter = adapter_of(bundle)
    decided = _decided_by_path(bundle, rel, adapter, size, mtime_ns, walked=walked)
    if decided is not None and (decided is not _UNWANTED or not may_cite(adapter, rel)):
        return decided
    path = _path(bundle, rel)
    try:
        data = _read(path, bundle.real_root)
    except _Unreadable as problem:
        return ReadResult(warning=f"Skipped {rel}: {problem}")
    kind = _kind(rel)
    if kind == "env":
        return _env(bundle, rel, path, adapter, read_env_keys(data), size, mtime_ns)
    content_hash = "sha256:" + hashlib.sha256(data).hexdigest()
    document = parse(decode(data).text, kind)
    if decided is None:
        result = _text(bundle, rel, path, adapter, document, content_hash, size, mtime_ns)
        if result.entry is not None:
            return result
    citations = citations_of(document, bundle.adapter, rel)
    return ReadResult(content_hash=content_hash, citations=citations, document=document)


def read_text(bundle: Bundle, rel: str) -> str | None:
    """The text of a file of a bundle; ``None``: gone, too large, unreadable, or a secret.

    An env file's text has its values in it: take the names (`read_env_keys`) and drop it.
    """
    if is_secret(rel) or _is_marked(bundle, rel):
        return None
    try:
        return decode(_read(_path(bundle, rel), bundle.real_root)).text
    except _Unreadable:
        return None


def read_problem(bundle: Bundle, rel: str) -> str | None:
    """Why `read_text` has no text of a file, in words; ``None`` when it has.

    A secret is not looked at, only named as one.
    """
    if is_secret(rel):
        return "a secret, which is never opened"
    if _is_marked(bundle, rel):
        return "marked as sensitive, so never opened"
    try:
        _read(_path(bundle, rel), bundle.real_root)
    except _Unreadable as problem:
        return str(problem)
    return None


def entry_from_text(
    bundle: Bundle,
    rel: str,
    text: str,
    size: int = 0,
    mtime_ns: int = 0,
    *,
    document: Document | None = None,
) -> Entry | None:
    """The entry an open buffer would give if it were saved; ``None`` when it is no asset.

    ``document`` is the parse of ``text``, when the caller has one. Without ``size`` it is the
    length of ``text`` in UTF-8 bytes.
    """
    adapter = adapter_of(bundle)
    decided = _decided_by_path(bundle, rel, adapter, size, mtime_ns)
    if decided is not None:
        return decided.entry
    path = _path(bundle, rel)
    kind = _kind(rel)
    data = text.encode("utf-8", "surrogatepass")
    size = size or len(data)
    if kind == "env":
        return _env(bundle, rel, path, adapter, read_env_keys(text), size, mtime_ns).entry
    content_hash = "sha256:" + hashlib.sha256(data).hexdigest()
    if document is None or document.kind != kind:
        document = parse(text, kind)
    return _text(bundle, rel, path, adapter, document, content_hash, size, mtime_ns).entry


def _decided_by_path(
    bundle: Bundle, rel: str, adapter: Adapter, size: int, mtime_ns: int, *, walked: bool = False
) -> ReadResult | None:
    """The result for a file that may not be opened or is no asset; ``None``: read it."""
    if not adapter.wants(rel):
        return _UNWANTED
    secret = is_secret(rel)
    if not walked and _is_marked(bundle, rel):
        return ReadResult()
    if adapter.reads(rel):
        return None
    recognition = adapter.recognise(rel, None)
    if recognition is None or (secret and size > SECRET_SIZE_LIMIT):
        return ReadResult()
    # Of a secret not even the size is kept.
    entry = build_entry(
        bundle,
        rel,
        _path(bundle, rel),
        recognition,
        None,
        size=0 if secret else size,
        mtime_ns=mtime_ns,
    )
    return ReadResult(entry)


def _text(
    bundle: Bundle,
    rel: str,
    path: str,
    adapter: Adapter,
    document: Document,
    content_hash: str,
    size: int,
    mtime_ns: int,
) -> ReadResult:
    recognition = adapter.recognise(rel, document)
    if recognition is None:
        return ReadResult(content_hash=content_hash)
    # With its separator at the end.
    directory = path[: len(path) - len(rel.rpartition("/")[2])]
    entry = build_entry(
        bundle,
        rel,
        path,
        recognition,
        document,
        package=_package(directory),
        setup_file=_setup_file(directory) if recognition.type == "script" else "",
        content_hash=content_hash,
        size=size,
        mtime_ns=mtime_ns,
    )
    return ReadResult(entry, None, content_hash, document=document)


def _env(
    bundle: Bundle,
    rel: str,
    path: str,
    adapter: Adapter,
    found: tuple[EnvKey, ...],
    size: int,
    mtime_ns: int,
) -> ReadResult:
    keys = tuple(dict.fromkeys(key.name for key in found))
    content_hash = "sha256:" + hashlib.sha256("\n".join(keys).encode()).hexdigest()
    recognition = adapter.recognise(rel, None)
    if recognition is None:
        return ReadResult()
    entry = build_entry(
        bundle,
        rel,
        path,
        recognition,
        None,
        keys=keys,
        content_hash=content_hash,
        size=size,
        mtime_ns=mtime_ns,
    )
    return ReadResult(entry, None, content_hash)


def _setup_file(directory: str) -> str:
    exists = os.path.exists
    return next((name for name in SETUP_FILES if exists(os.path.join(directory, name))), "")


def _path(bundle: Bundle, rel: str) -> str:
    if os.sep != "/":
        rel = rel.replace("/", os.sep)
    root = bundle.real_root
    return root + rel if root.endswith(os.sep) else root + os.sep + rel


def _kind(rel: str) -> Kind:
    kind = kind_of(rel)
    # An upper-case extension is the same kind of file; whatever ends in `.env` has values.
    return "env" if rel.endswith(".env") else kind


def _is_marked(bundle: Bundle, rel: str) -> bool:
    return is_sensitive(rel, lambda sibling: os.path.lexists(_path(bundle, sibling)))


def _read(path: str, real_root: str) -> bytes:
    """The file's bytes.

    Raises:
        _Unreadable: with a reason in words; the path is not in it.
    """
    try:
        descriptor = _open(path, real_root)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise _Unreadable("not a regular file")
            if status.st_size > MAX_FILE_BYTES:
                raise _Unreadable(
                    f"{status.st_size:,} bytes, more than the {MAX_FILE_BYTES:,} that are read"
                )
            data = os.read(descriptor, status.st_size + 1)
            if len(data) == status.st_size:
                return data
            # It grew meanwhile, or the system read less than it was asked for.
            chunks = [data]
            total = len(data)
            while chunks[-1] and total <= MAX_FILE_BYTES:
                chunks.append(os.read(descriptor, MAX_FILE_BYTES))
                total += len(chunks[-1])
            return b"".join(chunks)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise _Unreadable(problem.strerror or type(problem).__name__) from None
    except ValueError:
        raise _Unreadable("its name holds a null byte") from None


def _open(path: str, real_root: str) -> int:
    try:
        return os.open(path, _OPEN_FLAGS)
    except OSError as problem:
        if problem.errno not in (errno.ELOOP, errno.EMLINK) or not os.path.islink(path):
            raise
    target = os.path.realpath(path)
    if not target.startswith(os.path.join(real_root, "")):
        raise _Unreadable("a symbolic link that leaves its bundle")
    rel = os.path.relpath(target, real_root).replace(os.sep, "/")
    if is_secret(rel):
        raise _Unreadable("a symbolic link to a secret")
    if is_sensitive(rel, lambda sibling: os.path.lexists(os.path.join(real_root, sibling))):
        raise _Unreadable("a symbolic link to what is marked as sensitive")
    if is_unreadable(rel) and _kind(path) != "env":
        # Under its own name only the names of its variables would be read.
        raise _Unreadable("a symbolic link to an env file")
    return os.open(target, _OPEN_FLAGS)


_packages: dict[str, tuple[tuple[int, int], PackageInfo | None]] = {}


def _package(directory: str) -> PackageInfo | None:
    """What the ``package.json`` in ``directory`` says; read again when its stat changes.

    ``directory`` ends with a separator.
    """
    path = f"{directory}package.json"
    try:
        # Few directories have one: an exception for each file would take as long as the question.
        if not os.access(path, os.F_OK):
            return None
        status = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_PACKAGE_BYTES:
        return None
    version = (status.st_mtime_ns, status.st_size)
    known = _packages.get(path)
    if known is None or known[0] != version:
        if len(_packages) >= _MAX_PACKAGES_KEPT:
            _packages.clear()
        known = _packages[path] = (version, _read_package(path, directory))
    return known[1]


def _read_package(path: str, directory: str) -> PackageInfo | None:
    try:
        parsed = json.loads(decode(_read(path, directory)).text)
    except (_Unreadable, ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    description = parsed.get("description")
    keywords = parsed.get("keywords")
    return PackageInfo(
        description.strip() if isinstance(description, str) else "",
        tuple(word for word in keywords if isinstance(word, str))
        if isinstance(keywords, list)
        else (),
    )
