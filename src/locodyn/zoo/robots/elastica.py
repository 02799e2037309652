"""Cantilever with a dead transverse force at its tip: the elastica of Euler (1744).

Inextensible, without shear, its shape depends on alpha = F L^2 / EI only. The run starts at the equilibrium and stays there.
"""

from __future__ import annotations

from typing import Any

from locodyn.robot import GivenSection, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.world.laws import WorldForce
from locodyn.zoo import measures

SOURCE = "Euler 1744; elliptic integrals"
PARAMETERS = (
    Parameter("alpha", 10.0, "-", SOURCE, "force over EI / L^2", least=0.0),
    Parameter("L", 1.0, "m", "own choice", "length", above=0.0),
    Parameter("EI", 1.0, "N m^2", "own choice", "bending stiffness", above=0.0),
    Parameter("rhoA", 1.0, "kg/m", "own choice", "mass of a metre", above=0.0),
    Parameter("modes", 8, "-", "own choice", "Legendre functions of the curvature", least=1),
    Parameter("nodes", 30, "-", "own choice", "points that carry the mass", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({"alpha": 1.0}, {"alpha": 5.0}, {"alpha": 10.0})
# alpha: transverse displacement and shortening of the tip over L
TIPS = {
    1.0: (0.30172077, 0.05643324),
    2.0: (0.49345748, 0.16064172),
    5.0: (0.71379152, 0.38762836),
    10.0: (0.81060902, 0.55499560),
}


def robot(p: dict[str, Any]) -> Robot:
    """A rod along x, clamped at the origin; the force acts along y."""
    cantilever = Robot("elastica")
    section = GivenSection((1.0, 1.0, 1.0, 1.0, p["EI"], p["EI"]), mass=p["rhoA"])
    ground = cantilever.base("ground", moves="fixed")
    rod = ground.rod("rod", length=p["L"], section=section, bending=(0, p["modes"]), nodes=p["nodes"])
    cantilever.wrench("load", on=rod, law=WorldForce((0.0, p["alpha"] * p["EI"] / p["L"] ** 2, 0.0)))
    return cantilever


def scenario(p: dict[str, Any]) -> Scenario:
    """At rest in the bent shape."""
    return Scenario(
        "elastica",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        start="equilibrium",
        t_end=0.1,
        dt=0.01,
        integrator="gauss2",
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The tip of the exact elastica, where it is tabulated; rest."""
    length = p["L"]
    found = [
        Check(
            "stays at rest (m)",
            0.0,
            1e-9 * length,
            lambda result: measures.shift_of(result, "rod"),
            "equilibrium",
            Kind.CLOSED_FORM,
        )
    ]
    if p["alpha"] in TIPS:
        transverse, shortening = TIPS[p["alpha"]]
        place = (length * (1.0 - shortening), length * transverse, 0.0)
        found.append(
            Check(
                "tip (m)",
                place,
                1e-6 * length,
                lambda result: measures.body_place(result, "rod", 0.0),
                "Euler 1744; elliptic integrals",
                Kind.CLOSED_FORM,
            )
        )
    return tuple(found)
