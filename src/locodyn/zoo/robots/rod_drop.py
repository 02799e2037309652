"""A soft rod, clamped at one end, dropped from the horizontal: large bends, a shock at the release, no damping."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

SOURCE = "two other codes agree to 5e-4 L"
OWN = "own choice"
PARAMETERS = (
    Parameter("L", 0.5, "m", OWN, "length", above=0.0),
    Parameter("r", 0.02, "m", OWN, "radius", above=0.0),
    Parameter("E", 1e6, "Pa", OWN, "Young's modulus", above=0.0),
    Parameter("G", 1e6 / 3.0, "Pa", OWN, "shear modulus", above=0.0),
    Parameter("rho", 1000.0, "kg/m^3", OWN, "density", above=0.0),
    Parameter("damping", 0.0, "s", OWN, "Kelvin-Voigt damping", least=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
    Parameter("modes", (9, 6, 6), "-", OWN, "functions of bending, stretch, shear", least=0),
    Parameter("nodes", 10, "-", OWN, "points that carry the mass", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
TIPS = {0.25: (0.3286, -0.3540), 0.5: (-0.0829, -0.3897), 1.0: (0.4994, -0.0107)}


def robot(p: dict[str, Any]) -> Robot:
    """A rod along x that bends about y."""
    drop = Robot("rod_drop")
    bending, stretch, shear = (int(n) for n in p["modes"])
    drop.base("ground", moves="fixed").rod(
        "rod", length=p["L"], section=Circle(p["r"]), material=Material(p["E"], p["rho"], shear=p["G"]), bending=(bending, 0),
        stretch=stretch, shear=(0, shear), nodes=p["nodes"], damping=p["damping"],
    )  # fmt: skip
    return drop


def scenario(p: dict[str, Any]) -> Scenario:
    """One second from rest."""
    return Scenario(
        "rod_drop",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        t_end=1.0,
        dt=0.005,
        integrator="gauss2",
        record_every=2,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Energy, and the tip at three instants (for the default rod); the codes that gave them agree to 2.5e-4 m."""
    found = []
    if p["damping"] == 0.0:
        weight = float(np.pi * p["r"] ** 2 * p["rho"] * p["L"] * p["g"] * p["L"])
        found.append(
            Check(
                "energy constant (of m g L)", 0.0, 1e-4, lambda result: _drift(result) / weight, "no damping", Kind.CONSERVATION
            )
        )
    fixed = [q for q in PARAMETERS if q.name not in ("modes", "nodes")]
    if all(p[q.name] == q.value for q in fixed) and min(p["modes"]) >= 3:
        for t, tip in TIPS.items():
            found.append(
                Check(
                    f"tip at {t:g} s (m)",
                    tip,
                    5e-4,
                    _tip(t),
                    "independent calculation: two other codes agree to 5e-4 L",
                    Kind.INDEPENDENT,
                )
            )
    return tuple(found)


def _drift(result: Result) -> float:
    energy = result.total_energy().values
    return float(np.max(np.abs(energy - energy[0])))


def _tip(t: float) -> Any:
    return lambda result: measures.body_place(result, "rod", t)[[0, 2]]
