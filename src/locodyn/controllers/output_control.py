"""Controllers that bring the outputs of virtual constraints to zero.

Input-output linearisation (Westervelt, Grizzle, Koditschek 2003; Aguirre 2010, 5.7): with rows H of the outputs, accelerations
a = a0 + G u of the robot on its feet and loops, and yddot = H a + drift,

    u = (H G)^-1 (w - H a0 - drift)     so that     yddot = w.

w is a linear law, w = -K_D ydot - K_P y, or one that reaches zero in finite time (Bhat, Bernstein 1998; Grizzle, Abba, Plestan
2001), with the time scale eps and 0 < power < 1:

    w = -(1/eps^2) ( sgn(eps ydot) |eps ydot|^power + sgn(phi) |phi|^(power/(2 - power)) ),
    phi = y + sgn(eps ydot) |eps ydot|^(2 - power) / (2 - power).

High-gain PD knows no model: u = -K_P y - K_D ydot on the joint of each output, and what is fed forward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from locodyn.controllers.decoupling import decouple, new_decoupling
from locodyn.controllers.output_pd import PdTable, add_pd_torques, pd_table
from locodyn.controllers.stride_feedback import StrideFeedback
from locodyn.controllers.virtual_constraints import VirtualConstraints
from locodyn.errors import InputError, RunError, nearest
from locodyn.locomotion.problem import Problem, Surroundings
from locodyn.locomotion.row_paths import along_paths
from locodyn.motion.base import positive


class _OutputControl:
    """Outputs, and the coordinates whose actuators act on them."""

    def __init__(self, constraints: VirtualConstraints, actuators: Sequence[str]) -> None:
        names = constraints.model.compiled.coordinate_names
        for name in actuators:
            if name not in names:
                raise InputError(f"there is no coordinate '{name}' to be driven{nearest(name, names)}")
        if len(actuators) != constraints.outputs.count:
            raise InputError(
                f"{constraints.outputs.count} outputs are driven by {len(actuators)} actuators; there must be one for each."
            )
        self.constraints, self.model = constraints, constraints.model
        self.driven = [names.index(name) for name in actuators]
        self.feedback: StrideFeedback | None = None
        self.assumed_gravity: np.ndarray | None = None  # (3,) m/s^2 with which it reckons, if it does

    def describe(self) -> str:
        """In words."""
        return f"{type(self).__name__} of {len(self.driven)} outputs"

    def restart(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """The phase that this controller drives begins at the time t (s) in the state (q, v), which its ``feedback`` answers."""
        self.constraints.restart(t)
        if self.feedback is not None:
            self.constraints.shift[:] = self.feedback(q, v)

    def commands(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """u (n,)."""
        raise NotImplementedError

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Torques (nv,)."""
        tau = np.zeros(self.model.nv)
        tau[self.driven] = self.commands(t, q, v)
        return tau


class OutputLinearisation(_OutputControl):
    """Input-output linearisation of virtual constraints on a robot that stands on its feet.

    Parameters
    ----------
    constraints : VirtualConstraints
    actuators : names of coordinates
        As many as outputs.
    feet : names of the feet that hold.
    stiffness, damping : K_P (1/s^2), K_D (1/s)
    settling : s, optional
        Instead: eps of the law that reaches zero in finite time; with ``power`` from 0 to 1.
    plant : Problem, optional
        What the controller knows of the robot; by default the robot without its other drives, under the gravity of the model of
        the constraints, which must then be that of the scenario.
    """

    def __init__(
        self,
        constraints: VirtualConstraints,
        actuators: Sequence[str],
        feet: Sequence[str] = (),
        stiffness: float = 400.0,
        damping: float = 40.0,
        settling: float | None = None,
        power: float = 0.9,
        plant: Problem | None = None,
    ) -> None:
        super().__init__(constraints, actuators)
        self.stiffness, self.damping = positive(stiffness, "the stiffness of the outputs"), positive(damping, "their damping")
        self.settling = None if settling is None else positive(settling, "the settling time of the outputs")
        if not 0.0 < power < 1.0:
            raise InputError(f"the power of the finite-time law is {power!r}; it must lie between 0 and 1.")
        self.power = float(power)
        known = [one.name for one in self.model.compiled.contacts]
        for foot in feet:
            if foot not in known:
                raise InputError(
                    f"the controller stands on the foot '{foot}', which the robot does not have{nearest(foot, known)}"
                )
        self.plant = Problem(self.model, surroundings=Surroundings(feet=feet)) if plant is None else plant
        self.assumed_gravity = self.model.gravity if plant is None else None
        self._room = new_decoupling(self.model, self.driven)

    def wanted(self, y: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """w (n,): accelerations that the outputs shall have."""
        if self.settling is None:
            return -self.damping * rate - self.stiffness * y
        a, eps = self.power, self.settling
        slow = eps * rate
        phi = y + np.sign(slow) * np.abs(slow) ** (2.0 - a) / (2.0 - a)
        return -(np.sign(slow) * np.abs(slow) ** a + np.sign(phi) * np.abs(phi) ** (a / (2.0 - a))) / eps**2

    def commands(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """u (n,), N m."""
        with along_paths(self.plant.constraints.arrays, on=False):  # the kernel of the rows is looked at below
            free = self.plant.accelerations(t, q.copy(), v.copy())
        y, rate, rows, drift = self.constraints.at(q, v, t)
        room = self._room
        if not decouple(self.model.mass_matrix(q), self._free_motions(), rows, free, self.wanted(y, rate) - drift, room):
            raise RunError(
                f"the actuators cannot move all outputs at t = {t:g} s: the decoupling matrix is singular; choose outputs that"
                " the actuators reach."
            )
        return np.array(room.torque)

    def _free_motions(self) -> np.ndarray:
        """Z (nv, k): motions that feet and loops leave free, by the rows of the accelerations just computed."""
        arrays = self.plant.constraints.arrays
        if arrays is None:
            return np.eye(self.model.nv)
        kernel = np.zeros((self.model.nv, len(arrays.free) - arrays.rank))
        kernel[arrays.free] = np.asarray(arrays.units)[:, None] * np.asarray(arrays.factors.basis)[:, arrays.rank :]
        return kernel


class OutputPD(_OutputControl):
    """Joint PD on the outputs, u = -K_P y - K_D ydot + u*(theta): an actuator for each output.

    Parameters
    ----------
    constraints, actuators : as of :class:`OutputLinearisation`
    stiffness, damping : K_P (N m/rad), K_D (N m s/rad)
    limit : N m, optional
        At which torques are cut off.
    forward : function(theta) -> (n,) N m, optional
        Fed forward: the torques of the gait. If it has an attribute ``assumed_gravity``, this must be that of the scenario.
    """

    def __init__(
        self,
        constraints: VirtualConstraints,
        actuators: Sequence[str],
        stiffness: float,
        damping: float,
        limit: float | None = None,
        forward: Callable[[float], Any] | None = None,
    ) -> None:
        super().__init__(constraints, actuators)
        self.stiffness, self.damping = positive(stiffness, "the stiffness of the outputs"), positive(damping, "their damping")
        self.limit = None if limit is None else positive(limit, "the torque limit")
        self.forward, self.assumed_gravity = forward, getattr(forward, "assumed_gravity", None)
        gains = self.stiffness, self.damping, self.limit
        self.table: PdTable | None = None if forward is not None else pd_table(constraints, self.driven, *gains)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Torques (nv,)."""
        if self.table is None:
            return super().__call__(t, q, v)
        tau = np.zeros(self.model.nv)
        add_pd_torques(self.table, q, v, tau)
        return tau

    def commands(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """u (n,), N m."""
        y, rate = self.constraints.errors(q, v, t)
        u = -self.stiffness * y - self.damping * rate
        if self.forward is not None:
            u = u + np.asarray(self.forward(self.constraints.theta(q)), dtype=float)
        return u if self.limit is None else np.clip(u, -self.limit, self.limit)
