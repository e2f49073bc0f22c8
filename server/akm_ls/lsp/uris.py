"""Document URIs and file paths: the one place that turns one into the other.

Clients spell the same file in many ways (``file:///c%3A/x``, ``file:///C:/x``,
``file://localhost/x``, ``file:/x``), so a URI is never compared with another one: its path is.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

WINDOWS = os.name == "nt"

# RFC 3986, appendix B, with the scheme of RFC 3986 3.1. Query and fragment are dropped.
_URI = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):(?://(?P<host>[^/?#]*))?(?P<path>[^?#]*)", re.DOTALL
)
_DRIVE = re.compile(r"/?([A-Za-z]):")
_UNQUOTED = "/:-._~"  # parentheses and quotes would end a Markdown link


def path_of(uri: object, *, windows: bool = WINDOWS) -> str | None:
    """The absolute native path a ``file:`` URI names; ``None`` for every other URI or value.

    ``untitled:``, ``git:``, ``vscode-notebook-cell:`` and relative or malformed URIs have no
    path, nor has a file on another host (except on Windows, where it is a UNC path). Bytes that
    are not UTF-8 survive the way back through `uri_of`. Dot segments and doubled slashes are
    resolved; symbolic links are not. Never raises.
    """
    if not isinstance(uri, str):
        return None
    match = _URI.match(uri)
    if match is None or match["scheme"].lower() != "file":
        return None
    try:
        path = os.fsdecode(unquote_to_bytes(match["path"]))
        host = unquote_to_bytes(match["host"] or "").decode()
    except UnicodeError:
        return None
    if "\0" in path or "\0" in host:
        return None
    if host.lower() == "localhost":
        host = ""
    return _windows_path(host, path) if windows else _posix_path(host, path)


def _posix_path(host: str, path: str) -> str | None:
    if host or not path.startswith("/"):
        return None
    return os.path.normpath("/" + path.lstrip("/"))


def _windows_path(host: str, path: str) -> str | None:
    import ntpath

    path = path.replace("/", "\\")
    if host:
        return ntpath.normpath(f"\\\\{host}\\{path.lstrip(chr(92))}")
    drive = _DRIVE.match(path.replace("\\", "/"))
    if drive is None:
        # `file:////server/share` is an older spelling of a UNC path.
        return ntpath.normpath(path) if path.startswith("\\\\") else None
    # What `os.path.realpath` gives: an upper-case drive letter.
    return ntpath.normpath(f"{drive[1].upper()}:\\{path[drive.end() :].lstrip(chr(92))}")


def uri_of(path: str, *, windows: bool = WINDOWS) -> str:
    """The canonical ``file:`` URI of an absolute native path; `path_of` takes it back."""
    host = ""
    if windows:
        path = path.replace("\\", "/")
        if path.startswith("//"):
            host, _, path = path[2:].partition("/")
        if not path.startswith("/"):
            path = "/" + path
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate that no file system call produced
        raw = path.encode("utf-8", "replace")
    return f"file://{host}{quote_from_bytes(raw, safe=_UNQUOTED)}"


def key_of(uri: str) -> str:
    """What identifies the document behind ``uri``: its path, else the URI as it is.

    Two spellings of one file have one key, on Windows in either case.
    """
    path = path_of(uri)
    return uri if path is None else os.path.normcase(path)
