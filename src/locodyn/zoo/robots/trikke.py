"""Trikke (Chitta, Cheng, Frazzoli and Kumar 2005): a scooter on three wheels that swaying and steering drive.

Two wheels behind, one in front on a fork whose axis leans back; unlike that of a bicycle, the front wheel touches the ground
ahead of the steer axis. Nine rows of three wheels that roll, one of them redundant (both rear wheels hold the axle), leave one
free direction: the motion along it is dynamic. With an upright axis (``tilt=0``), no sway and light wheels it is a roller racer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import sine
from locodyn.robot import Box, Capsule, Compound, Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("l_1", 0.8, "m", CHOSEN, "from the rear axle to where the steer axis meets the ground", above=0.0),
    Parameter("l_2", 0.04, "m", CHOSEN, "from there ahead to where the front wheel touches", above=0.0),
    Parameter("tilt", 0.3, "rad", CHOSEN, "how far the steer axis leans back"),
    Parameter("b", 0.3, "m", CHOSEN, "half the track of the rear wheels", above=0.0),
    Parameter("r", 0.1, "m", CHOSEN, "radius of the wheels", above=0.0),
    Parameter("m_0", 10.0, "kg", CHOSEN, "mass of the frame", above=0.0),
    Parameter("m_r", 60.0, "kg", CHOSEN, "mass of the rider", above=0.0),
    Parameter("m_1", 4.0, "kg", CHOSEN, "mass of fork and handlebar", above=0.0),
    Parameter("m_w", 1.0, "kg", CHOSEN, "mass of a wheel, a uniform disc", above=0.0),
    Parameter("I_0", 0.8, "kg m^2", CHOSEN, "moment of the frame about any axis", above=0.0),
    Parameter("I_r", (10.0, 10.0, 1.5), "kg m^2", CHOSEN, "moments of the rider about the mass centre", above=0.0),
    Parameter("I_1", 0.3, "kg m^2", CHOSEN, "moment of the fork about any axis", above=0.0),
    Parameter("h_r", 0.9, "m", CHOSEN, "height of the rider's mass centre above the foot rests", above=0.0),
    Parameter("x_r", 0.2, "m", CHOSEN, "rider ahead of the rear axle"),
    Parameter("a", 0.5, "rad", CHOSEN, "amplitude of the steer angle"),
    Parameter("sway", 0.08, "rad", CHOSEN, "amplitude of the rider's sway, into the turn (negative: out of it)"),
    Parameter("phase", 0.0, "rad", CHOSEN, "of the sway, ahead of the steer angle"),
    Parameter("w", 4.0, "rad/s", CHOSEN, "angular frequency of both", above=0.0, aliases=("omega",)),
)
PLAIN = {"tilt": 0.0, "sway": 0.0, "m_w": 1e-6}
VALIDATION: tuple[dict[str, Any], ...] = ({}, PLAIN)


def robot(p: dict[str, Any]) -> Robot:
    """Frame with its origin in the middle of the rear axle, rider, fork and three wheels."""
    trikke, ball = Robot("trikke"), {axis: p["I_0"] for axis in ("xx", "yy", "zz")}
    arms = [Box((p["l_1"], 0.05, 0.03), at=(0.5 * p["l_1"], y, 0.0)) for y in (-0.7 * p["b"], 0.7 * p["b"])]
    frame = trikke.base(
        "frame",
        mass=p["m_0"],
        centre=(0.5 * p["l_1"], 0.0, 0.0),
        inertia=about_centre(**ball),
        shape=Compound((*arms, Capsule(radius=0.015, length=2.0 * p["b"], axis="y"))),
    )
    xx, yy, zz = p["I_r"]
    rider = trikke.body(
        "rider",
        mass=p["m_r"],
        centre=(0.0, 0.0, p["h_r"]),
        inertia=about_centre(xx=xx, yy=yy, zz=zz),
        shape=Capsule(radius=0.12, length=1.4, axis="z", at=(0.0, 0.0, 0.85)),
    )
    rider.on(frame, at=(p["x_r"], 0.0, 0.0)).turning("x", name="sway")
    s, c = math.sin(p["tilt"]), math.cos(p["tilt"])
    column = Capsule(radius=0.02, length=0.9, axis="z", at=(0.0, 0.0, 0.65))
    fork = trikke.body(
        "fork",
        mass=p["m_1"],
        centre=(0.0, 0.0, 0.5),
        inertia=about_centre(xx=p["I_1"], yy=p["I_1"], zz=p["I_1"]),
        shape=Compound((column, Capsule(radius=0.015, length=0.5, axis="y", at=(0.0, 0.0, 1.1)))),
    )
    fork.on(frame, at=(p["l_1"], 0.0, -p["r"]), turned=((c, 0.0, -s), (0.0, 1.0, 0.0), (s, 0.0, c))).turning("z", name="steer")
    hub = (c * p["l_2"] + s * p["r"], 0.0, c * p["r"] - s * p["l_2"])  # in the axes of the fork
    for name, carrier, at in (("left", frame, (0, p["b"], 0)), ("right", frame, (0, -p["b"], 0)), ("front", fork, hub)):
        axial = 0.5 * p["m_w"] * p["r"] ** 2
        disc = about_centre(xx=0.5 * axial, yy=axial, zz=0.5 * axial)
        wheel = trikke.body(name, mass=p["m_w"], inertia=disc, shape=Cylinder(radius=p["r"], length=0.04, axis="y"))
        wheel.on(carrier, at=at).turning("y").rolling(f"{name}.tyre", radius=p["r"], axis="y")
    return trikke


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest."""
    steer = sine(p["a"], omega=p["w"]).soft_start(2.0)
    sway = sine(-p["sway"], omega=p["w"], phase=p["phase"]).soft_start(2.0)
    start = Start(positions={"frame": (0.0, 0.0, p["r"], 0.0, 0.0, 0.0)})
    moved = {"steer": steer, "sway": sway}
    return Scenario("trikke", robot(p), imposed=moved, start=start, t_end=10.0, dt=0.01, checks=checks(p))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """It gains speed on the power of its joints; the wheels stay on the ground."""
    found = [
        Check("wheels off the ground (m)", 0.0, 1e-9, lift, "the wheels roll", Kind.CLOSED_FORM),
        Check("power balance tau.rdot = dE/dt (relative)", 0.0, 1e-8, measures.power_balance, "first law", Kind.CONSERVATION),
    ]
    values = {parameter.name: parameter.value for parameter in PARAMETERS}
    for case, pose, source in POSES:
        if p == {**values, **case}:
            found.insert(0, Check("pose(10) (m, rad)", pose, 1e-5, measures.final_pose, source, Kind.INDEPENDENT))
    return tuple(found)


POSES: tuple[tuple[dict[str, Any], tuple[float, float, float], str], ...] = (
    ({}, (1.604148, -0.002913, 0.021729), "bodies by Newton and Euler with rolling rows (DOP853, 1e-11)"),
    (PLAIN, (-0.146522, 0.000128, -0.021827), "reduced equation of the roller racer (DOP853, 1e-12)"),
)


def lift(result: Result) -> float:
    """How far the lowest points of the wheels are off the ground, m."""
    return float(np.abs(result.contact_point.values[:, :, 2]).max())
