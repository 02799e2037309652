"""A ball dropped on hard ground: infinitely many impacts in a finite time, then rest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("height", 0.5, "m", OWN, "of the lowest point above the ground at the start", above=0.0),
    Parameter("restitution", 0.8, "-", OWN, "part of the velocity with which it rebounds", least=0.0, most=1.0),
    Parameter("radius", 0.1, "m", OWN, "of the ball", above=0.0),
    Parameter("mass", 1.0, "kg", OWN, "of the ball", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"restitution": 0.5, "height": 1.0})
SLOW = 1e-2  # m/s: below it the ball counts as at rest
LONGEST = 30.0  # s: runs of balls that would bounce on for longer


def robot(p: dict[str, Any]) -> Robot:
    """One free body."""
    ball = Robot("bouncing_ball")
    ball.base("ball", mass=p["mass"], shape=Sphere(p["radius"])).collides(restitution=p["restitution"])
    return ball


def scenario(p: dict[str, Any]) -> Scenario:
    """Dropped from rest; runs on past the accumulation of impacts, if that comes soon enough."""
    end = 1.2 * accumulation(p) if comes_to_rest(p) else 5.0
    start = Start({"ball": (0.0, 0.0, p["height"] + p["radius"], 0.0, 0.0, 0.0)})
    return Scenario(
        "bouncing_ball", robot(p), gravity=(0.0, 0.0, -p["g"]), obstacles=[Ground()], start=start, t_end=end, dt=1e-4,
        integrator="moreau", record_every=10, checks=checks(p),
    )  # fmt: skip


def comes_to_rest(p: dict[str, Any]) -> bool:
    """Whether the impacts accumulate within the longest run."""
    return p["restitution"] < 1.0 and 1.2 * accumulation(p) < LONGEST


def accumulation(p: dict[str, Any]) -> float:
    """Time at which the impacts accumulate: t1 + 2 v1 / (g (1 - e)), v1 the first rebound speed."""
    first = math.sqrt(2.0 * p["height"] / p["g"])
    return float(first + 2.0 * p["restitution"] * first / (1.0 - p["restitution"]))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Closed forms; the time of rest is good to about one step for each of the impacts before it."""
    energy = Check("energy balance (relative)", 0.0, 1e-9, measures.energy_defect, "first law", Kind.CONSERVATION)
    if not comes_to_rest(p):
        return (energy,)
    rest = accumulation(p)
    return (
        Check("impacts have accumulated (s)", rest, 0.005 * rest, measured_rest, "t1 + 2 v1 / (g (1 - e))", Kind.CLOSED_FORM),
        Check(
            "final speed (m/s)", 0.0, 1e-12, lambda result: abs(result.twist.values[-1]).max(), "rests exactly", Kind.CLOSED_FORM
        ),
        energy,
    )


def measured_rest(result: Result) -> float:
    """Last time at which the ball was faster than ``SLOW``, plus what is left of the sum of bounces then, s."""
    fast = np.abs(result.twist.values[:, 2]) > SLOW
    e, g = result.parameters["restitution"], result.parameters["g"]
    return float(result.time.values[fast][-1] + SLOW / (g * (1.0 - e)) * (1.0 + e) * 0.5)
