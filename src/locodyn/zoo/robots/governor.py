"""Flyball governor (IFToMM library of multibody benchmarks, A05; González et al. 2006): stiff springs between its bodies.

Two rods with balls turn on a shaft about z; springs with dampers between their middles and a slider lift it as they spread. The
shaft turns freely, so that its momentum is constant. The springs are 1e4 times stiffer than gravity needs: a test of stiffness.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Box, Cylinder, Robot, Sphere, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

SOURCE = "IFToMM library of multibody benchmarks, A05"
PARAMETERS = (
    Parameter("k", 8e5, "N/m", SOURCE, "stiffness of the springs", above=0.0),
    Parameter("c", 4e4, "N s/m", SOURCE, "their damping", least=0.0),
    Parameter("l_0", 0.5, "m", SOURCE, "their rest length", above=0.0),
    Parameter("L", 1.0, "m", SOURCE, "length of the rods", above=0.0),
    Parameter("side", 0.01, "m", SOURCE, "side of their square sections", above=0.0),
    Parameter("m_rod", 0.3, "kg", SOURCE, "mass of a rod", above=0.0),
    Parameter("m_ball", 5.0, "kg", SOURCE, "mass of a ball, a point", above=0.0),
    Parameter("m_slider", 3.0, "kg", SOURCE, "mass of the slider, a cube", above=0.0),
    Parameter("cube", 0.1, "m", SOURCE, "side of the slider", above=0.0),
    Parameter("d", 0.05, "m", SOURCE, "distance of hinges and ends of springs from the shaft", above=0.0),
    Parameter("slope", 30.0, "deg", SOURCE, "of the rods at the start, below the horizontal"),
    Parameter("omega", 2.0 * np.pi, "rad/s", SOURCE, "rate of the shaft at the start"),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
# After 2 s, by Lagrange's equations of slider, slope and shaft (judges/models/governor_reduced.py): LSODA and Radau's
# method of SciPy at 1e-11 agree to all digits.
SLIDER, SLOPE, SHAFT = 0.00590925, 0.51666385, 11.17326671


def robot(p: dict[str, Any]) -> Robot:
    """Shaft, slider, two rods with balls, springs."""
    governor = Robot("governor")
    ground = governor.base("ground", moves="fixed", shape=Sphere(0.02))
    shaft = governor.body("shaft", shape=Cylinder(0.02, 1.0, at=(0.0, 0.0, 0.5))).on(ground).turning("z")
    cube = Box((p["cube"],) * 3)
    slider = governor.body("slider", mass=p["m_slider"], shape=cube).on(shaft, at=(0.0, 0.0, 0.5)).sliding("z")
    bar, middle = Box((p["L"], p["side"], p["side"])), (0.5 * p["L"], 0.0, 0.0)
    for name, sign in (("right", 1.0), ("left", -1.0)):
        rod = governor.body(name, mass=p["m_rod"], shape=bar, centre=middle)
        rod.on(shaft, at=(sign * p["d"], 0.0, 1.0), turned=("z", 0.0 if sign > 0 else np.pi)).turning("y")
        ball = governor.body(f"{name}_ball", mass=p["m_ball"], inertia=about_centre(xx=0.0, yy=0.0, zz=0.0), shape=Sphere(0.06))
        ball.on(rod, at=(p["L"], 0.0, 0.0)).fixed()
        ends = (slider, (sign * p["d"], 0.0, 0.0)), (rod, middle)
        governor.spring(f"{name}_spring", *ends, stiffness=p["k"], damping=p["c"], rest_length=p["l_0"])
    return governor


def scenario(p: dict[str, Any]) -> Scenario:
    """Two seconds."""
    slope = float(np.radians(p["slope"]))
    return Scenario(
        "governor",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=Start({"right": slope, "left": slope}, {"shaft": p["omega"]}),
        t_end=2.0,
        dt=0.01,
        integrator="radau_adaptive",
        tolerance=1e-9,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Momentum about the shaft; for the numbers of A05 an independent solution."""
    momentum = Check(
        "angular momentum about the shaft (relative)", 0.0, 1e-8, measures.vertical_momentum_drift, "no torque acts on the shaft",
        Kind.CONSERVATION,
    )  # fmt: skip
    if not all(p[q.name] == q.value for q in PARAMETERS):
        return (momentum,)

    def at_end(*names: str) -> Any:
        return lambda result: tuple(_last(result, name) for name in names)

    source = "Lagrange's equations of slider, slope and shaft, by LSODA"
    return (
        Check("height of the slider after 2 s (m)", (SLIDER,), 1e-6, at_end("slider"), source, Kind.INDEPENDENT),
        Check("slopes of the rods after 2 s (rad)", (SLOPE, SLOPE), 1e-6, at_end("right", "left"), source, Kind.INDEPENDENT),
        Check("angle of the shaft after 2 s (rad)", (SHAFT,), 1e-5, at_end("shaft"), source, Kind.INDEPENDENT),
        momentum,
    )


def _last(result: Result, joint: str) -> float:
    return float(result.joint_position.sel(joint=joint)[-1])
