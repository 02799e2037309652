"""Sensors: what instruments on a robot would read in a run, with noise and delay.

A sensor reads the records of a run. It reads late by its ``delay``, linearly between two records and, before there was anything
to read, what there was first; then noise is added, which its ``seed`` and the number of the record decide: a run that is repeated
or resumed has the same noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    from locodyn.sim.recorder import Records
    from locodyn.sim.scenario import Scenario

_XYZ = ("x", "y", "z")
# Kind -> what it is of, channels, unit, meaning.
KINDS: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "position": ("point", _XYZ, "m", "place of a point in the world"),
    "velocity": ("point", _XYZ, "m/s", "velocity of a point"),
    "acceleration": ("point", _XYZ, "m/s^2", "acceleration of a point"),
    "specific_force": ("point", _XYZ, "m/s^2", "what an accelerometer reads: acceleration less gravity"),
    "angular_velocity": ("point", _XYZ, "rad/s", "what a gyroscope reads"),
    "joint_position": ("joint", (), "rad or m", "of an encoder"),
    "joint_velocity": ("joint", (), "rad/s or m/s", "of a joint"),
    "joint_torque": ("joint", (), "N m or N", "of the drive of a joint"),
    "contact_force": ("contact", _XYZ, "N", "force on the robot at a contact, world axes"),
    "contact": ("contact", (), "1", "a switch: 1 where the force at a contact is above a threshold, else 0"),
}


@dataclass(frozen=True)
class Sensor:
    """An instrument: ``sensors={"imu": Sensor("specific_force", "trunk", at=(0, 0, 0.1), axes="body", noise=0.05)}``.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    of : str
        The body, marker, joint or contact that it is on.
    at : (3,) m
        The point, in the axes of the body or marker.
    axes : ``world`` or ``body``
        In which velocities and accelerations are read.
    noise : float
        Standard deviation of normal noise, in the unit of the sensor; a switch has none.
    delay : s
        By which it reads late.
    seed : int
        Of the noise.
    threshold : N
        Of a switch.
    """

    kind: str
    of: str
    at: Sequence[float] = (0.0, 0.0, 0.0)
    axes: str = "world"
    noise: float = 0.0
    delay: float = 0.0
    seed: int = 0
    threshold: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"a sensor reads '{self.kind}'; it must be one of {', '.join(KINDS)}{nearest(self.kind, KINDS)}")
        if self.axes not in ("world", "body"):
            raise InputError(f"the axes of a sensor are {self.axes!r}; they must be 'world' or 'body'.")
        for name in ("noise", "delay", "threshold"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value < math.inf:
                raise InputError(f"the {name} of a sensor is {value!r}; it must be a number, zero or more.")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"the seed of a sensor is {self.seed!r}; it must be a whole number, zero or more.")
        at = tuple(float(x) for x in self.at)
        if len(at) != 3 or not all(map(math.isfinite, at)):
            raise InputError(f"the point of a sensor is {self.at!r}; it must be three finite numbers, m.")
        object.__setattr__(self, "at", at)

    @property
    def channels(self) -> tuple[str, ...]:
        """Of a reading; a single number has none."""
        return KINDS[self.kind][1]


def checked(sensors: Mapping[str, Sensor] | None) -> dict[str, Sensor]:
    """Sensors by name."""
    if sensors is None:
        return {}
    if not isinstance(sensors, Mapping):
        raise InputError(f"the sensors are {sensors!r}; they must be a mapping such as {{'imu': Sensor('position', 'trunk')}}.")
    for name, one in sensors.items():
        if not isinstance(one, Sensor):
            raise InputError(f"the sensor '{name}' is {one!r}; it must be a Sensor(...).")
    return dict(sensors)


def check_places(scenario: Scenario) -> None:
    """:class:`InputError` where a sensor is on something that the robot does not have."""
    compiled = scenario.compiled
    for name, one in scenario.recording.sensors.items():
        what = KINDS[one.kind][0]
        known: Sequence[str] = (*compiled.body_names, *compiled.marker_names)
        if what == "joint":
            known = compiled.coordinate_names[compiled.reference_nv :]
        elif what == "contact":
            known = scenario.row_names()["contact"]
        if one.of not in known:
            word = "body or marker" if what == "point" else what
            raise InputError(f"the sensor '{name}' is on '{one.of}', but there is no such {word}{nearest(one.of, known)}")


def channel_names(scenario: Scenario) -> list[str]:
    """``imu.x``, ``imu.y``, ``imu.z``, ``switch``, ...: labels of all readings."""
    return [".".join((name, *part)) for name, one in scenario.recording.sensors.items() for part in _parts(one)]


def channel_units(scenario: Scenario) -> list[str]:
    """Their units."""
    from locodyn.sim.contract import JOINT_UNITS, joint_motions

    compiled, units = scenario.compiled, []
    joints, motions = compiled.coordinate_names[compiled.reference_nv :], joint_motions(compiled)
    for one in scenario.recording.sensors.values():
        unit = KINDS[one.kind][2]
        if KINDS[one.kind][0] == "joint":
            unit = JOINT_UNITS[one.kind][motions[joints.index(one.of)]]
        units += [unit] * len(_parts(one))
    return units


def _parts(one: Sensor) -> list[tuple[str, ...]]:
    return [(channel,) for channel in one.channels] or [()]


def readings(run: Records) -> np.ndarray:
    """What all sensors read, (n, channels)."""
    sensors = run.scenario.recording.sensors
    points = _points(run, {name: one for name, one in sensors.items() if KINDS[one.kind][0] == "point"})
    numbers = np.rint(run.times / (run.scenario.numerics.step * run.scenario.recording.record_every)).astype(np.int64)
    parts = []
    for name, one in sensors.items():
        exact = points[name] if name in points else _plain(run, one)
        late = np.column_stack([np.interp(run.times - one.delay, run.times, row) for row in exact.T])
        if one.kind == "contact":
            parts.append((late > one.threshold).astype(float))
            continue
        if one.noise > 0.0:
            rng = np.random.default_rng([one.seed, *name.encode()])
            late = late + one.noise * rng.standard_normal((int(numbers[-1]) + 1, late.shape[1]))[numbers]
        parts.append(late)
    return np.concatenate(parts, axis=1)


def _plain(run: Records, one: Sensor) -> np.ndarray:
    """Of a joint or a contact: what the run records (n, 1 or 3); of a switch the size of the force."""
    scenario = run.scenario
    if KINDS[one.kind][0] == "joint":
        joints = scenario.compiled.coordinate_names[scenario.compiled.reference_nv :]
        found: np.ndarray = run.series[one.kind][:, [joints.index(one.of)]]
        return found
    force: np.ndarray = run.series["contact_force"][:, scenario.row_names()["contact"].index(one.of)]
    return np.linalg.norm(force, axis=1, keepdims=True) if one.kind == "contact" else force


def _points(run: Records, sensors: Mapping[str, Sensor]) -> dict[str, np.ndarray]:
    """Of points: (n, 3) each."""
    if not sensors:
        return {}
    model, compiled = run.scenario.model, run.scenario.compiled
    rates = _accelerations(run)
    found = {name: np.empty((len(run.times), 3)) for name in sensors}
    for i, (q, v, a) in enumerate(zip(run.q, run.v, rates, strict=True)):
        poses, motions = model.kinematics(q, v, a)
        for name, one in sensors.items():
            frame, own, place = compiled.point(one.of)
            found[name][i] = _reading(one, poses[frame], motions[frame], place + own @ np.array(one.at), own, model.gravity)
    return found


def _reading(
    one: Sensor, pose: np.ndarray, motion: np.ndarray, point: np.ndarray, own: np.ndarray, gravity: np.ndarray
) -> np.ndarray:
    """A vector (3,) of a point (m, in its frame) on a body whose axes in the frame are ``own``."""
    rotation = pose[:9].reshape(3, 3)
    linear, spin = motion[:3], motion[3:6]
    if one.kind == "position":
        place: np.ndarray = pose[9:] + rotation @ point
        return place
    value = spin
    if one.kind != "angular_velocity":
        value = linear + np.cross(spin, point)
    if one.kind in ("acceleration", "specific_force"):
        # Of the components of the twist; those of the velocity turn with the frame.
        value = motion[6:9] + np.cross(motion[9:12], point) + np.cross(spin, value)
    if one.kind == "specific_force":
        value = value - rotation.T @ gravity
    turned: np.ndarray = rotation @ value if one.axes == "world" else own.T @ value
    return turned


def _accelerations(run: Records) -> np.ndarray:
    """Accelerations (n, nv): of hard contact the means over the last step, impacts included."""
    from locodyn.integrate.moreau_records import reference_twists

    base = run.series["acceleration"] @ np.linalg.pinv(reference_twists(run.scenario.problem))
    return np.concatenate([base, run.series["joint_acceleration"]], axis=1)
