"""Rods in free flight, pushed and turned at one end: flying spaghetti in a plane (Simo and Vu-Quoc 1986), and soft and stiff rods
in space (Gotelli 2024, 3.9.1).

Cases: ``planar``, a rod that may stretch and shear, pushed for 2.5 s; ``soft`` and ``stiff``, Kirchhoff rods in space with three
functions for each bending and torsion, under loads that rise and fall as a triangle. The loads in space are those of Simo and
Vu-Quoc (soft) and own choice (stiff): Gotelli 2024 has them in a figure only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, samples
from locodyn.robot import Circle, GivenSection, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world.laws import UserLaw, WorldForce
from locodyn.zoo import measures

SOURCE = "Simo, Vu-Quoc 1986"
SPACE = "Gotelli 2024, 3.9.1"
PARAMETERS = (
    Parameter("case", "planar", "-", SPACE, "which rod and load", choices=("planar", "soft", "stiff")),
    Parameter("L", 10.0, "m", SOURCE, "length (planar)", above=0.0),
    Parameter("EA", 1e4, "N", SOURCE, "axial and shear stiffness (planar)", above=0.0),
    Parameter("EI", 500.0, "N m^2", SOURCE, "bending stiffness (planar)", above=0.0),
    Parameter("rhoA", 1.0, "kg/m", SOURCE, "mass of a metre (planar)", above=0.0),
    Parameter("rhoI", 10.0, "kg m", SOURCE, "inertia of a metre (planar)", above=0.0),
    Parameter("force", 8.0, "N", SOURCE, "force along x at the loaded end (planar)"),
    Parameter("moment", -80.0, "N m", SOURCE, "moment about z at the loaded end (planar)"),
    Parameter("duration", 2.5, "s", SOURCE, "how long they act (planar)", least=0.0),
    Parameter("modes", 5, "-", "own choice", "functions of bending; fewer of stretch and shear (planar)", least=2),
    Parameter("nodes", 10, "-", "own choice", "points that carry the mass; twice as many in space", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = (
    {},
    {"EI": 100.0},  # the other stiffness of Simo and Vu-Quoc
    {"case": "soft"},
    {"case": "stiff"},
)
# In space: place of the loaded end (m), largest p, when it is there (s), end of the run (s); the load is a force (p/10, 0, 0)
# or (p, 0, 0) and a moment (0, p/2, p), and over at twice the time.
FLIGHTS: dict[str, tuple[float, float, float, float]] = {"soft": (6.0, 200.0, 2.5, 10.0), "stiff": (0.6, 2.0, 0.7, 4.0)}


def robot(p: dict[str, Any]) -> Robot:
    """The loaded end A is the reference body, at (6, 0); the rod runs to B at (0, 8). The stiff rod is a tenth as long."""
    return _planar(p) if p["case"] == "planar" else _in_space(p)


def _planar(p: dict[str, Any]) -> Robot:
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


def _in_space(p: dict[str, Any]) -> Robot:
    flying, soft = Robot("flying_rod"), p["case"] == "soft"
    x, largest, _, _ = FLIGHTS[p["case"]]
    end = flying.base("A", moves="free", at=(x, 0.0, 0.0), turned=("z", math.atan2(8.0, -6.0)))
    rod: dict[str, Any] = {"length": 1.0, "section": Circle(0.05), "material": Material(1e6, 1e3, shear=1e6 / 3.0)}
    if soft:
        rod = {"length": 10.0, "section": GivenSection((1e4,) * 3 + (500.0,) * 3, mass=1.0, inertia=(10.0,) * 3)}
    end.rod("B", bending=3, torsion=3, nodes=2 * p["nodes"], **rod)
    force = 0.1 * largest if soft else largest
    flying.wrench("push", on=end, law=WorldForce((force, 0.0, 0.0), moment=(0.0, 0.5 * largest, largest)))
    return flying


def push_law(case: str) -> Law:
    """The load in space over its largest value: a triangle."""
    _, _, peak, end = FLIGHTS[case]
    return samples([0.0, peak, 2.0 * peak, 2.0 * end], [0.0, 1.0, 0.0, 0.0])


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest; the stiff rod four."""
    own: dict[str, Any] = {"t_end": 10.0, "dt": 0.02, "record_every": 5}
    if p["case"] != "planar":
        step = 0.005 if p["case"] == "stiff" else 0.02
        own = {"t_end": FLIGHTS[p["case"]][3], "dt": step, "record_every": 4, "load": {"push": push_law(p["case"])}}
    return Scenario("flying_rod", robot(p), gravity=(0.0, 0.0, 0.0), integrator="gauss2", tolerance=1e-8, checks=checks(p), **own)


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The mass centre moves as a point mass; after the push momentum and energy stay."""
    end, (start, impulse, over, mass) = 10.0, _as_a_point(p)
    if p["case"] != "planar":
        end = FLIGHTS[p["case"]][3]
    # Under a constant force, or a triangle, the mean of the velocity while it acts is half of that at its end.
    speed = impulse / mass
    place = (start[0] + 0.5 * speed * over + speed * (end - over), start[1], 0.0)
    free, kept, drift = "no load", Kind.CONSERVATION, 1e-2 if p["case"] == "planar" else 1e-2 * abs(impulse)
    found = [
        Check(
            "angular momentum after the push (drift, N m s)", 0.0, drift, lambda r: _after(r, over)[0], free, Kind.CONSERVATION
        ),
        Check("energy after the push (relative drift)", 0.0, 1e-3, lambda r: _after(r, over)[1], free, kept),
    ]
    if p["case"] != "planar" or (p["L"] == 10.0 and over < 10.0):
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


def _as_a_point(p: dict[str, Any]) -> tuple[tuple[float, float], float, float, float]:
    """Where the mass centre starts (x, y), m, the impulse of the load, N s, when it is over, s, and the mass, kg."""
    if p["case"] == "planar":
        return (3.0, 4.0), p["force"] * p["duration"], p["duration"], p["rhoA"] * p["L"]
    x, largest, peak, _ = FLIGHTS[p["case"]]
    soft = p["case"] == "soft"
    mass = 10.0 if soft else 1e3 * math.pi * 0.05**2
    return (0.5 * x, 2.0 / 3.0 * x), (0.1 if soft else 1.0) * largest * peak, 2.0 * peak, mass


def _after(result: Result, start: float) -> tuple[float, float]:
    """Drift of the angular momentum about the origin, and of the energy over its value, once the push is over."""
    later = result.time.values > start + 1e-9
    momentum = measures.angular_momenta(result)[later]
    energy = result.total_energy().values[later]
    return float(np.ptp(momentum, axis=0).max()), float(np.ptp(energy) / energy[0])
