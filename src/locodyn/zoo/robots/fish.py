"""Fish (Kelly and Murray 1996; Ali 2011, section 2.3): n elliptic bodies in a row in an ideal fluid at rest.

It swims without shedding vortices. Each body moves fluid along: its added mass is that of an elliptic cylinder alone (no
interaction between bodies). The momentum of fish and fluid together is conserved, zero from rest: the hydrodynamic connection
gives the motion of the fish from its shape, whatever the pace.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.motion import sine
from locodyn.robot import Ellipsoid, Robot, about_centre
from locodyn.robot.fluid import ellipse_added_mass
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("n", 3, "-", CHOSEN, "number of bodies", least=2),
    Parameter("a", 0.1, "m", CHOSEN, "half length of a body", above=0.0),
    Parameter("b", 0.02, "m", CHOSEN, "half width of a body", above=0.0),
    Parameter("depth", 0.05, "m", CHOSEN, "height of a body", above=0.0),
    Parameter("gap", 0.02, "m", CHOSEN, "distance between the tips of neighbouring bodies", least=0.0),
    Parameter("rho", 1000.0, "kg/m^3", CHOSEN, "density of fluid and bodies", above=0.0),
    Parameter("alpha", 0.8, "rad", CHOSEN, "amplitude of the joints"),
    Parameter("phase", 1.2, "rad", CHOSEN, "lag of each joint behind the one before it"),
    Parameter("w", 2.0 * math.pi, "rad/s", CHOSEN, "angular frequency of the joints", above=0.0, aliases=("omega",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"n": 6, "alpha": 0.5, "phase": 0.8})


def robot(p: dict[str, Any]) -> Robot:
    """Bodies along x, head first, hinged half way between their tips; neutrally buoyant."""
    a, b = p["a"], p["b"]
    mass = math.pi * a * b * p["depth"] * p["rho"]
    added = ellipse_added_mass(a, b, p["rho"], p["depth"])
    part = {"mass": mass, "inertia": about_centre(zz=mass * (a * a + b * b) / 4.0), "shape": Ellipsoid((a, b, p["depth"] / 2))}
    arm = a + p["gap"] / 2
    swimmer = Robot("fish")
    swimmer.base("body_0", moves="planar", **part).fluid(*added)
    for j in range(1, p["n"]):
        link = swimmer.body(f"body_{j}", centre=(-arm, 0.0, 0.0), **part)
        place = (-arm if j == 1 else -2.0 * arm, 0.0, 0.0)
        link.on(f"body_{j - 1}", at=place).turning("z", name=f"joint_{j}").fluid(*added, at=(-arm, 0.0, 0.0))
    return swimmer


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds of a travelling wave, started gently from rest."""
    wave = {f"joint_{j}": sine(p["alpha"], omega=p["w"], phase=-j * p["phase"]).soft_start(1.0) for j in range(1, p["n"])}
    return Scenario(
        "fish",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        imposed=wave,
        start="zero_momentum",
        t_end=10.0,
        dt=0.001,
        record_every=5,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Momentum of fish and fluid stays zero; the actuators pay for all kinetic energy; the fish gets ahead."""

    def ahead(result: Result) -> float:
        return float(abs(result.position.values[-1, 0]) > p["a"])

    return (
        Check(
            "linear momentum of fish and fluid (N s)",
            0.0,
            1e-8,
            measures.linear_momentum_drift,
            "conservation law",
            Kind.CONSERVATION,
        ),
        Check(
            "angular momentum of fish and fluid (N m s)",
            0.0,
            1e-8,
            measures.angular_momentum_drift,
            "conservation law",
            Kind.CONSERVATION,
        ),
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
        Check(
            "gets ahead by more than half a body (1: yes)",
            1.0,
            0.0,
            ahead,
            "own limit",
            Kind.OWN,
        ),
    )
