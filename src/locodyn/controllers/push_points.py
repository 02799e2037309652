"""Push points of a run: contacts with obstacles whose force drives the robot forward (Transeth 2007, 5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.motion.base import finite

if TYPE_CHECKING:
    from locodyn.sim import Result


class PushPoint(NamedTuple):
    """A contact that pushes."""

    contact: str
    body: str
    obstacle: str
    force: np.ndarray  # (3,) N, mean over the time looked at
    forward: float  # N, its part along the course


def push_points(
    result: Result,
    begin: float | None = None,
    end: float | None = None,
    *,
    direction: Any = None,
    obstacles: str = "peg",
    least: float = 0.1,
) -> list[PushPoint]:
    """Contacts with a mean force forward, the largest first.

    Parameters
    ----------
    begin, end : s
        Time looked at; by default the whole run.
    direction : rad or (3,), optional
        Course; by default where the mass centre goes in that time.
    obstacles : str
        Word in the names of obstacles that count.
    least : N
        Smaller forward forces do not count.
    """  # fmt: skip
    forces, names, rows = obstacle_forces(result, obstacles, begin, end)
    course = _course(result, rows, direction)
    mean = forces[rows].mean(axis=0)
    forward = mean @ course
    order = [n for n in np.argsort(-forward) if forward[n] > finite(least, "the least force of a push point")]
    return [PushPoint(names[n], *_sides(names[n]), mean[n], float(forward[n])) for n in order]


def push_count(result: Result, *, direction: Any = None, obstacles: str = "peg", least: float = 0.1) -> np.ndarray:
    """Number of push points at every record, (N,)."""
    forces, _, rows = obstacle_forces(result, obstacles)
    found: np.ndarray = np.sum(forces @ _course(result, rows, direction) > least, axis=1)
    return found


def obstacle_forces(
    result: Result, obstacles: str = "peg", begin: float | None = None, end: float | None = None
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Forces (N, n, 3) of contacts with obstacles of this word, names (n), and which records lie between the times (N,)."""
    if "contact_force" not in result.dataset:
        raise InputError("the result has no contact forces; run a robot with surfaces and obstacles.")
    all_names = [str(name) for name in result.contact.values]
    chosen = [n for n, name in enumerate(all_names) if obstacles in name.split(" on ")[-1]]
    if not chosen:
        raise InputError(
            f"no contact of the result is with an obstacle called '{obstacles}...'; it has {', '.join(all_names[:3])}."
        )
    times = result.time.values
    rows = (times >= (-math.inf if begin is None else begin)) & (times <= (math.inf if end is None else end))
    if not rows.any():
        raise InputError(f"the result has no record between {begin} s and {end} s; it ends at {times[-1]:g} s.")
    return result.contact_force.values[:, chosen], [all_names[n] for n in chosen], rows


def _course(result: Result, rows: np.ndarray, direction: Any) -> np.ndarray:
    if direction is None:
        centre = result.mass_centre.values[rows]
        direction = centre[-1] - centre[0]
    vector = np.asarray(direction, dtype=float)
    if vector.ndim == 0:
        vector = np.array([math.cos(float(vector)), math.sin(float(vector)), 0.0])
    size = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not size > 0.0:
        raise InputError(f"the course is {direction!r}; it must be an angle (rad) or a direction of three numbers, not all zero.")
    return vector / size


def _sides(name: str) -> tuple[str, str]:
    """Body and obstacle of ``link_3.surface on peg_2``."""
    surface, _, obstacle = name.partition(" on ")
    return surface.split(".")[0], obstacle
