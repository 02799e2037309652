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
VALIDATION: tuple[dict[str, Any], ...] = ({},)
DENSITY, FOOT, G = 1150.0, 0.012, 9.81
THIGH_MASS, FOOT_MASS = 0.15, 0.03


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
        ground: dict[str, Any] = {"phases": Phases({"flight": (), "stance": "sole"}, ways), "tolerance": 1e-8}
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


def missed(up: np.ndarray, times: np.ndarray, changes: list[float]) -> np.ndarray:
    """What trapezoids of a force (n,) N at records (n,) s may miss of its impulse up to each, N s.

    Where the force begins or ends between two records, at a time among ``changes``, half of it times their distance. Elsewhere it
    bends at most once the other way from record to record, and then lies between its chord and the secants of the intervals
    beside, which are below and above it by the second differences a, b at the ends of the chord. Where both bend the same way,
    these lines are the sides of a triangle of the area h/2 a b / (a + b); where they do not, or where one is missing beside a
    jump, the larger one bounds the area by h/2 a.
    """
    h, count = np.diff(times), len(times)
    jumps = np.unique(np.clip(np.searchsorted(times, changes), 1, count - 1)) - 1
    bends = np.full(count, np.nan)  # at records; unknown at the ends and beside jumps
    bends[1:-1] = np.diff(up, n=2)
    bends[np.concatenate([jumps, jumps + 1])] = np.nan
    one, two = bends[:-1], bends[1:]
    most = np.fmax(np.abs(one), np.abs(two))
    same = one * two > 0.0  # false where one of them is unknown
    area = np.where(same, np.abs(one * two) / np.where(same, np.abs(one + two), 1.0), most)
    each = 0.5 * h * np.where(np.isnan(area), np.abs(np.diff(up)), area)
    each[jumps] = 0.5 * h[jumps] * np.abs(np.diff(up))[jumps]
    return np.concatenate([[0.0], np.cumsum(each)])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The fall and the rest in closed form, the balance of momentum, the rebound."""

    def touch(r: Result) -> float:
        if p["feet"] == "rigid":
            return float(json.loads(str(r.attributes["transitions"]))[0]["time"])
        gap = r.contact_gap.values[:, 0]
        k = int(np.argmax(gap < 0.0))
        return float(np.interp(0.0, gap[[k, k - 1]], r.time.values[[k, k - 1]]))

    def off(r: Result, over: bool = False) -> float:
        up, t = push(r)[:, 2], r.time.values
        changes = json.loads(str(r.attributes.get("transitions", "[]")))
        impulse = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(t) * (up[1:] + up[:-1]))])
        for one in changes:
            impulse += one["impulse"].get("sole.normal", 0.0) * (t >= one["time"])
        moved = r.linear_momentum.values[:, 2] - r.linear_momentum.values[0, 2]
        defect = np.abs(moved + weight(p) * t - impulse)
        if over:
            return float((defect / (missed(up, t, [one["time"] for one in changes]) + 1e-9 * impulse[-1])).max())
        return float(defect.max() / impulse[-1])

    rest = "closed form: the foot carries the weight"
    fall, free = math.sqrt(2.0 * p["height"] / G), "closed form: free fall"
    if p["feet"] == "rigid":  # without friction of the foot it still swings when the run ends
        return (
            Check("touchdown (s)", fall, 1e-8, touch, free, Kind.CLOSED_FORM),
            Check("momentum, over what trapezoids of forces miss", 0.0, 1.0, lambda r: off(r, over=True), "momentum",
                  Kind.CONSERVATION),
        )  # fmt: skip
    return (
        Check("touchdown (s)", fall, 1e-3, touch, free, Kind.CLOSED_FORM),
        Check("normal force at rest (N)", weight(p), 0.01 * weight(p), lambda r: float(push(r)[-100:, 2].mean()), rest,
              Kind.CLOSED_FORM),
        # The foot strikes within a ms; trapezoids of forces at records of 1 ms miss 3e-3 of the impulse, at 0.06 ms 5e-5.
        Check("momentum (relative)", 0.0, 1e-2, off, "momentum", Kind.CONSERVATION),
    )  # fmt: skip
