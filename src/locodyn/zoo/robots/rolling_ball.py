"""A ball thrown along rough ground: it slips, then rolls, and rolling friction brings it to rest (closed forms)."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Friction, Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("mu", 0.2, "-", OWN, "coefficient of friction", above=0.0),
    Parameter("rolling", 0.05, "-", OWN, "coefficient of rolling friction: moment over normal force and radius", least=0.0),
    Parameter("speed", 1.0, "m/s", OWN, "initial speed, without spin", above=0.0),
    Parameter("radius", 0.1, "m", OWN, "of the ball", above=0.0),
    Parameter("mass", 1.0, "kg", OWN, "of the ball", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"rolling": 0.0})


def robot(p: dict[str, Any]) -> Robot:
    """One free body."""
    ball = Robot("rolling_ball")
    ball.base("ball", mass=p["mass"], shape=Sphere(p["radius"])).collides(friction=Friction(p["mu"], rolling=p["rolling"]))
    return ball


def scenario(p: dict[str, Any]) -> Scenario:
    """Set down with a speed along x."""
    start = Start({"ball": (0.0, 0.0, p["radius"], 0.0, 0.0, 0.0)}, {"ball": (p["speed"], 0.0, 0.0, 0.0, 0.0, 0.0)})
    end = 1.2 * p["speed"] / (p["rolling"] * p["g"]) if p["rolling"] else 2.0 * p["speed"] / (p["mu"] * p["g"])
    return Scenario(
        "rolling_ball", robot(p), gravity=(0.0, 0.0, -p["g"]), obstacles=[Ground()], start=start, t_end=end, dt=2e-4,
        integrator="moreau", record_every=10, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Angular momentum about the contact falls by rolling m g R: rest after v / (rolling g). Without it, 5/7 v."""
    energy = Check(
        "energy balance (relative)", 0.0, 1e-4, measures.energy_defect, "first law; slip ends within a step", Kind.CONSERVATION
    )
    if p["rolling"] > 0.0:
        rest = p["speed"] / (p["rolling"] * p["g"])
        source = "v / (rolling g): angular momentum about the contact"
        return (Check("time to rest (s)", rest, 1e-3 * rest, time_to_rest, source, Kind.CLOSED_FORM), energy)
    return (Check("speed when it rolls (m/s)", 5.0 / 7.0 * p["speed"], 1e-6, final_speed, "5/7 v", Kind.CLOSED_FORM), energy)


def time_to_rest(result: Result) -> float:
    """From the angular momentum about the contact before the ball rests: where its line through two records is zero, s."""
    ball = result.parameters
    inertia = 0.4 * ball["mass"] * ball["radius"] ** 2
    speed = np.hypot(*result.mass_centre_velocity.values[:, :2].T)
    spin = np.linalg.norm(result.twist.values[:, 3:], axis=1)
    momentum, t = ball["mass"] * ball["radius"] * speed + inertia * spin, result.time.values
    moving = np.flatnonzero(momentum > 0.02 * momentum[0])
    first, last = moving[len(moving) // 2], moving[-1]
    return float(t[last] + momentum[last] * (t[last] - t[first]) / (momentum[first] - momentum[last]))


def final_speed(result: Result) -> float:
    """Speed of the centre at the end, m/s."""
    return float(np.linalg.norm(result.mass_centre_velocity.values[-1]))
