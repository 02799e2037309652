"""Runs in turn: parts let go and taken up during a motion; wheels and bodies that slip where contacts cannot hold."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from body_cases import one_kilogram_per_metre
from locodyn.sim import across_singularities, run_in_turn
from locodyn.world import Drag

pytestmark = pytest.mark.slow

INERTIA = ld.about_centre(xx=1e-3, yy=2e-3, zz=1.5e-3)


def arm(loaded: bool) -> ld.Robot:
    """A driven arm that lags behind its command; ``loaded``: with a ball in its hand."""
    robot = ld.Robot("arm")
    upper = (
        robot.body("upper", mass=1.0, centre=(0.2, 0, 0), inertia=INERTIA).on(robot.base("ground", moves="fixed")).turning("z")
    )
    upper.actuator(time_constant=0.05)
    lower = (
        robot.body("lower", mass=0.5, centre=(0.1, 0, 0), inertia=INERTIA).on(upper, at=(0.4, 0, 0)).turning("z", name="elbow")
    )
    if loaded:
        robot.body("ball", mass=0.3, inertia=INERTIA).on(lower, at=(0.2, 0, 0)).fixed()
    return robot


def scenario(loaded: bool, t_end: float = 0.6) -> ld.Scenario:
    torque = {"upper": ld.sine(0.8, omega=7.0, phase=0.4)}
    return ld.Scenario("arm", arm(loaded), gravity=(0, -9.81, 0), torque=torque, integrator="rkmk4", dt=1e-3, t_end=t_end)


def test_one_robot_in_two_turns_is_one_run() -> None:
    """Without a change nothing changes: laws of time go on, states of laws are handed over, steps are the same."""
    whole = scenario(True).run(progress=False)
    turns = run_in_turn([(scenario(True), 0.25), (scenario(True), 0.6)])
    assert turns.status == "completed" and turns.jumps == (0.0,)
    assert [one.time.values[-1] for one in turns.results] == pytest.approx([0.25, 0.6])
    np.testing.assert_allclose(turns.results[-1].q[-1], whole.q[-1], atol=1e-12)
    np.testing.assert_allclose(turns.results[-1].memory.values[-1], whole.memory.values[-1], atol=1e-12)


def test_a_load_is_dropped_and_taken_up() -> None:
    """Places, velocities and the state of the drive go on by name; the energy that is missing is that of the ball, at rest
    in the hand. Against runs that are put together by hand.
    """
    first = scenario(True).changed(t_end=0.2).run(progress=False)
    turns = run_in_turn([(scenario(True), 0.2), (scenario(False), 0.35), (scenario(True), 0.6)])
    assert [len(one.dataset.body) for one in turns.results] == [4, 3, 4]
    path = turns.series("body_position", body="lower")
    assert path.shape == (len(turns.time), 3) and np.abs(np.diff(path.values, axis=0)).max() < 0.02
    before, after = turns.results[0], turns.results[1]
    np.testing.assert_allclose(before.q[-1], first.q[-1], atol=1e-13)
    np.testing.assert_array_equal(after.q[0], before.q[-1])
    np.testing.assert_array_equal(after.v[0], before.v[-1])
    np.testing.assert_array_equal(after.memory.values[0], before.memory.values[-1])
    model = before.scenario.model
    ball = model.twist("ball", before.q[-1], before.v[-1])
    energy = 0.5 * 0.3 * ball[:3] @ ball[:3] + 0.5 * 1.5e-3 * ball[5] ** 2
    assert after.kinetic_energy.values[0] == pytest.approx(before.kinetic_energy.values[-1] - energy, rel=1e-12)


def test_a_function_ends_a_run() -> None:
    """At the first record at which it is not negative."""
    high = run_in_turn([(scenario(True), lambda t, q, v: -0.3 - q[0]), (scenario(False), 0.6)])
    angle = high.results[0].joint_position.sel(joint="upper").values
    assert angle[-1] <= -0.3 < angle[-2] and len(high.results) == 2


def chain(friction: float) -> tuple[ld.Scenario, ld.Scenario]:
    """Three axles that meet in one point at t = pi - 0.5 s, where r_1 = r_2; nothing else makes the gait compatible there."""
    imposed = {"joint_1": 0.4 + ld.sine(0.2, omega=1.0, phase=0.5), "joint_2": ld.constant(0.4)}
    numbers = {"imposed": imposed, "checks": (), "t_end": 4.5}
    slipping = ld.zoo.three_axle(contact="friction", c=friction).changed(integrator="radau3", dt=0.005, record_every=2, **numbers)
    return ld.zoo.three_axle().changed(**numbers), slipping


@pytest.mark.filterwarnings("ignore::locodyn.sim.RankWarning")
def test_the_model_changes_at_a_true_singularity() -> None:
    """Rolls, slips where the axles meet in a point, rolls on.

    A model that slips from beginning to end differs from it only where the other rolls, by slip of the order 1/c: ten times the
    friction, a tenth of the difference and of what has to be stopped.
    """
    apart, jumps = [], []
    for friction in (2e4, 2e5):
        rolling, slipping = chain(friction)
        found = across_singularities(rolling, slipping, below=0.02)
        assert found.status == "completed" and len(found.results) == 3
        first, middle, last = found.results
        assert first.time.values[-1] < np.pi - 0.5 < middle.time.values[-1]
        for one in (first, last):
            assert one.constraint_condition.values[1:-1].min() >= 0.02
        np.testing.assert_array_equal(middle.q[0], first.q[-1])
        np.testing.assert_allclose(last.q[0], middle.q[-1], atol=1e-12)
        start = rolling.problem.start_state(0.0, *rolling.initial_state())
        whole = slipping.changed(start=start).run(progress=False)
        apart.append(np.abs(last.q[-1] - whole.q[-1]).max())
        jumps.append(found.jumps[1])
        assert found.jumps[0] < 1e-12
    assert apart[0] / apart[1] == pytest.approx(10.0, rel=0.4)
    assert jumps[0] / jumps[1] == pytest.approx(10.0, rel=0.2)


def test_refusals() -> None:
    with pytest.raises(ld.InputError, match="need at least one scenario"):
        run_in_turn([])
    with pytest.raises(ld.InputError, match=r"run 2 of 2 would end at 0\.1 s, but begins at 0\.2 s"):
        run_in_turn([(scenario(True), 0.2), (scenario(False), 0.1)])
    rolling, slipping = chain(200.0)
    with pytest.raises(ld.InputError, match=r"below the condition 0\.2 and back above 0\.1"):
        across_singularities(rolling, slipping, below=0.2, above=0.1)
    with pytest.raises(ld.InputError, match="'arm' has no wheels, loops or contacts on rods"):
        across_singularities(scenario(True), scenario(True))
    with pytest.raises(ld.InputError, match="has phases"):
        run_in_turn([(ld.zoo.compass_gait(), 0.1)])


def held_body(friction: float | None) -> ld.Scenario:
    """A body of 0.6 m between three sleeves, or where these are, three places that resist across the body, N s/m each.

    Its curvature 2 + 1.5 sin(t + 0.5) cos(2 pi s / 1.2) is that of a circle at t = pi - 0.5: all normals meet in its centre.
    """
    fields = [
        ld.StrainField("bend", ld.standing("bending_z", 1.0)),
        ld.StrainField("bow", ld.standing("bending_z", 1.0, wavelength=1.2)),
    ]
    robot = ld.Robot("body")
    body = robot.base("head", moves="planar").rod("body", length=0.6, **one_kilogram_per_metre(), nodes=40, fields=fields)
    for n, at in enumerate((0.05, 0.35, 0.6)):
        if friction is None:
            body.sleeve(f"ring_{n + 1}", at=at)
        else:
            robot.wrench(f"ground_{n + 1}", on=body, law=Drag(linear=(0.0, friction, 0.0)), at_s=at)
    numbers = {"dt": 0.01, "integrator": "rkmk4"}
    if friction is not None:
        numbers = {"dt": 0.005, "integrator": "radau3", "record_every": 2}
    imposed = {"body.bend": ld.constant(2.0), "body.bow": ld.sine(1.5, omega=1.0, phase=0.5)}
    return ld.Scenario("body", robot, imposed=imposed, gravity=(0, 0, 0), t_end=4.5, **numbers)


@pytest.mark.filterwarnings("ignore::locodyn.sim.RankWarning")
def test_a_body_slips_through_a_singular_shape() -> None:
    """Contacts that fix the motion of a body ask for speeds without bound towards an arc of a circle (Ali 2011, perspectives).

    The kinematic model ends there; the body goes on by its dynamics with friction, and then through its sleeves again.

    As for wheels: it differs from a body that slips all the time by what that slips where the sleeves hold, and so does what has
    to be stopped: 1/c, to the next power of it. It holds once friction rules at the condition 0.02 too, where 0.6 kg come to
    speed within m / (0.02^2 c), which is 7 ms at 2e5 N s/m; at 2e4 it is the time of the passage.
    """
    alone = held_body(None).run(progress=False)
    assert alone.status.startswith("failed: the motion goes through a singular shape near t = 2.6")
    apart, jumps = [], []
    for friction in (2e5, 2e6):
        held, slipping = held_body(None), held_body(friction)
        found = across_singularities(held, slipping, below=0.02)
        assert found.status == "completed" and len(found.results) == 3
        first, middle, last = found.results
        assert first.time.values[-1] < np.pi - 0.5 < middle.time.values[-1]
        for one in (first, last):
            assert one.constraint_condition.values[1:-1].min() >= 0.02
        np.testing.assert_allclose(last.q[0], middle.q[-1], atol=1e-12)
        whole = slipping.changed(start=held.problem.start_state(0.0, *held.initial_state())).run(progress=False)
        apart.append(np.abs(last.q[-1] - whole.q[-1]).max())
        jumps.append(found.jumps[1])
    assert apart[0] / apart[1] == pytest.approx(10.0, rel=0.1)
    assert jumps[0] / jumps[1] == pytest.approx(10.0, rel=0.1)
