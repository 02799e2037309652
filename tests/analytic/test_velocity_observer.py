"""The observer of velocities against its closed forms, and a robot that walks by it."""

import functools
import itertools
import json

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import ObservedVelocities, SampledController
from locodyn.locomotion.memories import ControllerWithMemory
from locodyn.sim.run import resume
from walker_cases import hopper

pytestmark = pytest.mark.slow

OMEGA = 40.0


def slider():
    robot = ld.Robot("slider")
    robot.body("mass", mass=2.0).on(robot.base("world", moves="fixed")).sliding("x", name="x")
    return robot


def seen(law, **words):
    """Result of a slider that is moved by a law, with an observer of 40 rad/s; and the velocity that it tells."""
    robot = slider()
    observer = ObservedVelocities(lambda t, q, v: np.zeros(1), robot.model(), OMEGA)
    run = ld.simulate(robot, imposed={"x": law}, controller=observer, dt=0.01, t_end=1.0, integrator="adaptive", tolerance=1e-11,
                      progress=False, **words)  # fmt: skip
    return run, run.memory.sel(state="controller.x.velocity").values


def test_a_steady_velocity_is_found():
    """vhat = v (1 - (1 + omega t) exp(-omega t)) from zero."""
    run, speed = seen(ld.polynomial(0.0, 0.7))
    late = OMEGA * run.time.values
    assert np.abs(speed - 0.7 * (1.0 - (1.0 + late) * np.exp(-late))).max() < 1e-9
    assert run.memory.attrs["units_by_state"] == "m, m/s"


def test_a_steady_acceleration_is_late():
    """By 2 / omega: v - vhat = 2 a / omega, once exp(-omega t) has gone."""
    run, speed = seen(ld.polynomial(0.0, 0.0, 1.5))
    assert abs(3.0 * run.time.values[-1] - speed[-1] - 2.0 * 3.0 / OMEGA) < 1e-8


def test_it_filters():
    """A sine of the frequency w comes through with omega^2 / (i w + omega)^2, for w below and above omega."""
    for w in (0.5 * OMEGA, 3.0 * OMEGA):
        run, speed = seen(ld.sine(1e-2, omega=w))
        t = run.time.values
        wanted = (1e-2 * w * OMEGA**2 / (1j * w + OMEGA) ** 2 * np.exp(1j * w * t)).real
        assert np.abs(speed - wanted)[t > 0.7].max() < 1e-9


def test_it_is_what_the_controller_hears():
    """A damper on the observed velocity, at 2 kg and 6 N s/m: the characteristic polynomial s (s + omega)^2 + 3 omega^2."""
    robot = slider()
    observer = ObservedVelocities(lambda t, q, v: -6.0 * v, robot.model(), OMEGA)
    start = ld.Start({"x": 0.1}, {"x": 0.5}, memory=observer.start([0.1], [0.5]))
    run = ld.simulate(robot, controller=observer, start=start, gravity=(0, 0, 0), dt=0.01, t_end=0.5, integrator="adaptive",
                      tolerance=1e-11, progress=False)  # fmt: skip
    # States x, v, xhat, vhat.
    matrix = np.array([[0, 1, 0, 0], [0, 0, 0, -3.0], [2 * OMEGA, 0, -2 * OMEGA, 1], [OMEGA**2, 0, -(OMEGA**2), 0]])
    values, vectors = np.linalg.eig(matrix)
    parts = vectors * np.linalg.solve(vectors, np.array([0.1, 0.5, 0.1, 0.5], dtype=complex))
    exact = (np.exp(np.outer(run.time.values, values)) @ parts.T).real
    assert np.abs(run.joint_velocity.values[:, 0] - exact[:, 1]).max() < 1e-8


def test_it_goes_on_through_phases_and_resumed_runs(tmp_path):
    """The hopper leaves the ground under a spring and a damper that hears the observer; stopped in flight, it goes on."""
    base = hopper(ld.constant(0.0))

    def law(t, q, v):
        return np.array([0.0, 400.0 * (1.1 - q[1]) - 2.0 * v[1]])

    observer = ObservedVelocities(law, base.model, 100.0)
    start = ld.Start({"leg": 1.0}, memory=observer.start([0.0, 1.0], [0.0, 0.0]))
    scenario = base.changed(controller=observer, torque={}, start=start, t_end=0.4)
    whole = scenario.run(progress=False)
    kinds = [one["kind"] for one in json.loads(whole.attributes["transitions"])]
    assert kinds[:2] == ["lift-off", "touchdown"]
    scenario.changed(t_end=0.2).run(progress=False, out=tmp_path / "part.nc")
    again = resume(tmp_path / "part.nc", 0.4, scenario, progress=False)
    for name in ("joint_position", "joint_velocity", "memory"):
        assert np.abs(again.dataset[name].values - whole.dataset[name].values).max() < 1e-7, name


@functools.cache
def step_times(observer):
    scenario = ld.zoo.rabbit_walk(feet="compliant", mu=0.285, observer=observer)
    run = scenario.changed(t_end=1.7, checks=(), tolerance=1e-7).run(progress=False)
    return np.array([one["time"] for one in json.loads(run.attributes["transitions"])])[:2]


def test_rabbit_walks_by_its_encoders():
    """Step times differ from those with exact velocities by the lag 2 / omega, to first order: half as much at twice omega.

    Measured 1.93 and 1.95 at the first touchdown, 1.96 and 1.87 at the second.
    """
    off = [np.abs(step_times(omega) - step_times(0.0)) for omega in (400.0, 800.0, 1600.0)]
    assert (off[0] > 1e-3).all()
    for slow, fast in itertools.pairwise(off):
        assert ((slow / fast > 1.8) & (slow / fast < 2.2)).all()


CASES = [
    (lambda m: ObservedVelocities(lambda t, q, v: v, m, 0.0), "the bandwidth of an observer of velocities"),
    (lambda m: ObservedVelocities(SampledController(lambda seen: seen.v), m, 50.0), "cannot speak to SampledController"),
    (
        lambda m: ObservedVelocities(ControllerWithMemory(lambda t, q, v, z: (v, z), {"z": "m"}), m, 50.0),
        "cannot speak to ControllerWithMemory",
    ),
    (lambda m: ObservedVelocities(3, m, 50.0), "cannot speak to int"),
    (lambda m: ObservedVelocities(lambda t, q, v: v, m, 50.0, ["y"]), "has no coordinate 'y'"),
]


@pytest.mark.parametrize("act, words", CASES, ids=[words[-30:] for _, words in CASES])
def test_refused(act, words):
    with pytest.raises(ld.InputError, match=words):
        act(slider().model())
