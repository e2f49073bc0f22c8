"""Assets beside each other: by name, by description, by directory."""

from __future__ import annotations

import random

import pytest

from akm_ls.bundles.entry import Entry
from akm_ls.index import neighbours
from akm_ls.index.catalog import Catalog
from akm_ls.index.delta import Delta
from akm_ls.index.neighbours import ALIKE, Scope, alike, called, pairs_of, scope_of
from akm_ls.index.stub import Stub, stub_of


def stub(concept_id: str, description: str = "", kind: str = "", marks: str = "") -> Stub:
    head, _, name = concept_id.partition("/")
    kind = kind or {"skills": "skill", "agents": "agent", "commands": "command"}.get(head, "memory")
    path = f"/team/{concept_id}.md"
    return Stub("team", concept_id, kind, name, path, description=description, marks=marks)


@pytest.mark.parametrize(
    ("concept_id", "directory"),
    [
        ("skills/x", ""),
        ("skills/group/x", ""),
        ("skills/plugins/a/skills/x", "plugins/a"),
        ("agents/plugins/a/agents/sub/x", "plugins/a"),
        ("skills/a/agents/x", ""),
    ],
)
def test_a_plugin_in_a_bundle_is_a_scope(concept_id: str, directory: str) -> None:
    assert scope_of(stub(concept_id)).directory == directory


def test_a_foreign_format_has_no_type_directory_in_its_ids() -> None:
    assert scope_of(stub("plugins/a/skills/x", kind="skill")).directory == "plugins/a"
    assert scope_of(stub("x", kind="skill")).directory == ""


def test_the_name_a_tool_would_use() -> None:
    assert called(stub("skills/web/x")) == "x"
    assert called(stub("commands/web/x")) == "web/x"
    assert called(stub("agents/web/x", marks="updated\t2026-01-02\nname\tother")) == "other"


def test_names_follow_the_catalog() -> None:
    catalog = Catalog()
    catalog.load([stub("skills/web/x"), stub("skills/api/x"), stub("agents/x")])
    scope = Scope("team", "", "skill")

    def names() -> list[str]:
        return sorted(it.concept_id for it in catalog.neighbours.namesakes(scope, "x"))

    assert names() == ["skills/api/x", "skills/web/x"]
    catalog.overlay("/team/skills/api/x.md", [stub("skills/api/x", marks="name\ty")])
    assert names() == ["skills/web/x"]
    catalog.drop_overlay("/team/skills/api/x.md")
    catalog.apply(Delta(removed=(stub("skills/web/x"),)))
    assert names() == ["skills/api/x"]
    catalog.load([])
    assert names() == []


def test_working_directories_come_and_go() -> None:
    catalog = Catalog()
    catalog.load([stub("memories/shop/a"), stub("memories/b"), stub("knowledge/auth/c", kind="x")])
    assert catalog.neighbours.directories("team") == {"shop"}
    catalog.apply(Delta(removed=(stub("memories/shop/a"),)))
    assert catalog.neighbours.directories("team") == frozenset()
    assert catalog.neighbours.directories("other") == frozenset()


def test_short_descriptions_are_not_compared() -> None:
    assert (
        alike(stub("skills/a", "Does one thing well"), stub("skills/b", "Does one thing well")) == 0
    )


def test_the_index_finds_what_comparing_all_with_all_finds() -> None:
    chance = random.Random(7)
    words = [f"word{number}" for number in range(60)]
    stubs = []
    for number in range(120):
        text = [chance.choice(words) for _ in range(chance.randint(6, 30))]
        stubs.append(stub(f"skills/s{number}", " ".join(text)))
        if number % 3 == 0:
            text[chance.randrange(len(text))] = "changed"
            stubs.append(stub(f"skills/t{number}", " ".join(text)))
    catalog = Catalog()
    catalog.load(stubs[:100])
    catalog.neighbours.lookalikes(stubs[0])  # the rest is added to an index that is made
    catalog.apply(Delta(added=tuple(stubs[100:])))
    pairs = 0
    for one in stubs:
        expected = {
            other.concept_id for other in stubs if other is not one and alike(one, other) >= ALIKE
        }
        found = {other.concept_id for _, other in catalog.neighbours.lookalikes(one)}
        assert found == expected
        pairs += len(expected)
    assert pairs > 20


def test_who_asks_first_is_answered_from_what_is_not_filed_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbours, "_FILED_AT_ONCE", 3)
    test_the_index_finds_what_comparing_all_with_all_finds()
    text = "Reviews a change before it is merged into main"
    catalog = Catalog()
    catalog.load([stub(f"skills/s{number}", f"{text} of team {number}") for number in range(9)])
    late = stub("skills/s8", f"{text} of team 8")
    assert len(catalog.neighbours.lookalikes(late)) == 3
    catalog.apply(Delta(removed=(late,)))
    refs = {other.concept_id for _, other in catalog.neighbours.lookalikes(late)}
    assert "skills/s8" not in refs


def test_a_description_that_changes_is_found_by_its_new_words() -> None:
    text = "Reviews a change before it is merged into main"
    first, second = stub("skills/a", text), stub("skills/b", "Draws figures of what a query gives")
    catalog = Catalog()
    catalog.load([first, second])
    assert catalog.neighbours.lookalikes(first) == []
    changed = second._replace(description=text)
    catalog.overlay(second.path, [changed])
    assert catalog.neighbours.lookalikes(first) == [(1.0, changed)]
    catalog.drop_overlay(second.path)
    assert catalog.neighbours.lookalikes(first) == []


def test_a_thousand_assets_with_one_description_name_three() -> None:
    text = "Reviews a change before it is merged into main"
    catalog = Catalog()
    catalog.load([stub(f"skills/s{number}", text) for number in range(1000)])
    found = catalog.neighbours.lookalikes(stub("skills/s5", text))
    assert len(found) == 3
    assert pairs_of(text)


def entry(concept_id: str, type_: str, **values: object) -> Entry:
    return Entry("team", concept_id, type_, "x", "akm", "/p", "x.md", **values)  # type: ignore[arg-type]


def test_what_a_stub_notes_for_rules() -> None:
    extra = {
        "name": "Review ",
        "status": "deprecated",
        "updated": "2026-01-02T10:00",
        "contradictedBy": ["knowledge/a", "knowledge/b"],
    }
    found = stub_of(entry("skills/x", "skill", extra=extra))
    assert found.mark("name") == "Review"
    assert found.mark("status") == "deprecated"
    assert found.mark("updated") == "2026-01-02"
    assert found.marked("contradictedBy") == ("knowledge/a", "knowledge/b")
    assert found.mark("body") is None
    other = stub_of(entry("knowledge/x", "knowledge", extra={"name": "x", "status": "stable"}))
    assert other.marks == ""


def test_the_vocabulary_is_another_stub_when_its_text_changes() -> None:
    one, other = (
        stub_of(entry("facts/conventions/domains", "fact", content=text)) for text in ("a", "b")
    )
    assert one != other
