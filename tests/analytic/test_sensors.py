"""Sensors of a run against closed forms: points on an arm that turns as told, noise, delay, switches; from files too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.files import scenario_of
from locodyn.sim.run import resume

ARM, RATE = 0.5, 3.0


def arm() -> ld.Robot:
    """An arm along x that turns about y."""
    robot = ld.Robot("arm")
    body = robot.body("arm", mass=1.0, shape=ld.Capsule(0.02, ARM, "x")).on(robot.base("world", moves="fixed"))
    body.turning("y", name="hinge")
    robot.body("hand", mass=0.1, shape=ld.Sphere(0.02)).on(body, at=(ARM, 0.0, 0.0), turned=("x", 0.4)).fixed()
    return robot


def read(**sensors: ld.Sensor) -> ld.Result:
    motion = {"hinge": ld.polynomial(0.0, RATE)}
    return ld.simulate(arm(), imposed=motion, t_end=0.4, dt=1e-3, integrator="rkmk4", sensors=sensors, progress=False)


def values(result: ld.Result, name: str) -> np.ndarray:
    return np.stack([result.measured.sel(sensor=f"{name}.{axis}").values for axis in "xyz"], axis=1)


def test_points_of_an_arm() -> None:
    """At a steady rate a point at r moves on a circle: r w, -r w^2; an accelerometer reads gravity too, in its own axes."""
    found = read(
        place=ld.Sensor("position", "hand"), speed=ld.Sensor("velocity", "arm", at=(ARM, 0, 0)),
        rate=ld.Sensor("acceleration", "hand"), spin=ld.Sensor("angular_velocity", "hand", axes="body"),
        felt=ld.Sensor("specific_force", "hand", axes="body"), encoder=ld.Sensor("joint_position", "hinge"),
    )  # fmt: skip
    angle = RATE * found.time.values
    out = np.stack([np.cos(angle), 0.0 * angle, -np.sin(angle)], axis=1)  # +y turns x to -z
    along = np.stack([-np.sin(angle), 0.0 * angle, -np.cos(angle)], axis=1)
    np.testing.assert_allclose(values(found, "place"), ARM * out, atol=1e-12)
    np.testing.assert_allclose(values(found, "speed"), ARM * RATE * along, atol=1e-12)
    np.testing.assert_allclose(values(found, "rate"), -ARM * RATE**2 * out, atol=1e-11)
    own = np.array([[1, 0, 0], [0, np.cos(0.4), np.sin(0.4)], [0, -np.sin(0.4), np.cos(0.4)]])  # arm -> hand
    np.testing.assert_allclose(values(found, "spin"), np.tile(own @ (0.0, RATE, 0.0), (len(angle), 1)), atol=1e-12)
    up = np.stack([-np.sin(angle), 0.0 * angle, np.cos(angle)], axis=1)  # of the world, seen from the arm
    felt = (np.array([-ARM * RATE**2, 0.0, 0.0]) + 9.81 * up) @ own.T
    np.testing.assert_allclose(values(found, "felt"), felt, atol=1e-11)
    np.testing.assert_allclose(found.measured.sel(sensor="encoder"), angle, atol=1e-12)
    assert found.measured.attrs["units_by_sensor"].split(", ")[-4:] == ["m/s^2", "m/s^2", "m/s^2", "rad"]


def test_noise_and_delay(tmp_path: Path) -> None:
    """Late by 20 ms, linear between records; noise of the standard deviation that is said (1201 numbers: to 4 sigma, 8 percent).

    The same seed gives the same noise, also after a resumed run; sensors with other names or seeds have noise of their own.
    """
    late = ld.Sensor("joint_position", "hinge", delay=0.0205)
    loud = ld.Sensor("position", "hand", noise=0.03, seed=4)
    words: dict[str, Any] = {"late": late, "loud": loud, "other": loud, "exact": ld.Sensor("position", "hand")}
    found, again = read(**words), read(**words)
    np.testing.assert_allclose(
        found.measured.sel(sensor="late"), np.maximum(RATE * (found.time.values - 0.0205), 0.0), atol=1e-12
    )
    noise = values(found, "loud") - values(found, "exact")
    assert abs(noise.std() / 0.03 - 1.0) < 0.08 and abs(noise.mean()) < 4 * 0.03 / np.sqrt(noise.size)
    np.testing.assert_array_equal(values(again, "loud"), values(found, "loud"))
    assert np.abs(values(found, "other") - values(found, "loud")).max() > 0.01

    def scenario(t_end: float) -> ld.Scenario:
        motion = {"hinge": ld.polynomial(0.0, RATE)}
        return ld.Scenario("arm", arm(), imposed=motion, t_end=t_end, dt=1e-3, integrator="rkmk4", sensors={"loud": loud})

    scenario(0.2).run(progress=False, out=tmp_path / "half.nc")
    whole = resume(tmp_path / "half.nc", 0.4, scenario(0.4), progress=False)
    np.testing.assert_allclose(values(whole, "loud"), values(found, "loud"), atol=1e-12)


@pytest.mark.slow
def test_a_switch_and_a_scale(tmp_path: Path) -> None:
    """A ball falls by 5 cm: its switch closes at sqrt(2 h / g); the scale under it reads its weight in the end. From a file."""
    file = tmp_path / "ball.yaml"
    file.write_text(
        "robot: {base: {name: ball, moves: prismatic, axis: z, joint: z, mass: 2, shape: {sphere: 0.1},\n"
        "  collides: {sole: {friction: 0.3}}}}\n"
        "obstacles: [{ground: {}}]\ncompliant: {sink: 0.001}\nstart: {positions: {z: 0.15}}\ntime: {end: 1, step: 0.001}\n"
        "record: {sensors: {touch: {kind: contact, of: sole on ground, threshold: 2},\n"
        "  scale: {kind: contact_force, of: sole on ground, noise: 0.1, seed: 2}}}\n"
    )
    found = scenario_of(file).scenario.run(progress=False)
    touch = found.measured.sel(sensor="touch").values
    assert set(touch) == {0.0, 1.0} and abs(found.time.values[np.argmax(touch > 0)] - np.sqrt(2 * 0.05 / 9.81)) < 2e-3
    assert abs(found.measured.sel(sensor="scale.z").values[-200:].mean() - 2 * 9.81) < 4 * 0.1 / np.sqrt(200) + 0.01


CASES = [
    (lambda: ld.Sensor("speed", "hand"), "a sensor reads 'speed'; it must be one of position, velocity"),
    (lambda: ld.Sensor("position", "hand", noise=-1.0), "the noise of a sensor is -1.0; it must be a number, zero or more"),
    (lambda: ld.Sensor("position", "hand", axes="own"), "the axes of a sensor are 'own'; they must be 'world' or 'body'"),
    (lambda: ld.Sensor("position", "hand", seed=0.5), "the seed of a sensor is 0.5; it must be a whole number"),  # type: ignore[arg-type]
    (lambda: ld.Sensor("position", "hand", at=(0, 1)), "the point of a sensor is .* it must be three finite numbers"),
    (lambda: read(eye=ld.Sensor("position", "head")), "the sensor 'eye' is on 'head', but there is no such body or marker"),
    (lambda: read(eye=ld.Sensor("joint_torque", "elbow")), "the sensor 'eye' is on 'elbow', but there is no such joint"),
    (lambda: read(eye=ld.Sensor("contact", "sole")), "the sensor 'eye' is on 'sole', but there is no such contact"),
    (lambda: read(eye="position"), "the sensor 'eye' is 'position'; it must be a Sensor"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("act, words", CASES, ids=[words[:40] for _, words in CASES])
def test_refused(act: Any, words: str) -> None:
    with pytest.raises(ld.InputError, match=words):
        act()
