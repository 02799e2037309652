"""Princeton beam (Dowell and Traybar 1975): a flat cantilever with a weight at its tip, turned about its axis by the loading
angle.

Bending in both planes and torsion couple as the load turns from the stiff plane (0 degrees) to the soft one (90 degrees).
Self-weight is left out, as in the exact values.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.robot import GivenSection, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.world.laws import WorldForce
from locodyn.zoo import measures

SOURCE = "Dowell, Traybar 1975; Bauchau et al. 2016"
PARAMETERS = (
    Parameter("P", 13.345, "N", SOURCE, "weight at the tip", least=0.0),
    Parameter("angle", 45.0, "deg", SOURCE, "loading angle: 0 bends the stiff way, 90 the soft way"),
    Parameter("L", 0.508, "m", SOURCE, "length", above=0.0),
    Parameter("EA", 2.842e6, "N", SOURCE, "axial stiffness", above=0.0),
    Parameter("GA", (0.9039e6, 0.6401e6), "N", SOURCE, "shear stiffness along y (stiff plane) and z (soft plane)", above=0.0),
    Parameter("GJ", 3.103, "N m^2", SOURCE, "torsional stiffness", above=0.0),
    Parameter("EI", (2.429, 36.28), "N m^2", SOURCE, "bending stiffness about y (soft) and z (stiff)", above=0.0),
    Parameter("rhoA", 0.1, "kg/m", "own choice", "mass of a metre", above=0.0),
    Parameter("modes", 6, "-", "own choice", "functions of bending and torsion; half as many of stretch and shear", least=2),
    Parameter("nodes", 20, "-", "own choice", "points that carry the mass", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"angle": 90.0})
# loading angle: tip displacement along x, y (stiff), z (soft)
TIPS = {45.0: (-3.0356e-2, 1.53420e-2, 1.56576e-1), 90.0: (None, 0.0, 2.00679e-1)}


def robot(p: dict[str, Any]) -> Robot:
    """A rod along x; the load lies in the y-z plane."""
    beam = Robot("princeton_beam")
    inertia = (2e-6, 1e-6, 1e-6)
    section = GivenSection((p["EA"], *p["GA"], p["GJ"], *p["EI"]), mass=p["rhoA"], inertia=inertia)
    n = p["modes"]
    rod = beam.base("ground", moves="fixed").rod(
        "rod", length=p["L"], section=section, bending=n, torsion=n, stretch=n // 2, shear=n // 2, nodes=p["nodes"]
    )
    angle = math.radians(p["angle"])
    beam.wrench("weight", on=rod, law=WorldForce((0.0, p["P"] * math.cos(angle), p["P"] * math.sin(angle))))
    return beam


def scenario(p: dict[str, Any]) -> Scenario:
    """At rest under the weight."""
    return Scenario(
        "princeton_beam", robot(p), gravity=(0.0, 0.0, 0.0), start="equilibrium", t_end=0.01, dt=0.001, integrator="gauss2",
        checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The tip of the exact rod, relative to its largest displacement."""
    found = [
        Check("stays at rest (m)", 0.0, 1e-8, lambda result: measures.shift_of(result, "rod"), "equilibrium", Kind.CLOSED_FORM)
    ]
    free = ("angle", "rhoA", "modes", "nodes")
    if p["angle"] in TIPS and all(p[q.name] == q.value for q in PARAMETERS if q.name not in free):
        for axis, (name, value) in enumerate(zip(("x", "stiff way", "soft way"), TIPS[p["angle"]], strict=True)):
            if value is not None:
                found.append(
                    Check(
                        f"tip displacement, {name} (m)",
                        value,
                        2e-6,
                        _displacement(axis, p["L"]),
                        "independent calculation: converged shooting of the exact rod without its own weight",
                        Kind.INDEPENDENT,
                    )
                )
    return tuple(found)


def _displacement(axis: int, length: float) -> Any:
    def measure(result: Any) -> float:
        return float(measures.body_place(result, "rod", 0.0)[axis]) - (length if axis == 0 else 0.0)

    return measure
