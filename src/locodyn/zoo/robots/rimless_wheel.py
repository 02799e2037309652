"""Rimless wheel (McGeer 1990; Coleman, Chatterjee, Ruina 1997): spokes without a rim roll down a slope, from impact to impact.

The hub carries the mass. With the half angle alpha = pi/n between spokes, r^2 = I / (m l^2) and the slope gamma, an impact leaves
the part mu = (r^2 + cos 2 alpha) / (r^2 + 1) of the rate, and between impacts the square of the rate grows by
K = 4 (g/l) sin alpha sin gamma / (r^2 + 1). So rolling is steady at omega+^2 = mu^2 K / (1 - mu^2), with the multiplier mu^2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.phases import Phases, Touchdown
from locodyn.robot import Capsule, Compound, Robot, Sphere, about_centre, rotation_about
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import walkers

OWN = "own choice"
FORM = "closed form: momentum about the new foot, energy between impacts"
PARAMETERS = (
    Parameter("n", 8, "-", OWN, "number of spokes", least=4, most=40),
    Parameter("l", 1.0, "m", OWN, "length of a spoke", above=0.0),
    Parameter("m", 1.0, "kg", OWN, "mass of the hub", above=0.0),
    Parameter("inertia", 0.1, "kg m^2", OWN, "moment of inertia about the hub", above=0.0),
    Parameter("slope", 0.1, "rad", OWN, "by which the ground falls", above=0.0, most=0.7),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
    Parameter("rate", 1.5, "rad/s", OWN, "rate at the start, right after an impact", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"n": 6, "slope": 0.2, "rate": 1.3, "inertia": 0.01})


def spokes(p: dict[str, Any]) -> list[str]:
    """Names of the spokes, in the order in which they touch the ground."""
    return [f"spoke_{k}" for k in range(1, p["n"] + 1)]


def robot(p: dict[str, Any]) -> Robot:
    """The hub with its spokes is one body; spoke k points down where the wheel has turned by (k - 1) 2 pi/n."""
    wheel = Robot("rimless_wheel")
    hub = walkers.hip(wheel, 0.0, 0.05 * p["l"])
    parts: list[Any] = [Sphere(0.08 * p["l"])]
    for k in range(p["n"]):
        turn = rotation_about("y", -2.0 * math.pi * k / p["n"])
        down = turn @ np.array([0.0, 0.0, -1.0])
        parts.append(Capsule(radius=0.015 * p["l"], length=0.97 * p["l"], axis="z", at=0.5 * p["l"] * down, turned=turn))
    moment = about_centre(xx=p["inertia"], yy=p["inertia"], zz=p["inertia"])
    body = wheel.body("wheel", mass=p["m"], centre=(0.0, 0.0, 0.0), inertia=moment, shape=Compound(tuple(parts)))
    body.on(hub).turning("y", name="turn")
    for k, name in enumerate(spokes(p)):
        angle = 2.0 * math.pi * k / p["n"]
        body.foot(name, at=(p["l"] * math.sin(angle), 0.0, -p["l"] * math.cos(angle)))
    return wheel


def steady_rate(p: dict[str, Any]) -> tuple[float, float]:
    """Rate right after an impact of steady rolling (rad/s), and mu."""
    alpha, square = math.pi / p["n"], p["inertia"] / (p["m"] * p["l"] ** 2)
    mu = (square + math.cos(2.0 * alpha)) / (square + 1.0)
    growth = 4.0 * p["g"] / p["l"] * math.sin(alpha) * math.sin(p["slope"]) / (square + 1.0)
    return math.sqrt(mu**2 * growth / (1.0 - mu**2)), mu


def scenario(p: dict[str, Any]) -> Scenario:
    """Rolls for twenty seconds; refused where it would not get over its first spoke."""
    alpha, square = math.pi / p["n"], p["inertia"] / (p["m"] * p["l"] ** 2)
    rise = 2.0 * p["g"] / p["l"] * (1.0 - math.cos(max(alpha - p["slope"], 0.0))) / (square + 1.0)
    if min(p["rate"], steady_rate(p)[0]) ** 2 <= rise:
        raise InputError(
            f"a 'rimless_wheel' with the rate {p['rate']:g} rad/s on the slope {p['slope']:g} rad rocks back; make the slope"
            " steeper, the rate larger, or the spokes more."
        )
    names = spokes(p)
    ways = [Touchdown(one, two, two) for one, two in zip(names, [*names[1:], names[0]], strict=True)]
    return Scenario(
        "rimless_wheel",
        robot(p),
        gravity=walkers.downhill(p["g"], p["slope"]),
        phases=Phases({name: name for name in names}, ways),
        start=Start({"turn": -alpha, "z": p["l"] * math.cos(alpha)}, {"turn": p["rate"]}, adjust=("z",), keep=("turn",)),
        t_end=20.0,
        dt=0.01,
        tolerance=1e-10,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Steady rolling, how fast it is reached, energy."""
    rate, mu = steady_rate(p)

    def losses(result: Result) -> np.ndarray:
        """Squares of the rates before impacts, from what is lost: I_O (1 - mu^2) omega^2 / 2."""
        inertia = p["inertia"] + p["m"] * p["l"] ** 2
        lost = np.diff(np.unique(np.concatenate([[0.0], result.impact_loss.values])))
        squares: np.ndarray = 2.0 * lost / (inertia * (1.0 - mu**2))
        return squares

    def contraction(result: Result) -> float:
        """Of the square of the rate, from one impact to the next."""
        squares = losses(result)[:4] - (rate / mu) ** 2
        return float(np.mean(squares[1:] / squares[:-1]))

    return (
        Check("steady rate after an impact (rad/s)", rate, 1e-6, lambda r: mu * math.sqrt(losses(r)[-1]), FORM, Kind.CLOSED_FORM),
        Check("multiplier mu^2", mu**2, 1e-6, contraction, FORM, Kind.CLOSED_FORM),
        Check("step length (m)", 2.0 * p["l"] * math.sin(math.pi / p["n"]), 1e-9, lambda r: walkers.step_lengths(r)[-1],
              "closed form: chord between two spokes", Kind.CLOSED_FORM),
        Check("energy balance through impacts (relative)", 0.0, 1e-8, walkers.energy_kept, "first law", Kind.CONSERVATION),
    )  # fmt: skip
