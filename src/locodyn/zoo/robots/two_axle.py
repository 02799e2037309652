"""Two-axle chain (Ali 2011, section 3.2.2, L927): two bodies, one joint, an axle each; swinging the joint drives it.

F_0 is at the front axle and mass centre of S_0; S_1 is hinged behind it. Two ideal axles leave one free direction. With viscous
friction along the axles (force -c v) in their place, the motion tends to the ideal one with an error of order 1/c.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import cosine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.world import Drag
from locodyn.zoo import measures

CHOSEN = "chosen (Ali 2011, 3.2.2 names the system only)"
PARAMETERS = (
    Parameter(
        "contact", "ideal", "-", CHOSEN, "wheels: constraints, or viscous along their axles", choices=("ideal", "friction")
    ),
    Parameter("c", 200.0, "N s/m", CHOSEN, "viscous friction along each axle (friction)", above=0.0),
    Parameter("torques", "exact", "-", "Ali 2011, 3.4", "how torques are found", choices=("exact", "no_contact", "projective")),
    Parameter("P", 0.30, "m", CHOSEN, "hinge, behind the front axle", above=0.0),
    Parameter("b", 0.15, "m", CHOSEN, "rear axle, behind the hinge", above=0.0),
    Parameter("s", 0.10, "m", CHOSEN, "mass centre of S_1, behind the hinge"),
    Parameter("m_0", 3.0, "kg", CHOSEN, "mass of S_0", above=0.0),
    Parameter("I_0", 0.03, "kg m^2", CHOSEN, "moment of S_0 about its mass centre", above=0.0),
    Parameter("m_1", 1.0, "kg", CHOSEN, "mass of S_1", above=0.0),
    Parameter("I_1", 0.008, "kg m^2", CHOSEN, "moment of S_1 about its mass centre", above=0.0),
    Parameter("a", 0.6, "rad", CHOSEN, "amplitude: r = -a cos(w t)"),
    Parameter("w", 2.0, "rad/s", CHOSEN, "angular frequency of the joint", above=0.0, aliases=("omega",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"contact": "friction", "c": 20.0}, {"contact": "friction", "c": 200.0})

END = (-0.28302, 0.05369, -0.08722)
# Largest difference of the end pose from the ideal one, by c.
SLIPPED = {20.0: (2.1e-2, 1e-3), 200.0: (2.0e-3, 1e-4), 2000.0: (2.0e-4, 1e-5)}


def robot(p: dict[str, Any]) -> Robot:
    """Front body and rear body."""
    chain = Robot("two_axle")
    contact = None if p["contact"] == "ideal" else Drag(linear=(0.0, p["c"], 0.0))
    front = chain.base("link_0", moves="planar", mass=p["m_0"], inertia=about_centre(zz=p["I_0"]), shape=Box((0.4, 0.2, 0.05)))
    front.wheels("axle_0", axis="y", contact=contact)
    tail = Box((0.3, 0.1, 0.05))
    rear = chain.body("link_1", mass=p["m_1"], centre=(p["s"], 0.0, 0.0), inertia=about_centre(zz=p["I_1"]), shape=tail)
    rear.on(front, at=(p["P"], 0.0, 0.0)).turning("z", name="joint_1")
    rear.wheels("axle_1", at=(p["b"], 0.0, 0.0), axis="y", contact=contact)
    return chain


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest; friction makes the equations stiff (rate c / m), so the step is made smaller with c."""
    ideal = p["contact"] == "ideal"
    every = 1 if ideal else max(1, math.ceil(p["c"] / 40.0))
    return Scenario(
        "two_axle",
        robot(p),
        imposed={"joint_1": cosine(-p["a"], omega=p["w"])},
        torque_method=p["torques"] if ideal else "exact",
        t_end=10.0,
        dt=0.01 / every,
        record_every=every,
        checks=(*own_checks(p), *checks(p)),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters."""
    power = Check(
        "power balance tau.rdot = dT/dt + c v^2 (relative)", 0.0, 1e-12, measures.power_balance, "first law", Kind.CONSERVATION
    )
    slip = Check("side slip of both axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM)
    if p["contact"] == "friction":
        return (power,)
    return (slip, power) if p["torques"] == "exact" else (slip,)


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above."""
    source = "independent integration (DOP853, 1e-12)"
    if not all(p[q.name] == q.value for q in PARAMETERS[3:]):
        return ()
    if p["contact"] == "ideal":
        return (Check("pose(10) (m, rad)", END, 1e-4, measures.final_pose, source, Kind.INDEPENDENT),)
    if p["c"] not in SLIPPED:
        return ()
    value, tolerance = SLIPPED[p["c"]]
    name = "end pose, from the ideal one (m, rad)"
    return (Check(name, value, tolerance, lambda r: np.abs(measures.final_pose(r) - END).max(), source, Kind.INDEPENDENT),)
