"""Satellite with three rotors (Ali 2011, section 4.1): a rigid platform turns by turning its rotors.

Cases. A: zero momentum, rotors 1 and 2 go around a closed loop, and the platform does not come back (holonomy). B: given angular
velocity, all rotors spin up. Both are balanced: the mass centre of the whole is at O_o, the group is SO(3). C: as A, but the
platform's own mass centre is at O_o, so the group is SE(3) and O_o moves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, constant, cosine, polynomial, sine
from locodyn.robot import Box, Cylinder, Robot, about_centre, about_origin
from locodyn.sim import Check, Kind, Parameter, Scenario, Start
from locodyn.zoo import measures

CHOSEN = "chosen (Ali 2011, 4.1 gives formulas only)"
PARAMETERS = (
    Parameter("case", "A", "-", CHOSEN, "A: closed loop of two rotors; B: spin-up; C: as A, unbalanced", choices=("A", "B", "C")),
    Parameter("m_o", 100.0, "kg", CHOSEN, "mass of the platform", above=0.0),
    Parameter("I_o", (20.0, 25.0, 30.0), "kg m^2", CHOSEN, "principal moments of the platform about O_o", above=0.0),
    Parameter("m", 2.0, "kg", CHOSEN, "mass of each rotor", above=0.0, aliases=("m_j",)),
    Parameter("P", 0.3, "m", CHOSEN, "distance of each rotor from O_o, along its axis", least=0.0, aliases=("P_j",)),
    Parameter("I_w", 0.05, "kg m^2", CHOSEN, "moment of a rotor about its axis", above=0.0),
    Parameter("I_t", 0.03, "kg m^2", CHOSEN, "moment of a rotor across its axis", above=0.0),
    Parameter("w", 2.0 * math.pi / 10.0, "rad/s", CHOSEN, "angular frequency of the rotor motion", above=0.0, aliases=("omega",)),
    Parameter("a", 200.0, "rad", CHOSEN, "amplitude of the rotors in cases A and C"),
    Parameter("b", (100.0, 60.0, -80.0), "rad/s, rad, rad/s", CHOSEN, "amplitudes of the three rotors in case B"),
    Parameter("Om_0", (0.05, 0.2, -0.1), "rad/s", CHOSEN, "initial angular velocity in case B", aliases=("Omega_0",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({"case": "A"}, {"case": "B"}, {"case": "C"})


def robot(p: dict[str, Any]) -> Robot:
    """Platform and rotors, rotor j along axis j of the platform."""
    positions = p["P"] * np.eye(3)
    balanced = p["case"] != "C"
    centre = -p["m"] * positions.sum(axis=0) / p["m_o"] if balanced else np.zeros(3)
    xx, yy, zz = p["I_o"]
    satellite = Robot("satellite")
    platform = satellite.base(
        "platform",
        moves="spherical" if balanced else "free",
        mass=p["m_o"],
        centre=centre,
        inertia=about_origin(xx=xx, yy=yy, zz=zz),
        shape=Box((0.5, 0.5, 0.5)),
    )
    for j, axis in enumerate("xyz"):
        moments = {f"{k}{k}": p["I_w"] if k == axis else p["I_t"] for k in "xyz"}
        rotor = satellite.body(
            f"rotor_{j + 1}", mass=p["m"], inertia=about_centre(**moments), shape=Cylinder(radius=0.15, length=0.04, axis=axis)
        )
        rotor.on(platform, at=positions[j]).turning(axis, name=f"joint_{j + 1}")
    return satellite


def motion(p: dict[str, Any]) -> dict[str, Law]:
    """Rotor angles r(t)."""
    w, a, b = p["w"], p["a"], p["b"]
    if p["case"] == "B":
        laws = (
            b[0] * (polynomial(0, 1) - sine(1 / w, omega=w)),
            b[1] * (1 - cosine(1, omega=w)),
            b[2] * (polynomial(0, 1) - sine(1 / w, omega=w)),
        )
    else:
        laws = (a * (1 - cosine(1, omega=w)), sine(a, omega=w), constant(0))
    return {f"joint_{j + 1}": law for j, law in enumerate(laws)}


def scenario(p: dict[str, Any]) -> Scenario:
    """The scenario of a case."""
    spin = {f"platform.{name}": value for name, value in zip(("wx", "wy", "wz"), p["Om_0"], strict=True)}
    return Scenario(
        "satellite",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        imposed=motion(p),
        start=Start(velocities=spin) if p["case"] == "B" else "zero_momentum",
        t_end=10.0,
        dt=0.01,
        checks=checks(p["case"]) if all(p[q.name] == q.value for q in PARAMETERS[1:]) else conserved(p["case"]),
    )


def conserved(case: str) -> tuple[Check, ...]:
    """What holds for any parameters."""
    source = "conservation law"
    always = (
        Check(
            "angular momentum constant (drift, kg m^2/s)", 0.0, 1e-10, measures.angular_momentum_drift, source, Kind.CONSERVATION
        ),
        # dT/dt from recorded energies: round-off of T over the time between records, about 1e-9 of the largest power.
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 5e-9, measures.power_defect, source, Kind.CONSERVATION),
    )
    fixed = Check("mass centre fixed (m)", 0.0, 1e-9, measures.mass_centre_drift, source, Kind.CONSERVATION)
    return (*always, fixed) if case == "C" else always


def checks(case: str) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above."""
    source = "independent integration of the momentum equations (DOP853, 1e-12)"
    angle = {"A": 0.57547, "B": 2.22316}
    if case in angle:
        own = Check("net rotation angle after 10 s (rad)", angle[case], 1e-4, measures.rotation_angle, source, Kind.INDEPENDENT)
    else:
        own = Check("p_o(10) (m)", (-0.000453, 0.003113, -0.001568), 2e-6, measures.final_position, source, Kind.INDEPENDENT)
    return (own, *conserved(case))
