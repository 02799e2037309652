"""A car pulls a trailer through an elastic rod: ideal wheels and a rod in one robot.

The car is the bicycle model of a car, driven at its rear axle and steered in front. The drawbar is a flat spring, clamped to the
car (``clamp``: it is the joint) or on a hinge (``hinge``: a stiff one tends to the common trailer); the trailer has one axle.
Three rolling constraints, two for the car and one at the far end of the rod.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.integrate.methods import METHODS
from locodyn.motion import sine, transition
from locodyn.robot import Box, Material, Rectangle, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("hitch", "clamp", "-", OWN, "how the rod is held by the car", choices=("clamp", "hinge")),
    Parameter("modes", 4, "-", OWN, "functions of the curvature of the rod", least=1),
    Parameter("nodes", 8, "-", OWN, "points of the rod that carry its mass", least=1),
    Parameter("a", 2.6, "m", OWN, "wheel base of the car", above=0.0),
    Parameter("m_o", 1200.0, "kg", OWN, "mass of the car", above=0.0),
    Parameter("I_o", 1800.0, "kg m^2", OWN, "moment of the car about its mass centre", above=0.0),
    Parameter("s", 1.2, "m", OWN, "mass centre of the car, ahead of its rear axle"),
    Parameter("hook", 0.6, "m", OWN, "hitch, behind the rear axle", least=0.0),
    Parameter("L", 2.5, "m", OWN, "length of the rod", above=0.0),
    Parameter("b", 0.012, "m", OWN, "thickness of the rod in the plane", above=0.0),
    Parameter("h", 0.1, "m", OWN, "height of the rod", above=0.0),
    Parameter("E", 2.1e11, "Pa", OWN, "Young's modulus of the rod", above=0.0),
    Parameter("rho", 7800.0, "kg/m^3", OWN, "density of the rod", above=0.0),
    Parameter("damping", 0.02, "s", OWN, "Kelvin-Voigt damping of the rod", least=0.0),
    Parameter("m_1", 400.0, "kg", OWN, "mass of the trailer", above=0.0),
    Parameter("I_1", 150.0, "kg m^2", OWN, "moment of the trailer about its mass centre", above=0.0),
    Parameter("axle", 0.8, "m", OWN, "axle and mass centre of the trailer, behind the end of the rod", least=0.0),
    Parameter("R", 0.3, "m", OWN, "radius of the wheels", above=0.0),
    Parameter("Gamma", 120.0, "N m", OWN, "torque of the rear axle, reached within 1 s"),
    Parameter("beta", 0.25, "rad", OWN, "steering to both sides", least=0.0),
    Parameter("omega", 0.6, "rad/s", OWN, "angular frequency of the steering", above=0.0),
    Parameter("integrator", "radau3", "-", OWN, "time integrator", choices=("gauss2", "radau3", "generalized_alpha", "rkmk4")),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"hitch": "hinge"}, {"integrator": "gauss2"})


def robot(p: dict[str, Any], rigid: bool = False) -> Robot:
    """Reference frame in the middle of the rear axle of the car; ``rigid``: a rigid drawbar on a hinge in place of the rod."""
    train = Robot("elastic_trailer")
    car = train.base(
        "car", moves="planar", mass=p["m_o"], centre=(p["s"], 0.0, 0.0), inertia=about_centre(zz=p["I_o"]),
        shape=Box((p["a"] + 1.2, 1.6, 1.2), at=(p["a"] / 2, 0.0, 0.6)),
    )  # fmt: skip
    car.wheel("rear", axis="y", radius=p["R"], actuated=True)
    car.wheel("front", at=(p["a"], 0.0, 0.0), axis="y", radius=p["R"], kind="steered")
    trailer = train.body(
        "trailer", mass=p["m_1"], centre=(-p["axle"], 0.0, 0.0), inertia=about_centre(zz=p["I_1"]),
        shape=Box((1.6, 1.4, 0.8), at=(-p["axle"], 0.0, 0.5)),
    )  # fmt: skip
    held = car
    place: dict[str, Any] = {"at": (-p["hook"], 0.0, 0.0), "turned": ("z", math.pi)}
    if p["hitch"] == "hinge" or rigid:
        held = train.body("hook").on(car, **place).turning("z", name="hitch")
        place = {}
    section = Rectangle(p["b"], p["h"])
    if rigid:
        mass = p["rho"] * p["b"] * p["h"] * p["L"]
        bar = train.body(
            "drawbar", mass=mass, centre=(p["L"] / 2, 0.0, 0.0), inertia=about_centre(zz=mass * (p["L"] ** 2 + p["b"] ** 2) / 12)
        )
        bar.on(held).fixed()
        trailer.on(bar, at=(p["L"], 0.0, 0.0), turned=("z", math.pi)).fixed()
    else:
        rod = held.rod(
            "drawbar", length=p["L"], section=section, material=Material(p["E"], p["rho"]), bending=(0, p["modes"]),
            nodes=p["nodes"], damping=p["damping"], **place,
        )  # fmt: skip
        trailer.on(rod, turned=("z", math.pi)).fixed()
    trailer.wheel("axle", at=(-p["axle"], 0.0, 0.0), axis="y", radius=p["R"])
    return train


def scenario(p: dict[str, Any], rigid: bool = False) -> Scenario:
    """Twenty seconds from rest, along a winding line."""
    explicit = not METHODS[p["integrator"]].implicit
    return Scenario(
        "elastic_trailer", robot(p, rigid), steering={"front": sine(p["beta"], omega=p["omega"]).soft_start(2.0)},
        wheel_torque={"rear": transition(0.0, p["Gamma"], duration=1.0)}, t_end=20.0, dt=5e-4 if explicit else 0.02,
        record_every=40 if explicit else 1, integrator=p["integrator"], tolerance=1e-10, checks=() if rigid else checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """No axle slips sideways, energy is balanced."""
    return (
        Check("side slip of the unsteered axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check("energy less what was supplied (relative)", 0.0, 1e-6, measures.energy_defect, "first law", Kind.CONSERVATION),
    )
