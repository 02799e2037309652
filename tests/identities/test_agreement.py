"""Choices of robots in lanes: answers that all have in common, places that each has of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn.kernel import compiled
from locodyn.kernel.agreement import (
    RobotsPart,
    at_most,
    differs,
    exchange,
    exchange_in,
    first_of,
    first_place,
    larger,
    less,
    magnitude,
    part,
    picked,
    picked_from,
    place,
)
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.dense import pivoted_qr, smallest_step
from locodyn.kernel.lanes import WIDTH, as_lanes, lane_blocks


class Factors(Bundle):
    """What :func:`~locodyn.kernel.dense.smallest_step` asks for."""

    factor: np.ndarray
    basis: np.ndarray
    order: np.ndarray
    ordered: np.ndarray
    coefficients: np.ndarray


def room(*shape: int) -> np.ndarray:
    """Zeros of all robots of a register."""
    return lane_blocks(1, *shape)[0]


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape)


def lanes(*values: float) -> np.ndarray:
    """One number of each robot."""
    block = room(1)
    block[0] = values
    return block


@compiled
def answers(a, b, out):
    x, y = as_lanes(a), as_lanes(b)
    out[0] = less(x[0], y[0])
    out[1] = at_most(x[0], y[0])
    out[2] = differs(x[0], y[0])


@compiled
def answers_of_one(a, b, out):
    out[0] = less(a, b)
    out[1] = at_most(a, b)
    out[2] = differs(a, b)


@compiled
def parts(a):
    x = as_lanes(a)
    part(a[0, 0])
    part(x[0])


def test_an_answer_is_one_for_all_lanes() -> None:
    """As each robot alone would answer, also for infinite numbers; where lanes answer differently, and beside NaN, they part."""
    numbers = (-1.0, 0.0, 2.0, np.inf, np.nan)
    for a in numbers:
        for b in numbers:
            in_lanes, alone = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
            answers(lanes(*[a] * WIDTH), lanes(*[b] * WIDTH), in_lanes)
            answers_of_one(a, b, alone)
            assert list(in_lanes) == list(alone) == [a < b, a <= b, a != b]
    for other in (3.0, np.nan):
        with pytest.raises(RobotsPart):
            answers(lanes(*[1.0] * (WIDTH - 1), other), lanes(*[2.0] * WIDTH), np.zeros(3, dtype=np.int64))
    with pytest.raises(RobotsPart):
        parts(lanes(1.0, 1.0, 1.0, 1.0))


@compiled
def moves(block, best, shared, out):
    a, order, result = as_lanes(block), as_lanes(best), as_lanes(out)
    for i in range(2):
        exchange_in(a, i, 0, order[0])
    result[0] = picked(shared, order[0])
    result[1] = picked(a[0], order[0])
    result[2] = picked_from(a, order[1], 2)
    result[3] = larger(magnitude(a[0, 0]), a[1, 0])
    result[4] = place(a[0, 0], 3)
    exchange(order, 0, order[1])
    out[5, 0] = first_of(a[0, 0])
    out[5, 1] = first_place(order[1])


def test_each_lane_has_places_of_its_own() -> None:
    """Columns, rows and entries that change places, or are read, robot by robot: against NumPy."""
    random = np.random.default_rng(3)
    block, shared, out = room(2, 3), np.array([10, 20, 30]), room(6)
    block[:] = random.standard_normal(block.shape)
    before, best = block.copy(), room(2)
    best[:] = [[0, 1, 2, 1], [1, 0, 1, 0]]
    chosen = best.astype(int)
    moves(block, best, shared, out)
    for m in range(WIDTH):
        k, row = chosen[:, m]
        expected = before[..., m].copy()
        expected[:, [0, k]] = expected[:, [k, 0]]
        np.testing.assert_array_equal(block[..., m], expected)
        numbers = [shared[k], expected[0, k], expected[row, 2], max(abs(expected[0, 0]), expected[1, 0]), 3.0]
        np.testing.assert_array_equal(out[:5, m], numbers)
        assert tuple(best[:, m]) == ((row, k) if row == 1 else (k, row))
    assert out[5, 0] == block[0, 0, 0] and out[5, 1] == best[1, 0]


@compiled
def solved(factors, rows, columns, tolerance, b, x):
    rank = pivoted_qr(factors.factor, rows, columns, factors.basis, factors.order, tolerance, 0.0, 0, 0.0, 0)
    smallest_step(factors, rows, columns, rank, b, x)
    return rank


@compiled
def solved_in_lanes(factors, rows, columns, tolerance, b, x):
    many = as_lanes(factors)
    right = as_lanes(b)
    step = as_lanes(x)
    scale = right[0] * 0.0
    rank = pivoted_qr(many.factor, rows, columns, many.basis, many.order, tolerance, scale, 0, scale, 0)
    smallest_step(many, rows, columns, rank, right, step)
    return rank


def factors_of(make: Callable[..., Any], rows: int, columns: int, order: Any) -> Factors:
    """Room for one matrix, or for one of each robot."""
    return Factors(
        factor=make(rows, columns), basis=make(rows, rows), order=order, ordered=make(columns), coefficients=make(rows)
    )


@pytest.mark.parametrize(("rows", "columns", "rank"), [(3, 2, 2), (3, 5, 3), (5, 4, 2)])
def test_matrices_of_robots_with_other_pivots_are_factored_together(rows: int, columns: int, rank: int) -> None:
    """Pivots, factors and smallest steps have the bits of matrices one by one, also of columns as long as each other."""
    random = np.random.default_rng(rows + columns)
    orders = set()
    for _ in range(20):
        matrices = random.standard_normal((WIDTH, rows, rank)) @ random.standard_normal((WIDTH, rank, columns))
        # Columns of one length: the first one is the pivot, or the one that round-off lengthens.
        matrices[1, :, -1] = -matrices[1, :, 0] if columns > rank else matrices[1, ::-1, 0]
        right = random.standard_normal((WIDTH, columns))
        many, b, x = factors_of(room, rows, columns, room(columns)), room(columns), room(rows)
        many.factor[:], b[:] = np.moveaxis(matrices, 0, -1), right.T
        found = solved_in_lanes(many, rows, columns, 1e-9, b, x)
        for m in range(WIDTH):
            one, step = factors_of(zeros, rows, columns, np.zeros(columns, dtype=np.int64)), np.zeros(rows)
            one.factor[:] = matrices[m]
            assert solved(one, rows, columns, 1e-9, right[m].copy(), step) == found == min(rank, rows)
            for name in ("factor", "basis", "order", "ordered", "coefficients"):
                np.testing.assert_array_equal(getattr(many, name)[..., m], getattr(one, name))
            np.testing.assert_array_equal(x[:, m], step)
            size = np.abs(matrices[m]).max()
            np.testing.assert_allclose(
                one.basis @ one.factor, matrices[m][:, one.order], atol=1e-8 * size
            )  # the tolerance of the rank
            orders.add((m, *one.order[:rank]))
    assert len({order[1:] for order in orders}) > 1


def test_matrices_of_other_rank_part() -> None:
    matrices = np.random.default_rng(1).standard_normal((WIDTH, 3, 2))
    matrices[2, :, 1] = 2.0 * matrices[2, :, 0]
    many = factors_of(room, 3, 2, room(2))
    many.factor[:] = np.moveaxis(matrices, 0, -1)
    with pytest.raises(RobotsPart):
        solved_in_lanes(many, 3, 2, 1e-9, room(2), room(3))
