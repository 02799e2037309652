"""A block on a rough slope: it slides, stops, and then rests exactly, or goes on sliding (closed forms)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Box, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("slope", 0.1, "rad", OWN, "angle of the plane; it falls along +x", least=0.0, most=0.5 * math.pi),
    Parameter("mu", 0.3, "-", OWN, "coefficient of friction", least=0.0),
    Parameter("speed", 1.0, "m/s", OWN, "initial speed down the slope", least=0.0),
    Parameter("mass", 2.0, "kg", OWN, "of the block", above=0.0),
    Parameter("size", (0.4, 0.3, 0.1), "m", OWN, "lengths of the block", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"slope": 0.35, "speed": 0.0}, {"speed": 0.0})


def robot(p: dict[str, Any]) -> Robot:
    """One free body that touches the plane with its corners."""
    block = Robot("sliding_block")
    block.base("block", mass=p["mass"], shape=Box(p["size"])).collides(friction=p["mu"])
    return block


def scenario(p: dict[str, Any]) -> Scenario:
    """The plane is z = 0 and gravity leans by the angle of the slope."""
    gravity = (p["g"] * math.sin(p["slope"]), 0.0, -p["g"] * math.cos(p["slope"]))
    start = Start({"block": (0.0, 0.0, 0.5 * p["size"][2], 0.0, 0.0, 0.0)}, {"block": (p["speed"], 0.0, 0.0, 0.0, 0.0, 0.0)})
    return Scenario(
        "sliding_block", robot(p), gravity=gravity, obstacles=[Ground()], start=start, t_end=2.0, dt=1e-3, integrator="moreau",
        record_every=10, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Constant deceleration mu g cos - g sin until the block stops, or for ever (error of a step: v dt and a dt)."""
    slowing = p["g"] * (p["mu"] * math.cos(p["slope"]) - math.sin(p["slope"]))
    energy = Check("energy balance (relative)", 0.0, 1e-9, measures.energy_defect, "first law", Kind.CONSERVATION)
    if slowing <= 0.0 or p["speed"] / slowing > 2.0:
        way = 2.0 * p["speed"] - 2.0 * slowing
        return (
            Check(
                "way in 2 s (m)", way, 1e-6 + 2e-3 * p["speed"], way_along, "v t + (g sin - mu g cos) t^2 / 2", Kind.CLOSED_FORM
            ),
            energy,
        )
    way = p["speed"] ** 2 / (2.0 * slowing)
    moving = (energy,) if p["speed"] > 0.0 else ()
    return (
        Check(
            "way until it stops (m)", way, 1e-9 + 1e-3 * p["speed"], way_along, "v^2 / (2 (mu g cos - g sin))", Kind.CLOSED_FORM
        ),
        Check("final speed (m/s)", 0.0, 1e-12, final_speed, "rests exactly inside the cone of friction", Kind.CLOSED_FORM),
        *moving,
    )


def way_along(result: Result) -> float:
    """Distance along the slope, m."""
    return float(result.position.values[-1, 0] - result.position.values[0, 0])


def final_speed(result: Result) -> float:
    """Largest velocity at the end, m/s or rad/s."""
    return float(np.abs(result.twist.values[-1]).max())
