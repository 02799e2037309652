"""RABBIT lands on bent legs with some speed, slips and stands: joint PD about the posture of the landing, LuGre's friction.

Aguirre (2010, 5.10) controls the joints so; posture and gains are of our own choice. Foot 1 touches first, then foot 2. What the
feet push in sum is what the momentum of the robot changes by.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.locomotion.servo import Servo
from locodyn.motion import constant
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground
from locodyn.zoo import rabbit

SOURCE = "Aguirre 2010, 4.4"
OWN = "own choice"
POSTURE = {"hip_1": 0.5, "knee_1": -0.7, "hip_2": -0.1, "knee_2": -0.5}
PARAMETERS = (
    Parameter("mu", rabbit.FOOT_FRICTION, "-", SOURCE, "friction of the feet", above=0.0),
    Parameter("clearance", 0.02, "m", OWN, "of the lower foot at the start", above=0.0),
    Parameter("speed", 0.3, "m/s", OWN, "forward, at the start"),
    Parameter("K_P", 800.0, "N m/rad", OWN, "stiffness of the joints", above=0.0),
    Parameter("K_D", 40.0, "N m s/rad", OWN, "damping of the joints", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def scenario(p: dict[str, Any]) -> Scenario:
    """A quarter of a second: the landing."""
    robot = rabbit.robot(friction=p["mu"], holds=False)
    legs = [0.4 * np.cos(POSTURE[f"hip_{k}"]) + 0.4 * np.cos(POSTURE[f"hip_{k}"] + POSTURE[f"knee_{k}"]) for k in (1, 2)]
    return Scenario(
        "rabbit_stand",
        robot,
        obstacles=(Ground(),),
        contact=rabbit.FEET,
        servo={name: Servo(constant(value), p["K_P"], p["K_D"]) for name, value in POSTURE.items()},
        start=Start({"z": float(max(legs)) + p["clearance"], **POSTURE}, {"y": p["speed"]}),
        t_end=0.25,
        integrator="radau_adaptive",
        dt=2e-4,
        tolerance=1e-8,
        checks=checks(p),
    )


def impulses(result: Result) -> np.ndarray:
    """What the feet have pushed along and up in sum since the start (n, 2), N s, by the trapezoidal rule."""
    push = result.contact_force.values.sum(axis=1)[:, 1:]
    steps = 0.5 * np.diff(result.time.values)[:, None] * (push[1:] + push[:-1])
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The first touch in closed form, and the balance of momentum in both directions."""

    def touch(r: Result) -> float:
        gap = r.contact_gap.values.min(axis=1)
        k = int(np.argmax(gap < 0.0))
        return float(np.interp(0.0, gap[[k, k - 1]], r.time.values[[k, k - 1]]))

    def off(r: Result) -> float:
        moved = r.linear_momentum.values[:, 1:] - r.linear_momentum.values[0, 1:]
        weight = np.column_stack([np.zeros(len(r.time)), -40.0 * 9.81 * r.time.values])
        return float(np.abs(moved - weight - impulses(r)).max() / np.abs(impulses(r)).max())

    return (
        Check(
            "touchdown (s)", float(np.sqrt(2.0 * p["clearance"] / 9.81)), 1e-4, touch, "closed form: free fall", Kind.CLOSED_FORM
        ),
        Check("momentum along and up (relative)", 0.0, 1e-3, off, "momentum", Kind.CONSERVATION),
    )
