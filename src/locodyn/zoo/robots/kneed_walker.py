"""Passive walker with knees (McGeer 1990; parameters of Chen 2007): thigh and shank swing freely until the knee strikes its stop.

A step has two phases: the swing leg is bent (three links), and from the knee strike on it is straight (two links). The knee of
the standing leg is locked. At touchdown both legs are straight; the impact releases the knee of the leg that leaves the ground.
Angles turn about y from the normal of the ground; a bent knee is positive.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.phases import Mirror, Phase, Phases, Reaches, Touchdown
from locodyn.robot import Capsule, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario, Start
from locodyn.zoo import walkers

SOURCE = "Chen 2007"
PARAMETERS = (
    Parameter("m_H", 0.5, "kg", SOURCE, "mass of the hip", above=0.0),
    Parameter("m_t", 0.5, "kg", SOURCE, "mass of a thigh, a point", above=0.0),
    Parameter("m_s", 0.05, "kg", SOURCE, "mass of a shank, a point", above=0.0),
    Parameter("a_1", 0.375, "m", SOURCE, "distance of the mass of a shank from the foot", above=0.0),
    Parameter("b_1", 0.125, "m", SOURCE, "distance of the mass of a shank from the knee", above=0.0),
    Parameter("a_2", 0.175, "m", SOURCE, "distance of the mass of a thigh from the knee", above=0.0),
    Parameter("b_2", 0.325, "m", SOURCE, "distance of the mass of a thigh from the hip", above=0.0),
    Parameter("slope", 0.0504, "rad", SOURCE, "by which the ground falls", above=0.0, most=0.3),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", above=0.0),
    Parameter("stance", 0.1877, "rad", SOURCE, "angle of the leg that stands at the start, from the vertical"),
    Parameter("rates", (-1.1014, -0.0399), "rad/s", SOURCE, "rates of the leg that stands and of the other one"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
LEGS = ("left", "right")


def robot(p: dict[str, Any]) -> Robot:
    """Two legs of two links each."""
    walker = Robot("kneed_walker")
    shank, thigh = p["a_1"] + p["b_1"], p["a_2"] + p["b_2"]
    hip = walkers.hip(walker, p["m_H"], 0.05)
    none = ((0.0,) * 3,) * 3
    for name in LEGS:
        rod = Capsule(radius=0.018, length=0.96 * thigh, axis="z", at=(0.0, 0.0, -0.5 * thigh))
        upper = walker.body(f"{name}_thigh", mass=p["m_t"], centre=(0.0, 0.0, -p["b_2"]), inertia=none, shape=rod)
        upper.on(hip).turning("y", name=f"{name}_hip")
        rod = Capsule(radius=0.014, length=0.96 * shank, axis="z", at=(0.0, 0.0, -0.5 * shank))
        lower = walker.body(f"{name}_shank", mass=p["m_s"], centre=(0.0, 0.0, -p["b_1"]), inertia=none, shape=rod)
        lower.on(upper, at=(0.0, 0.0, -thigh)).turning("y", name=f"{name}_knee").foot(f"{name}_foot", at=(0.0, 0.0, -shank))
    return walker


def phases() -> Phases:
    """Left and right in turn: bent until the knee strikes, straight until the foot lands."""
    named: dict[str, Phase] = {}
    ways: list[Any] = []
    for one, two in (LEGS, LEGS[::-1]):
        own, other = f"{one}_knee", f"{two}_knee"
        named[one] = Phase((f"{one}_foot",), locked={own: 0.0})
        named[f"{one}_straight"] = Phase((f"{one}_foot",), locked={own: 0.0, other: 0.0})
        ways.append(Reaches(one, f"{one}_straight", other, 0.0, "falling"))
        ways.append(Touchdown(f"{one}_straight", two, f"{two}_foot", 0.1, stiff={own: 0.0}))
    pairs = {f"left_{joint}": f"right_{joint}" for joint in ("hip", "knee")}
    return Phases(named, ways, "left", mirror=Mirror(pairs, {"left_foot": "right_foot"}), scuffing=True)


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten steps."""
    angle = p["stance"] + p["slope"]
    length = p["a_1"] + p["b_1"] + p["a_2"] + p["b_2"]
    return Scenario(
        "kneed_walker",
        robot(p),
        gravity=walkers.downhill(p["g"], p["slope"]),
        phases=phases(),
        start=Start(
            {"left_hip": -angle, "right_hip": angle, "z": length * math.cos(angle)},
            {"left_hip": -p["rates"][0], "right_hip": -p["rates"][1]},
            adjust=("z",),
            keep=("left_hip", "right_hip", "right_knee"),
        ),
        t_end=6.0,
        dt=0.01,
        tolerance=1e-10,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Energy through knee strikes and touchdowns; the gait that it settles on."""
    energy = Check("energy balance through impacts (relative)", 0.0, 1e-8, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if any(p[q.name] != q.value for q in PARAMETERS):
        return (energy,)
    own = "own record: Newton's method on the Poincare map"
    return (
        energy,
        Check("step time (s)", 0.564328, 1e-5, lambda r: walkers.orbit(r).stride.duration, own, Kind.OWN),
        Check("size of the largest multiplier", 0.655, 1e-3, lambda r: abs(walkers.orbit(r).multipliers[0]), own, Kind.OWN),
    )
