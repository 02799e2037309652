"""A skateboard with a rigid rider: two trucks on inclined pivots, four wheels; it steers by leaning.

The pivot of a truck lies in the middle plane of the board, goes through the middle of the axle and rises by the angle lambda
towards the end of the board. Four wheels on the ground keep the axles level, so that a lean phi turns the front truck by delta,
tan(delta) = tan(lambda) sin(phi), and the rear one by -delta (Hubbard 1979). With the wheelbase w, c = 2 tan(lambda) / w, the
mass centre of board and rider at the height H over the axles and d ahead of the middle, springs k in the pivots, small leans obey

    I phi'' + m H d c v phi' + (2 k / cos^2(lambda) + m H c v^2 - m g H) phi = 0,
    I = I_xx + m H^2 + 2 tan^2(lambda) (I_t + 2 I_a b^2 / r^2)

(I_t: moment of a truck with its wheels about the vertical, I_a: of a wheel about its axle, b: half the track, r: its radius):
faster is more stable, as for bicycles (Wisse and Schwab 2005), and so is standing ahead of the middle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Box, Capsule, Compound, Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "chosen"
PARAMETERS = (
    Parameter("w", 0.8, "m", OWN, "distance of the axles", above=0.0),
    Parameter("b", 0.09, "m", OWN, "half the track of the wheels", above=0.0),
    Parameter("r", 0.03, "m", OWN, "radius of the wheels", above=0.0),
    Parameter("lambda", 0.7, "rad", OWN, "angle of the pivots over the ground", above=0.0),
    Parameter("k", 60.0, "N m/rad", OWN, "stiffness of each pivot", least=0.0),
    Parameter("m", 70.0, "kg", OWN, "mass of board and rider", above=0.0),
    Parameter("H", 0.9, "m", OWN, "height of their mass centre over the axles", above=0.0),
    Parameter("d", 0.05, "m", OWN, "mass centre ahead of the middle"),
    Parameter("I", (8.0, 9.0, 1.5), "kg m^2", OWN, "moments of board and rider about their mass centre", above=0.0),
    Parameter("m_t", 0.4, "kg", OWN, "mass of a truck without wheels", above=0.0),
    Parameter("I_h", 0.001, "kg m^2", OWN, "moment of a truck without wheels, about any axis", above=0.0),
    Parameter("m_w", 0.1, "kg", OWN, "mass of a wheel, a uniform disc", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
    Parameter("v", 4.0, "m/s", OWN, "speed"),
    Parameter("lean", 1e-3, "rad", OWN, "lean at the start, to the right"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"v": 1.0}, {"v": 6.0, "d": 0.0})


def coefficients(p: dict[str, Any]) -> tuple[float, float, float]:
    """(I, damping, stiffness) of the equation of small leans above."""
    steer = math.tan(p["lambda"])
    c = 2.0 * steer / p["w"]
    axial = 0.5 * p["m_w"] * p["r"] ** 2
    truck = p["I_h"] + 2.0 * (0.5 * axial + p["m_w"] * p["b"] ** 2)
    inertia = p["I"][0] + p["m"] * p["H"] ** 2 + 2.0 * steer**2 * (truck + 2.0 * axial * (p["b"] / p["r"]) ** 2)
    springs = 2.0 * p["k"] / math.cos(p["lambda"]) ** 2
    stiffness = springs + p["m"] * p["H"] * (c * p["v"] ** 2 - p["g"])
    return inertia, p["m"] * p["H"] * p["d"] * c * p["v"], stiffness


def small_leans(p: dict[str, Any], times: np.ndarray) -> np.ndarray:
    """The lean over time (N,), rad, from rest at ``lean``, by the linear equation."""
    inertia, damping, stiffness = coefficients(p)
    roots = np.roots([inertia, damping, stiffness]).astype(complex)
    first, second = roots
    course = (second * np.exp(first * times) - first * np.exp(second * times)) / (second - first)
    found: np.ndarray = p["lean"] * np.real(course)
    return found


def robot(p: dict[str, Any]) -> Robot:
    """Board with rider, two trucks, four wheels."""
    skateboard = Robot("skateboard")
    xx, yy, zz = p["I"]
    deck = Box((p["w"] + 0.2, 0.2, 0.02), at=(0.0, 0.0, 0.06))
    plates = [Box((0.08, 0.06, 0.05), at=(x, 0.0, 0.025)) for x in (-0.5 * p["w"], 0.5 * p["w"])]
    board = skateboard.base(
        "board",
        mass=p["m"],
        centre=(p["d"], 0.0, p["H"]),
        inertia=about_centre(xx=xx, yy=yy, zz=zz),
        shape=Compound((deck, *plates)),
    )
    axial = 0.5 * p["m_w"] * p["r"] ** 2
    disc = about_centre(xx=0.5 * axial, yy=axial, zz=0.5 * axial)
    rise = math.sin(p["lambda"])
    for name, sign in (("front", 1.0), ("rear", -1.0)):
        truck = skateboard.body(
            f"{name}_truck",
            mass=p["m_t"],
            inertia=about_centre(xx=p["I_h"], yy=p["I_h"], zz=p["I_h"]),
            shape=Capsule(radius=0.01, length=2.0 * p["b"], axis="y"),
        )
        truck.on(board, at=(0.5 * sign * p["w"], 0.0, 0.0)).turning((sign * math.cos(p["lambda"]), 0.0, rise))
        truck.actuator(stiffness=p["k"])
        for side, y in (("left", p["b"]), ("right", -p["b"])):
            wheel = skateboard.body(
                f"{name}_{side}", mass=p["m_w"], inertia=disc, shape=Cylinder(radius=p["r"], length=0.03, axis="y")
            )
            wheel.on(truck, at=(0.0, y, 0.0)).turning("y").rolling(f"{name}_{side}.tyre", radius=p["r"], axis="y")
    return skateboard


def scenario(p: dict[str, Any]) -> Scenario:
    """Two seconds from a small lean at rest."""
    turned = p["lean"] / math.cos(p["lambda"])
    start = Start(
        positions={"board": (0.0, 0.0, p["r"], p["lean"], 0.0, 0.0), "front_truck": -turned, "rear_truck": turned},
        velocities={"board.vx": p["v"]},
        adjust=("board.vz", "board.wy", "front_truck", "rear_truck"),
        keep=("board.vx", "board.wx"),
    )
    return Scenario(
        "skateboard",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=start,
        t_end=2.0,
        dt=0.002,
        record_every=2,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Small leans over time by the linear equation; energy."""
    energy = Check("energy constant (relative)", 0.0, 1e-10, measures.energy_drift, "no force does work", Kind.CONSERVATION)
    if abs(p["lean"]) > 0.002:
        return (energy,)

    def defect(result: Result) -> float:
        expected = small_leans(p, result.time.values)
        return float(np.abs(measures.leans(result) - expected).max() / np.abs(expected).max())

    return (energy, Check("lean over time (relative)", 0.0, 1e-3, defect, "linear equation of small leans", Kind.CLOSED_FORM))
