"""Controllers of joints: PD, and input-output linearisation. Both follow given motions of some joints.

PD (Transeth 2007, (7.8)):  tau = k_P (phi_d - phi) + k_D (phidot_d - phidot). With play in the gears the joint turns freely by
``play`` about the motor: only what the error has beyond half of it counts, and nothing acts within.

Input-output linearisation by collocated partial feedback linearisation (Transeth 2007, 6.5; Spong 1994): with the velocities
split into those of the reference body and of the joints, M = [[M11, M12], [M21, M22]], bias h and outer forces g likewise,

    tau = Mbar u + hbar - gbar,     u = phidd_d - K_D (phidot - phidot_d) - K_P (phi - phi_d),
    Mbar = M22 - M21 M11^-1 M12,    hbar = h2 - M21 M11^-1 h1,    gbar = g2 - M21 M11^-1 g1,

makes the error of the joints obey e'' + K_D e' + K_P e = 0 exactly, where the plant is the one that the controller knows. This
tau is what hybrid dynamics gives for joints with the acceleration u on a free reference body: one O(n) recursion of the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from locodyn.dynamics.joint_laws import joint_forces
from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rhs import accelerations, read_laws
from locodyn.locomotion.sampled_controller import Measurement
from locodyn.locomotion.servo import longest_explicit_step
from locodyn.motion import Law, as_law
from locodyn.motion.base import finite, positive
from locodyn.motion.function import LawLike
from locodyn.robot.layout import COULOMB, DOF_FRAME, FIRST_Q, FIRST_V, STIFFNESS, VISCOUS


class _Tracking:
    """Targets by coordinate; where the coordinates stand in q and v; gains."""

    def __init__(self, model: Model, targets: Mapping[str, LawLike], stiffness: float, damping: float) -> None:
        names = model.compiled.coordinate_names
        for name in targets:
            if name not in names:
                raise InputError(f"robot '{model.compiled.name}' has no coordinate '{name}'{nearest(name, names)}")
        self.model = model
        self.targets: dict[str, Law] = {name: as_law(targets[name]) for name in names if name in targets}
        if not self.targets:
            raise InputError("the controller has no targets; give motions of one or more joints.")
        self.rates = np.array([names.index(name) for name in self.targets])
        frames = model.frames[model.dofs[self.rates, DOF_FRAME]]
        self.places = frames[:, FIRST_Q] + self.rates - frames[:, FIRST_V]
        self.stiffness, self.damping = positive(stiffness, "the stiffness of a controller"), positive(damping, "its damping")
        self.plant = Problem(model, imposed={int(i): law for i, law in zip(self.rates, self.targets.values(), strict=True)})
        if self.plant.table.has_python:
            raise InputError("the controller follows a Python function of time; give laws of the library, such as a spline.")

    def reference(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """phi_d, phidot_d, phidd_d at time t, each (n,)."""
        read_laws(self.plant.arrays, float(t), self.plant.inputs)
        phi, rate, acceleration = self.plant.inputs.motion[:, self.rates]
        return phi, rate, acceleration

    def torques(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def __call__(self, *state: Any) -> np.ndarray:
        """Torques (nv,) from a :class:`Measurement`, or from (t, q, v)."""
        if isinstance(state[0], Measurement):
            return self.torques(state[0].time, state[0].q, state[0].v)
        return self.torques(*state)


def pd_torques(error: np.ndarray, rate: np.ndarray, stiffness: float, damping: float, play: float) -> np.ndarray:
    """k_P (error beyond half the play) + k_D rate (n,) N m from errors of angles and rates (n,); nothing within the play."""
    if play == 0.0:
        return stiffness * error + damping * rate
    beyond = np.sign(error) * np.maximum(np.abs(error) - 0.5 * play, 0.0)
    found: np.ndarray = np.where(beyond != 0.0, stiffness * beyond + damping * rate, 0.0)
    return found


def play_of_joints(play: float) -> float:
    """The play, rad, if it is one."""
    if finite(play, "the play of a controller") < 0.0:
        raise InputError(f"the play of a controller is {play:g} rad; it must not be negative.")
    return float(play)


class JointPD(_Tracking):
    """PD control of joints.

    Parameters
    ----------
    model : Model
    targets : mapping of coordinate names to laws
    stiffness, damping : k_P (N m/rad), k_D (N m s/rad)
    play : rad
        How far a joint turns without meeting its motor, from stop to stop; 3 to 5 degrees in the robot of Transeth (2007, 7.4).
    begins : s
        No torques before.
    """

    def __init__(
        self,
        model: Model,
        targets: Mapping[str, LawLike],
        stiffness: float,
        damping: float,
        play: float = 0.0,
        begins: float = 0.0,
    ) -> None:
        super().__init__(model, targets, stiffness, damping)
        self.play, self.begins = play_of_joints(play), finite(begins, "the time at which a controller begins")

    def longest_step(self, model: Model, q: np.ndarray) -> float:
        """For how long torques may be held, s: :func:`~locodyn.locomotion.servo.longest_explicit_step`."""
        inverse = np.linalg.inv(model.mass_matrix(q))[np.ix_(self.rates, self.rates)]
        n = len(self.rates)
        return longest_explicit_step(inverse, np.full(n, self.stiffness), np.full(n, self.damping))

    def torques(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """tau (nv,) N m."""
        tau = np.zeros(self.model.nv)
        if t >= self.begins:
            phi, rate, _ = self.reference(t)
            tau[self.rates] = pd_torques(phi - q[self.places], rate - v[self.rates], self.stiffness, self.damping, self.play)
        return tau


class FeedbackLinearisation(_Tracking):
    """Input-output linearisation of joints.

    Parameters
    ----------
    model : Model
        Control plant: what the controller knows of the robot, with its wrench laws (smooth friction).
    targets : mapping of coordinate names to laws
    stiffness, damping : K_P (1/s^2), K_D (1/s)
        Of the error: e'' + K_D e' + K_P e = 0.
    """

    def __init__(self, model: Model, targets: Mapping[str, LawLike], stiffness: float = 4.0e5, damping: float = 2.4e3) -> None:
        super().__init__(model, targets, stiffness, damping)
        self._a = np.zeros(model.nv)
        springs = model.dof_constants[:, [STIFFNESS, VISCOUS, COULOMB]].any()
        self._passive = np.zeros(model.nv) if springs else None

    def longest_step(self, model: Model, q: np.ndarray) -> float:
        """For how long torques may be held, s: as of PD on unit masses."""
        return longest_explicit_step(np.eye(1), np.array([self.stiffness]), np.array([self.damping]))

    def command(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """u (n,) rad/s^2: the accelerations that the joints shall have."""
        phi, rate, acceleration = self.reference(t)
        found: np.ndarray = acceleration - self.damping * (v[self.rates] - rate) - self.stiffness * (q[self.places] - phi)
        return found

    def torques(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """tau (nv,) N m."""
        u, plant, q, v = self.command(t, q, v), self.plant, q.copy(), v.copy()
        plant.inputs.motion[0, self.rates] = q[self.places]
        plant.inputs.motion[1, self.rates] = v[self.rates]
        plant.inputs.motion[2, self.rates] = u
        accelerations(plant.arrays, plant.inputs, q, v, plant.workspace, self._a)
        tau = np.zeros(self.model.nv)
        tau[self.rates] = plant.workspace.tau[self.rates]
        if self._passive is not None:
            self._passive[:] = 0.0
            joint_forces(plant.arrays.frames, plant.arrays.dof_constants, q, v, self._passive)
            tau[self.rates] -= self._passive[self.rates]
        return tau
