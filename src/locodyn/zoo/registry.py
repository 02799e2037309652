"""The robots of the zoo by name; a robot's file is loaded when it is asked for."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    from locodyn.sim import Result, Scenario

# name -> one line about it; its file is locodyn/zoo/robots/NAME.py
ROBOTS: dict[str, str] = {
    "pendulum": "n rods hanging from the world, with revolute or spherical joints",
    "free_chain": "n bodies floating in space, joints imposed or torque-driven",
    "satellite": "rigid platform with three rotors (cases A, B, C): turning by moving inside",
    "heavy_top": "spinning top on a fixed pivot, a classical test of integrators",
}


def module(name: str) -> ModuleType:
    """The file of a robot. It holds ``PARAMETERS``, ``scenario(values) -> Scenario`` and ``VALIDATION`` (sets of parameters)."""
    if name not in ROBOTS:
        raise InputError(f"there is no scenario '{name}'{nearest(name, ROBOTS)}")
    return importlib.import_module(f"locodyn.zoo.robots.{name}")


def make(name: str, parameters: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of this name; ``parameters`` override those of its table."""
    from locodyn.sim.parameter import fill

    robot = module(name)
    values = fill(robot.PARAMETERS, parameters or {}, name)
    table = tuple(replace(p, value=values[p.name]) for p in robot.PARAMETERS)
    return robot.scenario(values).changed(name=name, parameters=table, summary=ROBOTS[name])


def from_result(result: Result) -> Scenario:
    """The scenario that made a result, with its parameters, end time, step and integrator."""
    attributes = result.dataset.attrs
    name = str(attributes["scenario"])
    if name not in ROBOTS:
        raise InputError(f"the result is of '{name}', which is not in the zoo; give the scenario that made it.")
    scenario = make(name, json.loads(attributes["parameters"]))
    return scenario.changed(
        t_end=float(attributes["t_end"]),
        dt=float(attributes["step"]),
        integrator=str(attributes["integrator"]),
        tolerance=float(attributes["tolerance"]),
        record_every=int(attributes["record_every"]),
    )


def resume(
    path: str | Path,
    t_end: float,
    scenario: Scenario | None = None,
    *,
    progress: bool = True,
    out: str | Path | None = None,
) -> Result:
    """Go on with a saved run to ``t_end`` (s). A run of the zoo knows its scenario; another one needs it."""
    from locodyn.sim import Result
    from locodyn.sim.run import resume as go_on

    return go_on(path, t_end, scenario or from_result(Result.load(path)), progress=progress, out=out)
