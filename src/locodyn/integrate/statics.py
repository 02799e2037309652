"""Equilibrium: configurations at which nothing accelerates, of rigid robots and rods alike.

Newton's method on r(q) = 0 with the exact tangent stiffness K = dr/dq, damped by the natural monotonicity test (Deuflhard 2004,
3.1.4): a step d is shortened until the next simplified step K^-1 r(q (+) lambda d) is smaller. Loads (gravity, wrench laws,
forces of actuators) may be brought up step by step, or followed along an equilibrium path by arc length (Riks 1979; Keller 1977).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.kernel.entry import numbers
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import Tangent, motion_residual, motion_tangent, new_tangent
from locodyn.shape.configuration import configuration_difference, moved_configuration

MOST_ITERATIONS = 60
_SHORTEST = 1e-4  # of a Newton step
_SMALLEST_LOAD = 1e-6
_STRAIGHT = 0.95  # cosine of the angle that a path may turn in one step


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium.

    ``q`` (nq,); ``load`` factor of the loads; ``stiffness`` (nv, nv) tangent along velocities, imposed coordinates included as
    unit rows; ``eigenvalues`` (nfree,) of the symmetric part of the stiffness, its diagonal scaled to +-1, ascending: their
    signs are what counts; ``iterations`` of Newton; ``residual``: what is left, largest entry.
    """

    q: np.ndarray
    load: float
    stiffness: np.ndarray
    eigenvalues: np.ndarray
    iterations: int
    residual: float

    @property
    def stable(self) -> bool:
        """Whether the equilibrium is a minimum of the potential energy (for loads that have one)."""
        return bool(self.eigenvalues.size == 0 or self.eigenvalues[0] > 0.0)


class _Balance:
    """r(q, load) and its tangent for one problem at one time."""

    def __init__(self, problem: Problem, t: float) -> None:
        if problem.constraints.rows:
            raise InputError("statics takes robots without wheels, contacts or loops; hold them by imposed coordinates instead.")
        self.problem, self.t = problem, float(t)
        self.room: Tangent = new_tangent(problem.model)
        self.zero = np.zeros(problem.model.nv)
        self.free = np.flatnonzero(problem.drive != IMPOSED)
        self.plain = problem.arrays

    def prepared(self, q: np.ndarray, load: float) -> Any:
        """Inputs at the configuration, arrays with gravity times the load."""
        self.problem.read_inputs(self.t, q, self.zero)
        self.problem.inputs.command[:] *= load
        return self.plain._replace(gravity=load * self.plain.gravity)

    def residual(self, q: np.ndarray, load: float) -> np.ndarray:
        p = self.prepared(q, load)
        motion_residual(p, self.problem.inputs, q, self.zero, self.zero, self.problem.workspace, self.room, load)
        return self.room.residual[self.free].copy()

    def stiffness(self, q: np.ndarray, load: float) -> np.ndarray:
        """K at the configuration of the last residual."""
        p = self.prepared(q, load)
        motion_tangent(p, self.problem.inputs, q, self.zero, self.zero, self.problem.workspace, self.room, load, 1)
        return self.room.by_q[np.ix_(self.free, self.free)].copy()

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        u, result = np.zeros(self.problem.model.nv), np.empty_like(q)
        u[self.free] = step
        moved_configuration(self.problem.model.frames, q, u, result)
        return result

    def difference(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        u = np.empty(self.problem.model.nv)
        configuration_difference(self.problem.model.frames, q0, q1, u)
        return u[self.free]

    def solved(self, matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
        try:
            return np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            raise RunError(
                "the stiffness of the robot is singular: something can move without resistance; hold it by an imposed coordinate"
                " or a spring, or start from a bent shape."
            ) from None


def _weights(stiffness: np.ndarray) -> np.ndarray:
    """Square roots of the diagonal: lengths of steps compare as energies do, whatever the units of the coordinates."""
    diagonal = np.abs(np.diag(stiffness))
    return np.sqrt(np.maximum(diagonal, 1e-12 * diagonal.max(initial=1e-300)))


def _newton(balance: _Balance, q: np.ndarray, load: float, tolerance: float) -> tuple[np.ndarray, np.ndarray, int] | None:
    """(q, K, iterations) of the equilibrium near q, or None when Newton gets stuck."""
    r = balance.residual(q, load)
    damping, last = 1.0, False
    for iteration in range(1, MOST_ITERATIONS + 1):
        stiffness = balance.stiffness(q, load)
        if not np.isfinite(stiffness).all():
            return None
        weights = _weights(stiffness)
        step = -balance.solved(stiffness, r)
        size = float(np.linalg.norm(weights * step))
        while True:
            trial = balance.moved(q, damping * step)
            r_trial = balance.residual(trial, load)
            ahead = np.linalg.norm(weights * balance.solved(stiffness, r_trial)) if np.isfinite(r_trial).all() else np.inf
            if ahead <= (1.0 - 0.25 * damping) * size or size == 0.0 or (last and ahead <= 2.0 * size):
                break
            if size <= tolerance * _scale(balance, q, weights):  # round-off: it does not get smaller
                return q, stiffness, iteration
            damping *= 0.5
            if damping < _SHORTEST:
                return None
        q, r = trial, r_trial
        if last or size == 0.0:
            return q, balance.stiffness(q, load), iteration
        last = damping == 1.0 and float(ahead) <= tolerance * _scale(balance, q, weights)
        damping = min(1.0, 4.0 * damping)
    return None


def _scale(balance: _Balance, q: np.ndarray, weights: np.ndarray) -> float:
    """How large a step would be a large one: from the neutral configuration, or a hundredth of the units."""
    away = balance.difference(np.asarray(balance.problem.model.neutral()), q)
    return float(np.linalg.norm(weights * away) + 1e-2 * weights.max(initial=0.0))


def _result(balance: _Balance, q: np.ndarray, load: float, stiffness: np.ndarray, iterations: int) -> Equilibrium:
    residual = float(np.abs(balance.residual(q, load)).max(initial=0.0))
    weights = _weights(stiffness)
    eigenvalues = np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T) / np.outer(weights, weights))
    full = np.eye(balance.problem.model.nv)
    full[np.ix_(balance.free, balance.free)] = stiffness
    return Equilibrium(q, load, full, eigenvalues, iterations, residual)


def equilibrium(
    problem: Problem, q0: Any | None = None, t: float = 0.0, *, steps: int = 1, tolerance: float = 1e-10
) -> Equilibrium:
    """The equilibrium of a problem near ``q0``.

    Parameters
    ----------
    problem : Problem
        Imposed coordinates stay where their laws put them at time ``t``.
    q0 : (nq,), optional
        Where to look; by default the neutral configuration.
    steps : int
        Number of equal parts in which the loads are brought up; a part that fails is halved.
    tolerance : float
        Of the last step, relative to the way from the neutral configuration.
    """
    if int(steps) < 1:
        raise InputError(f"the number of load steps is {steps!r}; it must be 1 or more.")
    balance = _Balance(problem, t)
    q = problem.model.neutral() if q0 is None else problem.model.normalised(q0)
    q, _ = problem.imposed_state(t, q, np.zeros(problem.model.nv))
    load, part, used = 0.0, 1.0 / int(steps), 0
    while True:
        target = min(1.0, load + part)
        found = _newton(balance, q, target, tolerance)
        if found is None:
            part *= 0.5
            if part < _SMALLEST_LOAD:
                raise RunError(
                    f"no equilibrium found at {target:.3g} of the loads; start nearer (q0), use more steps, or follow the path"
                    " with equilibrium_path."
                )
            continue
        q, stiffness, iterations = found
        load, used = target, used + iterations
        if load >= 1.0:
            return _result(balance, q, load, stiffness, used)


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
    balance = _Balance(problem, t)
    q = problem.model.neutral() if q0 is None else problem.model.normalised(numbers(q0, "q0"))
    q, _ = problem.imposed_state(t, q, np.zeros(problem.model.nv))
    found = _newton(balance, q, 0.0, tolerance)
    if found is None:
        raise RunError("no equilibrium without loads was found near the start of the path.")
    q, stiffness, iterations = found
    path = [_result(balance, q, 0.0, stiffness, iterations)]
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
        path.append(_result(balance, q, load, stiffness, iterations))
        if until is not None and until(path[-1]):
            break
    return path


def _along_path(balance: _Balance, q: np.ndarray, load: float, direction: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Unit tangent (n + 1,) of the path at an equilibrium, on the side of ``direction``."""
    n = len(balance.free)
    slope = balance.residual(q, load + 0.5) - balance.residual(q, load - 0.5)  # loads enter linearly
    balance.residual(q, load)
    bordered = np.vstack([np.column_stack([balance.stiffness(q, load), slope]), metric * direction])
    tangent = balance.solved(bordered, np.concatenate([np.zeros(n), [1.0]]))
    return tangent / np.sqrt(tangent @ (metric * tangent))


def _corrected(
    balance: _Balance, q: np.ndarray, load: float, tangent: np.ndarray, metric: np.ndarray, arc: float, tolerance: float
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


def vibrations(problem: Problem, q: Any, t: float = 0.0) -> np.ndarray:
    """Exponents lambda (2 nfree,) of the small motions exp(lambda t) about an equilibrium, 1/s, by ascending frequency.

    Of the linear system M a + C v + K u = 0 with the exact tangents at rest. An imaginary part is an angular frequency (rad/s); a
    positive real part means that the motion grows: divergence (real) or flutter (complex).
    """
    balance = _Balance(problem, t)
    place = problem.model.normalised(q)
    balance.residual(place, 1.0)
    stiffness = balance.stiffness(place, 1.0)
    damping, mass = (matrix[np.ix_(balance.free, balance.free)] for matrix in (balance.room.by_v, balance.room.by_a))
    n = len(balance.free)
    right = balance.solved(mass, np.hstack([-stiffness, -damping]))
    found = np.linalg.eigvals(np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), right]))
    return found[np.argsort(np.abs(found.imag) + 1e-9 * np.abs(found))]
