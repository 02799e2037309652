"""Robots with wheels and loops on symbols: constraint rows, reduced dynamics, contact forces.

The rows come from the same kernels as in a run (:mod:`locodyn.world.rows`, :mod:`locodyn.locomotion.row_jacobian`). With J v = b the rows, u the
independent speeds and I the coordinates whose motion is given,

    v = H u + v_0,   J H = 0,   H_ind = 1,   H_dep = -J_dep^-1 J_ind,
    M_r udot = F_r,  M_r = H^T M H,   F_r = H^T (tau - (M a_0 + h)),   a = H udot + a_0,

where a_0 has zero independent accelerations and obeys the derivative of the rows: the part Hdot u of the acceleration without any
derivative of H (Mauny, Porez and Boyer 2017, (11)-(16)). M_r and F_r come from inverse dynamics, column by column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from locodyn.dynamics.joint_laws import joint_forces
from locodyn.errors import InputError, nearest
from locodyn.kernel import twin
from locodyn.locomotion.arrays import IMPOSED, new_inputs, new_workspace
from locodyn.locomotion.constraints import Constraints
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import outer_wrenches
from locodyn.locomotion.row_jacobian import row_acceleration, row_jacobian, row_speed
from locodyn.robot.layout import ANGULAR, COUNT_V, FREE, PARENT, PLANAR, SPHERICAL, TRANSLATION
from locodyn.shape.kinematics import frame_poses
from locodyn.symbolic.elimination import Elimination, solve_symmetric
from locodyn.symbolic.expression import Expression
from locodyn.symbolic.model import SymbolicModel, plain
from locodyn.symbolic.program import Program
from locodyn.symbolic.tape import POINTS
from locodyn.world import rows as layout
from locodyn.world.rows import FLAGS, FORCE, KINEMATIC, KNOWN, SIDE, SIDE_RATE, fill_rows
from locodyn.world.wrenches import FIRST, POINT_POSITION, POINT_ROTATION, wheel_wrenches


WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
# What a law gives to a row: column of (value, rate, acceleration) -> name of the symbol.
LAW_PARTS = {
    "steering": {0: "angle", 1: "angle_rate"},
    "torque": {0: "torque"},
    "rolling": {1: "rolling_rate", 2: "rolling_acceleration"},
    "speed": {1: "speed", 2: "speed_rate"},
}


class Reduced(NamedTuple):
    """The reduced dynamics M_r udot = F_r, and the motion that u stands for."""

    mass: np.ndarray  # M_r (r, r)
    force: np.ndarray  # F_r (r,)
    kernel: np.ndarray  # H (nv, r)
    velocity: np.ndarray  # v (nv,)
    acceleration: np.ndarray  # a_0 (nv,)


class _Rows(Constraints):
    """The rows of a robot of symbols, before they are arrays."""

    def _arrays(self, *_: Any) -> None:
        return None


class SymbolicProblem:
    """A problem on symbols.

    Parameters
    ----------
    problem : Problem
        The same with numbers: what is imposed, what drives the wheels, which rows there are.
    model : SymbolicModel, optional
        The robot with symbols among its parameters; by default that of ``problem``, with numbers only.
    start : (nq,), optional
        A configuration at which the independent speeds must be able to move the robot; pivots are chosen there.
    speeds : names of the independent speeds, or None for a choice by pivots.
    zero : numbers of positions that are set to zero, see :mod:`locodyn.symbolic.ignorable`.
    wrenches : names of bodies or markers on which an outer wrench acts: symbols (6,) each.
    keep : numbers of the coordinates whose speeds are to be independent if possible: those with a motor.
    defaults : values of the symbols among the parameters.
    """

    def __init__(
        self,
        problem: Problem,
        model: SymbolicModel | None = None,
        start: np.ndarray | None = None,
        speeds: Sequence[str] | None = None,
        zero: Sequence[int] = (),
        wrenches: Sequence[str] = (),
        keep: Sequence[int] = (),
        defaults: Mapping[str, float] | None = None,
    ) -> None:
        if problem.user_laws:
            raise InputError(f"wrench '{problem.user_laws[0][1]}' is a Python function; it cannot be written out.")
        self.problem = problem
        self.model = m = model or SymbolicModel(problem.model.compiled.description, tuple(problem.model.gravity))
        self.names = m.compiled.coordinate_names
        self.imposed = [i for i in range(m.nv) if problem.drive[i] == IMPOSED]
        self.unknown = [i for i in range(m.nv) if i not in self.imposed]
        self.q = np.array([0 if i in set(zero) else x for i, x in enumerate(m.q)], dtype=object)
        self.forces = [i for i in self.unknown if i >= m.compiled.reference_nv or not self._floats]
        self.law_roles: list[tuple[str, str]] = []  # (wheel or marker, steering, rolling, speed or torque)
        self.laws = self._laws()
        self.wrenches = {name: m.symbols([f"{plain(name)}_{part}" for part in WRENCH]) for name in wrenches}
        self.start = problem.model.compiled.neutral if start is None else start
        self._speeds, self.keep, self.defaults = speeds, set(keep), dict(defaults or {})
        self.turns = True  # rows that hold a point may be turned into other directions
        self.turned: list[tuple[list[int], np.ndarray]] = []

    @property
    def _floats(self) -> bool:
        return self.model.compiled.base_code in (FREE, PLANAR, SPHERICAL, TRANSLATION)

    def _laws(self) -> np.ndarray:
        """Value, rate, acceleration (k, 3) of the laws that rows need: symbols for those that enter the rows, else zero."""
        own = self.problem.constraints
        found = self.model.room(len(own.laws), 3)
        for k, (name, _) in enumerate(own.laws):
            role = next((role for row in own.rows if (role := _role(row, k))), "steering")
            for column, part in LAW_PARTS[role].items():
                found[k, column] = self.model.symbols([f"{plain(name)}_{part}"])[0]
            self.law_roles.append((name, role))
        return found

    # -------------------------------------------------------------------------------------------------------------- rows
    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows that restrict the motion."""
        return tuple(self.problem.constraints.names[m] for m in self.active)

    @cached_property
    def active(self) -> list[int]:
        """Numbers of the rows that restrict the motion."""
        arrays = self.problem.constraints.arrays
        return [] if arrays is None else [m for m in range(len(arrays.rows)) if arrays.rows[m, FLAGS] & KINEMATIC]

    @cached_property
    def arrays(self) -> Any:
        """The arrays of constrained dynamics on symbols: all coordinates are free, the rows those of the robot of symbols."""
        own, m = self.problem.constraints.arrays, self.model
        stand_in = SimpleNamespace(compiled=m.compiled)
        symbolic = _Rows(stand_in, self.problem.constraints.drives, [])  # type: ignore[arg-type]
        count = len(symbolic.rows)
        data = m.room(count, layout.ROW_DATA)
        for i, row in enumerate(symbolic.rows):
            for column, value in row.values.items():
                value = np.atleast_1d(np.asarray(value, dtype=object)).ravel()
                data[i, column : column + len(value)] = value
        everything = np.arange(m.nv)
        climb = np.full(m.nf, -1)
        for k in range(m.nf):
            parent = m.frames[k, PARENT]
            climb[k] = k if m.frames[k, COUNT_V] else (climb[parent] if parent >= 0 else -1)
        return own._replace(
            data=data, free=everything, place=everything, climb=climb, cotwists=m.room(count, layout.COTWISTS),
            sides=m.room(count, layout.SIDES), jacobian=m.room(count, m.nv),
        )  # fmt: skip

    @cached_property
    def robot(self) -> Any:
        """The problem's arrays with the robot of symbols."""
        m = self.model
        parameters = self.problem.wrench_table.parameters.astype(object)
        for row, wrench in enumerate([*m.compiled.wrenches, *wheel_wrenches(m.compiled)]):
            numbers = wrench.law.parameters()
            parameters[row, POINT_ROTATION:POINT_POSITION] = wrench.rotation.ravel()
            parameters[row, POINT_POSITION:FIRST] = wrench.position
            parameters[row, FIRST : FIRST + len(numbers)] = numbers
        return self.problem.arrays._replace(
            frames=m.frames, constants=m.constants, dofs=m.dofs, dof_constants=m.dof_constants, gravity=m.gravity,
            wrench_parameters=parameters,
        )  # fmt: skip

    def fill(self, v: Any, a: Any) -> np.ndarray:
        """Fill the rows for a motion; returns the motions (nf, 12) of the frames."""
        m, c = self.model, self.arrays
        poses, motions = m.kinematics(self.q, v, a)
        twin(fill_rows)(c.rows, c.data, self.laws, poses, motions, c.cotwists, c.sides)
        if self.turns:
            self.turned = [(rows, self._turn(rows)) for rows in self._held_points()]
        return motions

    def _held_points(self) -> list[list[int]]:
        """Three rows each that hold a point of a frame in three directions, at right angles, at rest."""
        c = self.arrays
        free = [k for k in self.active if c.rows[k, layout.OTHER] < 0 and c.rows[k, layout.COORDINATE] < 0 and not c.sides[k].any()]
        groups = [[k for k in free if c.rows[k, layout.FRAME] == frame] for frame in sorted({c.rows[k, layout.FRAME] for k in free})]
        found = []
        for rows in groups:
            directions = c.cotwists[rows, :3]
            if len(rows) == 3 and (directions @ directions.T == np.eye(3, dtype=int)).all():
                found.append(rows)
        return found

    def _turn(self, rows: list[int]) -> np.ndarray:
        """Turn the directions D of three rows into the axes of their frame; returns D.

        W' = D^T W and its rate W'' = D^T dW/dt - (D^T dD/dt) W'. They are (1, -hat p) and (0, -hat dp/dt), p the point, whatever
        the directions were; the last term vanishes on every motion that obeys the rows.
        """
        w = self.arrays.cotwists
        directions, rate = w[rows, :3].copy(), w[rows, layout.RATE_A : layout.RATE_A + 6].copy()
        w[rows, :6] = directions.T @ w[rows, :6]
        w[rows, layout.RATE_A : layout.RATE_A + 6] = directions.T @ rate - (directions.T @ rate[:, :3]) @ w[rows, :6]
        return directions

    @cached_property
    def jacobian(self) -> np.ndarray:
        """Rows J (m, nv) that restrict the motion: J v = b."""
        m = self.model
        if not self.active:
            return m.room(0, m.nv)
        self.fill(m.room(m.nv), m.room(m.nv))
        poses = m.room(m.nf, 12)
        twin(frame_poses)(m.frames, m.constants, self.q, 0, poses)
        twin(row_jacobian)(self.robot, self.arrays, poses)
        return self.arrays.jacobian[self.active].copy()

    def row_bias(self, v: Any, a: Any) -> tuple[np.ndarray, np.ndarray]:
        """J v - b and J a + Jdot v - bdot for each row that restricts the motion."""
        if not self.active:
            return self.model.room(0), self.model.room(0)
        motions, c = self.fill(v, a), self.arrays
        speeds = [twin(row_speed)(c, motions, k, v) - c.sides[k, SIDE] for k in self.active]
        rates = [twin(row_acceleration)(c, motions, k, a) - c.sides[k, SIDE_RATE] for k in self.active]
        return np.array(speeds, dtype=object), np.array(rates, dtype=object)

    # ------------------------------------------------------------------------------------------------ independent speeds
    @cached_property
    def elimination(self) -> Elimination:
        """The rows solved for the dependent speeds. Columns are numbered as in ``unknown``."""
        matrix = self.jacobian[:, self.unknown]
        at_random, start = self._points(matrix)
        ranks = [np.linalg.matrix_rank(table).max(initial=0) if table.size else 0 for table in (at_random, start)]
        late = [(i >= self.model.compiled.reference_nv) + (i in self.keep) for i in self.unknown]
        if self._speeds is None:
            return Elimination(matrix, start if ranks[1] == ranks[0] else at_random, late)
        named = [self._number(name) for name in self._speeds]
        solved = [k for k, i in enumerate(self.unknown) if i not in named]
        if len(solved) == ranks[0]:
            for points in (start, at_random):
                if (found := Elimination(matrix, points, late, solved)).rank == ranks[0]:
                    return found
        free = [self.names[self.unknown[k]] for k in Elimination(matrix, at_random, late).independent]
        raise InputError(
            f"the speeds {', '.join(self._speeds)} do not determine the motion; {len(free)} independent ones are needed, for instance"
            f" {', '.join(free) or 'none'}."
        )

    def _number(self, name: str) -> int:
        free = [self.names[i] for i in self.unknown]
        if name not in free:
            raise InputError(f"there is no free speed '{name}'{nearest(name, free)}")
        return self.names.index(name)

    def _points(self, matrix: np.ndarray) -> list[np.ndarray]:
        """The rows as numbers (k, m, n), columns in comparable units: at random points, and at the start."""
        m = self.model
        program, tape = Program(list(matrix.flat)), m.tape
        at_random = {name: tape.value(tape.names[name]) for name in program.names}
        # Angles of several wheels may have to fit together, and to the place of the wheels.
        at_random |= self._law_values(np.linspace(0.05, 0.5, POINTS)) | self.defaults
        start = {**{name: np.mean(x) for name, x in at_random.items()}, **self.start_values()}
        units = np.where([m.dof_constants[i, ANGULAR] != 0 for i in self.unknown], 1.0, self.problem.constraints.length)
        found = []
        for values in (at_random, start):
            numbers = np.broadcast_arrays(*program.run(values), np.zeros(1 if values is start else POINTS))[:-1]
            table = np.array(numbers, dtype=float).reshape(*matrix.shape, -1) if matrix.size else np.zeros((*matrix.shape, 1))
            found.append(np.moveaxis(table, -1, 0) * units)
        return found

    def start_values(self) -> dict[str, Any]:
        """Values of the symbols at the start: positions, laws at time zero, parameters."""
        m = self.model
        names = [f"q_{plain(name)}" for name in m.compiled.position_names]
        values: dict[str, Any] = dict(zip(names, map(float, self.start), strict=True))
        return values | {name: x[0] for name, x in self._law_values(np.zeros(1)).items()} | self.defaults

    def _law_values(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """What the laws of the rows say at some times, by symbol."""
        values = {}
        for (_, law), symbols in zip(self.problem.constraints.laws, self.laws, strict=True):
            known = np.array([law.at(t) for t in times], dtype=float)
            values |= {x.names[0]: known[:, j] for j, x in enumerate(symbols) if isinstance(x, Expression)}
        return values

    @cached_property
    def independent(self) -> list[int]:
        """Numbers of the coordinates whose speeds are u."""
        return [self.unknown[k] for k in self.elimination.independent]

    @cached_property
    def u(self) -> np.ndarray:
        """Symbols of the independent speeds."""
        return self.model.symbols([f"u_{plain(self.names[i])}" for i in self.independent])

    def spread(self, solved: Mapping[int, Any]) -> np.ndarray:
        """A vector (nv,) with the entries that :class:`Elimination` found."""
        result = self.model.room(self.model.nv)
        for k, value in solved.items():
            result[self.unknown[k]] = value
        return result

    # ---------------------------------------------------------------------------------------------------------- dynamics
    @cached_property
    def motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """H (nv, r), v (nv,) and a_0 (nv,)."""
        m, nv = self.model, self.model.nv
        h = m.room(nv, len(self.u))
        h[self.unknown] = self.elimination.kernel()
        given, pushed = m.room(nv), m.room(nv)
        given[self.imposed], pushed[self.imposed] = m.v[self.imposed], m.a[self.imposed]
        v = given + self.spread(self.elimination.solve(-self.row_bias(given, m.room(nv))[0]))
        v = v + np.array([sum((h[i, k] * self.u[k] for k in range(len(self.u))), start=0) for i in range(nv)], dtype=object)
        a = pushed + self.spread(self.elimination.solve(-self.row_bias(v, pushed)[1]))
        return h, v, a

    def applied(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces of actuators, springs and friction (nv,), and wrenches from outside on the frames (nf, 6)."""
        m = self.model
        tau = m.room(m.nv)
        tau[self.forces] = m.tau[self.forces]
        twin(joint_forces)(m.frames, m.dof_constants, self.q, v, tau)
        work = new_workspace(m.nf, m.nq, m.nv)
        work = work._replace(poses=m.room(m.nf, 12), motions=m.room(m.nf, 12), wrenches=m.room(m.nf, 6))
        inputs = new_inputs(m.nf, m.nv)._replace(rows=self.laws)
        twin(outer_wrenches)(self.robot, inputs, self.q, v, m.room(m.nv), work)
        loads = work.wrenches
        if self.wrenches:
            loads = loads + m.loads(self.wrenches)
        if self.problem.constraints.arrays is not None:
            twin(apply_known)(self.arrays, loads)
        return tau, loads

    @cached_property
    def reduced(self) -> Reduced:
        """M_r udot = F_r."""
        m = self.model
        if not len(self.u):
            raise InputError(
                f"the motion of '{m.compiled.name}' follows from its constraints alone; there is no reduced dynamics left."
            )
        h, v, a = self.motion
        count = len(self.u)
        mass, force = m.room(count, count), m.room(count)
        tau, loads = self.applied(v)
        needed = m._inverse(self.q, v, a, loads, m.gravity)[0]
        for k in range(count):
            column = m.inertial_force(self.q, h[:, k])
            for j in range(k + 1):
                mass[k, j] = mass[j, k] = _dot(h[:, j], column)
            force[k] = _dot(h[:, k], tau - needed)
        return Reduced(mass, force, h, v, a)

    @cached_property
    def acceleration(self) -> tuple[np.ndarray, np.ndarray]:
        """udot (r,), and all accelerations (nv,)."""
        if not len(self.u):
            return self.model.room(0), self.motion[2]
        reduced = self.reduced
        udot = solve_symmetric(reduced.mass, reduced.force)
        return udot, reduced.acceleration + np.array([_dot(row, udot) for row in reduced.kernel], dtype=object)

    def contact_forces(self) -> np.ndarray:
        """Multipliers (m,) of the rows that restrict the motion; zero for redundant rows."""
        m, rows = self.model, self.problem.constraints.arrays.rows
        for k in self.active:
            if not rows[k, FLAGS] & FORCE:
                raise InputError(f"row '{self.problem.constraints.names[k]}' gives a speed; its force is that of the motors.")
        _, v, _ = self.motion
        tau, loads = self.applied(v)
        left = m._inverse(self.q, v, self.acceleration[1], loads, m.gravity)[0] - tau
        found = self.elimination.solve_transposed(left[self.unknown])
        forces = np.array([found.get(k, 0) for k in range(len(self.active))], dtype=object)
        for rows, directions in self.turned:
            places = [self.active.index(k) for k in rows]
            forces[places] = directions @ forces[places]
        return forces


def _role(row: Any, law: int) -> str:
    """What law number ``law`` is for a row, or an empty word."""
    if row.steering == law:
        return "steering"
    if row.rate != law:
        return ""
    if row.flags & KNOWN:
        return "torque"
    return "rolling" if row.flags & FORCE else "speed"


def _dot(a: np.ndarray, b: np.ndarray) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
