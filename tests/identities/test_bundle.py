"""Bundles: named arrays, numbers and bundles for Python, one pointer for compiled code."""

from __future__ import annotations

import copy
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest

from locodyn.kernel import compiled, portable
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.lanes import WIDTH, as_lanes, lane_blocks
from locodyn.kernel.twin import twin


class Inner(Bundle):
    """A bundle within a bundle."""

    weights: np.ndarray
    scale: float = 2.0
    calls: int = 0


class Parts(Bundle):
    """One of each kind that bundles hold."""

    line: np.ndarray
    count: int = 0
    table: np.ndarray
    block: np.ndarray
    tolerance: float = 1e-3
    flags: np.ndarray
    numbers: np.ndarray
    inner: Inner | None = None
    nothing: np.ndarray | None = None


@compiled
def total(parts, i):
    """Reads every array, and writes into one."""
    found = 1000.0 if parts.nothing is None else 0.0
    for j in range(parts.table.shape[1]):
        found += parts.line[j] * parts.table[i, j] + parts.block[i, j, 1] * parts.flags[j] + parts.numbers[j]
    parts.table[i, 0] = found
    return found


@compiled(called=True)
def weigh(inner, x):
    """Numbers of a bundle, changed by a routine that is called."""
    inner.calls += 1
    inner.scale = inner.scale + x
    return inner.scale * inner.weights[0]


@compiled
def use_numbers(parts, x):
    """Numbers and a bundle within a bundle: read, written, and read again after a call has changed them."""
    parts.tolerance *= x
    for _ in range(3):
        parts.count += 1
    first = weigh(parts.inner, x)
    parts.inner.calls += 10
    return first + parts.tolerance + parts.inner.scale + parts.count


@compiled
def has_inner(parts):
    """Whether there is a bundle inside."""
    return parts.inner is not None


@compiled
def exchange(parts):
    """What no kernel may do."""
    parts.line = parts.line


class Block(Bundle):
    """Several robots, the last axis of the arrays."""

    line: np.ndarray
    table: np.ndarray
    shift: float = 0.5


@portable
def multiply(block):
    """The same body for one robot, and for robots in lanes."""
    for j in range(block.line.shape[0]):
        block.line[j] = block.line[j] * block.table[1, j] + block.shift


@compiled
def multiply_lanes(block):
    """All robots of a block."""
    multiply(as_lanes(block))


def parts(inner: Inner | None = None) -> Parts:
    rng = np.random.default_rng(3)
    return Parts(
        line=rng.normal(size=3),
        table=rng.normal(size=(2, 3)),
        block=rng.normal(size=(2, 3, 4)),
        flags=np.array([1, 0, 1], dtype=np.int8),
        numbers=np.arange(3),
        inner=inner,
    )


def test_fields_are_the_arrays_themselves():
    bundled = parts()
    expected = 1000.0 + bundled.line @ bundled.table[1] + bundled.block[1, :, 1] @ bundled.flags + bundled.numbers.sum()
    np.testing.assert_allclose(total(bundled, 1), expected, rtol=1e-15)
    np.testing.assert_allclose(bundled.table[1, 0], expected, rtol=1e-15)  # written through the pointer


def test_numbers_are_shared_by_python_and_kernels():
    """One word each: what a kernel writes Python reads, and the other way round; the same code runs as plain Python."""
    for function in (use_numbers, twin(use_numbers)):
        bundled = parts(Inner(weights=np.array([0.5])))
        assert (bundled.tolerance, bundled.count, bundled.inner.scale) == (1e-3, 0, 2.0)
        bundled.tolerance = 0.25
        bundled.inner.calls = 5
        found = function(bundled, 3.0)
        assert found == 5.0 * 0.5 + 0.75 + 5.0 + 3  # exact in binary
        assert (bundled.tolerance, bundled.count, bundled.inner.scale, bundled.inner.calls) == (0.75, 3, 5.0, 16)
        assert isinstance(bundled.count, int)
        assert isinstance(bundled.tolerance, float)


def test_a_bundle_that_is_missing_makes_another_kernel():
    assert has_inner(parts(Inner(weights=np.ones(1))))
    assert not has_inner(parts())


def test_replaced_bundles_have_a_table_of_their_own():
    first = parts()
    before = total(first, 0)
    second = replace(first, line=np.zeros(3), table=first.table.copy(), count=4)
    assert isinstance(second, Parts)
    assert second.address != first.address
    assert (first.count, second.count, second.tolerance) == (0, 4, 1e-3)
    second.table[0] = 0.0
    np.testing.assert_allclose(total(second, 0), 1000.0 + first.block[0, :, 1] @ first.flags + 3.0, rtol=1e-15)
    assert first.table[0, 0] == before


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_a_copy_points_to_its_own_arrays(again):
    first = parts(Inner(weights=np.array([0.5])))
    first.count = 7
    total(first, 0)  # the table is filled, and must not travel
    other = again(first)
    assert other.count == 7
    expected = total(first, 1)
    first.table[:] = np.nan
    first.inner.weights[:] = np.nan
    np.testing.assert_allclose(total(other, 1), expected, rtol=1e-15)
    assert np.isfinite(use_numbers(other, 1.0))


def test_what_is_not_contiguous_is_refused():
    with pytest.raises(TypeError, match="'table' of Parts is not contiguous"):
        total(replace(parts(), table=np.zeros((4, 3))[::2]), 0)


class Rows(Bundle):
    """An array whose last extent the compiler knows."""

    table: np.ndarray = columns(3)


@compiled
def middle_of_row(rows, i):
    """Place of row i from the known extent, and that extent."""
    return rows.table[i, 1], rows.table.shape[1]


def test_columns_that_never_change_are_known_to_the_compiler():
    """Row i is found by the extent of the class; arrays with another one are refused."""
    for count in (1, 4):
        table = np.arange(3.0 * count).reshape(count, 3)
        assert middle_of_row(Rows(table=table), count - 1) == (table[count - 1, 1], 3)
    assert len(middle_of_row.signatures) == 1
    with pytest.raises(TypeError, match="has 4 columns, not 3"):
        middle_of_row(Rows(table=np.zeros((2, 4))), 0)


def test_bundles_that_look_alike_share_their_type():
    """To make a type takes longer than most calls, and each record of a run is a new bundle."""
    first, second = (Inner(weights=np.zeros(size)) for size in (2, 5))
    assert first._numba_type_ is second._numba_type_
    for other in (np.zeros((2, 2)), np.zeros(2, dtype=np.int64)):
        assert Inner(weights=other)._numba_type_ != first._numba_type_
    with pytest.raises(TypeError, match="field 'weights' of Inner is"):
        Inner(weights=3.0)._numba_type_  # noqa: B018


def test_arrays_are_not_exchanged():
    """Addresses are read once by compiled code: an array that took the place of another would not be seen."""
    bundled = parts()
    with pytest.raises(AttributeError, match="'line' of Parts keeps its array"):
        bundled.line = np.zeros(3)
    with pytest.raises(AttributeError, match="no field 'tolerence'"):
        bundled.tolerence = 1.0
    with pytest.raises(Exception, match="'line' of a bundle keeps its array"):
        exchange(bundled)


def test_a_call_runs_no_python():
    """However many arrays a bundle has: type and address are attributes that Numba's dispatcher reads in C."""
    bundled, called = parts(), []
    has_inner(bundled)
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        has_inner(bundled)
    finally:
        sys.setprofile(None)
    assert set(called) <= {"has_inner"}  # which reports itself


def test_a_block_of_robots_is_a_bundle_of_lanes():
    """The table stays: addresses are the same, and the extents of an array of lanes are the first ones of its block."""
    rng = np.random.default_rng(1)
    block = Block(line=lane_blocks(1, 3)[0], table=lane_blocks(1, 2, 3)[0])
    block.line[:], block.table[:] = rng.normal(size=(3, WIDTH)), rng.normal(size=(2, 3, WIDTH))
    robots = [
        Block(line=np.ascontiguousarray(block.line[:, r]), table=np.ascontiguousarray(block.table[..., r])) for r in range(WIDTH)
    ]
    multiply_lanes(block)
    for r, robot in enumerate(robots):
        multiply(robot)
        np.testing.assert_array_equal(block.line[:, r], robot.line)  # the same IEEE operations in each lane
