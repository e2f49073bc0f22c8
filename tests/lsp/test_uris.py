"""URIs as clients write them, and the paths they name."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.lsp.uris import key_of, path_of, uri_of

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX paths")


@posix_only
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///w/a.md", "/w/a.md"),
        ("FILE:///w/a.md", "/w/a.md"),
        ("file:/w/a.md", "/w/a.md"),
        ("file://localhost/w/a.md", "/w/a.md"),
        ("file:////w//a.md", "/w/a.md"),
        ("file:///w/", "/w"),
        ("file:///", "/"),
        ("file:///w/./b/../a%20b.md", "/w/a b.md"),
        ("file:///w/a b.md", "/w/a b.md"),
        ("file:///w/a%2Bb;c%23d%3Fe%25.md", "/w/a+b;c#d?e%.md"),
        ("file:///w/a.md?query#fragment", "/w/a.md"),
        ("file:///w/%E2%82%ac€.md", "/w/€€.md"),
        ("file:///w/100%", "/w/100%"),
        ("file:///c%3A/x", "/c:/x"),
    ],
)
def test_a_file_uri_names_a_path(uri: str, path: str) -> None:
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/a%20b.md", "C:\\Users\\a b.md"),
        ("file:///C:/Users/../x", "C:\\x"),
        ("file:///C:/", "C:\\"),
        ("file://server/share/a.md", "\\\\server\\share\\a.md"),
        ("file:////server/share/a.md", "\\\\server\\share\\a.md"),
        ("file://localhost/c:/a", "C:\\a"),
        ("file:///w/a.md", None),
    ],
)
def test_a_file_uri_on_windows_has_a_drive_or_a_host(uri: str, path: str | None) -> None:
    assert path_of(uri, windows=True) == path


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "vscode-notebook-cell:/w/a.ipynb#W0s",
        "git:/w/a.md?ref",
        "https://example.org/a.md",
        "file://server/a.md",
        "file:a.md",
        "file://",
        "file://[",
        "file:///a%00b",
        "/w/a.md",
        "c:\\w\\a.md",
        "",
        "\ud83d",
        "file:///\ud83d",
        None,
        7,
    ],
)
@posix_only
def test_anything_else_names_none(uri: object) -> None:
    assert path_of(uri, windows=False) is None


@posix_only
@given(st.lists(st.binary(min_size=1, max_size=8), max_size=4))
@settings(deadline=None)
def test_a_path_comes_back_from_its_uri_whatever_its_bytes(segments: list[bytes]) -> None:
    path = os.path.normpath("/" + os.fsdecode(b"/".join(segments).replace(b"\0", b"")).lstrip("/"))
    uri = uri_of(path, windows=False)
    assert uri.isascii()
    assert not set(uri) & set(" ()[]<>\"'#?")
    assert path_of(uri, windows=False) == path


@given(st.text(max_size=30))
@settings(deadline=None)
def test_no_uri_raises(text: str) -> None:
    for uri in (text, f"file://{text}", f"file:///{text}"):
        for windows in (False, True):
            path_of(uri, windows=windows)
        key_of(uri)


def test_a_drive_is_kept_readable() -> None:
    assert uri_of("C:\\a b\\c.md", windows=True) == "file:///C:/a%20b/c.md"
    assert uri_of("\\\\server\\share\\a.md", windows=True) == "file://server/share/a.md"
    assert path_of(uri_of("\\\\server\\share\\a.md", windows=True), windows=True) == (
        "\\\\server\\share\\a.md"
    )


def test_a_path_that_no_file_system_gave_is_still_a_uri() -> None:
    assert uri_of("/a\ud83d", windows=False) == "file:///a%3F"
