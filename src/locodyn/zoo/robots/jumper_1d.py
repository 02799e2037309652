"""A mass that falls on compliant feet (Aguirre 2010, 4.2): one freedom, and the restitution of its law of contact.

Hunt and Crossley's law gives back the part e of the speed v of an impact, a v (1 + e) = ln((1 + a v) / (1 - e a v)) with
a = lambda / k, for every stiffness, exponent and mass; a linear spring and damper e = exp(-pi b / sqrt(4 m k - b^2)) (4.8); the
variant 'same height' (4.15) all of it. Weight changes these a little, so that they are checked without it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import CompliantContact, Ground
from locodyn.world.compliant_law import NORMAL_LAWS, restitution_of
from locodyn.zoo import measures

SOURCE = "Aguirre 2010, 4.2"
OWN = "own choice"
RADIUS = 0.05
PARAMETERS = (
    Parameter("m", 40.0, "kg", SOURCE, "mass", above=0.0),
    Parameter("feet", 2, "-", SOURCE, "contacts side by side that carry it", least=1, most=8),
    Parameter("law", "hunt_crossley", "-", SOURCE, "of the normal force", choices=tuple(NORMAL_LAWS)),
    Parameter("k", 2.5e6, "N/m^exponent", SOURCE, "stiffness of a foot", above=0.0),
    Parameter("damping", 9e6, "N s/m^(exponent + 1)", SOURCE, "of a foot; printed as 9e6 and as 9e5; linear: N s/m", least=0.0),
    Parameter("height", 0.6, "m", SOURCE, "of the feet at the start", above=0.0),
    Parameter("speed", 0.0, "m/s", OWN, "downward, at the start", least=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
)
IMPACT = {"g": 0.0, "height": 1e-3, "speed": 1.0}
VALIDATION: tuple[dict[str, Any], ...] = (
    {},
    {**IMPACT},
    {**IMPACT, "damping": 9e5},
    {**IMPACT, "damping": 9e5, "speed": 0.05},
    {**IMPACT, "law": "same_height"},
    {**IMPACT, "law": "linear", "damping": 2e3},
)


def robot(p: dict[str, Any]) -> Robot:
    """A ball on a vertical rail, with as many points under it as it has feet."""
    jumper = Robot("jumper_1d")
    mass = jumper.body("mass", mass=p["m"], shape=Sphere(RADIUS)).on(jumper.base("ground", moves="fixed")).sliding("z", name="z")
    for k in range(int(p["feet"])):
        mass.collides(name=f"foot_{k + 1}", vertices=[(0.0, 0.02 * k, -RADIUS)])
    return jumper


def scenario(p: dict[str, Any]) -> Scenario:
    """A drop until it rests, or one impact without weight."""
    rest = p["g"] > 0.0
    return Scenario(
        "jumper_1d",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        obstacles=(Ground(),),
        contact=CompliantContact(p["law"], stiffness=p["k"], damping=p["damping"]),
        start=Start({"z": p["height"] + RADIUS}, {"z": -p["speed"]}),
        t_end=2.0 if rest else 0.1 + 2.0 * p["height"] / max(p["speed"], 1e-3),
        integrator="adaptive" if p["law"] == "linear" else "radau_adaptive",  # a linear damper jumps at touchdown
        dt=5e-4,
        tolerance=1e-9,
        checks=checks(p),
    )


def restitution(p: dict[str, Any]) -> float:
    """e in closed form, without weight."""
    if p["law"] == "same_height":
        return 1.0
    if p["law"] == "linear":
        stiffness, damping = p["feet"] * p["k"], p["feet"] * p["damping"]
        return math.exp(-math.pi * damping / math.sqrt(4.0 * p["m"] * stiffness - damping**2))
    return restitution_of(p["damping"] / p["k"], p["speed"])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Restitution without weight; with it time and speed of the fall, and where the mass rests."""
    if p["g"] == 0.0:

        def rebound(result: Result) -> float:
            return float(result.joint_velocity.values[-1, 0] / p["speed"])

        exact = "closed form: the first integral of the law without weight (module docstring)"
        return (Check("restitution", restitution(p), 1e-6, rebound, exact, Kind.CLOSED_FORM),)

    def touches(result: Result) -> float:
        gap, time = result.contact_gap.values[:, 0], result.time.values
        k = int(np.argmax(gap < 0.0))
        return float(np.interp(0.0, gap[[k, k - 1]], time[[k, k - 1]]))

    fall = "closed form: free fall"
    found = [Check("first touch (s)", math.sqrt(2.0 * p["height"] / p["g"]), 1e-6, touches, fall, Kind.CLOSED_FORM)]
    if p["law"] == "hunt_crossley" and p["damping"] / p["k"] > 1.0:
        depth = (p["m"] * p["g"] / (p["feet"] * p["k"])) ** (2.0 / 3.0)
        form = "closed form: m g = n k d^(3/2)"
        found.append(Check("gap at rest (m)", -depth, 1e-6, lambda r: float(r.contact_gap.values[-1, 0]), form, Kind.CLOSED_FORM))
    found.append(Check("energy account (relative)", 0.0, 3e-3, measures.energy_defect, "first law", Kind.CONSERVATION))
    return tuple(found)
