"""Planar continuum parallel robot RFRFR in a vertical plane, driven through its singularity (Gotelli 2024, 4.9.2).

Two rods on driven revolute joints hold a small platform between their tips. Both motors turn down together: with
``trajectory=1`` until the clamps face each other, with ``trajectory=2`` farther, until the platform snaps through. The source
does not give the distance of the joints, the mass of the platform, the direction of gravity and the times. With joints 0.6 m
apart the platform would snap only at -1.26 rad, beyond the end of trajectory 2 (-pi/6); at 0.9 m it snaps at -0.40 rad.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, transition
from locodyn.robot import Material, Rectangle, Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

SOURCE = "Gotelli 2024, 4.9.2"
OWN = "own choice (not in Gotelli 2024, 4.9.2)"
PARAMETERS = (
    Parameter("trajectory", "2", "-", SOURCE, "motors end at 0 (1) or at the mirror image of the start (2)", choices=("1", "2")),
    Parameter("l", 0.47, "m", SOURCE, "length of the rods", above=0.0),
    Parameter("w", 2.5e-3, "m", SOURCE, "width of the section, in the plane", above=0.0),
    Parameter("h", 10e-3, "m", SOURCE, "height of the section, out of the plane", above=0.0),
    Parameter("E", 36e9, "Pa", SOURCE, "Young's modulus", above=0.0),
    Parameter("rho", 1900.0, "kg/m^3", SOURCE, "density of the rods", above=0.0),
    Parameter("modes", 3, "-", SOURCE, "functions of the curvature", least=1),
    Parameter("q_0", math.pi / 6.0, "rad", SOURCE, "angle of the motors at the start"),
    Parameter("d", 0.9, "m", OWN, "distance of the joints", above=0.0),
    Parameter("m_p", 0.05, "kg", OWN, "mass of the platform", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity, down in the plane", least=0.0),
    Parameter("T", 2.0, "s", OWN, "time of the motion; as much again at rest", above=0.0),
    Parameter("damping", 2e-3, "s", OWN, "Kelvin-Voigt damping of the rods", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"trajectory": "1"})


def robot(p: dict[str, Any]) -> Robot:
    """Rods in the world's x-z plane; a positive angle lifts the left rod, a negative one the right rod."""
    legs = Robot("cpr_rfrfr_gravity")
    ground = legs.base("ground", moves="fixed")
    tips = []
    for name, x, turn in (("left", -0.5 * p["d"], 0.0), ("right", 0.5 * p["d"], math.pi)):
        motor = legs.body(f"{name}_motor").on(ground, at=(x, 0.0, 0.0)).turning("-y", name=f"{name}_motor")
        tips.append(
            motor.rod(
                name, turned=("-y", turn), length=p["l"], section=Rectangle(p["h"], p["w"]), material=Material(p["E"], p["rho"]),
                bending=(p["modes"], 0), nodes=max(10, p["modes"] + 6), damping=p["damping"],
            )
        )  # fmt: skip
    platform = legs.body("platform", mass=p["m_p"], shape=Sphere(0.01)).on(tips[0]).fixed()
    legs.loop("pin", platform, tips[1], joint="revolute", axis="y")
    return legs


def motor(p: dict[str, Any]) -> Law:
    """Angle of the left motor; the right one is its mirror image."""
    end = 0.0 if p["trajectory"] == "1" else -p["q_0"]
    return transition(p["q_0"], end, duration=p["T"])


def scenario(p: dict[str, Any]) -> Scenario:
    """From the equilibrium of the arch; the motors turn down and hold."""
    law = motor(p)
    return Scenario(
        "cpr_rfrfr_gravity", robot(p), gravity=(0.0, 0.0, -p["g"]), imposed={"left_motor": law, "right_motor": -1.0 * law},
        start=Start({"left.bending_y.0": -1.0, "right.bending_y.0": 1.0}, equilibrium=True), t_end=2.0 * p["T"], dt=5e-3,
        integrator="generalized_alpha", rho_inf=0.5, record_every=2, checks=checks(p),
    )  # fmt: skip


def snaps(result: Result) -> int:
    """How often the platform passes fast from above to below the line of the joints: bursts of kinetic energy."""
    height = result.body_position.sel(body="platform", xyz="z").values
    return int(np.sum((height[:-1] > 0.0) & (height[1:] <= 0.0)))


def burst(result: Result) -> float:
    """Largest kinetic energy over the largest before the platform passes the line of the joints."""
    height = result.body_position.sel(body="platform", xyz="z").values
    energy = result.kinetic_energy.values
    first = int(np.argmax(height <= 0.0)) if (height <= 0.0).any() else len(height)
    slow = energy[: max(1, first - 20)]
    return float(np.log10(energy.max() / slow.max()))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Loop closed; it snaps once on trajectory 2. On trajectory 1, where the source sees the platform drop, it does not: see
    docs/not-reproduced.md.
    """
    second = p["trajectory"] == "2"
    passing = (
        "own record: the distance of the joints is chosen so that it snaps"
        if second
        else f"own record, against {SOURCE}, which reports a drop here: not reproduced"
    )
    found = [Check("pin closed (m)", 0.0, 1e-9, lambda r: measures.gap(r, "platform", "right"), "loop closure", Kind.CLOSED_FORM)]
    if all(p[q.name] == q.value for q in PARAMETERS if q.name != "trajectory"):
        found.append(Check("passages of the line of the joints", 1.0 if second else 0.0, 0.0, snaps, passing, Kind.OWN))
        if second:
            found.append(
                Check(
                    "decades of the burst of kinetic energy",
                    2.4,
                    0.5,
                    burst,
                    "own record: 2.4 decades, at distances and times that the source does not give",
                    Kind.OWN,
                )
            )
    return tuple(found)
