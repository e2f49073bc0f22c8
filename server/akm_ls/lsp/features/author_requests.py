"""The requests of people who look at bundles and add to them: ``akm/graph``, ``akm/newAsset``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from akm_ls.lsp.features.agent_requests import in_library
from akm_ls.lsp.features.completion.offer import snippet_of
from akm_ls.lsp.protocol import INVALID_PARAMS
from akm_ls.workspace.graph import MAX_NODES, graph_of
from akm_ls.workspace.new_assets import (
    NewAssetError,
    bundles_json,
    new_file,
    places_for,
)

if TYPE_CHECKING:
    from akm_ls.bundles.bundle import Bundle
    from akm_ls.lsp.session import Session

MOST_NODES = 20_000


async def graph(session: Session, params: dict[str, Any]) -> Any:
    """``akm/graph``: assets as nodes, what they cite as edges, of one bundle or of all."""
    bundle = _bundle(session, params)
    limit = params.get("limit", MAX_NODES)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_NODES:
        raise JsonRpcException(
            f"limit must be a whole number from 1 to {MOST_NODES}", code=INVALID_PARAMS
        )
    session.settle()
    await session.index.ready()
    overlay = session.workspace.open_citations()
    only = None if bundle is None else bundle.id
    return await in_library(
        session,
        lambda library: graph_of(library, overlay, bundle=only, limit=limit).to_json(session.uri),
    )


async def new_asset(session: Session, params: dict[str, Any]) -> Any:
    """``akm/newAsset``: step by step what can be begun, where it belongs, and the file.

    It writes nothing: the editor does, when the author has decided.
    """
    kind, name = (_text(params, key) for key in ("type", "name"))
    bundle = _bundle(session, params)
    session.settle()
    await session.index.ready()
    answer: dict[str, Any] = {"bundles": bundles_json(session.workspace)}
    if kind is None or bundle is None:
        if name is not None:
            raise JsonRpcException("a name needs a type and a bundle", code=INVALID_PARAMS)
        return answer
    answer["places"] = [
        {"directory": place.directory, "why": place.why}
        for place in places_for(session.workspace, bundle, kind)
    ]
    if name is not None:
        try:
            file = new_file(bundle, kind, name)
        except NewAssetError as problem:
            raise JsonRpcException(str(problem), code=INVALID_PARAMS) from None
        answer["file"] = {
            "ref": file.ref,
            "path": file.rel,
            "uri": session.uri(file.path),
            "text": file.template.text,
            "snippet": snippet_of(file.template.parts),
        }
    return answer


def _bundle(session: Session, params: dict[str, Any]) -> Bundle | None:
    name = _text(params, "bundle")
    bundle = None if name is None else session.workspace.bundles.get(name)
    if name is not None and bundle is None:
        raise JsonRpcException(f'no bundle is named "{name}"', code=INVALID_PARAMS)
    return bundle


def _text(params: dict[str, Any], key: str) -> str | None:
    value = params.get(key)
    if value is not None and not isinstance(value, str):
        raise JsonRpcException(f"{key} must be a string", code=INVALID_PARAMS)
    return value
