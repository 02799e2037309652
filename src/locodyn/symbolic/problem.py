"""Robots with wheels and loops on symbols: constraint rows, reduced dynamics, contact forces.

With J v = b the rows (:mod:`locodyn.symbolic.rows`) and u the independent speeds,

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
from locodyn.dynamics.strands import strand_forces
from locodyn.errors import InputError, LocodynError, nearest
from locodyn.kernel import twin
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import outer_wrenches
from locodyn.robot.layout import ANGULAR, FREE, PLANAR, SPHERICAL, TRANSLATION
from locodyn.symbolic.elimination import Elimination, solve_symmetric
from locodyn.symbolic.model import SymbolicModel, plain
from locodyn.symbolic.program import Program
from locodyn.symbolic.rows import SymbolicRows
from locodyn.symbolic.tape import POINTS
from locodyn.world.rows import FORCE

PULL = "pull"
NEAR = 0.2  # rad or m about the start, where loops can still be closed
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


class Reduced(NamedTuple):
    """The reduced dynamics M_r udot = F_r, and the motion that u stands for."""

    mass: np.ndarray  # M_r (r, r)
    force: np.ndarray  # F_r (r,)
    kernel: np.ndarray  # H (nv, r)
    velocity: np.ndarray  # v (nv,)
    acceleration: np.ndarray  # a_0 (nv,)


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
    zero : numbers of positions that are set to zero, see :func:`~locodyn.symbolic.generator.ignorable`.
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
        if problem.memories.count:
            name = problem.memories.names[0].rpartition(".")[0]
            raise InputError(f"the law of '{name}' has states of its own; only laws without memory can be written out.")
        if problem.wrench_table.laws.pairs is not None:
            name = next(one.name for one in problem.compliant if one.law.pair >= 0)
            raise InputError(f"the contact law '{name}' is not one of a ball or point on a plane; only those can be written out.")
        if problem.wrench_table.varying:
            name = problem.wrench_table.varying[0][0]
            raise InputError(f"the law of time '{name}' drives a wrench; only wrench laws without one can be written out.")
        self.problem = problem
        self.model = m = model or SymbolicModel(problem.model.compiled.description, tuple(problem.model.gravity))
        self.names = m.compiled.coordinate_names
        self.imposed = [i for i in range(m.nv) if problem.drive[i] == IMPOSED]
        self.unknown = [i for i in range(m.nv) if i not in self.imposed]
        self.q = np.array([0 if i in set(zero) else x for i, x in enumerate(m.q)], dtype=object)
        self.forces = [i for i in self.unknown if i >= m.compiled.reference_nv or not self._floats]
        self.rows = SymbolicRows(problem, m, self.q)
        self.wrenches = {name: m.symbols([f"{plain(name)}_{part}" for part in WRENCH]) for name in wrenches}
        self.strands = m.symbols([f"strand_{plain(name)}" for name in m.compiled.strand_names])
        self.start = problem.model.compiled.neutral if start is None else start
        self._speeds, self.keep, self.defaults = speeds, set(keep), dict(defaults or {})

    @property
    def _floats(self) -> bool:
        return self.model.compiled.base_code in (FREE, PLANAR, SPHERICAL, TRANSLATION)

    # ------------------------------------------------------------------------------------------------ independent speeds
    @cached_property
    def elimination(self) -> Elimination:
        """The rows solved for the dependent speeds. Columns are numbered as in ``unknown``."""
        matrix = self.rows.jacobian[:, self.unknown]
        at_random, start = self._points(matrix)
        ranks = [_rank(at_random), _rank(start)]
        # Rows of a loop may depend on each other where it is closed, and there alone (Bennett's linkage).
        if ranks[0] > ranks[1] and (closed := self._closed()):
            at_random = self._points(matrix, closed)[0]
            ranks[0] = _rank(at_random)
        late = [(i >= self.model.compiled.reference_nv) + (i in self.keep) for i in self.unknown]
        if self._speeds is None:
            return Elimination(matrix, start if ranks[1] >= ranks[0] else at_random, late)
        named = [self._number(name) for name in self._speeds]
        solved = [k for k, i in enumerate(self.unknown) if i not in named]
        if len(solved) == max(ranks):
            for points in (start, at_random):
                if (found := Elimination(matrix, points, late, solved)).rank == len(solved):
                    return found
        free = [
            self.names[self.unknown[k]]
            for k in Elimination(matrix, at_random if ranks[0] > ranks[1] else start, late).independent
        ]
        raise InputError(
            f"the speeds {', '.join(self._speeds)} do not determine the motion; {len(free)} independent ones are needed,"
            f" for instance {', '.join(free) or 'none'}."
        )

    def _number(self, name: str) -> int:
        free = [self.names[i] for i in self.unknown]
        if name not in free:
            raise InputError(f"there is no free speed '{name}'{nearest(name, free)}")
        return self.names.index(name)

    def _closed(self) -> dict[str, np.ndarray]:
        """Positions at random about the start, put on loops and planes, by symbol (k,); nothing where they cannot be closed."""
        if not self.rows.holonomic:
            return {}
        rng, model, found = np.random.default_rng(5), self.problem.model, []
        for _ in range(POINTS):
            beside = model.move(np.array(self.start, dtype=float), NEAR * rng.uniform(-1.0, 1.0, model.nv))
            try:
                found.append(self.problem.imposed_state(0.0, beside, np.zeros(model.nv))[0])
            except LocodynError:
                return {}
        names = [f"q_{plain(name)}" for name in model.compiled.position_names]
        return dict(zip(names, np.array(found).T, strict=True))

    def _points(self, matrix: np.ndarray, closed: Mapping[str, np.ndarray] | None = None) -> list[np.ndarray]:
        """The rows as numbers (k, m, n), columns in comparable units: at random points, or ``closed`` ones, and at the start."""
        m = self.model
        program, tape = Program(list(matrix.flat)), m.tape
        at_random: dict[str, Any] = {name: tape.value(tape.names[name]) for name in program.names}
        # Angles of several wheels may have to fit together, and to the place of the wheels.
        at_random |= self.rows.law_values(np.linspace(0.05, 0.5, POINTS)) | self.defaults | dict(closed or {})
        start = {**{name: np.mean(x) for name, x in at_random.items()}, **self.start_values()}
        units = np.where([m.dof_constants[i, ANGULAR] != 0 for i in self.unknown], 1.0, self.problem.constraints.length)
        found = []
        for values in (at_random, start):
            numbers = np.broadcast_arrays(*program.run(values), np.zeros(1 if values is start else POINTS))[:-1]
            table = np.array(numbers, dtype=float).reshape(*matrix.shape, -1) if matrix.size else np.zeros((*matrix.shape, 1))
            table = np.moveaxis(table, -1, 0) * units
            found.append(table[np.isfinite(table).all(axis=(1, 2))])
        return found

    def start_values(self) -> dict[str, Any]:
        """Values of the symbols at the start: positions, laws at time zero, parameters."""
        m = self.model
        names = [f"q_{plain(name)}" for name in m.compiled.position_names]
        values: dict[str, Any] = dict(zip(names, map(float, self.start), strict=True))
        return values | {name: x[0] for name, x in self.rows.law_values(np.zeros(1)).items()} | self.defaults

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
        imposed, pushed = m.room(nv), m.room(nv)
        imposed[self.imposed], pushed[self.imposed] = m.v[self.imposed], m.a[self.imposed]
        v = imposed + self.spread(self.elimination.solve(-self.rows.bias(imposed, m.room(nv))[0]))
        v = v + np.array([sum((h[i, k] * self.u[k] for k in range(len(self.u))), start=0) for i in range(nv)], dtype=object)
        a = pushed + self.spread(self.elimination.solve(-self.rows.bias(v, pushed)[1]))
        return h, v, a

    def pulled(self) -> np.ndarray:
        """v (nv,) with a part that draws the positions back onto loops and planes, which they leave by errors of integration.

        The dependent speeds get -pull J_dep^-1 gap: a gap decays as exp(-pull t) (Baumgarte 1972, in the positions), and the
        independent coordinates move as they would without it.
        """
        pull = self.model.symbols([PULL])[0]
        back = self.elimination.solve(-self.rows.gaps())
        found: np.ndarray = self.motion[1] + np.array([pull * x for x in self.spread(back)], dtype=object)
        return found

    def applied(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces of actuators, strands, springs and friction (nv,), and wrenches from outside on the frames (nf, 6)."""
        m = self.model
        tau = m.room(m.nv)
        tau[self.forces] = m.tau[self.forces]
        robot = m.compiled
        if len(self.strands):
            twin(strand_forces)(m.dofs, robot.strands, robot.strand_constants, robot.strand_points, self.strands, self.q, tau)
        twin(joint_forces)(m.frames, m.dof_constants, self.q, v, tau)
        no_memory = SimpleNamespace(value=m.room(0), rate=m.room(0))  # laws with states of their own are refused
        work = SimpleNamespace(
            poses=m.room(m.nf, 12), motions=m.room(m.nf, 12), wrenches=m.room(m.nf, 6), memory=no_memory
        )  # fmt: skip
        inputs = SimpleNamespace(wrenches=m.room(0, 6), rows=self.rows.laws)
        twin(outer_wrenches)(self.rows.robot, inputs, self.q, v, m.room(m.nv), work)
        loads = work.wrenches
        if self.wrenches:
            loads = loads + m.loads(self.wrenches)
        if self.problem.constraints.arrays is not None:
            twin(apply_known)(self.rows.arrays, loads)
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
        needed = m.balance(self.q, v, a, loads, m.gravity)[0]
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
        m, rows = self.model, self.rows.arrays
        for k in self.rows.active:
            if not rows.flags[k] & FORCE:
                raise InputError(f"row '{self.problem.constraints.names[k]}' gives a speed; its force is that of the motors.")
        _, v, _ = self.motion
        tau, loads = self.applied(v)
        left = m.balance(self.q, v, self.acceleration[1], loads, m.gravity)[0] - tau
        found = self.elimination.solve_transposed(left[self.unknown])
        forces = np.array([found.get(k, 0) for k in range(len(self.rows.active))], dtype=object)
        for rows, directions in self.rows.turned:
            places = [self.rows.active.index(k) for k in rows]
            forces[places] = directions @ forces[places]
        return forces


def _rank(table: np.ndarray) -> int:
    """Largest rank of some matrices (k, m, n)."""
    return int(np.linalg.matrix_rank(table).max(initial=0)) if table.size else 0


def _dot(a: np.ndarray, b: np.ndarray) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
