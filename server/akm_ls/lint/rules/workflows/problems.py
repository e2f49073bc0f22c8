"""Collecting what is wrong with a workflow, and the checks that every value shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from akm_ls.documents.document import Document
from akm_ls.documents.nodes import Mapping, Node, Scalar, Sequence
from akm_ls.documents.text import Span
from akm_ls.index.matching import nearest_names
from akm_ls.lint.finding import Fix, TextEdit


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. ``key`` names what it is about: a dotted key, or a step or section."""

    message: str
    span: Span
    key: str
    fixes: tuple[Fix, ...] = ()


@dataclass
class Checker:
    """Problems of one document; ``where`` starts each message, such as ``Step "build": ``."""

    document: Document
    where: str = ""
    found: list[Problem] = field(default_factory=list)

    def at(self, where: str) -> Checker:
        """The same collection, for another part of the document."""
        return Checker(self.document, where, self.found)

    def report(self, message: str, span: Span, key: str, *fixes: Fix) -> None:
        if not self.where:
            message = message[:1].upper() + message[1:]
        self.found.append(Problem(f"{self.where}{message}", span, key, fixes))

    def mapping(
        self, node: Node | None, name: str, allowed: tuple[str, ...] | None = None
    ) -> Mapping | None:
        """The mapping a key holds, after a look at its keys; ``None`` for anything else."""
        if node is None:
            return None
        if not isinstance(node, Mapping):
            self.report(f"`{name}` must be a mapping of keys and values.", node.span, name)
            return None
        self.keys(node, f"{name}.", allowed)
        return node

    def keys(self, node: Mapping, prefix: str, allowed: tuple[str, ...] | None) -> None:
        """Keys that stand twice, and keys that are not ``allowed``."""
        seen: set[str] = set()
        for pair in node.pairs:
            key = pair.key.text
            name = f"{prefix}{key}"
            if key in seen:
                self.report(f"`{name}` is set twice. Remove one of them.", pair.key.span, name)
            elif allowed is not None and key not in allowed:
                nearest = nearest_names(key, allowed, 1)
                advice = (
                    f"Did you mean `{nearest[0]}`?"
                    if nearest
                    else (f"Remove it; what may stand here is {', '.join(allowed)}.")
                )
                self.report(
                    f"there is no key `{name}`. {advice}",
                    pair.key.span,
                    name,
                    *(
                        Fix(f"Rename to `{other}`", (TextEdit(pair.key.span, other),))
                        for other in nearest
                        if other not in node
                    ),
                )
            seen.add(key)

    def text(self, node: Node | None, name: str, *, blank: bool = True) -> str | None:
        """The text a key holds; ``blank`` is whether it may be empty."""
        if node is None:
            return None
        if isinstance(node, Scalar) and isinstance(node.plain, str):
            if blank or node.text.strip():
                return node.text
            self.report(f"`{name}` is empty.", node.span, name)
            return None
        if isinstance(node, Scalar) and node.plain is None:
            self.report(f"`{name}` is empty.", node.span, name)
            return None
        fixes: tuple[Fix, ...] = ()
        if isinstance(node, Scalar) and "\n" not in node.text:
            fixes = (Fix("Put it in quotes", (TextEdit(node.span, f'"{node.text}"'),)),)
        self.report(f"`{name}` must be a text.", node.span, name, *fixes)
        return None

    def one_of(self, node: Node | None, name: str, choices: tuple[str, ...]) -> None:
        if node is None or (isinstance(node, Scalar) and node.text in choices):
            return
        text = node.text if isinstance(node, Scalar) else ""
        nearest = nearest_names(text, choices, 1) if text else ()
        self.report(
            f"`{name}` must be {_or(choices)}.",
            node.span,
            name,
            *(Fix(f"Replace by `{other}`", (TextEdit(node.span, other),)) for other in nearest),
        )

    def integer(self, node: Node | None, name: str, low: int, high: int | None = None) -> None:
        if node is None:
            return
        value = node.plain if isinstance(node, Scalar) else None
        right = isinstance(value, int) and not isinstance(value, bool) and value >= low
        if right and (high is None or int(str(value)) <= high):
            return
        bounds = f"from {low} to {high}" if high is not None else f"of {low} or more"
        self.report(f"`{name}` must be a whole number {bounds}.", node.span, name)

    def number(self, node: Node | None, name: str) -> None:
        value = node.plain if isinstance(node, Scalar) else None
        if node is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            self.report(f"`{name}` must be a number.", node.span, name)

    def boolean(self, node: Node | None, name: str) -> None:
        if node is not None and not (isinstance(node, Scalar) and isinstance(node.plain, bool)):
            self.report(f"`{name}` must be true or false.", node.span, name)

    def items(
        self, node: Node | None, name: str, *, most: int | None = None, empty: bool = False
    ) -> tuple[Node, ...]:
        """The items of a list; ``empty`` is whether it may have none."""
        if node is None:
            return ()
        if not isinstance(node, Sequence):
            self.report(f"`{name}` must be a list.", node.span, name)
            return ()
        if not node.items and not empty:
            self.report(f"`{name}` is an empty list. Fill it, or remove it.", node.span, name)
        if most is not None and len(node.items) > most:
            extra = node.items[most]
            self.report(
                f"`{name}` has {len(node.items)} items; {most} are allowed.", extra.span, name
            )
        return node.items

    def size(self, node: Node | None, name: str, most: int) -> None:
        """How much YAML a value is, in bytes."""
        if node is None or node.span.end - node.span.start <= most // 4:
            return
        size = len(node.span.of(self.document.text).encode("utf-8", "surrogatepass"))
        if size > most:
            first = self.document.lines.line_span(self.document.lines.line_of(node.span.start))
            self.report(
                f"`{name}` has {size // 1024} KiB; {most // 1024} KiB are allowed.",
                Span(node.span.start, max(node.span.start, first.end)),
                name,
            )


def _or(choices: tuple[str, ...]) -> str:
    if len(choices) == 1:
        return choices[0]
    return f"{', '.join(choices[:-1])} or {choices[-1]}"
