"""Boxes that fall on each other and on the ground, and come to rest as a stack."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Box, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("n", 4, "-", OWN, "number of boxes", least=1),
    Parameter("size", (0.2, 0.2, 0.1), "m", OWN, "of each box", above=0.0),
    Parameter("mass", 1.0, "kg", OWN, "of each box", above=0.0),
    Parameter("mu", 0.5, "-", OWN, "coefficient of friction", least=0.0),
    Parameter("gap", 0.05, "m", OWN, "between the boxes at the start", above=0.0),
    Parameter("shift", 0.02, "m", OWN, "of every second box to the side"),
    Parameter("turn", 0.3, "rad", OWN, "of each box against the one below, about the vertical"),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Free boxes, as bodies of one robot that stands in the world."""
    stack = Robot("falling_boxes")
    world = stack.base("world", moves="fixed")
    for k in range(p["n"]):
        box = stack.body(f"box_{k}", mass=p["mass"], shape=Box(p["size"])).on(world).free(name=f"box_{k}")
        box.collides(friction=p["mu"])
    return stack


def scenario(p: dict[str, Any]) -> Scenario:
    """One above the other, dropped from rest."""
    start = {
        f"box_{k}": ((k % 2) * p["shift"], 0.0, (k + 0.5) * p["size"][2] + (k + 1) * p["gap"], 0.0, 0.0, k * p["turn"])
        for k in range(p["n"])
    }
    return Scenario(
        "falling_boxes", robot(p), gravity=(0.0, 0.0, -p["g"]), obstacles=[Ground()], self_collision=True, start=Start(start),
        t_end=1.5, dt=1e-3, integrator="moreau", record_every=10, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """At rest as a stack: every box where it lies; what is lost is the energy of the fall."""
    heights = [(k + 0.5) * p["size"][2] for k in range(p["n"])]
    fall = (2.0 * p["g"] * p["n"] * p["gap"]) ** 0.5
    return (
        Check(
            "heights at rest (m)",
            heights,
            1.5 * fall * 1e-3 * p["n"],
            final_heights,
            "a stack; penetration is below v dt",
            Kind.CLOSED_FORM,
        ),
        Check("final speed (m/s)", 0.0, 1e-6, final_speed, "at rest", Kind.CLOSED_FORM),
        Check("energy balance (relative)", 0.0, 1e-3, measures.energy_defect, "first law", Kind.CONSERVATION),
        Check(
            "energy gained in a step (J)", 0.0, 1e-5, largest_gain, "impacts and friction do not give energy", Kind.CONSERVATION
        ),
    )


def final_heights(result: Result) -> np.ndarray:
    """Of the centres of the boxes, m."""
    return result.body_position.values[-1, 1:, 2]


def final_speed(result: Result) -> float:
    """Largest velocity at the end, m/s or rad/s."""
    return float(np.abs(result.states()[1][-1]).max())


def largest_gain(result: Result) -> float:
    """Largest increase of the energy from record to record, J."""
    return float(max(0.0, np.diff(result.total_energy().values).max()))
