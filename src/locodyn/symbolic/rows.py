"""Constraint rows of a robot of symbols, from the same kernels as in a run.

What fills a row is ``locodyn.world.rows.fill_rows``, what carries it to the coordinates ``locodyn.locomotion.row_jacobian``: a
kind of row that keeps their interface is known here without a word about it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel import twin
from locodyn.kernel.plain import uncompiled
from locodyn.locomotion.constraint_rows import ConstraintRows, filled_arrays, number_arrays
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.row_jacobian import row_acceleration, row_jacobian, row_speed
from locodyn.motion.table import MotionTable
from locodyn.robot.description import holds_symbols
from locodyn.robot.layout import COUNT_V, PARENT
from locodyn.shape.kinematics import frame_poses
from locodyn.symbolic.elimination import is_zero
from locodyn.symbolic.expression import Expression
from locodyn.symbolic.model import SymbolicModel, plain
from locodyn.world.rows import FORCE, HOLONOMIC, KINEMATIC, KNOWN, fill_rows
from locodyn.world.tie_table import store_ties
from locodyn.world.wrench_table import store_numbers, wheel_wrenches

# What a law gives to a row: column of (value, rate, acceleration) -> name of the symbol.
LAW_PARTS = {
    "steering": {0: "angle", 1: "angle_rate"},
    "torque": {0: "torque"},
    "rolling": {1: "rolling_rate", 2: "rolling_acceleration"},
    "speed": {1: "speed", 2: "speed_rate"},
}


class SymbolicRows:
    """The rows of a problem at the positions ``q`` (nq,).

    ``laws`` (k, 3): value, rate, acceleration of the laws that rows need: symbols for those that enter the rows, else zero;
    ``law_roles``: (wheel or marker, what the law is). With ``turns``, three rows that hold one point are turned into the axes of
    their frame, which makes them shorter: ``turned`` then says how.
    """

    def __init__(self, problem: Problem, model: SymbolicModel, q: np.ndarray) -> None:
        self.problem, self.model, self.q = problem, model, q
        self.law_roles: list[tuple[str, str]] = []
        self.laws = self._laws()
        self.turns = True
        self.turned: list[tuple[list[int], np.ndarray]] = []

    def _laws(self) -> np.ndarray:
        own = self.problem.constraints
        found = self.model.room(len(own.laws), 3)
        for k, (name, _) in enumerate(own.laws):
            role = next((role for row in own.rows if (role := _role(row, k))), "steering")
            for column, part in LAW_PARTS[role].items():
                found[k, column] = self.model.symbols([f"{plain(name)}_{part}"])[0]
            self.law_roles.append((name, role))
        return found

    def law_values(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """What the laws of the rows say at some times, by symbol."""
        values: dict[str, np.ndarray] = {}
        for k, symbols in enumerate(self.laws):
            with uncompiled(loads=False):
                known = self.law_table.sample(k, times)
            values |= {x.names[0]: known[j] for j, x in enumerate(symbols) if isinstance(x, Expression)}
        return values

    @cached_property
    def law_table(self) -> MotionTable:
        """The laws of the rows, for their values at many times."""
        return MotionTable([law for _, law in self.problem.constraints.laws])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the rows that restrict the motion."""
        return tuple(self.problem.constraints.names[m] for m in self.active)

    @cached_property
    def active(self) -> list[int]:
        """Numbers of the rows that restrict the motion."""
        arrays = self.problem.constraints.arrays
        return [] if arrays is None else [m for m in range(len(arrays.kind)) if arrays.flags[m] & KINEMATIC]

    @cached_property
    def arrays(self) -> Any:
        """The arrays of constrained dynamics on symbols: all coordinates are free, the rows those of the robot of symbols."""
        own, m = self.problem.constraints.arrays, self.model
        stand_in = SimpleNamespace(compiled=m.compiled)
        symbolic = ConstraintRows(stand_in, self.problem.constraints.drives)  # type: ignore[arg-type]  # it asks for no more
        count = len(symbolic.rows)
        everything = np.arange(m.nv)
        ancestor = np.full(m.nf, -1)
        for k in range(m.nf):
            parent = m.frames[k, PARENT]
            ancestor[k] = k if m.frames[k, COUNT_V] else (ancestor[parent] if parent >= 0 else -1)
        return replace(
            own, **number_arrays(symbolic.rows, object), **filled_arrays(count, object), free=everything, place=everything,
            free_ancestor=ancestor, jacobian=m.room(count, m.nv),
        )  # fmt: skip

    @cached_property
    def robot(self) -> Any:
        """The problem's arrays with the robot of symbols."""
        m = self.model
        laws = self.problem.wrench_table.laws
        laws = replace(
            laws,
            **{name: getattr(laws, name).astype(object) for name in ("rotation", "position", "numbers", "share")},
            ties=self._ties(),
        )
        for row, wrench in enumerate([*m.compiled.wrenches, *wheel_wrenches(m.compiled)]):
            laws.rotation[row], laws.position[row] = wrench.rotation.ravel(), wrench.position
            store_numbers(laws, row, wrench, self.problem.model.gravity)
        return replace(
            self.problem.arrays, frames=m.frames, constants=m.constants, dofs=m.dofs, dof_constants=m.dof_constants,
            gravity=m.gravity, wrenches=laws,
        )  # fmt: skip

    def _ties(self) -> Any:
        """Cables and springs with their parameters as symbols."""
        ties, compiled = self.problem.wrench_table.laws.ties, self.model.compiled
        for one in compiled.ties:
            if one.tie.rest is None and holds_symbols(compiled.description):
                raise InputError(
                    f"the {one.tie.rest_word} of '{one.name}' follows from the place of its ends, which may be symbols; give it."
                )
        ties = replace(
            ties, **{name: getattr(ties, name).astype(object) for name in ("numbers", "rotation", "position")}, least=0
        )
        store_ties(ties, compiled.ties)
        return ties

    def fill(self, v: Any, a: Any) -> np.ndarray:
        """Fill the rows for a motion; returns the motions (nf, 12) of the frames."""
        m, c = self.model, self.arrays
        poses, motions = m.kinematics(self.q, v, a)
        twin(fill_rows)(c, self.laws, 1, self.q, v, poses, motions)
        if self.turns:
            self.turned = [(rows, self._turn(rows)) for rows in self._held_points()]
        return motions

    def _held_points(self) -> list[list[int]]:
        """Three rows each that hold a point of a frame in three directions, at right angles, at rest."""
        c = self.arrays
        alone = [k for k in self.active if c.other[k] < 0 and c.coordinates[k] == 0]
        still = [k for k in alone if is_zero(c.right_side[k]) and is_zero(c.right_side_rate[k])]
        found = []
        for frame in sorted({int(c.frame[k]) for k in still}):
            own = [k for k in still if c.frame[k] == frame]
            for rows in (own[i : i + 3] for i in range(0, len(own), 3)):
                directions = c.cotwist[rows, :3]
                if len(rows) == 3 and (directions @ directions.T == np.eye(3, dtype=int)).all():
                    found.append(rows)
        return found

    def _turn(self, rows: list[int]) -> np.ndarray:
        """Turn the directions D of three rows into the axes of their frame; returns D.

        W' = D^T W and its rate W'' = D^T dW/dt - (D^T dD/dt) W'. They are (1, -hat p) and (0, -hat dp/dt), p the point, whatever
        the directions were; the last term vanishes on every motion that obeys the rows.
        """
        w, wdot = self.arrays.cotwist, self.arrays.cotwist_rate
        directions: np.ndarray = w[rows, :3].copy()
        rate = wdot[rows].copy()
        w[rows] = directions.T @ w[rows]
        wdot[rows] = directions.T @ rate - (directions.T @ rate[:, :3]) @ w[rows]
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
        rows = self.arrays
        if m.compiled.has_rods:
            rows = replace(rows, columns=m.columns(self.q, poses))
        twin(row_jacobian)(self.robot, rows, poses)
        found: np.ndarray = self.arrays.jacobian[self.active].copy()
        return found

    @cached_property
    def holonomic(self) -> list[int]:
        """Numbers of the rows that are derivatives of positions: loops, gears, surfaces on planes."""
        return [] if not self.active else [m for m in self.active if self.arrays.flags[m] & HOLONOMIC]

    def gaps(self) -> np.ndarray:
        """How far the positions are off each row that restricts the motion, m or rad; zero for rows between velocities."""
        m, c = self.model, self.arrays
        self.fill(m.room(m.nv), m.room(m.nv))
        found = m.room(len(c.residual))
        found[self.holonomic] = c.residual[self.holonomic]
        for rows, directions in self.turned:
            found[rows] = directions.T @ found[rows]
        kept: np.ndarray = found[self.active]
        return kept

    def bias(self, v: Any, a: Any) -> tuple[np.ndarray, np.ndarray]:
        """J v - b and J a + Jdot v - bdot for each row that restricts the motion."""
        if not self.active:
            return self.model.room(0), self.model.room(0)
        motions, c = self.fill(v, a), self.arrays
        speeds = [twin(row_speed)(c, motions, k, v) - c.right_side[k] for k in self.active]
        rates = [twin(row_acceleration)(c, motions, k, v, a) - c.right_side_rate[k] for k in self.active]
        return np.array(speeds, dtype=object), np.array(rates, dtype=object)


def _role(row: Any, law: int) -> str:
    """What law number ``law`` is for a row, or an empty word."""
    if row.steering == law:
        return "steering"
    if row.rate_law != law:
        return ""
    if row.flags & KNOWN:
        return "torque"
    return "rolling" if row.flags & FORCE else "speed"
