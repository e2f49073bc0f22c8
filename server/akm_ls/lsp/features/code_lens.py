"""Code lenses: how often something is cited, what replaces it, how much of it there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from akm_ls.lsp.convert import citation_range, file_start
from akm_ls.lsp.offers import SHOW_REFERENCES
from akm_ls.refs import Ref
from akm_ls.workspace.annotations import count_of_citations, lenses

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.workspace.annotations import Lens
    from akm_ls.workspace.open_documents import OpenDocument


async def code_lenses(session: Session, params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
    """The lenses of an asset; citations are counted when a lens comes into view."""
    await session.index.ready()
    opened = session.document(params.text_document.uri)
    if opened is None:
        return None
    uri = params.text_document.uri
    shown = session.workspace.settings.shown
    return [_lens(session, opened, uri, lens) for lens in lenses(session.workspace, opened, shown)]


def _lens(session: Session, opened: OpenDocument, uri: str, lens: Lens) -> lsp.CodeLens:
    where = session.range(opened.document.lines, lens.span)
    if lens.kind == "citations":
        assert opened.entry is not None
        data = {
            "uri": uri,
            "bundle": opened.entry.bundle,
            "conceptId": opened.entry.concept_id,
            "fragment": lens.fragment,
        }
        return lsp.CodeLens(where, data=data)
    if lens.target is None:
        return lsp.CodeLens(where, lsp.Command(lens.text, ""))
    place = lsp.Location(session.uri(lens.target.path), session.place_of(lens.target))
    return lsp.CodeLens(where, _command(lens.text, uri, where.start, [place]))


async def resolve_lens(session: Session, lens: lsp.CodeLens) -> lsp.CodeLens:
    """Count the citations of an asset or heading."""
    data: dict[str, Any] = lens.data if isinstance(lens.data, dict) else {}
    bundle, concept_id, fragment = data.get("bundle"), data.get("conceptId"), data.get("fragment")
    if not isinstance(bundle, str) or not isinstance(concept_id, str):
        lens.command = lens.command or lsp.Command("", "")
        return lens
    await session.index.ready()
    session.settle()
    ref = Ref(bundle, concept_id, fragment if isinstance(fragment, str) else None)
    places = [
        lsp.Location(session.uri(citation.path), citation_range(citation, session.encoding))
        for citation in session.workspace.references(ref)
    ]
    text = count_of_citations(len(places))
    lens.command = (
        _command(text, str(data.get("uri")), lens.range.start, places)
        if places
        else lsp.Command(text, "")
    )
    return lens


def _command(
    text: str, uri: str, position: lsp.Position, places: list[lsp.Location]
) -> lsp.Command:
    return lsp.Command(text, SHOW_REFERENCES, arguments=[uri, position, places])


async def show_references(session: Session, arguments: tuple[Any, ...]) -> Any:
    """For a client that does not list the locations itself: say where they are, show the first."""
    given = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], list) else []
    places = [place for place in given if isinstance(place, dict) and "uri" in place]
    if not places:
        return None
    names = dict.fromkeys(str(place["uri"]).rpartition("/")[2] for place in places)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    listed = f"{', '.join(list(names)[:5])}{more}"
    session.server.window_show_message(
        lsp.ShowMessageParams(lsp.MessageType.Info, f"{count_of_citations(len(places))}: {listed}")
    )
    if session.client.shows_documents:
        await session.server.window_show_document_async(
            lsp.ShowDocumentParams(
                str(places[0]["uri"]), take_focus=True, selection=_range(places[0].get("range"))
            )
        )
    return given


def _range(raw: Any) -> lsp.Range:
    try:
        start, end = raw["start"], raw["end"]
        return lsp.Range(
            lsp.Position(int(start["line"]), int(start["character"])),
            lsp.Position(int(end["line"]), int(end["character"])),
        )
    except (TypeError, KeyError, ValueError):
        return file_start()
