"""Loops, points that stay and wheels in statics: positions on their rows, forces by multipliers.

With Phi(q) the residuals of the holonomic rows and J the Jacobian of all, an equilibrium solves (Gotelli 2024, (3.1), (3.5))

    r(q) - J^T lambda = 0,     Phi(q) = 0.

Wheels have no Phi: their rows hold forces, and keep each step of the search to rolling, J dq = 0. Equilibria of a robot on wheels
come in families, since wheels hold it wherever they do not roll; found is the one to which rolling leads from the start.
Rows may be redundant (a pin in a planar robot); :mod:`locodyn.locomotion.row_solver` says which count, and how they share.
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
        if self.arrays is None:
            return
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
    def given(self) -> np.ndarray:
        """Forces (e,) along the free coordinates of rows whose force is given (driven wheels), at the last configuration."""
        known = np.flatnonzero(self.arrays.flags & KNOWN)
        found: np.ndarray = self.arrays.jacobian[known].T @ self.arrays.right_side[known]
        return found

    def factored(self, q: np.ndarray) -> RowFactors:
        """Rank, kernel, steps and multipliers of the rows at a configuration, where loops may be open."""
        return self.solver.factored(q, max(1, self.arrays.settled_rank))

    def refuse_rolling(self, what: str) -> None:
        """:class:`InputError` for wheels, in ``what`` follows equilibria: where wheels roll to depends on the way."""
        for row in [] if self.arrays is None else [self.problem.constraints.rows[int(m)] for m in self.arrays.active]:
            if not row.flags & HOLONOMIC:
                raise InputError(
                    f"'{row.name.rsplit('.', 1)[0]}' rolls, and {what} takes loops and points that stay, but no wheels; use"
                    " statics at single instants, or a run with 'rkmk4' or 'adaptive'."
                )

    def geometric(self, q: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """d(J^T lambda)/dq (e, e), exact: wrenches fixed in their frames, and the change of the rows with the configuration."""
        p, w, c, room = self.problem.arrays, self.problem.workspace, self.problem.arrays.rows, self.room
        forces = np.zeros(len(self.arrays.kind))
        forces[self.arrays.active] = multipliers
        self.solver.fill(q)
        row_loads(c, np.zeros((0, 6)), forces, self.loads)
        inverse_dynamics_derivatives(
            p.frames, p.constants, p.dofs, p.dof_constants, np.zeros(3), q, self.zero, self.zero, self.loads, room.work,
            room.dof_work, room.by_q, room.by_v, room.by_a,
        )  # fmt: skip
        add_row_geometry(p, c, self.problem.inputs, q, forces, w, room.by_q)
        return -room.by_q[np.ix_(self.arrays.free, self.arrays.free)]
