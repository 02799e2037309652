"""Equilibrium: configurations at which nothing accelerates, of rigid robots and rods alike; small motions about it.

Newton's method on r(q) = 0 with the exact tangent stiffness K = dr/dq (:mod:`locodyn.equilibria.balance`). Loads
(gravity, wrench laws, forces of actuators) may be brought up step by step, or followed by arc length
(:mod:`locodyn.equilibria.equilibrium_path`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.equilibria.balance import Balance, check_apart, newton, weights_of
from locodyn.equilibria.relaxation import closed, reach_of, relaxed
from locodyn.errors import InputError, RunError
from locodyn.locomotion.problem import Problem
from locodyn.robot.html import html_table

_SMALLEST_LOAD = 1e-6


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """An equilibrium.

    ``q`` (nq,); ``load`` factor of the loads; ``stiffness`` (nv, nv) tangent along velocities, imposed coordinates included as
    unit rows, with the change of the forces of loops and wheels; ``eigenvalues`` (n,) of the symmetric part of the stiffness
    along the n directions that imposed coordinates, loops and wheels leave open, its diagonal scaled to +-1, ascending: their
    signs are what counts; ``iterations`` of Newton; ``residual``: what is left, largest entry; ``time`` (s) at which the laws are
    read; ``multipliers`` (k,) of the active rows of loops and wheels: the forces J^T multipliers act on the robot, and redundant
    rows share them as in runs; ``memory``: states of laws with memory, by name.
    """

    q: np.ndarray
    load: float
    stiffness: np.ndarray
    eigenvalues: np.ndarray
    iterations: int
    residual: float
    time: float
    multipliers: np.ndarray
    memory: dict[str, float]

    def __repr__(self) -> str:
        return "\n".join(["Equilibrium", *(f"  {what:<12} {words}" for what, words in self._words().items())])

    def _repr_html_(self) -> str:
        return html_table(("", ""), self._words().items(), title="Equilibrium")

    def _words(self) -> dict[str, str]:
        count = self.unstable_directions
        kind = "stable" if count == 0 else f"unstable along {count} direction{'' if count == 1 else 's'}"
        with np.printoptions(precision=6, threshold=12, suppress=True):
            q = " ".join(str(self.q).split())
        return {
            "kind": kind,
            "q": q,
            "load": f"{self.load:g} of the loads, laws read at t = {self.time:g} s",
            "solved": f"in {self.iterations} iterations, residual {self.residual:.2g}",
        }

    @property
    def unstable_directions(self) -> int:
        """Along how many directions the potential energy falls (for loads that have one): negative eigenvalues."""
        return int(np.sum(self.eigenvalues <= 0.0))

    @property
    def stable(self) -> bool:
        """Whether the equilibrium is a minimum of the potential energy (for loads that have one)."""
        return self.unstable_directions == 0


def result_of(balance: Balance, q: np.ndarray, load: float, stiffness: np.ndarray, iterations: int) -> Equilibrium:
    """The equilibrium at a solution q with its stiffness K (e, e)."""
    check_apart(balance.problem, q)
    residual = float(np.abs(balance.residual(q, load)).max(initial=0.0))
    weights = weights_of(stiffness)
    scaled = 0.5 * (stiffness + stiffness.T) / np.outer(weights, weights)
    kernel = balance.kernel(weights)
    eigenvalues = np.linalg.eigvalsh(kernel.T @ scaled @ kernel)
    full = np.eye(balance.problem.model.nv)
    full[np.ix_(balance.free, balance.free)] = stiffness
    memory = dict(zip(balance.problem.memories.names, balance.memory(q, load).tolist(), strict=True))
    return Equilibrium(q, load, full, eigenvalues, iterations, residual, balance.t, balance.multipliers.copy(), memory)


def equilibrium(
    problem: Problem,
    q0: Any | None = None,
    t: float = 0.0,
    *,
    steps: int = 1,
    tolerance: float = 1e-10,
    stable: bool = False,
) -> Equilibrium:
    """The equilibrium of a problem near ``q0``.

    Parameters
    ----------
    problem : Problem
        Imposed coordinates stay where their laws put them at time ``t``.
    q0 : (nq,), optional
        Where to look; by default the neutral configuration. Loops are closed first, by the smallest motion.
    steps : int
        Number of equal parts in which the loads are brought up; a part that fails is halved.
    tolerance : float
        Of the last step, relative to the way from the neutral configuration.
    stable : bool
        Where Newton's method finds no equilibrium or one that is not stable, go on to the one into which the robot falls
        (:mod:`locodyn.equilibria.relaxation`): for rough guesses, and where equilibria come in pairs.
    """
    if int(steps) < 1:
        raise InputError(f"the number of load steps is {steps!r}; it must be 1 or more.")
    balance = Balance(problem, t)
    q = problem.model.neutral() if q0 is None else problem.model.normalised(q0)
    q, _ = problem.imposed_state(t, q, np.zeros(problem.model.nv))
    q = closed(balance, q, reach_of(balance, q))
    load, part, used = 0.0, 1.0 / int(steps), 0
    while load < 1.0:
        target = min(1.0, load + part)
        try:
            found = newton(balance, q, target, tolerance)
        except RunError:  # no stiffness here: a robot that may fall does so
            if not stable:
                raise
            break
        if found is None:
            part *= 0.5
            if part < _SMALLEST_LOAD or (stable and target == part):
                break
            continue
        q, stiffness, iterations = found
        load, used = target, used + iterations
    if load >= 1.0:
        result = result_of(balance, q, load, stiffness, used)
        if result.stable or not stable:
            return result
    if stable:
        fallen = relaxed(balance, q, 1.0, tolerance)
        if fallen is None:
            raise RunError("the robot does not come to rest: nothing holds it, or its loads give energy without end.")
        return result_of(balance, fallen[0], 1.0, fallen[1], used + fallen[2])
    raise RunError(
        f"no equilibrium found at {target:.3g} of the loads; start nearer (q0), use more steps, ask for a stable one, or follow"
        " the path with equilibrium_path."
    )


def vibrations(problem: Problem, q: Any, t: float = 0.0) -> np.ndarray:
    """Exponents lambda (2 nfree + nz,) of the small motions exp(lambda t) about an equilibrium, 1/s, by ascending frequency.

    Of the linear system M a + C v + K u + Z z = 0, zdot = R u + S v + T z with the exact tangents at rest; z: the nz states of
    actuators that lag. An imaginary part is an angular frequency (rad/s); a
    positive real part means that the motion grows: divergence (real) or flutter (complex).
    """
    balance = Balance(problem, t)
    place = problem.model.normalised(q)
    residual, free = balance.residual(place, 1.0), balance.free
    room = balance.moving_tangent(place)
    stiffness, damping, mass = (matrix[np.ix_(free, free)] for matrix in (room.by_q, room.by_v, room.by_a))
    by_states, by_places, by_rates = room.by_z[free], room.rate_by_q[:, free], room.rate_by_v[:, free]
    if balance.rows.count:  # forces in the loops hold the rest; small motions are those that the loops leave open
        balance.multipliers = balance.rows.factored(place).multipliers(residual)
        stiffness = stiffness - balance.rows.geometric(place, balance.multipliers)
        balance.residual(place, 1.0)
        kernel = balance.kernel(np.ones(len(free)))
        stiffness, damping, mass = (kernel.T @ matrix @ kernel for matrix in (stiffness, damping, mass))
        by_states, by_places, by_rates = kernel.T @ by_states, by_places @ kernel, by_rates @ kernel
    n, states = len(mass), len(by_places)
    rows = [np.hstack([np.zeros((n, n)), np.eye(n), np.zeros((n, states))])]
    rows.append(balance.solved(mass, np.hstack([-stiffness, -damping, -by_states])))
    rows.append(np.hstack([by_places, by_rates, np.diag(room.rate_by_z[:, 0])]))  # a lag is a block of one state
    found = np.linalg.eigvals(np.vstack(rows))
    return found[np.argsort(np.abs(found.imag) + 1e-9 * np.abs(found))]
