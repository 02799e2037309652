"""Snake without joints in space (Ali 2011, 6.4): pitch and yaw curvature that travel, through sleeves fixed in the world.

``gait=undulation``: the planar wave with a turn to the side (6.41) and a bump of pitch, which lifts the snake out of its plane.
``gait=helix``: both curvatures as one wave of constant norm; the body creeps along a helix, as around a pole. Every section moves
along its own tangent and does not spin about it (6.46); five sleeves give 15 conditions for six freedoms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.gaits import BodyGait, Turn, helix, lateral_undulation
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario

SOURCE = "Ali 2011, 6.4.2"
CHOSEN = "chosen (Ali 2011, 6.4.2 does not say)"
PARAMETERS = (
    Parameter("gait", "undulation", "-", SOURCE, "what the body does", choices=("undulation", "helix")),
    Parameter("A", 10.0, "1/m", SOURCE, "amplitude of the curvature", above=0.0),
    Parameter("lambda", 1.0, "m", SOURCE, "length of a wave, on the body", above=0.0),
    Parameter("V", -0.5, "m/s", SOURCE, "speed of the body along itself; negative: head first"),
    Parameter("turn", 2.0, "1/m", "Ali 2011, 6.3.7", "largest curvature of the turn to the side; 0: none"),
    Parameter("rise", 0.5, "1/m", SOURCE, "largest curvature of the turn out of the plane; 0: none"),
    Parameter("t_o", 3.0, "s", "Ali 2011, 6.3.7", "when the head starts to turn", least=0.0),
    Parameter("T_o", 4.0, "s", "Ali 2011, 6.3.7", "how long the head turns", above=0.0),
    Parameter("sleeves", 5, "-", SOURCE, "number of contacts", least=3),
    Parameter("l", 1.25, "m", CHOSEN, "length of the body", above=0.0),
    Parameter("m", 1.0, "kg/m", CHOSEN, "mass of a metre of the body", above=0.0),
    Parameter("r", 0.02, "m", CHOSEN, "radius of the body", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"gait": "helix"})
NODES = 160
HEAD_AT_10 = (-0.50320232, 1.32906857, -0.19436045)  # m


def gait(p: dict[str, Any]) -> BodyGait:
    """The wave of curvature."""
    if p["gait"] == "helix":
        return helix(p["A"], wavelength=p["lambda"], travel=p["V"], name="wave")
    bumps = ((p["turn"], "bending_z"), (p["rise"], "bending_y"))
    turns = [Turn(p["t_o"], p["T_o"], size, strain) for size, strain in bumps if size]
    return lateral_undulation(p["A"], wavelength=p["lambda"], travel=p["V"], turns=turns)


def robot(p: dict[str, Any]) -> Robot:
    """A body in space and its sleeves."""
    snake, wave = Robot("continuum_snake_3d"), gait(p)
    body = snake.base("head").rod(
        "body", length=p["l"], section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)), nodes=NODES,
        fields=wave.fields,
    )  # fmt: skip
    for n in range(p["sleeves"]):
        at = (n + 0.5) * p["l"] / p["sleeves"] - wave.laws["wave"]
        body.sleeve(f"sleeve_{n + 1}", at=at, wrap=(0.0, p["l"]))
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds of undulation, four on the helix."""
    return Scenario(
        "continuum_snake_3d", robot(p), gravity=(0.0, 0.0, 0.0), imposed=gait(p).imposed("body"),
        t_end=10.0 if p["gait"] == "undulation" else 4.0, dt=0.025, integrator="rkmk4", checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The head moves along itself; a helix in closed form, an undulation by the frame of its head."""
    closed = Kind.CLOSED_FORM

    def slip(result: Result) -> float:
        return float(np.abs(result.twist.values[:, :4] - (p["V"], 0.0, 0.0, 0.0)).max())

    found = [
        Check("head: V_x - V, V_y, V_z, Omega_x, largest", 0.0, 1e-6, slip, "Ali 2011, (6.46), to the slices", closed),
        Check("rank of the contacts", 6.0, 0.0, lambda r: float(r.constraint_rank.values.min()), "three sleeves or more", closed),
    ]
    k = 2.0 * math.pi / p["lambda"]
    if p["gait"] == "helix":
        total = p["A"] ** 2 + k * k
        size = (p["A"] / total, 2.0 * math.pi * k / total)

        def measured(result: Result) -> tuple[float, float]:
            return radius_and_pitch(result, abs(p["V"]) * math.sqrt(total))

        found.append(Check("radius and pitch of the head's helix (m)", size, 1e-6, measured, "curvature A, torsion k", closed))
    elif all(p[q.name] == q.value for q in PARAMETERS if q.name not in ("m", "r", "sleeves")):
        source = "frame of the head alone, d(g)/dt = g V xi(0, t), DOP853 to 1e-12"
        found.append(Check("head at 10 s (m)", HEAD_AT_10, 1e-5, lambda r: r.position.values[-1], source, Kind.INDEPENDENT))
    return tuple(found)


def radius_and_pitch(result: Result, turn: float) -> tuple[float, float]:
    """Of the helix nearest to the path of the head, with ``turn`` (rad/s) about its axis, m."""
    t = result.time.values
    design = np.column_stack([np.cos(turn * t), np.sin(turn * t), t, np.ones_like(t)])
    found, *_ = np.linalg.lstsq(design, result.position.values, rcond=None)
    return float(np.linalg.norm(found[0])), float(np.linalg.norm(found[2]) * 2.0 * math.pi / turn)
