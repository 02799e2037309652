"""Floating bodies: a spar that heaves, a barge that rolls, an egg and a pill that come to rest, a stone that tumbles in the deep.

Each has a closed form or equations of its own. The spar, a vertical cylinder, heaves harmonically; the barge, a box, rolls about
its metacentre (Bouguer 1746); the egg, an ellipsoid, comes to rest at its draught, and the pill, a capsule, on its side; the
stone, an ellipsoid as heavy as water, moves by Kirchhoff's equations with the added masses of Lamb (Hydrodynamics, art. 114,
115, 124). With ``wave`` all but the stone ride on a long wave, which does work on them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Robot
from locodyn.robot.fluid import ellipsoid_added_mass
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Buoyancy, Drag, Water, Wave, WetDrag
from locodyn.zoo import measures

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("rho", 1000.0, "kg/m^3", CHOSEN, "density of the water", above=0.0),
    Parameter("g", 9.81, "m/s^2", CHOSEN, "gravity", above=0.0),
    Parameter("spar", (0.1, 0.8), "m", CHOSEN, "radius and length of the spar", above=0.0),
    Parameter("barge", (0.8, 0.5, 0.2), "m", CHOSEN, "length, beam and height of the barge", above=0.0),
    Parameter("egg", (0.3, 0.2, 0.15), "m", CHOSEN, "half axes of the egg", above=0.0),
    Parameter("pill", (0.1, 0.4), "m", CHOSEN, "radius and length of the pill, without its half balls", above=0.0),
    Parameter("stone", (0.3, 0.2, 0.1), "m", CHOSEN, "half axes of the stone", above=0.0),
    Parameter("share", 0.6, "-", CHOSEN, "density of all but the stone, as a share of that of water", above=0.0, most=0.95),
    Parameter("lift", 0.05, "m", CHOSEN, "by which spar and egg are lifted at the start"),
    Parameter("roll", 0.01, "rad", CHOSEN, "of the barge at the start"),
    Parameter("wave", 0.0, "m", CHOSEN, "amplitude of a wave, 4 m long, with a period of 2 s", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"share": 0.3, "lift": 0.1}, {"wave": 0.05})
PLACES = {"spar": (0.0, 0.0), "barge": (1.0, 0.0), "egg": (0.0, 1.0), "pill": (1.0, 1.0), "stone": (0.5, 0.5)}
DEEP = -1.5  # m, where the stone is
THROW, SPIN = (0.2, 0.1, 0.0), (1.0, 2.0, 0.5)  # m/s and rad/s, of the stone


def solids(p: dict[str, Any]) -> dict[str, Any]:
    """What floats, by name."""
    (radius, length), (wide, long) = p["spar"], p["pill"]
    return {
        "spar": Cylinder(radius, length), "barge": Box(p["barge"]), "egg": Ellipsoid(p["egg"]), "pill": Capsule(wide, long, "x"),
        "stone": Ellipsoid(p["stone"]),
    }  # fmt: skip


def end_mass(p: dict[str, Any]) -> float:
    """Added mass of the spar in heave, kg: that of one side of a disc, 4/3 rho r^3 (Lamb, art. 102)."""
    return float(4.0 / 3.0 * p["rho"] * p["spar"][0] ** 3)


def egg_draught(p: dict[str, Any]) -> float:
    """How far the centre of the egg is above the surface at rest, m: share = (2 + 3 d - d^3) / 4, d in half heights under it."""
    roots = np.roots([-1.0, 0.0, 3.0, 2.0 - 4.0 * p["share"]])
    d = next(float(x.real) for x in roots if abs(x.imag) < 1e-9 and abs(x) <= 1.0)
    return -d * float(p["egg"][2])


def resting_height(p: dict[str, Any], name: str) -> float:
    """Of the centre of a body above the surface, m, where it is known before it floats; the pill starts half under."""
    if name in ("spar", "barge"):
        return float((0.5 - p["share"]) * p[name][-1])
    return egg_draught(p) if name == "egg" else DEEP if name == "stone" else 0.0


def robot(p: dict[str, Any]) -> Robot:
    """Bodies that are free, each by itself, beside the world."""
    water = Water(p["rho"], 0.0, Wave(p["wave"], 4.0, 2.0) if p["wave"] else None)
    bodies = Robot("floating_bodies")
    sea = bodies.base("sea", moves="fixed")
    for name, shape in solids(p).items():
        density = p["rho"] * (1.0 if name == "stone" else p["share"])
        body = bodies.body(name, density=density, shape=shape).on(sea).free()
        still = Water(p["rho"]) if name == "stone" else water
        bodies.wrench(f"{name} floats", on=body, law=Buoyancy(water=still))
    bodies["spar"].fluid((0.0, 0.0, end_mass(p)))
    bodies["stone"].fluid(ellipsoid=p["stone"], density=p["rho"])
    for name in ("egg", "pill"):
        bodies.wrench(f"{name} drag", on=name, law=WetDrag(Drag(linear=200.0, angular=4.0), water=water))
    return bodies


def scenario(p: dict[str, Any]) -> Scenario:
    """Eight seconds: spar and egg are let go above the water, the barge is tilted, the stone is thrown and spun."""
    start = {name: [*PLACES[name], resting_height(p, name), 0.0, 0.0, 0.0] for name in PLACES}
    for name in ("spar", "egg"):
        start[name][2] += p["lift"]
    start["barge"][3], start["pill"][4] = p["roll"], 0.4
    return Scenario(
        "floating_bodies", robot(p), gravity=(0.0, 0.0, -p["g"]), start=Start(start, {"stone": (*THROW, *SPIN)}), t_end=8.0,
        dt=0.0025, integrator="rkmk4", record_every=1 if p["wave"] else 4, checks=checks(p),
    )  # fmt: skip


def stone_at_the_end(p: dict[str, Any], t: float) -> np.ndarray:
    """Twist (6,) of the stone after t s by Kirchhoff's equations, P' = P x w, L' = L x w + P x v, integrated by SciPy."""
    from scipy.integrate import solve_ivp

    square = np.array(p["stone"], dtype=float) ** 2
    mass = p["rho"] * 4.0 / 3.0 * math.pi * math.prod(p["stone"])
    added, moments = ellipsoid_added_mass(p["stone"], p["rho"])
    inertia = np.concatenate([mass + np.array(added), mass * (square.sum() - square) / 5.0 + np.array(moments)])

    def rate(_: float, momentum: np.ndarray) -> np.ndarray:
        v, w = np.split(momentum / inertia, 2)
        return np.concatenate([np.cross(momentum[:3], w), np.cross(momentum[3:], w) + np.cross(momentum[:3], v)])

    found = solve_ivp(rate, (0.0, t), inertia * (*THROW, *SPIN), "DOP853", rtol=1e-12, atol=1e-12)
    twist: np.ndarray = found.y[:, -1] / inertia
    return twist


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Closed forms without a wave; the balance of energy with and without it."""
    account = Check(
        "energy supplied by wave and drag (relative)", 0.0, 1e-6, measures.energy_defect, "first law", Kind.CONSERVATION
    )
    if p["wave"]:
        return (account,)
    radius, length = p["spar"]
    mass = p["share"] * p["rho"] * math.pi * radius**2 * length + end_mass(p)
    omega = math.sqrt(p["rho"] * p["g"] * math.pi * radius**2 / mass)
    _, beam, height = p["barge"]
    draught = p["share"] * height
    metacentre = beam**2 / (12.0 * draught) - (height - draught) / 2.0
    period = 2.0 * math.pi * math.sqrt((beam**2 + height**2) / 12.0 / (p["g"] * metacentre))

    def heave(result: Result) -> float:
        wanted = resting_height(p, "spar") + p["lift"] * np.cos(omega * result.time.values)
        return float(np.abs(result.body_position.sel(body="spar").values[:, 2] - wanted).max())

    def roll_period(result: Result) -> float:
        quaternion = result.body_orientation.sel(body="barge").values
        angle = 2.0 * np.arctan2(quaternion[:, 1], quaternion[:, 0])
        return 2.0 * measures.time_between_zeros(angle, np.gradient(angle, result.time.values), result)

    def rests(name: str, height: float) -> Any:
        return lambda result: float(result.body_position.sel(body=name).values[-1, 2] - height)

    def stone(result: Result) -> float:
        found = result.joint_velocity.sel(joint=[f"stone.{k}" for k in range(6)]).values[-1]
        return float(np.abs(found - stone_at_the_end(p, float(result.time.values[-1]))).max())

    return (
        Check("heave of the spar (m)", 0.0, 1e-8, heave, "z'' = -rho g A z / (m + m_a)", Kind.CLOSED_FORM),
        Check(
            "period of small rolls of the barge (s)", period, 1e-3 * period, roll_period, "metacentre, Bouguer", Kind.CLOSED_FORM
        ),
        Check("draught of the egg (m)", 0.0, 1e-6, rests("egg", egg_draught(p)), "cap of an ellipsoid", Kind.CLOSED_FORM),
        Check("twist of the stone (SI)", 0.0, 1e-7, stone, "Kirchhoff's equations, DOP853", Kind.INDEPENDENT),
        account,
    )
