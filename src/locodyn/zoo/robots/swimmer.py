"""Tendon-driven swimmer (Gotelli 2024, 3.9.3): rigid head, actuated rod, passive rod, in the reactive fluid of Lighthill.

Two tendons bend the actuated rod to and fro; the passive rod behind it follows with a lag, so that a wave runs to the tail and
pushes the swimmer ahead, head first. The fluid is that of large-amplitude elongated-body theory (Lighthill 1971): added mass of
the sections, and the wake at the tail.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from locodyn.motion import cosine
from locodyn.robot import Ellipsoid, GivenSection, Robot, RodFluid, about_centre
from locodyn.robot.rods.fluid import slender_matrix
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Drag, Wake
from locodyn.zoo import measures

SOURCE, CHOSEN = "Gotelli 2024, 3.9.3", "own choice"
PARAMETERS = (
    Parameter(
        "lengths", (0.15, 0.45, 0.40), "m", f"{SOURCE}: 1 m in all; parts {CHOSEN}", "head, actuated rod, passive rod", above=0.0
    ),
    Parameter("width", 0.1, "m", SOURCE, "largest lateral width", above=0.0),
    Parameter("height", 0.12, "m", CHOSEN, "largest vertical height", above=0.0),
    Parameter("EI_2", 4.9, "N m^2", SOURCE, "bending stiffness of the actuated rod", above=0.0),
    Parameter("EI_4", 4.9e-2, "N m^2", SOURCE, "bending stiffness of the passive rod", above=0.0),
    Parameter("rho", 1e3, "kg/m^3", SOURCE, "density of the swimmer", above=0.0),
    Parameter("rho_f", 1e3, "kg/m^3", SOURCE, "density of the fluid; 0: none", least=0.0),
    Parameter("D", 0.05, "m", SOURCE, "distance of the tendons from the axis", above=0.0),
    Parameter("T0", 20.0, "N", SOURCE, "mean tension", least=0.0),
    Parameter("T1", 20.0, "N", SOURCE, "amplitude of the tensions", least=0.0),
    Parameter("w", 5.0 * math.pi, "rad/s", SOURCE, "angular frequency of the tensions", above=0.0, aliases=("omega",)),
    Parameter("ramp", 0.4, "s", CHOSEN, "within which the tensions begin to alternate", above=0.0),
    Parameter("C_n", 1.0, "-", CHOSEN, "coefficient of the drag across the body", least=0.0),
    Parameter("C_t", 0.01, "-", CHOSEN, "coefficient of the friction along the skin", least=0.0),
    Parameter("modes", 5, "-", SOURCE, "functions of curvature of each rod", least=1),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"T1": 0.0}, {"rho_f": 0.0})


def half_axes(p: dict[str, Any], x: float) -> tuple[float, float]:
    """Half width and half height (m) at the distance x from the nose: an ellipsoid in front, then a taper in width."""
    head, end = p["lengths"][0], sum(p["lengths"])
    if x < head:
        shrink = math.sqrt(max(0.0, 1.0 - ((x - head) / head) ** 2))
        return 0.5 * p["width"] * shrink, 0.5 * p["height"] * shrink
    return 0.5 * p["width"] * (1.0 - 0.8 * ((x - head) / (end - head)) ** 2), 0.5 * p["height"]


def added_mass(p: dict[str, Any], x: float) -> tuple[float, float, float]:
    """Of a metre at x: pi rho b^2 along y, pi rho a^2 along z (Lamb, art. 71), kg/m."""
    a, b = half_axes(p, x)
    return 0.0, p["rho_f"] * math.pi * b * b, p["rho_f"] * math.pi * a * a


def section(p: dict[str, Any], x: float, stiffness: float) -> GivenSection:
    """Mass and inertia of the elliptic section at x; the bending stiffness is given."""
    a, b = half_axes(p, x)
    mass = p["rho"] * math.pi * a * b
    inertia = (0.25 * mass * (a * a + b * b), 0.25 * mass * b * b, 0.25 * mass * a * a)
    return GivenSection((1.0, 1.0, 1.0, stiffness, stiffness, stiffness), mass, inertia)


def drag(p: dict[str, Any], x: float) -> tuple[float, float]:
    """rho C b across and rho C perimeter / 2 along, N s^2/m^2 for a metre at x."""
    a, b = half_axes(p, x)
    return p["rho_f"] * p["C_n"] * b, p["rho_f"] * p["C_t"] * math.pi * math.sqrt(0.5 * (a * a + b * b))


def _section_behind(p: dict[str, Any], start: float, stiffness: float, s: float) -> GivenSection:
    return section(p, start + s, stiffness)


def _added_mass_behind(p: dict[str, Any], start: float, s: float) -> tuple[float, float, float]:
    return added_mass(p, start + s)


def _skin_behind(p: dict[str, Any], start: float, s: float) -> float:
    return drag(p, start + s)[1]


def robot(p: dict[str, Any]) -> Robot:
    """Nose at the origin of the head, tail along +x; the swimmer moves in the x-y plane."""
    head, front, rear = p["lengths"]
    swimmer = Robot("swimmer")
    x, w = np.polynomial.legendre.leggauss(24)
    places, weights = 0.5 * head * (1.0 + x), 0.5 * head * w
    masses = weights * [section(p, s, 1.0).mass for s in places]
    mass, centre = float(masses.sum()), float(masses @ places / masses.sum())
    own = weights @ [section(p, s, 1.0).inertia[2] for s in places]
    nose = swimmer.base(
        "head", moves="planar", mass=mass, centre=(centre, 0.0, 0.0),
        inertia=about_centre(zz=float(own + masses @ (places - centre) ** 2)),
        shape=Ellipsoid((head, 0.5 * p["width"], 0.5 * p["height"]), at=(head, 0.0, 0.0)),
    )  # fmt: skip
    tail, begin = nose, head
    for name, length, stiffness in (("actuated", front, p["EI_2"]), ("passive", rear, p["EI_4"])):
        tail = tail.rod(
            name, at=(head, 0.0, 0.0) if tail is nose else None, length=length, bending=(0, p["modes"]), basis="chebyshev",
            nodes=p["modes"] + 4,
            section=functools.partial(_section_behind, p, begin, stiffness),
            fluid=RodFluid(added_mass=functools.partial(_added_mass_behind, p, begin)) if p["rho_f"] else None,
        )  # fmt: skip
        if p["rho_f"]:
            law = Drag(quadratic=(0.0, drag(p, begin)[0], 0.0))  # all sections behind the head have one height
            swimmer.wrench(f"{name} drag", on=tail, law=law, along=True)
            law = Drag(quadratic=(1.0, 0.0, 0.0))
            swimmer.wrench(f"{name} skin", on=tail, law=law, along=True, profile=functools.partial(_skin_behind, p, begin))
        if name == "actuated":
            tail.tendon("left", (p["D"], 0.0)).tendon("right", (-p["D"], 0.0))
        begin += length
    if p["rho_f"]:
        nose.fluid(matrix=slender_matrix(head, lambda s: added_mass(p, s)))
        across, skin = (float(weights @ [drag(p, s)[k] for s in places]) for k in (0, 1))
        swimmer.wrench("head drag", on=nose, law=Drag(quadratic=(skin, across, 0.0)), at=(0.5 * head, 0.0, 0.0))
        swimmer.wrench("wake", on=tail, law=Wake(added_mass(p, sum(p["lengths"]))[1:]))
    return swimmer


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest; T0 +- T1 cos(w t). Without a fluid nothing damps the rods: smaller steps."""
    swing = cosine(p["T1"], omega=p["w"]).soft_start(p["ramp"])
    step, tolerance, every = (0.01, 1e-8, 1) if p["rho_f"] else (0.0025, 1e-10, 4)
    return Scenario(
        "swimmer", robot(p), gravity=(0.0, 0.0, 0.0), tension={"left": p["T0"] + swing, "right": p["T0"] - swing}, t_end=10.0,
        dt=step, integrator="radau3", tolerance=tolerance, record_every=every, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """It swims ahead, and straight; with equal tensions it rests; without a fluid its mass centre stays."""
    if p["T1"] == 0.0:
        rest = Check("moves nowhere (m)", 0.0, 1e-9, lambda r: measures.shift_of(r, "passive"), "symmetry", Kind.CLOSED_FORM)
        return (rest,)
    if p["rho_f"] == 0.0:
        return (
            Check("mass centre (drift, m)", 0.0, 1e-8, measures.mass_centre_drift, "no external force", Kind.CONSERVATION),
            Check(
                "angular momentum (drift, N m s)",
                0.0,
                1e-8,
                measures.angular_momentum_drift,
                "no external force",
                Kind.CONSERVATION,
            ),
        )
    return (
        Check(
            "swims head first by more than its length (1: yes)",
            1.0,
            0.0,
            lambda r: float(_way(r) > 1.0),
            "own limit",
            Kind.OWN,
        ),
        Check(
            "mean heading, change over the last 7 periods (rad)", 0.0, 1e-3, lambda r: _veer(r, p), "symmetry", Kind.CLOSED_FORM
        ),
    )


def _way(result: Result) -> float:
    """Distance that the nose has gone ahead, along -x of its start, m."""
    x = result.position.values[:, 0]
    return float(x[0] - x[-1])


def _veer(result: Result, p: dict[str, Any]) -> float:
    """Change of the heading, averaged over a period of the tensions."""
    period = 2.0 * math.pi / p["w"]
    t, heading = result.time.values, measures.headings(result)
    age = (t[-1] - t) / period
    early = heading[(age > 7.0 - 1e-9) & (age < 8.0 - 1e-9)].mean()
    return float(heading[age < 1.0 - 1e-9].mean() - early)
