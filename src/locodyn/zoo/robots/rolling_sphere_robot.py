"""A ball robot driven by a pendulum inside: rolling straight on under a constant torque (``straight``), or on a curve (``turn``).

A yoke turns on a diameter of the shell (joint ``drive``, about y), and carries a pendulum that tilts to the side (joint ``tilt``,
about x). A motor torque Gamma on the shell acts back on the pendulum, which swings forward until its weight holds it. Straight
on, with R the radius, I the moment of the shell, M the mass of everything, m and l mass and length of the pendulum,

    (I + M R^2) a = Gamma R,   Gamma = m l (g sin(theta) + a cos(theta)):

the ball then accelerates evenly with a, and the pendulum stays at theta.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.locomotion.servo import Servo
from locodyn.motion import constant, cycloid, polynomial
from locodyn.robot import Capsule, Compound, Robot, Sphere, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

OWN = "chosen"
GLASS = (0.35, 0.55, 0.7, 0.3)  # the pendulum is seen through the shell
PARAMETERS = (
    Parameter("case", "straight", "-", OWN, "constant torque, or a curve by servos", choices=("straight", "turn")),
    Parameter("R", 0.25, "m", OWN, "radius of the shell", above=0.0),
    Parameter("m_s", 3.0, "kg", OWN, "mass of the shell, a hollow sphere", above=0.0),
    Parameter("m_y", 0.5, "kg", OWN, "mass of the yoke", above=0.0),
    Parameter("I_y", 0.005, "kg m^2", OWN, "moment of the yoke about any axis", above=0.0),
    Parameter("m", 4.0, "kg", OWN, "mass of the pendulum", above=0.0),
    Parameter("l", 0.12, "m", OWN, "distance of its mass centre from that of the ball", above=0.0),
    Parameter("I_p", 0.01, "kg m^2", OWN, "moment of the pendulum about its mass centre, any axis", above=0.0),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", above=0.0),
    Parameter("Gamma", 1.5, "N m", OWN, "torque of the motor on the shell (case straight)"),
    Parameter("rate", 4.0, "rad/s", OWN, "rate of the drive aimed at (case turn)"),
    Parameter("K_d", 0.8, "N m s/rad", OWN, "gain of the drive (case turn)", least=0.0),
    Parameter("tilt", 0.3, "rad", OWN, "tilt of the pendulum aimed at, to the left (case turn)"),
    Parameter("K_t", (60.0, 6.0), "N m/rad", OWN, "stiffness and damping (N m s/rad) of the tilt", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"Gamma": -3.0}, {"case": "turn"})


def steady(p: dict[str, Any]) -> tuple[float, float]:
    """(a, theta), m/s^2 and rad: acceleration of the ball, and angle of the pendulum, forward, under a constant torque."""
    shell, mass = 2.0 / 3.0 * p["m_s"] * p["R"] ** 2, p["m_s"] + p["m_y"] + p["m"]
    a = p["Gamma"] * p["R"] / (shell + mass * p["R"] ** 2)
    return a, math.asin(p["Gamma"] / (p["m"] * p["l"] * math.hypot(p["g"], a))) - math.atan2(a, p["g"])


def robot(p: dict[str, Any]) -> Robot:
    """Shell, yoke and pendulum."""
    ball = Robot("rolling_sphere_robot")
    moment = 2.0 / 3.0 * p["m_s"] * p["R"] ** 2
    inertia, shape = about_centre(xx=moment, yy=moment, zz=moment), Sphere(p["R"], colour=GLASS)
    shell = ball.base("shell", mass=p["m_s"], inertia=inertia, shape=shape)
    shell.rolling("surface", radius=p["R"])
    axle = Capsule(radius=0.03 * p["R"], length=1.94 * p["R"], axis="y")
    yoke = ball.body("yoke", mass=p["m_y"], inertia=about_centre(xx=p["I_y"], yy=p["I_y"], zz=p["I_y"]), shape=axle)
    yoke.on(shell).turning("y", name="drive")
    rod = Capsule(radius=0.04 * p["R"], length=p["l"], at=(0.0, 0.0, -0.5 * p["l"]))
    ball.body(
        "pendulum",
        mass=p["m"],
        centre=(0.0, 0.0, -p["l"]),
        inertia=about_centre(xx=p["I_p"], yy=p["I_p"], zz=p["I_p"]),
        shape=Compound((rod, Sphere(0.5 * (p["R"] - p["l"])))),
    ).on(yoke).turning("x", name="tilt")
    return ball


def scenario(p: dict[str, Any]) -> Scenario:
    """Four seconds from rest with the pendulum where it stays; or twelve seconds, the tilt after two."""
    height = {"shell": (0.0, 0.0, p["R"], 0.0, 0.0, 0.0)}
    held = Servo(constant(0.0), *p["K_t"])
    if p["case"] == "straight":
        drives: dict[str, Any] = {"torque": {"drive": constant(-p["Gamma"])}, "servo": {"tilt": held}}
        start = Start(positions={**height, "drive": -steady(p)[1]})
    else:
        drive = Servo(polynomial(0.0, -p["rate"]), damping=p["K_d"])
        drives = {"servo": {"drive": drive, "tilt": Servo(cycloid(0.0, p["tilt"], duration=2.0, at=2.0), *p["K_t"])}}
        start = Start(positions=height)
    straight = p["case"] == "straight"
    return Scenario(
        "rolling_sphere_robot",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=start,
        t_end=4.0 if straight else 12.0,
        dt=0.002,
        record_every=2,
        checks=straight_checks(p) if straight else turn_checks(p),
        **drives,
    )


def straight_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Even acceleration, and a pendulum that stays where it is; tolerances are ten times what the step leaves (order 4)."""
    a, theta = steady(p)
    force = (p["m_s"] + p["m_y"] + p["m"]) * a

    def distance(result: Result) -> float:
        return float(np.abs(result.position.values[:, 0] - 0.5 * a * result.time.values**2).max())

    def swing(result: Result) -> float:
        rolled = result.position.values[:, 0] / p["R"]
        return float(np.abs(result.joint_position.sel(joint="drive").values + rolled + theta).max())

    def friction(result: Result) -> np.ndarray:
        along = result.contact_force.values[:, 0, 0]
        return np.array([along.min(), along.max()])

    return (
        Check("distance from a t^2 / 2 (m)", 0.0, 2e-7, distance, "closed form", Kind.CLOSED_FORM),
        Check("swing of the pendulum about theta (rad)", 0.0, 4e-7, swing, "closed form", Kind.CLOSED_FORM),
        Check("force on the ground (N), smallest and largest", (force, force), 4e-6, friction, "M a", Kind.CLOSED_FORM),
        Check("power balance (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
    )


def turn_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Balance of power, and of the vertical forces."""

    def weight(result: Result) -> float:
        return float(result.contact_force.values[-500:, 0, 2].mean())

    total = (p["m_s"] + p["m_y"] + p["m"]) * p["g"]
    return (
        Check("power balance (relative)", 0.0, 1e-10, measures.power_balance, "first law", Kind.CONSERVATION),
        Check("energy balance (relative)", 0.0, 1e-6, measures.energy_defect, "first law", Kind.CONSERVATION),
        Check("mean load at the end (N)", total, 0.005 * total, weight, "weight", Kind.CLOSED_FORM),
    )
