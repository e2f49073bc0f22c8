"""Reading what a client asks of the ``akm/…`` requests: one way for all, and as the command line.

Every error is `InvalidParams` and names the parameter, what was sent and what may be sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from akm_ls.bundles.asset_types import TYPE_BY_NAME
from akm_ls.index.matching import nearest_names
from akm_ls.lsp.protocol import INVALID_PARAMS
from akm_ls.refs import RefError, parse_ref

if TYPE_CHECKING:
    from akm_ls.lsp.session import Session
    from akm_ls.refs import Ref

Params = Mapping[str, Any]


def invalid(message: str) -> JsonRpcException:
    """The answer to parameters that cannot be used."""
    return JsonRpcException(message, code=INVALID_PARAMS)


def sent(value: object, most: int = 60) -> str:
    """A value as the client wrote it."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def text(params: Params, key: str) -> str | None:
    """A string; ``None`` where there is none, or an empty one."""
    value = params.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise invalid(f"{key} must be a string, not {sent(value)}")


def flag(params: Params, key: str) -> bool:
    value = params.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise invalid(f"{key} must be true or false, not {sent(value)}")


def position_number(position: Params, key: str) -> int:
    """``line`` or ``character``. Some clients (Lua) send every number as a float."""
    value = position.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise invalid(f"position.{key} must be a whole number from 0 on, not {sent(value)}")
    return value


def ref(params: Params, key: str = "ref") -> Ref:
    written = text(params, key)
    if written is None:
        raise invalid(f"{key} is missing: a ref like bundle//knowledge/name")
    try:
        return parse_ref(written)
    except RefError as problem:
        raise invalid(f"{key}: {problem}") from None


def bundle(session: Session, params: Params) -> str | None:
    """The id of a bundle that is open."""
    name = text(params, "bundle")
    bundles = session.workspace.bundles
    if name is not None and bundles.get(name) is None:
        known = ", ".join(sorted(bundles.ids)) or "none"
        raise invalid(f'bundle: no bundle is named "{name:.80}"; there is {known}')
    return name


def asset_type(session: Session, params: Params) -> str | None:
    """An asset type of akm, or one that some asset has."""
    name = text(params, "type")
    if name is None or name in TYPE_BY_NAME or session.workspace.complete_catalog is None:
        return name
    known = {stub.type for stub in session.workspace.catalog.stubs()} | set(TYPE_BY_NAME)
    if name in known:
        return name
    near = nearest_names(name, sorted(known), 1)
    hint = f"; did you mean {near[0]}?" if near else f"; there is {', '.join(sorted(known))}"
    raise invalid(f'type: no asset type is named "{name:.80}"{hint}')


def known_names(session: Session, params: Params) -> None:
    """That ``bundle`` and ``type`` are names of something."""
    bundle(session, params)
    asset_type(session, params)
