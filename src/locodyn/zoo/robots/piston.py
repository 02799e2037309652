"""Piston by virtual constraints (Aguirre 2010, 5.7): crank, rod and piston head without a cylinder.

Two actuators keep the pin of the piston on the vertical through the crank's axis and its head level, y1 = L1 cos th1
+ L2 cos(th1 + th2), y2 = th1 + th2 + th3 - pi; the crank itself turns freely. With walls instead of actuators the kinematics is
the same and the motion is another one, because the forces act elsewhere. The plane is x-z; bars turn about -y.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.controllers import Bezier, OutputLinearisation, Place, VirtualConstraints
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "own choice (Aguirre 2010, 5.7 gives no numbers)"
PARAMETERS = (
    Parameter("L", (0.3, 0.5, 0.1), "m", OWN, "lengths of crank, rod and head; the first is shorter than the second", above=0.0),
    Parameter("m", (1.0, 1.0, 0.5), "kg", OWN, "their masses, uniform", above=0.0),
    Parameter("th_1", 1.0, "rad", OWN, "angle of the crank at the start"),
    Parameter("rate", 2.0, "rad/s", OWN, "its rate at the start"),
    Parameter("off", (0.0, 0.0), "m, rad", OWN, "outputs at the start"),
    Parameter("walls", False, "-", OWN, "a cylinder holds the piston instead of the actuators"),
    Parameter("K_P", 100.0, "1/s^2", OWN, "stiffness of the outputs", above=0.0),
    Parameter("K_D", 20.0, "1/s", OWN, "damping of the outputs", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"off": (0.02, 0.1)}, {"walls": True})
JOINTS = ("th_1", "th_2", "th_3")


def robot(p: dict[str, Any]) -> Robot:
    """Three bars in a row; with walls, a prismatic joint between world and head."""
    bars = Robot("piston")
    parent: Any = bars.base("ground", moves="fixed")
    end = 0.0
    for name, joint, length, mass in zip(("crank", "rod", "head"), JOINTS, p["L"], p["m"], strict=True):
        moment = mass * length**2 / 12.0
        inertia = about_centre(xx=0.01 * moment, yy=moment, zz=moment)
        shape = Box((length, 0.03, 0.03), at=(0.5 * length, 0.0, 0.0))
        bar = bars.body(name, mass=mass, centre=(0.5 * length, 0.0, 0.0), inertia=inertia, shape=shape)
        parent, end = bar.on(parent, at=(end, 0.0, 0.0)).turning("-y", name=joint), length
        if name == "rod":
            bar.marker("pin", at=(length, 0.0, 0.0))
    if p["walls"]:
        bars.loop("cylinder", "world", "head", joint="prismatic", axis="z", first_turned=("y", math.pi))
    return bars


def angles(p: dict[str, Any]) -> tuple[float, float, float]:
    """Of the bars where the outputs are ``off``: the pin above the crank (Aguirre 2010, (5.13)-(5.14))."""
    first, (across, turned) = p["th_1"], p["off"]
    rod = math.acos((across - p["L"][0] * math.cos(first)) / p["L"][1])
    return first, rod - first, math.pi + turned - rod


def scenario(p: dict[str, Any]) -> Scenario:
    """One second."""
    first, second, third = angles(p)
    # Of the rates of rod and crank, while the outputs rest:
    ratio = -p["L"][0] * math.sin(first) / (p["L"][1] * math.sin(first + second))
    start = Start(
        dict(zip(JOINTS, (first, second, third), strict=True)),
        {"th_1": p["rate"], "th_2": (ratio - 1.0) * p["rate"], "th_3": -ratio * p["rate"]},
        **({"adjust": JOINTS[1:], "keep": ("th_1",)} if p["walls"] else {}),  # type: ignore[arg-type]
    )
    return Scenario(
        "piston",
        bars := robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        controller=None if p["walls"] else controller(p, bars),
        start=start,
        t_end=1.0,
        dt=0.002,
        integrator="adaptive",
        tolerance=1e-11,
        checks=checks(p),
    )


def controller(p: dict[str, Any], bars: Robot) -> OutputLinearisation:
    """Input-output linearisation of the two outputs by the joints of rod and head."""
    model = bars.model(gravity=(0.0, 0.0, -p["g"]))
    level = Bezier([[0.0] * 3, [math.pi] * 3])
    outputs = VirtualConstraints(model, (Place("pin", (1.0, 0.0, 0.0)), dict.fromkeys(JOINTS, 1.0)), "th_1", (0.0, 1.0), level)
    return OutputLinearisation(outputs, JOINTS[1:], stiffness=p["K_P"], damping=p["K_D"])


def outputs(result: Result, p: dict[str, Any]) -> np.ndarray:
    """y1 (m) and y2 (rad) at the records, (n, 2)."""
    first, second, third = result.joint_position.values.T
    across = p["L"][0] * np.cos(first) + p["L"][1] * np.cos(first + second)
    return np.column_stack([across, first + second + third - math.pi])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The outputs decay as those of a critically damped oscillator, or stay zero; energy."""
    found = [Check("energy balance (relative)", 0.0, 1e-8, measures.energy_defect, "first law", Kind.CONSERVATION)]
    if p["walls"] or p["K_D"] ** 2 != 4.0 * p["K_P"]:
        return tuple(found)
    pole = 0.5 * p["K_D"]

    def off(result: Result) -> float:
        t = result.time.values[:, None]
        return float(np.abs(outputs(result, p) - np.array(p["off"]) * (1.0 + pole * t) * np.exp(-pole * t)).max())

    form = "closed form: y = y(0) (1 + t K_D/2) exp(-t K_D/2)"
    at_rest = 1e-8 if not any(p["off"]) else 1e-6
    return (Check("outputs (m, rad)", 0.0, at_rest, off, form, Kind.CLOSED_FORM), *found)
