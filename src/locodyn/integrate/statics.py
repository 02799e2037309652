"""Equilibrium: configurations at which nothing accelerates, of rigid robots and rods alike; small motions about it.

Newton's method on r(q) = 0 with the exact tangent stiffness K = dr/dq (:mod:`locodyn.integrate.balance`). Loads (gravity, wrench
laws, forces of actuators) may be brought up step by step, or followed by arc length (:mod:`locodyn.integrate.equilibrium_path`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.integrate.balance import Balance, newton, weights_of
from locodyn.locomotion.problem import Problem

_SMALLEST_LOAD = 1e-6


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


def result_of(balance: Balance, q: np.ndarray, load: float, stiffness: np.ndarray, iterations: int) -> Equilibrium:
    """The equilibrium at a solution q with its stiffness K (e, e)."""
    residual = float(np.abs(balance.residual(q, load)).max(initial=0.0))
    weights = weights_of(stiffness)
    scaled = 0.5 * (stiffness + stiffness.T) / np.outer(weights, weights)
    kernel = balance.kernel(weights)
    eigenvalues = np.linalg.eigvalsh(kernel.T @ scaled @ kernel)
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
    balance = Balance(problem, t)
    q = problem.model.neutral() if q0 is None else problem.model.normalised(q0)
    q, _ = problem.imposed_state(t, q, np.zeros(problem.model.nv))
    load, part, used = 0.0, 1.0 / int(steps), 0
    while True:
        target = min(1.0, load + part)
        found = newton(balance, q, target, tolerance)
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
            return result_of(balance, q, load, stiffness, used)


def vibrations(problem: Problem, q: Any, t: float = 0.0) -> np.ndarray:
    """Exponents lambda (2 nfree,) of the small motions exp(lambda t) about an equilibrium, 1/s, by ascending frequency.

    Of the linear system M a + C v + K u = 0 with the exact tangents at rest. An imaginary part is an angular frequency (rad/s); a
    positive real part means that the motion grows: divergence (real) or flutter (complex).
    """
    balance = Balance(problem, t)
    place = problem.model.normalised(q)
    residual = balance.residual(place, 1.0)
    stiffness = balance.stiffness(place, 1.0)
    damping, mass = (matrix[np.ix_(balance.free, balance.free)] for matrix in (balance.room.by_v, balance.room.by_a))
    if balance.rows.count:  # forces in the loops hold the rest; small motions are those that the loops leave open
        forces = np.linalg.lstsq(balance.jacobian.T, residual, rcond=None)[0]
        stiffness = stiffness - balance.rows.geometric(place, forces)
        balance.residual(place, 1.0)
        kernel = balance.kernel(np.ones(len(balance.free)))
        stiffness, damping, mass = (kernel.T @ matrix @ kernel for matrix in (stiffness, damping, mass))
    n = len(mass)
    right = balance.solved(mass, np.hstack([-stiffness, -damping]))
    found = np.linalg.eigvals(np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), right]))
    return found[np.argsort(np.abs(found.imag) + 1e-9 * np.abs(found))]
