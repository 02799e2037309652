"""The controllers of a gait: for each leg the virtual constraints of the step, and a law that follows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.controllers.output_control import OutputLinearisation, OutputPD
from locodyn.errors import InputError
from locodyn.walking.step_gait import StepGait
from locodyn.walking.zero_dynamics import ZeroDynamics

LAWS = ("linearisation", "finite_time", "pd", "pd_forward")
_TABLE = 200  # places at which torques of the gait are tabulated


def controllers(gait: StepGait, law: str = "linearisation", **options: Any) -> tuple[Any, Any]:
    """Controllers f(t, q, v) of the two phases, first leg and second leg standing.

    ``law``: ``linearisation`` (``stiffness``, ``damping``), ``finite_time`` (``settling``, ``power``), ``pd`` (``stiffness``,
    ``damping``, ``limit``), ``pd_forward`` (the same, and the torques of the gait are fed forward).
    """
    if law not in LAWS:
        raise InputError(f"the law of the outputs is '{law}'; it must be one of {', '.join(LAWS)}.")
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


def feedforward(gait: StepGait) -> Any:
    """The torques u*(theta) (n,) N m of the step that repeats, held at its ends beyond them."""
    sample = ZeroDynamics(gait).sampled(_TABLE)

    def torques(theta: float) -> np.ndarray:
        return np.array([np.interp(theta, sample.theta, column) for column in sample.torque.T])

    return torques
