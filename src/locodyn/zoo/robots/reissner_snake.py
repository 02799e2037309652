"""Snake without joints that shears (Ali 2011, 6.3.6): bending and shear travel together, its sections slide along their normals.

A Reissner body has sections that need not stand across its centre line, like the scales of a snake. With the angle
phi = a sin(2 pi (X + s) / lambda), the curvature -phi' and the shear Gamma sin(phi), every section moves along its own normal, at
V (1 - Gamma cos phi): the family of ``shearing_undulation`` satisfies the condition (6.43) with the rates of shear that its
printed form leaves out. A negative Gamma makes the snake faster than its wave of bending alone. Sleeves go with the body.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.gaits import BodyGait, shearing_undulation
from locodyn.robot import Circle, Material, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

OWN = "own choice"
SOURCE = "Ali 2011, 6.3.7"
PARAMETERS = (
    Parameter("a", 1.0, "rad", OWN, "largest angle of the sections from the course", above=0.0),
    Parameter("Gamma", -0.3, "-", OWN, "ratio of the shear to the sine of that angle", least=-0.9, most=0.9),
    Parameter("lambda", 1.0, "m", SOURCE, "length of a wave, on the body", above=0.0),
    Parameter("V", -0.5, "m/s", SOURCE, "speed of the wave on the body; negative: head first"),
    Parameter("sleeves", 5, "-", SOURCE, "number of contacts", least=3),
    Parameter("l", 1.25, "m", OWN, "length of the body", above=0.0),
    Parameter("m", 1.0, "kg/m", OWN, "mass of a metre of the body", above=0.0),
    Parameter("r", 0.02, "m", OWN, "radius of the body", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"Gamma": 0.3})
NODES = 160
WAVES = 5


def gait(p: dict[str, Any]) -> BodyGait:
    """The wave of bending and shear."""
    return shearing_undulation(p["a"], p["Gamma"], wavelength=p["lambda"], travel=p["V"])


def robot(p: dict[str, Any]) -> Robot:
    """A body in the plane and its sleeves."""
    snake = Robot("reissner_snake")
    body = snake.base("head", moves="planar").rod(
        "body", length=p["l"], section=Circle(p["r"]), material=Material(1e5, p["m"] / (math.pi * p["r"] ** 2)), nodes=NODES,
        fields=gait(p).fields,
    )  # fmt: skip
    for n in range(p["sleeves"]):
        body.sleeve(f"sleeve_{n + 1}", at=(n + 0.5) * p["l"] / p["sleeves"])
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """Five waves."""
    t_end = WAVES * p["lambda"] / abs(p["V"])
    return Scenario(
        "reissner_snake", robot(p), gravity=(0.0, 0.0, 0.0), imposed=gait(p).imposed("body"), t_end=t_end, dt=t_end / 400.0,
        integrator="rkmk4", checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Speed and path of the head, forces of all sleeves; all in closed form."""
    from scipy.special import j0

    a, k, speed = p["a"], 2.0 * math.pi / p["lambda"], p["V"]
    gone = math.copysign(WAVES * p["lambda"], speed) * (j0(a) - 0.5 * p["Gamma"] * (1.0 + j0(2.0 * a)))

    def angle(result: Result, place: float) -> np.ndarray:
        return np.asarray(a * np.sin(k * (place + speed * result.time.values)))

    def slip(result: Result) -> tuple[float, float]:
        twist = result.twist.values
        ahead = speed * (1.0 - p["Gamma"] * np.cos(angle(result, 0.0)))
        return float(np.abs(twist[:, 0] - ahead).max()), float(np.abs(twist[:, 1]).max())

    def resultant(result: Result) -> float:
        ends = []
        for place in (0.0, p["l"]):
            phi = angle(result, place)
            ends.append((1.0 - p["Gamma"] * np.cos(phi))[:, None] * np.stack([np.cos(phi), -np.sin(phi)], axis=-1))
        wanted = p["m"] * speed**2 * (ends[1] - ends[0])
        return float(np.abs(result.contact_force.values[..., :2].sum(axis=1) - wanted).max())

    closed = Kind.CLOSED_FORM
    law = "V (1 - Gamma cos phi), Ali 2011, (6.42) with rates of shear"
    waves = "V t (J0(a) - Gamma (1 + J0(2 a)) / 2), whole waves"
    return (
        Check("head: V_x against its law, V_y, largest (m/s)", (0.0, 0.0), 1e-5, slip, law, closed),
        Check("pose of the head at the end (m, rad)", (gone, 0.0, 0.0), 1e-5, measures.final_pose, waves, closed),
        Check(
            "sum of the forces of all sleeves, error (N)", 0.0, 1e-5, resultant, "momentum of a wave that only travels", closed
        ),
    )
