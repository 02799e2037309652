"""Hanging cantilever pulled aside by a force at its tip and released (Gotelli 2024, 3.9.1): soft and stiff rods.

Cases: ``soft`` (10 m, E = 1e11 Pa), ``stiff`` (0.4 m, E = 2e9 Pa as printed), ``steel`` (the same with 2e11 Pa, which the cited
benchmark has). Kirchhoff rod in a plane, three curvature modes. Gravity acts before and after the release along the rod at rest
(own reading).
"""

from __future__ import annotations

from typing import Any

from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario, statics
from locodyn.world.laws import WorldForce
from locodyn.zoo import measures

SOURCE = "Gotelli 2024, 3.9.1"
# case: length (m), density (kg/m^3), Young's modulus (Pa), diameter (m), force (N), end of the run (s), tip along rod and force
# (m)
CASES: dict[str, tuple[Any, ...]] = {
    "soft": (10.0, 7800.0, 1e11, 0.01, 50.0, 10.0, (5.08649, 7.88156)),
    "stiff": (0.4, 8000.0, 2e9, 0.002, 10.0, 1.0, (0.03731, 0.37190)),
    "steel": (0.4, 8000.0, 2e11, 0.002, 10.0, 1.0, (0.177225, 0.324219)),
}
PARAMETERS = (
    Parameter("case", "soft", "-", SOURCE, "which rod", choices=tuple(CASES)),
    Parameter("modes", 3, "-", SOURCE, "functions of the curvature", least=1),
    Parameter("nodes", 20, "-", SOURCE, "points that carry the mass", least=1),
    Parameter("g", 9.81, "m/s^2", "own reading", "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"case": "steel"}, {"case": "stiff"})


def robot(p: dict[str, Any], force: float = 0.0) -> Robot:
    """A rod that hangs along -z; the force acts along x."""
    length, density, young, diameter, *_ = CASES[p["case"]]
    cantilever = Robot("cantilever")
    rod = cantilever.base("ground", moves="fixed").rod(
        "rod", turned=("y", 1.5707963267948966), length=length, section=Circle(0.5 * diameter), material=Material(young, density),
        bending=(p["modes"], 0), nodes=p["nodes"],
    )  # fmt: skip
    if force:
        cantilever.wrench("pull", on=rod, law=WorldForce((force, 0.0, 0.0)))
    return cantilever


def scenario(p: dict[str, Any]) -> Scenario:
    """Released from the equilibrium under the force."""
    *_, force, end, _ = CASES[p["case"]]
    gravity = (0.0, 0.0, -p["g"])
    pulled = statics(robot(p, force), gravity=gravity, steps=4)
    step = 0.01 if p["case"] == "soft" else 5e-4
    return Scenario(
        "cantilever", robot(p), gravity=gravity, start=pulled, t_end=end, dt=step, integrator="gauss2",
        record_every=5 if p["case"] == "soft" else 2, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The tip before the release, of the same three modes (independent calculation); energy."""
    found = [Check("energy constant (drift, relative)", 0.0, 1e-5, measures.energy_drift, "no damping", Kind.CONSERVATION)]
    if p["modes"] == 3 and p["g"] == 9.81:
        length, *_, (along, aside) = CASES[p["case"]]
        place = (aside, 0.0, -along)
        check = Check(
            "tip at the release (m)",
            place,
            max(1e-5 * length, 2e-5),
            lambda r: measures.body_place(r, "rod", 0.0),
            "independent calculation of statics with the same three modes",
            Kind.INDEPENDENT,
        )
        found.append(check)
    return tuple(found)
