"""A billiard break in the plane: one ball runs into a triangle of fifteen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

BALL = "pool ball"
OWN = "own choice"
PARAMETERS = (
    Parameter("rows", 5, "-", "eight-ball", "of the triangle", least=1),
    Parameter("restitution", 0.95, "-", OWN, "of the balls", least=0.0, most=1.0),
    Parameter("friction", 0.0, "-", OWN, "between balls", least=0.0),
    Parameter("gap", 1e-4, "m", OWN, "between neighbours of the triangle", above=0.0),
    Parameter("speed", 5.0, "m/s", OWN, "of the cue ball", above=0.0),
    Parameter("aim", 0.0, "m", OWN, "offset of its path from the middle"),
    Parameter("radius", 0.028575, "m", BALL, "2 1/4 inch diameter", above=0.0),
    Parameter("mass", 0.17, "kg", BALL, "of a ball", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"aim": 0.01, "friction": 0.06})


def places(p: dict[str, Any]) -> list[tuple[float, float]]:
    """Centres of the balls of the triangle, tip first."""
    pitch = 2.0 * p["radius"] + p["gap"]
    return [
        (row * pitch * math.cos(math.pi / 6.0), (column - 0.5 * row) * pitch)
        for row in range(p["rows"])
        for column in range(row + 1)
    ]


def robot(p: dict[str, Any]) -> Robot:
    """Every ball moves in the plane by itself."""
    table = Robot("billiard_break")
    frame = table.base("table", moves="fixed")
    for k, (x, y) in enumerate([(-0.3, p["aim"]), *places(p)]):
        ball = (
            table.body(f"ball_{k}", mass=p["mass"], shape=Sphere(p["radius"])).on(frame, at=(x, y, 0.0)).planar(name=f"ball_{k}")
        )
        ball.collides(restitution=p["restitution"], friction=p["friction"])
    return table


def scenario(p: dict[str, Any]) -> Scenario:
    """The cue ball comes along x."""
    end = 0.3 / p["speed"] + 0.04
    return Scenario(
        "billiard_break", robot(p), gravity=(0.0, 0.0, 0.0), self_collision=True,
        start=Start(None, {"ball_0": (p["speed"], 0.0, 0.0)}), t_end=end, dt=1e-5, integrator="moreau", record_every=50,
        checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Momentum is kept (by balls that spin, to the order of the step); a central hit spreads evenly to both sides."""
    momentum = (p["mass"] * p["speed"], 0.0, 0.0)
    checks = [
        Check(
            "momentum (N s)",
            momentum,
            1e-9 if p["friction"] == 0.0 else 1e-4,
            lambda r: r.linear_momentum.values[-1],
            "no outer force",
            Kind.CONSERVATION,
        ),
        Check("energy balance (relative)", 0.0, 1e-8, measures.energy_defect, "first law", Kind.CONSERVATION),
        Check("energy gained in a step (J)", 0.0, 1e-9, largest_gain, "impacts do not give energy", Kind.CONSERVATION),
    ]
    if p["aim"] == 0.0 and p["friction"] == 0.0:
        checks.append(Check("mirror image (m/s)", 0.0, 1e-5, asymmetry, "symmetry of a central hit", Kind.CLOSED_FORM))
    return tuple(checks)


def largest_gain(result: Result) -> float:
    """Largest increase of the energy from record to record, J."""
    return float(max(0.0, np.diff(result.total_energy().values).max()))


def asymmetry(result: Result) -> float:
    """Distance of the mean speed of the balls from that of their mirror images at the end, m/s."""
    velocity = np.diff(result.body_position.values[-2:, 1:], axis=0)[0] / np.diff(result.time.values[-2:])
    places = result.body_position.values[0, 1:]
    worst = 0.0
    for x, v in zip(places, velocity, strict=True):
        mirror = int(np.argmin(np.linalg.norm(places - x * (1.0, -1.0, 1.0), axis=1)))
        worst = max(worst, float(np.linalg.norm(velocity[mirror] - v * (1.0, -1.0, 1.0))))
    return worst
