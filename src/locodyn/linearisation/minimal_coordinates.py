"""Independent coordinates on the constraints: which ones, and how all others follow them to first order.

A coordinate here is a linear function of the nv local coordinates u (or of their rates): one of the robot's own, or a
combination with a name of the user's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.robot.compilation.compiled import CompiledRobot

Coordinates = Sequence[str] | Mapping[str, str | Mapping[str, float]]

_PLACES = {"vx": "x", "vy": "y", "vz": "z", "wx": "roll", "wy": "pitch", "wz": "yaw"}
_DEPENDENT = 1e-6  # what is left of a unit row, after taking away the rows chosen before, when it counts as one of their sums


def place_names(robot: CompiledRobot) -> tuple[str, ...]:
    """Names of the local coordinates (nv): those of the velocities, with ``vx`` .. ``wz`` as ``x`` .. ``yaw`` (body axes)."""
    names = []
    for name in robot.coordinate_names:
        body, dot, last = name.rpartition(".")
        names.append(f"{body}.{_PLACES[last]}" if dot and last in _PLACES else name)
    return tuple(names)


def user_rows(robot: CompiledRobot, chosen: Coordinates | None) -> dict[str, np.ndarray]:
    """Rows (nv,) of the coordinates that the user names.

    ``chosen``: names of coordinates, or {own name: name of a coordinate, or {name of a coordinate: factor}}.
    """
    if chosen is None:
        return {}
    if isinstance(chosen, str):
        chosen = (chosen,)
    wanted = chosen if isinstance(chosen, Mapping) else {name: name for name in chosen}
    places = place_names(robot)
    rows = {}
    for own, parts in wanted.items():
        row = np.zeros(robot.nv)
        for name, factor in ({parts: 1.0} if isinstance(parts, str) else parts).items():
            known = robot.coordinate_names if name in robot.coordinate_names else places
            if name not in known:
                raise InputError(f"robot '{robot.name}' has no coordinate '{name}'{nearest(name, [*places])}")
            row[known.index(name)] += float(factor)
        if not (np.isfinite(row).all() and row.any()):
            raise InputError(f"the coordinate '{own}' is {parts!r}; it must have a finite factor that is not zero.")
        rows[own] = row
    return rows


def choose(rows: np.ndarray, first: int, count: int) -> list[int]:
    """Numbers of ``count`` independent rows of (m, n): of the first ``first`` all that are independent, then the largest ones."""
    rest = rows.copy()
    sizes = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    chosen: list[int] = []

    def take(i: int) -> None:
        chosen.append(i)
        unit = rest[i] / np.linalg.norm(rest[i])
        rest[:] -= np.outer(rest @ unit, unit)
        rest[i] = 0.0

    for i in range(first):
        if len(chosen) < count and np.linalg.norm(rest[i]) > _DEPENDENT * sizes[i] and sizes[i] > 1e-12:
            take(i)
    while len(chosen) < count:
        sizes_left = np.linalg.norm(rest, axis=1)
        sizes_left[:first] = -1.0
        take(int(np.argmax(sizes_left)))
    return chosen
