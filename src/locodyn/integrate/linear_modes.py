"""How fast a robot can move by itself: eigenvalues of its equation of motion, linearised at rest in a configuration.

With the acceleration a(q, v) of the free coordinates, u = displacement along them,

    d/dt (u, v) = [[0, 1], [da/du, da/dv]] (u, v),

and with the states z of laws with memory, zdot = f(q, v, z), a row and a column more. Springs, damping, rods, tendons, servos,
wrench laws and weight are all in it. Dry friction is steepest at rest: its slope there is f / v0, with the speed v0 over which it
is smoothed (:mod:`locodyn.dynamics.joint_laws`). States beside the present one are put on loops and wheels
(:func:`~locodyn.locomotion.rhs.settle`), so that only what the constraints allow is seen: accelerations lie along the
constraints, hence so do all modes but those of eigenvalue zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from locodyn.integrate.base import Method
from locodyn.integrate.methods import RKMK4
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import accelerations, settle
from locodyn.locomotion.row_paths import along_paths
from locodyn.robot.layout import COULOMB, COULOMB_SPEED
from locodyn.shape.configuration import moved_configuration

MOVE = 1e-6  # rad, m: differences of positions
SPEED = 1e-5  # rad/s, m/s: differences of velocities, and a hundredth of the speed that smooths dry friction
_SMALL = 0.05  # modes slower than this part of the fastest one do not limit a step
_GROWS = 1.01  # a factor of a step that is not the round-off of a mode without damping
_REACH, _SAMPLES = 6.0, 600  # |h lambda| up to which steps are tried, and how many
_MOST = 200  # coordinates: beyond, differences and eigenvalues would take longer than short runs


@dataclass(frozen=True)
class Modes:
    """Modes of a robot at rest.

    ``rates`` (n,) eigenvalues, 1/s, those that grow left out: they are the robot's own, no integrator shall damp them.
    ``names``: for each the coordinate that moves most in it.
    """

    rates: np.ndarray
    names: tuple[str, ...]

    @property
    def fastest(self) -> float:
        """Largest size of a rate, 1/s."""
        return float(np.abs(self.rates).max(initial=0.0))

    @property
    def fastest_name(self) -> str:
        """The coordinate that moves most in the fastest mode."""
        return self.names[int(np.argmax(np.abs(self.rates)))] if len(self.rates) else ""

    def oscillations(self) -> np.ndarray:
        """Frequencies (rad/s) of modes that last for some periods: damped to less than a half of the critical damping."""
        found: np.ndarray = np.abs(self.rates.imag)[np.abs(self.rates.imag) > np.sqrt(0.75) * np.abs(self.rates)]
        return found

    def longest_step(self, method: Method | None = None) -> float:
        """Longest step (s) at which an explicit method (``rkmk4``) lets none of the modes grow (Hairer, Wanner 1996, IV.2, V.1).

        >>> round(Modes(np.array([-100.0 + 0j]), ("arm",)).longest_step(), 4)  # 2.785 / 100
        0.0279
        """
        fastest = self.fastest
        felt = self.rates[(np.abs(self.rates) > _SMALL * fastest) & (self.rates.imag >= 0.0)]
        growth = (method or RKMK4()).growth
        if not len(felt) or growth(0j) is None:
            return float("inf")
        for k in range(1, _SAMPLES + 1):
            step = _REACH * k / _SAMPLES / fastest
            if max(growth(step * rate) or 0.0 for rate in felt) > _GROWS:
                return _REACH * (k - 1) / _SAMPLES / fastest
        return float("inf")


def modes(problem: Problem, t: float, q: np.ndarray) -> Modes:
    """Modes at rest in the configuration ``q`` (nq,) at time ``t`` (s); functions of the user are held as they are there.

    None are told of robots with more than 200 free coordinates.
    """
    free = np.flatnonzero(problem.drive != IMPOSED)
    n = len(free)
    with along_paths(problem.constraints.arrays):
        slopes = _slopes(problem, t, q) if 0 < n <= _MOST else np.full((1, 1), np.nan)
    if not np.isfinite(slopes).all():
        return Modes(np.zeros(0, dtype=complex), ())
    matrix = np.vstack([np.eye(n, slopes.shape[1], n), slopes])
    rates, vectors = np.linalg.eig(matrix)
    with np.errstate(over="ignore"):
        stays = rates.real <= 1e-3 * np.abs(rates)
    rates, vectors = np.minimum(rates.real, 0.0)[stays] + 1j * rates.imag[stays], vectors[:, stays]
    names = problem.model.compiled.coordinate_names
    moving = np.argmax(np.abs(vectors[n : 2 * n]), axis=0) if len(rates) else np.zeros(0, dtype=int)
    return Modes(rates, tuple(names[free[i]] for i in moving))


def difference_speed(constants: np.ndarray) -> float:
    """Speed (rad/s, m/s) of differences, by the constants of the coordinates: small against what smooths their dry friction."""
    return float(min([SPEED, *(0.01 * constants[constants[:, COULOMB] > 0.0, COULOMB_SPEED])]))


def _slopes(problem: Problem, t: float, q: np.ndarray) -> np.ndarray:
    """Slopes of (a, f) by (u, v, z), (n + nz, 2 n + nz), of the free coordinates at rest, by central differences."""
    model, free = problem.model, np.flatnonzero(problem.drive != IMPOSED)
    rest = np.zeros(model.nv)
    problem.read_inputs(t, q.copy(), rest)
    speed = difference_speed(model.dof_constants)
    n, z = len(free), problem.workspace.memory.value.copy()
    result = np.zeros((n + len(z), 2 * n + len(z)))
    for column, i in enumerate(free):
        for side in (1.0, -1.0):
            u, v = np.zeros(model.nv), rest.copy()
            u[i], v[i] = side * MOVE, side * speed
            moved = np.empty(model.nq)
            moved_configuration(model.frames, q, u, moved)
            result[:, column] += side / (2.0 * MOVE) * _rates(problem, moved, rest.copy(), free)
            result[:, n + column] += side / (2.0 * speed) * _rates(problem, q.copy(), v, free)
    for column in range(len(z)):
        for side in (1.0, -1.0):
            problem.workspace.memory.value[column] = z[column] + side * MOVE
            result[:, 2 * n + column] += side / (2.0 * MOVE) * _rates(problem, q.copy(), rest.copy(), free)
        problem.workspace.memory.value[column] = z[column]
    return result


def _rates(problem: Problem, q: np.ndarray, v: np.ndarray, free: np.ndarray) -> np.ndarray:
    """a (n,) and f (nz,) at a state near (q, v) that is on loops and wheels, with the inputs as they were read last."""
    a = np.zeros(problem.model.nv)
    arrays, work = problem.arrays, problem.workspace
    if arrays.rows is not None:
        settle(arrays.rows, arrays, problem.inputs, q, v, work, a)
    accelerations(arrays, problem.inputs, q, v, work, a)
    return np.concatenate([a[free], work.memory.rate])
