"""Sampled controllers: torques that are held, noise that is reproducible, limits that are told; the reference filter."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import JointPD, Measurement, MeasurementNoise, SampledController, filtered_reference, held_reference
from locodyn.errors import InputError
from locodyn.motion import samples

pytestmark = pytest.mark.slow


def pendulum(**fields):
    return ld.zoo.pendulum(n=2).changed(t_end=0.2, dt=0.01, record_every=1, checks=(), **fields)


class Law:
    """Remembers what it was shown."""

    def __init__(self):
        self.seen = []

    def __call__(self, measured):
        self.seen.append(measured)
        return -0.5 * measured.v


@pytest.mark.parametrize("integrator", ["rkmk4", "adams", "radau3", "moreau"])
def test_torques_are_held_between_samples(integrator):
    """A period of four steps: six samples in 0.2 s with the state of the run, and torques of the result that are steps."""
    law = Law()
    result = pendulum(controller=SampledController(law, period=0.04), integrator=integrator).run(progress=False)
    assert [round(m.time, 9) for m in law.seen] == [0.0, 0.04, 0.08, 0.12, 0.16]
    for measured in law.seen:
        row = round(measured.time / 0.01)
        assert isinstance(measured, Measurement) and measured.contact_force.shape == (0, 3)
        assert measured.q == pytest.approx(result.q[row], abs=1e-12) and measured.v == pytest.approx(result.v[row], abs=1e-12)
    torque = result.joint_torque.values
    if integrator != "moreau":  # there a record holds the torque of the step before it
        assert (torque[4:8] == torque[4]).all() and (torque[8] != torque[4]).any()


def test_noise_is_uniform_and_the_same_in_every_run():
    first, second = Law(), Law()
    noise = MeasurementNoise(position=(0.1, 0.0), velocity=0.2, seed=5)
    clean = Law()
    runs = [
        pendulum(controller=SampledController(x, noise=noise), integrator="rkmk4").run(progress=False) for x in (first, second)
    ]
    pendulum(controller=SampledController(clean)).run(progress=False)
    assert np.array_equal(runs[0].q, runs[1].q)
    assert not np.array_equal(first.seen[0].q, clean.seen[0].q) and first.seen[0].q[1] == clean.seen[0].q[1]
    draws = np.array([m.q[0] for m in first.seen]) - runs[0].q[:-1, 0]
    assert np.abs(draws).max() <= 0.1 and np.abs(draws).max() > 0.05 and abs(draws.mean()) < 0.06


@pytest.mark.parametrize("period", [None, 0.03])
def test_a_resumed_run_has_the_same_noise(tmp_path, period):
    """Also where it was stopped within a control period, at step 10 of 10 ms: the torques of step 9 are held until step 12."""
    noise = MeasurementNoise(0.1, 0.1)
    whole, part = (pendulum(controller=SampledController(Law(), period=period, noise=noise)) for _ in range(2))
    once = whole.run(progress=False)
    part.changed(t_end=0.1).run(progress=False, out=tmp_path / "part.nc")
    again = ld.resume(tmp_path / "part.nc", 0.2, part, progress=False)
    assert np.array_equal(once.joint_position.values, again.joint_position.values)


@pytest.mark.parametrize(
    "controller, fields, message",
    [
        (lambda: SampledController(Law(), period=0.015), {}, "the control period is 0.015 s; it must be a whole number of steps"),
        (lambda: SampledController(Law(), period=-1.0), {}, "the control period is -1.0; it must be a positive number"),
        (
            lambda: SampledController(Law()),
            {"integrator": "adaptive"},
            "'adaptive' takes no sampled controllers: its step is not fixed; use 'rkmk4'",
        ),
        (lambda: SampledController(lambda m: np.zeros(3)), {}, r"the control law returned shape \(3,\); it must return 2 forces"),
        (lambda: SampledController(3.0), {}, "the control law is 3.0; it must be a function"),
        (lambda: MeasurementNoise(-0.1), {}, "the noise of position is -0.1; it must be finite numbers, zero or more"),
        (lambda: MeasurementNoise(0.1, seed=-1), {}, "the seed of the noise is -1"),
        (lambda: JointPD(pendulum().model, {"joint_9": 0.0}, 1.0, 1.0), {}, "has no coordinate 'joint_9'"),
        (lambda: JointPD(pendulum().model, {}, 1.0, 1.0), {}, "the controller has no targets"),
        (lambda: JointPD(pendulum().model, {"joint_1": np.sin}, 1.0, 1.0), {}, "follows a Python function of time"),
    ],
)
def test_wrong_controllers(controller, fields, message):
    with pytest.raises(InputError, match=message):
        pendulum(controller=controller(), **fields).run(progress=False)


def test_explicit_pd_names_its_limit():
    """E2: dt k_D lambda < 2 and dt k_P < 2 k_D; here the second, 2 * 0.01 / 10 = 0.002 s. Just below, it runs."""
    model = pendulum().model
    law = JointPD(model, {"joint_1": 0.0, "joint_2": 0.0}, 10.0, 0.01)
    with pytest.raises(InputError, match=r"held for 0.01 s, but it is stable up to 0.002 s only"):
        pendulum(controller=SampledController(law)).run(progress=False)
    assert law.longest_step(model, model.neutral()) == pytest.approx(0.002)
    stable = pendulum(controller=SampledController(law)).changed(dt=0.002)
    assert stable.run(progress=False).status == "completed"
    stiff = JointPD(model, {"joint_1": 0.0, "joint_2": 0.0}, 1.0, 50.0)
    largest = np.linalg.eigvalsh(np.linalg.inv(model.mass_matrix(model.neutral()))).max()
    assert stiff.longest_step(model, model.neutral()) == pytest.approx(2.0 / (50.0 * largest))
    with pytest.raises(InputError, match=r"held for 0\.01 s"):  # a plain function beside hard contact is held for a step
        pendulum(controller=stiff, integrator="moreau").run(progress=False)


def test_filter_of_a_step():
    """Closed form from rest: x = 1 - (1 + w t) exp(-w t) after the jump, which takes one knot (1 / (40 w))."""
    omega, jump = 20.0, 0.3
    law = filtered_reference(samples([-1.0, jump, jump + 1e-9, 2.0], [0.0, 0.0, 1.0, 1.0]), omega, 1.5)
    t = np.linspace(jump + 0.02, 1.4, 50) - jump
    assert law(t + jump) == pytest.approx(1.0 - (1.0 + omega * t) * np.exp(-omega * t), abs=0.02)
    assert law.rate(t + jump) == pytest.approx(omega**2 * t * np.exp(-omega * t), abs=0.02 * omega)
    assert law(0.2) == 0.0
    law.require_twice_differentiable("joint", 0.0, 1.5)
    with pytest.raises(InputError, match=r"known from 0 s to 1\.5 s"):
        law.require_known("joint", 0.0, 2.0)


def test_filter_of_a_sine():
    """Steady state: amplitude 1 / sqrt((1 - s^2)^2 + (2 zeta s)^2), s = w / omega; rates are derivatives."""
    omega, rate, zeta = 30.0, 4.0, 0.7
    law, t = filtered_reference(ld.sine(1.0, omega=rate), omega, 6.0, zeta), np.linspace(3.0, 6.0 - 1e-3, 2000)
    s = rate / omega
    assert law(t).max() == pytest.approx(1.0 / np.hypot(1.0 - s**2, 2.0 * zeta * s), abs=1e-4)
    h = 1e-4
    assert law.rate(t[:-1]) == pytest.approx((law(t[:-1] + h) - law(t[:-1] - h)) / (2 * h), abs=1e-4)
    assert law.acceleration(t[:-1]) == pytest.approx((law.rate(t[:-1] + h) - law.rate(t[:-1] - h)) / (2 * h), abs=1e-2)


def test_a_held_reference_is_that_of_the_last_message():
    """Ten messages a second, 50 ms late: what holds at t was sent at the last whole tenth before t - 0.05 s."""
    sent = ld.sine(0.7, omega=3.0)
    law = held_reference(sent, 0.1, 2.0, delay=0.05)
    times = np.linspace(0.0, 1.999, 173)
    expected = [sent(0.1 * max(0.0, np.floor((t - 0.05) / 0.1 + 1e-9))) for t in times]
    assert law(times) == pytest.approx(expected, abs=1e-14) and (law.rate(times) == 0.0).all()
    assert "held for 0.1 s, 0.05 s late" in law.describe()
    with pytest.raises(InputError, match="delay of a held reference is -1 s; it must not be negative"):
        held_reference(sent, 0.1, 2.0, delay=-1.0)


def test_a_joint_with_play_rests_anywhere_within_it():
    """Without weight a joint comes to rest at a stop of the play, half of it from the target; nothing acts within."""
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("link", mass=1.0, inertia=ld.about_centre(zz=0.1)).on(ground).turning("z", name="joint")
    model, play = robot.model(gravity=(0, 0, 0)), np.radians(4.0)
    control = JointPD(model, {"joint": ld.constant(0.5)}, 20.0, 4.0, play=play)
    for error, expected in ((0.9 * play / 2, 0.0), (1.5 * play, 20.0 * play)):
        assert control.torques(0.0, np.array([0.5 - error]), np.zeros(1)) == pytest.approx([expected])
    run = ld.simulate(robot, controller=control, gravity=(0, 0, 0), t_end=6.0, dt=0.01, progress=False)
    assert run.q[-1, 0] == pytest.approx(0.5 - play / 2, abs=1e-3)  # it creeps up to the stop
    with pytest.raises(InputError, match=r"play of a controller is -0\.1 rad"):
        JointPD(model, {"joint": ld.constant(0.5)}, 20.0, 4.0, play=-0.1)


def one_joint(inertia: float) -> ld.Robot:
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("link", mass=1.0, inertia=ld.about_centre(zz=inertia)).on(ground).turning("z", name="joint")
    return robot


@pytest.mark.parametrize("integrator", ["rkmk4", "moreau"])
def test_torques_that_come_late(integrator):
    """Under torques that are held, I v grows by tau dt: here by tau = -k v of the sample three steps ago, sampled every second
    step. The recursion below is all there is to it; round-off is left.
    """
    inertia, k, dt, late = 0.2, 1.5, 0.01, 3
    controller = SampledController(lambda m: -k * m.v, period=2 * dt, delay=late * dt)
    fields = {"start": ld.Start(velocities={"joint": 1.0}), "gravity": (0, 0, 0), "t_end": 0.6, "dt": dt, "record_every": 1}
    run = ld.simulate(one_joint(inertia), controller=controller, integrator=integrator, progress=False, **fields)
    v = [1.0]
    for n in range(60):
        seen = (n - late) // 2 * 2  # step of the last sample whose torque has come
        v.append(v[-1] + (0.0 if seen < 0 else -k * v[seen]) * dt / inertia)
    np.testing.assert_allclose(run.v[:, 0], v, atol=1e-13)
    assert v[3] == 1.0 > v[4]


@pytest.mark.parametrize("stop", [0.02, 0.1])
def test_a_resumed_run_has_the_torques_on_their_way(tmp_path, stop):
    """Bit by bit; stopped before the first torque has come, and in the midst of three that are on their way."""
    parts = {"period": 0.02, "noise": MeasurementNoise(0.1, 0.1), "delay": 0.05}
    whole, part = (pendulum(controller=SampledController(Law(), **parts)) for _ in range(2))
    once = whole.run(progress=False)
    part.changed(t_end=stop).run(progress=False, out=tmp_path / "part.nc")
    again = ld.resume(tmp_path / "part.nc", 0.2, part, progress=False)
    assert np.array_equal(once.joint_position.values, again.joint_position.values)
    assert np.array_equal(once.joint_torque.values, again.joint_torque.values)


@pytest.mark.parametrize(
    "delay, message", [(-0.1, "delay of a controller is -0.1; it must"), (0.015, "whole number of steps of 0.01")]
)
def test_wrong_delays(delay, message):
    with pytest.raises(InputError, match=message):
        pendulum(controller=SampledController(Law(), delay=delay)).run(progress=False)


def test_a_snake_as_the_robot_of_the_experiments():
    """References at 10 Hz, 0.1 s late, play, and a late controller, together and with the gait: in the plane and in space.

    Until the first message the reference is that of the start. From then on the links are driven, and a motor that drives has
    left the play behind: k_P (|e| - play / 2) = |tau - k_D edot|, so the error is half the play and what drives.
    """
    play = np.radians(4.0)
    numbers = {"play": play, "reference_period": 0.1, "reference_delay": 0.1, "delay": 2.5e-4}
    scenario = ld.zoo.snake_2d(n=4, **numbers).changed(t_end=0.45, record_every=1)
    run = scenario.run(progress=False)
    assert run.status == "completed"
    target = run.joint_target.sel(tracked="joint_2").values
    sent = scenario.drive.controller.targets["joint_2"]
    steps = np.unique(np.round(run.time.values[1:][np.diff(target) != 0.0], 6))
    assert steps == pytest.approx([0.2, 0.3, 0.4], abs=3e-4) and "held for 0.1 s, 0.1 s late" in sent.describe()
    error = run.joint_target.values - run.joint_position.values
    torque = run.joint_torque.sel(joint=[f"joint_{k}" for k in (1, 2, 3)]).values
    within = np.abs(error[:-2]) < 0.5 * play  # as measured a step before it acts, and recorded at the end of the step
    assert within.any() and (torque[2:][within] == 0.0).all() and np.abs(torque).max() > 0.0
    space = ld.zoo.snake_3d(n=3, **numbers).changed(t_end=0.01)
    assert space.run(progress=False).status == "completed" and space.drive.controller.law.play == play
    with pytest.raises(InputError, match="come without a period; set reference_period"):
        ld.zoo.snake_2d(reference_delay=0.1)
    with pytest.raises(InputError, match="play is that of a PD controller"):
        ld.zoo.snake_control(play=play)


class Remembers:
    """A law with a memory of its own."""

    def begin(self):
        self.sum = 0.0

    def __call__(self, seen):
        self.sum += float(seen.q[0])
        return np.array([-self.sum, 0.0])


def test_simulations_side_by_side_have_torques_of_their_own():
    """They acted with those of each other: the second one found the sample of its step already taken."""
    one = pendulum(controller=SampledController(lambda m: -3.0 * m.q, period=0.02, delay=0.01))
    starts = [np.array([angle, 0.1]) for angle in (0.2, 0.9)]
    alone = []
    for q in starts:
        sim = one.open(actions=[])
        sim.reset(q=q)
        alone.append(sim.step(steps=10))
    both = [one.open(actions=[]) for _ in starts]
    for sim, q in zip(both, starts, strict=True):
        sim.reset(q=q)
    for _ in range(10):
        beside = [sim.step() for sim in both]
    for (q, v), (wanted_q, wanted_v) in zip(beside, alone, strict=True):
        assert np.array_equal(q, wanted_q) and np.array_equal(v, wanted_v)


def test_results_keep_the_torques_of_their_run():
    """A run of the same controller from elsewhere does not change what the first one answers."""
    control = SampledController(lambda m: -3.0 * m.q, period=0.02)
    first = pendulum(controller=control).run(progress=False)
    times, torque = first.time.values, first.joint_torque.values.copy()
    pendulum(controller=control, start=(np.array([1.5, 0.2]), np.zeros(2))).run(progress=False)
    again = first.scenario.problem.series(times, first.q, first.v)["joint_torque"]
    np.testing.assert_array_equal(again[:-1], torque[:-1])


def test_a_law_that_remembers_serves_one_run_at_a_time():
    one = pendulum(controller=SampledController(Remembers(), period=0.01))
    sim, other = one.open(actions=[]), one.open(actions=[])
    other.step()
    with pytest.raises(InputError, match="the control law remembers, and another run has begun with it"):
        sim.step()
    sim.reset()
    sim.step()
