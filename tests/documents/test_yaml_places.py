"""Where in half-typed YAML a cursor is."""

from __future__ import annotations

import pytest

from akm_ls.documents.document import parse
from akm_ls.documents.yaml_places import YamlPlace, yaml_place


def at(marked: str, kind: str = "markdown") -> YamlPlace | None:
    offset = marked.index("$0")
    return yaml_place(parse(marked.replace("$0", ""), kind), offset)  # type: ignore[arg-type]


def told(place: YamlPlace | None) -> tuple[str, str, str] | None:
    if place is None:
        return None
    path = "".join(f"/{part}" for part in place.path)
    return place.kind, path, place.typed


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("$0", ("key", "", "")),
        ("desc$0", ("key", "", "desc")),
        ("name: x\n$0", ("key", "", "")),
        ("na$0me: x", ("key", "", "na")),
        ("name:$0", ("value", "/name", "")),
        ("name: $0", ("value", "/name", "")),
        ("name: re$0lease", ("value", "/name", "re")),
        ("name: 're$0", ("value", "/name", "re")),
        ("tags: [$0", ("value", "/tags/[]", "")),
        ("tags: [a, b$0]", ("value", "/tags/[]", "b")),
        ("tags: [a, 'b$0']", ("value", "/tags/[]", "b")),
        ("tags: [a,\n  b$0\n]", ("value", "/tags/[]", "b")),
        ("tags:\n  - a\n  - b$0", ("value", "/tags/[]", "b")),
        ("tags:\n- a\n- b$0", ("value", "/tags/[]", "b")),
        ("tags:\n  -$0", ("value", "/tags/[]", "")),
        ("tags:\n  $0", ("key", "/tags", "")),
        ("metadata:\n  a: b\n  in$0", ("key", "/metadata", "in")),
        ("metadata:\n  a: b\n$0", ("key", "", "")),
        ("metadata:\n  internal: t$0", ("value", "/metadata/internal", "t")),
        ("steps:\n  - id: a\n    un$0", ("key", "/steps/[]", "un")),
        ("steps:\n  - i$0", ("value", "/steps/[]", "i")),
        (
            "steps:\n- id: a\n  unit:\n    env:\n      - e$0",
            ("value", "/steps/[]/unit/env/[]", "e"),
        ),
        (
            "steps:\n  - id: a\n    route:\n      when:\n        - match: x\n          step: b$0",
            ("value", "/steps/[]/route/when/[]/step", "b"),
        ),
        ("steps:\n  - id: a\n    map:\n      over: par$0", ("value", "/steps/[]/map/over", "par")),
        ("a: 1 # not$0", None),
        ("# not$0", None),
        ("description: |\n  text$0", None),
        ("description: text\n  goes on$0", None),
        ("broken: [a, b\nname: x\nty$0", ("key", "", "ty")),
        ("broken: 'a\nty$0", ("key", "", "ty")),
        ("description: Use when: stuck\nty$0", ("key", "", "ty")),
    ],
)
def test_a_cursor_knows_its_key_or_value(block: str, expected: tuple[str, str, str] | None) -> None:
    assert told(at(f"---\n{block}\n---\n# T\n")) == expected


def test_a_block_that_is_only_opened_is_one() -> None:
    assert told(at("---\n$0")) == ("key", "", "")
    assert told(at("---\n$0\n# Title\n")) == ("key", "", "")
    assert told(at("---\nname: x\nta$0")) == ("key", "", "ta")
    assert told(at("---\n\nText $0")) is None
    assert told(at("# Title\n\nname$0")) is None


def test_the_keys_of_the_same_mapping_are_known() -> None:
    place = at("---\nname: x\n$0\ntags: [a]\nmetadata:\n  deep: y\n---\n")
    assert place is not None and place.present == {"name", "tags", "metadata"}
    place = at(
        "---\nsteps:\n  - id: a\n    unit:\n      on: b\n    $0\n  - id: b\n    gate: c\n---\n"
    )
    assert place is not None and place.present == {"id", "unit"}


def test_a_yaml_file_is_a_block_as_a_whole() -> None:
    assert told(at("version: 2\nsch$0\n", "yaml")) == ("key", "", "sch")


def test_every_cursor_in_odd_text_has_an_answer() -> None:
    odd = "---\n- - a\n\t: x\n'a\": b\n[{,]: '\n  - ? x\n&a *b: |\n   t\r\n\r# x\n---\n"
    document = parse(odd)
    for offset in range(len(odd) + 1):
        place = yaml_place(document, offset)
        assert place is None or place.span.start <= place.span.end <= len(odd)
