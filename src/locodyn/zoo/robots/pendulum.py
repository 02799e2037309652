"""Pendulum of n uniform rods, hanging from the world by revolute joints (in the x-z plane) or spherical joints."""

from __future__ import annotations

import math
from typing import Any

from locodyn.errors import InputError
from locodyn.robot import Capsule, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("n", 1, "-", OWN, "number of rods", least=1),
    Parameter("joints", "revolute", "-", OWN, "type of the joints", choices=("revolute", "spherical")),
    Parameter("lengths", (1.0,), "m", OWN, "lengths of the rods (one number: all alike)", above=0.0, any_length=True),
    Parameter("masses", (1.0,), "kg", OWN, "masses of the rods (one number: all alike)", above=0.0, any_length=True),
    Parameter("angle", 1.0, "rad", OWN, "initial angle of the first joint from the vertical, about y"),
    Parameter("spin", 0.0, "rad/s", OWN, "initial angular velocity of the first rod about its axis (spherical joints)"),
    Parameter("damping", 0.0, "N m s/rad", OWN, "viscous friction of every joint", least=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"n": 3}, {"n": 2, "joints": "spherical", "spin": 2.0})


def spread(values: tuple[float, ...], n: int, name: str) -> tuple[float, ...]:
    """One value for each rod."""
    if len(values) not in (1, n):
        raise InputError(f"parameter '{name}' has {len(values)} numbers for {n} rods; give one number, or one for each rod.")
    return values * n if len(values) == 1 else values


def robot(p: dict[str, Any]) -> Robot:
    """Rods hang along -z; rod k hangs at the end of rod k - 1."""
    lengths, masses = spread(p["lengths"], p["n"], "lengths"), spread(p["masses"], p["n"], "masses")
    pendulum = Robot("pendulum")
    parent, end = pendulum.base("ground", moves="fixed"), 0.0
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        across = mass * length**2 / 12.0
        along = 1e-3 * across if p["joints"] == "spherical" else 0.0  # a slender rod; a ball joint needs some inertia about it
        rod = pendulum.body(
            f"link_{k}",
            mass=mass,
            centre=(0.0, 0.0, -0.5 * length),
            inertia=about_centre(xx=across, yy=across, zz=along),
            shape=Capsule(radius=0.02 * length, length=0.96 * length, axis="z", at=(0.0, 0.0, -0.5 * length)),
        ).on(parent, at=(0.0, 0.0, end))
        rod = rod.turning("y", name=f"joint_{k}") if p["joints"] == "revolute" else rod.ball(name=f"joint_{k}")
        if p["damping"]:
            rod.actuator(viscous=p["damping"])
        parent, end = rod, -length
    return pendulum


def scenario(p: dict[str, Any]) -> Scenario:
    """Released from rest at an angle."""
    spherical = p["joints"] == "spherical"
    first = (0.0, p["angle"], 0.0) if spherical else p["angle"]
    start = Start({"joint_1": first}, {"joint_1": (0.0, 0.0, p["spin"])} if spherical else None)
    return Scenario(
        "pendulum", robot(p), gravity=(0.0, 0.0, -p["g"]), start=start, t_end=10.0, dt=0.002, record_every=5, checks=checks(p)
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Period of one rod by the complete elliptic integral; energy (measured at the default step: 2e-9 for three rods)."""
    energy = Check("energy balance (relative)", 0.0, 2e-8, measures.energy_defect, "first law", Kind.CONSERVATION)
    if p["n"] > 1 or p["damping"] or p["spin"] or not 0.0 < abs(p["angle"]) < math.pi or p["g"] == 0.0:
        return (energy,)
    period = exact_period(p["lengths"][0], p["g"], p["angle"])
    source = "T = 4 sqrt(2 l / 3 g) K(sin(angle / 2))"
    if p["joints"] == "revolute" and period < 9.0:
        return (Check("period (s)", period, 1e-6, measured_period, source, Kind.CLOSED_FORM), energy)
    return (energy,)


def exact_period(length: float, g: float, angle: float) -> float:
    """Period of a uniform rod about its end: T = 4 sqrt(2 l / (3 g)) K(k), k = sin(angle / 2); K by the mean of Gauss."""
    a, b = 1.0, math.cos(0.5 * angle)
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return 4.0 * math.sqrt(2.0 * length / (3.0 * g)) * math.pi / (2.0 * a)


def measured_period(result: Result) -> float:
    """Twice the time between the first two passages through the vertical."""
    return 2.0 * measures.time_between_zeros(result.joint_position.values[:, 0], result.joint_velocity.values[:, 0], result)
