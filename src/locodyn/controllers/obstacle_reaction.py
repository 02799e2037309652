"""A controller that feels its way among pegs (after the force-based obstacle utilisation that Transeth 2007, 5, describes).

Joints follow a wave by PD; its amplitude and its steering offset are not given but react to what is measured:

    phi_d,i = A sin(f + (i - 1) b) + gamma,      f' = w
    T A' = A_0 (1 + widen (N - pushes) / N) - A          N = 3 push points are needed
    T gamma' = steer (psi + atan(e / ahead)) - gamma

A contact is a push point when its measured force has a forward part; with fewer than three of them the wave widens until the body
finds pegs again. psi is how far the robot has turned away from its course: the mean heading of the links less that of the wave;
e is how far its middle is to the left of the line on which it started. It aims at a point of this line that is ``ahead``: a
robot that only keeps its direction is pushed aside until the pegs are out of its reach.

A snake in space (free on the ground, joints that yaw and pitch) reacts alike: headings and places are those of its links seen
from above, the wave runs through the yaw joints, and PD keeps the pitch joints straight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from locodyn.controllers.peg_planner import NEEDED, PegPlan
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.locomotion.sampled_controller import Measurement
from locodyn.locomotion.servo import longest_explicit_step
from locodyn.motion.base import finite, positive

_LEAST = 0.3  # N: smaller forces do not count as a push


@dataclass(frozen=True)
class Course:
    """The line through the start that a robot keeps to.

    ``direction``: an angle in the plane, rad. ``ahead``: how far in front the point of the line lies that is steered for, m;
    ``inf``: only the direction is kept.
    """

    direction: float = 0.0
    ahead: float = 1.6

    def __post_init__(self) -> None:
        finite(self.direction, "the direction of a course")
        if self.ahead != math.inf:
            positive(self.ahead, "the distance ahead of a course")


class ObstacleReaction:
    """Torques of the joints of a snake; a law for a :class:`~locodyn.locomotion.sampled_controller.SampledController`.

    Parameters
    ----------
    model : Model
        A planar chain with one joint between links, or a free one with two: yaw, then pitch.
    plan : PegPlan
        The wave to begin with, and where the robot starts.
    omega : rad/s
    course : Course
        The line that the robot keeps to.
    widen, steer : float
        Gains of the reaction; both 0: the planned wave.
    time : s
        T, how fast the wave changes.
    stiffness, damping : N m/rad, N m s/rad
        Of the PD control.
    obstacles : str
        Contacts with names that have this word are felt.
    """

    wants_contacts = True

    def __init__(
        self,
        model: Model,
        plan: PegPlan,
        omega: float,
        *,
        course: Course | None = None,
        widen: float = 0.2,
        steer: float = 0.4,
        time: float = 0.5,
        stiffness: float = 800.0,
        damping: float = 2.0,
        obstacles: str = "peg",
    ) -> None:
        self.model, self.plan, self.omega = model, plan, positive(omega, "omega of a reaction")
        self.course, self.time = course or Course(), positive(time, "the time of a reaction")
        self.widen, self.steer = finite(widen, "widen of a reaction"), finite(steer, "steer of a reaction")
        self.stiffness, self.damping = positive(stiffness, "the stiffness of a reaction"), positive(damping, "its damping")
        self.obstacles = str(obstacles)
        self._felt: np.ndarray | None = None
        base, joints = model.compiled.reference_nv, len(plan.angles)
        self.in_space = model.nv - base == 2 * joints
        if (base, model.nv - base) not in ((3, joints), (6, 2 * joints)):
            raise InputError(
                f"robot '{model.compiled.name}' moves by {base} and {model.nv - base} coordinates; a reaction for {joints} joints"
                f" needs a planar chain (3 and {joints}) or a free one whose joints yaw and pitch (6 and {2 * joints})."
            )
        self._frames = np.asarray(model.compiled.body_frame)
        self._axes = np.array([model.compiled.point(name)[1][:, 0] for name in model.compiled.body_names])
        self._rates = slice(base, None)
        self._angles = slice(model.nq - (model.nv - base), None)
        self._yaw = slice(None, None, 2 if self.in_space else 1)
        self.begin()

    def begin(self) -> None:
        """Back to the planned wave."""
        self._then, self._amplitude, self._offset, self._pushes = 0.0, self.plan.amplitude, 0.0, float(NEEDED)
        self._line: float | None = None
        self.log: list[tuple[float, float, float, float]] = []  # time (s), amplitude (rad), offset (rad), pushes

    def memory(self) -> list[float]:
        """What the next call takes from those before it; no line yet: not a number."""
        line = math.nan if self._line is None else self._line
        return [self._then, self._amplitude, self._offset, self._pushes, line]

    def recall(self, memory: np.ndarray) -> None:
        """What :meth:`memory` gave."""
        self._then, self._amplitude, self._offset, self._pushes, line = (float(number) for number in memory)
        self._line = None if math.isnan(line) else line

    def longest_step(self, model: Model, q: np.ndarray) -> float:
        """For how long torques may be held, s."""
        n = model.nv - model.compiled.reference_nv
        inverse = np.linalg.inv(model.mass_matrix(q))[-n:, -n:]
        return longest_explicit_step(inverse, np.full(n, self.stiffness), np.full(n, self.damping))

    def pushes(self, measured: Measurement) -> int:
        """How many obstacles push forward."""
        if self._felt is None:
            self._felt = np.flatnonzero([self.obstacles in name for name in measured.contacts])
            if not len(self._felt):
                raise InputError(
                    f"no obstacle has '{self.obstacles}' in its name, so that the reaction feels none; name obstacles so, or give"
                    " the word that theirs have in common (obstacles=)."
                )
        forces = measured.contact_force[self._felt]
        ahead, left = math.cos(self.course.direction), math.sin(self.course.direction)
        return int(np.sum(forces[:, 0] * ahead + forces[:, 1] * left > _LEAST))

    def seen_from_above(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Headings (links,) rad, without jumps along the body, and the mean place (2,) m of their joints."""
        poses = self.model.kinematics(q, np.zeros(self.model.nv))[0][self._frames]
        places = poses[:, 9:11].mean(axis=0)
        if not self.in_space:
            return q[2] + np.concatenate([[0.0], np.cumsum(q[3:])]), places
        ahead = np.einsum("fij,fj->fi", poses[:, :6].reshape(-1, 2, 3), self._axes)  # x axes of the links, along x and y
        return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])), places

    def turned(self, headings: np.ndarray, phase: float) -> float:
        """psi: mean of the headings (links,) of the links, against that of the wave on its course, rad."""
        k = 0.5 * self._amplitude / math.sin(0.5 * self.plan.phase)
        wave = math.pi + self.course.direction - k * np.cos(phase + (np.arange(len(headings)) - 0.5) * self.plan.phase)
        away = float(np.mean(headings - wave))
        return (away + math.pi) % math.tau - math.pi

    def aside(self, places: np.ndarray) -> float:
        """e: mean place (2,) of the links to the left of the course, less what it was at the start, m."""
        left = float(places[1] * math.cos(self.course.direction) - places[0] * math.sin(self.course.direction))
        self._line = left if self._line is None else self._line
        return left - self._line

    def __call__(self, measured: Measurement) -> np.ndarray:
        """Torques (nv,) N m."""
        since, self._then = measured.time - self._then, measured.time
        phase = self.plan.first_phase + self.omega * measured.time
        self._pushes += min(1.0, since / self.time) * (self.pushes(measured) - self._pushes)
        missing = max(0.0, NEEDED - self._pushes) / NEEDED
        headings, places = self.seen_from_above(measured.q)
        away = self.turned(headings, phase) + math.atan(self.aside(places) / self.course.ahead)
        growth = (self.plan.amplitude * (1.0 + self.widen * missing) - self._amplitude) / self.time
        turning = (self.steer * away - self._offset) / self.time
        self._amplitude += since * growth
        self._offset += since * turning
        waves = phase + self.plan.phase * np.arange(len(self.plan.angles))
        torque = np.zeros(self.model.nv)
        torque[self._rates] = -self.stiffness * measured.q[self._angles] - self.damping * measured.v[self._rates]
        target = self._amplitude * np.sin(waves) + self._offset
        rate = self._amplitude * self.omega * np.cos(waves) + growth * np.sin(waves) + turning
        torque[self._rates][self._yaw] += self.stiffness * target + self.damping * rate
        self.log.append((measured.time, self._amplitude, self._offset, self._pushes))
        return torque
