"""Spin-up of a flexible beam on a hub (Kane, Ryan and Banerjee 1987; Simo and Vu-Quoc 1986): centrifugal stiffening.

The hub reaches 6 rad/s within 15 s. The beam lags behind, then straightens, stretched by its own centrifugal force.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import function
from locodyn.robot import GivenSection, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario

SOURCE = "Simo, Vu-Quoc 1986"
PARAMETERS = (
    Parameter("L", 10.0, "m", SOURCE, "length", above=0.0),
    Parameter("EA", 2.8e7, "N", SOURCE, "axial stiffness", above=0.0),
    Parameter("GA", 1e7, "N", SOURCE, "shear stiffness", above=0.0),
    Parameter("EI", 1.4e4, "N m^2", SOURCE, "bending stiffness", above=0.0),
    Parameter("rhoA", 1.2, "kg/m", SOURCE, "mass of a metre", above=0.0),
    Parameter("rhoI", 6e-4, "kg m", SOURCE, "inertia of a metre", above=0.0),
    Parameter("Omega", 6.0, "rad/s", SOURCE, "final speed of the hub"),
    Parameter("T", 15.0, "s", SOURCE, "duration of the spin-up", above=0.0),
    Parameter("modes", (4, 4, 2), "-", "own choice", "functions of bending, stretch, shear", least=0),
    Parameter("nodes", 12, "-", "own choice", "points that carry the mass", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """A hub that turns about z, a rod along its x axis."""
    beam = Robot("spin_up_beam")
    hub = beam.body("hub", mass=1.0).on(beam.base("ground", moves="fixed")).turning("z")
    stiffness = (p["EA"], p["GA"], p["GA"], 1.0, p["EI"], p["EI"])
    section = GivenSection(stiffness, mass=p["rhoA"], inertia=(2.0 * p["rhoI"], p["rhoI"], p["rhoI"]))
    bending, stretch, shear = (int(n) for n in p["modes"])
    hub.rod("beam", length=p["L"], section=section, bending=(0, bending), stretch=stretch, shear=(shear, 0), nodes=p["nodes"])
    return beam


def hub_angle(p: dict[str, Any]) -> Any:
    """Omega/T (t^2/2 + (T/2 pi)^2 (cos(2 pi t/T) - 1)) up to T, then Omega (t - T/2): a law with two derivatives."""
    rate, period = p["Omega"], p["T"]
    w = 2.0 * math.pi / period

    def angle(t: float) -> float:
        return float(rate / period * (0.5 * t * t + (math.cos(w * t) - 1.0) / w**2) if t < period else rate * (t - 0.5 * period))

    def speed(t: float) -> float:
        return float(rate / period * (t - math.sin(w * t) / w) if t < period else rate)

    def acceleration(t: float) -> float:
        return rate / period * (1.0 - math.cos(w * t)) if t < period else 0.0

    return function(angle, speed, acceleration)


def scenario(p: dict[str, Any]) -> Scenario:
    """Spin-up and five seconds more."""
    return Scenario(
        "spin_up_beam", robot(p), gravity=(0.0, 0.0, 0.0), imposed={"hub": hub_angle(p)}, t_end=p["T"] + 5.0, dt=0.02,
        integrator="radau3", tolerance=1e-7, record_every=5, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Steady rotation: the exact extension L (tan(aL)/(aL) - 1), a = Omega sqrt(rhoA/EA); no bending left."""
    x = abs(p["Omega"]) * math.sqrt(p["rhoA"] / p["EA"]) * p["L"]
    extension = p["L"] * (math.tan(x) / x - 1.0)
    return (
        Check(
            "steady extension (m)",
            extension,
            2e-3 * extension,
            lambda r: float(np.mean(_tips(r, p)[-20:, 0])),
            "L (tan(aL)/(aL) - 1), a = Omega sqrt(rhoA/EA)",
            Kind.CLOSED_FORM,
        ),
        Check(
            "bending left (m)",
            0.0,
            5e-3,
            lambda r: float(np.max(np.abs(_tips(r, p)[-20:, 1]))),
            "steady rotation: no bending is left; the oscillation left by the spin-up is within 5 mm",
            Kind.CLOSED_FORM,
        ),
        Check(
            "largest lag of the tip (m)",
            0.57,
            0.02,
            lambda r: float(-np.min(_tips(r, p)[:, 1])),
            "own record: 0.574",
            Kind.OWN,
        ),
    )


def _tips(result: Result, p: dict[str, Any]) -> np.ndarray:
    """Displacement of the tip from the straight beam, along and across it, (n, 2) m."""
    angle = result.joint_position.sel(joint="hub").values
    x, y, _ = result.body_position.sel(body="beam").values.T
    along, across = np.cos(angle) * x + np.sin(angle) * y, np.cos(angle) * y - np.sin(angle) * x
    return np.column_stack([along - p["L"], across])
