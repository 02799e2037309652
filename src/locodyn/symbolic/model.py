"""The dynamics of a robot as expressions: the same kernels, run on symbols.

Nothing is derived a second time here. A robot whose parameters are numbers, symbols or both is compiled to object arrays, and the
kernels run on them as plain Python (:mod:`locodyn.kernel.twin`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from locodyn.dynamics import forward_dynamics, inverse_dynamics, mass_matrix, totals
from locodyn.errors import InputError
from locodyn.kernel import twin
from locodyn.kernel.vector import rotate
from locodyn.lie.so3 import quaternion_matrix, quaternion_product
from locodyn.robot import CompiledRobot, RobotDescription, compile_robot
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, FREE, PLANAR, SPHERICAL
from locodyn.robot.values import is_symbol
from locodyn.shape.columns import COLUMNS, frame_columns, jacobian_from_columns
from locodyn.shape.jacobian import frame_jacobian
from locodyn.shape.joint import turn_about_z
from locodyn.shape.kinematics import ACCELERATION, TWIST, frame_motions, frame_poses, to_child, to_parent
from locodyn.symbolic.elimination import solve_symmetric
from locodyn.symbolic.expression import Expression
from locodyn.symbolic.tape import Tape
from locodyn.world.wrenches import add_fluid_weight

_IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1)


class SymbolicModel:
    """Closed-form kinematics and dynamics of a robot.

    ``q`` (nq,), ``v``, ``a``, ``tau`` (nv,) are symbols named after the coordinates; all results are arrays of expressions
    in them and in the symbols among the robot's parameters (:func:`~locodyn.symbolic.symbols`), of which gravity may be one.
    Every method takes other arrays in their place, for instance zeros. Expressions hold for unit quaternions.

    >>> import locodyn as ld
    >>> from locodyn.symbolic import symbols
    >>> m, l, g = symbols("m l g")
    >>> robot = ld.Robot("pendulum")
    >>> ground = robot.base("ground", moves="fixed")
    >>> bob = robot.body("bob", mass=m, centre=(0, 0, -l), inertia=ld.about_centre(xx=0, yy=0, zz=0)).on(ground).turning("y")
    >>> SymbolicModel(robot, gravity=(0, 0, -g)).inverse_dynamics()[0]
    l*m*(g*sin(q_bob) + l*a_bob)
    """

    def __init__(self, robot: Any, gravity: Any = (0.0, 0.0, -9.81), tape: Tape | None = None) -> None:
        if isinstance(robot, RobotDescription):
            robot = compile_robot(robot, dtype=object)
        self.compiled = compiled = robot if isinstance(robot, CompiledRobot) else robot.compile(dtype=object)
        self.nq, self.nv, self.nf = compiled.nq, compiled.nv, compiled.nf
        self.frames, self.dofs = np.array(compiled.frames), np.array(compiled.dofs)
        self.constants, self.dof_constants = np.array(compiled.constants), np.array(compiled.dof_constants)
        self.gravity = np.array(gravity, dtype=object)
        self.tape = tape or self._tape()
        self.q = self._positions()
        self.v, self.a, self.tau = (
            self.symbols([f"{letter}_{plain(name)}" for name in compiled.coordinate_names]) for letter in ("v", "a", "tau")
        )

    def _tape(self) -> Tape:
        found: Tape | None = None
        for x in (*self.constants.flat, *self.dof_constants.flat, *self.gravity.flat):
            if isinstance(x, Expression):
                found = found or x.tape
            elif is_symbol(x):
                raise InputError(
                    f"robot '{self.compiled.name}' has the parameter {x!r} of {type(x).__module__.split('.')[0]};"
                    " make the symbols of a robot with locodyn.symbolic.symbols."
                )
        return found or Tape()

    def symbols(self, names: list[str]) -> np.ndarray:
        """An array of new symbols."""
        return self._array([self.tape.symbol(name) for name in names])

    def _array(self, refs: list[int]) -> np.ndarray:
        result = np.empty(len(refs), dtype=object)
        result[:] = [Expression(self.tape, ref) for ref in refs]
        return result

    def _positions(self) -> np.ndarray:
        """Symbols of the positions; those of orientations are unit quaternions."""
        names = [f"q_{plain(name)}" for name in self.compiled.position_names]
        refs: list[int] = []
        for start in range(self.nq):
            if start < len(refs):
                continue
            span = next((s for s in self.quaternions() if s.start == start), None)
            refs += [self.tape.symbol(names[start])] if span is None else self.tape.unit_vector(names[span])
        return self._array(refs)

    def quaternions(self) -> list[slice]:
        """Where unit quaternions stand in ``q``."""
        result = []
        for code, first in self.frames[:, [CODE, FIRST_Q]]:
            if code in (SPHERICAL, FREE):
                start = int(first) + (3 if code == FREE else 0)
                result.append(slice(start, start + 4))
        return result

    @staticmethod
    def room(*shape: int) -> np.ndarray:
        """Zeros for a kernel to work with."""
        return np.full(shape, 0, dtype=object)

    # ---------------------------------------------------------------------------------------------------------- dynamics
    def inverse_dynamics(
        self, q: Any = None, v: Any = None, a: Any = None, wrenches: Mapping[str, Any] | None = None
    ) -> np.ndarray:
        """tau(q, v, a) = M a + bias - J^T wrenches, (nv,); ``wrenches`` by body or marker, (force; moment) in its axes."""
        return self.balance(q, v, a, self._outside(q, wrenches or {}), self.gravity)[0]

    def base_wrench(self, q: Any = None, v: Any = None, a: Any = None) -> np.ndarray:
        """Wrench (6,) that the world must exert on the reference body, in F0."""
        return self.balance(q, v, a, self._outside(q, {}), self.gravity)[1]

    def balance(self, q: Any, v: Any, a: Any, loads: np.ndarray, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces (nv,) and the wrench (6,) on the reference body in F0, by inverse dynamics; None: the symbols of the model.

        ``loads`` (nf, 6) on the frames, or (0, 6); ``gravity`` (3,).
        """
        work, tau = self.room(self.nf, inverse_dynamics.work_columns(self.compiled.has_rods)), self.room(self.nv)
        q, v, a = (own if other is None else other for own, other in ((self.q, q), (self.v, v), (self.a, a)))
        twin(inverse_dynamics.inverse_dynamics)(self.frames, self.constants, gravity, q, v, a, loads, work, tau)
        return tau, work[0, inverse_dynamics.WORK.wrench :]

    def inertial_force(self, q: Any, a: Any) -> np.ndarray:
        """M(q) a, (nv,), by inverse dynamics at rest without gravity."""
        return self.balance(q, self.room(self.nv), a, self.room(0, 6), self.room(3))[0]

    def loaded(self, q: Any, loads: np.ndarray) -> np.ndarray:
        """-J^T loads, (nv,): what joints must give to hold wrenches (nf, 6) on the frames, without weight and at rest."""
        zero = self.room(self.nv)
        return self.balance(q, zero, zero, loads, self.room(3))[0]

    def loads(self, wrenches: Mapping[str, Any]) -> np.ndarray:
        """Wrenches by body or marker as wrenches on the frames, (nf, 6), or (0, 6) for none."""
        result = self.room(self.nf if wrenches else 0, 6)
        for name, wrench in wrenches.items():
            frame, rotation, position = self.compiled.point(name)
            force, moment = twin(to_parent)(tuple(rotation.flat), tuple(position), tuple(wrench[:3]), tuple(wrench[3:]))
            result[frame] = result[frame] + np.array([*force, *moment], dtype=object)
        return result

    def _outside(self, q: Any, wrenches: Mapping[str, Any]) -> np.ndarray:
        """Wrenches, and what the weight of fluid that moves along must not do: see ``add_fluid_weight``."""
        if not self.frames[:, FLUID].any():
            return self.loads(wrenches)
        poses, result = self.room(self.nf, 12), self.room(self.nf, 6)
        twin(frame_poses)(self.frames, self.constants, self.q if q is None else q, 1, poses)
        twin(add_fluid_weight)(self.frames, self.constants, self.gravity, poses, result)
        return result + self.loads(wrenches) if wrenches else result

    def bias(self, q: Any = None, v: Any = None) -> np.ndarray:
        """Forces of velocity and gravity, (nv,)."""
        return self.inverse_dynamics(q, v, self.room(self.nv))

    def mass_matrix(self, q: Any = None) -> np.ndarray:
        """M(r), (nv, nv)."""
        q, matrix = self.q if q is None else q, self.room(self.nv, self.nv)
        if self.compiled.has_rods or self.frames[:, FLUID].any():
            for i in range(self.nv):
                matrix[i] = self.inertial_force(q, np.array([int(j == i) for j in range(self.nv)], dtype=object))
            return matrix
        poses, composites = self.room(self.nf, 12), self.room(self.nf, mass_matrix.COMPOSITE.size)
        twin(frame_poses)(self.frames, self.constants, q, 0, poses)
        twin(mass_matrix.mass_matrix)(self.frames, self.constants, self.dofs, self.dof_constants, poses, composites, matrix)
        return matrix

    def forward_dynamics(
        self, q: Any = None, v: Any = None, tau: Any = None, wrenches: Mapping[str, Any] | None = None
    ) -> np.ndarray:
        """a(q, v, tau), (nv,), of the tree without wheels and loops: by the O(n) recursion, with rods from the mass matrix."""
        q, v, tau = (own if other is None else other for own, other in ((self.q, q), (self.v, v), (self.tau, tau)))
        if self.compiled.has_rods:
            return solve_symmetric(self.mass_matrix(q), tau - self.inverse_dynamics(q, v, self.room(self.nv), wrenches))
        return self.recursion(q, v, tau, self._outside(q, wrenches or {}))

    def recursion(self, q: Any, v: Any, tau: Any, loads: np.ndarray) -> np.ndarray:
        """The same of a robot without rods with wrenches on the frames, (nf, 6) or (0, 6)."""
        work, dof_work = self.room(self.nf, forward_dynamics.WORK.size), self.room(self.nv, forward_dynamics.DOF_WORK.size)
        a = self.room(self.nv)
        twin(forward_dynamics.hybrid_dynamics)(
            self.frames, self.constants, self.gravity, np.zeros(0, dtype=np.int8), q, v, loads, work, dof_work, a,
            np.array(tau, dtype=object),
        )  # fmt: skip
        return a

    def totals(self, q: Any = None, v: Any = None) -> np.ndarray:
        """Kinetic and potential energy, mass, mass centre, momentum: the entries of :mod:`locodyn.dynamics.totals`."""
        result, work = self.room(totals.TOTALS.size), self.room(self.nf, totals.WORK.size)
        q, v = self.q if q is None else q, self.v if v is None else v
        twin(totals.totals)(self.frames, self.constants, self.gravity, q, v, work, result)
        return result

    # -------------------------------------------------------------------------------------------------------- kinematics
    def columns(self, q: np.ndarray, poses: np.ndarray) -> np.ndarray:
        """Columns (n, 12) of all coordinates in the axes of ``poses`` (nf, 12), see :mod:`locodyn.shape.columns`."""
        result = self.room(self.compiled.columns, COLUMNS)
        twin(frame_columns)(self.frames, self.constants, self.dofs, self.dof_constants, q, poses, result)
        return result

    def poses(self, q: Any = None) -> np.ndarray:
        """World poses (nf, 12) of all frames: rotation by rows, position."""
        poses = self.room(self.nf, 12)
        twin(frame_poses)(self.frames, self.constants, self.q if q is None else q, 1, poses)
        return poses

    def kinematics(self, q: Any = None, v: Any = None, a: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """World poses (nf, 12) and body motions (nf, 12) of all frames, see :mod:`locodyn.shape.kinematics`."""
        q, v, a = (own if other is None else other for own, other in ((self.q, q), (self.v, v), (self.a, a)))
        motions = self.room(self.nf, 12)
        twin(frame_motions)(self.frames, self.constants, q, v, a, motions)
        return self.poses(q), motions

    def pose(self, name: str, q: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Rotation (3, 3) and position (3,) m of a body or marker in the world."""
        frame, rotation, position = self.compiled.point(name)
        row = self.kinematics(q)[0][frame]
        r = row[:9].reshape(3, 3)
        return r @ rotation, row[9:] + r @ position

    def twist(self, name: str, q: Any = None, v: Any = None) -> np.ndarray:
        """Body twist (v; w) of a body or marker, (6,), in its own axes."""
        return self._carried(name, self.kinematics(q, v)[1][self.compiled.point(name)[0], TWIST : TWIST + 6])

    def acceleration(self, name: str, q: Any = None, v: Any = None, a: Any = None) -> np.ndarray:
        """Derivative of the components of the body twist of a body or marker, (6,)."""
        return self._carried(name, self.kinematics(q, v, a)[1][self.compiled.point(name)[0], ACCELERATION:])

    def jacobian(self, name: str, q: Any = None, v: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """J and its time derivative, each (6, nv): the twist of a body or marker is J v, its derivative J a + Jdot v."""
        q, v, frame = self.q if q is None else q, self.v if v is None else v, self.compiled.point(name)[0]
        poses, motions = self.room(self.nf, 12), self.kinematics(q, v)[1]
        twin(frame_poses)(self.frames, self.constants, q, 0, poses)
        jacobian, rate = self.room(self.nv, 6), self.room(self.nv, 6)
        if self.compiled.has_rods:
            twin(jacobian_from_columns)(
                self.frames, self.constants, self.dofs, self.dof_constants, q, v, poses, motions, frame,
                self.room(self.compiled.columns, COLUMNS), jacobian, rate,
            )  # fmt: skip
        else:
            twin(frame_jacobian)(self.frames, self.dofs, self.dof_constants, poses, motions, frame, jacobian, rate)
        return tuple(np.array([self._carried(name, column) for column in matrix]).T for matrix in (jacobian, rate))  # type: ignore[return-value]  # two

    def _carried(self, name: str, twist: np.ndarray) -> np.ndarray:
        """Twist of the body or marker from that of its frame."""
        _, rotation, position = self.compiled.point(name)
        linear, angular = twin(to_child)(tuple(rotation.flat), tuple(position), tuple(twist[:3]), tuple(twist[3:]))
        return np.array([*linear, *angular], dtype=object)


def plain(name: str) -> str:
    """A name as an identifier."""
    return re.sub(r"\W", "_", name)


def configuration_rate(model: SymbolicModel, q: Any, v: Any) -> np.ndarray:
    """qdot (nq,): body velocities turned into the axes of the joint's offset; quaternions by 1/2 q (0, w)."""
    rate = model.room(model.nq)
    for frame in model.frames:
        code, i, j, count = (int(frame[column]) for column in (CODE, FIRST_Q, FIRST_V, COUNT_V))
        if code in (SPHERICAL, FREE):
            at = i + (3 if code == FREE else 0)
            turn = tuple(q[at : at + 4])
            w = v[j + count - 3 : j + count]
            rate[at : at + 4] = twin(quaternion_product)(turn, (0, *(0.5 * x for x in w)))
            if code == FREE:
                rate[i : i + 3] = twin(rotate)(twin(quaternion_matrix)(turn), tuple(v[j : j + 3]))
        elif code == PLANAR:
            turned = twin(rotate)(twin(turn_about_z)(_IDENTITY, q[i + 2]), (v[j], v[j + 1], 0))
            rate[i : i + 3] = turned[0], turned[1], v[j + 2]
        else:
            rate[i : i + count] = v[j : j + count]
    return rate
