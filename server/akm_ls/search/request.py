"""What may be asked of a search, read from a client's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, cast, get_args

from akm_ls.search.fusion import Fusion

Detail = Literal["brief", "normal", "full", "agent"]
Mode = Literal["auto", "lexical", "hybrid", "semantic"]
Belief = Literal["all", "current", "historical"]
PlanName = Literal["default", "akm"]

DEFAULT_LIMIT = 20
MAX_LIMIT = 200
MAX_OFFSET = 100_000
_T = TypeVar("_T", bound=str)


class RequestError(ValueError):
    """A parameter that cannot be used; ``str(error)`` names it."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. ``type`` and ``bundle`` are exact; ``limit`` is held within 1 and 200.

    ``exclude_types`` applies where no type is asked for. ``project`` are words that name the
    project at hand: assets that carry them come first. Without ``boosts`` only the lanes count.
    With ``linked`` the default plan adds what the best hits cite and what cites them.
    """

    query: str = ""
    type: str | None = None
    bundle: str | None = None
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    detail: Detail = "normal"
    mode: Mode = "auto"
    belief: Belief = "all"
    include_proposed: bool = False
    exclude_types: frozenset[str] = frozenset({"session"})
    project: tuple[str, ...] = ()
    plan: PlanName = "default"
    fusion: Fusion = "convex"
    boosts: bool = True
    linked: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", min(max(self.limit, 1), MAX_LIMIT))
        object.__setattr__(self, "offset", min(max(self.offset, 0), MAX_OFFSET))

    @classmethod
    def from_params(cls, params: object, base: SearchRequest | None = None) -> SearchRequest:
        """A request from the ``akm/search`` parameters (protocol.md).

        Args:
            base: what holds where the parameters say nothing: plan, fusion and project.

        Raises:
            RequestError: a value of the wrong kind; unknown keys are passed over.
        """
        if not isinstance(params, Mapping):
            raise RequestError("the parameters must be an object with a query")
        base = base or cls()
        # `lexical` is the name that the plan has in other protocols.
        plan = _choice(params, "lexical", get_args(PlanName), base.plan)
        return cls(
            query=_text(params, "query") or "",
            type=_text(params, "type"),
            bundle=_text(params, "bundle"),
            limit=read_count(params, "limit", DEFAULT_LIMIT, least=1),
            offset=read_count(params, "offset", 0),
            detail=cast(Detail, _choice(params, "detail", get_args(Detail), "normal")),
            mode=cast(Mode, _choice(params, "mode", get_args(Mode), "auto")),
            belief=cast(Belief, _choice(params, "belief", get_args(Belief), "all")),
            include_proposed=_flag(params, "includeProposed"),
            project=base.project,
            plan=cast(PlanName, _choice(params, "plan", get_args(PlanName), cast(PlanName, plan))),
            fusion=cast(Fusion, _choice(params, "fusion", get_args(Fusion), base.fusion)),
            boosts=_flag(params, "boosts", default=base.boosts),
            linked=_flag(params, "linked"),
        )


def _text(params: Mapping[str, object], key: str) -> str | None:
    value = params.get(key)
    if value is None or isinstance(value, str):
        # An empty type or bundle means none; an empty query is the default anyway.
        return value or None
    raise RequestError(f"{key} must be a string")


def read_count(
    params: Mapping[str, object], key: str, default: int, *, least: int | None = 0
) -> int:
    """A whole number of at least ``least``; any, if that is ``None``.

    Raises:
        RequestError: it is none.
    """
    value = params.get(key)
    if value is None:
        return default
    # Some clients (Lua) send every number as a float.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestError(f"{key} must be a whole number")
    if least is not None and value < least:
        raise RequestError(f"{key} must be at least {least}, not {value}")
    return value


def _flag(params: Mapping[str, object], key: str, *, default: bool = False) -> bool:
    value = params.get(key)
    if value is None or isinstance(value, bool):
        return default if value is None else value
    raise RequestError(f"{key} must be true or false")


def _choice(params: Mapping[str, object], key: str, choices: tuple[_T, ...], default: _T) -> str:
    value = params.get(key)
    if value is None:
        return default
    if isinstance(value, str) and value in choices:
        return value
    raise RequestError(f"{key} must be one of {', '.join(choices)}")
