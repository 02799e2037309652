"""Soft gripper: three fingers of silicone with a pressurised chamber along their outer side, hanging from a palm.

A chamber pushes its finger longer on the outside, so that it bends inwards. Without weight a finger is an arc: EA eps = p A and
EI kappa = p A d, with A the area of the chamber and d its distance from the axis.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import transition
from locodyn.robot import Circle, Cylinder, Material, Robot, Sphere
from locodyn.sim import Check, Kind, Parameter, Result, Scenario

SOURCE = "closed form (arc)"
OWN = "own choice"
PARAMETERS = (
    Parameter("n", 3, "-", OWN, "fingers", least=2),
    Parameter("l", 0.1, "m", OWN, "length of a finger", above=0.0),
    Parameter("r", 0.009, "m", OWN, "radius of a finger", above=0.0),
    Parameter("E", 0.5e6, "Pa", OWN + " (silicone)", "Young's modulus", above=0.0),
    Parameter("rho", 1070.0, "kg/m^3", OWN + " (silicone)", "density", above=0.0),
    Parameter("palm", 0.04, "m", OWN, "distance of the fingers from the middle of the palm", above=0.0),
    Parameter("area", 4e-5, "m^2", OWN, "area of a chamber", above=0.0),
    Parameter("offset", 0.005, "m", OWN, "distance of a chamber from the axis", least=0.0),
    Parameter("p", 70e3, "Pa", OWN, "pressure at the end", least=0.0),
    Parameter("T", 0.3, "s", OWN, "time in which the pressure rises", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
    Parameter("modes", 3, "-", OWN, "functions of the curvatures; fewer of stretch and torsion", least=1),
    Parameter("damping", 0.02, "s", OWN, "Kelvin-Voigt damping", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"g": 0.0})


def robot(p: dict[str, Any]) -> Robot:
    """Fingers along -z; the y axis of a section points outwards."""
    hand = Robot("soft_gripper")
    palm = hand.base("palm", moves="fixed", shape=Cylinder(p["palm"] + 1.5 * p["r"], 0.01))
    for k in range(p["n"]):
        angle = 2.0 * math.pi * k / p["n"]
        out = np.array([math.cos(angle), math.sin(angle), 0.0])
        down = np.array([0.0, 0.0, -1.0])
        finger = palm.rod(
            f"finger_{k + 1}", at=tuple(p["palm"] * out), turned=np.column_stack([down, out, np.cross(down, out)]),
            length=p["l"], section=Circle(p["r"]), material=Material(p["E"], p["rho"], poisson=0.45), bending=p["modes"],
            stretch=max(1, p["modes"] - 1), torsion=1, damping=p["damping"], nodes=p["modes"] + 4,
        )  # fmt: skip
        finger.chamber(f"chamber_{k + 1}", (p["offset"], 0.0), area=p["area"])
        hand.body(f"tip_{k + 1}", mass=1e-3, shape=Sphere(p["r"])).on(finger).fixed()
    return hand


def scenario(p: dict[str, Any]) -> Scenario:
    """From hanging fingers; the pressure rises, and the hand closes."""
    law = transition(0.0, p["p"], duration=p["T"])
    return Scenario(
        "soft_gripper", robot(p), gravity=(0.0, 0.0, -p["g"]), pressure={f"chamber_{k + 1}": law for k in range(p["n"])},
        start="equilibrium", t_end=4.0 * p["T"], dt=5e-3, integrator="gauss2", record_every=2, checks=checks(p),
    )  # fmt: skip


def tips(result: Result, n: int) -> np.ndarray:
    """Distances of the fingertips from the axis of the palm and heights at the end, (n, 2) m."""
    places = result.body_position.sel(body=[f"tip_{k + 1}" for k in range(n)]).values[-1]
    return np.column_stack([np.hypot(places[:, 0], places[:, 1]), places[:, 2]])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """All fingers do the same; the arc without weight."""
    found = [
        Check(
            "fingers alike at the end (m)",
            0.0,
            1e-9,
            lambda r: np.ptp(tips(r, p["n"]), axis=0).max(),
            "symmetry",
            Kind.CLOSED_FORM,
        )
    ]
    if p["g"] == 0.0:
        force = p["p"] * p["area"]
        stretch = 1.0 + force / (p["E"] * math.pi * p["r"] ** 2)
        angle = p["l"] * force * p["offset"] / (p["E"] * math.pi * p["r"] ** 4 / 4.0)
        arc = p["l"] * stretch
        place = (p["palm"] - 0.5 * arc * angle * np.sinc(0.5 * angle / math.pi) ** 2, -arc * np.sinc(angle / math.pi))
        found.append(Check("fingertip at rest: an arc (m)", place, 1e-6, lambda r: tips(r, p["n"])[0], SOURCE, Kind.CLOSED_FORM))
    return tuple(found)
