"""What a run warns of in water: a rod or body that comes out of it, with the added mass of one that is deep under.

The added mass of a section (:class:`~locodyn.robot.rods.fluid.RodFluid` with a density) or of an ellipsoid (``body.fluid``) is
that in an unbounded fluid. Near a surface it depends on the frequency of the motion (Newman, Marine Hydrodynamics, 1977, 6.17),
which no table of masses knows.
"""

from __future__ import annotations

import json
import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from locodyn.robot.pose import rotation_of_quaternion
from locodyn.robot.rods.section import Annulus, Circle, Ellipse, Rectangle
from locodyn.world.law_table import SOLID
from locodyn.world.water import Water, WetLaw

if TYPE_CHECKING:
    import xarray

    from locodyn.robot.compilation.compiled import CompiledRobot

_SLACK = 1e-6  # of the reach of a section


class SurfaceWarning(UserWarning):
    """A rod or body with the added mass of an unbounded fluid comes out of the water."""


def note_surfacing(dataset: xarray.Dataset, robot: CompiledRobot) -> None:
    """Attribute ``surfaced`` (JSON): what comes out of its water, with the first time (s), and a warning for the first."""
    dataset.attrs.pop("surfaced", None)
    times, found = dataset["time"].values, {}
    for name, dry in {**_dry_rods(dataset, robot), **_dry_bodies(dataset, robot)}.items():
        if dry.any():
            found[name] = float(times[int(np.argmax(dry))])
    if not found:
        return
    dataset.attrs["surfaced"] = json.dumps(found)
    name, time = min(found.items(), key=lambda item: item[1])
    rod = robot.description.body(name).joint.rod is not None
    better = "instead of the density of the fluid" if rod else "of its wet part instead of an ellipsoid, or unbounded=False"
    kind = "rod" if rod else "body"
    warnings.warn(
        f"{kind} '{name}' comes out of the water from t = {time:g} s on, but its added mass is that of a {kind} deep under it;"
        f" give added_mass= {better}.",
        SurfaceWarning,
        stacklevel=4,
    )


def _dry_rods(dataset: xarray.Dataset, robot: CompiledRobot) -> dict[str, np.ndarray]:
    """Whether a section of each rod is above the surface, at the records (n,)."""
    found: dict[str, np.ndarray] = {}
    for name, water in (_waters(robot) if "rod_position" in dataset else {}).items():
        rod = robot.description.body(name).joint.rod
        assert rod is not None
        line = dataset["rod_position"].sel(rod=name).values
        places = rod.length * dataset["s"].values
        reach = np.array([_reach(rod.section(s) if callable(rod.section) else rod.section) for s in map(float, places)])
        dry = line[..., 2] + (1.0 - _SLACK) * reach > _surface(water, dataset["time"].values[:, None], line)
        found[name] = np.asarray(dry.any(axis=1))
    return found


def _dry_bodies(dataset: xarray.Dataset, robot: CompiledRobot) -> dict[str, np.ndarray]:
    """Whether the highest point of each body is above the surface over its centre, at the records (n,)."""
    found: dict[str, np.ndarray] = {}
    for wrench in robot.wrenches:
        if not (isinstance(wrench.law, WetLaw) and wrench.abscissa is None and robot.description.body(wrench.body).unbounded):
            continue
        row = robot.body_names.index(wrench.body)
        own, origin = robot.body_rotation[row], robot.body_position[row]
        turn = rotation_of_quaternion(dataset["body_orientation"].values[:, row]) @ own.T  # of the frame of the body
        centre = dataset["body_position"].values[:, row] + turn @ (wrench.position - origin)
        height = _half_height(wrench.law, np.einsum("nj,jk->nk", turn[:, 2], wrench.rotation))
        surface = _surface(wrench.law.water, dataset["time"].values[:, None], centre[:, None])[:, 0]
        dry = centre[:, 2] + (1.0 - _SLACK) * height > surface
        found[wrench.body] = dry | found.get(wrench.body, np.zeros(len(dry), bool))
    return found


def _half_height(law: WetLaw, up: np.ndarray) -> np.ndarray:
    """How far a solid reaches up from its centre, m: its support function along ``up`` (n, 3), the vertical in its axes."""
    code, axis, half, _ = law.solid()
    if code == SOLID.ellipsoid:
        return np.asarray(np.linalg.norm(up * np.array(half), axis=1))
    if code == SOLID.box:
        return np.asarray(np.abs(up) @ np.array(half))
    along = np.abs(up[:, axis])
    if code == SOLID.capsule:
        return np.asarray((half[0] - half[1]) * along + half[1])
    return np.asarray(half[0] * along + half[1] * np.sqrt(np.maximum(0.0, 1.0 - along**2)))


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
