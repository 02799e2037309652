"""Cantilever with a force that turns with its tip (Argyris and Symeonidis 1981): a load without potential energy."""

from __future__ import annotations

from typing import Any

from locodyn.robot import GivenSection, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario, Start
from locodyn.world.laws import Thrust
from locodyn.zoo import measures

SOURCE = "Argyris, Symeonidis 1981; Simo, Vu-Quoc 1986"
PARAMETERS = (
    Parameter("F", 5e3, "N", SOURCE, "force along the normal of the tip", least=0.0),
    Parameter("L", 100.0, "m", SOURCE, "length", above=0.0),
    Parameter("EI", 3.5e7, "N m^2", SOURCE, "bending stiffness", above=0.0),
    Parameter("GA", 1.61538e8, "N", SOURCE, "shear stiffness", above=0.0),
    Parameter("EA", 4.2e8, "N", SOURCE, "axial stiffness", above=0.0),
    Parameter("rhoA", 100.0, "kg/m", "own choice", "mass of a metre", above=0.0),
    Parameter("modes", 20, "-", "own choice", "functions of bending; four fewer of stretch and shear", least=2),
    Parameter("nodes", 100, "-", "own choice", "points that carry the mass", least=1),
)
# Displacement of the tip (m) at each force (N): converged shooting of the exact rod. The higher one winds the rod up.
TIPS = {5e3: (-12.67219, 44.03739), 130e3: (-75.92824, -47.82772)}
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"F": 130e3})


def robot(p: dict[str, Any]) -> Robot:
    """A planar rod along x; the force acts along the y axis of its tip."""
    cantilever = Robot("follower_force")
    section = GivenSection((p["EA"], p["GA"], p["GA"], 1.0, p["EI"], p["EI"]), mass=p["rhoA"], inertia=(1.0, 1.0, 1.0))
    few = max(1, p["modes"] - 4)
    rod = cantilever.base("ground", moves="fixed").rod(
        "rod", length=p["L"], section=section, bending=(0, p["modes"]), stretch=few, shear=(few, 0), nodes=p["nodes"]
    )
    cantilever.wrench("load", on=rod, law=Thrust(force=(0.0, p["F"], 0.0)))
    return cantilever


def scenario(p: dict[str, Any]) -> Scenario:
    """At rest under the load, which is brought up in steps."""
    steps = max(1, round(p["F"] * p["L"] ** 2 / p["EI"] / 4.0))
    return Scenario(
        "follower_force", robot(p), gravity=(0.0, 0.0, 0.0), start=Start(equilibrium=True, load_steps=steps), t_end=0.5, dt=0.05,
        integrator="gauss2", checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The tip of the exact rod."""
    found = [
        Check("stays at rest (m)", 0.0, 1e-6, lambda result: measures.shift_of(result, "rod"), "equilibrium", Kind.CLOSED_FORM)
    ]
    free = ("F", "rhoA", "modes", "nodes")
    source = all(p[parameter.name] == parameter.value for parameter in PARAMETERS if parameter.name not in free)
    if source and p["F"] in TIPS:
        along, across = TIPS[p["F"]]
        found.append(
            Check(
                "tip (m)",
                (p["L"] + along, across, 0.0),
                1e-4,
                lambda result: measures.body_place(result, "rod", 0.0),
                "independent calculation: converged shooting of the exact rod",
                Kind.INDEPENDENT,
            )
        )
    return tuple(found)
