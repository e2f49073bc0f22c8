"""What the frontmatter schema says about the keys of a document, for completion and hover."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akm_ls.bundles.schema import Key, Place, load_schema, place_of
from akm_ls.documents.nodes import Scalar
from akm_ls.documents.task import KEYS_BY_TARGET, KEYS_V2, KEYS_V4, TARGETS
from akm_ls.documents.yaml_places import ITEM

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.open_documents import OpenDocument

JSON_SCHEMA_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_JSON_SCHEMA = {
    "type": "What kind of value it is.",
    "description": "What it is, in words.",
    "enum": "The values it may have.",
    "default": "What it is when nobody says.",
    "properties": "The entries of an object, a schema each.",
    "required": "The entries that must be there.",
    "items": "The schema of an array's items.",
    "minimum": "The least number.",
    "maximum": "The greatest number.",
    "pattern": "A regular expression for the whole text.",
}
_TYPE_WORDS = {
    "string": "text",
    "bool": "true or false",
    "int": "whole number",
    "number": "number",
    "map": "mapping",
    "ref": "ref",
    "any": "any value",
    "list<string>": "list of texts",
    "list<ref>": "list of refs",
    "list<map>": "list of mappings",
    "list<any>": "list",
    "map<string,string>": "mapping of texts",
    "map<string,bool>": "mapping to true or false",
    "map<string,map>": "mapping of mappings",
    "map<string,any>": "mapping",
}


def schema_place(session: Session, opened: OpenDocument) -> Place | None:
    """What a document is to the tools it is written for; ``None`` where none reads keys."""
    bundle = opened.bundle
    if bundle is None:
        return None
    place = place_of(opened.path, asset_type(session, opened), bundle.adapter)
    if place is None:
        return None
    workspace = session.workspace
    hosts = workspace.bundle_settings.over(workspace.settings.lint, bundle).hosts
    place = place.narrowed(hosts)
    return place if place.hosts else None


def asset_type(session: Session, opened: OpenDocument) -> str | None:
    """The type of the asset that a document is, or would be if it could be read."""
    if opened.entry is not None:
        return opened.entry.type
    if opened.bundle is None:
        return None
    subject = session.workspace.subject(opened.document, opened.path, opened.bundle, opened.rel)
    return subject.type


def dotted(path: tuple[str, ...]) -> str:
    """A path as the schema names it: ``steps[].unit.env``."""
    name = ".".join(path).replace(f".{ITEM}", ITEM)
    # A unit is the same wherever it stands, and so are a model's settings.
    return name.replace("steps[].map.unit", "steps[].unit").replace(
        "defaults.llm", "steps[].unit.llm"
    )


def definitions(place: Place, path: tuple[str, ...]) -> tuple[Key, ...]:
    """What the tools say about the key that a path ends in."""
    if path[-1:] == (ITEM,):
        path = path[:-1]
    found = place.definitions(dotted(path))
    if not found and (hint := _JSON_SCHEMA.get(path[-1] if path else "")) and in_json_schema(path):
        values = JSON_SCHEMA_TYPES if path[-1] == "type" else ()
        return (Key(path[-1], ("any",), hint, frozenset(("akm",)), values=values),)
    return found


def in_json_schema(path: tuple[str, ...]) -> bool:
    """Whether a path of a workflow leads into a JSON Schema."""
    if path[:1] == ("params",):
        return len(path) > 2
    return path[:2] == ("steps", ITEM) and "output" in path[2:-1]


def children(place: Place, path: tuple[str, ...]) -> Iterator[Key]:
    """The keys that a mapping may have, each once."""
    if not path:
        for key in place.all_keys():
            if key.is_top_level and not key.replacement and not key.managed:
                yield key
        return
    if place.kind.id == "workflow" and in_json_schema((*path, "")):
        if path[-1] != "properties":
            for name in _JSON_SCHEMA:
                yield from definitions(place, (*path, name))
        return
    prefix = f"{dotted(path)}."
    known: set[str] = set()
    for key in place.all_keys():
        rest = key.name.removeprefix(prefix)
        if rest != key.name and "." not in rest and not key.replacement:
            known.add(rest)
            yield key
    for key in definitions(place, path):
        for name in key.subkeys:
            if name not in known:
                known.add(name)
                yield Key(f"{prefix}{name}", ("any",), "", key.read_by)


def of_task(opened: OpenDocument, name: str) -> bool:
    """Whether a task of the version that is written may have a key."""
    frontmatter = opened.document.frontmatter
    if frontmatter is None:
        return True
    version = frontmatter.root.get("version")
    text = version.text if isinstance(version, Scalar) else ""
    if text == "4":
        return name in KEYS_V4
    if text != "2":
        return True
    present = [target for target in TARGETS if target in frontmatter.root]
    more = [key for target in present for key in KEYS_BY_TARGET[target]]
    return name in more or (name in KEYS_V2 and not (present and name in TARGETS))


def type_words(key: Key) -> str:
    """A key's type in words."""
    return " or ".join(_TYPE_WORDS.get(kind, kind) for kind in key.types)


def key_card(place: Place, name: str, keys: tuple[Key, ...]) -> str:
    """What a hover says of a key, in Markdown."""
    schema = load_schema()
    first = keys[0]
    parts = [f"**`{name}`** · {type_words(first)}"]
    if first.advice:
        parts.append(first.advice)
    facts: list[str] = []
    read_by = frozenset[str]().union(*(key.read_by for key in keys)) & place.hosts
    required = frozenset[str]().union(*(key.required_by for key in keys)) & place.hosts
    values = tuple(dict.fromkeys(value for key in keys for value in key.values))
    if values:
        facts.append(f"Values: {', '.join(f'`{value}`' for value in values)}")
    if first.default is not None:
        facts.append(f"Default: {first.default}")
    if (limits := _limits(first)) is not None:
        facts.append(limits)
    if first.only_with is not None:
        other, value = first.only_with
        facts.append(f"Has no effect without `{other}: {value}`")
    if read_by:
        facts.append(f"Read by {schema.host_names(read_by)}")
    if required:
        facts.append(f"Required by {schema.host_names(required)}")
    if facts:
        parts.append("\n".join(f"- {fact}" for fact in facts))
    others = dict.fromkeys(
        f"For {schema.host_names(key.read_by & place.hosts)}: {key.advice}"
        for key in keys[1:]
        if key.advice != first.advice and key.read_by & place.hosts
    )
    return "\n\n".join((*parts, *others))


def _limits(key: Key) -> str | None:
    unit = " characters" if "string" in key.types else ""
    if key.minimum is not None and key.maximum is not None:
        return f"{key.minimum} to {key.maximum}{unit}"
    if key.maximum is not None:
        return f"At most {key.maximum}{unit}"
    return None if key.minimum is None else f"At least {key.minimum}{unit}"
