"""Three-axle chain (Ali 2011, section 3.1): three bodies, two joints, three axles; its motion follows from its shape.

The three axles must not meet in one point (or be parallel): then the chain could turn about that point. The gait keeps the two
joints on different sides. With ``contact=friction`` the axles slip, and shapes with such a point can be passed.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.motion import cosine, sine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.world import Drag
from locodyn.zoo import measures

CHOSEN = "chosen (Ali 2011, 3.1 gives the topology only)"
PARAMETERS = (
    Parameter("l", 0.3, "m", CHOSEN, "distance of neighbouring joints", above=0.0),
    Parameter("m", 1.0, "kg", CHOSEN, "mass of each body", above=0.0),
    Parameter("I", 0.01, "kg m^2", CHOSEN, "moment of each body about its mass centre", above=0.0),
    Parameter("b", 0.6, "rad", CHOSEN, "mean angle of the joints: +b and -b"),
    Parameter("a", 0.3, "rad", CHOSEN, "amplitude of the joints"),
    Parameter("w", 1.0, "rad/s", CHOSEN, "angular frequency of the joints", above=0.0, aliases=("omega",)),
    Parameter("contact", "ideal", "-", CHOSEN, "axles without slip, or with friction along them", choices=("ideal", "friction")),
    Parameter("c", 200.0, "N s/m", CHOSEN, "viscous friction along each axle (friction)", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Three links in a row, an axle in the middle of each."""
    chain = Robot("three axle")
    part = {"mass": p["m"], "inertia": about_centre(zz=p["I"]), "shape": Box((0.9 * p["l"], 0.1, 0.05))}
    contact = None if p["contact"] == "ideal" else Drag(linear=(0.0, p["c"], 0.0))
    chain.base("link_0", moves="planar", **part).wheels(axis="y", contact=contact)
    for j, at in ((1, p["l"] / 2), (2, p["l"])):
        link = chain.body(f"link_{j}", centre=(p["l"] / 2, 0.0, 0.0), **part)
        link.on(f"link_{j - 1}", at=(at, 0.0, 0.0)).turning("z", name=f"joint_{j}")
        link.wheels(at=(p["l"] / 2, 0.0, 0.0), axis="y", contact=contact)
    return chain


def scenario(p: dict[str, Any]) -> Scenario:
    """Twenty seconds; the start moves, as the shape does."""
    joints = {"joint_1": p["b"] + sine(p["a"], omega=p["w"]), "joint_2": cosine(p["a"], omega=p["w"]) - p["b"]}
    every = 1 if p["contact"] == "ideal" else max(1, math.ceil(p["c"] / 40.0))  # friction is stiff, with the rate c / m
    return Scenario(
        "three_axle", robot(p), imposed=joints, t_end=20.0, dt=0.01 / every, record_every=every, checks=checks(p)
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Kinematics and power."""
    if p["contact"] == "friction":
        source = "first law"
        name = "power balance tau.rdot = dT/dt + c v^2 (relative)"
        return (Check(name, 0.0, 1e-10, measures.power_balance, source, Kind.CONSERVATION),)
    return (
        Check("side slip of the axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
    )
