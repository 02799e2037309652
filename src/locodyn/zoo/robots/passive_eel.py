"""Passive eels (own composition; water of Lighthill 1971): muscles on elastic bodies, each eel at a frequency of its own.

Muscles make the curvature without stress a travelling wave, and the body bends about it as its stiffness, its mass and the
water let it. Below its first bending frequency in water it follows its muscles; near that frequency it answers with more than
they ask for, and swims fastest; above it, it hardly bends. The eels start side by side. The frequency of the winner is that of a
beam with free ends whose mass is its own and that of the water beside it, f = (4.7300 / l)^2 sqrt(E I / (m + m_a)) / 2 pi.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import polynomial
from locodyn.robot import Ellipse, Material, Robot, RodFluid, StrainField, travelling
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Drag, Wake
from locodyn.zoo.elastic_measures import elastic_power_balance

CHOSEN = "chosen"
PARAMETERS = (
    Parameter("frequencies", (0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5), "-", CHOSEN, "of the eels, over that of the beam", above=0.0),
    Parameter("l", 0.5, "m", CHOSEN, "length of an eel", above=0.0),
    Parameter("half_width", 0.01, "m", CHOSEN, "half axis of its sections to the side", above=0.0),
    Parameter("half_height", 0.03, "m", CHOSEN, "half axis of its sections upwards", above=0.0),
    Parameter("rho", 1000.0, "kg/m^3", CHOSEN, "density of eels and water", above=0.0),
    Parameter("E", 3e6, "Pa", CHOSEN, "Young's modulus of the body (soft rubber)", above=0.0),
    Parameter("damping", 2e-3, "s", CHOSEN, "of the body, of Kelvin and Voigt", least=0.0),
    Parameter("curvature", 0.5, "1/m", CHOSEN, "amplitude of the curvature that the muscles ask for", least=0.0),
    Parameter("wavelength", 0.5, "m", CHOSEN, "of the muscles' wave", above=0.0),
    Parameter("C_n", 1.0, "-", CHOSEN, "coefficient of the drag across the body", least=0.0),
    Parameter("C_t", 0.05, "-", CHOSEN, "coefficient of the friction along the skin", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"curvature": 0.25})
FREE_BEAM = 4.730040744862704  # the first root of cos x cosh x = 1


def bending_frequency(p: dict[str, Any]) -> float:
    """Of the first bending of a slender beam with free ends in water, Hz."""
    a, b, rho = p["half_width"], p["half_height"], p["rho"]
    stiffness = p["E"] * math.pi / 4.0 * a**3 * b
    mass = rho * math.pi * (a * b + b * b)  # added mass of an ellipse to the side: Lamb, Hydrodynamics, art. 71
    return float((FREE_BEAM / p["l"]) ** 2 * math.sqrt(stiffness / mass) / (2.0 * math.pi))


def names(p: dict[str, Any]) -> list[str]:
    """Of the eels."""
    return [f"eel_{n + 1}" for n in range(len(p["frequencies"]))]


def robot(p: dict[str, Any]) -> Robot:
    """Noses side by side on the y axis, tails along +x; each eel moves in the x-y plane."""
    a, b, rho = p["half_width"], p["half_height"], p["rho"]
    skin = rho * p["C_t"] * math.pi * math.sqrt(0.5 * (a * a + b * b))  # half of rho C perimeter, N s^2/m^3
    eels = Robot("passive_eel")
    sea = eels.base("sea", moves="fixed")
    for n, name in enumerate(names(p)):
        nose = eels.body(f"nose_{n + 1}").on(sea, at=(0.0, 0.5 * p["l"] * n, 0.0)).planar()
        wave = StrainField("muscles", travelling("bending_z", p["curvature"], wavelength=p["wavelength"]))
        eel = nose.rod(
            name, length=p["l"], section=Ellipse(a, b), material=Material(p["E"], rho), bending=(0, 5), damping=p["damping"],
            fields=[wave], fluid=RodFluid(density=rho),
        )  # fmt: skip
        eels.wrench(f"drag_{n + 1}", on=eel, law=Drag(quadratic=(skin, rho * p["C_n"] * b, 0.0)), along=True)
        eels.wrench(f"wake_{n + 1}", on=eel, law=Wake((rho * math.pi * b * b, rho * math.pi * a * a)))
    return eels


def scenario(p: dict[str, Any]) -> Scenario:
    """Twenty periods of the beam, from rest; the waves start within the first."""
    f = bending_frequency(p)
    runs = [polynomial(0.0, -p["wavelength"] * ratio * f).soft_start(1.0 / f) for ratio in p["frequencies"]]
    return Scenario(
        "passive_eel", robot(p), gravity=(0.0, 0.0, 0.0),
        imposed={f"{name}.muscles": run for name, run in zip(names(p), runs, strict=True)},
        t_end=20.0 / f, dt=0.01 / f, integrator="rkmk4", record_every=4, checks=checks(p),
    )  # fmt: skip


def speeds(result: Result, p: dict[str, Any]) -> np.ndarray:
    """Of the eels over the last two periods of the slowest, m/s."""
    times = result.time.values
    late = times > times[-1] - 2.0 / (min(p["frequencies"]) * bending_frequency(p)) - 1e-9
    span = float(times[late][-1] - times[late][0])
    places = [result.body_position.sel(body=f"nose_{n + 1}").values[late] for n in range(len(p["frequencies"]))]
    return np.array([float(np.linalg.norm(place[-1] - place[0])) / span for place in places])


def best_frequency(result: Result, p: dict[str, Any]) -> float:
    """Where the parabola through the speed of the fastest eel and its neighbours has its peak, over the frequency of the beam."""
    found, ratios = speeds(result, p), np.array(p["frequencies"], dtype=float)
    top = int(np.clip(found.argmax(), 1, len(found) - 2))
    curve = np.polynomial.Polynomial.fit(ratios[top - 1 : top + 2], found[top - 1 : top + 2], 2)
    return float(curve.deriv().roots()[0])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Muscles pay for all; the fastest eel is that in resonance."""
    power = Check("power of muscles, drag and wake (relative)", 0.0, 1e-8, elastic_power_balance, "first law", Kind.CONSERVATION)
    source = "free-free beam with added mass, Lamb art. 71; damping and the stream past the body shift the peak"
    best = Check(
        "frequency of the fastest eel over that of the beam", 1.0, 0.05, lambda r: best_frequency(r, p), source, Kind.CLOSED_FORM
    )
    return (power, best)
