"""Climbing inchworm (Ali 2011, 6.2): a body that arches and stretches, held by its tail and its head in turn.

Its angle from the wall is theta = a(t) sin(2 pi (X - l) / l) with a = alpha sin^2(w t): the ends stay on the wall, l J0(a) apart.
In the first half of each period T = pi / w the head holds on and the tail is drawn in, in the second half the tail holds on and
pushes the head up, by the stride l (1 - J0(alpha)). The wall is x = 0; the body hangs below its head and bulges to one side.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.gaits import omega_bend
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start

SOURCE = "Ali 2011, 6.2.3"
CHOSEN = "chosen (Ali 2011, 6.2.3 does not say)"
BESSEL = "closed form, Bessel functions of the angle of Ali 2011, (6.25)"
PARAMETERS = (
    Parameter("alpha", 2.0, "rad", SOURCE, "largest angle of the body from the wall", above=0.0, most=2.4),
    Parameter("w", 0.5 * math.pi, "rad/s", SOURCE, "angular frequency: an arch takes pi / w", above=0.0, aliases=("omega",)),
    Parameter("l", 1.0, "m", CHOSEN, "length of the body", above=0.0),
    Parameter("m", 1.0, "kg/m", CHOSEN, "mass of a metre of the body", above=0.0),
    Parameter("r", 0.02, "m", CHOSEN, "radius of the body", above=0.0),
    Parameter("g", 9.81, "m/s^2", CHOSEN, "gravity, down the wall", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"alpha": 1.8})
NODES = 160
STEPS = 200  # in a period
PERIODS = 7.5


def robot(p: dict[str, Any]) -> Robot:
    """A body in the plane with a grip at each end."""
    period, worm = math.pi / p["w"], Robot("inchworm")
    body = worm.base("head", moves="planar").rod(
        "body", length=p["l"], section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)), nodes=NODES,
        fields=omega_bend(p["alpha"], length=p["l"], period=period, name="arch").fields,
    )  # fmt: skip
    body.anchor("head_grip", at=0.0, during=(0.0, 0.5 * period), period=period)
    body.anchor("tail_grip", at=p["l"], during=(0.5 * period, period), period=period)
    return worm


def scenario(p: dict[str, Any]) -> Scenario:
    """Seven strides and a half: the head is at rest in the end."""
    period = math.pi / p["w"]
    gait = omega_bend(p["alpha"], length=p["l"], period=period, name="arch")
    return Scenario(
        "inchworm", robot(p), gravity=(0.0, -p["g"], 0.0), imposed=gait.imposed("body"),
        start=Start({"head": (0.0, 0.0, -0.5 * math.pi)}), t_end=PERIODS * period, dt=period / STEPS, integrator="rkmk4",
        checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Strides, what rests, speed of the head, forces on the wall."""
    from scipy.special import j0, j1

    alpha, w, mass = p["alpha"], p["w"], p["m"] * p["l"]
    stride = p["l"] * (1.0 - j0(alpha))
    at = 0.7 * math.pi / w  # 1.4 s of a period of 2 s
    speed = -p["l"] * alpha * w * math.sin(2.0 * w * at) * j1(alpha * math.sin(w * at) ** 2)
    swing = p["l"] * j1(alpha) * 2.0 * alpha * w * w  # second derivative of the distance of the ends, where the arch is highest
    forces = (mass * (p["g"] - 0.5 * swing), mass * (p["g"] + 0.5 * swing))
    closed = Kind.CLOSED_FORM

    def climbed(result: Result) -> float:
        return float(result.position.values[-1, 1])

    def off_the_wall(result: Result) -> float:
        ends = result.rod_position.values[:, 0, [0, -1], 0]
        return float(np.abs(ends).max())

    def slip(result: Result) -> float:
        held = result.time.values * w / math.pi % 1.0 < 0.5 - 1e-9
        return float(np.abs(result.twist.values[held]).max())

    def head_speed(result: Result) -> float:
        return -float(result.twist.values[round(0.7 * STEPS), 0])

    def pushes(result: Result) -> np.ndarray:
        return np.asarray(np.nansum(result.contact_force.values[:, :, 1], axis=1))

    def at_the_swap(result: Result) -> tuple[float, float]:
        both = result.at_exchanges().contact_force.sum("contact").sel(xyz="y").sel(time=0.5 * math.pi / w, method="nearest")
        return float(both.sel(side="before")), float(both.sel(side="after"))

    def both_halves(result: Result) -> float:
        force = pushes(result)[1:STEPS]
        middle = STEPS // 2 - 1
        pairs = (force + force[::-1])[:middle]
        return float(np.abs(pairs - 2.0 * mass * p["g"]).max())

    return (
        Check("height of the head after seven strides (m)", 7.0 * stride, 1e-6, climbed, BESSEL, closed),
        Check("ends off the wall (m)", 0.0, 1e-6, off_the_wall, "the angle is odd about the middle, (6.25)", closed),
        Check("speed of the head while it holds on (m/s, rad/s)", 0.0, 1e-8, slip, "anchor", closed),
        Check("speed of the head at 0.7 T (m/s)", speed, 1e-5, head_speed, BESSEL, closed),
        Check("force along the wall before and after the swap (N)", forces, 1e-3, at_the_swap, BESSEL, closed),
        Check("F(t) + F(T - t) - 2 m g (N)", 0.0, 1e-3, both_halves, "mass centre half way between the ends", closed),
    )
