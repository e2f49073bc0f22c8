"""Two layouts of vectors that give the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from akm_ls.index.vector_rows import MANY, CompactRows, PlainRows, rows_for


def some(count: int, dims: int = 256) -> Any:
    rows = np.random.default_rng(3).normal(size=(count, dims)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def filled(rows: Any, vectors: Any) -> Any:
    rows.put(0, vectors)
    return rows


def test_beyond_fifty_thousand_vectors_take_half_the_space() -> None:
    assert MANY == 50_000
    assert isinstance(rows_for(50_000, 1), PlainRows)
    assert isinstance(rows_for(50_001, 1), CompactRows)


def test_the_products_of_both_are_alike_to_the_fifth_digit() -> None:
    vectors = some(9000)
    plain, compact = filled(PlainRows(9000, 256), vectors), filled(CompactRows(9000, 256), vectors)
    exact = vectors.astype(np.float64) @ vectors[5].astype(np.float64)
    assert np.abs(plain.products(9000, vectors[5]) - exact).max() < 1e-6
    assert np.abs(compact.products(9000, vectors[5]) - exact).max() < 2e-5
    best = np.argsort(-exact)[:20]
    assert list(np.argsort(-compact.products(9000, vectors[5]))[:20]) == list(best)


@pytest.mark.parametrize("layout", [PlainRows, CompactRows])
def test_some_rows_have_the_products_that_they_have_among_all(layout: Any) -> None:
    vectors = some(5000, 64)
    rows = filled(layout(5000, 64), vectors)
    every = rows.products(5000, vectors[1])
    chosen = [4999, 0, 4096, 17]
    assert rows.products_of(chosen, vectors[1]).tolist() == every[chosen].tolist()
    assert rows.products_of([], vectors[1]).tolist() == []


@pytest.mark.parametrize("layout", [PlainRows, CompactRows])
def test_rows_move_and_grow(layout: Any) -> None:
    vectors = some(4, 8)
    rows = filled(layout(4, 8), vectors)
    rows.move(3, 0)
    rows.reserve(100)
    rows.put(99, vectors[:1])
    own = rows.products_of([0, 1, 99], vectors[0])
    assert own == pytest.approx([vectors[3] @ vectors[0], vectors[1] @ vectors[0], 1], abs=1e-4)


@pytest.mark.parametrize("layout", [PlainRows, CompactRows])
def test_a_vector_without_a_direction_is_near_to_nothing(layout: Any) -> None:
    rows = filled(layout(2, 8), np.zeros((2, 8), dtype=np.float32))
    assert rows.products(2, some(1, 8)[0]).tolist() == [0, 0]
