"""A scenario stepped from outside is the run with the same torques, bit by bit; snapshots go on as if nothing had happened."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld


def arm(**fields):
    robot = ld.Robot("arm")
    base = robot.base("base", moves="fixed")
    upper = robot.body("upper", mass=1.0, inertia=0.1 * np.eye(3)).on(base, body_at=(0, 0, -0.5)).turning("y", name="hip")
    robot.body("lower", mass=0.5, inertia=0.05 * np.eye(3)).on(upper, at=(0, 0, -0.5), body_at=(0, 0, -0.4)).turning(
        "y", name="knee"
    )
    return ld.Scenario("arm", robot, **{"integrator": "rkmk4", "dt": 0.002, "t_end": 0.1, "start": {"hip": 0.4}, **fields})


def ball():
    """A ball that slides over the ground, pushed along x."""
    robot = ld.Robot("ball")
    robot.base("ball", moves="translating", mass=1.0, shape=ld.Sphere(0.1)).collides(friction=0.4)
    return ld.Scenario(
        "ball", robot, obstacles=[ld.Ground()], start={"ball": (0, 0, 0.12)}, integrator="moreau", dt=1e-3, t_end=0.3,
        torque={robot.compile().coordinate_names[0]: ld.constant(6.0)},
    )  # fmt: skip


@pytest.mark.parametrize("integrator", ["rkmk4", pytest.param("radau3", marks=pytest.mark.slow), "adams", "variational"])
def test_constant_actions_are_the_run_with_constant_torques(integrator):
    """Promise 7 of the methods says what implicit ones leave out: their guesses, so that they agree to their tolerance."""
    scenario = arm(integrator=integrator, torque={"hip": ld.constant(1.5), "knee": ld.constant(-0.3)})
    run = scenario.run(progress=False)
    sim = scenario.open()
    assert sim.action_names == ("hip", "knee") and sim.time == 0.0
    for _ in range(10):
        q, v = sim.step([1.5, -0.3], steps=5)
    assert sim.time == pytest.approx(0.1)
    exact = integrator != "radau3"
    assert np.abs(q - run.q[-1]).max() <= (0.0 if exact else 1e-8)
    assert np.abs(v - run.v[-1]).max() <= (0.0 if exact else 1e-7)


@pytest.mark.slow
def test_hard_contact_is_the_run_bit_by_bit():
    scenario = ball()
    run = scenario.run(progress=False)
    sim = scenario.open()
    (name,) = sim.action_names
    for _ in range(30):
        q, v = sim.step({name: 6.0}, steps=10)
    assert np.array_equal(q, run.q[-1]) and np.array_equal(v, run.v[-1])
    assert v[0] > 0.1  # it slides: 6 N against 0.4 m g
    assert all(np.array_equal(*pair) for pair in zip(sim.state, (q, v), strict=True))


def test_actions_change_between_steps():
    """The torque of a sampled law, a stair of 20 ms, given as actions or as a spline of degree 0 in a run."""
    levels = [2.0, -1.0, 0.5, 0.0, 1.0]
    sim = arm().open(actions=["hip"])
    for level in levels:
        q, _ = sim.step([level], steps=10)

    def stair(t, q, v):
        return levels[min(round(t / 0.002) // 10, 4)]

    # Runge-Kutta asks within steps, moreau once at their start: only there a function of time is a stair for it too
    other = arm(integrator="moreau", torque={"hip": stair}).run(progress=False)
    held = arm(integrator="moreau").open(actions=["hip"])
    for level in levels:
        held.step([level], steps=10)
    assert np.abs(held.q - other.q[-1]).max() < 1e-12 and np.abs(held.v - other.v[-1]).max() < 1e-12
    assert np.abs(q - held.q).max() < 2e-3  # the other method: order 1 at 2 ms


@pytest.mark.parametrize("make", [arm, ball])
def test_a_snapshot_goes_on_bit_by_bit(make):
    scenario = make()
    sim = scenario.open(actions=scenario.compiled.coordinate_names[:1])
    sim.step([1.0], steps=40)
    kept = sim.snapshot()
    first = [sim.step([level], steps=7) for level in (0.3, -0.7, 2.0)]
    sim.restore(kept)
    assert sim.time == kept.steps * sim.dt
    second = [sim.step([level], steps=7) for level in (0.3, -0.7, 2.0)]
    other = scenario.open(actions=scenario.compiled.coordinate_names[:1])  # a snapshot serves every simulation of the scenario
    other.restore(kept)
    third = [other.step([level], steps=7) for level in (0.3, -0.7, 2.0)]
    for one, two, three in zip(first, second, third, strict=True):
        assert np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1]) and np.array_equal(one[1], three[1])


@pytest.mark.slow
def test_targets_of_servos_are_actions():
    servos = {"hip": ld.Servo(0.2, 300.0, 30.0), "knee": ld.Servo(0.0, 100.0, 10.0)}
    sim = arm(servo=servos, integrator="radau3", t_end=5.0).open()
    assert sim.action_names == ("hip", "knee") and sim.action == pytest.approx([0.2, 0.0])
    sim.step({"hip": -0.6}, steps=2500)
    hip, knee = sim.q  # at rest the servos carry the weight of the links
    lower = 9.81 * 0.5 * 0.4 * np.sin(hip + knee)
    assert 100.0 * (0.0 - knee) == pytest.approx(lower, abs=1e-6)
    assert 300.0 * (-0.6 - hip) == pytest.approx(9.81 * (1.0 * 0.5 + 0.5 * 1.0) * np.sin(hip) + lower, abs=1e-6)


def test_reset_goes_back_and_takes_states():
    sim = arm().open(actions=["hip"])
    first = sim.step([1.0], steps=5)
    q, v = sim.reset()
    assert sim.time == 0.0 and q == pytest.approx([0.4, 0.0]) and sim.action == pytest.approx([0.0])
    again = sim.step([1.0], steps=5)
    assert np.array_equal(first[0], again[0])
    q, v = sim.reset(q=[0.1, 0.2], v=[0.0, 1.0])
    assert q == pytest.approx([0.1, 0.2]) and v == pytest.approx([0.0, 1.0])


def test_what_cannot_be_opened_or_done():
    for act, words in (
        (lambda: arm(integrator="adaptive").open(), "'adaptive' chooses its own steps"),
        (lambda: arm().open(actions=["hipp"]), "no coordinate 'hipp'; did you mean 'hip'"),
        (lambda: arm(imposed={"hip": ld.constant(0.0)}).open(actions=["hip"]), "the motion of 'hip' is given"),
        (lambda: arm().open(actions=["hip"]).step([1.0, 2.0]), r"has 1 numbers \(hip\); this one has the shape \(2,\)"),
        (lambda: arm().open(actions=["hip"]).step([np.nan]), "not finite"),
        (lambda: arm().open(actions=["hip"]).step({"knee": 1.0}), "'arm' has no action 'knee'"),
        (lambda: arm().open().reset(q=[1.0]), r"q of reset must be 2 finite numbers; it has the shape \(1,\)"),
        (lambda: arm().open(actions=["hip"]).restore(arm().open().snapshot()), "of another robot or of other actions"),
    ):
        with pytest.raises(ld.InputError, match=words):
            act()


def test_a_step_that_fails_leaves_the_state():
    sim = arm(dt=0.05, t_end=1.0).open(actions=["hip"])
    sim.step([0.0])
    before = sim.q.copy()
    with pytest.raises(ld.RunError, match="failed: the state is not a number"):
        sim.step([1e200], steps=50)
    assert np.array_equal(sim.q, before) and sim.time == pytest.approx(0.05)
