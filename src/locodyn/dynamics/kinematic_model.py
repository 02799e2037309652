"""Where the frames of a compiled robot are and how they move: its arrays, its workspace, its configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from locodyn.dynamics import entries
from locodyn.errors import InputError, nearest
from locodyn.kernel.entry import is_prepared, numbers, prepared
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.layout import CODE, DOF_FRAME, FIRST_Q, FIRST_V, FREE, PLANAR, SPHERICAL
from locodyn.typing import Array, Vector

EARTH = (0.0, 0.0, -9.81)


class KinematicModel:
    """The half of a :class:`~locodyn.dynamics.model.Model` that needs no inertia."""

    def __init__(self, compiled: CompiledRobot, gravity: Vector = EARTH) -> None:
        if compiled.nv == 0:
            raise InputError(f"robot '{compiled.name}' has no joint that moves; there is nothing to compute.")
        self.compiled = compiled
        self.nq, self.nv, self.nf = compiled.nq, compiled.nv, compiled.nf
        self.frames, self.constants, self.dofs, self.dof_constants = compiled.kernel_arrays()
        self.gravity = numbers(gravity, "gravity")
        if self.gravity.shape != (3,):
            raise InputError(f"gravity is {gravity!r}; it must be three finite numbers, m/s^2 in world axes.")
        arrays = (self.frames, self.constants, self.dofs, self.dof_constants, self.gravity)
        self._table, self._spaces = entries.handle_table((self.nq, self.nv, self.nf), arrays)
        self._handle = self._table.ctypes.data
        # Stand-ins that compile (or load) an entry when it is first called, and then give way to it.
        self._kinematics = self._loading("_kinematics", entries.call_kinematics, entries.KINEMATICS)
        self._jacobian = self._loading("_jacobian", entries.call_jacobian, entries.JACOBIAN)
        self._move = self._loading("_move", entries.call_move, entries.CONFIGURATION)
        self._difference = self._loading("_difference", entries.call_difference, entries.CONFIGURATION)

    def _loading(self, name: str, entry: Any, arguments: tuple[str, ...]) -> Any:
        def first_call(*values: Any) -> Any:
            kernel = prepared(entry, *arguments)
            if is_prepared(kernel):
                setattr(self, name, kernel)
            return kernel(*values)

        return first_call

    def __reduce__(self) -> Any:
        return type(self), (self.compiled, self.gravity.copy())

    def _complain(self, wrong: int, names: tuple[str, str, str] = ("q", "v", "a")) -> NoReturn:
        if wrong > 3:
            raise InputError(f"{names[wrong - 4]} holds NaN or infinity; all its entries must be finite.")
        length = self.nq if wrong == 1 else self.nv
        raise InputError(
            f"{names[wrong - 1]} has the wrong length for robot '{self.compiled.name}'; it must have {length} entries"
            f" ({', '.join(self.compiled.position_names if wrong == 1 else self.compiled.coordinate_names)})."
        )

    # ------------------------------------------------------------------------------------------------------ kinematics
    def kinematics(self, q: Array, v: Array | None = None, a: Array | None = None) -> tuple[np.ndarray, np.ndarray]:
        """World poses (nf, 12) and body motions (nf, 12) of all frames, see :mod:`locodyn.shape.kinematics`."""
        poses, motions = np.empty((self.nf, 12)), np.empty((self.nf, 12))
        speed = np.zeros(self.nv) if v is None else numbers(v, "v")
        rate = np.zeros(self.nv) if a is None else numbers(a, "a")
        if wrong := self._kinematics(self._handle, numbers(q, "q"), speed, rate, poses, motions):
            self._complain(wrong)
        return poses, motions

    def pose(self, name: str, q: Array) -> tuple[np.ndarray, np.ndarray]:
        """Rotation (3, 3) and position (3,) m of a body or marker in the world."""
        frame, rotation, position = self.compiled.point(name)
        row = self.kinematics(q)[0][frame]
        r, p = row[:9].reshape(3, 3), row[9:]
        return r @ rotation, p + r @ position

    def twist(self, name: str, q: Array, v: Array) -> np.ndarray:
        """Body twist (v; w) of a body or marker, (6,), in its own axes."""
        found: np.ndarray = self._carry(name) @ self.kinematics(q, v)[1][self.compiled.point(name)[0], :6]
        return found

    def acceleration(self, name: str, q: Array, v: Array, a: Array) -> np.ndarray:
        """Derivative of the components of the body twist of a body or marker, (6,)."""
        found: np.ndarray = self._carry(name) @ self.kinematics(q, v, a)[1][self.compiled.point(name)[0], 6:]
        return found

    def jacobian(self, name: str, q: Array) -> np.ndarray:
        """J (6, nv): the body twist of a body or marker is J v."""
        return self.jacobians(name, q, np.zeros(self.nv))[0]

    def jacobians(self, name: str, q: Array, v: Array) -> tuple[np.ndarray, np.ndarray]:
        """J and its time derivative, each (6, nv): etadot = J a + Jdot v."""
        place, speed = numbers(q, "q"), numbers(v, "v")
        poses, motions = self.kinematics(place, speed)
        jacobian, rate = np.empty((self.nv, 6)), np.empty((self.nv, 6))
        self._jacobian(self._handle, place, speed, poses, motions, self.compiled.point(name)[0], jacobian, rate)
        carry = self._carry(name)
        return carry @ jacobian.T, carry @ rate.T

    def _carry(self, name: str) -> np.ndarray:
        """Ad(g^-1), (6, 6): twist of a frame -> twist of the body or marker placed at g in it."""
        _, rotation, p = self.compiled.point(name)
        hat = np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])
        return np.block([[rotation.T, -rotation.T @ hat], [np.zeros((3, 3)), rotation.T]])

    def frame_wrenches(self, wrenches: Mapping[str, Array]) -> np.ndarray:
        """Wrenches by body or marker name, each (6,) in its own axes, gathered as (nf, 6) on the frames."""
        result = np.zeros((self.nf, 6))
        for name, wrench in wrenches.items():
            load = numbers(wrench, f"the wrench on '{name}'")
            if load.shape != (6,):
                raise InputError(f"the wrench on '{name}' has shape {load.shape}; it must be (fx, fy, fz, mx, my, mz).")
            result[self.compiled.point(name)[0]] += self._carry(name).T @ load
        return result

    # --------------------------------------------------------------------------------------------------- configuration
    def neutral(self) -> np.ndarray:
        """Configuration with all joints at zero, (nq,)."""
        return np.array(self.compiled.neutral, dtype=float)

    def position_of(self, coordinate: str) -> int:
        """Where in q the position stands whose rate is this coordinate of v; joints that turn in space have none."""
        robot = self.compiled
        if coordinate not in robot.coordinate_names:
            known = nearest(coordinate, robot.coordinate_names)
            raise InputError(f"robot '{robot.name}' has no coordinate '{coordinate}'{known}")
        i = robot.coordinate_names.index(coordinate)
        frame = self.frames[self.dofs[i, DOF_FRAME]]
        if frame[CODE] in (FREE, PLANAR, SPHERICAL):
            raise InputError(f"the coordinate '{coordinate}' is not the rate of one position; name a joint of one axis.")
        return int(frame[FIRST_Q] + i - frame[FIRST_V])

    def move(self, q: Array, u: Array) -> np.ndarray:
        """q (+) u: the configuration reached from q by the constant velocity u held for 1 s, joint by joint."""
        result = np.empty(self.nq)
        if wrong := self._move(self._handle, numbers(q, "q"), numbers(u, "u"), result):
            self._complain(wrong, ("q", "u", "u"))
        return result

    def difference(self, q0: Array, q1: Array) -> np.ndarray:
        """u (nv,) with q1 = q0 (+) u."""
        result = np.empty(self.nv)
        if wrong := self._difference(self._handle, numbers(q0, "q"), numbers(q1, "q"), result):
            self._complain(wrong)
        return result

    def normalised(self, q: Array) -> np.ndarray:
        """``q`` with unit quaternions; :class:`InputError` when one is zero."""
        result = numbers(q, "q")
        if result.shape != (self.nq,):
            self._complain(1)
        for code, first in self.frames[:, 1:3].tolist():
            if code in (SPHERICAL, FREE):
                part = result[first + (3 if code == FREE else 0) :][:4]
                length = np.linalg.norm(part)
                if length < 1e-12:
                    raise InputError(f"a quaternion of robot '{self.compiled.name}' is zero; it must have length 1.")
                if abs(length - 1.0) > 1e-14:  # a state that went through here before keeps its bits
                    part /= length
        return result
