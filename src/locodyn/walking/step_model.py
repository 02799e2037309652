"""A biped on one foot in CasADi symbols: the library's recursions as the functions that a gait design needs.

Unknown are the joints x = (outputs, leaning) and their derivatives by theta; the standing foot stays at the origin, so the
carried coordinates follow. Nothing is derived here: poses, motions, forces and momenta are the kernels run on symbols. Point
feet: place, motion, and the load of a ground force, from those of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.dynamics.joint_laws import joint_forces
from locodyn.dynamics.totals import TOTALS
from locodyn.errors import InputError
from locodyn.kernel import twin
from locodyn.walking.step_gait import Biped

if TYPE_CHECKING:
    from locodyn.symbolic import SymbolicModel


class StepModel:
    """Functions of one biped.

    Parameters
    ----------
    biped : Biped
    gravity : three numbers or symbols, m/s^2
    """

    def __init__(self, biped: Biped, gravity: Sequence[Any]) -> None:
        from locodyn.symbolic import SymbolicModel

        self.biped, self.own = biped, biped.hybrid.model
        self.model = SymbolicModel(self.own.compiled.description)
        self.model.gravity = np.array(list(gravity), dtype=object)  # symbols of CasADi, in which the kernels run
        self.joints = [*biped.outputs, biped.leaning]
        carry = [biped.carry(q, biped.stance) for q in (self.own.neutral(), self.own.neutral() + 0.3)]
        if np.abs(carry[0] - carry[1]).max() > 1e-12:
            raise InputError("the carried coordinates of the biped turn; let it be carried by two slides.")
        self.carry = np.linalg.inv(carry[0])  # changes of the carried coordinates for a motion of the foot along the axes

    # ------------------------------------------------------------------------------------------------------------ kinematics
    def _spread(self, joints: Any, carried: Any, place: dict[str, int], size: int) -> np.ndarray:
        """Joints (n + 1,) and carried coordinates (2,) as all coordinates."""
        result = np.zeros(size, dtype=object)
        for name, value in zip((*self.joints, *self.biped.carried), (*joints, *carried), strict=True):
            result[place[name]] = value
        return result

    def spread(self, joints: Any, carried: Any) -> np.ndarray:
        """Rates of joints (n + 1,) and carried coordinates (2,) as v (nv,)."""
        return self._spread(joints, carried, self.biped.rates, self.own.nv)

    def positions(self, joints: Any) -> np.ndarray:
        """q (nq,) with the standing foot at the origin."""
        free = self._spread(joints, (0.0, 0.0), self.biped.places, self.own.nq)
        return self._spread(joints, -self.carry @ self.foot(self.biped.stance, free), self.biped.places, self.own.nq)

    def rates(self, q: np.ndarray, joints: Any) -> np.ndarray:
        """v (nv,) with the standing foot at rest."""
        free = self._spread(joints, (0.0, 0.0), self.biped.rates, self.own.nv)
        return self._spread(joints, -self.carry @ self.foot_motion(self.biped.stance, q, free)[0], self.biped.rates, self.own.nv)

    def accelerations(self, q: np.ndarray, v: np.ndarray, joints: Any) -> np.ndarray:
        """a (nv,) with the standing foot at rest."""
        free = self._spread(joints, (0.0, 0.0), self.biped.rates, self.own.nv)
        off = self.foot_motion(self.biped.stance, q, v, free)[1]
        return self._spread(joints, -self.carry @ off, self.biped.rates, self.own.nv)

    def foot(self, name: str, q: np.ndarray) -> np.ndarray:
        """Place (2,) of a point foot: along and up, m."""
        place = foot_place(self.biped.hybrid.feet.contacts[name], self.model.poses(q))
        return np.asarray(self.biped.axes.T @ place)

    def foot_motion(self, name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and acceleration (2,) of a point foot, along and up."""
        moved = self.model.kinematics(q, v, self.model.room(self.own.nv) if a is None else a)
        speed, rate = foot_motion(self.biped.hybrid.feet.contacts[name], *moved)
        return self.biped.axes.T @ speed, self.biped.axes.T @ rate

    # -------------------------------------------------------------------------------------------------------------- dynamics
    def split(self, q: np.ndarray, needed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the joints and the foot have to give of a generalised force (nv,): joints (n + 1,), foot (2,) along and up.

        The whole robot is carried by the foot, so the carried rows tell the force there; what it does to the joints is a
        recursion of its own.
        """
        force = self.carry.T @ np.array([needed[self.biped.rates[name]] for name in self.biped.carried], dtype=object)
        contact, loads = self.biped.hybrid.feet.contacts[self.biped.stance], self.model.room(self.own.nf, 6)
        add_load(contact, self.model.poses(q), self.biped.axes @ force, loads)
        left = needed + self.model.loaded(q, loads)
        return np.array([left[self.biped.rates[name]] for name in self.joints], dtype=object), force

    def forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Torques of motors and of the leaning coordinate (n + 1,), and ground force (2,), for a motion on the foot."""
        return self.split(q, self.model.inverse_dynamics(q, v, a) - passive(self.model, q, v))

    def momentum(self, q: np.ndarray, v: np.ndarray) -> Any:
        """Angular momentum about the standing foot at the origin, positive forward."""
        along, up = self.biped.axes.T
        spin = self.model.totals(q, v)[TOTALS.angular_momentum : TOTALS.angular_momentum + 3]
        return np.dot(np.cross(up, along), spin)

    def impulse(self, q: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What an impact on the standing foot leaves open (n + 1,), zero, and its impulse (2,), for a change of velocity."""
        return self.split(q, self.model.inertial_force(q, change))


def passive(model: SymbolicModel, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What springs and friction of the joints give, (nv,) symbols."""
    force = model.room(model.nv)
    twin(joint_forces)(model.frames, model.dof_constants, q, v, force)
    return force


def check_point(contact: Any) -> None:
    """Refuse a foot that rolls: only points stay where they stand on their body."""
    if np.any(np.asarray(contact.semi_axes, dtype=float)) or float(contact.crown):
        raise InputError(f"the foot '{contact.name}' is round; gaits are designed for point feet: give it as body.foot(at=...).")


def foot_place(contact: Any, poses: np.ndarray) -> np.ndarray:
    """Place (3,) of a foot in the world, m; ``poses`` (nf, 12) of all frames."""
    pose = poses[contact.frame]
    return np.asarray(pose[9:] + pose[:9].reshape(3, 3) @ np.asarray(contact.position, dtype=float))


def foot_motion(contact: Any, poses: np.ndarray, motions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and acceleration (3,) of a foot in the world; ``motions`` (nf, 12): twists and their rates, in body axes."""
    r, moves, arm = poses[contact.frame, :9].reshape(3, 3), motions[contact.frame], np.asarray(contact.position, dtype=float)
    speed = moves[:3] + np.cross(moves[3:6], arm)
    rate = moves[6:9] + np.cross(moves[9:12], arm) + np.cross(moves[3:6], speed)
    return r @ speed, r @ rate


def add_load(contact: Any, poses: np.ndarray, force: np.ndarray, loads: np.ndarray) -> None:
    """Add a force (3,) N in the world that acts on a foot to the wrenches (nf, 6) on the frames, in their axes."""
    own = poses[contact.frame, :9].reshape(3, 3).T @ force
    moment = np.cross(np.asarray(contact.position, dtype=float), own)
    loads[contact.frame] = loads[contact.frame] + np.concatenate([own, moment])
