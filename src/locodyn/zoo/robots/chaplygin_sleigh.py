"""Chaplygin's sleigh (Chaplygin 1911): a rigid body on a knife edge, its mass centre ahead of the edge.

No force does work, yet the sleigh ends up gliding straight ahead, whatever its start. With u the speed along the edge, w the
turning
rate, a the distance of the mass centre and k^2 = (I + m a^2) / m,

    du/dt = a w^2,   dw/dt = -a u w / k^2,   u = c tanh(a c (t - t0) / k^2),   c^2 = u^2 + k^2 w^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("m", 1.0, "kg", CHOSEN, "mass", above=0.0),
    Parameter("a", 0.2, "m", CHOSEN, "distance of the mass centre, ahead of the edge", above=0.0),
    Parameter("I", 0.03, "kg m^2", CHOSEN, "moment about the mass centre", above=0.0),
    Parameter("u_0", -0.5, "m/s", CHOSEN, "speed along the edge at the start (negative: tail first, unstable)"),
    Parameter("w_0", 0.4, "rad/s", CHOSEN, "turning rate at the start"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"u_0": 0.3, "w_0": -2.0})


def robot(p: dict[str, Any]) -> Robot:
    """One body, one knife edge."""
    sleigh = Robot("Chaplygin sleigh")
    body = sleigh.base(
        "sleigh",
        moves="planar",
        mass=p["m"],
        centre=(p["a"], 0.0, 0.0),
        inertia=about_centre(zz=p["I"]),
        shape=Box((0.6, 0.2, 0.05)),
    )
    body.skate("edge", along="x")
    return sleigh


def scenario(p: dict[str, Any]) -> Scenario:
    """Twenty seconds of free motion."""
    start = Start(velocities={"sleigh.vx": p["u_0"], "sleigh.wz": p["w_0"]})
    return Scenario("chaplygin_sleigh", robot(p), start=start, t_end=20.0, dt=0.01, checks=checks(p))


def closed_form(p: dict[str, Any], t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(u, w) at the times t."""
    k2 = p["I"] / p["m"] + p["a"] ** 2
    c = np.hypot(p["u_0"], np.sqrt(k2) * p["w_0"])
    phase = p["a"] * c / k2 * t + np.arctanh(p["u_0"] / c)
    return c * np.tanh(phase), np.sign(p["w_0"]) * c / np.sqrt(k2) / np.cosh(phase)


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Closed form and conservation of energy."""

    def defect(result: Result) -> float:
        u, w = closed_form(p, result.time.values)
        return float(max(np.abs(result.twist.values[:, 0] - u).max(), np.abs(result.twist.values[:, 5] - w).max()))

    return (
        Check("speed and turning rate in closed form (m/s, rad/s)", 0.0, 1e-8, defect, "Chaplygin 1911", Kind.CLOSED_FORM),
        Check("energy constant (relative)", 0.0, 1e-8, measures.energy_drift, "no force does work", Kind.CONSERVATION),
        Check("side slip of the edge (m/s)", 0.0, 1e-10, measures.side_slip, "ideal edge", Kind.CLOSED_FORM),
    )
