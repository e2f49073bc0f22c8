"""What a rename comes to: files that move, edits of texts, and what had to be left alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akm_ls.refs import Ref

if TYPE_CHECKING:
    from akm_ls.documents.text import Span
    from akm_ls.workspace.renaming.moves import Move
    from akm_ls.workspace.renaming.view import Source

Kind = Literal["ref", "link", "path", "name", "heading", "step", "tag"]
Reason = Literal["read-only", "damaged", "doubtful", "unspellable"]


class RenameRefused(ValueError):
    """A rename that cannot be done; ``str(error)`` says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replace ``span`` of a document by ``new_text``.

    ``means`` is what must be read at that place afterwards: a ref, or the path and fragment of a
    link's target; ``None`` where nothing is looked up.
    """

    span: Span
    new_text: str
    kind: Kind
    means: Ref | str | None = None


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The changes of one file, in text order. Its path is the one from before the moves."""

    source: Source
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """Places of one file that had to be left as they are."""

    source: Source
    count: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Plan:
    """A rename. The texts are edited first, under their old paths; then the files move.

    ``moves`` has every move, ``extra`` those of them that nobody asked for by name (a twin).
    ``notes`` are sentences about what will not be as it should.
    """

    moves: tuple[Move, ...] = ()
    files: tuple[FileChanges, ...] = ()
    left: tuple[Left, ...] = ()
    extra: tuple[Move, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.moves and not self.files

    @property
    def count(self) -> int:
        """How many places are edited."""
        return sum(len(file.changes) for file in self.files)

    def messages(self) -> tuple[str, ...]:
        """What the author should know besides: one sentence for each kind of leftover."""
        return (*self.notes, *_left_messages(self.left))


_SHOWN = 3
_WHY: dict[Reason, str] = {
    "damaged": "the file is not UTF-8, and saving it would lose bytes",
    "doubtful": "an unbalanced code fence leaves it open whether this is text or code",
    "unspellable": "the new name cannot be written there",
}


def _left_messages(left: tuple[Left, ...]) -> tuple[str, ...]:
    messages: list[str] = []
    read_only: dict[str, list[Left]] = {}
    for item in left:
        if item.reason == "read-only":
            read_only.setdefault(item.source.bundle.id, []).append(item)
    for bundle, items in read_only.items():
        names = _first([item.source.rel for item in items])
        keep = "keeps" if sum(item.count for item in items) == 1 else "keep"
        messages.append(
            f'In the read-only bundle "{bundle}" {_places(items)} {keep} the old name: {names}.'
        )
    for reason, why in _WHY.items():
        items = [item for item in left if item.reason == reason]
        if items:
            names = _first([item.source.name for item in items])
            messages.append(f"{_places(items)} left as before ({why}): {names}.")
    return tuple(messages)


def _places(items: list[Left]) -> str:
    count = sum(item.count for item in items)
    return f"{count} place{'s' if count != 1 else ''}"


def _first(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
