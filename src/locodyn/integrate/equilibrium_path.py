"""Equilibrium paths by arc length (Riks 1979; Keller 1977): past limit points, where loads fall while the robot goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.integrate.balance import Balance, newton
from locodyn.integrate.statics import Equilibrium, result_of
from locodyn.kernel.entry import numbers
from locodyn.locomotion.problem import Problem

_STRAIGHT = 0.95  # cosine of the angle that a path may turn in one step


def equilibrium_path(
    problem: Problem,
    q0: Any | None = None,
    t: float = 0.0,
    *,
    arc: float,
    points: int = 100,
    load_scale: float = 1.0,
    until: Callable[[Equilibrium], bool] | None = None,
    tolerance: float = 1e-10,
) -> list[Equilibrium]:
    """Equilibria along the path that starts at zero load, past limit points (snap-through), by arc length.

    Parameters
    ----------
    arc : float
        Length of a step: sqrt(|u|^2 + (load_scale * change of load)^2), u the change of the coordinates.
    points : int
        How many points at most.
    until : function of an equilibrium that says when to stop.
    """
    for what, value in (("the arc length", arc), ("the load scale", load_scale)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{what} is {value!r}; it must be a positive number.")
    if problem.constraints.rows:
        raise InputError("an equilibrium path takes robots without wheels, contacts or loops.")
    balance = Balance(problem, t)
    q = problem.model.neutral() if q0 is None else problem.model.normalised(numbers(q0, "q0"))
    q, _ = problem.imposed_state(t, q, np.zeros(problem.model.nv))
    found = newton(balance, q, 0.0, tolerance)
    if found is None:
        raise RunError("no equilibrium without loads was found near the start of the path.")
    q, stiffness, iterations = found
    path = [result_of(balance, q, 0.0, stiffness, iterations)]
    n = len(balance.free)
    metric = np.concatenate([np.ones(n), [load_scale**2]])
    load, longest = 0.0, arc
    tangent = _along_path(balance, q, load, np.concatenate([np.zeros(n), [1.0]]), metric)
    while len(path) < points:
        corrected = _corrected(balance, q, load, tangent, metric, arc, tolerance)
        ahead = None if corrected is None else _along_path(balance, corrected[0], corrected[1], tangent, metric)
        # A path that turns sharply within one step may be another one: look closer.
        if corrected is None or ahead is None or ahead @ (metric * tangent) < _STRAIGHT:
            arc *= 0.5
            if arc < 1e-9 * longest:
                raise RunError(f"the equilibrium path was lost at {load:.4g} of the loads.")
            continue
        q, load, stiffness, iterations = corrected
        tangent, arc = ahead, min(longest, 1.4 * arc)
        path.append(result_of(balance, q, load, stiffness, iterations))
        if until is not None and until(path[-1]):
            break
    return path


def _along_path(balance: Balance, q: np.ndarray, load: float, direction: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Unit tangent (n + 1,) of the path at an equilibrium, on the side of ``direction``."""
    n = len(balance.free)
    slope = balance.residual(q, load + 0.5) - balance.residual(q, load - 0.5)  # loads enter linearly
    balance.residual(q, load)
    bordered = np.vstack([np.column_stack([balance.stiffness(q, load), slope]), metric * direction])
    tangent = balance.solved(bordered, np.concatenate([np.zeros(n), [1.0]]))
    return tangent / np.sqrt(tangent @ (metric * tangent))


def _corrected(
    balance: Balance, q: np.ndarray, load: float, tangent: np.ndarray, metric: np.ndarray, arc: float, tolerance: float
) -> tuple[np.ndarray, float, np.ndarray, int] | None:
    """Newton in the plane at the distance ``arc`` along the tangent."""
    n = len(balance.free)
    total = arc * tangent
    for iteration in range(1, 16):
        here, factor = balance.moved(q, total[:n]), load + total[n]
        r = balance.residual(here, factor)
        slope = balance.residual(here, factor + 0.5) - balance.residual(here, factor - 0.5)
        balance.residual(here, factor)
        stiffness = balance.stiffness(here, factor)
        bordered = np.vstack([np.column_stack([stiffness, slope]), metric * tangent])
        step = -balance.solved(bordered, np.concatenate([r, [total @ (metric * tangent) - arc]]))
        if not np.isfinite(step).all() or np.sqrt(step @ (metric * step)) > 2.0 * arc:
            return None
        total = total + step
        if np.sqrt(step @ (metric * step)) <= max(tolerance, 1e-13) * arc:
            return balance.moved(q, total[:n]), load + float(total[n]), stiffness, iteration
    return None
