"""Roller racer (Krishnaprasad and Tsakiris 2001): two bodies, two axles, one joint; swinging the handle drives it.

Two ideal axles on SE(2) leave one free direction: the motion along it is dynamic. A single joint that goes to and fro could
not move a
robot with a connection (scallop theorem), yet the racer gains speed, with the parameters below seat first: its momentum
along the free
direction is not conserved.
"""

from __future__ import annotations

from typing import Any

from locodyn.motion import sine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("l_1", 0.35, "m", CHOSEN, "from the rear axle to the joint", above=0.0),
    Parameter("l_2", 0.08, "m", CHOSEN, "from the joint to the front axle", above=0.0),
    Parameter("m_1", 4.0, "kg", CHOSEN, "mass of the seat with its rider", above=0.0),
    Parameter("I_1", 0.12, "kg m^2", CHOSEN, "moment of the seat about its mass centre", above=0.0),
    Parameter("m_2", 0.6, "kg", CHOSEN, "mass of the handle", above=0.0),
    Parameter("I_2", 0.02, "kg m^2", CHOSEN, "moment of the handle about its mass centre", above=0.0),
    Parameter("a", 0.7, "rad", CHOSEN, "amplitude of the handle"),
    Parameter("w", 4.0, "rad/s", CHOSEN, "angular frequency of the handle", above=0.0, aliases=("omega",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Seat on the rear axle, handle on the front axle."""
    racer = Robot("roller racer")
    seat = racer.base(
        "seat",
        moves="planar",
        mass=p["m_1"],
        centre=(0.1, 0.0, 0.0),
        inertia=about_centre(zz=p["I_1"]),
        shape=Box((p["l_1"], 0.25, 0.05)),
    )
    seat.wheels(axis="y")
    handle = racer.body("handle", mass=p["m_2"], inertia=about_centre(zz=p["I_2"]), shape=Box((0.1, 0.35, 0.03)))
    handle.on(seat, at=(p["l_1"], 0.0, 0.0)).turning("z", name="joint_1").wheels(at=(p["l_2"], 0.0, 0.0), axis="y")
    return racer


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest."""
    handle = sine(p["a"], omega=p["w"]).soft_start(2.0)
    return Scenario("roller_racer", robot(p), imposed={"joint_1": handle}, t_end=10.0, dt=0.01, checks=checks(p))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """It gains speed, without slip, on the power of its joint."""
    always = (
        Check("side slip of the axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
    )
    if not all(p[q.name] == q.value for q in PARAMETERS):
        return always
    pose = (-1.547624, 0.003578, -0.209307)
    return (
        Check(
            "pose(10) (m, rad)",
            pose,
            1e-6,
            measures.final_pose,
            "independent integration of the reduced equation (DOP853, 1e-12)",
            Kind.INDEPENDENT,
        ),
        *always,
    )
