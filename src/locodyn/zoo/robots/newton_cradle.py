"""Balls in a row with small gaps: impacts hand the momentum on, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot import Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("n", 5, "-", OWN, "number of balls", least=2),
    Parameter("moving", 1, "-", OWN, "how many of them come in", least=1),
    Parameter("restitution", 1.0, "-", OWN, "of all balls", least=0.0, most=1.0),
    Parameter("gap", 1e-3, "m", OWN, "between the balls at the start", above=0.0),
    Parameter("speed", 1.0, "m/s", OWN, "of the balls that come in", above=0.0),
    Parameter("radius", 0.05, "m", OWN, "of the balls", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"moving": 2}, {"restitution": 0.0})


def robot(p: dict[str, Any]) -> Robot:
    """Balls that slide along x, with no force but impacts: the lowest part of a swing."""
    cradle = Robot("newton_cradle")
    frame = cradle.base("frame", moves="fixed")
    for k in range(1, p["n"] + 1):
        place = ((2.0 * p["radius"] + p["gap"]) * k, 0.0, 0.0)
        ball = cradle.body(f"ball_{k}", mass=1.0, shape=Sphere(p["radius"])).on(frame, at=place).sliding("x", name=f"slide_{k}")
        ball.collides(restitution=p["restitution"])
    return cradle


def scenario(p: dict[str, Any]) -> Scenario:
    """The first balls come in from the left; the run ends when all impacts are over."""
    if p["moving"] > p["n"]:
        raise InputError(f"{p['moving']} balls come in, but there are {p['n']} in all; take a smaller 'moving', or a larger 'n'.")
    incoming = {f"slide_{k}": p["speed"] for k in range(1, p["moving"] + 1)}
    end = 3.0 * p["n"] * p["gap"] / p["speed"] * (1.0 if p["restitution"] == 1.0 else p["n"])
    return Scenario(
        "newton_cradle", robot(p), gravity=(0.0, 0.0, 0.0), self_collision=True, start=Start(None, incoming), t_end=end,
        dt=0.02 * p["gap"] / p["speed"], integrator="moreau", record_every=5, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Equal masses exchange their velocities (e = 1), or go on together (e = 0)."""
    momentum = p["moving"] * p["speed"]
    checks = [
        Check("momentum (N s)", momentum, 1e-9, lambda r: r.linear_momentum.values[-1, 0], "no outer force", Kind.CONSERVATION),
        Check("energy balance (relative)", 0.0, 1e-9, measures.energy_defect, "first law", Kind.CONSERVATION),
    ]
    if p["restitution"] == 1.0:
        final = np.where(np.arange(p["n"]) >= p["n"] - p["moving"], p["speed"], 0.0)
        checks.append(
            Check("final velocities (m/s)", final, 1e-6, final_velocities, "equal masses exchange velocities", Kind.CLOSED_FORM)
        )
    elif p["restitution"] == 0.0:
        final = np.full(p["n"], momentum / p["n"])
        checks.append(Check("final velocities (m/s)", final, 1e-6, final_velocities, "all go on together", Kind.CLOSED_FORM))
    return tuple(checks)


def final_velocities(result: Result) -> np.ndarray:
    """Velocities of the balls at the end, m/s."""
    found: np.ndarray = result.joint_velocity.values[-1]
    return found
