"""Show answers as akm does, but for a list of differences that are meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akm_ls.search.library import Library
from akm_ls.search.show import ShowError, show

from . import recorded
from .indexed import Difference, listed, open_library

PROBES = recorded.load("_show-probes.json")
FIELDS = (
    "type",
    "name",
    "ref",
    "path",
    "editable",
    "description",
    "content",
    "template",
    "prompt",
    "keys",
    "run",
    "setup",
    "cwd",
    "parameters",
    "toolPolicy",
    "modelHint",
    "agent",
    "workflowTitle",
    "steps",
)


@pytest.fixture(scope="module")
def library(stashes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(stashes, tmp_path_factory.mktemp("index") / "index.db") as opened:
        yield opened


def ours(library: Library, ref: str) -> dict[str, Any]:
    try:
        answer = show(library, ref).to_json()
    except ShowError as error:
        return {"code": error.code}
    rel = Path(answer["path"]).relative_to(Path(library.bundles.bundles[0].real_root).parent)
    return {**answer, "path": f"${{STASHES}}/{rel.as_posix()}"}


def theirs(probe: dict[str, Any]) -> dict[str, Any]:
    answer = dict(probe["out"])
    if "ref" in answer and "//" not in answer["ref"]:
        answer["ref"] = f"alpha//{answer['ref']}"
    return answer


def differences(library: Library) -> Iterator[Difference]:
    for probe in PROBES:
        before, after = theirs(probe), ours(library, probe["ref"])
        if "code" in before or "code" in after:
            told = [f"{a.get('code') or 'shows ' + a['ref']}" for a in (before, after)]
            if told[0] != told[1]:
                yield probe["ref"], " -> ".join(told)
            continue
        for field in FIELDS:
            # akm leaves out empty values, and a description where it gives the whole file.
            if before.get(field) != after.get(field) and (field in before or field == "content"):
                yield probe["ref"], f"{field} {before.get(field)!r} -> {after.get(field)!r}"


def test_assets_and_refusals_are_the_same(library: Library) -> None:
    assert len(PROBES) == 96
    assert set(differences(library)) == listed("show")


def test_the_sections_on_offer_are_the_same(library: Library) -> None:
    compared = 0
    for probe in PROBES:
        sentence = probe["out"].get("error", "")
        if sentence.startswith("Fragment "):
            with pytest.raises(ShowError) as caught:
                show(library, probe["ref"])
            assert str(caught.value) == sentence
            compared += 1
    assert compared > 5
