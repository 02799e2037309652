"""What the walkers of the zoo have in common: a hip that moves in the x-z plane, ground that falls towards x, their strides."""

from __future__ import annotations

import functools
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.robot import Robot, Sphere
from locodyn.robot.building.sentence import BodyHandle

if TYPE_CHECKING:
    from locodyn.phases.poincare import Orbit
    from locodyn.sim import Result, Scenario


def hip(walker: Robot, mass: float, radius: float) -> BodyHandle:
    """A body of this mass (kg) that slides along x and z: joints ``x`` and ``z``."""
    rail = walker.base("rail", moves="prismatic", axis="x", joint="x")
    return walker.body("hip", mass=mass, shape=Sphere(radius)).on(rail).sliding("z", name="z")


def downhill(g: float, slope: float) -> tuple[float, float, float]:
    """Gravity (3,) m/s^2 in the axes of ground that falls towards x by the angle ``slope`` (rad)."""
    return (g * math.sin(slope), 0.0, -g * math.cos(slope))


def step_times(result: Result) -> np.ndarray:
    """When feet touched down, s."""
    return np.array([one["time"] for one in json.loads(result.attributes["transitions"]) if one["kind"] == "touchdown"])


def last_step_time(result: Result) -> float:
    """Duration of the last whole step, s."""
    return float(np.diff(step_times(result))[-1])


def uneven_steps(result: Result) -> float:
    """Largest difference between the duration of a step and that of the first one, s."""
    durations = np.diff(step_times(result), prepend=0.0)
    return float(np.abs(durations - durations[0]).max())


def settling(result: Result) -> float:
    """By how much the last step differs in duration from the one before, over the same of the second step."""
    changes = np.abs(np.diff(step_times(result), n=2, prepend=0.0))
    return float(changes[-1] / changes[0])


def step_lengths(result: Result) -> np.ndarray:
    """Distances between places of successive touchdowns along x, m."""
    places = [one["place"][0] for one in json.loads(result.attributes["transitions"]) if one["kind"] == "touchdown"]
    return np.diff(places)


@functools.lru_cache(maxsize=2)
def _orbit(scenario: Scenario) -> Orbit:
    from locodyn.phases.poincare import PoincareMap

    return PoincareMap(scenario).fixed_point()


def orbit(result: Result) -> Orbit:
    """The gait near the start of the run, by Newton's method on its Poincare map."""
    assert result.scenario is not None
    return _orbit(result.scenario)


def orbit_state(result: Result, *names: str) -> np.ndarray:
    """Positions, then velocities of these coordinates at the beginning of the step of the gait, rad and rad/s."""
    found = orbit(result)
    coordinates: Any = result.scenario.compiled.coordinate_names  # type: ignore[union-attr]
    places = [coordinates.index(name) for name in names]
    return np.concatenate([found.q[places], found.v[places]])


def energy_kept(result: Result) -> float:
    """Largest change of energy that works and impacts do not explain, relative to the largest kinetic energy."""
    left = result.total_energy().values - result.energy_supplied().values
    return float(np.abs(left - left[0]).max() / result.kinetic_energy.values.max())
