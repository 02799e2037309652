"""Continuum parallel robot in space: six rods on driven slides carry a platform on ball joints (Stewart with elastic legs).

Not of the literature: the robots of Gotelli 2024 are planar, and others his outlook. Feet and joints of the platform stand in
three pairs; the rods are clamped to slides along their directions at rest. Equal slides keep the platform level on the
axis by symmetry.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, constant, sine
from locodyn.robot import Circle, Cylinder, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "own choice"
LEGS = tuple(range(1, 7))
PARAMETERS = (
    Parameter("r_base", 0.16, "m", OWN, "radius of the circle of the feet", above=0.0),
    Parameter("r_top", 0.08, "m", OWN, "radius of the circle of the joints of the platform", above=0.0),
    Parameter("pair", 0.35, "rad", OWN, "half the angle between the feet of a pair; joints stand as close, between the pairs"),
    Parameter("height", 0.3, "m", OWN, "of the platform over the feet, rods straight", above=0.0),
    Parameter("r", 1e-3, "m", OWN, "radius of the rods", above=0.0),
    Parameter("E", 60e9, "Pa", OWN + " (nitinol)", "Young's modulus", above=0.0),
    Parameter("rho", 6450.0, "kg/m^3", OWN + " (nitinol)", "density", above=0.0),
    Parameter("m_p", 0.2, "kg", OWN, "mass of the platform", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
    Parameter("lift", 0.02, "m", OWN, "mean travel of the slides"),
    Parameter("wave", 0.02, "m", OWN, "amplitude of the travelling wave of the slides"),
    Parameter("period", 1.5, "s", OWN, "of the wave", above=0.0),
    Parameter("bending", 2, "-", OWN, "functions of each curvature of a rod", least=1),
    Parameter("torsion", 1, "-", OWN, "functions of its torsion", least=1),
    Parameter("nodes", 6, "-", OWN, "points of a rod that carry its mass", least=1),
    Parameter("damping", 5e-3, "s", OWN, "Kelvin-Voigt damping of the rods", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def circle(radius: float, angle: float, height: float) -> np.ndarray:
    """A point over a circle about the z axis, (3,) m."""
    return np.array([radius * math.cos(angle), radius * math.sin(angle), height])


def ends(p: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Foot and joint on the platform of each leg, (3,) m, rods straight."""
    found = []
    for leg in range(6):
        third, side = 2.0 * math.pi * (leg // 2) / 3.0, (1.0 if leg % 2 else -1.0)
        foot = circle(p["r_base"], third + side * p["pair"], 0.0)
        found.append((foot, circle(p["r_top"], third + side * (math.pi / 3.0 - p["pair"]), p["height"])))
    return found


def axes(foot: np.ndarray, joint: np.ndarray) -> np.ndarray:
    """Axes (3, 3) of a leg at rest: x along it, y level."""
    along = (joint - foot) / np.linalg.norm(joint - foot)
    across = np.cross([0.0, 0.0, 1.0], along)
    across /= np.linalg.norm(across)
    return np.column_stack([along, across, np.cross(along, across)])


def robot(p: dict[str, Any]) -> Robot:
    """The platform stands on the first leg; the other five are closed by loops. Its axes are those of the world at rest."""
    cpr = Robot("hexapod_cpr")
    ground = cpr.base("ground", moves="fixed", shape=Cylinder(1.15 * p["r_base"], 0.004))
    centre = np.array([0.0, 0.0, p["height"]])
    tips = []
    for leg, (foot, joint) in zip(LEGS, ends(p), strict=True):
        slide = cpr.body(f"slide_{leg}", mass=0.02).on(ground, at=tuple(foot), turned=axes(foot, joint))
        rod = slide.sliding("x", name=f"slide_{leg}").rod(
            f"rod_{leg}", length=float(np.linalg.norm(joint - foot)), section=Circle(p["r"]), nodes=p["nodes"],
            material=Material(p["E"], p["rho"]), bending=p["bending"], torsion=p["torsion"], damping=p["damping"],
        )  # fmt: skip
        tips.append(rod)
    platform = cpr.body("platform", mass=p["m_p"], shape=Cylinder(p["r_top"], 0.01))
    foot, joint = ends(p)[0]
    platform.on(tips[0], turned=axes(foot, joint).T, body_at=tuple(centre - joint)).ball(name="platform")
    for leg, (_, joint) in list(zip(LEGS, ends(p), strict=True))[1:]:
        platform.marker(f"joint_{leg}", at=tuple(joint - centre))
        cpr.loop(f"ball_{leg}", f"joint_{leg}", tips[leg - 1], joint="spherical")
    return cpr


def slides(p: dict[str, Any]) -> dict[str, Law]:
    """A travelling wave over the legs: the platform goes round."""
    omega = 2.0 * math.pi / p["period"]
    laws = {}
    for leg, (foot, _) in zip(LEGS, ends(p), strict=True):
        phase = -math.atan2(foot[1], foot[0])
        laws[f"slide_{leg}"] = constant(p["lift"]) + sine(p["wave"], omega=omega, phase=phase).soft_start(0.5 * p["period"])
    return laws


def scenario(p: dict[str, Any]) -> Scenario:
    """From the equilibrium with equal slides; then the platform goes round."""
    return Scenario(
        "hexapod_cpr", robot(p), gravity=(0.0, 0.0, -p["g"]), imposed=slides(p), start=Start(equilibrium=True),
        t_end=2.0 * p["period"], dt=0.01, integrator="generalized_alpha", rho_inf=0.6, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Level and on the axis at the start; loops closed."""

    def tilt(result: Result) -> np.ndarray:
        place = result.body_position.sel(body="platform").values[0]
        return np.concatenate([place[:2], result.body_orientation.sel(body="platform").values[0, 1:]])

    def open_loops(result: Result) -> float:
        return max(measures.gap(result, f"joint_{leg}", f"rod_{leg}") for leg in LEGS[1:])

    return (
        Check(
            "platform on the axis and level at the start (m, -)",
            (0.0,) * 5,
            1e-9,
            tilt,
            "symmetry of the pairs of legs",
            Kind.CLOSED_FORM,
        ),
        Check("ball joints closed (m)", 0.0, 1e-9, open_loops, "loop closure", Kind.CLOSED_FORM),
    )
