"""Other ways to compute the same robot: random cases, kernels on complex numbers, the recursion in plain NumPy, Pinocchio.

The model of Pinocchio is built from the *description* of a robot, not from its compiled arrays, so that it also checks the
compilation. MuJoCo: :mod:`cross_code.mujoco_model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.dynamics.inverse_dynamics import WORK, inverse_dynamics
from locodyn.dynamics.model import Model
from locodyn.dynamics.totals import TOTALS, totals
from locodyn.dynamics.totals import WORK as TOTALS_WORK
from locodyn.kernel import twin
from locodyn.robot import Robot
from locodyn.robot.body import Body
from locodyn.robot.compilation.frame_motion import adjoint, cross_matrix, pose_in_parent, spatial_inertia, subspace
from locodyn.robot.layout import DOF_ARMATURE, PARENT
from locodyn.robot.pose import Pose
from locodyn.shape.configuration import moved_configuration
from random_robots import ALL, BASES, random_configuration, random_robot, random_velocity


def relative(found: Any, wanted: Any) -> float:
    """Largest difference, relative to the largest entry of what is wanted (0 when both are empty)."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    return float(np.max(np.abs(found - wanted), initial=0.0) / np.max(np.abs(wanted), initial=1e-300))


# ------------------------------------------------------------------------------------------------------------ random cases
@dataclass(frozen=True)
class Case:
    """A robot with its model and a random state, acceleration and force."""

    robot: Robot
    model: Model
    rng: np.random.Generator
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray


def random_case(
    seed: int,
    most: int = 40,
    joints: tuple[str, ...] = ALL,
    bases: tuple[str, ...] = BASES,
    armature: bool | None = None,
    least: int = 1,
    **options: Any,
) -> Case:
    """``least`` to ``most`` bodies, any branching, any base, with or without rotors (unless ``armature`` says)."""
    rng = np.random.default_rng(seed)
    rotors = bool(rng.random() < 0.5)
    rotors = rotors if armature is None else armature
    while True:
        robot = random_robot(
            rng,
            int(rng.integers(least, most + 1)),
            joints,
            str(rng.choice(list(bases))),
            float(rng.random()),
            rotors,
            markers=True,
        )
        if robot.compile().nv:
            break
    model = robot.model(**options)
    state = (random_configuration(rng, model.compiled), *(random_velocity(rng, model.compiled) for _ in range(3)))
    return Case(robot, model, rng, *state)


# ------------------------------------------------------------------------------------------------- kernels on complex numbers
TINY = 1e-30  # step of the complex-step derivative: its square is below round-off of everything


def complex_inverse_dynamics(
    model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: np.ndarray | None = None
) -> np.ndarray:
    """The kernel of inverse dynamics, run as plain Python on complex numbers."""
    loads = np.zeros((0, 6)) if wrenches is None else wrenches
    tau = np.zeros(model.nv, dtype=complex)
    work = np.zeros((model.nf, WORK.size), dtype=complex)
    twin(inverse_dynamics)(model.frames, model.constants, model.gravity, q, v, a, loads, work, tau)
    return tau


def complex_move(model: Model, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """q (+) u for complex u."""
    result = np.zeros(model.nq, dtype=complex)
    twin(moved_configuration)(model.frames, q.astype(complex), u.astype(complex), result)
    return result


def totals_rate(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Time derivative (12,) of energy, mass, centre and momentum along the motion, exact to round-off (complex step)."""
    result = np.zeros(TOTALS.size, dtype=complex)
    work = np.zeros((model.nf, TOTALS_WORK.size), dtype=complex)
    twin(totals)(
        model.frames, model.constants, model.gravity, complex_move(model, q, 1j * TINY * v), v + 1j * TINY * a, work, result
    )
    return result.imag / TINY


# ----------------------------------------------------------------------------------------------------- plain NumPy recursion
def small_adjoint(twist: np.ndarray) -> np.ndarray:
    """ad(eta), (6, 6): spec section 0."""
    turn, move = cross_matrix(twist[3:]), cross_matrix(twist[:3])
    return np.block([[turn, move], [np.zeros((3, 3)), turn]])


class Recursion:
    """Ali (2011), (3.7)-(3.13) and (3.23)-(3.28), in plain NumPy; ``printed`` brings back one of the two slips.

    ``printed="zeta"``: the linear part of zeta as in (3.10), which belongs to inertial accelerations, beside the gyroscopic
    wrench (3.13), which belongs to derivatives of components. ``printed="wrench"``: the minus sign of (3.28).
    """

    def __init__(self, model: Model, printed: str = "") -> None:
        self.model, self.printed = model, printed
        self.inertias = [spatial_inertia(model.compiled, k) for k in range(model.nf)]
        self.parents = [int(p) for p in model.frames[:, PARENT]]

    def _motion(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """X_j, eta_j, zeta_j and gravity in each frame."""
        compiled = self.model.compiled
        self.maps, self.twists, self.zetas, self.weights, rotations = [], [], [], [], []
        for k, (parent, _, _, first, count, *_) in enumerate(compiled.frames):
            pose, axes = pose_in_parent(compiled, k, q), subspace(compiled, k)
            rate, own = axes @ v[first : first + count], axes @ a[first : first + count]
            x = adjoint(pose.inverse())
            before = np.zeros(6) if parent < 0 else self.twists[parent]
            twist = x @ before + rate
            zeta = small_adjoint(twist) @ rate + own
            if self.printed == "zeta" and parent >= 0:
                turn = before[3:]
                zeta[:3] = own[:3] + pose.rotation.T @ np.cross(turn, np.cross(turn, pose.position))
            self.maps.append(x)
            self.twists.append(twist)
            self.zetas.append(zeta)
            rotations.append(pose.rotation if parent < 0 else rotations[parent] @ pose.rotation)
            self.weights.append(np.concatenate([rotations[-1].T @ self.model.gravity, np.zeros(3)]))

    def _gyroscopic(self, k: int) -> np.ndarray:
        return small_adjoint(self.twists[k]).T @ self.inertias[k] @ self.twists[k]

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """B1 and B3: tau (nv,)."""
        self._motion(q, v, a)
        compiled, rates = self.model.compiled, []
        for k, parent in enumerate(self.parents):
            rates.append(self.zetas[k] + (self.maps[k] @ rates[parent] if parent >= 0 else 0.0))
        wrenches = [
            m @ (rate - weight) - self._gyroscopic(k)
            for k, (m, rate, weight) in enumerate(zip(self.inertias, rates, self.weights, strict=True))
        ]
        tau = compiled.dof_constants[:, DOF_ARMATURE] * a
        for k in range(self.model.nf - 1, -1, -1):
            first, count = compiled.frames[k, 3:5]
            tau[first : first + count] += subspace(compiled, k).T @ wrenches[k]
            if self.parents[k] >= 0:
                wrenches[self.parents[k]] = wrenches[self.parents[k]] + self.maps[k].T @ wrenches[k]
        return tau

    def composite(self, q: np.ndarray, v: np.ndarray, shape_acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """B2: inertia M0 (6, 6) and wrench F0 (6,) of the whole robot, so that a free reference body has M0 etadot = F0."""
        self._motion(q, v, shape_acceleration)
        inertias = [m.copy() for m in self.inertias]
        wrenches = [self._gyroscopic(k) + self.inertias[k] @ self.weights[k] for k in range(self.model.nf)]
        sign = -1.0 if self.printed == "wrench" else 1.0
        for k in range(self.model.nf - 1, 0, -1):
            x, parent = self.maps[k], self.parents[k]
            wrenches[parent] = wrenches[parent] + x.T @ (sign * wrenches[k] - inertias[k] @ self.zetas[k])
            inertias[parent] = inertias[parent] + x.T @ inertias[k] @ x
        return inertias[0], wrenches[0]


# ----------------------------------------------------------------------------------------------------------------- Pinocchio
def depth_first(bodies: tuple[Body, ...], parent: str | None = None) -> list[Body]:
    """The bodies such that every subtree is in one piece."""
    return [one for body in bodies if body.parent == parent for one in (body, *depth_first(bodies, body.name))]


class PinocchioModel:
    """The same robot in Pinocchio; cylindrical and universal joints are chains of two.

    Pinocchio wants subtrees in one piece (crba and derivatives are wrong otherwise), so its coordinates come depth first:
    ``at`` (nv,) tells which of ours each of its velocities is.
    """

    def __init__(self, model: Model) -> None:
        import pinocchio as pin

        self.model = model
        peer = self.peer = pin.Model()
        peer.gravity.linear = model.gravity
        self.placed: dict[str, tuple[int, Pose]] = {}
        self.moving: list[int] = []  # our numbers of the joints, in Pinocchio's order
        armature: list[float] = []
        for body in depth_first(model.compiled.description.bodies):
            parent, within = (0, Pose()) if body.parent is None else self.placed[body.parent]
            place = within @ body.joint.parent_offset
            for number, joint in enumerate(self._joints(body)):
                parent = peer.addJoint(parent, joint, self.placement(place), f"{body.name} {number}")
                place = Pose()
            count = body.joint.kind.nv
            armature += [0.0] * count if body.actuator is None else body.actuator.reflected_inertia(count)
            self.moving += [model.compiled.joint_index(body.joint.name)] if count else []
            place = place @ body.joint.child_offset
            self.placed[body.name] = parent, place
            if parent > 0:
                inertia = pin.Inertia(body.inertia.mass, body.inertia.centre, body.inertia.tensor)
                peer.appendBodyToJoint(parent, inertia, self.placement(place))
            peer.addFrame(pin.Frame(f"frame {body.name}", parent, 0, self.placement(place), pin.FrameType.OP_FRAME))
        self.at = np.concatenate([np.arange(model.nv)[model.compiled.joint_velocities[number]] for number in self.moving])
        assert peer.nv == model.nv
        peer.armature = np.array(armature)
        self.data = peer.createData()

    @staticmethod
    def placement(pose: Pose) -> Any:
        import pinocchio as pin

        return pin.SE3(np.array(pose.rotation, dtype=float), np.array(pose.position, dtype=float))

    @staticmethod
    def _joints(body: Body) -> list[Any]:
        import pinocchio as pin

        joint, axes = body.joint, [np.array(axis) for axis in body.joint.axes]
        if joint.type == "revolute":
            aligned = [kind for kind, unit in zip((pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ), np.eye(3), strict=True)
                       if np.array_equal(axes[0], unit)]  # fmt: skip
            return [aligned[0]()] if aligned else [pin.JointModelRevoluteUnaligned(axes[0])]
        if joint.type == "prismatic":
            return [pin.JointModelPrismaticUnaligned(axes[0])]
        if joint.type == "helical":
            return [pin.JointModelHelicalUnaligned(axes[0], float(joint.pitch))]
        if joint.type == "cylindrical":
            return [pin.JointModelPrismaticUnaligned(axes[0]), pin.JointModelRevoluteUnaligned(axes[0])]
        if joint.type == "universal":
            return [pin.JointModelRevoluteUnaligned(axis) for axis in axes]
        plain = {"spherical": "Spherical", "translating": "Translation", "planar": "Planar", "free": "FreeFlyer"}
        return [] if joint.type == "fixed" else [getattr(pin, f"JointModel{plain[joint.type]}")()]

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """q in Pinocchio's coordinates: quaternions (x, y, z, w), planar joints (x, y, cos, sin)."""
        compiled, parts = self.model.compiled, []
        for number in self.moving:
            kind, own = compiled.joint_types[number], q[compiled.joint_positions[number]]
            if kind == "planar":
                own = np.array([own[0], own[1], np.cos(own[2]), np.sin(own[2])])
            elif kind in ("spherical", "free"):
                own = np.concatenate([own[:-4], own[-3:], own[-4:-3]])
            parts.append(own)
        return np.concatenate(parts)
