"""A dimer, two balls on a light rod, on a plate that shakes vertically: one ball stays down, one bounces (Dorbolo et al. 2005).

In the first excited mode one ball stays on the plate during most of the cycle while the other bounces in phase with the plate,
although the plate never accelerates down faster than gravity: a dimer that lies flat stays down. It drifts along the plate,
towards the ball that stays down, the faster the less friction there is: 15 mm/s with the coefficient 0.1 (the same to 0.1 % at
half the step), 6 with 0.2, nothing from 0.3 on, where that ball sticks. Sizes and coefficients are chosen: we know what the
source sees, not its numbers. Without friction the mode has a closed form, and a least restitution (pi - gamma) / (pi + gamma).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.contact.options import RESTITUTION_LAWS, HardContact
from locodyn.motion import sine
from locodyn.robot import Box, Capsule, Compound, Cylinder, Robot, Sphere, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "own choice"
SOURCE = "as in Dorbolo et al. (2005): light rod, plate shaken below gravity"
PARAMETERS = (
    Parameter("radius", 6.35e-3, "m", OWN, "of a ball", above=0.0),
    Parameter("aspect", 3.9, "-", SOURCE, "whole length over the diameter of a ball", above=1.0),
    Parameter("mass", 8.4e-3, "kg", OWN, "of a ball", above=0.0),
    Parameter("frequency", 25.0, "Hz", SOURCE, "of the plate", above=0.0),
    Parameter("gamma", 0.9, "-", SOURCE, "largest acceleration of the plate over gravity", least=0.0),
    Parameter("restitution", 0.6, "-", OWN, "of the balls on the plate", least=0.0, most=1.0),
    Parameter("mu", 0.1, "-", OWN, "friction of the balls on the plate", least=0.0),
    Parameter("law", "newton", "-", OWN, "of restitution", choices=tuple(RESTITUTION_LAWS)),
    Parameter("lift", 0.1, "rad", OWN, "tilt of the dimer at the start, one ball on the plate", least=0.0, most=0.5 * math.pi),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"mu": 0.0}, {"lift": 0.0}, {"law": "poisson"})


def robot(p: dict[str, Any]) -> Robot:
    """A plate on a slide, and a dimer that moves in the x-z plane."""
    shaker = Robot("bouncing_dimer")
    coil = Compound((Box((0.04, 0.04, 0.01), at=(0.0, 0.0, -0.03)), Cylinder(0.003, 0.024, at=(0.0, 0.0, -0.015))))
    shaker.base("frame", moves="fixed", shape=coil)
    plate = shaker.body("plate", mass=1.0, shape=Box((0.2, 0.05, 0.01), at=(0.0, 0.0, -0.005))).on("frame")
    plate.sliding("z", name="shake").collides(friction=p["mu"], restitution=p["restitution"])
    half = (p["aspect"] - 1.0) * p["radius"]
    own = 0.4 * p["mass"] * p["radius"] ** 2
    across = 2.0 * (own + p["mass"] * half**2)
    inertia = about_centre(xx=2.0 * own, yy=across, zz=across)
    balls = [Sphere(p["radius"], at=(side * half, 0.0, 0.0)) for side in (-1.0, 1.0)]
    shape = Compound((Capsule(0.3 * p["radius"], 2.0 * half, axis="x"), *balls))
    dimer = shaker.body("dimer", mass=2.0 * p["mass"], inertia=inertia, shape=shape)
    dimer.on("frame", turned=("x", 0.5 * math.pi)).planar(name="dimer")
    for ball in balls:
        dimer.collides(ball, friction=p["mu"], restitution=p["restitution"])
    return shaker


def scenario(p: dict[str, Any]) -> Scenario:
    """Dropped on the plate with one ball touching."""
    half = (p["aspect"] - 1.0) * p["radius"]
    omega = 2.0 * math.pi * p["frequency"]
    amplitude = p["gamma"] * p["g"] / omega**2
    start = Start({"dimer": (0.0, p["radius"] + half * math.sin(p["lift"]), p["lift"])}, {"dimer": (0.0, amplitude * omega, 0.0)})
    return Scenario(
        "bouncing_dimer", robot(p), gravity=(0.0, 0.0, -p["g"]), imposed={"shake": sine(amplitude, omega=omega)}, start=start,
        self_collision=True, contact=HardContact(restitution=p["law"]), t_end=3.0, dt=5e-5, integrator="moreau",
        record_every=20, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Flat it stays down. In the drift mode one ball bounces with the period of the plate (:func:`bounce`), the other hardly."""
    energy = Check("energy balance (relative)", 0.0, 1e-3, measures.energy_defect, "first law", Kind.CONSERVATION)
    own = all(p[entry.name] == entry.value for entry in PARAMETERS if entry.name not in ("lift", "law", "mu"))
    if not own or p["lift"] not in (0.0, 0.1):
        return (energy,)
    if p["lift"] == 0.0:
        return (
            Check(
                "highest gap, lying flat (m)",
                0.0,
                1e-6,
                lambda r: float(r.contact_gap.values.max()),
                "no ball leaves a plate that falls slower than it: gamma < 1",
                Kind.CLOSED_FORM,
            ),
            energy,
        )
    height = bounce(p)
    source = "own limit"
    near = (0.005 if p["mu"] == 0.0 else 0.04) * height
    drift = Check(
        "drifts by more than 2 mm/s to the ball that is down",
        1.0,
        0.0,
        drifts,
        "own record: 15 mm/s at the default",
        Kind.OWN,
    )
    return (
        Check(
            "the bouncing ball rises (m)",
            height,
            near,
            lambda r: highest(r).max(),
            "closed form without friction",
            Kind.CLOSED_FORM,
        ),
        Check(
            "the other rises, over the bouncing one",
            0.0,
            0.15,
            lambda r: float(np.divide(*np.sort(highest(r)))),
            source,
            Kind.OWN,
        ),
        Check("gaps a period apart, over the height", 0.0, 0.05, repeats, source, Kind.OWN),
        *((drift,) if p["mu"] == 0.1 else ()),
        energy,
    )


def bounce(p: dict[str, Any]) -> float:
    """Height (m) to which a ball bounces once in a period T of the plate A sin(w t) while the other one is a hinge on the plate.

    Small tilts, no friction: the gap obeys s'' = -k (g + plate acceleration), k = 1 / (1 + 4/5 (r / L)^2) from the inertia of
    the balls about the hinge at the distance L. It leaves and lands at the phase f with cos f = pi / gamma (1 - e) / (1 + e), by
    s(0) = s(T) = 0 and Newton's law; the mode exists where that is not above 1.
    """
    omega = 2.0 * math.pi * p["frequency"]
    cosine = math.pi / p["gamma"] * (1.0 - p["restitution"]) / (1.0 + p["restitution"])
    if cosine > 1.0:
        return 0.0
    first, amplitude = math.acos(cosine), p["gamma"] * p["g"] / omega**2
    share = 1.0 / (1.0 + 0.8 / (2.0 * (p["aspect"] - 1.0)) ** 2)
    t = np.linspace(0.0, 1.0 / p["frequency"], 4001)
    wave = amplitude * (np.sin(omega * t + first) - math.sin(first))
    return float(share * (0.5 * p["g"] * t * (t[-1] - t) - wave).max())


def drifts(result: Result) -> float:
    """Whether the dimer drifts in the second half of the run, towards the ball that stays down."""
    x = result.body_position.sel(body="dimer").values[len(result.time) // 2 :, 0]
    seconds = float(result.time[-1] - result.time[len(result.time) // 2])
    down = -1.0 if highest(result)[0] < highest(result)[1] else 1.0  # the first ball is at -x
    return float(down * (x[-1] - x[0]) / seconds > 2e-3)


def late_gaps(result: Result) -> np.ndarray:
    """Gaps (N, 2) of the two balls in the second half of the run, m."""
    return result.contact_gap.values[len(result.time) // 2 :]


def highest(result: Result) -> np.ndarray:
    """Highest gaps of the two balls, m."""
    found: np.ndarray = late_gaps(result).max(axis=0)
    return found


def repeats(result: Result) -> float:
    """Largest difference of gaps that lie one period of the plate apart, over the highest gap."""
    gaps, step = late_gaps(result), float(result.time[1] - result.time[0])
    records = round(1.0 / (result.parameters["frequency"] * step))
    return float(np.abs(gaps[records:] - gaps[:-records]).max() / gaps.max())
