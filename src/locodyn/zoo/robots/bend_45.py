"""Curved cantilever of 45 degrees with a load out of its plane (Bathe and Bolourchi 1979): bending and torsion together.

Root at the origin, tangent x, curving to +y, force +z. The tip depends on the torsion constant: Bathe and Bolourchi
take J = 1/6, the polar moment of the unit square, not that of Saint-Venant.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.robot import Material, Rectangle, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario, Start
from locodyn.world.laws import WorldForce
from locodyn.zoo import measures

SOURCE = "Bathe, Bolourchi 1979"
PARAMETERS = (
    Parameter("F", 600.0, "N", SOURCE, "force at the tip", least=0.0),
    Parameter("R", 100.0, "m", SOURCE, "radius of the bend", above=0.0),
    Parameter("a", 1.0, "m", SOURCE, "side of the square section", above=0.0),
    Parameter("E", 1e7, "Pa", SOURCE, "Young's modulus", above=0.0),
    Parameter("G", 5e6, "Pa", SOURCE, "shear modulus", above=0.0),
    Parameter("rho", 1.0, "kg/m^3", "own choice", "density", above=0.0),
    Parameter("modes", 6, "-", "own choice", "functions of bending and torsion; half as many of stretch and shear", least=2),
    Parameter("nodes", 20, "-", "own choice", "points that carry the mass", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({"F": 300.0}, {"F": 600.0})
TIPS = {300.0: (58.77912, 22.24478, 40.19189), 450.0: (52.23856, 18.50818, 48.50293), 600.0: (47.15044, 15.68480, 53.47486)}


def robot(p: dict[str, Any]) -> Robot:
    """One rod, curved at rest."""
    bend = Robot("bend_45")
    n, side = p["modes"], p["a"]
    rod = bend.base("ground", moves="fixed").rod(
        "rod", length=0.25 * math.pi * p["R"], section=Rectangle(side, side, torsion=side**4 / 6.0),
        material=Material(p["E"], p["rho"], shear=p["G"]), bending=n, torsion=n, stretch=n // 2, shear=n // 2,
        rest_curvature=(0.0, 0.0, 1.0 / p["R"]), nodes=p["nodes"],
    )  # fmt: skip
    bend.wrench("load", on=rod, law=WorldForce((0.0, 0.0, p["F"])))
    return bend


def scenario(p: dict[str, Any]) -> Scenario:
    """At rest under the load."""
    return Scenario(
        "bend_45", robot(p), gravity=(0.0, 0.0, 0.0), start=Start(equilibrium=True, load_steps=3), t_end=0.1, dt=0.01,
        integrator="gauss2", checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The tip of the exact rod (converged shooting), 1e-3 m."""
    default = all(
        p[parameter.name] == parameter.value for parameter in PARAMETERS if parameter.name not in ("F", "modes", "nodes")
    )
    found = [
        Check("stays at rest (m)", 0.0, 1e-6, lambda result: measures.shift_of(result, "rod"), "equilibrium", Kind.CLOSED_FORM)
    ]
    if default and p["F"] in TIPS:
        found.append(
            Check(
                "tip (m)",
                TIPS[p["F"]],
                1e-3,
                lambda result: measures.body_place(result, "rod", 0.0),
                "independent calculation: converged shooting of the exact rod",
                Kind.INDEPENDENT,
            )
        )
    return tuple(found)
