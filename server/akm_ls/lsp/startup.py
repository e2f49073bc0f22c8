"""A quick start: lsprotocol's five hundred classes without compiling them each time.

Importing ``lsprotocol.types`` takes most of the time until ``initialize`` is answered, and half
of that is attrs compiling the ``__init__`` and friends it has just written. What Python does for
source files, a cache of compiled code, is done here for those. Nothing of attrs changes: its
module sees another ``compile``, with the same answers. Without a usable cache, all is as ever.

Import this before lsprotocol, and import lsprotocol inside::

    with quick_imports(cache_directory):
        from akm_ls.lsp.server import ...
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator
from hashlib import blake2b
from types import CodeType, ModuleType
from typing import Any

_GENERATING = ("attr._make", "cattrs.gen")
_CHECKSUM = 32
_YOUNG = 20_000
"""Objects between two collections. attrs makes every class twice and leaves the first one to the
collector: without any collection that is 10 MB for good, with the usual ones a slower start."""


@contextlib.contextmanager
def quick_imports(directory: str | None) -> Iterator[None]:
    """Import with rare garbage collection, and generated code cached in ``directory``.

    ``directory`` is made if need be; ``None`` caches nothing. The file in it is read only if it
    is ours and nobody else may write it. Never raises on account of the cache.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(_YOUNG, *thresholds[1:])
    try:
        if directory is None:
            yield
        else:
            with _cached_compile(os.path.join(directory, _file_name())):
                yield
    finally:
        gc.set_threshold(*thresholds)
        gc.freeze()  # what was imported stays: the collector need not look at it again


def _file_name() -> str:
    version = importlib.util.MAGIC_NUMBER[:2].hex()
    return f"generated-{sys.implementation.cache_tag}-{version}-{sys.flags.optimize}.bin"


@contextlib.contextmanager
def _cached_compile(path: str) -> Iterator[None]:
    known = _load(path)
    count = len(known)

    def cached(source: Any, filename: Any, mode: str, *more: Any, **options: Any) -> Any:
        if more or options or not isinstance(source, str):
            return compile(source, filename, mode, *more, **options)
        key = blake2b(f"{filename}\0{mode}\0{source}".encode(), digest_size=16).digest()
        code = known.get(key)
        if code is None:
            # Inherits `annotations` from this module, as the callers' own would from theirs.
            code = known[key] = compile(source, filename, mode)
        return code

    modules = [module for name in _GENERATING if (module := _imported(name)) is not None]
    for module in modules:
        vars(module).setdefault("compile", cached)
    try:
        yield
    finally:
        for module in modules:
            if vars(module).get("compile") is cached:
                del vars(module)["compile"]
        if len(known) != count:
            _save(path, known)


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _load(path: str) -> dict[bytes, CodeType]:
    """The cached code by the digest of its source; empty unless the file is whole and ours."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
                return {}
            data = file.read()
        body = memoryview(data)[_CHECKSUM:]
        if blake2b(body, digest_size=_CHECKSUM).digest() != data[:_CHECKSUM]:
            return {}
        known = marshal.loads(body)
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return known if isinstance(known, dict) else {}


def _save(path: str, known: dict[bytes, CodeType]) -> None:
    import tempfile  # only here: it takes a hundredth of a second to load

    with contextlib.suppress(OSError, ValueError):
        body = marshal.dumps(known)
        directory = os.path.dirname(path)
        os.makedirs(directory, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory)  # mode 0600
        try:
            with open(handle, "wb") as file:
                file.write(blake2b(body, digest_size=_CHECKSUM).digest() + body)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
