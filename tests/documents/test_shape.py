"""Outlines, folds and selections of any text at all."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akm_ls.documents.document import Document, Kind, parse
from akm_ls.documents.folding import folds
from akm_ls.documents.outline import outline
from akm_ls.documents.selection import selections

PARTS = [
    "---\n",
    "a: &x [b, {c: d}]\n",
    "b: *x\n",
    "steps:\n  - id: s\n",
    "params: {p: q}\n",
    '"": x\n',
    "? [k]\n: v\n",
    "# H\n",
    "#### Deep\n",
    "- item\n",
    "  - inner\n",
    "> quote\n",
    "```\n",
    "<!-- c",
    "-->",
    "`code`",
    "[l](t#f)",
    "team//knowledge/x#y",
    "\r",
    "\r\n",
    "\ufeff",
    "\x00",
    "😀",
    "KEY=value\n",
    "\u2028",
    "\ud800",
]
texts = st.lists(st.sampled_from(PARTS), max_size=25).map("".join) | st.text(max_size=60)
kinds = st.sampled_from(["markdown", "yaml", "env", "script", "other"])
types = st.sampled_from([None, "workflow", "task", "skill", "env", "secret"])


@given(text=texts, kind=kinds, asset_type=types)
@example(text="---\nsteps: &a\n  - id: 1\nx: *a\n---\n", kind="markdown", asset_type="workflow")
def test_every_text_has_a_shape(text: str, kind: Kind, asset_type: str | None) -> None:
    document = parse(text, kind)
    whole = len(text)
    for top in outline(document, asset_type):
        for item, _ in top.walk():
            assert item.name.strip()
            assert 0 <= item.span.start <= item.selection.start
            assert item.selection.end <= item.span.end <= whole
    last = len(document.lines) - 1
    starts = [fold.start for fold in folds(document)]
    assert starts == sorted(set(starts))
    assert all(0 <= fold.start < fold.end <= last for fold in folds(document))
    for offset in range(0, whole + 1, 3):
        chain = selections(document, offset)
        assert chain[-1] == (0, whole)
        for inner, outer in itertools.pairwise(chain):
            assert outer.start <= inner.start <= inner.end <= outer.end
            assert inner != outer


def test_a_value_of_an_env_file_is_in_no_outline() -> None:
    text = "KEY='-----BEGIN\nMIIEvQIBADANBg==\nINNER=1\n'\nOTHER=secret\n"
    names = [item.name for item in outline(parse(text, "env"))]
    assert names == ["KEY", "OTHER"]
    assert outline(parse("A=secret\n", "other"), "env")[0].name == "A"
    assert outline(parse("# secret\n"), "secret") == ()


LARGE = [
    "- x\n" * 20_000,
    "".join(f"{' ' * (n % 400)}- x\n" for n in range(5_000)),
    "# H\n" * 20_000,
    "`a` " * 30_000,
    "---\n" + "a:\n  - b\n" * 5_000 + "---\n",
    "<!--\n" * 20_000,
    "[a](b) " * 20_000,
]


@pytest.mark.parametrize("text", LARGE, ids=lambda text: repr(text[:8]))
def test_large_documents_are_no_trap(text: str) -> None:
    document = Document(text)
    began = time.perf_counter()
    assert outline(document) is not None
    assert folds(document) is not None
    for offset in (0, len(text) // 2, len(text)):
        assert selections(document, offset)
    # Anything that grows with the square takes minutes.
    assert time.perf_counter() - began < 20
