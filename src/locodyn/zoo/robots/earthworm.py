"""Earthworm (Ali 2011, 6.1): a body that moves along a line by a peristaltic wave, held where it is thickest.

The stretch 1 + eps sin(k (s - X)) runs from head to tail at the speed c; the body keeps its volume, so that it is thick where it
is short. Anchors sit at the shortest sections, one for each wave, and sweep with the wave. ``contact=place_fixed`` fixes the
place of an anchor in the world, through which the body slides, as Ali has it: the worm has the mean speed c whatever eps.
``contact=no_slip`` has the anchored section itself at rest, as a worm has: its mean speed is eps c.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.gaits import peristalsis
from locodyn.motion import Law, polynomial
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario

SOURCE = "Ali 2011, 6.1.6"
CHOSEN = "chosen (Ali 2011, 6.1.6 does not say)"
CLOSED = "closed form of Ali 2011, (6.1)-(6.23)"
PARAMETERS = (
    Parameter("eps", 0.5, "-", SOURCE, "amplitude of the stretch", above=0.0, most=0.95),
    Parameter("lambda", 1.0, "m", SOURCE, "length of a wave, on the body", above=0.0),
    Parameter("waves", 1, "-", SOURCE, "waves on the body", least=1),
    Parameter("c", 0.05, "m/s", SOURCE, "speed of the wave on the body, at the start", above=0.0),
    Parameter("a", 0.01, "m/s^2", CHOSEN, "growth of the speed with speed=varying", above=0.0),
    Parameter("m", 1.0, "kg/m", CHOSEN, "mass of a metre of the unstrained body", above=0.0),
    Parameter("r", 0.02, "m", CHOSEN, "radius of the unstrained body", above=0.0),
    Parameter("contact", "place_fixed", "-", "Ali 2011, (6.5); own", "what an anchor fixes", choices=("place_fixed", "no_slip")),
    Parameter("speed", "constant", "-", "Ali 2011, 6.1.4", "of the wave: c, or c + a t", choices=("constant", "varying")),
)
VALIDATION: tuple[dict[str, Any], ...] = (
    {},
    {"speed": "varying"},
    {"contact": "no_slip", "speed": "varying"},
    {"waves": 2, "lambda": 0.5},
    {"waves": 2, "lambda": 0.5, "speed": "varying"},
)
NODES = 120  # of a wave: at the largest speed, 0.25 m/s, forces are then known to 1e-6 N


def travel(p: dict[str, Any]) -> Law:
    """How far the wave has gone, s(t) in m."""
    return polynomial(0.0, p["c"]) if p["speed"] == "constant" else polynomial(0.0, p["c"], 0.5 * p["a"])


def robot(p: dict[str, Any]) -> tuple[Robot, dict[str, Law]]:
    """The body on a line, its anchors, and the law of its wave."""
    gait, gone = peristalsis(p["eps"], wavelength=p["lambda"], travel=travel(p), name="wave"), travel(p)
    worm, size = Robot("earthworm"), p["lambda"]
    body = worm.base("head", moves="prismatic", axis="x").rod(
        "body", length=p["waves"] * size, section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)),
        nodes=NODES * p["waves"], fields=gait.fields, keeps_volume=True,
    )  # fmt: skip
    for n in range(p["waves"]):
        body.anchor(
            f"anchor_{n + 1}", at=(n + 0.25) * size + gone, wrap=(n * size, (n + 1.0) * size), slips=p["contact"] == "place_fixed"
        )
    return worm, gait.imposed("body")


def scenario(p: dict[str, Any]) -> Scenario:
    """The time of five waves at a constant speed; 20 s with a growing one."""
    worm, imposed = robot(p)
    t_end = 5.0 * p["lambda"] / p["c"] if p["speed"] == "constant" else 20.0
    return Scenario(
        "earthworm", worm, gravity=(0.0, 0.0, 0.0), imposed=imposed, t_end=t_end, dt=t_end / 800.0, integrator="rkmk4",
        record_every=2, checks=checks(p),
    )  # fmt: skip


def head_path(p: dict[str, Any], t: Any) -> Any:
    """Position of the head (m): -(s + (eps / k) (1 - cos ks)), and without slip -eps (s + (1 - cos ks) / k)."""
    k, s = 2.0 * math.pi / p["lambda"], np.asarray(travel(p)(t))
    if p["contact"] == "place_fixed":
        return -(s + p["eps"] / k * (1.0 - np.cos(k * s)))
    return -p["eps"] * (s + (1.0 - np.cos(k * s)) / k)


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Path and speed of the head, forces of anchors and in the body, volume."""
    closed, slips = Kind.CLOSED_FORM, p["contact"] == "place_fixed"
    speeds = (-p["c"] * (1.0 + p["eps"]), -p["c"] * (1.0 - p["eps"])) if slips else (-2.0 * p["eps"] * p["c"], 0.0)
    force = -p["m"] * p["waves"] * p["lambda"] * p["a"] if p["speed"] == "varying" else 0.0

    def path_error(result: Result) -> float:
        return float(np.abs(result.position.values[:, 0] - head_path(p, result.time.values)).max())

    def head_speeds(result: Result) -> tuple[float, float]:
        speed = result.twist.values[:, 0]
        return float(speed.min()), float(speed.max())

    def forces(result: Result) -> tuple[float, float]:
        total = np.nansum(result.contact_force.values[:, :, 0], axis=1)
        return float(total.min()), float(total.max())

    def inner_force_error(result: Result) -> float:
        return float(np.abs(result.rod_wrench.values[:, 0, :, 0] - inner_force(p, result)).max())

    def volume(result: Result) -> float:
        return float(np.abs(result.rod_radius.values**2 * result.rod_strain.values[..., 0] / p["r"] ** 2 - 1.0).max())

    found = [
        Check("path of the head, error (m)", 0.0, 1e-6, path_error, CLOSED, closed),
        Check("volume of the body, relative change", 0.0, 1e-12, volume, "Ali 2011, (6.3)", closed),
    ]
    if p["speed"] == "constant":
        found.append(Check("range of the head's speed (m/s)", speeds, 1e-6, head_speeds, CLOSED, closed))
    if slips:
        found.append(Check("range of the force of all anchors (N)", (force, force), 1e-6, forces, CLOSED, closed))
        found.append(Check("force in the body, error (N)", 0.0, 1e-6, inner_force_error, CLOSED, closed))
    return tuple(found)


def inner_force(p: dict[str, Any], result: Result) -> np.ndarray:
    """N(X) = m (c^2 (Gamma(X) - Gamma(0)) - cdot (x(X) - x_o)), and the force of each anchor beyond it; (n, places) N."""
    k, t, x = 2.0 * math.pi / p["lambda"], result.time.values[:, None], p["waves"] * p["lambda"] * result.s.values
    gone = travel(p)
    phase = k * (np.asarray(gone(t)) - x)
    speed, growth = np.asarray(gone.rate(t)), p["a"] if p["speed"] == "varying" else 0.0
    stretch = 1.0 + p["eps"] * np.sin(phase)
    reach = x + p["eps"] / k * (np.cos(phase) - np.cos(phase[:, :1]))
    smooth = p["m"] * (speed**2 * (stretch - stretch[:, :1]) - growth * reach)
    at = result.contact_abscissa.values[:, :, None]
    # At an anchor the side of the head is recorded; at one that holds the head, the body's own: Lambda(0) = -F_- (5.21).
    beyond = (x > at + 1e-9) | ((x == 0.0) & (at < 1e-9))
    return np.asarray(smooth + p["m"] * p["lambda"] * growth * beyond.sum(axis=1))
