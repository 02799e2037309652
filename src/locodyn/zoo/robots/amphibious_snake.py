"""Amphibious snake: a continuous body that undulates down a beach, into the water, and swims on, in one run.

Muscles bend it to the side by a given wave; up and down it is elastic and follows the ground. On the beach it touches hard ground
with friction that is small along the body and large across; in the water, buoyancy carries it, and drag, small along and large
across, takes the place of friction. The wave is the same all the time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import polynomial
from locodyn.robot import Circle, Material, Robot, StrainField, travelling
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Buoyancy, Drag, Ground, Water, WetDrag
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("length", 1.0, "m", CHOSEN, "length of the body", above=0.0),
    Parameter("radius", 0.03, "m", CHOSEN, "of its sections", above=0.0),
    Parameter("density", 800.0, "kg/m^3", CHOSEN, "of the body", above=0.0),
    Parameter("rho", 1000.0, "kg/m^3", CHOSEN, "of the water", above=0.0),
    Parameter("young", 1e6, "Pa", CHOSEN, "Young's modulus of the body", above=0.0),
    Parameter("curvature", 7.0, "1/m", CHOSEN, "amplitude of the wave of curvature", above=0.0),
    Parameter("wavelength", 0.7, "m", CHOSEN, "of the wave", above=0.0),
    Parameter("period", 1.0, "s", CHOSEN, "of the wave", above=0.0),
    Parameter("slope", 0.1, "rad", CHOSEN, "of the beach", least=0.0),
    Parameter("ashore", 0.4, "m", CHOSEN, "how far the nose is from the water at the start"),
    Parameter("mu", (0.1, 0.7), "-", CHOSEN, "friction along and across the body", least=0.0),
    Parameter("drag", (1.0, 60.0), "N s^2/m^3", CHOSEN, "drag along and across, of a metre", least=0.0),
    Parameter("g", 9.81, "m/s^2", CHOSEN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Nose at the origin, tail along +x, up along z."""
    water = Water(p["rho"])
    along, across = p["drag"]
    bend = StrainField("wave", travelling("bending_z", p["curvature"], wavelength=p["wavelength"]))
    snake = Robot("amphibious_snake")
    body = snake.base("nose", moves="free").rod(
        "body", length=p["length"], section=Circle(p["radius"]), material=Material(young=p["young"], density=p["density"]),
        bending=(3, 0), fields=[bend], damping=0.02, nodes=24,
    )  # fmt: skip
    body.collides(friction=p["mu"])
    snake.wrench("floats", on=body, law=Buoyancy(water=water), along=True)
    snake.wrench("drag", on=body, law=WetDrag(Drag(linear=1.0, quadratic=(along, across, across)), water=water), along=True)
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """From the beach, whose edge is x = 0, towards -x: head first, since the wave runs to the tail."""
    slope = p["slope"]
    normal = (-math.sin(slope), 0.0, math.cos(slope))
    gone = polynomial(0.0, -p["wavelength"] / p["period"])
    nose = np.array([p["ashore"], 0.0, math.tan(slope) * p["ashore"]]) + 1.001 * p["radius"] * np.array(normal)
    return Scenario(
        "amphibious_snake", robot(p), gravity=(0.0, 0.0, -p["g"]), imposed={"body.wave": gone.soft_start(p["period"])},
        obstacles=[Ground(normal=normal)], start=Start({"nose": (*nose, 0.0, -slope, 0.0)}), t_end=8.0 * p["period"], dt=1e-3,
        integrator="moreau", record_every=20, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """It gets off the ground and on; energy balances through friction, impacts and water."""

    def swims(result: Result) -> float:
        return float(result.position.values[-1, 0] < -p["length"])

    def aground(result: Result) -> float:
        late = result.time.values > result.time.values[-1] - p["period"]
        return float(np.abs(result.contact_force.values[late]).max())

    return (
        Check("swims a length beyond the shore (1: yes)", 1.0, 0.0, swims, "own limit", Kind.OWN),
        Check("force of the ground in the last period (N)", 0.0, 0.0, aground, "it floats", Kind.CLOSED_FORM),
        Check("energy account (relative)", 0.0, 1e-3, measures.energy_defect, "first law", Kind.CONSERVATION),
    )
