"""Code that libraries generate while modules are imported, kept in a file from start to start.

attrs and dataclasses compile the methods of hundreds of classes, and hundreds of patterns are
compiled too: what Python does for source files, a cache of compiled code, is done here for those.

Nothing of the libraries changes. Their modules see another ``compile`` or ``exec`` for a while,
with the same answers; without a usable file all is as ever.

========================  =================================================================
attrs, cattrs             methods of classes, hooks of a converter: ``compile`` of a source
dataclasses               methods of classes: ``exec`` of a source
re                        a pattern: what its compiler has ``_sre.compile`` make it from
========================  =================================================================
"""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from types import CodeType, ModuleType
from typing import Any

_SPARE = 2
"""How many times of what a start needs the file may hold, before the rest is dropped: versions of
a package come and go, and two of them may use the same directory in turn."""
_NEWS = 50
"""Every which part of what a start needs must be new for the file to be written again. A source
may differ at every start: attrs writes the hash of a name, which is random, into ``__hash__``."""
_NOT_KEPT = 0x04 | 0x80 | 0x01
"""Flags of patterns that are made anew: LOCALE asks the moment, DEBUG prints, TEMPLATE warns."""

latest: tuple[str | None, str] = (None, "")
"""Directory and program of the file that this process has used: for processes that it starts."""

_ABSENT = object()
_Replacement = Callable[["Generated", ModuleType], "dict[str, object]"]


class Generated:
    """What was generated, by the digest of what it was generated from.

    ``directory`` holds the file of ``program``, and is made if need be; ``None``: nothing is kept.
    The file is read only if it is ours and nobody else may write it. Nothing here raises on its
    account. ``also`` are libraries to help beside those of Python: ``attr``, ``cattrs``.
    """

    def __init__(self, directory: str | None, program: str, also: Sequence[str] = ()) -> None:
        self._path = None if directory is None else os.path.join(directory, _file_name(program))
        self._named = (directory, program)
        self._helped = (*_PYTHONS, *(_OTHERS[name] for name in also))
        self._stored = _Stored({}, b"") if self._path is None else _Stored.read(self._path)
        self._found: set[bytes] = set()
        self._new: dict[bytes, Any] = {}
        self._kept = 0

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Inside, what is known is not generated again, and what is not is taken note of."""
        global latest
        if self._path is None:
            yield
            return
        latest = self._named
        # Imported before anything is replaced: only what others generate with them is kept.
        modules = [(_imported(name), replace) for name, replace in self._helped]
        with contextlib.ExitStack() as replaced:
            for module, replace in modules:
                if module is not None:
                    replaced.enter_context(_replacing(module, replace(self, module)))
            yield

    def keep(self) -> None:
        """Write the file, if enough is new."""
        news = len(self._new) - self._kept
        if self._path is not None and news * _NEWS > len(self._found):
            _Stored.write(self._path, self._worth_keeping())
            self._kept = len(self._new)

    def _worth_keeping(self) -> dict[bytes, bytes]:
        """What is new; of what was there what was used, or all if that is not too much."""
        kept = self._stored.all()
        if len(kept) > _SPARE * (len(self._found) + len(self._new)):
            kept = {key: kept[key] for key in self._found}
        return kept | {key: marshal.dumps(value) for key, value in self._new.items()}

    def get(self, key: bytes) -> Any:
        found = self._new.get(key)
        if found is None and (found := self._stored.get(key)) is not None:
            self._found.add(key)
        return found

    def add(self, key: bytes, value: Any) -> None:
        self._new[key] = value

    def code(self, source: str, filename: str, mode: str, **options: Any) -> CodeType:
        key = _key("code", filename, mode, str(options), source)
        code: CodeType | None = self.get(key)
        if code is None:
            code = compile(source, filename, mode, **options)
            self.add(key, code)
        return code


def _key(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).digest()


# What is replaced, and by what.


def _for_attrs(generated: Generated, _: ModuleType) -> dict[str, object]:
    def cached(source: Any, filename: Any, mode: str, *more: Any, **options: Any) -> Any:
        if more or options or not isinstance(source, str) or not isinstance(filename, str):
            return compile(source, filename, mode, *more, **options)
        # Inherits `annotations` from this module, as the callers' own would from theirs.
        return generated.code(source, filename, mode)

    return {"compile": cached}


def _for_dataclasses(generated: Generated, module: ModuleType) -> dict[str, object]:
    def cached(source: Any, names: Any = None, local: Any = None, /, **options: Any) -> None:
        if isinstance(source, str) and not options:
            # Their module has no `annotations` from the future: types, not texts of types.
            source = generated.code(source, "<string>", "exec", dont_inherit=True)
        exec(source, vars(module) if names is None else names, local, **options)

    return {"exec": cached}


def _for_patterns(generated: Generated, module: ModuleType) -> dict[str, object]:
    anew, sre = module.compile, vars(module)["_sre"]
    recorder = _Recorder(sre)
    machine = f"{sre.MAGIC} {sre.CODESIZE} {sys.byteorder}"

    def cached(pattern: Any, flags: int = 0) -> Any:
        if type(pattern) not in (str, bytes) or flags & _NOT_KEPT:
            return anew(pattern, flags)
        text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        key = _key("pattern", machine, type(pattern).__name__, str(int(flags)), text)
        arguments = generated.get(key)
        if arguments is not None:
            return sre.compile(*arguments)
        compiled = anew(pattern, flags)
        arguments, recorder.arguments = tuple(map(_plain, recorder.arguments)), ()
        if arguments and sre.compile(*arguments) == compiled:  # not another thread's pattern
            generated.add(key, arguments)
        return compiled

    return {"compile": cached, "_sre": recorder}


class _Recorder:
    """``_sre`` that remembers what the last pattern was made from."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self.arguments: tuple[Any, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def compile(self, *arguments: Any) -> Any:
        self.arguments = arguments
        return self._module.compile(*arguments)


def _plain(value: Any) -> Any:
    """An argument of ``_sre.compile`` as it can be stored: its numbers are of named kinds."""
    if isinstance(value, int):
        return int(value)
    return [int(item) for item in value] if isinstance(value, list) else value


_PYTHONS: tuple[tuple[str, _Replacement], ...] = (
    ("re._compiler" if sys.version_info >= (3, 11) else "sre_compile", _for_patterns),
    ("dataclasses", _for_dataclasses),
)
_OTHERS: dict[str, tuple[str, _Replacement]] = {
    "attr": ("attr._make", _for_attrs),
    "cattrs": ("cattrs.gen", _for_attrs),
}


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@contextlib.contextmanager
def _replacing(module: ModuleType, values: dict[str, object]) -> Iterator[None]:
    """Other values for global names of a module, or for builtins as the module sees them."""
    names = vars(module)
    before = {name: names.get(name, _ABSENT) for name in values}
    names.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is _ABSENT:
                del names[name]
            else:
                names[name] = value


# The file: its format; a checksum of the rest; the length of the index; the index, which says where
# the value of a key begins, in their order; the values, each read for itself and then dropped.

_FORMAT = b"akm-ls generated code 2\n"
_CHECKSUM = 32
_LENGTH = 4


def _file_name(program: str) -> str:
    version = importlib.util.MAGIC_NUMBER[:2].hex()
    python = f"{sys.implementation.cache_tag}-{version}-{sys.flags.optimize}"
    return f"generated-{program}-{python}.bin"


class _Stored:
    """What the file holds."""

    def __init__(self, places: dict[bytes, int], values: memoryview | bytes) -> None:
        self._places = places
        self._values = values

    def get(self, key: bytes) -> Any:
        place = self._places.get(key)
        return None if place is None else marshal.loads(self._values[place:])

    def all(self) -> dict[bytes, bytes]:
        ends = [*self._places.values(), len(self._values)][1:]
        return {
            key: bytes(self._values[place:end])
            for (key, place), end in zip(self._places.items(), ends, strict=True)
        }

    @classmethod
    def read(cls, path: str) -> _Stored:
        """Nothing, unless the file is whole and ours."""
        nothing = cls({}, b"")
        try:
            with open(path, "rb") as file:
                status = os.fstat(file.fileno())
                if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
                    return nothing
                if file.read(len(_FORMAT)) != _FORMAT:
                    return nothing
                checksum, rest = file.read(_CHECKSUM), memoryview(file.read())
        except OSError:
            return nothing
        if blake2b(rest, digest_size=_CHECKSUM).digest() != checksum:
            return nothing
        length = int.from_bytes(rest[:_LENGTH], "little")
        return cls(marshal.loads(rest[_LENGTH:]), rest[_LENGTH + length :])

    @staticmethod
    def write(path: str, values: dict[bytes, bytes]) -> None:
        """Replace the file; quietly nothing where that is not possible."""
        import tempfile  # only here: it takes a hundredth of a second to load

        places, end = {}, 0
        for key, value in values.items():
            places[key] = end
            end += len(value)
        index = marshal.dumps(places)
        rest = b"".join((len(index).to_bytes(_LENGTH, "little"), index, *values.values()))
        directory = os.path.dirname(path)
        with contextlib.suppress(OSError):
            os.makedirs(directory, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=directory)  # mode 0600
            try:
                with open(handle, "wb") as file:
                    checksum = blake2b(rest, digest_size=_CHECKSUM).digest()
                    file.writelines((_FORMAT, checksum, rest))
                os.replace(temporary, path)
            except OSError:
                os.unlink(temporary)
                raise
