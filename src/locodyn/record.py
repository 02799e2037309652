"""Records and codes: the columns of an array, and the kinds that a column of whole numbers tells apart, by name.

A recursion that goes from frame to frame reads all that it has of one frame at once. Its workspace is therefore one array with a
row for each frame, not one array for each quantity (as in a :mod:`bundle <locodyn.kernel.bundle>`), and a record says what stands
where in a row:

    WORK = record(rotation=9, position=3, twist=6)

``WORK.twist`` is the first column of the twist (12), ``WORK.size`` the number of columns (18). Tables that describe robots, laws
and fields are named the same way. For a kernel these are constants.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

_make: Any = namedtuple  # for type checkers, which want the names of the fields in the source


def record(before: Any = None, /, **widths: int) -> Any:
    """The first column of each field, in this order and side by side, and the number of columns as ``size``.

    ``before``: a record whose fields come first.

    >>> MOTION = record(twist=6, acceleration=6)
    >>> MOTION.acceleration, MOTION.size
    (6, 12)
    >>> record(MOTION, wrench=6).wrench
    12
    """
    columns: dict[str, int] = {} if before is None else before._asdict()
    end = columns.pop("size", 0)
    for name, width in widths.items():
        columns[name] = end
        end += width
    return _make("Record", [*columns, "size"])(**columns, size=end)


def filled(columns: Any, **values: Any) -> tuple[Any, ...]:
    """One row in the order of the ``columns`` of a record: numbers, or tuples of them, by name; what is not given is zero.

    More numbers than a field has columns would stand in the next one: a ValueError.

    >>> filled(record(place=3, stiffness=1), stiffness=5.0)
    (0.0, 0.0, 0.0, 5.0)
    """
    row: list[Any] = [0.0] * columns.size
    for name, value in values.items():
        entries = value if isinstance(value, tuple) else (value,)
        first = getattr(columns, name)
        width = columns[columns._fields.index(name) + 1] - first
        if len(entries) > width:
            raise ValueError(f"'{name}' of a record has {width} columns; {len(entries)} numbers are given.")
        row[first : first + len(entries)] = entries
    return tuple(row)


def codes(*names: str) -> Any:
    """The numbers 0, 1, ... of kinds by name.

    >>> LAW = codes("thrust", "drag")
    >>> LAW.drag
    1
    """
    return _make("Codes", names)(*range(len(names)))
