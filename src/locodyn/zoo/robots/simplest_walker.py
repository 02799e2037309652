"""The simplest walker (Garcia, Chatterjee, Ruina, Coleman 1998): a hip, two feet that weigh nothing beside it, a shallow slope.

Lengths are in leg lengths, times in sqrt(l/g), masses in masses of the hip. Garcia et al. take the limit beta = foot mass / hip
mass -> 0; here beta is small but a number, and what it changes is of its size.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.phases import Mirror, Phases
from locodyn.robot import Capsule, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import walkers

SOURCE = "Garcia, Chatterjee, Ruina, Coleman 1998"
EXACT = "independent calculation: the equations of Garcia et al. (1998), to 1e-8"
PARAMETERS = (
    Parameter("slope", 0.009, "rad", SOURCE, "by which the ground falls", above=0.0, most=0.02),
    Parameter("beta", 1e-9, "-", "own choice", "mass of a foot over that of the hip (source: 0)", above=0.0, most=0.1),
    Parameter("theta", 0.200310900544, "rad", SOURCE, "angle of the leg that stands at the start, from the normal"),
    Parameter("rate", -0.199832473005, "1", SOURCE, "its rate"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
LEGS = ("left", "right")


def robot(p: dict[str, Any]) -> Robot:
    """Legs without mass between a hip and two feet."""
    walker = Robot("simplest_walker")
    hip = walkers.hip(walker, 1.0, 0.06)
    for name in LEGS:
        shape = Capsule(radius=0.015, length=0.97, axis="z", at=(0.0, 0.0, -0.5))
        leg = walker.body(name, mass=p["beta"], centre=(0.0, 0.0, -1.0), inertia=((0.0,) * 3,) * 3, shape=shape)
        leg.on(hip).turning("y").foot(f"{name}_foot", at=(0.0, 0.0, -1.0))
    return walker


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten steps. After heel strike phi = 2 theta and phidot = (1 - cos 2 theta) thetadot (Garcia et al. 1998, (4))."""
    theta, rate = p["theta"], p["rate"]
    swing = (1.0 - math.cos(2.0 * theta)) * rate
    mirror = Mirror({"left": "right"}, {"left_foot": "right_foot"})
    return Scenario(
        "simplest_walker",
        robot(p),
        gravity=walkers.downhill(1.0, p["slope"]),
        phases=Phases.walking("left_foot", "right_foot", ahead=0.1, mirror=mirror, scuffing=True),
        start=Start(
            {"left": -theta, "right": theta, "z": math.cos(theta)},
            {"left": -rate, "right": swing - rate},
            adjust=("z",),
            keep=LEGS,
        ),
        t_end=40.0,
        dt=0.05,
        tolerance=1e-10,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The long-period gait on the slope 0.009 and its multipliers."""
    energy = Check("energy balance through impacts (relative)", 0.0, 1e-8, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if any(p[q.name] != q.value for q in PARAMETERS):
        return (energy,)

    def state(result: Result) -> np.ndarray:
        return -walkers.orbit_state(result, "left")

    def largest(result: Result) -> tuple[float, float]:
        found = walkers.orbit(result).multipliers[0]
        return float(found.real), abs(float(found.imag))

    return (
        Check("theta*, thetadot* (rad, 1)", (0.200310900544, -0.199832473005), 1e-7, state, EXACT, Kind.INDEPENDENT),
        Check("step time (1)", 3.88246375, 1e-7, lambda r: walkers.orbit(r).stride.duration, EXACT, Kind.INDEPENDENT),
        Check("largest multiplier, real and imaginary part", (-0.19009984, 0.55759878), 1e-7, largest, EXACT, Kind.INDEPENDENT),
        energy,
    )
