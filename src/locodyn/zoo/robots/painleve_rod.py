"""A rod that slides on rough ground with one end: beyond mu = 4/3 the rigid-body equations have no solution (Painleve)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground
from locodyn.zoo import measures

OWN = "own choice"
PARAMETERS = (
    Parameter("mu", 1.6, "-", OWN, "coefficient of friction; a paradox needs more than 4/3", least=0.0),
    Parameter("angle", math.radians(58.0), "rad", OWN, "of the rod above the ground", above=0.0),
    Parameter("speed", 2.0, "m/s", OWN, "of the rod along the ground, away from its upper end", least=0.0),
    Parameter("length", 1.0, "m", OWN, "of the rod", above=0.0),
    Parameter("mass", 1.0, "kg", OWN, "of the rod", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"mu": 0.3})


def robot(p: dict[str, Any]) -> Robot:
    """A rod that moves in the x-z plane (the plane of a planar joint turned upright); its lower end touches."""
    rod = Robot("painleve_rod")
    across = p["mass"] * p["length"] ** 2 / 12.0
    thin = Box((p["length"], 0.01 * p["length"], 0.01 * p["length"]))
    inertia = about_centre(xx=0.0, yy=across, zz=across)
    body = rod.base("rod", moves="planar", turned=("x", 0.5 * math.pi), mass=p["mass"], inertia=inertia, shape=thin)
    body.collides(vertices=[(-0.5 * p["length"], 0.0, 0.0), (0.5 * p["length"], 0.0, 0.0)], friction=p["mu"])
    return rod


def coupling(p: dict[str, Any]) -> float:
    """m times the acceleration of the end away from the ground for a unit of normal force in slip: 1 + 3 cos (cos - mu sin).

    The end slides ahead of the rod; friction turns the rod and presses the end into the ground.
    """
    c, s = math.cos(p["angle"]), math.sin(p["angle"])
    return float(1.0 + 3.0 * c * (c - p["mu"] * s))


def scenario(p: dict[str, Any]) -> Scenario:
    """Set down with one end on the ground, moving along it."""
    c, s = math.cos(p["angle"]), math.sin(p["angle"])
    start = Start(
        {"rod": (0.0, 0.5 * p["length"] * s, p["angle"])},
        {"rod": (-p["speed"] * c, p["speed"] * s, 0.0)},
    )
    return Scenario(
        "painleve_rod", robot(p), gravity=(0.0, 0.0, -p["g"]), obstacles=[Ground()], start=start, t_end=0.02, dt=1e-4,
        contact=HardContact(tolerance=1e-6), integrator="moreau", record_every=1, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """In a paradox the end stops at once by an impulse without collision; else it slides with the force of the closed form."""
    gain = Check("energy gained in a step (J)", 0.0, 1e-6, largest_gain, "friction does not give energy", Kind.CONSERVATION)
    energy = Check("energy balance (relative)", 0.0, 1e-3, measures.energy_defect, "first law", Kind.CONSERVATION)
    if coupling(p) < 0.0 and p["speed"] > 0.0:
        stop = Check(
            "end stops in the first step (m/s)",
            0.0,
            1e-6,
            end_speed_after_first_step,
            "impact without collision",
            Kind.CLOSED_FORM,
        )
        return (stop, gain, energy)
    force = p["mass"] * p["g"] / coupling(p)
    return (
        Check(
            "normal force at the start (N)",
            force,
            0.02 * force,
            first_force,
            "m g / (1 + 3 cos (cos - mu sin))",
            Kind.CLOSED_FORM,
        ),
        gain,
        energy,
    )


def end_speed_after_first_step(result: Result) -> float:
    """Of the lower end along the ground, m/s."""
    q, v = (states[1] for states in result.states())
    half, theta = 0.5 * result.parameters["length"], q[2]
    axis, side = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
    return float(abs((axis * v[0] + side * v[1] - half * v[2] * side)[0]))


def first_force(result: Result) -> float:
    """Normal force at the lower end over the first step, N."""
    return float(result.contact_force.values[1, :, 2].sum())


def largest_gain(result: Result) -> float:
    """Largest increase of the energy in a step, J."""
    return float(max(0.0, np.diff(result.total_energy().values).max()))
