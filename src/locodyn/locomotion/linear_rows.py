"""The kinematic rows of a robot over all its coordinates, J(q) v = 0, for connections and their curvature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.locomotion.arrays import ProblemArrays, new_inputs, new_work
from locodyn.locomotion.constraints import Constraints
from locodyn.locomotion.row_residual import row_slopes
from locodyn.locomotion.row_solver import RowFactors, RowSolver


class LinearRows:
    """The rows of ``constraints`` with all coordinates free, but for those of the ``shape``, which are given.

    ``problem``: arrays of the robot. ``active``: the rows that restrict motion. Contacts on rods are where ``constraints`` has
    them, or at t = 0 where a law leads them; what drives rows stands still.
    """

    def __init__(self, model: Model, problem: ProblemArrays, constraints: Constraints, shape: Sequence[int]) -> None:
        wide = Constraints(model, constraints.drives, ())
        rows, own = wide.arrays, constraints.arrays
        rows.anchor[:] = own.anchor
        if rows.rod_contacts is not None:
            for name in ("abscissa", "rotation", "position"):
                getattr(rows.rod_contacts, name)[:] = getattr(own.rod_contacts, name)
        self.shape, self.units, self.tolerance = list(shape), rows.units.copy(), rows.speed_tolerance
        self.active = [wide.rows[int(m)] for m in rows.active]
        inputs = new_inputs(model.nf, model.nv, row_laws=len(wide.laws))
        places = {one.contact.name for one in model.compiled.rod_contacts}
        inputs.rows[:, 0] = [law(0.0) if name in places else 0.0 for name, law in wide.laws]
        columns = model.compiled.columns if model.compiled.has_rods else 0
        self._solver = RowSolver(replace(problem, rows=rows), rows, inputs, new_work(model.nf, model.nv, columns), rows.active)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """J (m, nv) of the active rows."""
        return self._solver.at(q)[1]

    def factored(self, q: np.ndarray) -> RowFactors:
        """Factors of the rows along the coordinates that are not given: their steps leave those of the shape alone."""
        rows = self._solver.rows
        rows.units[self.shape] = 0.0
        try:
            return self._solver.factored(q)
        finally:
            rows.units[:] = self.units

    def slopes(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """d(J v)/dq (m, nv) at a fixed velocity ``v`` (nv,): exact, also for rods."""
        own, nv, m = self._solver, len(v), len(self.active)
        result = np.zeros((m, nv))
        scratch = np.zeros(nv), np.zeros(nv), np.zeros(m)
        row_slopes(own.problem, own.rows, own.inputs, q, np.ascontiguousarray(v), own.work, *scratch, result)
        return result
