"""Robots on wheels and skates that several tests look at."""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.locomotion.problem import Problem
from locodyn.motion import sine
from locodyn.robot import Robot, about_centre


def snakeboard(omega: float) -> tuple[Problem, np.ndarray, np.ndarray]:
    """A board with two wheels, under-constrained: one free direction, three joints that swing with ``omega`` (rad/s)."""
    robot = Robot("snakeboard")
    robot.base("board", mass=2.0, inertia=about_centre(zz=0.03), moves="planar")
    robot.body("rotor", mass=1.0, inertia=about_centre(zz=0.04)).on("board").turning("z")
    for name, x in (("front", 0.2), ("rear", -0.2)):
        robot.body(name, mass=0.5, inertia=about_centre(zz=0.002)).on("board", at=(x, 0, 0)).turning("z").wheel(axis="y")
    laws = {3: sine(0.8, omega=omega), 4: sine(-0.4, omega=omega), 5: sine(0.4, omega=omega)}
    return Problem(robot.model(), laws), np.zeros(6), np.zeros(6)


def skate_snake(links: int = 3, wheels: bool = True) -> Model:
    """Links of length 1 joined at their ends, with a skate in the middle of each, or of the first two."""
    robot = Robot("snake")
    inertia = about_centre(xx=0.1, yy=0.1, zz=0.1)
    parent = robot.base("link_0", moves="planar", mass=1.0, inertia=inertia)
    parent.skate("skate_0")
    for k in range(1, links):
        body = robot.body(f"link_{k}", mass=1.0, centre=(-0.5, 0, 0), inertia=inertia)
        parent = body.on(parent, at=(-0.5 if k == 1 else -1.0, 0, 0)).turning("z", name=f"joint_{k}")
        if wheels or k < 2:
            parent.skate(f"skate_{k}", at=(-0.5, 0, 0))
    return robot.model()
