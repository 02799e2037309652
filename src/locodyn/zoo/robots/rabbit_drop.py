"""RABBIT dropped on its compliant feet (Aguirre 2010, 6.1): straight legs, no torques, the feet 0.6 m above the ground.

The stretched robot falls as one mass: it is an equilibrium, though an unstable one, of the joints. The normal force is largest in
the impact, then it settles; friction has nothing to do. The damping of the feet is printed as 9e6 and as 9e5 N s/m^2.5: with the
first the robot stays down, as Aguirre reports, with the second it bounces.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Ground
from locodyn.zoo import rabbit

SOURCE = "Aguirre 2010, 6.1"
PARAMETERS = (
    Parameter("links", "T21", "-", "Aguirre 2010", "data of the links: Table 2.1, or section 3.4", choices=tuple(rabbit.LINKS)),
    Parameter("height", 0.6, "m", SOURCE, "of the feet at the start", above=0.0),
    Parameter("damping", 9e6, "N s/m^2.5", "Aguirre 2010, 4.4", "of the feet; 9e5 is the other reading", least=0.0),
    Parameter("boom", "off", "-", "Aguirre 2010, Table 2.2", "its weight and inertia at the hip", choices=("off", "on")),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"damping": 9e5}, {"boom": "on"})
LEG, MASS, G = 0.8, 40.0, 9.81


def masses(p: dict[str, Any]) -> tuple[float, float]:
    """What is moved up and down and what has weight, kg: the same but for the boom, which is more a lever than a load."""
    added = rabbit.boom() if p["boom"] == "on" else {"up": 0.0, "weight": 0.0}
    return MASS + added["up"], MASS + added["weight"]


def scenario(p: dict[str, Any]) -> Scenario:
    """Two seconds."""
    return Scenario(
        "rabbit_drop",
        rabbit.robot(p["links"], None, p["boom"] == "on", rabbit.FOOT_FRICTION, holds=False),
        obstacles=(Ground(),),
        contact=replace(rabbit.FEET, damping=p["damping"]),
        start={"z": LEG + p["height"]},
        t_end=2.0,
        integrator="radau_adaptive",
        dt=2e-4,
        tolerance=1e-8,
        checks=checks(p),
    )


def force(result: Result) -> np.ndarray:
    """Sum of the normal forces at each record, N."""
    return np.asarray(result.contact_force.sel(contact=["sole_1 on ground", "sole_2 on ground"]).values[:, :, 2].sum(axis=1))


def beside_one_mass(p: dict[str, Any], result: Result) -> float:
    """How far the hip of seven freedoms is from one mass on two feet, m; DOP853 restarts where the feet touch and part."""
    from scipy.integrate import solve_ivp

    k, (moved, heavy) = rabbit.FEET.stiffness, masses(p)

    def rate(_: float, y: np.ndarray) -> list[float]:
        deep = max(0.0, -y[0])
        push = max(0.0, 2.0 * deep**1.5 * (k - p["damping"] * y[1]))
        return [y[1], (push - heavy * G) / moved]

    def ground(_: float, y: np.ndarray) -> float:
        return float(y[0])

    ground.terminal = True  # type: ignore[attr-defined]
    times, state, now, worst = result.time.values, np.array([p["height"], 0.0]), 0.0, 0.0
    while now < times[-1] - 1e-9:
        part = solve_ivp(rate, (now, times[-1]), state, "DOP853", events=ground, dense_output=True, rtol=1e-12, atol=1e-14)
        inside = (times >= now) & (times <= part.t[-1])
        worst = max(worst, float(np.abs(part.sol(times[inside])[0] + LEG - result.position.values[inside, 2]).max(initial=0.0)))
        now, state = float(part.t[-1]), part.y[:, -1]
        state[0] = 1e-15 if state[1] > 0.0 else -1e-15  # on the other side
    return worst


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The fall and the rest in closed form; peak and rebound against an independent integration of one mass."""
    gap = lambda r: r.contact_gap.values[:, 0]  # noqa: E731

    def touch(r: Result) -> tuple[float, float]:
        k = int(np.argmax(gap(r) < 0.0))
        return float(np.interp(0.0, gap(r)[[k, k - 1]], r.time.values[[k, k - 1]])), float(-r.twist.values[k - 1, 2])

    def lift(r: Result) -> tuple[float, float]:
        k = int(np.argmax((gap(r) > 0.0) & (r.time.values > time + 0.01)))
        return float(np.interp(0.0, gap(r)[[k - 1, k]], r.time.values[[k - 1, k]])), float(r.twist.values[k, 2])

    fall, (moved, heavy) = "closed form: free fall", masses(p)
    pull = G * heavy / moved
    time, speed = math.sqrt(2.0 * p["height"] / pull), math.sqrt(2.0 * p["height"] * pull)
    found = [
        Check("touchdown (s, m/s)", (time, speed), 2e-3, touch, fall, Kind.CLOSED_FORM),
        Check("tangential force (N)", 0.0, 1e-9, lambda r: float(np.abs(r.contact_force.values[:, :, :2]).max()),
              "closed form: it falls upright", Kind.CLOSED_FORM),
    ]  # fmt: skip
    if p["height"] != 0.6:
        return tuple(found)
    one = "independent calculation: a mass of 40 kg on two feet (DOP853)"
    if p["damping"] == 9e6:
        depth = (0.5 * heavy * G / rabbit.FEET.stiffness) ** (2.0 / 3.0)  # type: ignore[operator]
        rest = "closed form: each foot carries half the weight"
        found += [
            Check("height of the hip at rest (m)", LEG - depth, 1e-5, lambda r: float(r.position.values[-1, 2]), rest,
                  Kind.CLOSED_FORM),
            Check("normal force at rest (N)", heavy * G, 1.0, lambda r: float(force(r)[-1]), rest, Kind.CLOSED_FORM),
            *((Check("largest normal force (N)", 34.1e3, 341.0, lambda r: float(force(r).max()), one, Kind.INDEPENDENT),)
              if p["boom"] == "off" else ()),
            Check("rebound (m)", 0.0, 0.0, lambda r: max(0.0, float(gap(r)[r.time.values > time + 0.01].max())), one,
                  Kind.INDEPENDENT),
        ]  # fmt: skip
    if p["damping"] == 9e5 and p["boom"] == "off":
        after = lambda r: gap(r)[(r.time.values > time + 0.01) & (r.time.values < 0.8)]  # noqa: E731
        found += [
            Check("largest normal force (N)", 20.6e3, 206.0, lambda r: float(force(r).max()), one, Kind.INDEPENDENT),
            Check("height of the first rebound (m)", 0.160, 0.0016, lambda r: float(after(r).max()), one, Kind.INDEPENDENT),
            Check("first lift-off (s)", 0.3755, 0.0038, lambda r: lift(r)[0], one, Kind.INDEPENDENT),
            Check("speed of the first lift-off (m/s)", 1.77, 0.018, lambda r: lift(r)[1], one, Kind.INDEPENDENT),
        ]
    if p["links"] == "T21":
        found.append(Check("height over that of one mass (m)", 0.0, 1e-6, lambda r: beside_one_mass(p, r), one, Kind.INDEPENDENT))
    return tuple(found)
