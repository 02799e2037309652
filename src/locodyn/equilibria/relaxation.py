"""Relaxation to a stable equilibrium: the potential energy falls until it cannot fall any more, with loops closed all the way.

A trust-region Newton method (More and Sorensen 1983) on the configurations that the loops leave open. In the modes of small
motions, phi^T M phi = 1 and phi^T K phi = diag(kappa), a step has the amplitudes -f_i / (kappa_i + shift), with a shift that
makes all denominators positive and the step no longer than the radius, sqrt(u^T M u) <= sqrt(mass) times a length. A step that
does not lower the energy (work of the forces, by the trapezoidal rule; those of the loops do none) is taken back. Unlike Newton's
method it cannot end at a saddle: with f = 0 it leaves along the mode that has no stiffness. It is what a strongly damped robot
does when it snaps.
"""

from __future__ import annotations

import numpy as np

from locodyn.equilibria.balance import MOST_ITERATIONS, Balance, newton
from locodyn.errors import InputError
from locodyn.newton import Linearised, damped_newton

_MOST_STEPS = 400
_FIRST_RADIUS = 0.05  # of the size of the robot
_LARGEST_RADIUS = 0.25
_SMALLEST_RADIUS = 1e-12
_FLAT = 1e-7  # of the radius: a Newton step that is shorter is left to Newton's method
_CLOSED, _NEARLY = 1e-12, 1e-9  # of the size of the robot: Newton's method ends there; what counts as closed


def relaxed(balance: Balance, q: np.ndarray, load: float, tolerance: float) -> tuple[np.ndarray, np.ndarray, int] | None:
    """(q, K, steps) of the stable equilibrium into which the robot falls from q; None where it does not come to rest."""
    size = reach_of(balance, q)
    q = closed(balance, q, size)
    radius = _FIRST_RADIUS
    for count in range(1, _MOST_STEPS + 1):
        before = balance.pull(q, load)
        force, modes, kappa = _modes(balance, q, load)
        unit = np.sqrt(balance.problem.model.compiled.total_mass) * size
        wanted = -force / np.where(kappa > 0.0, kappa, np.inf)
        if kappa[0] > 0.0 and np.linalg.norm(wanted) <= max(_FLAT, 10.0 * tolerance) * unit:
            found = newton(balance, q, load, tolerance)
            return None if found is None else (found[0], found[1], count + found[2])
        while True:
            step = modes @ _amplitudes(force, kappa, radius * unit)
            trial, _ = _nearest_closed(balance, balance.moved(q, step), size)
            if trial is not None and _falls(balance, q, before, trial, load):
                break
            radius *= 0.25
            if radius < _SMALLEST_RADIUS:
                return None
        q, radius = trial, min(_LARGEST_RADIUS, 2.0 * radius)
    return None


def closed(balance: Balance, q: np.ndarray, size: float) -> np.ndarray:
    """q moved onto the loops by the smallest motion in the metric of the masses; a sentence where they cannot be closed."""
    place, gap = _nearest_closed(balance, q, size)
    if place is None:
        raise _cannot_close(balance, gap)
    return place


def _nearest_closed(balance: Balance, q: np.ndarray, size: float) -> tuple[np.ndarray | None, np.ndarray]:
    """(q on the loops, what is left of the gaps), or (None, gaps) where they cannot be closed."""
    if not balance.rows.count:
        return q, np.zeros(0)

    def linearised(q: np.ndarray) -> Linearised[np.ndarray]:
        gap, _ = balance.rows.at(q)
        widest = float(np.abs(gap).max())
        if widest <= _CLOSED * max(size, 1.0):
            return Linearised(widest, lambda share: (q, widest), solved=True)
        mass = _mass(balance, q)
        step, *_ = balance.solver(q, mass)(np.zeros(len(mass)), -gap)
        length = np.sqrt(step @ mass @ step) / np.sqrt(balance.problem.model.compiled.total_mass)
        reach = _LARGEST_RADIUS * size / max(float(length), 1e-300)
        return Linearised(widest, lambda share: (balance.moved(q, share * step), 0.0), reach=reach)

    q = damped_newton(q, linearised, most=MOST_ITERATIONS).x
    gap, _ = balance.rows.at(q)
    return (q if np.abs(gap).max() <= _NEARLY * max(size, 1.0) else None), gap


def _cannot_close(balance: Balance, gap: np.ndarray) -> InputError:
    """The error that names the row that stays open widest."""
    names = [balance.problem.constraints.rows[m].name for m in balance.rows.arrays.active]
    worst = int(np.argmax(np.abs(gap)))
    return InputError(
        f"the loops of robot '{balance.problem.model.compiled.name}' cannot be closed near the start: '{names[worst]}' stays open"
        f" by {abs(gap[worst]):.3g}; start nearer, or check lengths and places."
    )


def reach_of(balance: Balance, q: np.ndarray) -> float:
    """Size of the robot: the longest side of the box about its frames, m; 1 where it has none."""
    places = balance.problem.model.kinematics(q)[0][:, 9:]
    return float(np.ptp(places, axis=0).max(initial=0.0)) or 1.0


def _mass(balance: Balance, q: np.ndarray) -> np.ndarray:
    return balance.problem.model.mass_matrix(q)[np.ix_(balance.free, balance.free)]


def _falls(balance: Balance, q: np.ndarray, before: np.ndarray, trial: np.ndarray, load: float) -> bool:
    """Whether the forces, ``before`` at q, do work on the way to the trial."""
    after = balance.pull(trial, load)
    return bool(np.isfinite(after).all() and 0.5 * (before + after) @ balance.difference(q, trial) < 0.0)


def _modes(balance: Balance, q: np.ndarray, load: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forces (k,) along the modes, the modes (e, k) in coordinates, and their stiffness (k,), ascending."""
    from scipy.linalg import eigh

    mass = _mass(balance, q)
    pull = balance.pull(q, load)
    if balance.rows.count:  # multipliers that leave the smallest acceleration
        balance.multipliers = balance.solver(q, mass)(-pull, np.zeros(balance.rows.count))[1]
        balance.residual(q, load)
    tangent = balance.tangent(q, load)
    balance.residual(q, load)
    weights = np.sqrt(np.maximum(np.diag(mass), 1e-300))
    open_ = balance.kernel(weights) / weights[:, None]
    tangent = 0.5 * (tangent + tangent.T)
    kappa, vectors = eigh(open_.T @ tangent @ open_, open_.T @ mass @ open_)
    modes = open_ @ vectors
    return modes.T @ pull, modes, kappa


def _amplitudes(force: np.ndarray, kappa: np.ndarray, radius: float) -> np.ndarray:
    """-f / (kappa + shift) with the smallest shift for which all denominators are positive and the norm is within the radius."""
    if kappa[0] > 0.0 and np.linalg.norm(force / kappa) <= radius:
        return np.asarray(-force / kappa)
    spread = max(abs(kappa[0]), abs(kappa[-1]))
    low = max(0.0, -kappa[0]) + 1e-12 * spread
    if np.linalg.norm(force / (kappa + low)) <= radius:  # almost at a saddle: along the mode without stiffness
        result: np.ndarray = -force / (kappa + low)
        result[0] = np.copysign(np.sqrt(max(0.0, radius**2 - np.sum(result[1:] ** 2))), result[0] or 1.0)
        return result
    high = low + np.linalg.norm(force) / radius + spread
    for _ in range(80):
        middle = np.sqrt(low * high) if low > 0.0 else 0.5 * (low + high)
        low, high = (middle, high) if np.linalg.norm(force / (kappa + middle)) > radius else (low, middle)
    return np.asarray(-force / (kappa + high))
