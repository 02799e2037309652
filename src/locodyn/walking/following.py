"""Controllers that follow a gait.

Of a stride found by collocation the driven joints become curves of a phase variable, or of time (:func:`followers`). A step gait
has virtual constraints for each leg, and a law that follows them (:func:`controllers`). Controllers know the slope of their gait:
what they feed forward, and the accelerations that they cancel, are those under its gravity. A scenario with another gravity
refuses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.controllers.curves import SplineCurve
from locodyn.controllers.output_control import OutputLinearisation, OutputPD
from locodyn.controllers.virtual_constraints import TimedConstraints, VirtualConstraints
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.walking.phase_path import PhasePath
from locodyn.walking.step_gait import StepGait
from locodyn.walking.trajectory import PhaseMotion, Trajectory
from locodyn.walking.zero_dynamics import ZeroDynamics

LAWS = ("linearisation", "finite_time", "pd", "pd_forward")
_GAINS = ("stiffness", "damping")
_OPTIONS: dict[str, tuple[str, ...]] = {
    "linearisation": (*_GAINS, "plant"), "finite_time": ("settling", "power", "plant"), "pd": (*_GAINS, "limit"),
    "pd_forward": (*_GAINS, "limit"),
}  # fmt: skip
_TABLE = 200  # places at which torques of the gait are tabulated
_KNOTS = 5  # of the splines through a phase, in each of its elements


def followers(
    path: PhasePath,
    trajectory: Trajectory,
    outputs: Sequence[str] | Mapping[str, Mapping[str, float]],
    phase: Mapping[str, Mapping[str, float]],
    **options: Any,
) -> dict[str, OutputLinearisation]:
    """Controllers by phase, also of the mirror images.

    Parameters
    ----------
    path : PhasePath
        Of the design.
    trajectory : Trajectory
    outputs : {driven coordinate: other coordinates that count with it}, or names alone
        What follows the trajectory: the coordinate, and weights of others that are added to it. Weights of coordinates without a
        motor feed these back: with ``{"hip_roll_2": {"roll": 1.0}}`` a leg keeps its angle in the world instead of that to the
        trunk.
    phase : {phase: {coordinate: weight}}
        The phase variable of each phase, theta = sum of weights times coordinates; a phase that is not named goes by time.
    options : of :class:`~locodyn.controllers.OutputLinearisation`
    """
    found: dict[str, OutputLinearisation] = {}
    model = path.hybrid.model if trajectory.gravity is None else Model(path.hybrid.model.compiled, trajectory.gravity)
    sums = outputs if isinstance(outputs, Mapping) else {name: {} for name in outputs}
    for leg, image, motion in zip(path.legs, path.images(), trajectory.motions, strict=True):
        weights = phase.get(leg.phase)
        found[leg.phase] = _follower(path, model, motion, sums, weights, leg.feet, options)
        if image is not None:
            feet = path.hybrid.phases[image].feet
            found[image] = _follower(path, model, motion, sums, weights, feet, options, mirrored=True)
    return found


def _follower(
    path: PhasePath,
    model: Model,
    motion: PhaseMotion,
    outputs: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float] | None,
    feet: Sequence[str],
    options: Mapping[str, Any],
    mirrored: bool = False,
) -> OutputLinearisation:
    """The controller of one phase; ``model``: the robot under the gravity of the trajectory."""
    names = path.hybrid.model.compiled.coordinate_names
    fine = motion.sampled(_KNOTS * motion.elements + 1)
    rows = np.array([[{**others, driven: 1.0}.get(name, 0.0) for name in names] for driven, others in outputs.items()])
    values = fine.q @ rows.T
    turn = path.hybrid.mirror_matrices[1] if mirrored else np.eye(model.nv)

    def image(weights: Mapping[str, float]) -> dict[str, float]:
        """A sum of coordinates in the names of this side."""
        row = turn.T @ np.array([weights.get(name, 0.0) for name in names])
        return {names[i]: float(row[i]) for i in np.flatnonzero(row)}

    sums = [image({**others, driven: 1.0}) for driven, others in outputs.items()]
    actuators = [next(iter(image({driven: 1.0}))) for driven in outputs]
    if weights is None:
        curve = SplineCurve(fine.time / motion.duration, values.T)
        constraints: VirtualConstraints = TimedConstraints(model, sums, motion.duration, curve)
    else:
        theta = fine.q @ np.array([weights.get(name, 0.0) for name in names])
        places = check_monotonic(theta, fine.time, motion.phase)
        constraints = VirtualConstraints(model, sums, image(weights), (theta[0], theta[-1]), SplineCurve(places, values.T))
    return OutputLinearisation(constraints, actuators, list(feet), **options)


def check_monotonic(theta: np.ndarray, time: np.ndarray, phase: str) -> np.ndarray:
    """s = 0 .. 1 along a phase variable (n,); :class:`InputError` says where it turns back."""
    way = theta[-1] - theta[0]
    back = np.flatnonzero(np.diff(theta) * (np.sign(way) or 1.0) <= 0.0)  # of a way that ends where it began, the second half
    if len(back):
        raise InputError(
            f"the phase variable of phase '{phase}' turns back {time[back[0]]:.3g} s after its beginning; choose weights with"
            " which it only increases, or let the phase go by time."
        )
    s: np.ndarray = (theta - theta[0]) / way
    return s


def controllers(gait: StepGait, law: str = "linearisation", **options: Any) -> tuple[Any, Any]:
    """Controllers f(t, q, v) of the two phases, first leg and second leg standing.

    ``law``: ``linearisation`` (``stiffness``, ``damping``), ``finite_time`` (``settling``, ``power``), ``pd`` (``stiffness``,
    ``damping``, ``limit``), ``pd_forward`` (the same, and the torques of the gait are fed forward).
    """
    if law not in LAWS:
        raise InputError(f"the law of the outputs is '{law}'; it must be one of {', '.join(LAWS)}.")
    wrong = [name for name in options if name not in _OPTIONS[law]]
    missing = [name for name in ("stiffness", "damping") if law.startswith("pd") and name not in options]
    if wrong or missing:
        takes = ", ".join(_OPTIONS[law])
        what = f"has no option '{wrong[0]}'" if wrong else f"needs the option '{missing[0]}'"
        raise InputError(f"the law '{law}' of the outputs {what}; it takes {takes}.")
    forward = feedforward(gait) if law == "pd_forward" else None
    made: list[Any] = []
    for mirrored in (False, True):
        biped = gait.biped.mirrored() if mirrored else gait.biped
        names, outputs = list(biped.outputs), gait.constraints(mirrored)
        if law in ("pd", "pd_forward"):
            made.append(OutputPD(outputs, names, forward=forward, **options))
        else:
            values = {"settling": 0.1, **options} if law == "finite_time" else options
            made.append(OutputLinearisation(outputs, names, [biped.stance], **values))
    return made[0], made[1]


@dataclass(frozen=True)
class Feedforward:
    """Torques u*(theta) (n,) N m of a step, held at its ends beyond them; ``assumed_gravity`` (3,) m/s^2."""

    theta: np.ndarray
    torque: np.ndarray  # (k, n)
    assumed_gravity: np.ndarray

    def __call__(self, theta: float) -> np.ndarray:
        """In straight lines between the places."""
        return np.array([np.interp(theta, self.theta, column) for column in self.torque.T])


def feedforward(gait: StepGait) -> Feedforward:
    """The torques of the step that repeats."""
    sample = ZeroDynamics(gait).sampled(_TABLE)
    return Feedforward(sample.theta, sample.torque, gait.model.gravity.copy())
