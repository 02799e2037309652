"""Two drones that carry a box by two soft rods (Gotelli 2024, 3.9.2): an open chain without gravity, driven by feedback.

Each drone is pulled along a desired motion up and down, the two at different pace, by a wrench K_P e + K_I integral of e of the
error of its twist.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import cosine
from locodyn.robot import Box, Circle, Cylinder, Material, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Feedback
from locodyn.zoo import measures

SOURCE, CHOSEN = "Gotelli 2024, 3.9.2", "own choice"
PARAMETERS = (
    Parameter("l", 1.0, "m", SOURCE, "length of a rod", above=0.0),
    Parameter("diameter", 0.07, "m", SOURCE, "of the rods", above=0.0),
    Parameter("rho", 950.0, "kg/m^3", SOURCE, "density of the rods", above=0.0),
    Parameter("E", 0.25e6, "Pa", SOURCE, "Young's modulus; shear modulus E / 3", above=0.0),
    Parameter("drone", 1.5, "kg", CHOSEN, "mass of a drone", above=0.0),
    Parameter("I_drone", (0.03, 0.03, 0.05), "kg m^2", CHOSEN, "inertia of a drone", above=0.0),
    Parameter("payload", 0.5, "kg", CHOSEN, "mass of the box, a cube of 0.1 m", above=0.0),
    Parameter("k_P", 20.0, "N s/m, N m s", SOURCE, "gain on the error of the twist", least=0.0),
    Parameter("k_I", 2.5, "N/m, N m", SOURCE, "gain on its integral", least=0.0),
    Parameter("w", (math.pi, math.pi / 2.0), "rad/s", SOURCE, "desired speeds along z: sin(w t)", above=0.0),
    Parameter("stretch", 0, "-", SOURCE, "functions of stretch; 0: the rods keep their length", least=0),
    Parameter("modes", 3, "-", SOURCE, "Chebyshev functions of each of torsion and two curvatures", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"k_P": 500.0, "k_I": 0.0, "E": 1e4, "stretch": 2})


def robot(p: dict[str, Any]) -> Robot:
    """The chain along x: left drone, rod, box, rod, right drone, held at their centres."""
    chain = Robot("drones_payload")
    look = {"mass": p["drone"], "inertia": about_centre(np.diag(p["I_drone"])), "shape": Cylinder(0.15, 0.06)}
    rod = {
        "length": p["l"], "section": Circle(0.5 * p["diameter"]), "material": Material(p["E"], p["rho"], shear=p["E"] / 3.0),
        "torsion": p["modes"], "bending": p["modes"], "stretch": p["stretch"], "basis": "chebyshev",
    }  # fmt: skip
    left = chain.base("left", moves="free", **look)
    box = chain.body("box", mass=p["payload"], shape=Box((0.1, 0.1, 0.1))).on(left.rod("left rod", **rod)).fixed()
    right = chain.body("right", **look).on(box.rod("right rod", **rod)).fixed()
    for drone in (left, right):
        chain.wrench(f"fly {drone.name}", on=drone, law=Feedback(p["k_P"], p["k_I"]))
    return chain


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest; the desired heights are (1 - cos(w t)) / w."""
    paths = zip(("left", "right"), p["w"], strict=True)
    desired = {f"fly {name}.z": cosine(-1.0 / w, omega=w, offset=1.0 / w) for name, w in paths}
    return Scenario(
        "drones_payload", robot(p), gravity=(0.0, 0.0, 0.0), desired=desired, t_end=10.0, dt=0.01, integrator="radau3",
        tolerance=1e-8, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The balance of energy; a plane motion. Where the gain is large and the rods are soft, also in stretch, the left drone
    flies as desired: rods that keep their length are too short for the desired heights and pull the drones together.
    """
    found = [
        Check("energy less work of the drones (relative)", 0.0, 1e-4, measures.energy_defect, "first law", Kind.CONSERVATION),
        Check("leaves the x-z plane (m)", 0.0, 1e-9, _sideways, "symmetry", Kind.CLOSED_FORM),
    ]
    if p["k_P"] >= 500.0 and p["E"] <= 1e4 and p["k_I"] == 0.0 and p["stretch"] > 0:
        height = 2.0 / p["w"][0]
        found.append(
            Check(
                "height of the left drone (m)",
                (0.0, height),
                0.1 * height,
                _heights,
                "limit of a large gain and soft rods: the desired motion",
                Kind.CLOSED_FORM,
            )
        )
    return tuple(found)


def _sideways(result: Result) -> float:
    return float(np.abs(result.body_position.sel(body=["left", "box", "right"]).values[:, :, 1]).max())


def _heights(result: Result) -> np.ndarray:
    z = result.position.values[:, 2]
    return np.array([z.min(), z.max()])
