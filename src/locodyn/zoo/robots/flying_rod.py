"""Flying spaghetti (Simo and Vu-Quoc 1986): a soft rod in free flight, pushed and turned at one end for 2.5 s, in a plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import GivenSection, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world.laws import UserLaw
from locodyn.zoo import measures

SOURCE = "Simo, Vu-Quoc 1986"
PARAMETERS = (
    Parameter("L", 10.0, "m", SOURCE, "length", above=0.0),
    Parameter("EA", 1e4, "N", SOURCE, "axial and shear stiffness", above=0.0),
    Parameter("EI", 500.0, "N m^2", SOURCE, "bending stiffness", above=0.0),
    Parameter("rhoA", 1.0, "kg/m", SOURCE, "mass of a metre", above=0.0),
    Parameter("rhoI", 10.0, "kg m", SOURCE, "inertia of a metre", above=0.0),
    Parameter("force", 8.0, "N", SOURCE, "force along x at the loaded end"),
    Parameter("moment", -80.0, "N m", SOURCE, "moment about z at the loaded end"),
    Parameter("duration", 2.5, "s", SOURCE, "how long they act", least=0.0),
    Parameter("modes", 5, "-", "own choice", "functions of bending; fewer of stretch and shear", least=2),
    Parameter("nodes", 10, "-", "own choice", "points that carry the mass", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"EI": 100.0})  # the two stiffnesses of the source


def robot(p: dict[str, Any]) -> Robot:
    """The loaded end A is the reference body, at (6, 0); the rod runs to B at (0, 8)."""
    flying = Robot("flying_rod")
    end = flying.base("A", moves="planar", at=(6.0, 0.0, 0.0), turned=("z", math.atan2(8.0, -6.0)))
    stiffness = (p["EA"], p["EA"], p["EA"], p["EI"], p["EI"], p["EI"])
    section = GivenSection(stiffness, mass=p["rhoA"], inertia=(p["rhoI"],) * 3)
    few = max(1, p["modes"] - 2)
    end.rod("B", length=p["L"], section=section, bending=(0, p["modes"]), stretch=few, shear=(few, 0), nodes=p["nodes"])

    def push(t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray) -> np.ndarray:
        acting = 1.0 if t <= p["duration"] * (1.0 + 1e-12) else 0.0
        return acting * np.concatenate([rotation.T @ (p["force"], 0.0, 0.0), (0.0, 0.0, p["moment"])])

    flying.wrench("push", on=end, law=UserLaw(push))
    return flying


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest."""
    return Scenario(
        "flying_rod", robot(p), gravity=(0.0, 0.0, 0.0), t_end=10.0, dt=0.02, integrator="gauss2", tolerance=1e-8, record_every=5,
        checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The mass centre moves as a point mass; after the push momentum and energy stay."""
    mass, t = p["rhoA"] * p["L"], p["duration"]
    speed = p["force"] * t / mass
    place = (3.0 + 0.5 * speed * t + speed * (10.0 - t), 4.0, 0.0)
    found = [
        Check(
            "angular momentum after the push (drift, N m s)", 0.0, 1e-2, lambda r: _after(r, t)[0], "no load", Kind.CONSERVATION
        ),
        Check("energy after the push (relative drift)", 0.0, 1e-3, lambda r: _after(r, t)[1], "no load", Kind.CONSERVATION),
    ]
    if p["L"] == 10.0 and t < 10.0:
        found.append(
            Check(
                "mass centre at the end (m)",
                place,
                1e-3,
                lambda r: measures.mass_centres(r)[-1],
                "a point mass under the same force",
                Kind.CLOSED_FORM,
            )
        )
    return tuple(found)


def _after(result: Result, start: float) -> tuple[float, float]:
    """Drift of the angular momentum about z, and of the energy over its value, once the push is over."""
    later = result.time.values > start + 1e-9
    momentum = measures.angular_momenta(result)[later, 2]
    energy = result.total_energy().values[later]
    return float(np.ptp(momentum)), float(np.ptp(energy) / energy[0])
