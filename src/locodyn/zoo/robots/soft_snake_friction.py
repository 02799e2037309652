"""Snake without joints on viscous ground (own composition; wave of Ali 2011, 6.3): no ideal contact holds it.

The ground resists along the body with c_t and across it with c_n for each metre, so that the wave pushes the body ahead while it
slips. The more it resists across, the closer the motion is to that of ideal sleeves: at c_n = 2000 the head has gone
V t J0(A lambda / 2 pi) to 1e-3.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.gaits import lateral_undulation
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Drag
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("A", 6.0, "1/m", OWN, "amplitude of the curvature", above=0.0),
    Parameter("lambda", 1.0, "m", OWN, "length of a wave, on the body", above=0.0),
    Parameter("V", -0.5, "m/s", OWN, "speed of the wave on the body; negative: head first"),
    Parameter("c_t", 0.2, "N s/m^2", OWN, "resistance of the ground along a metre of the body", least=0.0),
    Parameter("c_n", 20.0, "N s/m^2", OWN, "resistance of the ground across a metre of the body", least=0.0),
    Parameter("l", 1.0, "m", OWN, "length of the body", above=0.0),
    Parameter("m", 1.0, "kg/m", OWN, "mass of a metre of the body", above=0.0),
    Parameter("r", 0.05, "m", OWN, "radius of the body", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"c_n": 2000.0})
# Pose of the head at 4 s (m, rad) by c_n: Newton and Euler in world axes, Gauss-Legendre along the body, Radau to 1e-10.
POSES = {20.0: (-1.35400821, -0.52828857, 0.29546944), 2000.0: (-1.56885038, -0.00694163, 0.00320153)}


def robot(p: dict[str, Any]) -> Robot:
    """A body in the plane on a ground that resists."""
    snake = Robot("soft_snake_friction")
    wave = lateral_undulation(p["A"], wavelength=p["lambda"], travel=p["V"])
    body = snake.base("head", moves="planar").rod(
        "body", length=p["l"], section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)), nodes=40,
        fields=wave.fields,
    )  # fmt: skip
    snake.wrench("ground", on=body, law=Drag(linear=(p["c_t"], p["c_n"], 0.0)), along=True)
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """Four seconds, two waves, from a head at rest."""
    wave = lateral_undulation(p["A"], wavelength=p["lambda"], travel=p["V"])
    return Scenario(
        "soft_snake_friction", robot(p), gravity=(0.0, 0.0, 0.0), imposed=wave.imposed("body"), t_end=4.0, dt=0.01,
        integrator="radau3", record_every=2, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The path against equations of its own, and against ideal contacts where the ground is stiff."""
    if not all(p[q.name] == q.value for q in PARAMETERS if q.name != "c_n") or p["c_n"] not in POSES:
        return ()
    source = "own equations of the body in world axes, scipy's Radau to 1e-10"
    found = [Check("pose of the head at 4 s (m, rad)", POSES[p["c_n"]], 1e-4, measures.final_pose, source, Kind.INDEPENDENT)]
    if p["c_n"] == 2000.0:
        from scipy.special import j0

        ideal = 4.0 * p["V"] * j0(p["A"] * p["lambda"] / (2.0 * math.pi))
        found.append(
            Check("x of the head at 4 s (m)", ideal, 2e-3, ahead, "V t J0(A / k), limit c_n -> infinity", Kind.CLOSED_FORM)
        )
    return tuple(found)


def ahead(result: Result) -> float:
    """x of the head in the end, m."""
    return float(result.position.values[-1, 0])
