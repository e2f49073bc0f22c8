"""From files on disk to entries: what is opened, what is not, and what goes wrong."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from akm_ls.bundles import reading
from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.reading import (
    MAX_FILE_BYTES,
    ReadResult,
    entry_from_text,
    read_entry,
    read_text,
)

MARKER = "mV7kQ2-never-to-be-seen"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "team"


def write(root: Path, rel: str, content: str | bytes = "") -> Path:
    path = root / rel
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def bundle(root: Path, adapter: str = "akm", **named: str) -> Bundle:
    return Bundle("team", str(root), os.path.realpath(root), adapter, **named)  # type: ignore[arg-type]


def read(root: Path, rel: str, adapter: str = "akm") -> ReadResult:
    try:
        status = (root / rel).lstat()
    except (OSError, ValueError):
        return read_entry(bundle(root, adapter), rel, 0, 0)
    return read_entry(bundle(root, adapter), rel, status.st_size, status.st_mtime_ns)


class TestAFile:
    def test_becomes_an_entry(self, root: Path) -> None:
        path = write(root, "knowledge/x.md", "---\ndescription: d\n---\n# X\n")
        result = read(root, "knowledge/x.md")
        assert result.warning is None
        assert result.entry is not None
        assert result.entry.description == "d"
        assert result.entry.path == os.path.realpath(path)
        assert result.entry.size == path.stat().st_size
        assert result.entry.mtime_ns == path.stat().st_mtime_ns
        assert result.entry.content_hash == result.content_hash

    def test_gives_the_same_entry_as_an_open_buffer_with_its_text(self, root: Path) -> None:
        text = "---\ndescription: d\n---\nsee team//knowledge/y\n"
        path = write(root, "knowledge/x.md", text)
        buffer = entry_from_text(
            bundle(root), "knowledge/x.md", text, mtime_ns=path.stat().st_mtime_ns
        )
        assert buffer == read(root, "knowledge/x.md").entry

    def test_that_is_no_asset_gives_nothing(self, root: Path) -> None:
        write(root, "knowledge/image.png", b"\x89PNG")
        assert read(root, "knowledge/image.png") == ReadResult()

    def test_that_is_no_asset_by_its_content_was_still_read(self, root: Path) -> None:
        write(root, "x.md", "---\ntype: note\n---\n")
        result = read(root, "x.md", "akm-workflow")
        assert result.entry is None
        assert result.content_hash.startswith("sha256:")

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\x00\x01\xff\xfe",
            b"\xff\xfeh\x00i\x00",
            b"\xef\xbb\xbf---\ndescription: d\n---\n",
        ],
    )
    def test_may_hold_any_bytes(self, root: Path, content: bytes) -> None:
        write(root, "knowledge/x.md", content)
        result = read(root, "knowledge/x.md")
        assert result.entry is not None
        assert pickle.loads(pickle.dumps(result)) == result

    def test_with_a_byte_order_mark_has_its_frontmatter(self, root: Path) -> None:
        write(root, "knowledge/x.md", b"\xef\xbb\xbf---\ndescription: d\n---\n")
        result = read(root, "knowledge/x.md")
        assert result.entry is not None
        assert result.entry.description == "d"


class TestAFileThatCannotBeRead:
    def test_because_it_is_gone(self, root: Path) -> None:
        root.mkdir()
        result = read(root, "knowledge/gone.md")
        assert result.entry is None
        assert result.warning is not None
        assert result.warning.startswith("Skipped knowledge/gone.md: ")

    def test_because_it_is_a_directory(self, root: Path) -> None:
        (root / "knowledge" / "x.md").mkdir(parents=True)
        result = read(root, "knowledge/x.md")
        assert (result.entry, bool(result.warning)) == (None, True)

    def test_because_it_is_too_large(self, root: Path) -> None:
        path = write(root, "knowledge/x.md")
        os.truncate(path, MAX_FILE_BYTES + 1)
        result = read(root, "knowledge/x.md")
        assert result.entry is None
        assert result.warning is not None and "10,485,761 bytes" in result.warning

    @pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
    )
    def test_because_it_is_not_ours(self, root: Path) -> None:
        write(root, "knowledge/x.md").chmod(0)
        assert read(root, "knowledge/x.md").warning == ("Skipped knowledge/x.md: Permission denied")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
    def test_because_it_is_a_pipe_that_nobody_writes_to(self, root: Path) -> None:
        (root / "knowledge").mkdir(parents=True)
        os.mkfifo(root / "knowledge" / "x.md")
        assert read(root, "knowledge/x.md").warning == (
            "Skipped knowledge/x.md: not a regular file"
        )

    def test_because_its_name_is_impossible(self, root: Path) -> None:
        root.mkdir()
        assert read(root, "knowledge/a\0b.md").warning is not None


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
class TestALink:
    def test_inside_the_bundle_is_followed(self, root: Path) -> None:
        write(root, "knowledge/real.md", "---\ndescription: d\n---\n")
        (root / "knowledge" / "link.md").symlink_to("real.md")
        entry = read(root, "knowledge/link.md").entry
        assert entry is not None and entry.description == "d"

    def test_out_of_the_bundle_is_not(self, root: Path, tmp_path: Path) -> None:
        outside = write(tmp_path, "outside.md", MARKER)
        (root / "knowledge").mkdir(parents=True)
        (root / "knowledge" / "x.md").symlink_to(outside)
        result = read(root, "knowledge/x.md")
        assert result.entry is None
        assert result.warning == ("Skipped knowledge/x.md: a symbolic link that leaves its bundle")

    def test_to_a_secret_is_not(self, root: Path) -> None:
        write(root, "secrets/token", MARKER)
        (root / "knowledge").mkdir(parents=True)
        (root / "knowledge" / "x.md").symlink_to("../secrets/token")
        result = read(root, "knowledge/x.md")
        assert result.entry is None
        assert MARKER not in repr(result)

    def test_to_an_env_file_is_not_unless_it_has_an_env_files_name(self, root: Path) -> None:
        write(root, "env/prod.env", f"# {MARKER}\nTOKEN={MARKER}\n")
        (root / "knowledge").mkdir(parents=True)
        (root / "knowledge" / "x.md").symlink_to("../env/prod.env")
        (root / "env" / "same.env").symlink_to("prod.env")
        result = read(root, "knowledge/x.md")
        assert result.entry is None
        assert result.warning == "Skipped knowledge/x.md: a symbolic link to an env file"
        same = read(root, "env/same.env")
        assert same.entry is not None and same.entry.keys == ("TOKEN",)
        assert MARKER not in repr((result, same))

    def test_to_itself_is_no_trap(self, root: Path) -> None:
        (root / "knowledge").mkdir(parents=True)
        (root / "knowledge" / "x.md").symlink_to("x.md")
        assert read(root, "knowledge/x.md").warning is not None


class TestSecrets:
    def test_are_known_by_name_and_never_opened(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(root, "secrets/deploy-token", MARKER)

        def forbidden(*args: object, **named: object) -> int:
            raise AssertionError("a secret was opened")

        monkeypatch.setattr(reading.os, "open", forbidden)
        entry = read(root, "secrets/deploy-token").entry
        assert entry is not None
        assert (entry.type, entry.name) == ("secret", "deploy-token")
        assert (entry.size, entry.content_hash, entry.content) == (0, "", "")

    @pytest.mark.parametrize(
        ("rel", "marker"),
        [
            ("secrets/token", "secrets/token.sensitive"),
            ("env/prod.env", "env/prod.sensitive"),
            ("env/prod.env", "env/prod.env.sensitive"),
        ],
    )
    def test_are_not_even_named_beside_a_marker(self, root: Path, rel: str, marker: str) -> None:
        write(root, rel, f"A={MARKER}")
        write(root, marker)
        assert read(root, rel) == ReadResult()
        assert entry_from_text(bundle(root), rel, "A=1") is None

    def test_of_env_files_the_names_are_kept_and_nothing_else(self, root: Path) -> None:
        write(root, "env/prod.env", f"API_URL={MARKER}\nexport TOKEN='{MARKER}'\nAPI_URL=x\n")
        entry = read(root, "env/prod.env").entry
        assert entry is not None
        assert entry.keys == ("API_URL", "TOKEN")
        assert entry.hints == ("API_URL", "TOKEN")
        assert (entry.content, entry.citations, entry.title) == ("", (), None)

    def test_what_is_kept_of_an_env_file_does_not_depend_on_its_values(self, root: Path) -> None:
        hashes = set()
        for value in ("1234", "9876"):
            write(root, "env/prod.env", f"PIN={value}\n")
            result = read(root, "env/prod.env")
            assert result.entry is not None
            hashes.add((result.content_hash, result.entry.content_hash))
        assert len(hashes) == 1

    @pytest.mark.parametrize("adapter", ["akm", "dotenv", "generic-files", "okf", "akm-task"])
    def test_no_value_gets_into_an_entry(self, root: Path, adapter: str) -> None:
        files = (
            "secrets/token",
            "secrets/notes.md",
            "secrets/deep/task.yml",
            "secrets/run.sh",
            "knowledge/secrets/x.md",
            "skills/x/secrets/y.md",
            "env/.env",
            "env/prod.env",
            "env/sub/stage.env",
            ".env",
            ".env.local",
        )
        seen = 0
        for rel in files:
            write(
                root, rel, f"# {MARKER}\nTOKEN={MARKER}\n{MARKER}: {MARKER}\nexport A = {MARKER}\n"
            )
            for result in (
                read(root, rel, adapter),
                entry_from_text(bundle(root, adapter), rel, f"TOKEN={MARKER}\n"),
            ):
                assert MARKER.encode() not in pickle.dumps(result)
                assert MARKER not in repr(result)
                seen += result is not None and result != ReadResult()
        assert seen

    @pytest.mark.parametrize("rel", ["secrets/token", "a/secrets/x.md", "vaults/x.md"])
    def test_their_text_is_not_given_to_anyone(self, root: Path, rel: str) -> None:
        write(root, rel, f"TOKEN={MARKER}\n")
        write(root, "knowledge/x.md", "text")
        assert read_text(bundle(root), rel) is None
        assert read_text(bundle(root), "knowledge/x.md") == "text"

    @pytest.mark.parametrize("rel", ["secrets/token", "env/prod.env"])
    def test_a_warning_does_not_quote_them(self, root: Path, rel: str) -> None:
        (root / rel).mkdir(parents=True)
        (root / rel / MARKER).touch()
        assert MARKER not in repr(read(root, rel))


class TestNeighbours:
    def test_a_package_describes_the_files_beside_it(self, root: Path) -> None:
        write(root, "knowledge/app/x.md", "text")
        write(
            root,
            "knowledge/app/package.json",
            '{"description": "The app", "keywords": ["Web-App", 3]}',
        )
        entry = read(root, "knowledge/app/x.md").entry
        assert entry is not None
        assert (entry.description, entry.source, entry.confidence) == ("The app", "package", 0.8)
        assert entry.tags == ("web app", "app")

    def test_its_change_is_noticed(self, root: Path) -> None:
        write(root, "knowledge/x.md", "text")
        package = write(root, "knowledge/package.json", '{"description": "one"}')
        first = read(root, "knowledge/x.md").entry
        package.write_text('{"description": "two, longer"}')
        second = read(root, "knowledge/x.md").entry
        assert first is not None and second is not None
        assert (first.description, second.description) == ("one", "two, longer")

    def test_the_file_itself_has_the_last_word(self, root: Path) -> None:
        write(root, "knowledge/x.md", "---\ndescription: mine\n---\n")
        write(root, "knowledge/package.json", '{"description": "theirs"}')
        entry = read(root, "knowledge/x.md").entry
        assert entry is not None and entry.description == "mine"

    @pytest.mark.parametrize(
        "content", ["", "[", "[]", '{"description": 3, "keywords": "x"}', "[" * 100_000]
    )
    def test_a_broken_package_says_nothing(self, root: Path, content: str) -> None:
        write(root, "knowledge/x-y.md", "text")
        write(root, "knowledge/package.json", content)
        entry = read(root, "knowledge/x-y.md").entry
        assert entry is not None and entry.description == "x y"

    def test_a_script_is_run_where_its_dependencies_are_listed(self, root: Path) -> None:
        path = write(root, "scripts/etl/load.py", "print()\n")
        write(root, "scripts/etl/requirements.txt", "x\n")
        entry = read(root, "scripts/etl/load.py").entry
        assert entry is not None
        assert entry.extra["run"] == "python load.py"
        assert entry.extra["setup"] == "pip install -r requirements.txt"
        assert entry.extra["cwd"] == os.path.dirname(os.path.realpath(path))


def test_a_worker_process_imports_nothing_heavy() -> None:
    code = (
        "import sys, akm_ls.bundles.reading;"
        "print([m for m in ('pygls', 'lsprotocol', 'apsw', 'numpy', 'httpx', 'asyncio')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_what_is_marked_is_not_read_under_any_name(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "knowledge").mkdir()
    (root / "knowledge" / "a.md").write_text("# Plain\n")
    (root / "knowledge" / "a.sensitive").write_text("")
    (root / "knowledge" / "link.md").symlink_to("a.md")
    bundle = Bundle("team", str(root), str(root), "akm")
    for rel in ("knowledge/a.md", "knowledge/link.md"):
        assert read_entry(bundle, rel, 8, 0).entry is None
        assert read_text(bundle, rel) is None
