"""Snake of n rigid modules with the gait of a snake without joints (Ali 2011, 6.5): the same path as n grows.

A module has the mean heading of the piece of body that it replaces, so the joint at X turns by the curvature averaged with a
triangle of two modules: A h sinc^2(h / lambda) cos(2 pi (X + s) / lambda) for the wave of ``soft_snake_friction``
(``gaits.module_gait``). On the same viscous ground, a module of length h feels that of its own length. The head's path differs
from the continuous one by a term of second order in h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.gaits import ModuleGait, lateral_undulation, module_gait
from locodyn.robot import Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Drag
from locodyn.zoo import measures
from locodyn.zoo.robots import soft_snake_friction

BODY = soft_snake_friction.PARAMETERS
PARAMETERS = (Parameter("n", 20, "-", "own choice", "number of modules", least=3), *BODY)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"n": 40})
ORDER_2 = 8.0  # largest error times n^2


def robot(p: dict[str, Any]) -> Robot:
    """Modules in a row, the tip of the first in front; each feels the ground along and across it, and as it turns."""
    h, snake = p["l"] / p["n"], Robot("snake_discretised")
    mass = p["m"] * h
    module: dict[str, Any] = {
        "mass": mass,
        "centre": (0.5 * h, 0.0, 0.0),
        "inertia": about_centre(zz=mass * (h * h / 12.0 + 0.25 * p["r"] ** 2)),
        "shape": Cylinder(p["r"], 0.8 * h, axis="x", at=(0.5 * h, 0.0, 0.0)),
    }
    ground = Drag(linear=(p["c_t"] * h, p["c_n"] * h, 0.0), angular=(0.0, 0.0, p["c_n"] * h**3 / 12.0))
    part = snake.base("module_1", moves="planar", **module)
    for k in range(1, p["n"] + 1):
        if k > 1:
            part = snake.body(f"module_{k}", **module).on(part, at=(h, 0.0, 0.0)).turning("z", name=f"joint_{k - 1}")
        snake.wrench(f"ground_{k}", on=part, law=ground, at=(0.5 * h, 0.0, 0.0))
    return snake


def gait(p: dict[str, Any]) -> ModuleGait:
    """The joint angles, and the first heading, from the wave of the body without joints."""
    wave = lateral_undulation(p["A"], wavelength=p["lambda"], travel=p["V"])
    return module_gait(wave, length=p["l"], modules=p["n"])


def scenario(p: dict[str, Any]) -> Scenario:
    """Four seconds, two waves, from a head at rest."""
    found = gait(p)
    return Scenario(
        "snake_discretised", robot(p), gravity=(0.0, 0.0, 0.0), imposed=found.laws,
        start=Start({"module_1": (0.0, 0.0, found.yaw)}), t_end=4.0, dt=0.005, integrator="rkmk4", record_every=4,
        checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The path of the head against that of the body without joints."""
    if not all(p[q.name] == q.value for q in BODY):
        return ()
    pose = soft_snake_friction.POSES[p["c_n"]]

    def head(result: Result) -> np.ndarray:
        return np.asarray(measures.final_pose(result) - (0.0, 0.0, gait(p).yaw))

    bound = ORDER_2 / p["n"] ** 2
    source = "the continuous body, equations of its own; second order in the length of a module"
    return (Check("pose of the head at 4 s (m, rad)", pose, bound, head, source, Kind.INDEPENDENT),)
