"""Eel (Lighthill 1971; Boyer, Porez and Leroyer 2010): a continuous body in water that bends by a given wave.

A wave of curvature, small at the head and large at the tail, runs from head to tail. The water is that of large-amplitude
elongated-body theory: added mass of the sections and the wake at the tail (Lighthill 1971), with drag across and along the skin.
The eel starts from rest and finds its own speed. It is as heavy as the water that it displaces, and swims in a level plane.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import polynomial
from locodyn.robot import Ellipse, Material, Robot, RodFluid, StrainField, travelling
from locodyn.robot.rods.field_shapes import window
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Drag, Wake
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("length", 1.0, "m", CHOSEN, "length of the body", above=0.0),
    Parameter("half_width", 0.03, "m", CHOSEN, "half axis of its sections to the side", above=0.0),
    Parameter("half_height", 0.05, "m", CHOSEN, "half axis of its sections upwards", above=0.0),
    Parameter("rho", 1000.0, "kg/m^3", CHOSEN, "density of eel and water", above=0.0),
    Parameter("curvature", 4.0, "1/m", CHOSEN, "amplitude of the wave of curvature at the tail", above=0.0),
    Parameter("wavelength", 0.8, "m", CHOSEN, "of the wave", above=0.0),
    Parameter("period", 1.0, "s", CHOSEN, "of the wave", above=0.0),
    Parameter("C_n", 1.0, "-", CHOSEN, "coefficient of the drag across the body", least=0.0),
    Parameter("C_t", 0.02, "-", CHOSEN, "coefficient of the friction along the skin", least=0.0),
    Parameter("wake", True, "-", CHOSEN, "whether the tail sheds a wake; without it the water only gives back what it got"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"C_n": 0.0, "C_t": 0.0, "wake": False})


def robot(p: dict[str, Any]) -> Robot:
    """Nose at the origin, tail along +x; the eel moves in the x-y plane."""
    a, b, rho = p["half_width"], p["half_height"], p["rho"]
    bend = travelling("bending_z", p["curvature"], wavelength=p["wavelength"]) * window(-0.3 * p["length"], p["length"])
    eel = Robot("eel")
    body = eel.base("nose", moves="planar").rod(
        "body", length=p["length"], section=Ellipse(a, b), material=Material(young=1e5, density=rho),
        fields=[StrainField("wave", bend)], fluid=RodFluid(density=rho),
    )  # fmt: skip
    skin = rho * p["C_t"] * math.pi * math.sqrt(0.5 * (a * a + b * b))  # half of rho C perimeter, N s^2/m^3
    if p["C_n"] or p["C_t"]:
        eel.wrench("drag", on=body, law=Drag(quadratic=(skin, rho * p["C_n"] * b, 0.0)), along=True)
    if p["wake"]:
        eel.wrench("tail", on=body, law=Wake((rho * math.pi * b * b, rho * math.pi * a * a)))
    return eel


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten periods; the wave starts with the eel at rest within the first of them."""
    run = polynomial(0.0, -p["wavelength"] / p["period"]).soft_start(p["period"])
    return Scenario(
        "eel", robot(p), gravity=(0.0, 0.0, 0.0), imposed={"body.wave": run}, start="zero_momentum",
        t_end=10.0 * p["period"], dt=0.005 * p["period"], integrator="rkmk4", record_every=4, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Muscles pay for kinetic energy, drag and wake; without drag and wake momentum stays."""
    power = Check("power of muscles, drag and wake (relative)", 0.0, 1e-8, measures.power_balance, "first law", Kind.CONSERVATION)
    if not p["wake"]:
        drift = measures.linear_momentum_drift
        return (power, Check("linear momentum of eel and water (N s)", 0.0, 1e-6, drift, "Kirchhoff 1869", Kind.CONSERVATION))

    def slip(result: Result) -> float:
        """Speed ahead over speed of the wave, in the last two periods."""
        times = result.time.values
        late = times > times[-1] - 2.0 * p["period"] - 1e-9
        path = result.position.values[late]
        way = float(np.linalg.norm(path[-1, :2] - path[0, :2])) / float(times[late][-1] - times[late][0])
        return way * float(p["period"] / p["wavelength"])

    speed = Check("speed of the eel over that of its wave", 0.5726, 0.005, slip, "own record: our numbers are chosen", Kind.OWN)
    return (power, speed)
