"""What to do with a shown asset, in one line (akm.md §7.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from akm_ls.bundles.entry import Entry

_BY_TYPE = {
    "skill": "Follow the instructions of the content.",
    "command": "Fill in the template's placeholders, then carry it out.",
    "agent": "Hand the whole prompt to an agent, with its model and tools where they are named.",
    "knowledge": "Reference: read the content, or one section of it as REF#fragment.",
    "instruction": "Instructions of the project: read and keep to the content.",
    "memory": "Background: take the content as what was true when it was noted.",
    "workflow": "Go through the steps in their order; akm can run them: `akm workflow run`.",
    "script": "Execute the run command.",
    "task": "A scheduled task: `akm task run` starts it now.",
    "env": "Names of variables only: `akm env run` starts a command with the values in place.",
    "secret": "A name only: `akm secret run` hands the value to a command.",
    "meta": "Orientation: read it before working in the bundle.",
}


def action_of(entry: Entry) -> str:
    """The line for an asset; what its frontmatter says goes into those of some types."""
    maker = _MADE.get(entry.type)
    if maker is not None:
        return maker(entry)
    if entry.type == "script" and not entry.extra.get("run"):
        return "Nothing here says how to run it: read the source."
    return _BY_TYPE.get(entry.type, "Read the content.")


def _lesson(entry: Entry) -> str:
    when = entry.when_to_use or "its description fits"
    return f"Apply when: {when}"


def _fact(entry: Entry) -> str:
    named = [entry.category or "", "pinned" if entry.extra.get("pinned") is True else ""]
    about = ", ".join(filter(None, named))
    return f"Apply as a lasting fact{f' ({about})' if about else ''}."


def _session(entry: Entry) -> str:
    """An earlier session: by which tool, about which project, when, and where its log is."""
    extra = {key: str(value) for key, value in entry.extra.items() if isinstance(value, str)}
    dates = [extra[key] for key in ("startedAt", "endedAt") if extra.get(key)]
    parts = [
        f"by {extra['harness']}" if extra.get("harness") else "",
        f"about {extra['project']}" if extra.get("project") else "",
        " to ".join(dates),
        f"log: {extra['logPath']}" if extra.get("logPath") else "",
    ]
    about = ", ".join(filter(None, parts))
    return f"Summary of an earlier session{f' ({about})' if about else ''}."


_MADE: dict[str, Callable[[Entry], str]] = {
    "lesson": _lesson,
    "fact": _fact,
    "session": _session,
}
