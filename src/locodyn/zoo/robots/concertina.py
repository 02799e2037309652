"""Concertina (own composition; a gait that Ali 2011, 7.4 leaves open): front and rear half of a body fold and stretch in turn.

The folds are waves of the angle a sin(2 pi X / lambda), which grow and go. In the first half of a period the body holds on behind
its front: the front stretches ahead and the rear folds up. In the second half the head holds on: the front folds and draws the
hold behind it along, while the rear stretches. Between the two holds are whole waves, so that the stride is their length times
1 - J0(a). All velocities vanish when the holds change, so that nothing jumps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.gaits import BodyGait
from locodyn.gaits import concertina as concertina_gait
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario

OWN = "own choice"
PARAMETERS = (
    Parameter("a", 1.5, "rad", OWN, "largest angle of the folds", above=0.0, most=2.4),
    Parameter("folds", 2, "-", OWN, "waves on each half", least=2),
    Parameter("overlap", 0.1, "-", OWN, "share of the length in which the halves go over into each other", above=0.0, most=0.25),
    Parameter("T", 2.0, "s", OWN, "period", above=0.0),
    Parameter("l", 1.0, "m", OWN, "length of the body", above=0.0),
    Parameter("m", 1.0, "kg/m", OWN, "mass of a metre of the body", above=0.0),
    Parameter("r", 0.01, "m", OWN, "radius of the body", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
NODES, STEPS, PERIODS = 240, 200, 4  # steps in a period


def wavelength(p: dict[str, Any]) -> float:
    """Of a fold, m."""
    return 0.5 * float(p["l"]) / int(p["folds"])


def hold(p: dict[str, Any]) -> float:
    """Place of the hold behind the front, m: a whole wave before the middle, clear of the overlap."""
    return 0.5 * float(p["l"]) - wavelength(p)


def gait(p: dict[str, Any]) -> BodyGait:
    """The folds of both halves."""
    bend = p["a"] * 2.0 * math.pi / wavelength(p)
    return concertina_gait(bend, length=p["l"], folds=p["folds"], period=p["T"], overlap=p["overlap"])


def robot(p: dict[str, Any]) -> Robot:
    """A body in the plane with holds behind its front and at its head."""
    snake = Robot("concertina")
    body = snake.base("head", moves="planar").rod(
        "body", length=p["l"], section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)), nodes=NODES,
        fields=gait(p).fields,
    )  # fmt: skip
    body.anchor("front_hold", at=hold(p), during=(0.0, 0.5 * p["T"]), period=p["T"])
    body.anchor("head_hold", at=0.0, during=(0.5 * p["T"], p["T"]), period=p["T"])
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """Four strides."""
    return Scenario(
        "concertina", robot(p), gravity=(0.0, 0.0, 0.0), imposed=gait(p).imposed("body"), t_end=PERIODS * p["T"],
        dt=p["T"] / STEPS, integrator="rkmk4", checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Strides of the head, what holds, and the balance of forces."""
    from scipy.special import j0

    def advance(result: Result) -> np.ndarray:
        return np.asarray(result.position.values[-1, :2])

    def held(result: Result) -> float:
        second = result.time.values / p["T"] % 1.0 > 0.5 + 1e-9
        return float(np.abs(result.twist.values[second]).max())

    def unbalanced(result: Result) -> float:
        """Between switches, by differences of order 4 of the mass centre."""
        h, centre = float(result.time.values[1]), result.mass_centre.values[:, :2]
        rate = (16.0 * (centre[3:-1] + centre[1:-3]) - centre[4:] - centre[:-4] - 30.0 * centre[2:-2]) / (12.0 * h * h)
        force = np.nansum(result.contact_force.values[2:-2, :, :2], axis=1)
        phase = np.arange(2, len(centre) - 2) % (STEPS // 2)
        inside = (phase >= 2) & (phase <= STEPS // 2 - 2)
        return float(np.abs(force - p["m"] * p["l"] * rate)[inside].max() / np.abs(force).max())

    gone = -PERIODS * hold(p) * (1.0 - j0(p["a"]))
    closed, momentum = Kind.CLOSED_FORM, "momentum, by differences in time of order 4"
    return (
        Check("head after four strides, x and y (m)", (gone, 0.0), 1e-6, advance, "stride 1 - J0(a) of whole waves", closed),
        Check("speed of the head while it holds on (m/s, rad/s)", 0.0, 1e-8, held, "anchor", closed),
        Check("forces less mass times acceleration, relative", 0.0, 1e-4, unbalanced, momentum, Kind.CONSERVATION),
    )
