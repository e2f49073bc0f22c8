"""What may be asked of a context pack, read from a client's parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Literal, cast, get_args

from akm_ls.search.request import Belief, Mode, RequestError, read_count

Purpose = Literal["agent_context", "proposal"]

DEFAULT_TOKENS = 1_200
MIN_TOKENS = 800
MAX_TOKENS = 12_000
DEFAULT_ITEMS = 6
MAX_ITEMS = 50

_SPAN = re.compile(r"([0-9]{1,6})([mhdw])")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


class PackError(Exception):
    """A pack that cannot be made within its budget; ``str(error)`` says what to do.

    ``needed`` is the number of tokens that the smallest pack takes.
    """

    code = "TOKEN_BUDGET_TOO_SMALL"

    def __init__(self, message: str, needed: int, warnings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.needed = needed
        self.warnings = warnings


@dataclass(frozen=True, slots=True)
class PackRequest:
    """One context pack.

    ``max_tokens`` is at most 12,000 and ``max_items`` within 1 and 50: other numbers are held
    there. ``since`` keeps assets that changed since: ``30m``, ``12h``, ``7d``, ``2w`` or a date.
    ``dedupe`` also looks for pieces of evidence that say the same.

    Raises:
        RequestError: fewer than 800 tokens, no query, or a proposal without a topic.
    """

    query: str = ""
    purpose: Purpose = "agent_context"
    topic: str | None = None
    type: str | None = None
    bundle: str | None = None
    since: str | None = None
    mode: Mode = "auto"
    belief: Belief = "all"
    max_items: int = DEFAULT_ITEMS
    max_tokens: int = DEFAULT_TOKENS
    dedupe: bool = False

    def __post_init__(self) -> None:
        if self.max_tokens < MIN_TOKENS:
            raise RequestError(f"maxTokens must be at least {MIN_TOKENS}, not {self.max_tokens}")
        if self.purpose == "proposal" and not (self.topic or "").strip():
            raise RequestError("a proposal needs a topic")
        if not self.searched:
            raise RequestError("a context pack needs a query")
        object.__setattr__(self, "max_tokens", min(self.max_tokens, MAX_TOKENS))
        object.__setattr__(self, "max_items", min(max(self.max_items, 1), MAX_ITEMS))

    @property
    def searched(self) -> str:
        """What is searched for: the query, or a proposal's topic where there is none."""
        return " ".join((self.query or self.topic or "").split())

    @classmethod
    def from_params(cls, params: object) -> PackRequest:
        """A request from the ``akm/contextPack`` parameters.

        Raises:
            RequestError: a value of the wrong kind; unknown keys are passed over.
        """
        if not isinstance(params, Mapping):
            raise RequestError("the parameters must be an object with a query")
        if params.get("source") not in (None, "search"):
            raise RequestError('source must be "search": this server keeps no record of runs')
        limit = read_count(params, "limit", DEFAULT_ITEMS, least=None)
        return cls(
            query=_text(params, "query") or "",
            purpose=cast(Purpose, _choice(params, "purpose", get_args(Purpose), "agent_context")),
            topic=_text(params, "topic"),
            type=_text(params, "type"),
            bundle=_text(params, "bundle"),
            since=_text(params, "since"),
            mode=cast(Mode, _choice(params, "mode", get_args(Mode), "auto")),
            belief=cast(Belief, _choice(params, "belief", get_args(Belief), "all")),
            max_items=read_count(params, "maxItems", limit, least=None),
            max_tokens=read_count(params, "maxTokens", DEFAULT_TOKENS, least=None),
            dedupe=_flag(params, "dedupe"),
        )


def read_since(text: str, now: float) -> float | None:
    """The point in time that ``since`` means, in seconds since 1970; ``None``: it means nothing."""
    text = text.strip()
    span = _SPAN.fullmatch(text)
    if span is not None:
        return now - int(span.group(1)) * _SECONDS[span.group(2)]
    # Python 3.10 knows neither the Z nor fractions of any length.
    text = text.removesuffix("Z").removesuffix("z")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    try:
        return moment.timestamp()
    except (OverflowError, ValueError):
        return None


def _text(params: Mapping[str, object], key: str) -> str | None:
    value = params.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise RequestError(f"{key} must be a string")


def _flag(params: Mapping[str, object], key: str) -> bool:
    value = params.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise RequestError(f"{key} must be true or false")


def _choice(params: Mapping[str, object], key: str, choices: tuple[str, ...], default: str) -> str:
    value = params.get(key)
    if value is None:
        return default
    if isinstance(value, str) and value in choices:
        return value
    raise RequestError(f"{key} must be one of {', '.join(choices)}")
