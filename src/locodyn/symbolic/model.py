"""The dynamics of a robot as expressions: the same kernels, run on symbols.

Nothing is derived a second time here. A robot whose parameters are numbers, symbols or both is compiled to object arrays,
and the kernels run on
them as plain Python (:mod:`locodyn.kernel.twin`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.dynamics import forward_dynamics, inverse_dynamics, mass_matrix, totals
from locodyn.errors import InputError
from locodyn.kernel import twin
from locodyn.robot.builder import Robot
from locodyn.robot.layout import FREE, SPHERICAL
from locodyn.shape.columns import COLUMNS, frame_columns
from locodyn.shape.kinematics import frame_poses

ENGINES = ("sympy", "casadi")


def symbols(engine: str, names: list[str]) -> np.ndarray:
    """Array of real symbols of an engine, "sympy" or "casadi"."""
    result = np.empty(len(names), dtype=object)
    if engine == "sympy":
        import sympy

        result[:] = [sympy.Symbol(name, real=True) for name in names]
    elif engine == "casadi":
        import casadi

        result[:] = [casadi.SX.sym(name) for name in names]
    else:
        raise InputError(f"unknown symbolic engine '{engine}'; it must be one of {', '.join(ENGINES)}.")
    return result


class SymbolicModel:
    """Closed-form dynamics of a robot.

    ``q`` (nq,), ``v``, ``a``, ``tau`` (nv,) are arrays of symbols named after the coordinates; all results are object arrays
    of expressions in
    them and in the symbols among the robot's parameters. Gravity may be given as symbols too.

    >>> import locodyn as ld
    >>> import sympy
    >>> m, l, g = sympy.symbols("m l g", positive=True)
    >>> robot = ld.Robot("pendulum")
    >>> ground = robot.base("ground", moves="fixed")
    >>> bob = robot.body("bob", mass=m, centre=(0, 0, -l), inertia=ld.about_centre(xx=0, yy=0, zz=0)).on(ground).turning("y")
    >>> model = SymbolicModel(robot, gravity=(0, 0, -g))
    >>> sympy.simplify(model.inverse_dynamics()[0])
    l*m*(a_bob*l + g*sin(q_bob))
    """

    def __init__(self, robot: Robot, engine: str = "sympy", gravity: Any = (0.0, 0.0, -9.81)) -> None:
        self.engine = engine
        self.compiled = compiled = robot.compile(dtype=object)
        self.nq, self.nv, self.nf = compiled.nq, compiled.nv, compiled.nf
        self.q = symbols(engine, ["q_" + _plain(name) for name in compiled.position_names])
        self.v, self.a, self.tau = (symbols(engine, [f"{letter}_" + _plain(name) for name in compiled.coordinate_names])
                                    for letter in ("v", "a", "tau"))  # fmt: skip
        self.frames, self.dofs = np.array(compiled.frames), np.array(compiled.dofs)
        self.constants, self.dof_constants = self._exact(compiled.constants), self._exact(compiled.dof_constants)
        self.gravity = self._exact(np.array(gravity, dtype=object))

    def _exact(self, values: np.ndarray) -> np.ndarray:
        """Numbers as SymPy rationals, so that differences of expressions can vanish exactly; CasADi keeps floats."""
        if self.engine != "sympy":
            return np.array(values, dtype=object)
        import sympy

        result = np.empty(values.shape, dtype=object)
        for index, x in np.ndenumerate(values):
            number = isinstance(x, (float, np.floating)) and np.isfinite(x)
            result[index] = sympy.nsimplify(float(x), rational=True) if number else sympy.sympify(x)
        return result

    def _room(self, *shape: int) -> np.ndarray:
        return np.full(shape, 0, dtype=object)

    def inverse_dynamics(self, v: Any | None = None, a: Any | None = None) -> np.ndarray:
        """tau(q, v, a), (nv,). ``v`` and ``a`` may be replaced, for instance by zeros."""
        return self._inverse(v, a)[0]

    def base_wrench(self, v: Any | None = None, a: Any | None = None) -> np.ndarray:
        """Wrench (6,) that the world must exert on the reference body, in F0."""
        return self._inverse(v, a)[1]

    def _inverse(self, v: Any | None, a: Any | None) -> tuple[np.ndarray, np.ndarray]:
        work, tau = self._room(self.nf, inverse_dynamics.work_columns(self.compiled.has_rods)), self._room(self.nv)
        v = self.v if v is None else np.array(v, dtype=object)
        a = self.a if a is None else np.array(a, dtype=object)
        run = twin(inverse_dynamics.inverse_dynamics)
        run(self.frames, self.constants, self.gravity, self.q, v, a, self._room(0, 6), work, tau)
        return tau, work[0, inverse_dynamics.WRENCH :]

    def bias(self) -> np.ndarray:
        """Forces of velocity and gravity, (nv,)."""
        return self.inverse_dynamics(a=self._room(self.nv))

    def mass_matrix(self) -> np.ndarray:
        """M(r), (nv, nv)."""
        poses, composites = self._room(self.nf, 12), self._room(self.nf, mass_matrix.COMPOSITE)
        matrix = self._room(self.nv, self.nv)
        twin(frame_poses)(self.frames, self.constants, self.q, 0, poses)
        if self.compiled.has_rods:
            columns = self._room(self.compiled.columns, COLUMNS)
            twin(frame_columns)(self.frames, self.constants, self.dofs, self.dof_constants, self.q, poses, columns)
            with_rods = twin(mass_matrix.mass_matrix_with_rods)
            with_rods(self.frames, self.constants, self.dof_constants, poses, composites, columns, matrix)
            return matrix
        twin(mass_matrix.mass_matrix)(self.frames, self.constants, self.dofs, self.dof_constants, poses, composites, matrix)
        return matrix

    def forward_dynamics(self) -> np.ndarray:
        """a(q, v, tau), (nv,), by the O(n) recursion."""
        if self.compiled.has_rods:
            raise InputError("forward dynamics of rods has no short closed form; solve with mass_matrix() and bias().")
        work, dof_work = self._room(self.nf, forward_dynamics.WORK), self._room(self.nv, forward_dynamics.DOF_WORK)
        a = self._room(self.nv)
        twin(forward_dynamics.hybrid_dynamics)(
            self.frames, self.constants, self.gravity, np.zeros(0, dtype=np.int8), self.q, self.v, self._room(0, 6),
            work, dof_work, a, self.tau.copy(),
        )  # fmt: skip
        return a

    def totals(self) -> np.ndarray:
        """Kinetic and potential energy, mass, mass centre, momentum: the entries of :mod:`locodyn.dynamics.totals`."""
        result = self._room(totals.TOTALS)
        work = self._room(self.nf, totals.WORK)
        twin(totals.totals)(self.frames, self.constants, self.gravity, self.q, self.v, work, result)
        return result

    def quaternion_slices(self) -> list[slice]:
        """Where unit quaternions stand in ``q``: expressions hold for entries of norm 1."""
        result = []
        for code, first in self.frames[:, 1:3]:
            if code in (SPHERICAL, FREE):
                start = int(first) + (3 if code == FREE else 0)
                result.append(slice(start, start + 4))
        return result


def _plain(name: str) -> str:
    return name.replace(".", "_").replace(" ", "_")
