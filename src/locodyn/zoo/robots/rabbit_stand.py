"""RABBIT lands on bent legs with some speed, slips and stands: joint PD about the posture of the landing, LuGre's friction.

Aguirre (2010, 5.10) controls the joints so; posture and gains are of our own choice. Foot 1 touches first, then foot 2. What the
feet push in sum is what the momentum of the robot changes by. With ``case=balance`` the run goes on until the robot stands: its
mass centre is then above the line between its feet, and the centre of pressure right below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.locomotion.servo import Servo
from locodyn.motion import constant
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start, support
from locodyn.world import Ground
from locodyn.zoo import rabbit

SOURCE = "Aguirre 2010, 4.4"
OWN = "own choice"
POSTURE = {"hip_1": 0.5, "knee_1": -0.7, "hip_2": -0.1, "knee_2": -0.5}
PARAMETERS = (
    Parameter("case", "landing", "-", OWN, "a quarter of a second, or until it stands", choices=("landing", "balance")),
    Parameter("mu", rabbit.FOOT_FRICTION, "-", SOURCE, "friction of the feet", above=0.0),
    Parameter("clearance", 0.02, "m", OWN, "of the lower foot at the start", above=0.0),
    Parameter("speed", 0.3, "m/s", OWN, "forward, at the start"),
    Parameter("K_P", 800.0, "N m/rad", OWN, "stiffness of the joints", above=0.0),
    Parameter("K_D", 40.0, "N m s/rad", OWN, "damping of the joints", above=0.0),
    Parameter("drives", "ideal", "-", "Aguirre 2010, Table 2.3", "or with its friction", choices=("ideal", "friction")),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"case": "balance"})


def scenario(p: dict[str, Any]) -> Scenario:
    """A quarter of a second: the landing; or four seconds, until it stands."""
    robot = rabbit.robot(friction=p["mu"], holds=False, drives=p["drives"] == "friction")
    legs = [0.4 * np.cos(POSTURE[f"hip_{k}"]) + 0.4 * np.cos(POSTURE[f"hip_{k}"] + POSTURE[f"knee_{k}"]) for k in (1, 2)]
    return Scenario(
        "rabbit_stand",
        robot,
        obstacles=(Ground(),),
        contact=rabbit.FEET,
        servo={name: Servo(constant(value), p["K_P"], p["K_D"]) for name, value in POSTURE.items()},
        start=Start({"z": float(max(legs)) + p["clearance"], **POSTURE}, {"y": p["speed"]}),
        t_end=0.25 if p["case"] == "landing" else 4.0,
        integrator="radau_adaptive",
        dt=2e-4 if p["case"] == "landing" else 2e-3,
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

    def lean(r: Result) -> float:
        found = support(r)
        return float(np.linalg.norm(found.pressure[-1] - found.mass_centre[-1]))

    def stood(r: Result) -> float:
        found = support(r)
        return float((found.static_margin > 0.0)[found.time > found.time[-1] - 1.0].mean())

    def off(r: Result) -> float:
        moved = r.linear_momentum.values[:, 1:] - r.linear_momentum.values[0, 1:]
        weight = np.column_stack([np.zeros(len(r.time)), -40.0 * 9.81 * r.time.values])
        return float(np.abs(moved - weight - impulses(r)).max() / np.abs(impulses(r)).max())

    fall = Check(
        "touchdown (s)", float(np.sqrt(2.0 * p["clearance"] / 9.81)), 1e-4 if p["case"] == "landing" else 1e-3, touch,
        "closed form: free fall", Kind.CLOSED_FORM,
    )  # fmt: skip
    if p["case"] == "landing":
        return fall, Check("momentum along and up (relative)", 0.0, 1e-3, off, "momentum", Kind.CONSERVATION)
    rest = "closed form: a robot at rest"
    return (
        fall,
        Check("normal force at rest (N)", 40.0 * 9.81, 0.4, lambda r: float(r.contact_force.values[-1, :, 2].sum()), rest,
              Kind.CLOSED_FORM),
        Check("centre of pressure off the mass centre (m)", 0.0, 1e-3, lean, rest, Kind.CLOSED_FORM),
        Check("records of the last second above the feet, part of all", 1.0, 0.0, stood, rest, Kind.CLOSED_FORM),
    )  # fmt: skip
