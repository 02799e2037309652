"""Planar continuum parallel robot driven by tendons (Gotelli 2024, 4.9.1): two limbs on passive joints hold one platform.

A limb is a carrier on a passive revolute joint with a flat rod clamped in it; two tendons along each rod bend it. The tips of
both rods and the platform turn about one axis. The plane is horizontal: there is no weight in it. Gotelli gives currents of
the motors and measured tensions, but not the tension for a current, nor the geometry of the carriers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, constant, cosine
from locodyn.robot import Box, Material, Rectangle, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.world.laws import Sliding
from locodyn.zoo import measures

SOURCE = "Gotelli 2024, 4.9.1"
OWN = "own choice (not in Gotelli 2024, 4.9.1)"
PARAMETERS = (
    Parameter("d", 0.435, "m", SOURCE, "distance of the passive joints", above=0.0),
    Parameter("mu", 0.005, "N m s", SOURCE, "viscosity of the passive joints", least=0.0),
    Parameter("m", (0.897, 0.663), "kg", SOURCE, "masses of the carriers", above=0.0),
    Parameter("I", (4.268e-3, 3.122e-3), "kg m^2", SOURCE, "moments of inertia of the carriers about their joints", above=0.0),
    Parameter("l", (0.394, 0.48), "m", SOURCE, "lengths of the rods", above=0.0),
    Parameter("w", 0.51e-3, "m", SOURCE, "thickness of the rods in the plane", above=0.0),
    Parameter("h", 19.05e-3, "m", SOURCE, "height of the rods", above=0.0),
    Parameter("E", 293e9, "Pa", SOURCE, "Young's modulus, identified", above=0.0),
    Parameter("rho", 9538.0, "kg/m^3", SOURCE, "density of the rods", above=0.0),
    Parameter("offset", 11e-3, "m", SOURCE, "distance of the tendons from the axis", above=0.0),
    Parameter("m_p", 0.24, "kg", SOURCE, "mass of the platform", above=0.0),
    Parameter("mu_p", 0.01, "N", SOURCE, "dry friction of the platform", least=0.0),
    Parameter("modes", 2, "-", SOURCE, "functions of the curvature of a rod", least=1),
    Parameter("sigma", (2.0, 2.0, 2.5, 2.2), "A", SOURCE, "amplitudes of the currents", least=0.0),
    Parameter("i_0", 0.1, "A", SOURCE, "current before the motion", least=0.0),
    Parameter("omega", 1.0, "rad/s", SOURCE, "angular frequency of the currents", above=0.0),
    Parameter("phi", 0.5, "s", SOURCE, "delay of the second tendon of each rod", least=0.0),
    Parameter("t_0", 0.5, "s", "own choice (10 s in Gotelli 2024)", "when the currents begin to change", least=0.0),
    Parameter("k", 5.0, "N/A", OWN, "tension for a current", above=0.0),
    Parameter("a", 0.1, "m", OWN, "from the joint of a carrier to the root of its rod", least=0.0),
    Parameter("eps", 1e-3, "m/s", OWN, "speed at which the dry friction is developed", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """In the world's x-y plane; angles of the joints counter-clockwise from x."""
    cpr = Robot("cpr_tendon")
    ground = cpr.base("ground", moves="fixed")
    tips = []
    for k, x in enumerate((-0.5 * p["d"], 0.5 * p["d"])):
        inertia = about_centre(xx=p["I"][k], yy=p["I"][k], zz=p["I"][k])
        carrier = cpr.body(f"carrier_{k + 1}", mass=p["m"][k], inertia=inertia, shape=Box((2.0 * p["a"], 0.03, 0.03)))
        carrier.on(ground, at=(x, 0.0, 0.0)).turning("z", name=f"joint_{k + 1}").actuator(viscous=p["mu"])
        rod = carrier.rod(
            f"rod_{k + 1}", at=(p["a"], 0.0, 0.0), length=p["l"][k], section=Rectangle(p["w"], p["h"]),
            material=Material(p["E"], p["rho"]), bending=(0, p["modes"]), nodes=max(8, p["modes"] + 4),
        )  # fmt: skip
        rod.tendon(f"tendon_{2 * k + 1}", (p["offset"], 0.0))
        rod.tendon(f"tendon_{2 * k + 2}", (-p["offset"], 0.0))
        tips.append(rod)
    platform = cpr.body("platform", mass=p["m_p"]).on(tips[0]).fixed()
    cpr.loop("pin", platform, tips[1], joint="revolute", axis="z")
    cpr.wrench("friction", on=platform, law=Sliding(p["mu_p"], load=1.0, speed=p["eps"]))
    return cpr


def tensions(p: dict[str, Any]) -> dict[str, Law]:
    """k (i_0 + sigma (1 - cos(omega (t - t_0)))) from t_0 on, begun softly within 0.5 s; later by phi for the second tendon of
    each rod (Gotelli 2024, (4.47)).
    """
    laws = {}
    for c, sigma in enumerate(p["sigma"]):
        begin = p["t_0"] + p["phi"] * (c % 2)
        swing = constant(sigma) - cosine(sigma, omega=p["omega"], phase=-p["omega"] * begin)
        laws[f"tendon_{c + 1}"] = p["k"] * (constant(p["i_0"]) + swing.soft_start(0.5, start=begin))
    return laws


def assembled(p: dict[str, Any]) -> dict[str, float]:
    """Angles of the carriers with straight rods, the platform above the joints (law of cosines)."""
    one, two = (p["a"] + length for length in p["l"])
    left = math.acos((one**2 + p["d"] ** 2 - two**2) / (2.0 * one * p["d"]))
    right = math.pi - math.acos((two**2 + p["d"] ** 2 - one**2) / (2.0 * two * p["d"]))
    return {"joint_1": left, "joint_2": right}


def scenario(p: dict[str, Any]) -> Scenario:
    """One period of the currents and a little more, at the step of 4.9.1 (by generalized-alpha, rho_inf = 0.6)."""
    return Scenario(
        "cpr_tendon", robot(p), gravity=(0.0, 0.0, 0.0), tension=tensions(p), start=assembled(p),
        t_end=p["t_0"] + 2.0 * math.pi / p["omega"] + 1.0, dt=0.04, integrator="radau3", rho_inf=0.6,
        checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The pin stays closed; while nothing pulls, nothing moves; a slow drive follows statics."""

    def still(result: Any) -> float:
        before = result.time.values <= p["t_0"]
        return float(np.ptp(result.body_position.sel(body="platform").values[before], axis=0).max())

    return (
        Check("pin closed (m)", 0.0, 1e-9, lambda r: measures.gap(r, "platform", "rod_2"), "loop closure", Kind.CLOSED_FORM),
        Check(
            "platform at rest until the currents change (m)",
            0.0,
            1e-9,
            still,
            "equal tensions of a rod do not bend it",
            Kind.CLOSED_FORM,
        ),
    )
