"""Falling cat (Kane and Scher 1969): two halves joined at the waist turn over in the air with zero angular momentum.

The cat bends, lets the direction of the bend go once around its spine, and straightens: its shape is back, its orientation
is not. The waist is a universal joint
across the spine (z), so the halves cannot twist against each other; the angles are theta cos(psi) and theta sin(psi).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.motion import Law, spline
from locodyn.robot import Capsule, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("m", 2.0, "kg", CHOSEN, "mass of each half", above=0.0),
    Parameter("l", 0.25, "m", CHOSEN, "length of each half", above=0.0),
    Parameter("I_a", 0.004, "kg m^2", CHOSEN, "moment of a half about the spine", above=0.0),
    Parameter("I_t", 0.012, "kg m^2", CHOSEN, "moment of a half across the spine, about its mass centre", above=0.0),
    Parameter("theta", 1.26008, "rad", "chosen so that the cat turns over by pi", "bend of the waist"),
    Parameter("T", 0.5, "s", CHOSEN, "duration of the fall", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Rear and front half along the z axis, the waist between them."""
    cat = Robot("falling cat")
    half = {"mass": p["m"], "inertia": about_centre(xx=p["I_t"], yy=p["I_t"], zz=p["I_a"])}
    half["shape"] = Capsule(radius=0.2 * p["l"], length=0.6 * p["l"], axis="z")
    rear = cat.base("rear", moves="free", **half)
    front = cat.body("front", centre=(0.0, 0.0, p["l"] / 2), **half)
    front.on(rear, at=(0.0, 0.0, p["l"] / 2)).universal("x", "y", name="waist")
    return cat


def motion(p: dict[str, Any]) -> dict[str, Law]:
    """Bend in the first fifth of the time, go around, straighten in the last fifth: splines through the smooth functions."""
    s = np.linspace(0.0, 1.0, 201)
    bend = p["theta"] * smooth_step(s / 0.2) * smooth_step((1.0 - s) / 0.2)
    direction = 2.0 * np.pi * smooth_step((s - 0.1) / 0.8)
    return {
        "waist.0": spline(p["T"] * s, bend * np.cos(direction)),
        "waist.1": spline(p["T"] * s, bend * np.sin(direction)),
    }


def smooth_step(x: np.ndarray) -> np.ndarray:
    """0 below 0, 1 above 1, and 35 x^4 - 84 x^5 + 70 x^6 - 20 x^7 between."""
    x = np.clip(x, 0.0, 1.0)
    return x**4 * (35.0 - 84.0 * x + 70.0 * x**2 - 20.0 * x**3)


def scenario(p: dict[str, Any]) -> Scenario:
    """One fall, in the frame that falls with the cat: no gravity."""
    return Scenario(
        "falling_cat",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        imposed=motion(p),
        start="zero_momentum",
        t_end=p["T"],
        dt=p["T"] / 4000.0,
        record_every=8,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The cat turns over, and nothing from outside has turned it."""
    always = (
        Check(
            "angular momentum zero (N m s)", 0.0, 1e-10, measures.angular_momentum_drift, "conservation law", Kind.CONSERVATION
        ),
        Check("mass centre fixed (m)", 0.0, 1e-9, measures.mass_centre_drift, "conservation law", Kind.CONSERVATION),
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
    )
    if all(p[q.name] == q.value for q in PARAMETERS[:5]):
        return (
            Check(
                "turns over by pi (rad)",
                np.pi,
                1e-3,
                measures.rotation_angle,
                "own record: the bend of the waist is chosen so that the cat turns over by pi",
                Kind.OWN,
            ),
            *always,
        )
    return always
