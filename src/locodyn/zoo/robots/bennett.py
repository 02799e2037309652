"""Bennett's linkage (Bennett 1903): four pins on skew axes, one freedom.

Opposite bars are alike: lengths a and b, twists alpha and beta (angles between the axes at their ends) with a / sin alpha =
b / sin beta. Angles of neighbouring joints then keep

    tan(theta / 2) tan(phi / 2) = sin((beta + alpha) / 2) / sin((beta - alpha) / 2),

and opposite ones are opposite. Gruebler and Kutzbach count 6 (3 - 4) + 4 = -2 freedoms: three of the five rows of the cut pin are
redundant in every closed position.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, polynomial
from locodyn.robot import Box, Robot, about_centre, rotation_about
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen (Bennett 1903 gives the condition only)"
PARAMETERS = (
    Parameter(
        "case", "free", "-", CHOSEN, "free: falls from rest; driven: the crank turns at the rate w", choices=("free", "driven")
    ),
    Parameter("a", 0.5, "m", CHOSEN, "length of crank and rocker; that of the others is a sin(beta) / sin(alpha)", above=0.0),
    Parameter("alpha", 0.6, "rad", CHOSEN, "twist of crank and rocker", above=0.0, most=3.0),
    Parameter("beta", 1.3, "rad", CHOSEN, "twist of coupler and ground; not that of the crank", above=0.0, most=3.0),
    Parameter("rho", 1.0, "kg/m", CHOSEN, "mass of the bars per length", above=0.0),
    Parameter("theta_0", 1.0, "rad", CHOSEN, "crank angle at the start", above=0.0, most=3.0),
    Parameter("w", 3.0, "rad/s", CHOSEN, "rate of the driven crank"),
    Parameter("g", 9.81, "m/s^2", CHOSEN, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"case": "driven"})
TILT = rotation_about("x", math.pi / 2)  # the axis of the crank is horizontal


def robot(p: dict[str, Any]) -> Robot:
    """Crank, coupler and rocker, each along the x axis of its joint; the pin between rocker and ground is cut."""
    a, alpha, beta = p["a"], p["alpha"], p["beta"]
    if alpha == beta:
        raise InputError(f"the twists alpha and beta of 'bennett' are both {alpha:g} rad; they must differ.")
    b = a * math.sin(beta) / math.sin(alpha)
    bars = Robot("bennett")
    ground = bars.base("ground", moves="fixed")
    turned = TILT
    parent, place = "ground", 0.0
    for k, (name, length, twist) in enumerate((("crank", a, alpha), ("coupler", b, beta), ("rocker", a, alpha)), start=1):
        mass = p["rho"] * length
        moment = mass * length**2 / 12.0
        inertia = about_centre(xx=0.01 * moment, yy=moment, zz=moment)
        bar = bars.body(name, mass=mass, centre=(0.5 * length, 0.0, 0.0), inertia=inertia, shape=Box((length, 0.02, 0.02)))
        bar.on(parent, at=(place, 0.0, 0.0), turned=turned).turning("z", name=f"joint_{k}")
        turned, parent, place = rotation_about("x", twist), name, length
    bar.marker("rocker_end", at=(a, 0.0, 0.0), turned=turned)
    # The ground bar leads from the fourth joint to the first: its inverse places the fourth.
    back = TILT @ rotation_about("x", -beta)
    ground.marker("pivot", at=back @ (-b, 0.0, 0.0), turned=back)
    bars.loop("pin", "pivot", "rocker_end", joint="revolute", axis="z")
    return bars


def constant_of(p: dict[str, Any]) -> float:
    """tan(theta / 2) tan(phi / 2)."""
    return math.sin(0.5 * (p["beta"] + p["alpha"])) / math.sin(0.5 * (p["beta"] - p["alpha"]))


def assembled(p: dict[str, Any]) -> dict[str, float]:
    """Joint angles at the start."""
    theta = p["theta_0"]
    return {"joint_1": theta, "joint_2": 2.0 * math.atan(constant_of(p) / math.tan(0.5 * theta)), "joint_3": -theta}


def crank(p: dict[str, Any]) -> Law:
    """Angle of the driven crank."""
    return polynomial(p["theta_0"], p["w"])


def scenario(p: dict[str, Any]) -> Scenario:
    """Three seconds."""
    driven = p["case"] == "driven"
    return Scenario(
        "bennett",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        imposed={"joint_1": crank(p)} if driven else {},
        start=assembled(p),
        t_end=3.0,
        dt=0.002,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters."""
    account = (
        Check(
            "power balance tau_a rdot_a = d(T+U)/dt (relative)",
            0.0,
            1e-10,
            measures.power_balance,
            "first law",
            Kind.CONSERVATION,
        )
        if p["case"] == "driven"
        else Check("energy (relative)", 0.0, 1e-6, measures.energy_drift, "no force does work", Kind.CONSERVATION)
    )
    closed_form = "closed form (Bennett 1903)"
    return (
        Check(
            "sin(theta/2) sin(phi/2) - k cos(theta/2) cos(phi/2)",
            0.0,
            1e-11,
            lambda r: off_relation(r, constant_of(p)),
            closed_form,
            Kind.CLOSED_FORM,
        ),
        Check("opposite joints (rad)", 0.0, 1e-11, off_symmetry, closed_form, Kind.CLOSED_FORM),
        Check("pin closed (m)", 0.0, 1e-11, lambda r: measures.gap(r, "pivot", "rocker_end"), "loop closure", Kind.CLOSED_FORM),
        account,
    )


def off_relation(result: Result, constant: float) -> float:
    """Largest defect of the relation between neighbouring joints, without its poles."""
    theta, phi = (0.5 * result.joint_position.sel(joint=name).values for name in ("joint_1", "joint_2"))
    return float(np.abs(np.sin(theta) * np.sin(phi) - constant * np.cos(theta) * np.cos(phi)).max())


def off_symmetry(result: Result) -> float:
    """Largest sum of the angles of crank and rocker, rad."""
    first, third = (result.joint_position.sel(joint=name).values for name in ("joint_1", "joint_3"))
    return float(np.abs(first + third).max())
