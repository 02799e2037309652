"""States near a steady motion, in minimal coordinates that move with it.

The steady motion keeps its velocity v0 (in body axes): q0(t) = q0 exp(t v0). A state near it is q = q0(t) exp(u), and

    udot = T(u)^-1 v - T(-u)^-1 v0,       vdot = a(q, v),

which is autonomous where a does not change along the motion (symmetry). Positions obey the holonomic rows and velocities all
rows, so u and v follow from fewer numbers: y for positions, z for velocities (both 0 on the motion).

A body of revolution may spin: its velocity is then constant in axes that do not spin with it, at the rate sigma about the axis
e. With xi = sigma e, v is seen in those axes, where u moves with v - xi and vdot = a(q, v) + [xi, v].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel.entry import numbers
from locodyn.lie import SE3, SO3
from locodyn.linearisation.differences import central_derivative
from locodyn.linearisation.minimal_coordinates import Coordinates, choose, place_names, user_rows
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import accelerations
from locodyn.locomotion.row_solver import kernel_of
from locodyn.newton import Linearised, damped_newton
from locodyn.robot.layout import ANGULAR, CODE, COUNT_V, FIRST_V, FREE, SPHERICAL
from locodyn.shape.configuration import step_rate
from locodyn.world.gaps import PAIR
from locodyn.world.rows import HOLONOMIC, TURN

# Newton's method for the states of laws: rounds, shortest share of a step, the last step; singular values that count as none.
_MOST, _SHORTEST, _SETTLED, _LOOSE = 30, 1e-6, 1e-12, 1e-9
LATER = np.array([0.25, 0.6, 1.0])  # when to look whether a motion is still steady, in units of 1 / pace


_APART = 1e-6  # m: surfaces that are nearer than this touch


class Sample(NamedTuple):
    """One state near the motion and its rates."""

    q: np.ndarray
    v: np.ndarray
    displacement_rate: np.ndarray  # (nv,) udot
    acceleration: np.ndarray  # (nv,) vdot in the moving axes
    body_acceleration: np.ndarray  # (nv,) a(q, v)
    memory_rate: np.ndarray  # (nz,) of the states of laws


class NearbyMotion:
    """Coordinates y (positions) and z (velocities) about the motion through (q, v) at time t.

    Parameters
    ----------
    problem, q, v, t, coordinates, spin : as for :func:`~locodyn.linearisation.linearise.linearise`.
    spin_rates : rad/s of the bodies in ``spin``; by default those that leave the smallest acceleration.
    memory : (nz,) states of laws near those of the motion, which do not change; by default zero.

    Attributes
    ----------
    named : rows (nv,) of the user's own coordinates, by name.
    position_names, rate_names, memory_names : names of y, of z and of the states of laws with memory.
    memory : (nz,) these states on the motion.
    tangent : (nv, n_y), u = tangent y to first order.
    directions : (nv, n_z), v - v0 = directions z at y = 0.
    xi, turn : (nv,), (nv, nv): twist of the spins, and the matrix of [xi, .].
    position_rows, rate_rows : (n_y, nv), (n_z, nv): y = position_rows u, z = rate_rows (v - v0).
    """

    def __init__(
        self,
        problem: Problem,
        q: Any,
        v: Any,
        t: float = 0.0,
        coordinates: Coordinates | None = None,
        spin: Mapping[str, Any] | None = None,
        spin_rates: np.ndarray | None = None,
        memory: np.ndarray | None = None,
    ) -> None:
        model = problem.model
        self.problem, self.model, self.t = problem, model, float(t)
        q, v = model.normalised(q), numbers(v, "v")
        if v.shape != (model.nv,):
            raise InputError(f"v has {v.size} entries; robot '{model.compiled.name}' needs {model.nv}.")
        self.q, self.v = problem.start_state(self.t, q, v)
        _check_apart(problem, self.q)
        self.units = np.where(model.dof_constants[:, ANGULAR] != 0.0, 1.0, problem.constraints.length)
        self.rank = self._rank()
        self.named = user_rows(model.compiled, coordinates)
        self._choose_positions()
        self._choose_rates()
        self.memory_names = problem.memories.names
        self.memory = np.zeros(problem.memories.count) if memory is None else np.array(memory, dtype=float)
        self.memory = self.settled_memory(self.q, self.v)
        self.spin_rates = np.zeros(0)
        self.spin_axes = [self._spin_axis(name, axis) for name, axis in (spin or {}).items()]
        self.xi, self.turn = np.zeros(model.nv), np.zeros((model.nv, model.nv))
        if self.spin_axes:
            self.spin_rates = self._fitting_rates() if spin_rates is None else spin_rates
            self.xi = np.column_stack(self.spin_axes) @ self.spin_rates
            self.turn = bracket(model.frames, self.xi)

    @property
    def pace(self) -> float:
        """The largest rate of the motion, rad/s or robot's lengths per s, at least 1: the unit of changes of velocity."""
        return max(1.0, float(np.abs(self.v / self.units).max(initial=0.0)))

    @property
    def scales(self) -> np.ndarray:
        """For y and z the change that moves some coordinate by one unit: 1 rad, the robot's length, or one pace of it."""
        sizes = [np.abs(basis / self.units[:, None]).max(axis=0, initial=1e-300) for basis in (self.tangent, self.directions)]
        return np.concatenate([1.0 / sizes[0], self.pace / sizes[1]])

    # ------------------------------------------------------------------------------------------------------ coordinates
    def _rank(self) -> int:
        arrays = self.problem.constraints.arrays
        return 0 if arrays is None else arrays.rank

    def _choose_positions(self) -> None:
        """y: local coordinates on the holonomic rows; a wheeled body that stays flat on the ground counts as one."""
        problem, nv = self.problem, self.model.nv
        free = np.flatnonzero(problem.drive != IMPOSED)
        rows = problem.constraints.rows
        held = [m for m, row in enumerate(rows) if row.flags & HOLONOMIC or row.kind == TURN or row.name.endswith(".ground.z")]
        speeds = np.zeros((len(held), nv))
        if held:
            problem.imposed_state(self.t, self.q, self.v)
            speeds = np.column_stack([problem.row_speeds(self.q, unit)[held] for unit in np.eye(nv)])
        kernel = kernel_of(speeds[:, free] * self.units[free])
        tangent = np.zeros((nv, kernel.shape[1]))
        tangent[free] = self.units[free, None] * kernel
        names, rows_of = list(self.named), list(self.named.values())
        candidates = np.array([*(row @ tangent for row in rows_of), *(tangent / self.units[:, None])])
        chosen = choose(candidates, len(names), kernel.shape[1])
        missing = [name for k, name in enumerate(names) if k not in chosen]
        if missing:
            raise InputError(
                f"the coordinate '{missing[0]}' cannot be chosen: the constraints or the coordinates before it determine it."
            )
        places = [*names, *place_names(self.model.compiled)]
        vectors = [*rows_of, *np.eye(nv)]
        self.position_names = tuple(places[k] for k in chosen)
        self.position_rows = np.array([vectors[k] for k in chosen]).reshape(len(chosen), nv)
        self.tangent = tangent @ np.linalg.inv(self.position_rows @ tangent)

    def _choose_rates(self) -> None:
        """z: rates of as many of the same coordinates as all rows leave free."""
        basis = self._free_directions()
        rows = self.position_rows @ basis
        scale = np.linalg.norm(self.position_rows * self.units, axis=1)
        chosen = choose(rows / scale[:, None], len(self.named), basis.shape[1])
        self.rate_names = tuple(f"rate of {self.position_names[k]}" for k in chosen)
        self.rate_rows = self.position_rows[chosen]
        self.directions = basis @ np.linalg.inv(self.rate_rows @ basis)

    def _free_directions(self) -> np.ndarray:
        """Basis (nv, n_z) of the changes of velocity that the rows allow at the state that has just been settled."""
        arrays, nv = self.problem.constraints.arrays, self.model.nv
        if arrays is None:
            return np.eye(nv)[:, self.problem.drive != IMPOSED]
        rank = self._rank()
        basis = np.zeros((nv, len(arrays.free) - rank))
        basis[arrays.free] = arrays.units[:, None] * arrays.factors.basis[:, rank:]
        return basis

    # -------------------------------------------------------------------------------------------------------------- spin
    def _spin_axis(self, name: str, axis: Any) -> np.ndarray:
        """Twist (nv,) of a unit spin of a body about an axis through its origin, in its own axes."""
        compiled = self.model.compiled
        frame, rotation, position = compiled.point(name)
        code, first, count = (int(self.model.frames[frame, column]) for column in (CODE, FIRST_V, COUNT_V))
        unit = np.asarray(axis, dtype=float)
        if unit.shape != (3,) or not (np.isfinite(unit).all() and unit.any()):
            raise InputError(f"the axis of the spin of '{name}' is {axis!r}; it must be three numbers, not all zero.")
        if code not in (FREE, SPHERICAL):
            raise InputError(f"'{name}' cannot spin in axes of its own: only a body on a free or spherical joint can.")
        unit = rotation @ (unit / np.linalg.norm(unit))
        twist = np.zeros(self.model.nv)
        twist[first + count - 3 : first + count] = unit
        if code == FREE:
            twist[first : first + 3] = np.cross(position, unit)
        return twist

    def _fitting_rates(self) -> np.ndarray:
        """The rates of the spins that leave the smallest acceleration."""
        a = self.sample().body_acceleration
        columns = np.column_stack([bracket(self.model.frames, axis) @ self.v for axis in self.spin_axes])
        return np.asarray(np.linalg.lstsq(columns, -a, rcond=None)[0])

    # ------------------------------------------------------------------------------------------------------------ states
    def state(self, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) on the constraints with these coordinates: exact in z, and in y to first order."""
        q = self.model.move(self.q, self.tangent @ y)
        q, v = self.problem.imposed_state(self.t, q, self.v + self.directions @ z)
        if self._rank() != self.rank:
            raise InputError(
                f"the number of independent constraints changes near this state (from {self.rank} to {self._rank()}); there is"
                " no linear system at a singular one."
            )
        if len(z):
            basis = self._free_directions()
            missing = self.rate_rows @ (self.v - v) + z
            v = v + basis @ np.linalg.solve(self.rate_rows @ basis, missing)
        return q, v

    def sample(
        self,
        y: np.ndarray | None = None,
        z: np.ndarray | None = None,
        forces: np.ndarray | None = None,
        wrenches: np.ndarray | None = None,
        memory: np.ndarray | None = None,
    ) -> Sample:
        """The state at (y, z) and its rates, with ``forces`` (nv,) and ``wrenches`` (nf, 6) on the frames added.

        ``memory`` (nz,): change of the states of laws.
        """
        model, problem = self.model, self.problem
        y = np.zeros(len(self.position_names)) if y is None else y
        z = np.zeros(len(self.rate_names)) if z is None else z
        q, v = self.state(y, z)
        problem.workspace.memory.value[:] = self.memory if memory is None else self.memory + memory
        problem.switch_servos(self.t)
        problem.read_inputs(self.t, q, v)
        own = problem.inputs
        command = own.command.copy() if forces is None else own.command + forces
        loads = own.wrenches
        if wrenches is not None:
            loads = wrenches + (loads if len(loads) else 0.0)
        a = np.zeros(model.nv)
        inputs = replace(own, command=command, wrenches=loads)
        accelerations(problem.arrays, inputs, q, v, problem.workspace, a)
        u = model.difference(self.q, q)
        rate, drift = np.empty(model.nv), np.empty(model.nv)
        step_rate(model.frames, u, v - self.xi, rate)
        step_rate(model.frames, -u, self.v - self.xi, drift)
        return Sample(q, v, rate - drift, a + self.turn @ v, a, problem.workspace.memory.rate.copy())

    def settled_memory(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The states of laws (nz,) near those of the motion that do not change at (q, v), as far as there are such.

        Lags rest, bristles slip evenly; nothing moves bristles at rest or integrals, which stay as they are.
        """
        problem, sizes = self.problem, self.problem.memories.sizes
        if not len(sizes):
            return sizes

        def rates(states: np.ndarray) -> np.ndarray:
            problem.workspace.memory.value[:] = sizes * states
            problem.accelerations(self.t, q.copy(), v.copy())
            return np.asarray(problem.workspace.memory.rate / sizes)

        def linearised(states: np.ndarray) -> Linearised[np.ndarray]:
            left = rates(states)
            slopes, _ = central_derivative(lambda change: rates(states + change), np.ones(len(states)))
            step = np.linalg.lstsq(slopes, -left, rcond=_LOOSE)[0]

            def ahead(share: float) -> tuple[np.ndarray, float]:
                there = states + share * step
                return there, float(np.abs(rates(there)).max())

            return Linearised(float(np.abs(left).max()), ahead, last=float(np.abs(step).max()) <= _SETTLED)

        found = damped_newton(self.memory / sizes, linearised, most=_MOST, shortest=_SHORTEST)
        return np.asarray(sizes * found.x)

    def later(self, q: np.ndarray, v: np.ndarray, xi: np.ndarray, s: float, memory: np.ndarray) -> np.ndarray:
        """Acceleration (nv,), in units of the robot and moving axes, after s seconds of going on with constant velocity.

        ``memory`` (nz,): states of laws all the while.
        """
        from scipy.linalg import expm

        q = self.model.move(self.model.move(q, s * (v - xi)), s * xi)
        turn = bracket(self.model.frames, xi)
        if xi.any():
            v = expm(-s * turn) @ v
        q, v = self.problem.imposed_state(self.t + s, q, v)
        self.problem.workspace.memory.value[:] = memory
        return np.asarray(self.problem.accelerations(self.t + s, q, v) + turn @ v) / self.units

    def wander(self) -> float:
        """Largest acceleration (1/s^2, lengths in units of the robot) on the motion in its next radian.

        It vanishes where the equations do not change along the motion: for its symmetries, and for laws constant in time.
        """
        return max(float(np.abs(self.later(self.q, self.v, self.xi, s, self.memory)).max(initial=0.0)) for s in LATER / self.pace)


def bracket(frames: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The matrix (nv, nv) of y -> [x, y], joint by joint, on free and spherical joints (elsewhere 0: nothing spins there)."""
    result = np.zeros((len(x), len(x)))
    for frame in frames:
        part = slice(int(frame[FIRST_V]), int(frame[FIRST_V] + frame[COUNT_V]))
        if frame[CODE] in (FREE, SPHERICAL):
            result[part, part] = (SE3 if frame[CODE] == FREE else SO3).ad(x[part])
    return result


def _check_apart(problem: Problem, q: np.ndarray) -> None:
    """:class:`InputError` where surfaces of hard contact touch: accelerations jump there, and here have no contact forces."""
    table = problem.contact.table
    if not len(table):
        return
    gaps = np.where(table.arrays.kind == PAIR.support, np.inf, problem.contact.gaps(q))
    nearest = int(np.argmin(gaps))
    if gaps[nearest] < _APART:
        raise InputError(
            f"'{table.names[nearest]}' touch in this state, and linear equations know no hard contact; make contact compliant"
            " (contact='compliant'), or take a state in which nothing touches."
        )
