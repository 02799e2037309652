"""The resistance of a robot that creeps through a viscous fluid: generalised drag f = -R(q) v without inertia (Stokes).

Where inertia counts for nothing (low Reynolds number), the drag on a robot that nothing else acts on adds up to zero. The rows
of the reference body say so,

    R_00 eta_0 + R_0r rdot = 0,

which is a connection, A = R_00^-1 R_0r (Ali 2011, 2.3; Shapere and Wilczek 1989; Kelly and Murray 1995). R is the
exact tangent of the drag by velocities, at rest.
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.world.laws import Drag

_NO_DRAG = 1e-12  # of the largest entry of R, scaled to a unit diagonal


class Resistance:
    """R(q) of a robot on which nothing acts but drag in proportion to velocities, :class:`~locodyn.world.laws.Drag`."""

    def __init__(self, model: Model) -> None:
        self.model, self.dim = model, model.compiled.reference_nv
        self._problem, self._room, self._rest = Problem(model), new_tangent(model), np.zeros(model.nv)
        for wrench in self._problem.wrench_table.wrenches:
            law = wrench.law
            if not isinstance(law, Drag) or any(law.quadratic) or law.flows:
                raise InputError(
                    f"robot '{model.compiled.name}' has no connection without inertia: '{wrench.name}' is not in proportion to"
                    " velocities; use Drag(linear=..., angular=...) in a fluid at rest."
                )

    def at(self, q: np.ndarray) -> np.ndarray:
        """R (nv, nv), symmetric: the forces of the fluid are -R v; N s/m, N s and N m s."""
        arrays, problem, rest = self._problem.arrays, self._problem, self._rest
        motion_residual(arrays, problem.inputs, q, rest, rest, problem.workspace, self._room, 1.0)
        motion_tangent(arrays, problem.inputs, q, rest, rest, problem.workspace, self._room, 1.0, 1)
        return self._room.by_v.copy()

    def inverse(self, matrix: np.ndarray) -> np.ndarray:
        """The inverse of R_00, where drag resists every motion of the robot as a whole."""
        part = matrix[: self.dim, : self.dim]
        scale = np.sqrt(np.abs(np.diag(part)))
        if not scale.all() or np.linalg.eigvalsh(part / np.outer(scale, scale))[0] < _NO_DRAG:
            raise InputError(
                f"robot '{self.model.compiled.name}' has no connection without inertia: no drag resists some motion of it as a"
                " whole; give its bodies drag along and across, and against turning."
            )
        found: np.ndarray = np.linalg.inv(part)
        return found
