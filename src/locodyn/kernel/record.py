"""A record: the columns of an array by name, where one array is kept for speed.

A recursion that goes from frame to frame reads all that it has of one frame at once. Its workspace is therefore one array with a
row for each frame, not one array for each quantity (as in a :mod:`bundle <locodyn.kernel.bundle>`), and a record says what stands
where in a row:

    WORK = record(rotation=9, position=3, twist=6)

``WORK.twist`` is the first column of the twist (12), ``WORK.size`` the number of columns (18). For a kernel these are constants.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any


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
    make: Any = namedtuple  # for type checkers, which want the names of the fields in the source
    return make("Record", [*columns, "size"])(**columns, size=end)
