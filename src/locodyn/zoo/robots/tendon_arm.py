"""Continuum arm of two sections in series, each bent by three tendons parallel to its axis (Webster and Jones 2010).

The tendons of the far section pass through the near one: there they are strands with the same tension, for a tendon without
friction pulls with one tension all along. Without weight each section is an arc: EI kappa = sum of T d over the tendons that
pass it, towards them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, transition
from locodyn.robot import Circle, Material, Robot, Sphere, rotation_about
from locodyn.sim import Check, Kind, Parameter, Result, Scenario

SOURCE = "Webster, Jones 2010; tendons as in Gotelli 2024, (2.32)"
OWN = "own choice"
SECTIONS = ("near", "far")
PARAMETERS = (
    Parameter("l", (0.25, 0.2), "m", OWN, "lengths of the near and the far section", above=0.0),
    Parameter("r", 1e-3, "m", OWN, "radius of the backbone", above=0.0),
    Parameter("E", 60e9, "Pa", OWN + " (nitinol)", "Young's modulus", above=0.0),
    Parameter("rho", 6450.0, "kg/m^3", OWN + " (nitinol)", "density", above=0.0),
    Parameter("offset", 0.01, "m", OWN, "distance of the tendons from the axis", above=0.0),
    Parameter("near", (12.0, 2.0, 2.0), "N", OWN, "tensions of the near section at the end", least=0.0),
    Parameter("far", (2.0, 2.0, 10.0), "N", OWN, "tensions of the far section at the end", least=0.0),
    Parameter("start", 2.0, "N", OWN, "all tensions at the start", least=0.0),
    Parameter("T", 0.5, "s", OWN, "time in which tensions change", above=0.0),
    Parameter("m_tip", 0.02, "kg", OWN, "mass at the tip", above=0.0),
    Parameter("g", 0.0, "m/s^2", OWN, "gravity, down while the arm stands up", least=0.0),
    Parameter("modes", 2, "-", OWN, "functions of each curvature and of the torsion of a section", least=1),
    Parameter("damping", 0.2, "s", OWN, "Kelvin-Voigt damping", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"modes": 4, "near": (3.0, 9.0, 3.0), "far": (8.0, 2.0, 2.0)})


def places(p: dict[str, Any], section: str) -> list[tuple[float, float]]:
    """Offsets (y, z) of the three tendons of a section; those of the far one stand between those of the near one."""
    turn = 0.0 if section == "near" else math.pi / 3.0
    angles = [turn + 2.0 * math.pi * k / 3.0 for k in range(3)]
    return [(p["offset"] * math.cos(a), p["offset"] * math.sin(a)) for a in angles]


def robot(p: dict[str, Any]) -> Robot:
    """Upwards from the ground."""
    arm = Robot("tendon_arm")
    parent = arm.base("ground", moves="fixed")
    for k, name in enumerate(SECTIONS):
        parent = parent.rod(
            name, turned=("y", -0.5 * math.pi) if k == 0 else None, length=p["l"][k], section=Circle(p["r"]), bending=p["modes"],
            material=Material(p["E"], p["rho"]), torsion=p["modes"], damping=p["damping"], nodes=p["modes"] + 6,
        )  # fmt: skip
        for owner in SECTIONS[k:]:
            for j, place in enumerate(places(p, owner)):
                parent.tendon(strand(owner, j, name), place)
    arm.body("tip", mass=p["m_tip"], shape=Sphere(0.008)).on(parent).fixed()
    return arm


def strand(owner: str, number: int, section: str) -> str:
    """Name of the part of a tendon in a section: ``near_1``, ``far_1``, and ``far_1_root`` where it passes the near one."""
    return f"{owner}_{number + 1}" + ("_root" if owner != section else "")


def tensions(p: dict[str, Any]) -> dict[str, Law]:
    """One law for each tendon, the same for its parts."""
    laws = {}
    for k, section in enumerate(SECTIONS):
        for owner in SECTIONS[k:]:
            for j in range(3):
                laws[strand(owner, j, section)] = transition(p["start"], p[owner][j], duration=p["T"])
    return laws


def scenario(p: dict[str, Any]) -> Scenario:
    """Tensions change from equal ones; then the arm comes to rest."""
    return Scenario(
        "tendon_arm", robot(p), gravity=(0.0, 0.0, -p["g"]), tension=tensions(p), start="equilibrium", t_end=8.0 * p["T"],
        dt=0.01, integrator="gauss2", record_every=2, checks=checks(p),
    )  # fmt: skip


def arcs(p: dict[str, Any]) -> np.ndarray:
    """Place of the tip (3,) m with the tensions of the end: two arcs (Webster and Jones 2010), in the axes of the world."""
    stiffness = p["E"] * math.pi * p["r"] ** 4 / 4.0
    rotation, position = rotation_about("y", -0.5 * math.pi), np.zeros(3)
    for k, length in enumerate(p["l"]):
        passing = [(t, d) for owner in SECTIONS[k:] for t, d in zip(p[owner], places(p, owner), strict=True)]
        y, z = (sum(t * d[i] for t, d in passing) / stiffness for i in (0, 1))  # curvature towards y and towards z
        curvature = math.hypot(y, z)
        towards = np.array([0.0, y, z]) / max(curvature, 1e-300)
        angle = curvature * length
        along = np.array([length * np.sinc(angle / math.pi), 0.0, 0.0])
        aside = towards * 0.5 * length * angle * np.sinc(0.5 * angle / math.pi) ** 2
        position = position + rotation @ (along + aside)
        axis = np.cross([1.0, 0.0, 0.0], towards)
        rotation = rotation @ (rotation_about(tuple(axis), angle) if curvature > 0.0 else np.eye(3))
    return position


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Where the arm comes to rest; it starts straight."""
    size = sum(p["l"])

    def ends(result: Result) -> np.ndarray:
        return result.body_position.sel(body="tip").values[[0, -1]]

    found = [Check("tip on the axis at the start (m)", (0.0, 0.0), 1e-9, lambda r: ends(r)[0, :2], "symmetry", Kind.CLOSED_FORM)]
    if p["g"] == 0.0:
        found.append(
            Check(
                "tip at rest: two arcs (m)",
                tuple(arcs(p)),
                1e-5 * size,
                lambda r: ends(r)[1],
                "two arcs, EI kappa = sum of T d (Webster, Jones 2010)",
                Kind.CLOSED_FORM,
            )
        )
    return tuple(found)
