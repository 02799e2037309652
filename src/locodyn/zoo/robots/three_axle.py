"""Three-axle chain (Ali 2011, section 3.1): three bodies, two joints, three axles; its motion follows from its shape.

The three axles must not meet in one point (or be parallel): then the chain could turn about that point. The gait keeps the
two joints on
different sides.
"""

from __future__ import annotations

from typing import Any

from locodyn.motion import cosine, sine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen (Ali 2011, 3.1 gives the topology only)"
PARAMETERS = (
    Parameter("l", 0.3, "m", CHOSEN, "distance of neighbouring joints", above=0.0),
    Parameter("m", 1.0, "kg", CHOSEN, "mass of each body", above=0.0),
    Parameter("I", 0.01, "kg m^2", CHOSEN, "moment of each body about its mass centre", above=0.0),
    Parameter("b", 0.6, "rad", CHOSEN, "mean angle of the joints: +b and -b"),
    Parameter("a", 0.3, "rad", CHOSEN, "amplitude of the joints"),
    Parameter("w", 1.0, "rad/s", CHOSEN, "angular frequency of the joints", above=0.0, aliases=("omega",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Three links in a row, an axle in the middle of each."""
    chain = Robot("three axle")
    part = {"mass": p["m"], "inertia": about_centre(zz=p["I"]), "shape": Box((0.9 * p["l"], 0.1, 0.05))}
    chain.base("link_0", moves="planar", **part).wheels(axis="y")
    for j, at in ((1, p["l"] / 2), (2, p["l"])):
        link = chain.body(f"link_{j}", centre=(p["l"] / 2, 0.0, 0.0), **part)
        link.on(f"link_{j - 1}", at=(at, 0.0, 0.0)).turning("z", name=f"joint_{j}").wheels(at=(p["l"] / 2, 0.0, 0.0), axis="y")
    return chain


def scenario(p: dict[str, Any]) -> Scenario:
    """Twenty seconds; the start moves, as the shape does."""
    joints = {"joint_1": p["b"] + sine(p["a"], omega=p["w"]), "joint_2": cosine(p["a"], omega=p["w"]) - p["b"]}
    return Scenario("three_axle", robot(p), imposed=joints, t_end=20.0, dt=0.01, checks=checks(p))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Kinematics and power."""
    return (
        Check("side slip of the axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
    )
