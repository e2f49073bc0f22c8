"""Frontmatter keys, their types and their values, by what the tools read.

Everything known about keys is in `akm_ls.bundles.schema`; a key or a value is accepted when any
tool that reads the file where it lies accepts it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from akm_ls.bundles.schema import Definition, Key, Place, load_schema, place_of
from akm_ls.bundles.schema.spelling import likely, same_letters
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.nodes import Mapping, Pair, Scalar
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix, Severity, TextEdit
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules import field_types, field_values
from akm_ls.lint.rules.own_keys import OWN, authors_own
from akm_ls.lint.rules.powers import grants
from akm_ls.lint.rules.skill_body import is_only_a_resource
from akm_ls.lint.traits import Traits

_SPECIFIED = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""All keys the Agent Skills specification has."""
_READ_HERE = frozenset(("effect",))
"""Keys that akm-ls itself reads in every asset: command search knows by them what may be run."""
_ANY_STYLE = frozenset(("displayname", "defaultenabled"))
"""Keys that Claude Code reads with hyphens, underscores or in camel case (since 2.1.186)."""


def _place(subject: Subject) -> Place | None:
    """What the file is to the tools it is written for; ``None`` where none of them reads it."""
    return subject.once(_read_place)


def _read_place(subject: Subject) -> Place | None:
    if subject.document.frontmatter is None:
        return None
    place = place_of(subject.path, subject.type, subject.bundle.adapter)
    if place is None or place.is_judged or is_only_a_resource(subject):
        return None
    place = place.narrowed(subject.settings.hosts)
    return place if place.hosts else None


def _is_unread(frontmatter: Frontmatter) -> bool:
    """Whether the tolerant reading of a broken block is too little to judge."""
    problem = frontmatter.problem
    return problem is not None and problem.kind not in ("colon", "text-after-value", "indicator")


class _Overview(NamedTuple):
    """What of a frontmatter one quick look does not settle; nothing in most files."""

    types: list[tuple[Pair, Definition]]
    """Values that are not plainly of a type the tools take."""
    values: list[tuple[Pair, Definition]]
    """Values of keys to which not every value will do."""
    is_odd: bool
    """Whether there is a key at the top that somebody may mind."""


def _overview(subject: Subject) -> _Overview:
    return subject.once(_looked_over)


def _looked_over(subject: Subject) -> _Overview:
    """Looks at each key that is defined here, also at those inside maps and lists."""
    frontmatter, place = subject.document.frontmatter, _place(subject)
    types: list[tuple[Pair, Definition]] = []
    values: list[tuple[Pair, Definition]] = []
    if frontmatter is None or place is None:
        return _Overview(types, values, False)
    is_odd = False
    define = place.definition
    inner: list[tuple[str, Mapping]] = []
    for pair in frontmatter.root.pairs:
        name, value = pair.key.text, pair.value
        definition = define(name)
        is_odd = is_odd or not definition.is_settled
        if isinstance(value, Scalar):
            is_right = bool(definition.of_text) and field_types.is_text(value)
        elif isinstance(value, Mapping):
            is_right = False
            inner.append((f"{name}.", value))
        else:
            others = [item for item in value.items if not isinstance(item, Scalar)]
            is_right = not others and (
                definition.takes_scalars
                or (definition.takes_texts and field_types.are_texts(value.items))
            )
            inner += [(f"{name}[].", item) for item in others if isinstance(item, Mapping)]
        if definition.keys and not is_right:
            types.append((pair, definition))
        if definition.restricts:
            values.append((pair, definition))
    for prefix, mapping in inner:
        for pair in mapping.pairs:
            definition = define(prefix + pair.key.text)
            if definition.keys:
                types.append((pair, definition))
            if definition.restricts:
                values.append((pair, definition))
    return _Overview(types, values, is_odd)


def check_types(subject: Subject) -> Iterable[Finding]:
    unsettled = _overview(subject).types
    return _wrong_types(subject, unsettled) if unsettled else ()


def _wrong_types(subject: Subject, unsettled: list[tuple[Pair, Definition]]) -> Iterator[Finding]:
    for pair, definition in unsettled:
        value, keys = pair.value, definition.keys
        if not field_types.fits_any(value, keys) or field_types.is_nothing(value):
            yield from field_types.judge(subject, pair, keys)


def check_values(subject: Subject) -> Iterable[Finding]:
    frontmatter, restricted = subject.document.frontmatter, _overview(subject).values
    if frontmatter is None or not restricted:
        return ()
    judged = [field_values.judge(frontmatter, *it) for it in restricted]
    return [finding for finding in judged if finding is not None]


def check_unknown_keys(subject: Subject) -> Iterable[Finding]:
    frontmatter, place = subject.document.frontmatter, _place(subject)
    if frontmatter is None or place is None or _is_unread(frontmatter):
        return ()
    strict = subject.settings.portable and place.kind.id == "skill"
    if not strict and not _overview(subject).is_odd:
        return ()
    return _odd_keys(subject, frontmatter, place, strict)


def _odd_keys(
    subject: Subject, frontmatter: Frontmatter, place: Place, strict: bool
) -> Iterator[Finding]:
    present = {pair.key.text for pair in frontmatter.root.pairs}
    own: list[Pair] = []
    for pair in frontmatter.root.pairs:
        name = pair.key.text
        if not pair.key.span or pair.key.span.start == pair.key.span.end:
            continue
        if definitions := place.definitions(name):
            replaced = [key for key in definitions if key.replacement]
            if len(replaced) == len(definitions) and field_types.fits_any(pair.value, replaced):
                yield _replaced(place, pair, replaced[0], present)
            elif strict and name not in _SPECIFIED:
                yield _not_specified(pair)
            continue
        finding = _unknown(subject, place, frontmatter, pair, present)
        if finding is not None and finding.data.get("reason") == OWN:
            own.append(pair)
        elif finding is not None:
            yield finding
        elif strict and name not in _SPECIFIED:
            yield _not_specified(pair)
    if own:
        yield authors_own(subject, place, own)


def _unknown(
    subject: Subject, place: Place, frontmatter: Frontmatter, pair: Pair, present: set[str]
) -> Finding | None:
    name = pair.key.text
    known = place.known(name)
    if not known and same_letters(name) in _ANY_STYLE and _in_any_style(place, name):
        return None
    if known and known[0].replacement:
        return _replaced(place, pair, known[0], present)
    if name in _READ_HERE and place.kind.strict_for not in place.hosts:
        return None
    if known and any(key.read_by & _mirrored_hosts(subject) for key in known):
        return None
    strict = subject.settings.portable and place.kind.id == "skill"
    refused = place.kind.strict_for if place.kind.strict_for in place.hosts else None
    severity: Severity = "error" if strict or refused else "hint"
    meant = None
    if not known and not place.is_unlike(name):
        meant = likely(name, _candidates(place, present))
    if meant is not None and same_letters(meant[0]) != same_letters(name):
        meant = None if _is_a_key_elsewhere(name) else meant
    title = place.kind.title
    if meant is not None:
        key, certain = meant
        message = f"`{name}` is no key of {title}. Did you mean `{key}`?"
        data: dict[str, object] = {"key": name, "suggestions": [key]}
        fixes = (_rename(pair, key, safe=certain and not frontmatter.problem),)
        return _finding(severity, message, pair.key.span, data, fixes)
    if place.open and not refused:
        return None  # free keys are the normal case there
    if refused:
        message = (
            f"`{name}` is no key of {title}, and {load_schema().hosts[refused]} refuses a file "
            "with an unknown one."
        )
    elif known and known[0].read_by:
        others = load_schema().host_names(known[0].read_by)
        message = f"`{name}` has no effect here: it is for {others}, not for files in this place."
        if subject.settings.hosts and known[0].read_by & _all_hosts(subject):
            message = (
                f"`{name}` has no effect: it is for {others}, left out by the setting `hosts`."
            )
    elif known:
        message = f"`{name}` has no effect in {title}. {_remedy(known[0].advice)}"
    elif severity == "hint":
        return _finding(severity, "", pair.key.span, {"key": name, "reason": OWN}, ())
    else:
        message = f"`{name}` is no key of {title}; tools pass over it."
    return _finding(severity, message, pair.key.span, {"key": name, "suggestions": []}, ())


def _all_hosts(subject: Subject) -> frozenset[str]:
    """The tools that read the file, those too that the settings leave out."""
    place = place_of(subject.path, subject.type, subject.bundle.adapter)
    return frozenset() if place is None else place.hosts


def _candidates(place: Place, present: set[str]) -> list[str]:
    """The keys that a misspelt one may have meant."""
    return [name for name in place.current_keys() if name not in present]


def _remedy(advice: str) -> str:
    """What an advice says to do, without its first sentence when that only says "No key"."""
    fact, _, rest = advice.partition(". ")
    return rest if rest and fact.startswith("No key of ") else advice


def _in_any_style(place: Place, name: str) -> bool:
    letters = same_letters(name)
    return any(key.is_top_level and same_letters(key.name) == letters for key in place.all_keys())


def _mirrored_hosts(subject: Subject) -> frozenset[str]:
    """Tools that find a shared skill through a link in their own directory.

    `.agents/skills/x` is mostly linked from `.claude/skills/x`.
    """
    parts = subject.path.replace("\\", "/").rpartition("/.agents/skills/")
    if not parts[1]:
        return frozenset()
    twin = f"{parts[0]}/.claude/skills/{parts[2].partition('/')[0]}"
    if subject.around.kind(os.path.normpath(twin)) is None:
        return frozenset()
    return frozenset(("claude",))


def _is_a_key_elsewhere(name: str) -> bool:
    """Whether tools know the key in other files: then it is no slip of the pen."""
    return any(
        name in kind.keys and not kind.keys[name].replacement
        for kind in load_schema().kinds.values()
        if kind.judged_by is None
    )


def _replaced(place: Place, pair: Pair, key: Key, present: set[str]) -> Finding:
    replacement = key.replacement or ""
    message = f"`{key.name}` is out of use in {place.kind.title}; write `{replacement}`."
    fixes: tuple[Fix, ...] = ()
    # A key of another type has to be written anew, not renamed.
    target = next((k for k in place.known(replacement)), None)
    if target is not None and target.types == key.types and replacement not in present:
        fixes = (_rename(pair, replacement, safe=True),)
    elif target is None:
        message = f"`{key.name}` is out of use in {place.kind.title}; write {replacement}."
    data: dict[str, object] = {"key": key.name, "suggestions": [replacement]}
    return Finding(
        "unknown-key", "hint", message, pair.key.span, data=data, fixes=fixes, tags=("deprecated",)
    )


def _not_specified(pair: Pair) -> Finding:
    return _finding(
        "error",
        f"`{pair.key.text}` is none of the six keys of the Agent Skills specification; put it "
        "under `metadata` in a skill that is meant for every tool.",
        pair.key.span,
        {"key": pair.key.text, "suggestions": [], "reason": "portable"},
        (),
    )


def _rename(pair: Pair, key: str, *, safe: bool) -> Fix:
    safe = safe and not grants(key)
    return Fix(f"Rename to `{key}`", (TextEdit(pair.key.inner, key),), safe=safe)


def _finding(
    severity: Severity,
    message: str,
    span: Span,
    data: dict[str, object],
    fixes: tuple[Fix, ...],
) -> Finding:
    return Finding("unknown-key", severity, message, span, data=data, fixes=fixes)


def _is_valid(traits: Traits) -> bool:
    return traits.has_frontmatter and not traits.is_broken


RULES: tuple[Rule, ...] = (
    Rule(
        code="field-type",
        severity="warning",
        summary="A frontmatter value has another type than the tools that read it expect.",
        why=(
            '`argument-hint: [file]` is a list for YAML, `"true"` a text. Some tools convert such '
            "a value, others ignore it or refuse the file."
        ),
        remedy="Write the value as the message says; the quick fix keeps its text.",
        example='---\nname: reader\ndescription: Reads.\nmaxTurns: "5"\n---\nRead it.\n',
        example_path="agents/reader.md",
        check=check_types,
        about=_is_valid,
        group="frontmatter",
        places=("frontmatter",),
    ),
    Rule(
        code="field-value",
        best_fix="safe",
        severity="hint",
        summary="A frontmatter value is none of those the tools know.",
        why="A value that a tool does not know is ignored, or the whole file is.",
        remedy="Use one of the values the message names.",
        example="---\nname: reader\ndescription: Reads.\nmemory: team\n---\nRead it.\n",
        example_path="agents/reader.md",
        check=check_values,
        about=_is_valid,
        group="frontmatter",
        places=("frontmatter",),
    ),
    Rule(
        code="unknown-key",
        severity="hint",
        summary="A frontmatter key that no tool reads in this place.",
        why=(
            "A misspelt key does nothing, and nobody says so. Tools pass over keys they do not "
            "know, except Gemini CLI in agents: it refuses the file."
        ),
        remedy="Correct the spelling; in a skill, put facts of your own under `metadata`.",
        example="---\nname: text\ndescripton: Finds typos.\n---\n# Text\n",
        example_path="skills/text/SKILL.md",
        check=check_unknown_keys,
        about=lambda traits: traits.has_frontmatter,
        group="frontmatter",
        places=("frontmatter",),
    ),
)
