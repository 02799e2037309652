"""Bundles of arrays: the same tuple for Python, one pointer for compiled code."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

from locodyn.kernel import kernel
from locodyn.kernel.bundle import bundle


@bundle
class Parts(NamedTuple):
    """One of each kind that bundles hold."""

    line: Any
    table: Any
    block: Any
    flags: Any
    numbers: Any
    nothing: Any


@kernel
def total(parts, i):
    """Reads every field, and writes into one."""
    found = 1000.0 if parts.nothing is None else 0.0
    for j in range(parts.table.shape[1]):
        found += parts.line[j] * parts.table[i, j] + parts.block[i, j, 1] * parts.flags[j] + parts.numbers[j]
    parts.table[i, 0] = found
    return found


def parts() -> Parts:
    rng = np.random.default_rng(3)
    flags = np.array([1, 0, 1], dtype=np.int8)
    return Parts(rng.normal(size=3), rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 4)), flags, np.arange(3), None)


def test_fields_are_the_arrays_themselves():
    bundled = parts()
    expected = 1000.0 + bundled.line @ bundled.table[1] + bundled.block[1, :, 1] @ bundled.flags + bundled.numbers.sum()
    np.testing.assert_allclose(total(bundled, 1), expected, rtol=1e-15)
    np.testing.assert_allclose(bundled.table[1, 0], expected, rtol=1e-15)  # written through the pointer


def test_replaced_bundles_have_a_table_of_their_own():
    first = parts()
    before = total(first, 0)
    second = first._replace(line=np.zeros(3), table=first.table.copy())
    assert isinstance(second, Parts)
    assert second.address != first.address
    second.table[0] = 0.0
    np.testing.assert_allclose(total(second, 0), 1000.0 + first.block[0, :, 1] @ first.flags + 3.0, rtol=1e-15)
    assert first.table[0, 0] == before


def test_a_copy_from_a_pickle_points_to_its_own_arrays():
    first = parts()
    first.address  # noqa: B018  the table must not travel
    again = pickle.loads(pickle.dumps(first))
    expected = total(first, 1)
    first.table[:] = np.nan
    np.testing.assert_allclose(total(again, 1), expected, rtol=1e-15)


def test_what_is_not_contiguous_is_refused():
    whole = parts()
    with pytest.raises(TypeError, match="'table' of a bundle is not contiguous"):
        total(whole._replace(table=np.zeros((4, 3))[::2]), 0)
