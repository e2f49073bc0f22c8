"""Entries are those of akm, but for a list of differences that are meant.

`differences.yaml` names each with its reason. A difference that is not listed fails, and so does
a listed one that no longer occurs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from akm_ls.bundles.adapters import detect_adapter
from akm_ls.bundles.bundle import Bundle
from akm_ls.bundles.entry import Entry
from akm_ls.bundles.reading import read_entry
from akm_ls.bundles.walker import walk

from . import recorded

HERE = Path(__file__).parent

Difference = tuple[str, str]
"""The file or ref, and what differs."""


def listed(section: str) -> set[Difference]:
    data = yaml.safe_load((HERE / "differences.yaml").read_text(encoding="utf-8"))
    entries = data[section]
    assert all(set(entry) == {"where", "what", "reason"} for entry in entries)
    assert all(entry["reason"].strip() for entry in entries)
    found = [(entry["where"], entry["what"]) for entry in entries]
    assert len(set(found)) == len(found), "a difference is listed twice"
    return set(found)


@pytest.fixture(scope="module")
def entries(stashes: Path) -> dict[str, Entry]:
    """Our entries by file; of two files with one ref only the one with the smaller path."""
    found: dict[str, Entry] = {}
    for name in recorded.BUNDLES:
        root = str(stashes / name)
        adapter = detect_adapter(root)
        assert adapter is not None
        bundle = Bundle(name, root, str(Path(root).resolve()), adapter)
        claimed: set[str] = set()
        for file in walk(bundle):
            result = read_entry(bundle, file.rel, file.size, file.mtime_ns)
            assert result.warning is None
            if result.entry is not None and result.entry.concept_id not in claimed:
                claimed.add(result.entry.concept_id)
                found[f"{name}/{file.rel}"] = result.entry
    return found


def enumeration_differences(entries: dict[str, Entry]) -> Iterable[Difference]:
    theirs = recorded.rows()
    for file in sorted(theirs.keys() | entries.keys()):
        row, entry = theirs.get(file), entries.get(file)
        if entry is None:
            yield file, "absent"
        elif row is None:
            yield file, f"added as {entry.ref}"
        else:
            for field in ("ref", "type", "adapter"):
                before, after = getattr(row, field), getattr(entry, field)
                if before != after:
                    yield file, f"{field} {before} -> {after}"


def metadata_differences(entries: dict[str, Entry]) -> Iterable[Difference]:
    by_ref = {entry.ref: entry for entry in entries.values()}
    for ref, hit in sorted(recorded.hits().items()):
        entry = by_ref.get(ref)
        if entry is None:
            continue  # its identity differs: listed there
        for field, value in facts(entry).items():
            before = hit.get(field)
            if field in hit and before != value:
                yield ref, f"{field} {before!r} -> {value!r}"


def facts(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "description": entry.description,
        "tags": list(entry.tags),
        "quality": entry.quality,
        "keys": list(entry.keys),
        "run": entry.extra.get("run"),
        "parameters": [parameter.name for parameter in entry.parameters],
        "path": f"${{STASHES}}/{entry.bundle}/{entry.rel}",
    }


def test_the_same_files_become_the_same_assets(entries: dict[str, Entry]) -> None:
    assert set(enumeration_differences(entries)) == listed("enumeration")


def test_name_description_tags_and_the_rest_are_the_same(entries: dict[str, Entry]) -> None:
    assert set(metadata_differences(entries)) == listed("metadata")


def test_most_recorded_assets_are_compared(entries: dict[str, Entry]) -> None:
    ours = {entry.ref for entry in entries.values()}
    assert len(recorded.hits().keys() & ours) > 190


def test_version_control_kept_every_file(stashes: Path) -> None:
    """Env files, dot files and odd names are what a .gitignore or a file system loses."""
    kept = [path for path in stashes.rglob("*") if path.is_file()]
    assert len(kept) == 247
    for file, record in recorded.files().items():
        # Four records are findings that akm put into the wrong bundle.
        misplaced = record["intent"] is None and record["verdict"] == "bug"
        assert (stashes / file).exists() or misplaced, file
