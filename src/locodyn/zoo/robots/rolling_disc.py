"""A thin disc that rolls without slipping: steady precession (``circle``), or upright and straight on (``straight``).

Body axes: y along the axis of the disc. With the lean alpha, the precession Omega about the vertical, the spin w about the axis,
the moments I_a (axial) and I_t (across), and rho the radius of the path of the centre, w r = Omega rho and

    Omega^2 cos(alpha) (I_t sin(alpha) + (I_a + m r^2) rho / r) = m g r sin(alpha).

Straight on, small leans obey (I_t + m r^2) alpha'' = (m g r - (I_a + m r^2) I_a w^2 / I_t) alpha: the disc is stable for
w^2 > I_t m g r / (I_a (I_a + m r^2)), v^2 > g r / 3 for a uniform disc (Routh 1905; Neimark and Fufaev 1972).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "chosen"
PARAMETERS = (
    Parameter("case", "circle", "-", OWN, "steady precession, or straight on", choices=("circle", "straight")),
    Parameter("kind", "uniform", "-", OWN, "how the mass is spread", choices=("uniform", "ring")),
    Parameter("m", 1.0, "kg", OWN, "mass", above=0.0),
    Parameter("r", 0.25, "m", OWN, "radius", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
    Parameter("lean", 0.4, "rad", OWN, "lean, to the right (case circle)", above=0.0),
    Parameter("rho", 1.0, "m", OWN, "radius of the circle of the centre (case circle)", above=0.0),
    Parameter("speed_ratio", 1.2, "-", OWN, "speed over the smallest stable one (case straight)", above=0.0),
    Parameter("small_lean", 1e-4, "rad", OWN, "lean at the start (case straight)", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = (
    {},
    {"kind": "ring", "lean": 0.9, "rho": 0.1},
    {"case": "straight"},
    {"case": "straight", "kind": "ring"},
    {"case": "straight", "speed_ratio": 0.8},
)


def moments(p: dict[str, Any]) -> tuple[float, float]:
    """(I_a, I_t), kg m^2: about the axis and across it."""
    axial = (0.5 if p["kind"] == "uniform" else 1.0) * p["m"] * p["r"] ** 2
    return axial, 0.5 * axial


def stable_spin(p: dict[str, Any]) -> float:
    """The smallest spin about the axis at which straight rolling is stable, rad/s."""
    axial, across = moments(p)
    weight = p["m"] * p["g"] * p["r"]
    return math.sqrt(across * weight / (axial * (axial + p["m"] * p["r"] ** 2)))


def precession(p: dict[str, Any]) -> float:
    """Rate about the vertical on the circle, rad/s (closed form above)."""
    axial, across = moments(p)
    stiff = across * math.sin(p["lean"]) + (axial + p["m"] * p["r"] ** 2) * p["rho"] / p["r"]
    return math.sqrt(p["m"] * p["g"] * p["r"] * math.tan(p["lean"]) / stiff)


def robot(p: dict[str, Any]) -> Robot:
    """One body."""
    axial, across = moments(p)
    disc = Robot("rolling_disc")
    shape = Cylinder(radius=p["r"], length=0.02 * p["r"], axis="y")
    body = disc.base("disc", mass=p["m"], inertia=about_centre(xx=across, yy=axial, zz=across), shape=shape)
    body.rolling("rim", radius=p["r"], axis="y")
    return disc


def scenario(p: dict[str, Any]) -> Scenario:
    """Once around the circle, or one second straight on; forward is x, the circle is to the right."""
    circle = p["case"] == "circle"
    if circle:
        lean, turn = p["lean"], -precession(p)
        spin, duration = -turn * p["rho"] / p["r"], 2.0 * math.pi / -turn
    else:
        axial, across = moments(p)
        lean, duration, spin = p["small_lean"], 1.0, p["speed_ratio"] * stable_spin(p)
        turn = -axial * spin * lean / across
    start = Start(
        positions={"disc": (0.0, 0.0, p["r"] * math.cos(lean), lean, 0.0, 0.0)},
        velocities={"disc": (spin * p["r"], 0.0, 0.0, 0.0, spin, turn * math.cos(lean))},
    )
    return Scenario(
        "rolling_disc",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=start,
        t_end=duration,
        dt=duration / 2000,
        record_every=4,
        checks=circle_checks(p) if circle else straight_checks(p),
    )


def circle_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """It stays on the circle, with the lean and the forces of the closed form."""
    own, rate = "closed form", precession(p)

    def off_circle(result: Result) -> float:
        x, y, _ = result.position.values.T
        return float(np.abs(np.hypot(x, y + p["rho"]) - p["rho"]).max())

    def gap(result: Result) -> float:
        return float(np.linalg.norm(result.position.values[-1, :2]))

    def friction(result: Result) -> np.ndarray:
        sideways = np.linalg.norm(result.contact_force.values[:, 0, :2], axis=1)
        return np.array([sideways.min(), sideways.max()])

    force = p["m"] * rate**2 * p["rho"]
    return (
        Check("lean constant (rad)", 0.0, 1e-9, lambda r: np.abs(measures.leans(r) - p["lean"]).max(), own, Kind.CLOSED_FORM),
        Check("distance of the centre from the circle (m)", 0.0, 1e-8, off_circle, own, Kind.CLOSED_FORM),
        Check("distance from the start after one turn (m)", 0.0, 1e-8, gap, own, Kind.CLOSED_FORM),
        Check("friction (N), smallest and largest", (force, force), 1e-8 * force, friction, "m Omega^2 rho", Kind.CLOSED_FORM),
        Check("energy constant (relative)", 0.0, 1e-10, measures.energy_drift, "no force does work", Kind.CONSERVATION),
    )


def straight_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The lean over time is that of the linear equation; what is left is of third order in the lean."""
    at_contact = moments(p)[1] + p["m"] * p["r"] ** 2
    square = (p["speed_ratio"] ** 2 - 1.0) * p["m"] * p["g"] * p["r"] / at_contact  # frequency^2, or -(rate of growth)^2
    rate = math.sqrt(abs(square))
    course = np.cos if square >= 0.0 else np.cosh

    def defect(result: Result) -> float:
        expected = course(rate * result.time.values)
        return float((np.abs(measures.leans(result) / p["small_lean"] - expected) / np.abs(expected).max()).max())

    return (
        Check("lean over time (relative)", 0.0, 1e-5, defect, "linear equation, stable or not", Kind.CLOSED_FORM),
        Check("energy constant (relative)", 0.0, 1e-10, measures.energy_drift, "no force does work", Kind.CONSERVATION),
    )
