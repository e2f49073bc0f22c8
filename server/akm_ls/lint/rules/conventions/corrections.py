"""Corrections come in pairs: the new asset cites the old one, the old one names the new (S2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from akm_ls.documents.document import Document
from akm_ls.documents.text import Span
from akm_ls.index.stub import Stub
from akm_ls.lint.finding import Finding, Fix, Related, TextEdit
from akm_ls.lint.frontmatter_edits import FrontmatterEdits
from akm_ls.lint.rule import Rule, Subject
from akm_ls.lint.rules.conventions.xrefs import cited_stubs
from akm_ls.lint.rules.superseded import DEMOTING_STATES
from akm_ls.refs import Ref, try_parse_ref

_VERBS = ("corrects", "supersedes", "replaces")
_CLAIM = re.compile(rf"\b(?:{'|'.join(_VERBS)})\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_LINE = re.compile(r"[^\r\n]+")
_OPENING = re.compile(r"(?:\s|#[^\r\n]*)*[^\r\n]*")
"""A body to the end of its first line that is no heading."""
_MAX_STATEMENT = 2_000


def check_correction_pairing(subject: Subject) -> Iterable[Finding]:
    """Both halves of a correction, from whichever side the open document is on."""
    own = subject.stub
    is_new, is_old = _may_correct(subject.document), subject.traits.has("supersededBy")
    if own is None or not (is_new or is_old):
        return ()
    return chain(_as_new(subject, own) if is_new else (), _as_old(subject, own) if is_old else ())


def _as_new(subject: Subject, own: Stub) -> Iterator[Finding]:
    """This asset says that it corrects another, which does not know."""
    statement = _statement(subject.document)
    claim = _CLAIM.search(statement)
    if claim is None:
        return
    rest = statement[claim.end() :].partition("\n")[0]
    xrefs = cited_stubs(subject, "xrefs")
    claimed = {ref: stub for ref, stub in xrefs.items() if _mentions(rest, stub)}
    claimed |= {stub.ref: stub for stub in _refs_in(subject, rest)}
    for ref, old in claimed.items():
        bundle = subject.bundles.get(old.bundle)
        if old.path == subject.path or bundle is None or not bundle.writable:
            continue
        missing = _missing_in_old(subject, own, old)
        cites = ref in xrefs
        if not missing and cites:
            continue
        said = "does not cite it" if not missing else f"{old.concept_id} lacks {missing}"
        span = _span_of_statement(subject.document)
        yield Finding(
            code="correction-pairing",
            severity="hint",
            message=(
                f"This asset {claim.group().lower()} {_shown(subject, old)}, but {said}: a "
                "correction cites what it corrects, and that says `beliefState: superseded` and "
                "`supersededBy`."
            ),
            span=span,
            related=(Related(old.path, "what is corrected"),),
            data={"old": old.ref, "new": own.ref},
            fixes=_pair(subject, own, old, cites=cites),
        )


def _as_old(subject: Subject, own: Stub) -> Iterator[Finding]:
    """This asset names what supersedes it, which does not cite it."""
    catalog = subject.catalog
    assert catalog is not None
    for occurrence in subject.document.refs:
        if occurrence.ref is None or occurrence.channel != "supersededBy":
            continue
        found = catalog.resolve(
            occurrence.ref.asset, subject.bundle.id, subject.bundles, suggest=False
        )
        new = found.stub if found.status == "found" else None
        bundle = None if new is None else subject.bundles.get(new.bundle)
        if new is None or new.path == subject.path or bundle is None or not bundle.writable:
            continue
        document = subject.around.document(new.path)
        if document is None or document.kind != "markdown" or _cites(document, new, own):
            continue
        theirs, ours = FrontmatterEdits(document), FrontmatterEdits(subject.document)
        fixes: tuple[Fix, ...] = ()
        if theirs.append("xrefs", _spelled(own, new.bundle)):
            title = f"Cite this asset in {_shown(subject, new)}"
            if own.belief_state is None and ours.set("beliefState", "superseded"):
                title += ", and mark this one as superseded"
            fixes = (Fix(title, ours.edits(), elsewhere={new.path: theirs.edits()}),)
        yield Finding(
            code="correction-pairing",
            severity="hint",
            message=(
                f"{_shown(subject, new)} does not cite this asset, which it supersedes; a "
                "correction has what it corrects among its xrefs."
            ),
            span=occurrence.span,
            related=(Related(new.path, "what supersedes it"),),
            data={"old": own.ref, "new": new.ref},
            fixes=fixes,
        )


def _missing_in_old(subject: Subject, own: Stub, old: Stub) -> str:
    """What the corrected asset does not say of itself, in words; ``""`` when it says all."""
    demoted = (old.belief_state or "").lower() in DEMOTING_STATES
    named = any(
        _is(text, old.bundle, own) for text in (*old.superseded_by, *old.marked("contradictedBy"))
    )
    parts = [] if demoted else ["`beliefState: superseded`"]
    if not named:
        parts.append("this asset in `supersededBy`")
    return " and ".join(parts)


def _pair(subject: Subject, own: Stub, old: Stub, *, cites: bool) -> tuple[Fix, ...]:
    """One action for both files."""
    document = subject.around.document(old.path)
    if document is None or document.kind != "markdown":
        return ()
    ours, theirs = FrontmatterEdits(subject.document), FrontmatterEdits(document)
    if not cites and not ours.append("xrefs", _spelled(old, subject.bundle.id)):
        return ()
    missing = _missing_in_old(subject, own, old)
    if "beliefState" in missing and not theirs.set("beliefState", "superseded"):
        return ()
    if "supersededBy" in missing and not theirs.append("supersededBy", _spelled(own, old.bundle)):
        return ()
    elsewhere: dict[str, tuple[TextEdit, ...]] = {}
    if edits := theirs.edits():
        elsewhere[old.path] = edits
    title = f"Pair the correction with {_shown(subject, old)}"
    return (Fix(title, ours.edits(), elsewhere=elsewhere),)


def _may_correct(document: Document) -> bool:
    """Whether one of the verbs stands where `_statement` looks: a quick look, for most files."""
    frontmatter, start = document.frontmatter, document.body_start
    opening = _OPENING.match(document.text, start, start + _MAX_STATEMENT)
    description = None if frontmatter is None else frontmatter.text("description")
    folded = f"{description or ''}\n{opening.group() if opening else ''}".casefold()
    return "corrects" in folded or "supersedes" in folded or "replaces" in folded


def _statement(document: Document) -> str:
    """Where an asset says what it is for: its description, title and first paragraph's line."""
    frontmatter = document.frontmatter
    description = None if frontmatter is None else frontmatter.text("description")
    lines: list[str] = [description or ""]
    start = document.body_start
    for match in _LINE.finditer(document.text, start, start + _MAX_STATEMENT):
        for line in match.group().splitlines():
            if not line.strip():
                continue
            lines.append(line)
            if not line.startswith("#"):
                return "\n".join(lines)
    return "\n".join(lines)


def _span_of_statement(document: Document) -> Span:
    frontmatter = document.frontmatter
    node = None if frontmatter is None else frontmatter.get("description")
    if node is not None and node.span.end > node.span.start:
        return node.span
    return document.lines.line_span(document.lines.line_of(document.body_start))


def _mentions(text: str, stub: Stub) -> bool:
    """Whether a text names an asset: by its id, or by a last segment or title of several words.

    One word is too little: "replaces auth headers" says nothing of ``knowledge/auth``.
    """
    text = _as_words(text)
    names = (_as_words(stub.name.rpartition("/")[2]), _as_words(stub.title or ""))
    return _as_words(stub.concept_id) in text or any(
        name in text for name in names if name.count(" ") > 2
    )


def _as_words(text: str) -> str:
    """The words of a text in lower case, with a blank before and after each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _refs_in(subject: Subject, text: str) -> Iterator[Stub]:
    """The assets that refs in a statement lead to."""
    assert subject.catalog is not None
    for occurrence in subject.document.refs:
        ref = occurrence.ref
        if occurrence.channel != "prose" or ref is None or occurrence.text not in text:
            continue
        found = subject.catalog.resolve(
            ref.asset, subject.bundle.id, subject.bundles, suggest=False
        )
        if found.status == "found" and found.stub is not None:
            yield found.stub


def _cites(document: Document, home: Stub, target: Stub) -> bool:
    return any(
        it.ref is not None
        and it.channel in ("xrefs", "refs")
        and _names(it.ref, home.bundle, target)
        for it in document.refs
    )


def _is(text: str, home: str, target: Stub) -> bool:
    ref = try_parse_ref(text)
    return ref is not None and _names(ref, home, target)


def _names(ref: Ref, home: str, target: Stub) -> bool:
    if ref.bundle not in (None, target.bundle) or (ref.bundle is None and home != target.bundle):
        return False
    return ref.concept_id.removesuffix(".md") == target.concept_id


def _spelled(stub: Stub, home: str) -> str:
    return stub.concept_id if stub.bundle == home else stub.ref


def _shown(subject: Subject, stub: Stub) -> str:
    return _spelled(stub, subject.bundle.id)


def check_belief_orphan(subject: Subject) -> Iterator[Finding]:
    """A state without its ref, or the ref without its state."""
    frontmatter = subject.document.frontmatter
    if frontmatter is None:
        return
    root = frontmatter.root
    state = (frontmatter.text("beliefState") or "").strip().lower()
    state_pair, by_pair = root.pair("beliefState"), root.pair("supersededBy")
    for wanted, key in (("superseded", "supersededBy"), ("contradicted", "contradictedBy")):
        if state == wanted and state_pair is not None and not frontmatter.strings(key):
            yield Finding(
                code="belief-orphan",
                severity="hint",
                message=f"The asset is {wanted}, but `{key}` does not say by what; add the ref.",
                span=state_pair.value.span,
                data={"missing": key},
            )
    if by_pair is None or state in DEMOTING_STATES or not frontmatter.strings("supersededBy"):
        return
    replaced = _is_replaced(subject)
    if replaced is False:
        return  # nothing takes the asset's place: `missing-ref` says so, and a state would hide it
    edits = FrontmatterEdits(subject.document)
    set_it = replaced and edits.set("beliefState", "superseded")
    yield Finding(
        code="belief-orphan",
        severity="hint",
        message=(
            "`supersededBy` alone does not put the asset behind its replacement in search; add "
            "`beliefState: superseded`."
        ),
        span=by_pair.key.span,
        data={"missing": "beliefState"},
        fixes=(Fix("Set beliefState to superseded", edits.edits()),) if set_it else (),
    )


def _is_replaced(subject: Subject) -> bool | None:
    """Whether `supersededBy` leads to an asset; ``None`` where nobody can tell yet."""
    catalog = subject.catalog
    if catalog is None:
        return None
    refs = [it.ref for it in subject.document.refs if it.channel == "supersededBy"]
    return any(
        catalog.resolve(ref.asset, subject.bundle.id, subject.bundles, suggest=False).status
        == "found"
        for ref in refs
        if ref is not None
    )


RULES = (
    Rule(
        code="correction-pairing",
        severity="hint",
        summary="A correction and what it corrects do not name each other.",
        why=(
            "The old asset goes on to be found until it says that it is superseded, and the new "
            "one cannot be checked until it cites what it corrects."
        ),
        remedy=(
            "Cite the old asset in `xrefs` of the new one; in the old one set "
            "`beliefState: superseded` and `supersededBy`."
        ),
        example=(
            "---\ndescription: Replaces token-refresh, which holds no longer\n"
            "xrefs: [knowledge/auth/token-refresh]\n---\n"
        ),
        around={"knowledge/auth/token-refresh.md": "---\ndescription: Refresh\n---\n"},
        check=check_correction_pairing,
        about=lambda traits: traits.is_own,
        group="conventions",
        places=("frontmatter", "frontmatter refs", "prose"),
        needs_catalog=True,
    ),
    Rule(
        code="belief-orphan",
        best_fix="offered",
        severity="hint",
        summary="An asset is superseded without a replacement, or replaced without the state.",
        why="Search ranks by `beliefState`; a reader needs the ref to what holds instead.",
        remedy="Write both keys.",
        example="---\ndescription: How tokens were refreshed\nbeliefState: superseded\n---\n",
        check=check_belief_orphan,
        about=lambda traits: traits.is_own and traits.has("beliefState", "supersededBy"),
        group="conventions",
        places=("frontmatter",),
    ),
)
