"""Scenes whose steps give frictional contact problems: a box that spins to rest, five boxes that fall on each other."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import locodyn as ld
from locodyn.locomotion import FrictionProblem
from locodyn.sim import contact_problem_at


def spinning_box() -> ld.Scenario:
    """0.2 x 0.1 x 0.05 m on mu 0.3, turning and sliding to rest: four corners, where three would carry it."""
    robot = ld.Robot("box")
    robot.base("box", mass=2.0, shape=ld.Box((0.2, 0.1, 0.05))).collides(friction=0.3)
    start = ld.Start({"box": (0, 0, 0.025, 0, 0, 0)}, {"box": (1.0, 0.3, 0, 0, 0, 8.0)})
    words: dict[str, Any] = {"gravity": (0.0, 0.0, -9.81), "obstacles": [ld.Ground()], "integrator": "moreau", "dt": 1e-3}
    return ld.Scenario("spinning box", robot, t_end=1.0, start=start, **words)


@cache
def problems() -> dict[str, FrictionProblem]:
    """The set by names: slides, landings of box on box, a stack at rest whose loads are shared by more corners than need be."""
    wanted = {f"box at {t:g} s": (spinning_box(), t) for t in (0.001, 0.05, 0.1, 0.2, 0.5)}
    boxes = ld.zoo.falling_boxes(n=5)
    wanted |= {f"five boxes at {t:g} s": (boxes, t) for t in (0.102, 0.16, 0.3, 0.5, 1.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: contact_problem_at(scenario, t) for name, (scenario, t) in wanted.items()}
