"""Truck with two passive trailers: the truck is driven and steered, the trailers follow on their wheels.

Each trailer is hitched above the axle before it. On a steady circle of radius rho_0 of the rear axle of the truck, trailer i
stands at an angle with
sin(r_i) = L / rho_(i-1) and its axle runs on a circle of radius rho_i = sqrt(rho_(i-1)^2 - L^2).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import ramp, transition
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("l", 4.0, "m", CHOSEN, "wheel base of the truck", above=0.0),
    Parameter("L", 5.0, "m", CHOSEN, "from hitch to axle of each trailer", above=0.0),
    Parameter("m_o", 8000.0, "kg", CHOSEN, "mass of the truck", above=0.0),
    Parameter("I_o", 20000.0, "kg m^2", CHOSEN, "moment of the truck about its mass centre", above=0.0),
    Parameter("m_1", 6000.0, "kg", CHOSEN, "mass of each trailer", above=0.0),
    Parameter("I_1", 15000.0, "kg m^2", CHOSEN, "moment of each trailer about its mass centre", above=0.0),
    Parameter("R", 0.5, "m", CHOSEN, "radius of the wheels", above=0.0),
    Parameter("beta", 0.3, "rad", CHOSEN, "steering angle, reached within 4 s", above=0.0),
    Parameter("xi", 3.0, "m/s", CHOSEN, "speed of the rear axle of the truck", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Truck and two trailers; reference frame in the middle of the rear axle of the truck."""
    road_train = Robot("truck with trailers")
    truck = road_train.base(
        "truck",
        moves="planar",
        mass=p["m_o"],
        centre=(p["l"] / 2, 0.0, 0.0),
        inertia=about_centre(zz=p["I_o"]),
        shape=Box((p["l"] + 2.0, 2.4, 2.8)),
    )
    truck.wheel("rear", axis="y", radius=p["R"], actuated=True)
    truck.wheel("front", at=(p["l"], 0.0, 0.0), axis="y", radius=p["R"], kind="steered")
    parent, hitch = truck, (0.0, 0.0, 0.0)
    for i in (1, 2):
        trailer = road_train.body(
            f"trailer_{i}",
            mass=p["m_1"],
            centre=(-0.6 * p["L"], 0.0, 0.0),
            inertia=about_centre(zz=p["I_1"]),
            shape=Box((p["L"], 2.4, 2.4)),
        )
        trailer.on(parent, at=hitch).turning("z", name=f"joint_{i}")
        trailer.wheel(f"axle_{i}", at=(-p["L"], 0.0, 0.0), axis="y", radius=p["R"])
        parent, hitch = trailer, (-p["L"], 0.0, 0.0)
    return road_train


def scenario(p: dict[str, Any]) -> Scenario:
    """Ninety seconds from rest: onto a circle, where the trailers settle."""
    return Scenario(
        "trailer_truck",
        robot(p),
        steering={"front": transition(0.0, p["beta"], duration=4.0)},
        speeds=[("truck", (1.0, 0.0, 0.0), ramp(p["xi"], blend=4.0))],
        t_end=90.0,
        dt=0.02,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The steady circle in closed form."""
    rho = [p["l"] / math.tan(p["beta"])]
    angles = []
    for _ in range(2):
        angles.append(math.asin(p["L"] / rho[-1]))
        rho.append(math.sqrt(rho[-1] ** 2 - p["L"] ** 2))

    def settled(result: Result) -> np.ndarray:
        found: np.ndarray = np.abs(result.joint_position.values[-1])
        return found

    return (
        Check(
            "angles of the trailers on the circle (rad)",
            tuple(angles),
            1e-4,
            settled,
            "sin(r_i) = L / rho_(i-1) on a steady circle",
            Kind.CLOSED_FORM,
        ),
        Check("side slip of all axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check("power balance (relative)", 0.0, 1e-8, measures.power_balance, "first law", Kind.CONSERVATION),
    )
