"""Rattleback (Celtic stone): an ellipsoid whose principal axes are turned against its axes of curvature.

Kane and Levinson (1982), without their air resistance. Their axes have z down and the mass centre at h below the centre of the
ellipsoid; here z is up, so that their product D about (x, y) changes its sign, and so does the spin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Ellipsoid, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

SOURCE = "Kane and Levinson 1982"
OWN = "chosen"
PARAMETERS = (
    Parameter("a", 0.2, "m", SOURCE, "semi-axis along the stone", above=0.0),
    Parameter("b", 0.03, "m", SOURCE, "semi-axis across the stone", above=0.0),
    Parameter("c", 0.02, "m", SOURCE, "semi-axis along the vertical", above=0.0),
    Parameter("h", 0.01, "m", SOURCE, "mass centre below the centre of the ellipsoid"),
    Parameter("M", 1.0, "kg", SOURCE, "mass", above=0.0),
    Parameter("A", 2e-4, "kg m^2", SOURCE, "moment along the stone", above=0.0),
    Parameter("B", 1.6e-3, "kg m^2", SOURCE, "moment across the stone", above=0.0),
    Parameter("C", 1.7e-3, "kg m^2", SOURCE, "moment about the vertical", above=0.0),
    Parameter("D", -2e-5, "kg m^2", SOURCE, "entry (1, 2) of the moments, axes of Kane and Levinson (z down)"),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
    Parameter("tilt", (0.5, 0.5), "deg", OWN, "tilt at the start about the long axis and across it"),
    Parameter("spin", 5.0, "rad/s", OWN, "spin at the start about the vertical, against the one that it likes"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """One body, with its origin at the centre of the ellipsoid."""
    stone = Robot("rattleback")
    body = stone.base(
        "stone",
        mass=p["M"],
        centre=(0.0, 0.0, -p["h"]),
        inertia=about_centre(xx=p["A"], yy=p["B"], zz=p["C"], xy=-p["D"]),
        shape=Ellipsoid((p["a"], p["b"], p["c"]), at=(0.0, 0.0, 0.0)),
    )
    body.rolling("surface", semi_axes=(p["a"], p["b"], p["c"]))
    return stone


def scenario(p: dict[str, Any]) -> Scenario:
    """Six seconds: it spins, rattles and spins back."""
    tilt = np.radians(p["tilt"])
    start = Start(
        positions={"stone": (0.0, 0.0, p["c"], tilt[0], tilt[1], 0.0)},
        velocities={"stone.wz": p["spin"]},
        adjust=("stone.vz",),
        keep=("stone.wx", "stone.wy", "stone.wz"),
    )
    return Scenario(
        "rattleback",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=start,
        t_end=6.0,
        dt=8e-5,
        record_every=50,
        checks=checks(p),
    )


def slow_spin(result: Result) -> np.ndarray:
    """Angular velocity about the body's z axis, (N,) rad/s, averaged over half a second."""
    spin, times = result.twist.values[:, 5], result.time.values
    width = max(1, round(0.5 / (times[1] - times[0])))
    return np.convolve(spin, np.ones(width) / width, mode="valid")


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Energy, and the reversal of the spin."""
    energy = Check("energy constant (relative)", 0.0, 1e-8, measures.energy_drift, "no force does work", Kind.CONSERVATION)
    if p["D"] == 0.0 or p["spin"] != 5.0:
        return (energy,)

    def reversed_spin(result: Result) -> np.ndarray:
        spin = slow_spin(result)
        return np.array([np.sign(spin[0]), np.sign(spin.min())])

    return (
        energy,
        Check(
            "sign of the spin, first and later",
            (1.0, -1.0),
            0.0,
            reversed_spin,
            "own record of the signs: the spin reverses once",
            Kind.OWN,
        ),
    )
