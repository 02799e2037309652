"""Chain of n equal bodies floating in space, no gravity: joints imposed (the chain turns by moving inside) or torque-driven."""

from __future__ import annotations

import math
from typing import Any

from locodyn.motion import Law, sine
from locodyn.robot import Box, Robot
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("n", 4, "-", OWN, "number of bodies", least=2),
    Parameter("drive", "imposed", "-", OWN, "what drives the joints", choices=("imposed", "torque")),
    Parameter("length", 0.2, "m", OWN, "length of a body, along x", above=0.0),
    Parameter("width", 0.05, "m", OWN, "width and height of a body", above=0.0),
    Parameter("mass", 1.0, "kg", OWN, "mass of a body", above=0.0),
    Parameter("amplitude", 0.6, "rad", OWN, "amplitude of the joint angles (imposed)"),
    Parameter("torque", 0.02, "N m", OWN, "amplitude of the joint torques (torque)"),
    Parameter("omega", 2.0, "rad/s", OWN, "angular frequency of angles or torques", above=0.0),
    Parameter("phase", 1.0, "rad", OWN, "phase lag from joint to joint"),
    Parameter("damping", 0.0, "N m s/rad", OWN, "viscous friction of every joint", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"drive": "torque"}, {"drive": "torque", "n": 8, "damping": 0.005})


def robot(p: dict[str, Any]) -> Robot:
    """Bodies in a row along x; joints turn about z and y in turn."""
    chain = Robot("free_chain")
    box = Box((p["length"], p["width"], p["width"]))
    body = chain.base("body_0", moves="free", mass=p["mass"], shape=box)
    for k in range(1, p["n"]):
        at = (0.5 * p["length"], 0.0, 0.0) if k == 1 else (p["length"], 0.0, 0.0)
        shape = box.placed((0.5 * p["length"], 0.0, 0.0))
        body = chain.body(f"body_{k}", mass=p["mass"], shape=shape).on(body, at=at).turning("zy"[(k - 1) % 2], name=f"joint_{k}")
        if p["damping"]:
            body.actuator(viscous=p["damping"])
    return chain


def waves(p: dict[str, Any], amplitude: float) -> dict[str, Law]:
    """A travelling wave along the joints."""
    return {f"joint_{k}": sine(amplitude, omega=p["omega"], phase=-p["phase"] * (k - 1)) for k in range(1, p["n"])}


def scenario(p: dict[str, Any]) -> Scenario:
    """From zero momentum (imposed) or from rest (torque)."""
    imposed = p["drive"] == "imposed"
    return Scenario(
        "free_chain",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        imposed=waves(p, p["amplitude"]) if imposed else {},
        torque={} if imposed else waves(p, p["torque"]),
        start="zero_momentum" if imposed else None,
        t_end=4.0 * math.pi / p["omega"],
        dt=2.0 * math.pi / p["omega"] / 2000.0,
        record_every=5,
        checks=checks(),
    )


def checks() -> tuple[Check, ...]:
    """Momentum stays zero, whatever moves inside.

    Tolerances are measured: at least twice the drift at the default step (at most 5e-10, of order 4 in the step).
    """
    law = "conservation of momentum"
    return (
        Check("linear momentum (kg m/s)", 0.0, 1e-9, measures.linear_momentum_drift, law, Kind.CONSERVATION),
        Check("angular momentum (kg m^2/s)", 0.0, 1e-9, measures.angular_momentum_drift, law, Kind.CONSERVATION),
        Check("mass centre fixed (m)", 0.0, 1e-9, measures.mass_centre_drift, law, Kind.CONSERVATION),
        Check("energy balance (relative)", 0.0, 1e-9, measures.energy_defect, "first law", Kind.CONSERVATION),
    )
