"""A quadruped that trots: two diagonal pairs of legs swing in turn, joint servos follow sines, feet on compliant ground (own).

In a trot the legs of a diagonal move together, half a period apart from the others. Each hip swings the leg, each knee shortens
it while it comes forward; the hip turns back by half of what the knee bends, so that the foot moves along the leg then. Thigh and
shank are equally long, so that feet that hold take the trunk 4 l sin(swing) along in a stride, l being the distance from hip to
foot. Servos that are too soft, or strides that are too quick, make the robot hop and slip. Nothing balances it but its four feet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.locomotion.servo import Servo
from locodyn.motion import sine
from locodyn.robot import Box, Capsule, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import CompliantContact, Ground

OWN = "own choice"
PARAMETERS = (
    Parameter("contact", "compliant", "-", OWN, "law of the feet", choices=("compliant", "regularised", "hard")),
    Parameter("swing", 0.15, "rad", OWN, "amplitude of the hips", above=0.0),
    Parameter("lift", 0.15, "rad", OWN, "amplitude of the knees", above=0.0),
    Parameter("period", 0.4, "s", OWN, "of a stride", above=0.0),
    Parameter("bend", 1.0, "rad", OWN, "of the knees in the middle", above=0.0),
    Parameter("mu", 0.8, "-", OWN, "friction of the feet", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"contact": "regularised"}, {"contact": "hard"})
LEGS = {
    "front_left": (0.2, 0.13, 0.0),
    "front_right": (0.2, -0.13, math.pi),
    "back_left": (-0.2, 0.13, math.pi),
    "back_right": (-0.2, -0.13, 0.0),
}
LINK, FOOT, G = 0.18, 0.02, 9.81
MASSES = {"trunk": 6.0, "thigh": 0.5, "shank": 0.2}
STRIDES = 6
STIFFNESS, DAMPING = 600.0, 10.0  # N m/rad, N m s/rad, of the servos
SLIP = 0.1  # of a stride without slip: what a trot may miss


def robot(p: dict[str, Any]) -> Robot:
    """A trunk and four legs of thigh and shank."""
    dog = Robot("quadruped")
    trunk = dog.base("trunk", moves="free", mass=MASSES["trunk"], shape=Box((0.5, 0.18, 0.1)))
    for name, (x, y, _) in LEGS.items():
        upper = Capsule(radius=0.02, length=LINK, axis="z", at=(0.0, 0.0, -0.5 * LINK))
        lower = Capsule(radius=0.015, length=LINK, axis="z", at=(0.0, 0.0, -0.5 * LINK))
        thigh = (
            dog.body(f"{name}_thigh", mass=MASSES["thigh"], shape=upper)
            .on(trunk, at=(x, y, 0.0))
            .turning("y", name=f"{name}_hip")
        )
        shank = dog.body(f"{name}_shank", mass=MASSES["shank"], shape=lower).on(thigh, at=(0.0, 0.0, -LINK))
        shank.turning("y", name=f"{name}_knee")
        shank.collides(name=f"{name}_foot", vertices=[(0.0, 0.0, -LINK)], friction=p["mu"])
    return dog


def servos(p: dict[str, Any]) -> dict[str, Servo]:
    """Hips swing about half the bend of the knees; knees bend most while the leg comes forward, a quarter of a period later."""
    gains = STIFFNESS, DAMPING
    omega, found = 2.0 * math.pi / p["period"], {}
    for name, (_, _, phase) in LEGS.items():
        # A turn about y by a positive angle takes the foot backward: the leg comes forward while the sine falls.
        knee = sine(p["lift"], omega=omega, phase=phase - 0.5 * math.pi, offset=p["bend"])
        found[f"{name}_hip"] = Servo(sine(p["swing"], omega=omega, phase=phase) - 0.5 * knee, *gains)
        found[f"{name}_knee"] = Servo(knee, *gains)
    return found


def weight() -> float:
    """Of the robot, N."""
    return G * (MASSES["trunk"] + 4.0 * (MASSES["thigh"] + MASSES["shank"]))


def scenario(p: dict[str, Any]) -> Scenario:
    """Six strides from a stand."""
    law = CompliantContact(sink=5e-4, bristle_damping=1.0)
    if p["contact"] == "regularised":
        law = CompliantContact(sink=5e-4, friction="regularised", speed=1e-2)
    laws = servos(p)
    posture = {name: float(one.law(0.0)) for name, one in laws.items()}
    lowest = max(
        LINK * (math.cos(posture[f"{leg}_hip"]) + math.cos(posture[f"{leg}_hip"] + posture[f"{leg}_knee"])) for leg in LEGS
    )
    hard = p["contact"] == "hard"
    return Scenario(
        "quadruped_trot",
        robot(p),
        obstacles=(Ground(),),
        contact="hard" if hard else law,
        servo=laws,
        start=Start({"trunk": (0.0, 0.0, lowest + 1e-4, 0.0, 0.0, 0.0), **posture}),
        t_end=STRIDES * p["period"],
        integrator="moreau" if hard else "radau_adaptive",
        dt=1e-3,
        checks=checks(p),
    )


def advance(result: Result, p: dict[str, Any]) -> float:
    """Way forward of the last stride, m."""
    x, t = result.position.values[:, 0], result.time.values
    return float(x[-1] - np.interp(t[-1] - p["period"], t, x))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The ground carries the weight in the mean, momentum is what it pushes, the trunk stays upright and gets ahead."""

    def off(r: Result) -> float:
        up, t = r.contact_force.values[:, :, 2].sum(axis=1), r.time.values
        impulse = (
            float(np.sum(0.5 * np.diff(t) * (up[1:] + up[:-1]))) if p["contact"] != "hard" else float(np.sum(np.diff(t) * up[1:]))
        )
        moved = float(r.linear_momentum.values[-1, 2] - r.linear_momentum.values[0, 2])
        return abs(moved + weight() * float(t[-1]) - impulse) / impulse

    def tilt(r: Result) -> float:
        _, x, y, _ = np.moveaxis(r.orientation.values, -1, 0)
        return float(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)).max())

    found = [
        # Impacts of soft feet last some ms: trapezoids of forces at records of 1 ms miss 3e-4 of the impulse at most.
        Check("momentum up (relative)", 0.0, 1e-6 if p["contact"] == "hard" else 1e-3, off, "momentum", Kind.CONSERVATION),
        Check("largest tilt of the trunk (rad)", 0.0, 0.3, tilt, "own limit: it does not fall", Kind.OWN),
    ]
    if all(p[one.name] == one.value for one in PARAMETERS if one.name != "contact"):
        way = 8.0 * LINK * math.cos(0.5 * p["bend"]) * math.sin(p["swing"])
        source = "closed form: feet that hold; a tenth may slip"
        found.append(Check("way of the last stride (m)", way, SLIP * way, lambda r: advance(r, p), source, Kind.CLOSED_FORM))
    return tuple(found)
