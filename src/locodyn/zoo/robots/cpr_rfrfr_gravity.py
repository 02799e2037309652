"""Planar continuum parallel robot RFRFR in a vertical plane, driven through its singularity (Gotelli 2024, 4.9.2).

Two rods on driven revolute joints hold a small platform between their tips. The motors turn from (q_0, -q_0) to (0, 0) with
``trajectory=1``, to (-q_0, q_0) with ``trajectory=2``. Gotelli does not give where the joints are, from where their angles
count, the mass of the platform, the direction of gravity and the times. ``clamps=parallel``: both angles count from one level
axis, and the joints are on one line. The rods then carry the platform as two bars of a truss. Near q = 0 the bars are parallel,
the branch of equilibria folds, and the platform drops; turned on, it rises on another branch, which folds too, and snaps back.
This is what Gotelli reports (Figs. 4.11 and 4.12), for any mass between 0.1 and 0.6 kg. ``clamps=facing``: at q = 0 the rods
point at each other and make an arch, with joints ``d`` apart. It does not drop at q = 0: it is stable there and snaps later, with
0.05 kg at -0.40 rad for d = 0.9 m, at -1.26 rad for 0.6 m.

Gotelli's step of 5 ms gains energy as the platform falls (0.13 J, a seventh of the energies in play); 1 ms does not.
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
    Parameter(
        "clamps",
        "parallel",
        "-",
        OWN,
        "at angles of zero the rods point the same way, or at each other",
        choices=("parallel", "facing"),
    ),
    Parameter("d", 0.0, "m", OWN, "distance of the joints: above each other (parallel), or side by side (facing)", least=0.0),
    Parameter("m_p", 0.3, "kg", OWN, "mass of the platform", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity, down in the plane", least=0.0),
    Parameter("T", 2.0, "s", OWN, "time of the motion; as much again at rest", above=0.0),
    Parameter("damping", 2e-3, "s", OWN, "Kelvin-Voigt damping of the rods", least=0.0),
)
FACING: dict[str, Any] = {"clamps": "facing", "d": 0.9, "m_p": 0.05}
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"trajectory": "1"}, FACING)


def robot(p: dict[str, Any]) -> Robot:
    """Rods in the world's x-z plane; a positive angle lifts a rod that points along x, and lowers one that points along -x."""
    parallel = p["clamps"] == "parallel"
    legs = Robot("cpr_rfrfr_gravity")
    ground = legs.base("ground", moves="fixed")
    tips = []
    for number, side in ((1, 1.0), (2, -1.0)):
        place = (0.0, 0.0, 0.5 * side * p["d"]) if parallel else (-0.5 * side * p["d"], 0.0, 0.0)
        turn = 0.0 if parallel or side > 0.0 else math.pi
        motor = legs.body(f"motor_{number}").on(ground, at=place).turning("-y", name=f"motor_{number}")
        tips.append(
            motor.rod(
                f"limb_{number}", turned=("-y", turn), length=p["l"], section=Rectangle(p["h"], p["w"]),
                material=Material(p["E"], p["rho"]), bending=(p["modes"], 0), nodes=max(10, p["modes"] + 6), damping=p["damping"],
            )
        )  # fmt: skip
    platform = legs.body("platform", mass=p["m_p"], shape=Sphere(0.01)).on(tips[0]).fixed()
    legs.loop("pin", platform, tips[1], joint="revolute", axis="y")
    return legs


def motor(p: dict[str, Any]) -> Law:
    """Angle of motor 1; that of motor 2 is the opposite."""
    end = 0.0 if p["trajectory"] == "1" else -p["q_0"]
    return transition(p["q_0"], end, duration=p["T"])


def scenario(p: dict[str, Any]) -> Scenario:
    """From the equilibrium of the start; the motors turn and hold."""
    law, bent = motor(p), 2.0 if p["clamps"] == "parallel" else -1.0
    return Scenario(
        "cpr_rfrfr_gravity", robot(p), gravity=(0.0, 0.0, -p["g"]), imposed={"motor_1": law, "motor_2": -1.0 * law},
        start=Start({"limb_1.bending_y.0": bent, "limb_2.bending_y.0": -bent}, equilibrium=True), t_end=2.0 * p["T"], dt=1e-3,
        integrator="generalized_alpha", rho_inf=0.5, record_every=10, checks=checks(p),
    )  # fmt: skip


def _height(result: Result) -> np.ndarray:
    """(n,) height of the platform over the joints, m."""
    return np.asarray(result.body_position.sel(body="platform", xyz="z").values)


def bounces(result: Result) -> int:
    """How often the platform turns from falling to rising, 2 cm or more from where it turned before."""
    height, turns, low, high, falling = _height(result), 0, math.inf, -math.inf, True
    for z in height:
        low, high = min(low, z), max(high, z)
        if falling and z > low + 0.02:
            turns, falling, high = turns + 1, False, z
        elif not falling and z < high - 0.02:
            falling, low = True, z
    return turns


def passages(result: Result) -> int:
    """How often the platform passes from above to below the line of the joints."""
    height = _height(result)
    return int(np.sum((height[:-1] > 0.0) & (height[1:] <= 0.0)))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Loop closed; the start by another code; the drop, the bounces and the snap, which Gotelli shows without numbers."""
    found = [
        Check("pin closed (m)", 0.0, 1e-9, lambda r: measures.gap(r, "platform", "limb_2"), "loop closure", Kind.CLOSED_FORM)
    ]
    chosen = {q.name: p[q.name] for q in PARAMETERS if p[q.name] != q.value}
    second = chosen.pop("trajectory", "2") == "2"
    own = "own record, at places, masses and times that the source does not give"
    if not chosen:
        found.append(
            Check(
                "height of the platform at the start (m)", -0.034029, 1e-5, lambda r: float(_height(r)[0]),
                "minimum of the energy of two rods of three modes in plain NumPy (tests/rfrfr_peer.py)", Kind.INDEPENDENT,
            )
        )  # fmt: skip
        lowest, times, energy = (-0.1594, 7, 0.43) if second else (-0.1574, 3, 0.0417)
        found += [
            Check("lowest place of the platform (m)", lowest, 1e-3, lambda r: float(_height(r).min()), own, Kind.OWN),
            Check("bounces of the platform", times, 0.0, bounces, own, Kind.OWN),
            Check("largest kinetic energy (J)", energy, 0.05 * energy, lambda r: float(r.kinetic_energy.max()), own, Kind.OWN),
        ]
    if second and chosen == FACING:
        place = "own record: the distance of the joints is chosen so that it snaps"
        found.append(Check("passages of the line of the joints", 1.0, 0.0, passages, place, Kind.OWN))
    return tuple(found)
