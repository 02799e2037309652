"""Snake without joints in the plane (Ali 2011, 6.3): a wave of curvature that creeps through sleeves fixed in the world.

The curvature A cos(2 pi (X + s) / lambda) travels from head to tail, s = V t with V < 0. Every section then moves along its own
tangent: the body follows its head (6.31)-(6.39). ``turn`` adds a bump of curvature (6.41) that the head starts and the body takes
over. Five sleeves stay where they are while the body slides through: more than the plane needs, with forces of the smallest norm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.gaits import BodyGait, Turn, lateral_undulation
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

SOURCE = "Ali 2011, 6.3.7"
CHOSEN = "chosen (Ali 2011, 6.3.7 does not say)"
PARAMETERS = (
    Parameter("A", 10.0, "1/m", SOURCE, "amplitude of the curvature", above=0.0),
    Parameter("lambda", 1.0, "m", SOURCE, "length of a wave, on the body", above=0.0),
    Parameter("V", -0.5, "m/s", SOURCE, "speed of the body along itself; negative: head first"),
    Parameter("turn", 0.0, "1/m", f"{SOURCE} (2 where it turns)", "largest curvature of the turn; 0: straight ahead"),
    Parameter("t_o", 3.0, "s", SOURCE, "when the head starts to turn", least=0.0),
    Parameter("T_o", 4.0, "s", SOURCE, "how long the head turns", above=0.0),
    Parameter("sleeves", 5, "-", SOURCE, "number of contacts", least=3),
    Parameter("l", 1.25, "m", CHOSEN, "length of the body", above=0.0),
    Parameter("m", 1.0, "kg/m", CHOSEN, "mass of a metre of the body", above=0.0),
    Parameter("r", 0.02, "m", CHOSEN, "radius of the body", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"turn": 2.0})
NODES = 144
STEP, EVERY = 0.025, 2  # s, and steps from record to record
BUMP = 1.2069003  # integral of exp(-u^2 / (1 - u^2)) from -1 to 1


def gait(p: dict[str, Any]) -> BodyGait:
    """The wave, with its turn if it has one."""
    turns = [Turn(p["t_o"], p["T_o"], p["turn"])] if p["turn"] else []
    return lateral_undulation(p["A"], wavelength=p["lambda"], travel=p["V"], turns=turns)


def robot(p: dict[str, Any]) -> Robot:
    """A body in the plane and its sleeves."""
    snake, wave = Robot("continuum_snake"), gait(p)
    body = snake.base("head", moves="planar").rod(
        "body", length=p["l"], section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)), nodes=NODES,
        fields=wave.fields,
    )  # fmt: skip
    for n in range(p["sleeves"]):
        at = (n + 0.5) * p["l"] / p["sleeves"] - wave.laws["wave"]
        body.sleeve(f"sleeve_{n + 1}", at=at, wrap=(0.0, p["l"]))
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds."""
    return Scenario(
        "continuum_snake", robot(p), gravity=(0.0, 0.0, 0.0), imposed=gait(p).imposed("body"), t_end=10.0, dt=STEP,
        integrator="adams", record_every=EVERY, checks=(*checks(p), *own_checks(p)),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters: the speed of the head, and the sum of all forces."""

    def slip(result: Result) -> tuple[float, float]:
        twist = result.twist.values
        return float(np.abs(twist[:, 0] - p["V"]).max()), float(np.abs(twist[:, 1]).max())

    def resultant(result: Result) -> float:
        h = result.rod_orientation.values[:, 0, [0, -1]]
        theta = 2.0 * np.arctan2(h[..., 3], h[..., 0])
        ends = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        wanted = p["m"] * p["V"] ** 2 * (ends[:, 1] - ends[:, 0])
        return float(np.abs(np.nansum(result.contact_force.values[..., :2], axis=1) - wanted).max())

    closed = Kind.CLOSED_FORM
    source = "m V^2 (t(l) - t(0)), momentum of a body that follows its head"
    return (
        Check("head: V_x - V, V_y, largest (m/s)", (0.0, 0.0), 1e-6, slip, "Ali 2011, (6.31), to the slices", closed),
        Check("sum of the forces of all sleeves, error (N)", 0.0, 1e-5, resultant, source, closed),
    )


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Where the head arrives, with the numbers of the table above."""
    if not all(p[q.name] == q.value for q in PARAMETERS if q.name not in ("turn", "m", "r", "sleeves")):
        return ()
    from scipy.special import j0

    closed, k = Kind.CLOSED_FORM, 2.0 * math.pi / p["lambda"]
    turned = p["V"] * p["turn"] * 0.5 * p["T_o"] * BUMP
    heading = Check("change of heading (rad)", turned, 1e-5, turn_of_head, "V b T_o / 2 times the area of the bump", closed)
    if p["turn"]:
        return (heading,)
    end = (10.0 * p["V"] * j0(p["A"] / k), 0.0, 0.0)
    inertia = 0.25 * p["m"] * p["r"] ** 2
    ends = p["A"] * np.cos(k * (np.array([0.0, p["l"]]) + 2.0 * p["V"]))
    power = 0.5 * inertia * p["V"] ** 3 * (ends[1] ** 2 - ends[0] ** 2)
    return (
        Check("pose of the head at 10 s (m, rad)", end, 1e-6, measures.final_pose, "V t J0(A / k), five whole waves", closed),
        Check("sections off the path of the head (m)", 0.0, 1e-6, off_the_path, "Ali 2011, (6.39)", closed),
        Check("power of the muscles at 2 s (W)", power, 1e-7, power_at_2, "rate of the kinetic energy of rotation", closed),
    )


def turn_of_head(result: Result) -> float:
    """Change of the heading, rad."""
    theta = measures.headings(result)
    return float(theta[-1] - theta[0])


def off_the_path(result: Result) -> float:
    """Largest distance of a section X from where the head was X / 0.5 m/s earlier, at the records of that time, m."""
    line, worst = result.rod_position.values[:, 0, :, :2], 0.0
    for at, s in enumerate(result.s.values):
        delay = s * 1.25 / 0.5 / (EVERY * STEP)
        n = round(delay)
        if abs(delay - n) < 1e-6:
            worst = max(worst, float(np.abs(line[n:, at] - line[: len(line) - n, 0]).max()))
    return worst


def power_at_2(result: Result) -> float:
    """Power of the actuators at 2 s, W."""
    return float(result.power_actuators.sel(time=2.0, method="nearest").values)
