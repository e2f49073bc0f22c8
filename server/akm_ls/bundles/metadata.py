"""What an asset says of itself, gathered into an `Entry` (akm.md §5).

The phases, later ones over earlier ones: the file's name, a ``package.json`` beside it, its
frontmatter or script comments, what its type adds, and last the fallbacks that fill gaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm_ls.bundles.citations import citations_of
from akm_ls.bundles.contributions import contribute
from akm_ls.bundles.draft import Draft, normalise_tag, stem_of, tokens, words
from akm_ls.bundles.entry import Entry, FragmentInfo
from akm_ls.bundles.frontmatter_keys import read_keys, text_of
from akm_ls.documents.nodes import Plain
from akm_ls.documents.projection import project_body
from akm_ls.documents.script_comments import read_script_comments
from akm_ls.refs import ASSET_DIRECTORIES

if TYPE_CHECKING:
    from akm_ls.bundles.adapters.adapter import Recognition
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.documents.document import Document
    from akm_ls.documents.frontmatter import Frontmatter

CONTENT_LIMIT = 1_000_000
"""Characters of body kept for search in akm's own format; other formats keep fewer."""
FOREIGN_CONTENT_LIMIT = 100_000
MAX_FRAGMENTS = 5_000

_TYPE_DIRECTORIES = frozenset((*ASSET_DIRECTORIES, "pages", "raw"))
_HOST_SUFFIXES = (".agent", ".chatmode", ".prompt", ".instructions")


@dataclass(frozen=True, slots=True)
class PackageInfo:
    """What a ``package.json`` says of the directory it lies in."""

    description: str = ""
    keywords: tuple[str, ...] = ()


def build_entry(
    bundle: Bundle,
    rel: str,
    path: str,
    recognition: Recognition,
    document: Document | None,
    *,
    package: PackageInfo | None = None,
    keys: tuple[str, ...] = (),
    setup_file: str = "",
    content_hash: str = "",
    size: int = 0,
    mtime_ns: int = 0,
) -> Entry:
    """The entry of a recognised file.

    ``document`` is ``None`` for what may not be read as text (secrets, env files); ``keys`` are
    an env file's names. ``setup_file`` is the file beside a script that says how to prepare it.
    """
    draft = Draft(recognition.type, recognition.name, _stem(rel, bundle.origin == "host"))
    if package is not None and recognition.type != "secret":
        _from_package(draft, package)
    frontmatter = None if document is None else document.frontmatter
    if frontmatter is not None and not frontmatter.closed:
        frontmatter = None
    if frontmatter is not None:
        read_keys(draft, frontmatter)
    elif document is not None and recognition.type == "script":
        _from_comments(draft, document.text)
    contribute(draft, document, path, setup_file)
    draft.hints += keys
    if draft.scope:
        draft.extra["scope"] = dict(draft.scope)
    _fill_gaps(draft, recognition)
    markdown = document is not None and document.kind == "markdown"
    return Entry(
        bundle=bundle.id,
        concept_id=recognition.concept_id,
        type=recognition.type,
        name=recognition.name,
        adapter=bundle.adapter,
        path=path,
        rel=rel,
        title=_title(draft, document, frontmatter),
        description=draft.description,
        tags=_unique(draft.tags),
        aliases=_unique(draft.aliases),
        hints=_unique(draft.hints),
        when_to_use=draft.when_to_use,
        content=_content(draft, document, bundle.adapter),
        fragments=_fragments(document) if markdown and not draft.body_hidden else (),
        parameters=tuple(draft.parameters.values()),
        citations=()
        if document is None
        else citations_of(
            document, bundle.adapter, rel, home=bundle.id, prose=not draft.body_hidden
        ),
        belief_state=draft.belief_state,
        superseded_by=draft.superseded_by,
        quality=draft.quality,
        category=draft.category,
        confidence=draft.confidence,
        source=draft.source,
        keys=keys,
        extra=draft.extra,
        content_hash=content_hash,
        size=size,
        mtime_ns=mtime_ns,
    )


def _from_package(draft: Draft, package: PackageInfo) -> None:
    if package.description:
        draft.describe(package.description, "package", 0.8)
    draft.tags += map(normalise_tag, package.keywords)


def _from_comments(draft: Draft, text: str) -> None:
    comments = read_script_comments(text)
    if comments.description:
        draft.describe(comments.description, "comments", 0.9 if comments.tagged else 0.7)
    if comments.tags:
        draft.tags[:] = map(normalise_tag, comments.tags)
    draft.aliases += map(normalise_tag, comments.aliases)
    draft.hints += (*comments.search_hints, *comments.usage, *comments.examples)
    draft.hints += comments.intent.values()
    for parameter in comments.params:
        draft.ask_for(parameter.name, parameter.description or "")
    named: dict[str, Plain] = {
        "usage": list(comments.usage),
        "examples": list(comments.examples),
        "run": comments.run,
        "setup": comments.setup,
        "cwd": comments.cwd,
        "intent": dict(comments.intent),
    }
    draft.scope.update(comments.scope)
    draft.extra.update({key: value for key, value in named.items() if value})


def _fill_gaps(draft: Draft, recognition: Recognition) -> None:
    """Words of the file's name where nothing was said, and the directories as tags, always."""
    segments = recognition.concept_id.split("/")[:-1]
    if segments and segments[0] in _TYPE_DIRECTORIES:
        del segments[0]
    derived = draft.type == "memory" and draft.stem.endswith(".derived")
    stem = draft.stem.removesuffix(".derived") if derived else draft.stem
    if not draft.description:
        named_by_directory = draft.type == "skill" and stem == "SKILL"
        draft.description = words(draft.name.rpartition("/")[2] if named_by_directory else stem)
    if not draft.tags:
        draft.tags += tokens(stem)
    for segment in segments:
        draft.tags += tokens(segment)
    spaced = normalise_tag(
        (draft.name.removesuffix(".derived") if derived else draft.name).replace("/", " ")
    )
    if " " in spaced:
        draft.aliases.append(spaced)
    if len(draft.tags) > 1:
        draft.aliases.append(" ".join(_unique(draft.tags)))


def _stem(rel: str, host: bool) -> str:
    stem = stem_of(rel.rpartition("/")[2])
    if host:
        for suffix in _HOST_SUFFIXES:
            stem = stem.removesuffix(suffix)
    return stem


def _title(draft: Draft, document: Document | None, frontmatter: Frontmatter | None) -> str | None:
    if document is None or draft.type == "script":
        return None
    if document.kind == "yaml":
        return (frontmatter and text_of(frontmatter.get("name"))) or None
    if draft.body_hidden:
        return (frontmatter and text_of(frontmatter.get("title"))) or None
    return document.title


def _content(draft: Draft, document: Document | None, adapter: str) -> str:
    if document is None or draft.body_hidden:
        return ""
    limit = CONTENT_LIMIT if adapter == "akm" else FOREIGN_CONTENT_LIMIT
    if document.kind == "markdown":
        return project_body(document, limit)
    if draft.type == "document":
        return " ".join(document.text[:limit].split())
    return ""


def _fragments(document: Document | None) -> tuple[FragmentInfo, ...]:
    if document is None:
        return ()
    return tuple(
        [
            FragmentInfo(slug, title, level, start, end, line)
            for level, title, slug, (start, _), (_, end), line in document.headings[:MAX_FRAGMENTS]
            if slug
        ]
    )


def _unique(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, values))) if values else ()
