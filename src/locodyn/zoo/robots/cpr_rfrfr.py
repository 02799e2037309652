"""Continuum parallel robot RFRFR (Gotelli 2024, 5.13): two elastic legs on driven hinges, their tips pinned to each other.

Hinges 0.4 m apart, steel rods of 1 m, no gravity, no damping. The torques of the hinges rise against each other from 1 s to 2 s
and are held; between 4 s and 7 s the left one makes three cycles. 5.13 leaves the sign open: with the printed one (``in``) the
legs bow inwards and the tip moves by 3 cm in the cycles; with the opposite one (``out``) they bow outwards, and the tip makes
two large swings during the three cycles, as in its figures.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.integrate.methods import METHODS
from locodyn.motion import Law, transition
from locodyn.motion.base import BEYOND, TERM, Term
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

SOURCE = "Gotelli 2024, 5.13"
OWN = "own choice"
IMPLICIT = tuple(name for name, method in METHODS.items() if method.implicit)
# How well energy is balanced, relative: order 4 and more; order 2 with little damping. Others damp as much as they like.
ENERGY = {"gauss2": 1e-3, "radau3": 1e-3, "energy_momentum": 1e-3, "generalized_alpha": 5e-2, "newmark": 5e-2}
PARAMETERS = (
    Parameter("torque_sign", "out", "-", SOURCE, "which way the legs bow", choices=("in", "out")),
    Parameter("modes", 3, "-", SOURCE, "functions of the curvature of a leg", least=1),
    Parameter("nodes", 20, "-", OWN, "points of a leg that carry its mass", least=1),
    Parameter("integrator", "generalized_alpha", "-", SOURCE, "time integrator", choices=IMPLICIT),
    Parameter("rho_inf", 0.5, "-", OWN, "its damping of high frequencies, where it has some: 1 none, 0 all", least=0.0),
    Parameter("d", 0.4, "m", SOURCE, "distance of the hinges", above=0.0),
    Parameter("l", 1.0, "m", SOURCE, "length of a leg", above=0.0),
    Parameter("r", 0.001, "m", SOURCE, "radius of its section", above=0.0),
    Parameter("E", 2.1e11, "Pa", SOURCE, "Young's modulus", above=0.0),
    Parameter("G", 8e10, "Pa", SOURCE, "shear modulus", above=0.0),
    Parameter("rho", 7800.0, "kg/m^3", SOURCE, "density", above=0.0),
    Parameter("k_r", 0.5, "N m", SOURCE, "torque that is held", least=0.0),
    Parameter("k_s", 0.04, "N m", SOURCE, "half the height of the cycles", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"torque_sign": "in"}, {"integrator": "gauss2"}, {"integrator": "radau3"})


def robot(p: dict[str, Any]) -> Robot:
    """Hinges at (-d/2, 0) and (d/2, 0); a leg runs along the x axis of its hub. The tips are pinned about z."""
    legs = Robot("cpr_rfrfr")
    ground = legs.base("ground", moves="fixed")
    steel = Material(p["E"], p["rho"], shear=p["G"])
    tips = []
    for name, x in (("left", -p["d"] / 2), ("right", p["d"] / 2)):
        hub = legs.body(f"{name}_hub").on(ground, at=(x, 0.0, 0.0)).turning("z")
        rod = hub.rod(name, length=p["l"], section=Circle(p["r"]), material=steel, bending=(0, p["modes"]), nodes=p["nodes"])
        tips.append(rod)
    return legs.loop("pin", tips[0], tips[1], joint="revolute", axis="z")


def assembled(p: dict[str, Any]) -> dict[str, float]:
    """The hinges with straight legs, the pin above the base."""
    angle = math.acos(p["d"] / (2.0 * p["l"]))
    return {"left_hub": angle, "right_hub": math.pi - angle}


def cycles(height: float, count: int, period: float, at: float) -> Law:
    """``height`` (1 - cos(2 pi (t - at) / period)) for so many periods (s) from ``at``, zero before and after.

    As polynomials of degree 5 through values and two derivatives at 32 places of a period: 2e-8 of the height.
    """
    from scipy.interpolate import BPoly, PPoly

    omega = 2.0 * math.pi / period
    times = at + period * np.arange(32 * count + 1) / 32
    phase = omega * (times - at)
    values = np.stack([1.0 - np.cos(phase), omega * np.sin(phase), omega**2 * np.cos(phase)], axis=1)
    pieces = PPoly.from_bernstein_basis(BPoly.from_derivatives(times, values))
    words = f"{count} cycles (1 - cos) from {at:g} s"
    coefficients = np.ascontiguousarray(pieces.c[::-1].T)
    ends = (float(times[0]), float(times[-1]))
    return Law(
        (Term(TERM.piecewise, words, height, coefficients=coefficients, knots=times, mode=BEYOND.hold, smoothness=1, kinks=ends),)
    )


def torques(p: dict[str, Any]) -> dict[str, Law]:
    """Torques of the hinges, N m."""
    sign = 1.0 if p["torque_sign"] == "in" else -1.0
    rise = transition(0.0, sign * p["k_r"], duration=1.0, at=1.0)
    return {"left_hub": -rise + cycles(sign * p["k_s"], 3, 1.0, 4.0), "right_hub": rise}


def scenario(p: dict[str, Any]) -> Scenario:
    """Nine seconds from rest with straight legs."""
    return Scenario(
        "cpr_rfrfr", robot(p), gravity=(0.0, 0.0, 0.0), torque=torques(p), start=assembled(p), t_end=9.0, dt=0.01,
        integrator=p["integrator"], rho_inf=p["rho_inf"], checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The pin, the balance of energy (order 2 in the step, and numerical damping), and how the tip moves."""
    found = [Check("tips apart (m)", 0.0, 1e-9, apart, "pin", Kind.CLOSED_FORM)]
    if p["integrator"] in ENERGY:
        bound = ENERGY[p["integrator"]]
        found.append(
            Check(
                "energy less work of the torques (relative)", 0.0, bound, measures.energy_defect, "first law", Kind.CONSERVATION
            )
        )
    printed = all(p[x.name] == x.value for x in PARAMETERS if x.source == SOURCE and x.unit != "-")
    if p["modes"] >= 3 and METHODS[p["integrator"]].order > 1 and printed:
        if p["torque_sign"] == "in":
            found.append(
                Check(
                    "tip aside in the cycles (m)",
                    0.0,
                    0.03,
                    lambda r: float(np.max(np.abs(_aside(r)))),
                    "independent calculation with the same three modes: within 0.03 m",
                    Kind.INDEPENDENT,
                )
            )
        else:
            found.append(
                Check(
                    "two large swings or more in the cycles",
                    True,
                    0,
                    lambda r: _swings(r) >= 2,
                    f"independent calculation with the same three modes; {SOURCE} shows two, without their size",
                    Kind.INDEPENDENT,
                )
            )
    return tuple(found)


def apart(result: Result) -> float:
    """Largest distance of the two tips, m."""
    left, right = (result.body_position.sel(body=name).values for name in ("left", "right"))
    return float(np.max(np.linalg.norm(left - right, axis=1)))


def _aside(result: Result) -> np.ndarray:
    """x of the tip between 4 s and 7 s, m."""
    now = (result.time.values >= 4.0 - 1e-9) & (result.time.values <= 7.0 + 1e-9)
    found: np.ndarray = result.body_position.sel(body="left").values[now, 0]
    return found


def _swings(result: Result) -> int:
    """How often x of the tip goes from beyond 0.2 m on one side to beyond 0.2 m on the other in the cycles."""
    x = _aside(result)
    far = np.sign(x[np.abs(x) > 0.2])
    return int(np.count_nonzero(np.diff(far)))
