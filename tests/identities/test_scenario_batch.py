"""Many robots at once: each moves as it would alone, bit by bit, whatever it is made of and whoever fails beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn import HardContact, InputError, Obstacle, Scenario, Servo, Sphere, sine, zoo
from locodyn.sim import EnergyWarning, ScenarioBatch, batch_data, batch_reductions
from locodyn.sim.start import Start

STEPS = 40


def struck(x: float) -> Scenario:
    """A ball that falls onto a round post, beside its top: after 15 to 17 steps it flies off to a side."""
    post = Obstacle(Sphere(0.1), at=(0.02 * x, 0.0, 0.0))
    return zoo.bouncing_ball(radius=0.1, height=0.104).changed(obstacles=[post], dt=2e-3, checks=())


# One scenario of each kind: wheels, loops, hard contact, an obstacle, rods by an implicit method, a loop of rods, predictor and
# corrector, variational steps; each by a number that changes masses, lengths, stiffness, friction, gaits, starts or obstacles.
KINDS: dict[str, Callable[[float], Scenario]] = {
    "wheels": lambda x: zoo.snakeboard(m_r=2.0 * x, l=0.2 * x, a_phi=0.3 * x),
    "loop": lambda x: zoo.four_bar(l_2=0.3 * x).changed(integrator="rkmk4", dt=2e-3),
    "start": lambda x: zoo.pendulum(n=2, angle=0.5 * x, lengths=(1.0, 0.6 * x)).changed(integrator="rkmk4", dt=0.005),
    "obstacle": struck,
    "adams": lambda x: zoo.pendulum(n=3).changed(integrator="adams", dt=0.005, gravity=(0, 0, -9.81 * x)),
    "hard contact": lambda x: zoo.snake_3d(mu_x=0.2 * x, mass=0.7 * x, stiffness=800.0 * x),
    "rod": lambda x: zoo.rod_drop(E=1e6 * x),
    "loop of rods": lambda x: zoo.cpr_rfrfr(E=2.1e11 * x),
    "variational": lambda x: zoo.pendulum(n=3).changed(integrator="variational", dt=0.005, gravity=(0, 0, -9.81 * x)),
}
QUICK = ("wheels", "start", "adams")


def kinds() -> list[Any]:
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in KINDS]


def alone(scenario: Scenario, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    return scenario.open().step(steps=steps)


@pytest.mark.parametrize("name", kinds())
def test_robots_that_differ_move_as_alone(name: str) -> None:
    make = KINDS[name]
    factors = (1.0, 1.3, 0.8)
    many = ScenarioBatch([make(x) for x in factors], threads=2)
    for count in (1, STEPS - 1):  # a second call takes up what the first one left
        many.advance(count)
    for r, x in enumerate(factors):
        q, v = alone(make(x))
        np.testing.assert_array_equal(many.q[r], q)
        np.testing.assert_array_equal(many.v[r], v)
    assert not np.array_equal(many.q[0], many.q[1])


def driven() -> Scenario:
    """Two links, one moved by torques, one by a servo."""
    laws = {"torque": {"joint_1": sine(amplitude=0.2, omega=6.0)}, "servo": {"joint_2": Servo(0.3, 5.0, 0.5)}}
    return zoo.pendulum(n=2).changed(**laws, integrator="rkmk4", dt=0.01, t_end=0.5)


def spun(rate: float) -> Scenario:
    """Two links that turn by ``rate`` times 10 ms in each step."""
    start = Start(positions={"joint_2": 1.0}, velocities={"joint_1": rate})
    return zoo.pendulum(n=2).changed(start=start, integrator="rkmk4", dt=0.01, t_end=0.5)


def test_each_robot_says_whether_its_energy_account_closes_where_it_is_asked() -> None:
    """At 0.05 rad a step rkmk4 is off by (w h)^5 / 120 = 3e-9 a step, at 0.6 rad by far more."""
    rates = (1.0, 60.0, 5.0)
    found = ScenarioBatch([spun(rate) for rate in rates]).run(energy=True)
    words = found.energy_account.values.tolist()
    assert words[0] == words[2] == "closes" and words[1].startswith("open: ") and "energy_unwatched" not in found.attrs
    with pytest.warns(EnergyWarning) as said:
        spun(rates[1]).run(progress=False)
    assert words[1].split(" J,")[0].removeprefix("open: ") in str(said[0].message)
    many = ScenarioBatch([spun(rates[1])], count=2)
    assert "energy=True" in many.run().attrs["energy_unwatched"] and "energy=True" in spun(1.0).open().energy_unwatched
    reduced = ScenarioBatch([spun(1.0)]).run(energy=True, reduce={"v": "last"})
    assert reduced.energy_account.values.tolist() == ["closes"]


def test_variables_know_the_actions() -> None:
    """Torques were those of no action. The power of an action is tau v, so an account closes with it only."""
    many = ScenarioBatch([driven().changed(servo={})], count=2)
    many.step([[0.5], [0.7]])
    found = many.run(variables=("joint_torque",), energy=True)
    np.testing.assert_allclose(found.joint_torque.sel(joint="joint_1").values.T - [0.5, 0.7], 0.0, atol=1e-12)
    assert found.energy_account.values.tolist() == ["closes", "closes"]


def test_runs_go_by_the_laws_of_the_scenario_until_an_action() -> None:
    """Torques and servos were those of actions that nobody had given: none, and targets as at the start."""
    follow = {"joint_2": Servo(sine(amplitude=0.3, omega=5.0), 5.0, 0.5)}
    scenarios = [driven().changed(servo=follow, gravity=(0.0, 0.0, -g)) for g in (9.81, 5.0)]
    many = ScenarioBatch(scenarios)
    first = many.run(t_end=0.2)
    last = many.run()  # goes on
    for r, scenario in enumerate(scenarios):
        single = scenario.run(progress=False).dataset["joint_position"].values
        np.testing.assert_array_equal(np.vstack([first.q[r], last.q[r][1:]]), single)
        np.testing.assert_array_equal(many.q[r], single[-1])
    many.reset()
    np.testing.assert_array_equal(many.run().q, np.concatenate([first.q, last.q[:, 1:]], axis=1))
    many.reset()
    many.step(np.zeros(2), steps=20)
    held = many.run().q[0, -1]
    sim = scenarios[0].open()
    np.testing.assert_array_equal(held, sim.step(np.zeros(2), steps=50)[0])
    assert np.abs(held - last.q[0, -1]).max() > 0.01
    named = ScenarioBatch(scenarios, actions=["joint_1"])
    assert np.abs(named.run().q[0, -1] - last.q[0, -1]).max() > 1e-3  # whose torque is an action, zero till then


@pytest.mark.parametrize("integrator", ["rkmk4", "adams", pytest.param("generalized_alpha", marks=pytest.mark.slow)])
def test_actions_and_resets_are_of_each_robot(integrator: str) -> None:
    """Also of methods that remember accelerations, which tell nothing after a jump of an action."""
    scenario = zoo.pendulum(n=2).changed(integrator=integrator, dt=0.01)
    many, names = scenario.batch(3, actions=["joint_1"], threads=1), ["joint_1"]
    actions = np.array([[0.0], [0.4], [-0.2]])
    many.step(actions, steps=5)
    many.reset([1], q=many.q[2])
    assert many.time.tolist() == [0.05, 0.0, 0.05]
    many.step({"joint_1": 0.1}, steps=5)
    single = scenario.open(actions=names)
    for r in (0, 2):
        single.reset()
        single.step(actions[r], steps=5)
        start = single.q.copy()
        single.step([0.1], steps=5)
        np.testing.assert_array_equal(many.q[r], single.q)
    single.reset(q=start)
    single.step([0.1], steps=5)
    np.testing.assert_array_equal(many.q[1], single.q)


def test_a_failure_is_that_of_one_robot() -> None:
    """A step far beyond the limit of an explicit method: the stiff robot explodes, the soft one goes on."""

    def arm(stiffness: float) -> Scenario:
        return zoo.pendulum(n=2).changed(servo={"joint_1": Servo(0.5, stiffness)}, integrator="rkmk4", dt=0.01, t_end=2.0)

    with pytest.warns(UserWarning, match="rkmk4"):
        many = ScenarioBatch([arm(1.0), arm(1e9)], threads=1)
        data = many.run(variables=["kinetic_energy"])
    assert np.isfinite(data.kinetic_energy[0]).all()  # of the other one as far as it came
    np.testing.assert_array_equal(np.isfinite(data.kinetic_energy[1]), np.isfinite(data.q[1]).all(axis=-1))
    assert many.status[0] == "sound" and many.status[1].startswith("failed: the step from t = ")
    assert np.isfinite(data.q[0]).all() and np.isnan(data.q[1, -1]).all()
    assert np.isfinite(many.q).all()  # where it was before
    many.reset(~many.sound)
    assert many.status == ["sound", "sound"]


@pytest.mark.slow
def test_forces_of_hard_contact_are_those_of_single_runs() -> None:
    """What only the steps know; not of robots that are under way, whose steps before are not at hand."""
    scenarios = [zoo.sliding_block(mu=mu).changed(t_end=0.1, checks=()) for mu in (0.2, 0.4)]
    many = ScenarioBatch(scenarios)
    data = many.run(variables=("contact_force", "friction_loss"))
    for r, scenario in enumerate(scenarios):
        single = scenario.run(progress=False).dataset
        for name in ("contact_force", "friction_loss"):
            np.testing.assert_array_equal(data[name][r], single[name])
    assert not np.array_equal(data.contact_force[0], data.contact_force[1])
    with pytest.raises(InputError, match="known inside the steps of 'moreau' only: a batch records them in runs from the start"):
        many.run(t_end=0.2, variables=("contact_force",))
    numbers = ScenarioBatch(scenarios).run(reduce={"friction_loss": "last", "contact_force": "most", "v": "least"})
    np.testing.assert_array_equal(numbers.friction_loss_last, data.friction_loss.isel(time=-1))
    np.testing.assert_array_equal(numbers.contact_force_most, data.contact_force.max("time", skipna=False))
    np.testing.assert_array_equal(numbers.v_least, data.v.min("time"))


def test_run_has_names_and_the_numbers_of_a_result() -> None:
    scenario = zoo.snakeboard().changed(t_end=0.5)
    data = scenario.batch(2).run(variables=("position", "joint_torque"))
    single = scenario.run(progress=False)
    assert data.sizes["robot"] == 2
    assert data.q.coords["position_name"].values.tolist() == list(scenario.compiled.position_names)
    for name in ("position", "joint_torque"):
        np.testing.assert_array_equal(data[name][1], single.dataset[name])
    np.testing.assert_array_equal(data.time, single.dataset["time"])


def test_numbers_in_place_of_records() -> None:
    """Trapezoids of the records in time, by NumPy; of a robot that fails nothing is known."""
    scenario = driven().changed(t_end=0.2)
    records = scenario.batch(2).run(variables=("power_actuators",))
    wanted = {"v": "mean", "q": "most", "power_actuators": "integral", "memory": "last"}
    numbers = scenario.batch(2).run(reduce={name: how for name, how in wanted.items() if name in records})
    assert "time" not in numbers.dims and numbers.status.values.tolist() == ["sound", "sound"]
    np.testing.assert_allclose(numbers.v_mean, np.trapezoid(records.v, records.time, axis=1) / 0.2, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(numbers.q_most, records.q.values.max(axis=1))
    work = np.trapezoid(records.power_actuators, records.time, axis=1)
    np.testing.assert_allclose(numbers.power_actuators_integral, work, rtol=1e-12)
    assert numbers.power_actuators_integral.attrs["units"] == "W s" and abs(work).min() > 0.0
    many = scenario.batch(2, threads=1)
    many.robots.v[1] = 1e200
    least = many.run(reduce={"q": "least"})
    assert np.isfinite(least.q_least[0]).all() and np.isnan(least.q_least[1]).all()


@pytest.mark.parametrize("records", [20, 3])
def test_numbers_in_place_of_records_need_the_memory_of_a_stretch(records: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In stretches of so many records the same numbers, sums to round-off; a robot that fails on the way has none."""
    monkeypatch.setattr(batch_reductions, "_FEWEST", records)
    monkeypatch.setattr(batch_reductions, "NUMBERS", 0)
    scenario = driven().changed(t_end=0.3, record_every=1)
    kept: list[int] = []
    note = batch_data.Tape.note
    monkeypatch.setattr(batch_data.Tape, "note", lambda tape: (note(tape), kept.append(len(tape)))[0])
    data = scenario.batch(2).run(variables=("joint_torque",))
    assert max(kept) == len(data.time) > 20
    kept.clear()
    numbers = scenario.batch(2).run(reduce={"joint_torque": "integral", "v": "mean", "q": "least"})
    assert max(kept) == records + 1
    wanted = np.trapezoid(data.joint_torque, data.time, axis=1)
    np.testing.assert_allclose(numbers.joint_torque_integral, wanted, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(numbers.v_mean, np.trapezoid(data.v, data.time, axis=1) / 0.3, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(numbers.q_least, data.q.values.min(axis=1))
    many, advance = scenario.batch(2, threads=1), ScenarioBatch.advance

    def broken(batch: ScenarioBatch, steps: int, robots: Any = None) -> None:
        advance(batch, steps, robots)
        if batch.time[0] > 0.15 and batch.robots.failed[1] < 0:
            batch.robots.failed[1] = batch.robots.done[1]

    monkeypatch.setattr(ScenarioBatch, "advance", broken)
    found = many.run(reduce={"joint_torque": "integral", "q": "least"})
    np.testing.assert_allclose(found.joint_torque_integral[0], wanted[0], rtol=1e-12, atol=1e-15)
    assert np.isnan(found.joint_torque_integral[1]).all() and np.isnan(found.q_least[1]).all()
    assert found.status.values[0] == "sound" and found.status.values[1].startswith("failed")


class OfAnotherLibrary:
    """An array that only says how it lies in memory, as ``__dlpack__``."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values, dtype=float)

    def __dlpack__(self, **words: Any) -> Any:
        return self._values.__dlpack__(**words)

    def __dlpack_device__(self) -> Any:
        return self._values.__dlpack_device__()


def test_a_batch_of_one_that_is_replaced_is_the_new_robot() -> None:
    """A reset to a velocity alone took the place of the robot that was there before."""
    one, two = (driven().changed(start={"joint_1": angle}) for angle in (0.1, 0.5))
    batch = one.batch(1)
    batch.replace([0], [two])
    batch.reset(v=np.zeros(batch.v.shape[1]))
    assert batch.q[0, 0] == 0.5


def test_actions_come_from_other_libraries() -> None:
    here, there = (driven().batch(2) for _ in range(2))
    actions = [[0.1, 0.2], [0.3, 0.4]]
    here.step(np.array(actions))
    there.step(OfAnotherLibrary(actions))
    np.testing.assert_array_equal(here.q, there.q)
    there.step({"joint_1": OfAnotherLibrary([0.5, 0.6])})
    np.testing.assert_array_equal(there.action[:, 0], [0.5, 0.6])
    one, other = driven().open(), driven().open()
    np.testing.assert_array_equal(one.step(np.array(actions[0]))[0], other.step(OfAnotherLibrary(actions[0]))[0])


def late(begins: float) -> Scenario:
    return zoo.pendulum(n=2).changed(servo={"joint_1": Servo(0.5, 20.0, 2.0, begins)}, integrator="moreau", dt=0.01)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ScenarioBatch([]), "has no robot"),
        (lambda: driven().batch(2).run(variables=["position"], reduce={"v": "mean"}), "name a variable in one of the two"),
        (lambda: driven().batch(2).replace([0], [driven()] * 2), "1 robots are replaced by 2 scenarios; give one for each"),
        (lambda: zoo.rabbit_walk().batch(2), "a scenario with phases cannot be"),
        (lambda: driven().batch(2).run(reduce={"v": "average"}), "'v' cannot be reduced by 'average'"),
        (lambda: driven().batch(2).run(reduce={"sped": "mean"}), "there is no variable 'sped'"),
        (lambda: driven().batch(2, dtype="float16"), "dtype of a batch of scenarios is 'float16'; it must be 'float64'"),
        (
            lambda: driven().batch(2).step({"joint_1": [1.0, 2.0, 3.0]}),
            r"action 'joint_1' has the shape \(3,\); give one number, or 2",
        ),
        (lambda: zoo.snakeboard().batch(0), "the number of robots of a batch is 0"),
        (
            lambda: ScenarioBatch([zoo.pendulum(n=2), zoo.pendulum(n=3)]),
            "robot number 1 of the batch, 'pendulum', has another structure",
        ),
        (lambda: ScenarioBatch([zoo.snakeboard(), zoo.snakeboard().changed(dt=0.001)]), "name the same integrator and dt"),
        (lambda: ScenarioBatch([late(0.1), late(0.2)]), "servos of robot number 1 of the batch begin at other times"),
        (lambda: zoo.pendulum(n=2).changed(controller=lambda t, q, v: 0 * v, integrator="rkmk4").batch(2), "functions in Python"),
        (lambda: zoo.pendulum(n=2).changed(integrator="adaptive").batch(2), "chooses its own steps"),
        (lambda: driven().batch(2).step(np.zeros(5)), r"\(joint_1, joint_2\), and this batch 2 robots"),
        (lambda: driven().batch(2).step({"wrist": 1.0}), "has no action 'wrist'"),
        (lambda: driven().batch(2).step([np.nan, 0.0]), "not finite"),
        (lambda: driven().batch(2).step(np.array([1j, 0.0])), "real numbers, without gaps"),
        (lambda: driven().open().step(np.ma.array([1.0, 2.0], mask=[True, False])), "real numbers, without gaps"),
        (lambda: driven().open().step(["a", "b"]), "real numbers, without gaps"),
        (lambda: driven().batch(2).advance(-2), "the number of steps is -2"),
        (lambda: driven().open().step(steps=2.5), "the number of steps is 2.5; it must be a whole number, 1 or more"),
        (lambda: driven().open().step(steps=-2), "the number of steps is -2"),
        (lambda: ScenarioBatch([driven(), driven().changed(t_end=0.7)]).run(), r"different t_end; give one to all: run\(t_end="),
        (lambda: ScenarioBatch([driven(), driven().changed(record_every=2)]).run(), "different record_every; give one"),
        (lambda: driven().batch(2).reset([2]), "from 0 to 1"),
        (lambda: driven().batch(2).reset(q=np.zeros(3)), "q of reset must have the shape"),
        (lambda: driven().batch(2).run(t_end=-1.0), "must be later"),
        (lambda: driven().batch(2).run(variables=["joint_torqe"]), "there is no variable 'joint_torqe'; did you mean"),
        (lambda: driven().batch(2).run(variables=["wheel_rate"]), "has no 'wheel_rate'"),
    ],
)
def test_bad_input(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make()


def test_steps_that_miss_the_tolerance_of_contact_are_told() -> None:
    """As many as a run alone counts: with one iteration the laws of contact are not met."""
    scenario = zoo.snake_3d().changed(contact=HardContact(iterations=1), t_end=0.02, record_every=40, checks=())
    alone = scenario.run(progress=False).dataset.attrs["contact_unconverged_steps"]
    with pytest.warns(UserWarning, match="2 of 2 robots have steps whose contacts do not meet their tolerance, up to"):
        data = scenario.batch(2, actions=()).run()
    assert data.contact_unconverged_steps.values.tolist() == [alone] * 2 and alone > 0
    fine = zoo.snake_3d().changed(t_end=0.02, checks=()).batch(2, actions=()).run()
    assert fine.contact_unconverged_steps.values.tolist() == [0, 0]
