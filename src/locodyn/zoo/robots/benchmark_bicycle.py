"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): 25 parameters, and its nonlinear example.

The table is in their axes (x forward, y to the right, z down, origin at the rear contact point); the assembly
turns it into those of :mod:`locodyn.zoo.whipple`. The example starts upright and straight at 4.6 m/s with a lean rate of
0.5 rad/s: the bicycle is stable by itself, and the energy of the lean ends up in forward motion.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Robot
from locodyn.sim import Check, Kind, Parameter, Scenario
from locodyn.zoo import measures
from locodyn.zoo.whipple import Whipple, in_fork_axes, rear_force_up, wheel_angles

SOURCE = "Meijaard, Papadopoulos, Ruina, Schwab 2007, Table 1"
PARAMETERS = (
    Parameter("w", 1.02, "m", SOURCE, "wheelbase", above=0.0),
    Parameter("c", 0.08, "m", SOURCE, "trail"),
    Parameter("lambda", math.pi / 10, "rad", SOURCE, "tilt of the steer axis"),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", least=0.0),
    Parameter("v", 4.6, "m/s", SOURCE, "forward speed at the start"),
    Parameter("r_R", 0.3, "m", SOURCE, "radius of the rear wheel", above=0.0),
    Parameter("m_R", 2.0, "kg", SOURCE, "mass of the rear wheel", above=0.0),
    Parameter("I_Rxx", 0.0603, "kg m^2", SOURCE, "moment of the rear wheel across its axle", above=0.0),
    Parameter("I_Ryy", 0.12, "kg m^2", SOURCE, "moment of the rear wheel about its axle", above=0.0),
    Parameter("x_B", 0.3, "m", SOURCE, "mass centre of frame and rider, forward"),
    Parameter("z_B", -0.9, "m", SOURCE, "mass centre of frame and rider, down"),
    Parameter("m_B", 85.0, "kg", SOURCE, "mass of frame and rider", above=0.0),
    Parameter("I_Bxx", 9.2, "kg m^2", SOURCE, "moment of frame and rider about forward", above=0.0),
    Parameter("I_Bxz", 2.4, "kg m^2", SOURCE, "entry xz of the moments of frame and rider"),
    Parameter("I_Byy", 11.0, "kg m^2", SOURCE, "moment of frame and rider about the side", above=0.0),
    Parameter("I_Bzz", 2.8, "kg m^2", SOURCE, "moment of frame and rider about the vertical", above=0.0),
    Parameter("x_H", 0.9, "m", SOURCE, "mass centre of handlebar and fork, forward"),
    Parameter("z_H", -0.7, "m", SOURCE, "mass centre of handlebar and fork, down"),
    Parameter("m_H", 4.0, "kg", SOURCE, "mass of handlebar and fork", above=0.0),
    Parameter("I_Hxx", 0.05892, "kg m^2", SOURCE, "moment of handlebar and fork about forward", above=0.0),
    Parameter("I_Hxz", -0.00756, "kg m^2", SOURCE, "entry xz of the moments of handlebar and fork"),
    Parameter("I_Hyy", 0.06, "kg m^2", SOURCE, "moment of handlebar and fork about the side", above=0.0),
    Parameter("I_Hzz", 0.00708, "kg m^2", SOURCE, "moment of handlebar and fork about the vertical", above=0.0),
    Parameter("r_F", 0.35, "m", SOURCE, "radius of the front wheel", above=0.0),
    Parameter("m_F", 3.0, "kg", SOURCE, "mass of the front wheel", above=0.0),
    Parameter("I_Fxx", 0.1405, "kg m^2", SOURCE, "moment of the front wheel across its axle", above=0.0),
    Parameter("I_Fyy", 0.28, "kg m^2", SOURCE, "moment of the front wheel about its axle", above=0.0),
    Parameter("lean_rate", 0.5, "rad/s", SOURCE, "lean rate at the start, to the right"),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def whipple(p: dict[str, Any]) -> Whipple:
    """The parameters in the axes of the library: x forward, y left, z up from the rear hub."""
    fork_centre, (pp, dd, pd) = in_fork_axes(
        p["lambda"], p["c"], (p["w"], p["r_F"]), (p["x_H"], -p["z_H"]), (p["I_Hxx"], p["I_Hzz"], -p["I_Hxz"])
    )
    return Whipple(
        wheelbase=p["w"],
        trail=p["c"],
        tilt=p["lambda"],
        rear_radius=p["r_R"],
        front_radius=p["r_F"],
        rear_mass=p["m_R"],
        rear_moments=(p["I_Rxx"], p["I_Ryy"]),
        frame_mass=p["m_B"],
        frame_centre=(p["x_B"], -p["z_B"] - p["r_R"]),
        frame_moments={"xx": p["I_Bxx"], "yy": p["I_Byy"], "zz": p["I_Bzz"], "xz": -p["I_Bxz"]},
        fork_mass=p["m_H"],
        fork_centre=fork_centre,
        fork_moments={"xx": pp, "yy": p["I_Hyy"], "zz": dd, "xz": pd},
        front_mass=p["m_F"],
        front_moments=(p["I_Fxx"], p["I_Fyy"]),
    )


def robot(p: dict[str, Any]) -> Robot:
    """Frame, fork and two wheels."""
    return whipple(p).robot("benchmark_bicycle")


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds without any torque."""
    return Scenario(
        "benchmark_bicycle",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=whipple(p).start(p["v"], p["lean_rate"]),
        t_end=10.0,
        dt=0.005,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The speed at the end by the balance of energy, and statics; both where the bicycle comes back to straight motion.

    1/2 M v_end^2 = 1/2 M v^2 + 1/2 I_Txx lean_rate^2 with M = m_T + I_Ryy / r_R^2 + I_Fyy / r_F^2.
    """
    energy = Check("energy constant (relative)", 0.0, 1e-8, measures.energy_drift, "no force does work", Kind.CONSERVATION)
    if p != {parameter.name: parameter.value for parameter in PARAMETERS}:
        return (energy,)
    masses = [p[f"m_{part}"] for part in "RBHF"]
    heights = (p["r_R"], -p["z_B"], -p["z_H"], p["r_F"])
    lean = sum(p[f"I_{part}xx"] + m * z**2 for part, m, z in zip("RBHF", masses, heights, strict=True))
    moving = sum(masses) + p["I_Ryy"] / p["r_R"] ** 2 + p["I_Fyy"] / p["r_F"] ** 2
    speed = math.sqrt(p["v"] ** 2 + lean * p["lean_rate"] ** 2 / moving)
    forward = (0.0, p["x_B"], p["x_H"], p["w"])
    load = p["g"] * sum(m * (1.0 - x / p["w"]) for m, x in zip(masses, forward, strict=True))
    return (
        energy,
        Check("speed at the end (m/s)", speed, 1e-4, lambda r: r.twist.values[-1, 0], "balance of energy", Kind.CLOSED_FORM),
        Check("rear load at the end (N)", load, 0.05, lambda r: rear_force_up(r)[-1], "statics", Kind.CLOSED_FORM),
        Check(
            "front contact angle at the end (rad)",
            np.pi + p["lambda"],
            1e-4,
            lambda r: wheel_angles(r)[0][-1],
            "a standing wheel: pi + lambda",
            Kind.CLOSED_FORM,
        ),
    )
