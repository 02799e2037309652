"""Compass gait (Goswami, Thuilot, Espiau 1998): two straight legs with point masses walk down a slope without motors.

Goswami et al. count angles from the vertical, positive where the foot is in front of the hip; here ``left`` and ``right`` turn
about y from the normal of the ground, so left = -(theta + slope). The swing foot passes through the ground in mid-swing, as
theirs does, and touches down in front of the other.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.phases import Mirror, Phases
from locodyn.robot import Capsule, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import walkers

SOURCE = "Goswami, Thuilot, Espiau 1998"
EXACT = "independent calculation: the equations of Goswami, Thuilot, Espiau (1998), to 1e-7"
PARAMETERS = (
    Parameter("m", 5.0, "kg", SOURCE, "mass of a leg, a point", above=0.0),
    Parameter("m_H", 10.0, "kg", SOURCE, "mass of the hip", above=0.0),
    Parameter("a", 0.5, "m", SOURCE, "distance of the mass of a leg from its foot", above=0.0),
    Parameter("b", 0.5, "m", SOURCE, "distance of the mass of a leg from the hip", above=0.0),
    Parameter("slope", 3.0, "deg", SOURCE, "by which the ground falls", above=0.0, most=20.0),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", above=0.0),
    Parameter("stance", 0.2186688, "rad", SOURCE, "angle of the leg that stands at the start, from the vertical"),
    Parameter("rates", (-1.0923836, -0.3773740), "rad/s", SOURCE, "rates of the leg that stands and of the other one"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
LEGS = ("left", "right")


def robot(p: dict[str, Any]) -> Robot:
    """Two legs on a hip; the mass of each is a point of it."""
    walker = Robot("compass_gait")
    length = p["a"] + p["b"]
    hip = walkers.hip(walker, p["m_H"], 0.06 * length)
    for name in LEGS:
        shape = Capsule(radius=0.015 * length, length=0.97 * length, axis="z", at=(0.0, 0.0, -0.5 * length))
        leg = walker.body(name, mass=p["m"], centre=(0.0, 0.0, -p["b"]), inertia=((0.0,) * 3,) * 3, shape=shape)
        leg.on(hip).turning("y").foot(f"{name}_foot", at=(0.0, 0.0, -length))
    return walker


def phases(p: dict[str, Any]) -> Phases:
    """Left and right foot in turn; a touchdown counts where the foot is a tenth of the leg in front."""
    mirror = Mirror({"left": "right"}, {"left_foot": "right_foot"})
    return Phases.walking("left_foot", "right_foot", ahead=0.1 * (p["a"] + p["b"]), mirror=mirror, scuffing=True)


def start(p: dict[str, Any]) -> Start:
    """Both feet on the ground, the left one in front and standing."""
    angle = p["stance"] + math.radians(p["slope"])
    length = p["a"] + p["b"]
    return Start(
        {"left": -angle, "right": angle, "z": length * math.cos(angle)},
        {"left": -p["rates"][0], "right": -p["rates"][1]},
        adjust=("z",),
        keep=LEGS,
    )


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten steps."""
    return Scenario(
        "compass_gait",
        robot(p),
        gravity=walkers.downhill(p["g"], math.radians(p["slope"])),
        phases=phases(p),
        start=start(p),
        t_end=7.5,
        dt=0.01,
        tolerance=1e-10,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The gait on 3 degrees; energy through all impacts."""
    energy = Check("energy balance through impacts (relative)", 0.0, 1e-8, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if any(p[q.name] != q.value for q in PARAMETERS):
        return (energy,)
    slope = math.radians(p["slope"])

    def state(result: Result) -> tuple[float, ...]:
        left, right, rate, other = walkers.orbit_state(result, *LEGS)
        return -left - slope, -right - slope, -rate, -other

    exact = (0.2186688, -0.3233886, -1.0923836, -0.3773740)
    return (
        Check("angles and rates at the start of a step (rad, rad/s)", exact, 1e-6, state, EXACT, Kind.INDEPENDENT),
        Check("step time (s)", 0.7343464, 1e-6, lambda r: walkers.orbit(r).stride.duration, EXACT, Kind.INDEPENDENT),
        Check("step time after ten steps (s)", 0.7343464, 1e-5, walkers.last_step_time, EXACT, Kind.INDEPENDENT),
        energy,
    )
