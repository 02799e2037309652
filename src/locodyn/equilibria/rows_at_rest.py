"""Loops, points that stay and wheels in statics: positions on their rows, forces by multipliers.

With Phi(q) the residuals of the holonomic rows and J the Jacobian of all, an equilibrium solves (Gotelli 2024, (3.1), (3.5))

    r(q) - J^T lambda = 0,     Phi(q) = 0.

Wheels and rolling surfaces have no Phi along the ground, nor has a sleeve on a rod: their rows hold forces, and keep each step
of the search to rolling, J dq = 0. Equilibria of a robot on wheels come in families, since wheels hold it wherever they do not
roll; found is the one to which rolling leads from the start. A motion from one equilibrium to the next rolls by the midpoint
rule, J(q_M) (q_1 - q_0) = 0. Rows may be redundant (a pin in a planar robot); :mod:`locodyn.locomotion.row_solver` says which
count, and how they share.
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import new_tangent
from locodyn.locomotion.row_residual import add_row_geometry, row_loads
from locodyn.locomotion.row_solver import RowFactors, RowSolver
from locodyn.world.rows import HOLONOMIC, KNOWN


class RowsAtRest:
    """The rows of a problem that hold it at rest, k of them: residuals Phi, Jacobian J, factors, change of their forces."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.arrays = problem, problem.constraints.arrays
        self.count = 0 if self.arrays is None else len(self.arrays.active)
        self.zero = np.zeros(problem.model.nv)
        self.room, self.loads = new_tangent(problem.model), np.zeros((problem.model.nf, 6))
        self.rolling = np.zeros(0, dtype=np.int64)  # places of rows without Phi
        if self.arrays is None:
            return
        active = [problem.constraints.rows[int(m)] for m in self.arrays.active]
        self.rolling = np.array([place for place, row in enumerate(active) if not row.flags & HOLONOMIC], dtype=np.int64)
        if len(self.arrays.dependent):
            name = problem.model.compiled.coordinate_names[int(self.arrays.dependent[0])]
            raise InputError(f"the joint '{name}' is dependent, but a robot at rest has no rates to follow; make it passive.")
        self.solver = RowSolver(problem.arrays, self.arrays, problem.inputs, problem.workspace, self.arrays.active)

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(Phi (k,), 0 for wheels; J (k, free coordinates)) at a configuration."""
        if self.arrays is None:
            return np.zeros(0), np.zeros((0, len(self.zero)))
        return self.solver.at(q)

    @property
    def known_pull(self) -> np.ndarray:
        """Forces (e,) along the free coordinates of rows whose force is given (driven wheels), at the last configuration."""
        known = np.flatnonzero(self.arrays.flags & KNOWN)
        found: np.ndarray = self.arrays.jacobian[known].T @ self.arrays.right_side[known]
        return found

    def factored(self, q: np.ndarray) -> RowFactors:
        """Rank, kernel, steps and multipliers of the rows at a configuration, where loops may be open."""
        return self.solver.factored(q, max(1, self.arrays.settled_rank))

    def slip(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """What the rolling rows miss (m) of the motion u (nv,) at the configuration q; imposed coordinates move too."""
        self.solver.fill(q)
        return np.asarray(self.problem.row_speeds(q, u)[self.arrays.active[self.rolling]])

    def slipped(self, before: np.ndarray, q: np.ndarray) -> np.ndarray:
        """The same of the way from one configuration to the next, by the midpoint rule."""
        way = self.problem.model.difference(before, q)
        return self.slip(self.problem.model.move(before, 0.5 * way), way)

    def refuse_rolling(self, what: str) -> None:
        """:class:`InputError` for wheels, where ``what`` follows equilibria back and forth."""
        for place in self.rolling:
            name = self.problem.constraints.rows[int(self.arrays.active[place])].name.rsplit(".", 1)[0]
            raise InputError(
                f"'{name}' rolls, and where it rolls to depends on the way, so that {what} has no place for it; use statics at"
                " single instants, or a run with 'quasi_static'."
            )

    def refuse_timed(self, what: str) -> None:
        """:class:`InputError` for wheels whose rolling is a law of time, and for contacts on rods that time moves or releases."""
        for one in self.problem.model.compiled.rod_contacts:
            contact = one.contact
            if contact.during is not None or contact.wrap is not None:
                raise InputError(
                    f"the {contact.kind} '{contact.name}' comes and goes; {what} follows one equilibrium, and a body that is let"
                    " go springs into another with its inertia: use an implicit method."
                )
            if contact.moves and not contact.is_holonomic:
                raise InputError(
                    f"the {contact.kind} '{contact.name}' moves by laws of time, but holds velocities only; {what} takes those"
                    " that stay: use an implicit method."
                )
        for place in self.rolling:
            row = self.problem.constraints.rows[int(self.arrays.active[place])]
            if row.rate_law >= 0:
                raise InputError(
                    f"the rolling of '{row.name.rsplit('.', 1)[0]}' is given as a law of time; {what} takes wheels that roll"
                    " freely: impose a joint instead."
                )

    def geometric(self, q: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """d(J^T lambda)/dq (e, e), exact: wrenches fixed in their frames, and the change of the rows with the configuration."""
        arrays, work, rows, room = self.problem.arrays, self.problem.workspace, self.problem.arrays.rows, self.room
        forces = np.zeros(len(self.arrays.kind))
        forces[self.arrays.active] = multipliers
        self.solver.fill(q)
        row_loads(rows, np.zeros((0, 6)), forces, self.loads)
        inverse_dynamics_derivatives(
            arrays.frames, arrays.constants, arrays.dofs, arrays.dof_constants, np.zeros(3), q, self.zero, self.zero, self.loads,
            room.work, room.dof_work, room.by_q, room.by_v, room.by_a,
        )  # fmt: skip
        add_row_geometry(arrays, rows, self.problem.inputs, q, forces, work, room.by_q)
        return -room.by_q[np.ix_(self.arrays.free, self.arrays.free)]
