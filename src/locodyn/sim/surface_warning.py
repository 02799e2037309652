"""What a run warns of in water: a rod that comes out of it, with the added mass of one that is deep under.

The added mass of a section (:class:`~locodyn.robot.rods.fluid.RodFluid` with a density) is that in an unbounded fluid. Near a
surface it depends on the frequency of the motion (Newman, Marine Hydrodynamics, 1977, 6.17), which no table of masses knows.
"""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from locodyn.robot.rods.section import Annulus, Circle, Ellipse, Rectangle
from locodyn.world.water import Water, WetLaw

if TYPE_CHECKING:
    import xarray

    from locodyn.robot.compilation.compiled import CompiledRobot

_SLACK = 1e-6  # of the reach of a section


class SurfaceWarning(UserWarning):
    """A rod with the added mass of an unbounded fluid comes out of the water."""


def note_surfacing(dataset: xarray.Dataset, robot: CompiledRobot) -> None:
    """Attribute ``surfaced`` (JSON): rods that come out of their water, with the first time (s), and a warning for the first."""
    dataset.attrs.pop("surfaced", None)
    if "rod_position" not in dataset:
        return
    found: dict[str, float] = {}
    for name, water in _waters(robot).items():
        rod = robot.description.body(name).joint.rod
        assert rod is not None
        line = dataset["rod_position"].sel(rod=name).values
        places = rod.length * dataset["s"].values
        reach = np.array([_reach(rod.section(s) if callable(rod.section) else rod.section) for s in map(float, places)])
        dry = line[..., 2] + (1.0 - _SLACK) * reach > _surface(water, dataset["time"].values[:, None], line)
        if dry.any():
            found[name] = float(dataset["time"].values[int(np.argmax(dry.any(axis=1)))])
    if found:
        dataset.attrs["surfaced"] = json.dumps(found)
        name, time = min(found.items(), key=lambda item: item[1])
        warnings.warn(
            f"rod '{name}' comes out of the water from t = {time:g} s on, but its added mass is that of a rod deep under it; give"
            " added_mass= instead of the density of the fluid.",
            SurfaceWarning,
            stacklevel=4,
        )


def _waters(robot: CompiledRobot) -> dict[str, Water]:
    """The water of each rod whose added mass follows from the density of its fluid, by the laws along it."""
    found = {}
    for wrench in robot.description.wrenches:
        rod = robot.description.body(wrench.body).joint.rod
        if isinstance(wrench.law, WetLaw) and rod is not None and rod.fluid is not None and rod.fluid.density is not None:
            found[wrench.body] = wrench.law.water
    return found


def _reach(section: object) -> float:
    """How far a section goes from the centre line, m."""
    if isinstance(section, Ellipse):
        return max(section.semi_y, section.semi_z)
    if isinstance(section, Rectangle):
        return 0.5 * math.hypot(section.width, section.height)
    return section.radius if isinstance(section, (Circle, Annulus)) else 0.0


def _surface(water: Water, times: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Height of the surface above the points ``line`` (N, P, 3) at ``times`` (N, 1), (N, P) m."""
    if water.wave is None:
        return np.full(line.shape[:2], water.level)
    x, y = water.wave.vector
    phase = x * line[..., 0] + y * line[..., 1] - np.asarray(water.wave.phase_law(times))
    return np.asarray(water.level + water.wave.amplitude * np.cos(phase))
