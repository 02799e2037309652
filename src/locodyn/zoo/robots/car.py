"""Car: rear wheels driven by a torque, front wheels steered; the two front wheels as one in the middle (bicycle model of a car).

Two independent rolling constraints on SE(2) leave one free direction, along which the torque of the rear wheels accelerates
the car. At a constant
steering angle beta the middle of the rear axle goes around a circle of radius l / tan(beta).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import constant
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("l", 2.6, "m", CHOSEN, "wheel base", above=0.0),
    Parameter("L", 1.5, "m", CHOSEN, "track of the rear axle", above=0.0),
    Parameter("R", 0.3, "m", CHOSEN, "radius of the wheels", above=0.0),
    Parameter("m", 1200.0, "kg", CHOSEN, "mass", above=0.0),
    Parameter("I", 1800.0, "kg m^2", CHOSEN, "moment about the mass centre", above=0.0),
    Parameter("s", 1.2, "m", CHOSEN, "mass centre, ahead of the rear axle"),
    Parameter("beta", 0.25, "rad", CHOSEN, "steering angle"),
    Parameter("Gamma", 90.0, "N m", CHOSEN, "torque of each rear wheel"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"beta": -0.4})


def robot(p: dict[str, Any]) -> Robot:
    """One body; reference frame in the middle of the rear axle."""
    car = Robot("car")
    body = car.base(
        "body",
        moves="planar",
        mass=p["m"],
        centre=(p["s"], 0.0, 0.0),
        inertia=about_centre(zz=p["I"]),
        shape=Box((p["l"] + 1.2, p["L"] - 0.3, 0.9)),
    )
    for name, y in (("rear_right", -p["L"] / 2), ("rear_left", p["L"] / 2)):
        body.wheel(name, at=(0.0, y, 0.0), axis="y", radius=p["R"], actuated=True)
    body.wheel("front", at=(p["l"], 0.0, 0.0), axis="y", radius=p["R"], kind="steered")
    return car


def scenario(p: dict[str, Any]) -> Scenario:
    """Twelve seconds from rest."""
    torque = {name: constant(p["Gamma"]) for name in ("rear_right", "rear_left")}
    return Scenario(
        "car", robot(p), steering={"front": constant(p["beta"])}, wheel_torque=torque, t_end=12.0, dt=0.01, checks=checks(p)
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Circle, and the speed that the torque gives: (m + (I + m s^2) / rho^2) dv/dt = 2 Gamma / R, rho = l / tan(beta)."""
    rho = p["l"] / math.tan(p["beta"])
    inertia = p["m"] + (p["I"] + p["m"] * p["s"] ** 2) / rho**2

    def radius(result: Result) -> float:
        x, y = result.position.values[:, 0], result.position.values[:, 1]
        return float(np.abs(np.hypot(x, y - rho) - abs(rho)).max())

    def speed(result: Result) -> float:
        return float(np.abs(result.twist.values[:, 0] - 2.0 * p["Gamma"] / p["R"] / inertia * result.time.values).max())

    return (
        Check("distance from the circle of radius l / tan(beta) (m)", 0.0, 1e-8, radius, "closed form", Kind.CLOSED_FORM),
        Check("speed in closed form (m/s)", 0.0, 1e-10, speed, "closed form", Kind.CLOSED_FORM),
        Check(
            "power balance Gamma.thetadot = dT/dt (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION
        ),
    )
