"""What single bundle formats ask: OKF, LLM wikis and the tools' own layouts.

What formats share is elsewhere: names and descriptions of skills in `skills`, of a tool's commands
and agents in `assets`, env files in `env_files`. In the two formats whose pages link each other by
path (`LINKED_BY_PATH`) this module judges links to ``.md`` files, from the bundle's root as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from akm_ls.bundles.citations import link_target
from akm_ls.documents.frontmatter import Frontmatter
from akm_ls.documents.markdown import Link
from akm_ls.documents.nodes import Scalar, scalar_items
from akm_ls.documents.text import Span
from akm_ls.lint.finding import Finding, Fix
from akm_ls.lint.frontmatter_edits import set_keys
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.assets import first_line, opening
from akm_ls.lint.traits import Traits
from akm_ls.refs import Ref, try_parse_ref

LINKED_BY_PATH = frozenset({"okf", "llm-wiki"})
"""Formats in which a link to a ``.md`` file is a reference to an asset."""

_WIKI = "wiki:"


def _has(frontmatter: Frontmatter, key: str) -> bool:
    return bool((frontmatter.text(key) or "").strip())


# OKF


def check_missing_type(subject: Subject) -> Iterator[Finding]:
    document = subject.document
    frontmatter = document.frontmatter
    if frontmatter is not None and (frontmatter.problem or _has(frontmatter, "type")):
        return
    edit = set_keys(document, {"type": "knowledge"}, first=True)
    yield Finding(
        code="missing-type",
        severity="information",
        message=(
            "The frontmatter has no `type`, so this counts as knowledge. Say what it is, for "
            "example `type: Table`."
        ),
        span=first_line(document) if frontmatter is None else opening(frontmatter),
        data={"key": "type"},
        fixes=(Fix("Add `type: knowledge`", (edit,)),) if edit else (),
    )


def check_page_links(subject: Subject) -> Iterator[Finding]:
    """OKF: links to pages that do not exist; part of `missing-ref`."""
    if subject.traits.format != "okf" or subject.recognition is None:
        return
    for link, ref in _missing_pages(subject):
        yield Finding(
            code="missing-ref",
            severity="warning",
            message=f"The link leads to {ref.concept_id}.md, which does not exist in this bundle.",
            span=link.target_span,
            data={"ref": ref.concept_id, "channel": "link", "reason": "missing-asset"},
        )


def _missing_pages(subject: Subject) -> Iterator[tuple[Link, Ref]]:
    directory = subject.rel.rpartition("/")[0]
    for link in subject.document.links:
        if link.kind not in ("inline", "definition"):
            continue
        ref = link_target(link.target, directory)
        if ref is not None and not _is_file(subject, f"{ref.concept_id}.md"):
            yield link, ref


def _is_file(subject: Subject, rel: str) -> bool:
    path = os.path.join(subject.bundle.real_root, *rel.split("/"))
    return subject.around.kind(path) == "file"


# LLM wikis


def _is_page(traits: Traits) -> bool:
    return traits.format == "llm-wiki" and traits.type is not None and traits.head == "pages"


def check_missing_description(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is not None and (frontmatter.problem or _has(frontmatter, "description")):
        return
    yield Finding(
        code="missing-description",
        severity="warning",
        message=(
            "This page has no `description` in its frontmatter. Add one sentence that says what "
            "it holds."
        ),
        span=first_line(subject.document) if frontmatter is None else opening(frontmatter),
        data={"key": "description"},
    )


def check_broken_xref(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is not None:
        for item in scalar_items(frontmatter.get("xrefs")):
            ref = _page_of(subject, item)
            if ref is not None and not _page_exists(subject, ref):
                place = f"bundle {ref.bundle}" if ref.bundle else "this wiki"
                yield _broken_xref(ref, item.inner, f"{ref.concept_id} does not exist in {place}.")
    for link, ref in _missing_pages(subject):
        message = f"The link leads to {ref.concept_id}.md, which does not exist in this wiki."
        yield _broken_xref(ref, link.target_span, message)


def _broken_xref(ref: Ref, span: Span, message: str) -> Finding:
    return Finding(
        code="broken-xref",
        severity="warning",
        message=f"{message} Correct it, or write that page.",
        span=span,
        data={"ref": ref.concept_id},
    )


def _page_of(subject: Subject, item: Scalar) -> Ref | None:
    """What an entry of `xrefs` names: ``wiki:<bundle>/<page>``, or a page of this wiki."""
    text = item.text.strip()
    if text.startswith(_WIKI):
        bundle, slash, path = text[len(_WIKI) :].partition("/")
        ref = try_parse_ref(f"{bundle}//{path}") if slash else None
        if ref is None or ref.bundle is None or subject.bundles.get(ref.bundle) is None:
            return None  # another wiki, which need not be installed here
        return Ref(None, ref.concept_id) if ref.bundle == subject.bundle.id else ref
    ref = try_parse_ref(text)
    return ref if ref is not None and ref.bundle is None and ref.head in ("pages", "raw") else None


def _page_exists(subject: Subject, ref: Ref) -> bool:
    if ref.bundle is None:
        concept = ref.concept_id.removesuffix(".md")
        return _is_file(subject, f"{concept}.md")
    catalog = subject.catalog
    return catalog is None or catalog.find(ref.bundle, ref.concept_id) is not None


def check_broken_source(subject: Subject) -> Iterator[Finding]:
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return
    for item in scalar_items(frontmatter.get("sources")):
        name = item.text.strip()
        concept = name.removesuffix(".md")
        if not name.startswith("raw/") or concept.count("/") != 1 or any(map(str.isspace, name)):
            continue
        if not _is_file(subject, f"{concept}.md"):
            yield Finding(
                code="broken-source",
                severity="warning",
                message=f"The source {concept}.md does not exist. Correct it, or add the file.",
                span=item.inner,
                data={"ref": concept},
            )


def check_uncited_raw(subject: Subject) -> Iterator[Finding]:
    recognised = subject.recognition
    if recognised is None:
        return
    channels = subject.around.cited_in(subject.bundle.id, recognised.concept_id)
    if channels is None or "sources" in channels:
        return
    yield Finding(
        code="uncited-raw",
        severity="information",
        message=(
            f"No page names {recognised.concept_id} among its `sources`, so nothing has been "
            "made of this yet. Cite it, or remove it."
        ),
        span=first_line(subject.document),
        data={"ref": recognised.concept_id},
    )


RULES: tuple[Rule, ...] = (
    Rule(
        code="missing-type",
        severity="information",
        summary="A document of an OKF bundle does not say its type.",
        why="Readers of the format take a document without `type` for general knowledge.",
        remedy="Add `type:` with your own word for what the document is.",
        example="---\ntitle: Orders\n---\n# Orders\n",
        check=check_missing_type,
        about=lambda traits: traits.format == "okf" and traits.type is not None,
        group="bundle",
        places=("frontmatter",),
        example_path="tables/orders.md",
        around={"index.md": "# Tables\n"},
    ),
    Rule(
        code="missing-description",
        severity="warning",
        summary="A page of a wiki has no description.",
        why="A model reads the descriptions to choose the pages it opens.",
        remedy="Add `description:` with one sentence.",
        example="---\npageKind: concept\n---\n# Tokens\n",
        check=check_missing_description,
        about=_is_page,
        group="bundle",
        places=("frontmatter",),
        example_path="pages/tokens.md",
        around={"schema.md": "# How this wiki is written\n"},
    ),
    Rule(
        code="broken-xref",
        severity="warning",
        summary="A page of a wiki refers to one that does not exist.",
        why="A reader who follows the reference gets nothing.",
        remedy="Correct the reference, or write the page.",
        example="---\ndescription: Tokens\n---\nSee [keys](keys.md).\n",
        check=check_broken_xref,
        about=_is_page,
        group="bundle",
        places=("frontmatter refs", "links"),
        example_path="pages/tokens.md",
        around={"schema.md": "# How this wiki is written\n"},
    ),
    Rule(
        code="broken-source",
        severity="warning",
        summary="A page of a wiki names a raw source that does not exist.",
        why="What the page says can no longer be checked.",
        remedy="Correct the entry of `sources`, or add the file below `raw/`.",
        example="---\ndescription: Tokens\nsources: [raw/rfc6749]\n---\n# Tokens\n",
        check=check_broken_source,
        about=lambda traits: _is_page(traits) and traits.has_frontmatter,
        group="bundle",
        places=("frontmatter",),
        example_path="pages/tokens.md",
        around={"schema.md": "# How this wiki is written\n"},
    ),
    Rule(
        code="uncited-raw",
        severity="information",
        summary="No page of a wiki cites a raw source.",
        why="What was collected and never digested is lost to those who read the pages only.",
        remedy="Name the source in the `sources` of the page that digests it, or remove the file.",
        example="Minutes of the meeting.\n",
        check=check_uncited_raw,
        about=lambda traits: traits.format == "llm-wiki" and traits.head == "raw",
        group="bundle",
        places=("whole file",),
        example_path="raw/minutes.md",
        around={
            "schema.md": "# How this wiki is written\n",
            "pages/tokens.md": "---\ndescription: Tokens\n---\n",
        },
        needs_catalog=True,
    ),
)
