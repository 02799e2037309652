"""Arm of six joints (Staubli) on a car-like platform (Ali 2011, section 4.4): platform speed and joint motions are given.

F_0 is midway between the axles. Both front wheels are steered and driven with equal torques; the rear axle is fixed. The angle
beta of a virtual wheel in the middle gives those of the real ones by tan b = (1 + (L/2l) tan b) tan b1 = (1 - (L/2l) tan b)
tan b2 (wheel 1 is the right one), so that eta_0 = (1, tan(beta)/2, tan(beta)/l) xi. The platform is fully actuated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, constant, polynomial, sine, spline
from locodyn.robot import Box, Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

DOC = "Ali 2011, 4.4"
CHOSEN = "chosen (Ali 2011, 4.4 does not say)"
PARAMETERS = (
    Parameter("xi", 1.0, "m/s", DOC, "speed of the platform along its x axis"),
    Parameter("l", 1.0, "m", DOC, "wheel base", above=0.0),
    Parameter("L", 0.5, "m", DOC, "track", above=0.0),
    Parameter("R", 0.15, "m", CHOSEN, "radius of the wheels", above=0.0),
    Parameter("m_o", 200.0, "kg", CHOSEN, "mass of the platform, mass centre at O_o", above=0.0),
    Parameter("I_oz", 61.0, "kg m^2", f"{DOC} (10 times the largest of the arm)", "moment of the platform about z", above=0.0),
    Parameter("base", (0.25, 0.0, 0.40), "m", CHOSEN, "foot of the arm in F_0"),
    Parameter("R2", 0.42, "m", DOC, "height of the shoulder over the foot", least=0.0),
    Parameter("D3", 0.45, "m", DOC, "length of the upper arm", least=0.0),
    Parameter("R4", 0.45, "m", DOC, "length of the forearm", least=0.0),
    Parameter("w", (1.0, 1.5, 2.0), "rad/s", CHOSEN, "joints 1 to 3: r_j = sin(w_j t)"),
    Parameter("w_b", 0.5, "rad/s", CHOSEN, "steering: beta = a_b sin(w_b t)", above=0.0),
    Parameter("a_b", 1.0, "rad", DOC, "amplitude of the steering angle beta"),
    Parameter("g", 9.81, "m/s^2", CHOSEN, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"xi": 0.0}, {"g": 0.0})

# Cylinders of the links: mass (kg), radius, length, axis, centre (m) in F_j. Chosen; Ali (2011, 4.4) says cylinders.
LINKS = (
    (15.0, 0.10, 0.42, "z", (0.0, 0.0, -0.21)),
    (10.0, 0.07, 0.45, "x", (0.225, 0.0, 0.0)),
    (5.0, 0.06, 0.225, "y", (0.0, 0.1125, 0.0)),
    (4.0, 0.05, 0.225, "z", (0.0, 0.0, -0.1125)),
    (1.0, 0.04, 0.08, "z", (0.0, 0.0, 0.0)),
    (0.5, 0.03, 0.085, "z", (0.0, 0.0, 0.0425)),
)
TWISTS = (0.0, 0.5, 0.0, -0.5, 0.5, -0.5)  # alpha_j / pi of the modified Denavit-Hartenberg parameters


def robot(p: dict[str, Any]) -> Robot:
    """Platform with two driven front wheels and a rear axle; the arm by modified Denavit-Hartenberg parameters."""
    manipulator = Robot("mobile_manipulator")
    box = Box((1.2 * p["l"], p["L"], 0.3), at=(0.0, 0.0, 0.25))
    body = manipulator.base(
        "platform", moves="planar", mass=p["m_o"], centre=(0.0, 0.0, 0.0), inertia=about_centre(zz=p["I_oz"]), shape=box
    )
    for name, y in (("wheel_1", -0.5), ("wheel_2", 0.5)):
        body.wheel(name, at=(0.5 * p["l"], y * p["L"], 0.0), axis="y", radius=p["R"], kind="steered", actuated=True)
    body.wheels("rear", at=(-0.5 * p["l"], 0.0, 0.0), axis="y", radius=p["R"])
    lengths, heights = (0.0, 0.0, p["D3"], 0.0, 0.0, 0.0), (p["R2"], 0.0, 0.0, p["R4"], 0.0, 0.0)
    for j, (mass, radius, length, axis, centre) in enumerate(LINKS):
        alpha = math.pi * TWISTS[j]
        at = np.array([lengths[j], -math.sin(alpha) * heights[j], math.cos(alpha) * heights[j]])
        at = at + p["base"] if j == 0 else at
        shape = Cylinder(radius=radius, length=length, axis=axis, at=centre)
        link = manipulator.body(f"link_{j + 1}", mass=mass, shape=shape)
        body = link.on(body, at=at, turned=("x", alpha)).turning("z", name=f"joint_{j + 1}")
    return manipulator


def steering(p: dict[str, Any]) -> dict[str, Law]:
    """Angles b1 and b2 as periodic splines of degree 7 through 800 values (error below 1e-13 rad)."""
    if not abs(p["a_b"]) < 0.5 * math.pi:
        raise InputError(f"parameter 'a_b' is {p['a_b']:g}; the steering angle must stay between -pi/2 and pi/2.")
    times = np.linspace(0.0, 2.0 * math.pi / p["w_b"], 801)
    tangent, ratio = np.tan(p["a_b"] * np.sin(p["w_b"] * times)), p["L"] / (2.0 * p["l"])
    angles = {"wheel_1": np.arctan2(tangent, 1.0 + ratio * tangent), "wheel_2": np.arctan2(tangent, 1.0 - ratio * tangent)}
    return {name: spline(times, values, degree=7, periodic=True) for name, values in angles.items()}


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds; joints 4 to 6 are held."""
    joints = {f"joint_{j + 1}": sine(1.0, omega=w) for j, w in enumerate(p["w"])}
    return Scenario(
        "mobile_manipulator",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        imposed=joints | {f"joint_{j}": constant(0.0) for j in (4, 5, 6)},
        steering=steering(p),
        speeds=[("platform", (1.0, 0.0, 0.0), polynomial(0.0, p["xi"]))],
        equal=[("wheel_1", "wheel_2")],
        t_end=10.0,
        dt=0.01,
        checks=(*own_checks(p), *checks(p)),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters: eta_0 = H_a xi, and the first law."""

    def kinematics(result: Result) -> float:
        tangent = np.tan(p["a_b"] * np.sin(p["w_b"] * result.time.values))
        wanted = p["xi"] * np.column_stack([np.ones_like(tangent), tangent / 2.0, tangent / p["l"]])
        return float(np.abs(result.twist.values[:, [0, 1, 5]] - wanted).max())

    return (
        Check("eta_0 = (1, tan(beta)/2, tan(beta)/l) xi", 0.0, 1e-10, kinematics, f"{DOC}, (4.21)", Kind.CLOSED_FORM),
        Check(
            "power balance Gamma.thetadot + tau.rdot = d(T+U)/dt (relative)",
            0.0,
            1e-12,
            measures.power_balance,
            "first law",
            Kind.CONSERVATION,
        ),
    )


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above; ranges to 0.5 %."""
    ranges = {1.0: ((-14.91, 19.40), (-4.59, 6.75)), 0.0: ((-8.22, 5.37), (-2.61, 1.67))}
    if p["xi"] not in ranges or not all(p[q.name] == q.value for q in PARAMETERS[1:-1]):
        return ()
    source = "independent integration (DOP853, 1e-12)"
    torque, motor = ranges[p["xi"]]
    found = [
        Check(
            "range of tau_1 (N m)",
            torque,
            0.03,
            lambda r: measures.extent(r.joint_torque.sel(joint="joint_1").values),
            source,
            Kind.INDEPENDENT,
        ),
        Check(
            "range of Gamma (N m)",
            motor,
            0.02,
            lambda r: measures.extent(r.wheel_torque.sel(wheel="wheel_1").values),
            source,
            Kind.INDEPENDENT,
        ),
    ]
    if p["xi"] == 1.0:
        found.insert(
            0, Check("pose(10) (m, rad)", (-0.30121, -1.83184, 1.79449), 1e-4, measures.final_pose, source, Kind.INDEPENDENT)
        )
    return tuple(found)
