"""Entries travel between processes and into a database."""

from __future__ import annotations

import dataclasses
import json
import pickle

import pytest

from akm_ls.bundles.entry import Citation, Entry, FragmentInfo, Parameter

ENTRY = Entry(
    bundle="team",
    concept_id="commands/release",
    type="command",
    name="release",
    adapter="akm",
    path="/team/commands/release.md",
    rel="commands/release.md",
    fragments=(FragmentInfo("one", "One", 1, 0, 10, 0),),
    parameters=(Parameter("$ARGUMENTS"),),
    citations=(Citation("team", "knowledge/x", None, "prose", None, 4, 21, 1, 0, 17, 0, 17),),
    extra={"scope": {"user": "me"}, "pinned": True},
)


def test_an_entry_knows_its_ref() -> None:
    assert ENTRY.ref == "team//commands/release"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_it_survives_the_way_between_processes(protocol: int) -> None:
    assert pickle.loads(pickle.dumps(ENTRY, protocol)) == ENTRY


def test_it_can_be_written_as_json() -> None:
    written = json.loads(json.dumps(dataclasses.asdict(ENTRY)))
    assert written["concept_id"] == "commands/release"


def test_it_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ENTRY.name = "other"  # type: ignore[misc]
