"""Names of columns and codes: places side by side, rows filled by name."""

from __future__ import annotations

import pytest

from locodyn.record import codes, filled, record


def test_columns_stand_side_by_side() -> None:
    first = record(rotation=9, position=3)
    both = record(first, twist=6, modes=0)
    assert (first.rotation, first.position, first.size) == (0, 9, 12)
    assert (both.position, both.twist, both.modes, both.size) == (9, 12, 18, 18)


def test_a_row_is_filled_by_name_in_any_order() -> None:
    columns = record(place=3, stiffness=1, damping=1)
    assert filled(columns, damping=2.0, place=(1.0, 0.0, -1.0)) == (1.0, 0.0, -1.0, 0.0, 2.0)
    with pytest.raises(AttributeError):
        filled(columns, stifness=1.0)
    with pytest.raises(ValueError, match="'place' of a record has 3 columns; 4 numbers are given"):
        filled(columns, place=(1.0, 0.0, -1.0, 2.0))
    with pytest.raises(ValueError, match="'modes' of a record has 0 columns"):
        filled(record(modes=0, stiffness=1), modes=1.0)


def test_codes_count_from_zero() -> None:
    assert tuple(codes("thrust", "drag", "anchor")) == (0, 1, 2)
    assert codes("thrust", "drag").drag == 1
