"""A robot ready to compute: its arrays, its workspace, its dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from locodyn.dynamics import entries, inverse_dynamics, totals
from locodyn.dynamics.kinematic_model import EARTH, KinematicModel
from locodyn.dynamics.strands import STRAND, strand_length
from locodyn.errors import InputError
from locodyn.kernel.entry import numbers
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.html import robot_html
from locodyn.robot.layout import ADDED, FLUID, MUSCLE
from locodyn.typing import Array, Vector

empty = np.empty
_NO_WRENCH = np.zeros((0, 6))
_NONE_IMPOSED = np.zeros(0, dtype=np.int8)


class Model(KinematicModel):
    """Kinematics and dynamics of a compiled robot.

    ``q`` (nq,) is the configuration, ``v`` (nv,) the velocity, ``a`` (nv,) the acceleration, ``tau`` (nv,) the generalised
    force, in the order of
    ``compiled.coordinate_names``: first the reference joint, whose velocities are components of the body twist of the
    reference body.
    Wrenches are given by body name, ``{"hand": (fx, fy, fz, mx, my, mz)}``, in the axes of the body and about its origin.

    A model owns its workspace, so that no call allocates more than its result: use one model in each thread.

    >>> import locodyn as ld
    >>> robot = ld.Robot("pendulum")
    >>> ground = robot.base("ground", moves="fixed")
    >>> body = robot.body("bob", mass=2.0, centre=(0, 0, -0.5), inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1))
    >>> bob = body.on(ground).turning("y")
    >>> model = robot.model()
    >>> model.inverse_dynamics(np.array([0.0]), np.array([0.0]), np.array([1.0])).round(12)
    array([0.6])
    """

    def __init__(self, compiled: CompiledRobot, gravity: Vector = EARTH) -> None:
        super().__init__(compiled, gravity)
        self.in_fluid = bool(self.frames[:, FLUID].any())
        self._fluid_weight = self.in_fluid and bool(self.gravity.any())
        self._inverse = self._loading("_inverse", entries.call_inverse_dynamics, entries.INVERSE)
        self._hybrid = self._loading("_hybrid", entries.call_hybrid_dynamics, entries.HYBRID)
        self._mass = self._loading("_mass", entries.call_mass_matrix, entries.MASS_MATRIX)
        self._derivatives = self._loading("_derivatives", entries.call_derivatives, entries.DERIVATIVES)
        self._totals = self._loading("_totals", entries.call_totals, entries.TOTALS)

    # -------------------------------------------------------------------------------------------------------- dynamics
    def inverse_dynamics(self, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None = None) -> np.ndarray:
        """tau = M(q) a + bias(q, v) - J^T wrenches, (nv,).

        What the world must exert on the reference body: :attr:`base_wrench`.
        """
        tau = empty(self.nv)
        loads = _NO_WRENCH if wrenches is None and not self._fluid_weight else self._loads(q, wrenches)
        try:
            wrong = self._inverse(self._handle, q, v, a, loads, tau)
        except TypeError:
            wrong = self._inverse(self._handle, numbers(q, "q"), numbers(v, "v"), numbers(a, "a"), loads, tau)
        if wrong:
            self._complain(wrong)
        return tau

    @property
    def base_wrench(self) -> np.ndarray:
        """Wrench (force; moment) that the last inverse dynamics asks of the world on the reference body, in F0; N, N m."""
        return self._spaces[entries.AT.work][0, inverse_dynamics.WORK.wrench : inverse_dynamics.WORK.wrench + 6].copy()

    def forward_dynamics(self, q: Array, v: Array, tau: Array, wrenches: Mapping[str, Array] | None = None) -> np.ndarray:
        """Accelerations (nv,) under the generalised forces ``tau``: O(n), all coordinates free."""
        a = empty(self.nv)
        loads = _NO_WRENCH if wrenches is None and not self._fluid_weight else self._loads(q, wrenches)
        try:
            wrong = self._hybrid(self._handle, _NONE_IMPOSED, q, v, loads, a, tau)
        except TypeError:
            forces = numbers(tau, "tau")
            wrong = self._hybrid(self._handle, _NONE_IMPOSED, numbers(q, "q"), numbers(v, "v"), loads, a, forces)
        if wrong:
            self._complain(wrong, ("q", "v", "tau"))
        return a

    def hybrid_dynamics(
        self,
        q: Array,
        v: Array,
        a: Array,
        tau: Array,
        imposed: Sequence[int] | np.ndarray,
        wrenches: Mapping[str, Array] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Complete (a, tau), both (nv,): ``imposed[i]`` true means a[i] is given and tau[i] asked, false the reverse."""
        flags = np.ascontiguousarray(np.asarray(imposed, dtype=bool), dtype=np.int8)
        if flags.shape != (self.nv,):
            self._complain(3, ("q", "v", "imposed"))
        rates, forces = numbers(a, "a"), numbers(tau, "tau")
        if rates.shape != (self.nv,):
            self._complain(3)
        loads = _NO_WRENCH if wrenches is None and not self._fluid_weight else self._loads(q, wrenches)
        wrong = self._hybrid(self._handle, flags, numbers(q, "q"), numbers(v, "v"), loads, rates, forces)
        if wrong:
            self._complain(wrong, ("q", "v", "tau"))
        return rates, forces

    def bias(self, q: Array, v: Array) -> np.ndarray:
        """Velocity and gravity forces (nv,): inverse dynamics at zero acceleration."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv))

    def mass_matrix(self, q: Array) -> np.ndarray:
        """M(r), (nv, nv), symmetric and positive definite; armature included."""
        matrix = empty((self.nv, self.nv))
        try:
            wrong = self._mass(self._handle, q, matrix)
        except TypeError:
            wrong = self._mass(self._handle, numbers(q, "q"), matrix)
        if wrong:
            self._complain(wrong)
        return matrix

    def mass_blocks(self, q: Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M0, Mr, m): locked inertia of the reference joint, coupling with the shape, inertia of the shape (Ali 2011, 2.12)."""
        matrix, n = self.mass_matrix(q), self.compiled.reference_nv
        return matrix[:n, :n], matrix[:n, n:], matrix[n:, n:]

    def composite_inertia(self, q: Array) -> np.ndarray:
        """Inertia (6, 6) of the whole robot, joints locked, in F0: [[m 1, -hat h], [hat h, I]] (Ali 2011, (3.23))."""
        if self.in_fluid:
            raise InputError("a robot that moves fluid along is no rigid body when locked; use mass_blocks(q).")
        self.mass_matrix(q)
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = self._spaces[entries.AT.composites][0]
        hat = np.array([[0.0, -hz, hy], [hz, 0.0, -hx], [-hy, hx, 0.0]])
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return np.block([[m * np.eye(3), -hat], [hat, inertia]])

    def inverse_dynamics_derivatives(
        self, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(d tau/dq, d tau/dv, d tau/da), each (nv, nv). Those by q are along velocities: tau(q (+) d e_j) to first order."""
        shape = (self.nv, self.nv)
        by_q, by_v, by_a = empty(shape), empty(shape), empty(shape)
        loads = _NO_WRENCH if wrenches is None and not self._fluid_weight else self._loads(q, wrenches)
        try:
            wrong = self._derivatives(self._handle, q, v, a, loads, by_q, by_v, by_a)
        except TypeError:
            state = numbers(q, "q"), numbers(v, "v"), numbers(a, "a")
            wrong = self._derivatives(self._handle, *state, loads, by_q, by_v, by_a)
        if wrong:
            self._complain(wrong)
        if self._fluid_weight:
            by_q -= self._fluid_weight_slope(q)
        return by_q, by_v, by_a

    def forward_dynamics_derivatives(
        self, q: Array, v: Array, tau: Array, wrenches: Mapping[str, Array] | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(da/dq, da/dv, da/dtau), each (nv, nv): -M^-1 dtau/dq, -M^-1 dtau/dv, M^-1 at the acceleration that tau gives."""
        a = self.forward_dynamics(q, v, tau, wrenches)
        by_q, by_v, matrix = self.inverse_dynamics_derivatives(q, v, a, wrenches)
        solved = np.linalg.solve(matrix, np.hstack([by_q, by_v, np.eye(self.nv)]))
        n = self.nv
        inverse = solved[:, 2 * n :]
        return -solved[:, :n], -solved[:, n : 2 * n], 0.5 * (inverse + inverse.T)

    # ----------------------------------------------------------------------------------------------- energy and momentum
    def totals(self, q: Array, v: Array | None = None) -> np.ndarray:
        """Kinetic and potential energy, mass, centre, linear and angular momentum: see :mod:`locodyn.dynamics.totals`."""
        result = empty(totals.TOTALS.size)
        speed = np.zeros(self.nv) if v is None else numbers(v, "v")
        if wrong := self._totals(self._handle, numbers(q, "q"), speed, result):
            self._complain(wrong)
        return result

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """1/2 v^T M v, J."""
        return float(self.totals(q, v)[totals.TOTALS.kinetic])

    def potential_energy(self, q: Array) -> float:
        """Energy of gravity, zero at the world's origin, J."""
        return float(self.totals(q)[totals.TOTALS.potential])

    def centre_of_mass(self, q: Array) -> np.ndarray:
        """(3,) m, world axes."""
        return self.totals(q)[totals.TOTALS.centre : totals.TOTALS.centre + 3]

    def momentum(self, q: Array, v: Array) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum (3,) N s and angular momentum (3,) N m s about the centre of mass, world axes."""
        result = self.totals(q, v)
        linear = result[totals.TOTALS.linear_momentum : totals.TOTALS.linear_momentum + 3]
        centre = result[totals.TOTALS.centre : totals.TOTALS.centre + 3]
        return linear, result[totals.TOTALS.angular_momentum :] - np.cross(centre, linear)

    def strand_lengths(self, q: Array) -> np.ndarray:
        """Lengths of tendons, and of the centre lines of chambers, in the order of ``compiled.strand_names``, m (muscle: nan)."""
        robot, place = self.compiled, numbers(q, "q")
        strands, points = robot.strands.copy(), robot.strand_points.copy()
        result = np.full(len(robot.strand_names), np.nan)
        for row in np.flatnonzero(strands[:, STRAND.kind] != MUSCLE):
            result[row] = strand_length(self.dofs, strands, points, row, place)
        return result

    def power(self, v: Array, tau: Array) -> float:
        """tau . v, W."""
        return float(np.dot(numbers(tau, "tau"), numbers(v, "v")))

    def zero_momentum(self, q: Array, v: Array) -> np.ndarray:
        """``v`` with the reference velocity that makes its momentum vanish: M0 eta + Mr rdot = 0 (Ali 2011, 3.31)."""
        result = numbers(v, "v")
        if result.shape != (self.nv,):
            self._complain(2)
        n = self.compiled.reference_nv
        if n:
            locked, coupling, _ = self.mass_blocks(q)
            result[:n] = np.linalg.solve(locked, -coupling @ result[n:])
        return result

    # ----------------------------------------------------------------------------------------------------------- loads
    def _loads(self, q: Array, wrenches: Mapping[str, Array] | None) -> np.ndarray:
        """Wrenches on the frames, the weight of the fluid moved along taken out (the recursions carry gravity to all inertia)."""
        loads = self.frame_wrenches(wrenches or {})
        if self._fluid_weight:
            poses = self.kinematics(q)[0]
            for k in np.flatnonzero(self.frames[:, FLUID]):
                matrix = self._fluid_matrix(int(k))
                loads[k] -= matrix[:, :3] @ (poses[k, :9].reshape(3, 3).T @ self.gravity)
        return loads

    def _fluid_weight_slope(self, q: Array) -> np.ndarray:
        """J^T dF/dq (nv, nv) of the loads F = -M_f (R^T g; 0) of :meth:`_loads`: dF_j = M_f (w_j x R^T g; 0), with J = (.; w)."""
        place, rest, result = numbers(q, "q"), np.zeros(self.nv), np.zeros((self.nv, self.nv))
        poses, motions = self.kinematics(place)
        jacobian, rate = np.empty((self.nv, 6)), np.empty((self.nv, 6))
        for k in np.flatnonzero(self.frames[:, FLUID]):
            self._jacobian(self._handle, place, rest, poses, motions, int(k), jacobian, rate)
            turned = np.cross(jacobian[:, 3:], poses[k, :9].reshape(3, 3).T @ self.gravity)
            result += jacobian @ self._fluid_matrix(int(k))[:, :3] @ turned.T
        return result

    def _fluid_matrix(self, k: int) -> np.ndarray:
        """(6, 6) inertia of the fluid that frame k moves along."""
        a, b, c = (self.constants[k, ADDED + i : ADDED + j] for i, j in ((0, 6), (6, 15), (15, 21)))
        full = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
        return np.block([[a[full], b.reshape(3, 3)], [b.reshape(3, 3).T, c[full]]])

    def _repr_html_(self) -> str:
        return robot_html(self.compiled.description)

    def __repr__(self) -> str:
        return f"Model('{self.compiled.name}', nq={self.nq}, nv={self.nv})"
