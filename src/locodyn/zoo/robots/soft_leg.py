"""A leg whose shank is an elastic rod: a hip on a vertical rail, a thigh on a driven hinge, a bow that lands on its foot (own).

Rod, joint, contact and phases in one robot: the servo of the hip holds the thigh, the bow is the spring of the leg. The foot
touches compliant ground with LuGre's friction, or with ``feet=rigid`` slides on hard ground without friction, and lifts off
between phases of stance and flight. The leg falls, bends, throws itself up again and comes to rest.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from locodyn.locomotion.servo import Servo
from locodyn.motion import constant
from locodyn.phases import LiftOff, Phases, Touchdown
from locodyn.robot import Box, Capsule, Circle, Material, Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import CompliantContact, Ground

OWN = "own choice"
PARAMETERS = (
    Parameter("E", 2e9, "Pa", OWN, "Young's modulus of the bow, as of polyamide", above=0.0),
    Parameter("r", 0.005, "m", OWN, "radius of the bow", above=0.0),
    Parameter("l", 0.2, "m", OWN, "length of the bow", above=0.0),
    Parameter("thigh", 0.15, "m", OWN, "length of the thigh", above=0.0),
    Parameter(
        "angle", 0.7, "rad", OWN, "of the thigh to the vertical, forward; the bow leans back by as much as brings the foot below"
    ),
    Parameter("mass", 1.0, "kg", OWN, "of the hip", above=0.0),
    Parameter("height", 0.05, "m", OWN, "of the foot over the ground at the start", above=0.0),
    Parameter("mu", 0.5, "-", OWN, "friction of the foot on compliant ground", above=0.0),
    Parameter("feet", "compliant", "-", OWN, "compliant, or rigid with plastic impacts", choices=("compliant", "rigid")),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"feet": "rigid"})
DENSITY, FOOT, G = 1150.0, 0.012, 9.81
THIGH_MASS, FOOT_MASS = 0.15, 0.03
TOLERANCE = 1e-8  # of steps between phases


def lean(p: dict[str, Any]) -> float:
    """Angle of the unbent bow to the vertical, backward: the foot is below the hip."""
    return math.asin(p["thigh"] * math.sin(p["angle"]) / p["l"])


def robot(p: dict[str, Any]) -> Robot:
    """Hip, thigh, bow, foot."""
    leg = Robot("soft_leg")
    hip = leg.base("hip", moves="prismatic", axis="z", joint="z", mass=p["mass"], shape=Box((0.08, 0.06, 0.05)))
    shape = Capsule(radius=0.012, length=p["thigh"], axis="x", at=(0.5 * p["thigh"], 0.0, 0.0))
    # x of the thigh points down and forward: a turn about y takes x to -z.
    thigh = (
        leg.body("thigh", mass=THIGH_MASS, shape=shape)
        .on(hip, turned=("y", 0.5 * math.pi - p["angle"]))
        .turning("y", name="hip_joint")
    )
    bow = thigh.rod(
        "bow", length=p["l"], at=(p["thigh"], 0.0, 0.0), turned=("y", p["angle"] + lean(p)), section=Circle(p["r"]),
        material=Material(p["E"], DENSITY), bending=(3, 0), nodes=4, damping=2e-3,
    )  # fmt: skip
    foot = leg.body("foot", mass=FOOT_MASS, shape=Sphere(FOOT)).on(bow).fixed()
    if p["feet"] == "rigid":
        foot.foot("sole", ground=(0.0, 0.0, FOOT), slips=True)  # the centre of the ball rests at the height of its radius
    else:
        foot.collides(name="sole", friction=p["mu"])
    return leg


def weight(p: dict[str, Any]) -> float:
    """Of the leg, N."""
    return float(G * (p["mass"] + THIGH_MASS + FOOT_MASS + DENSITY * math.pi * p["r"] ** 2 * p["l"]))


def scenario(p: dict[str, Any]) -> Scenario:
    """One second and a half: it falls, rebounds and rests."""
    reach = p["thigh"] * math.cos(p["angle"]) + p["l"] * math.cos(lean(p)) + FOOT
    if p["feet"] == "rigid":
        ways = [Touchdown("flight", "stance", "sole", ahead=None), LiftOff("stance", "flight", "sole")]
        ground: dict[str, Any] = {"phases": Phases({"flight": (), "stance": "sole"}, ways), "tolerance": TOLERANCE}
    else:
        contact = CompliantContact(sink=2e-4, bristle_damping=1.0)
        ground = {"obstacles": (Ground(),), "contact": contact, "integrator": "radau_adaptive", "tolerance": 1e-6}
    return Scenario(
        "soft_leg",
        robot(p),
        servo={"hip_joint": Servo(constant(0.0), 60.0, 0.6)},
        start={"z": reach + p["height"]},
        t_end=1.5,
        dt=1e-3,
        checks=checks(p),
        **ground,
    )


def push(result: Result) -> np.ndarray:
    """Force of the ground (n, 3), N."""
    return np.asarray(result.contact_force.values[:, 0])


def unexplained(p: dict[str, Any], result: Result) -> float:
    """Largest change of momentum from record to record that the forces there do not explain, over what they leave open.

    Between two records a force lies between its chord and the secants of the intervals beside, if it bends the other way at most
    once in these three: the secants are off the ends of the chord by the second differences a and b, so that the area, what
    trapezoids of forces miss, is at most h/2 max(|a|, |b|). Intervals in which the force begins or ends, and those beside them,
    have no secants on both sides and are left out. States are known to the tolerance of the run.
    """
    up, t, momentum = push(result)[:, 2], result.time.values, result.linear_momentum.values[:, 2]
    changes = [one["time"] for one in json.loads(str(result.attributes["transitions"]))]
    h, after = np.diff(t), np.clip(np.searchsorted(t, changes), 1, len(t) - 1)
    bends = np.full(len(t), np.nan)
    bends[1:-1] = np.abs(np.diff(up, n=2))
    bends[np.concatenate([after - 1, after])] = np.nan
    open_to = 0.5 * h * np.maximum(bends[1:], bends[:-1]) + TOLERANCE * weight(p) / G  # at 1 m/s
    defect = np.abs(np.diff(momentum) + h * (weight(p) - 0.5 * (up[1:] + up[:-1])))
    return float(np.nanmax(defect / open_to))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The fall and the rest in closed form, the balance of momentum, the rebound."""

    def touch(r: Result) -> float:
        if p["feet"] == "rigid":
            return float(json.loads(str(r.attributes["transitions"]))[0]["time"])
        gap = r.contact_gap.values[:, 0]
        k = int(np.argmax(gap < 0.0))
        return float(np.interp(0.0, gap[[k, k - 1]], r.time.values[[k, k - 1]]))

    def strike(r: Result) -> float:
        first = json.loads(str(r.attributes["transitions"]))[0]
        return float(first["loss"] / first["impulse"]["sole.normal"])

    def off(r: Result) -> float:
        up, t = push(r)[:, 2], r.time.values
        impulse = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(t) * (up[1:] + up[:-1]))])
        moved = r.linear_momentum.values[:, 2] - r.linear_momentum.values[0, 2]
        return float(np.abs(moved + weight(p) * t - impulse).max() / impulse[-1])

    rest = "closed form: the foot carries the weight"
    fall, free = math.sqrt(2.0 * p["height"] / G), "closed form: free fall"
    if p["feet"] == "rigid":  # without friction of the foot it still swings when the run ends
        return (
            Check("touchdown (s)", fall, TOLERANCE, touch, free, Kind.CLOSED_FORM),
            Check("energy of the first impact over its impulse (m/s)", 0.5 * G * fall, TOLERANCE, strike,
                  "closed form: a plastic impact takes J v / 2, v of free fall", Kind.CLOSED_FORM),
            Check("momentum, over what trapezoids of forces miss", 0.0, 1.0, lambda r: unexplained(p, r), "momentum",
                  Kind.CONSERVATION),
        )  # fmt: skip
    return (
        Check("touchdown (s)", fall, 1e-3, touch, free, Kind.CLOSED_FORM),
        Check("normal force at rest (N)", weight(p), 0.01 * weight(p), lambda r: float(push(r)[-100:, 2].mean()), rest,
              Kind.CLOSED_FORM),
        # The foot strikes within a ms; trapezoids of forces at records of 1 ms miss 3e-3 of the impulse, at 0.06 ms 5e-5.
        Check("momentum (relative)", 0.0, 1e-2, off, "momentum", Kind.CONSERVATION),
    )  # fmt: skip
