"""Runs of a study share robots and arrays, and keep the bits of runs of their own."""

import warnings

import numpy as np
import pytest

import locodyn as ld
from locodyn.cli.sweep import summary
from locodyn.sim.bare_run import bare_run
from locodyn.sim.energy_account import EnergyWarning, account
from locodyn.sim.ledger import columns
from locodyn.sim.lending import lend
from locodyn.sim.shared_runs import shared_runs
from locodyn.sim.start import Start
from locodyn.study import METRICS, Study, StudyResult
from locodyn.study.one_run import ACCOUNT, Job, Runner, run_task
from locodyn.view.study_page import study_html
from locodyn.zoo.registry import module
from locodyn.zoo.remembered import Remembered, remembering
from study_cases import same

MANY = ["displacement_x", "rotation", "actuator_effort", "rms_torque", "actuator_work", "displacement_per_cycle"]


def arm(stiffness: float = 5.0, amplitude: float = 0.3, method: str = "rkmk4") -> ld.Scenario:
    """Two links: one follows a servo, the other a torque."""
    robot = ld.Robot("arm")
    base = robot.base("ground", moves="fixed")
    upper = robot.body("upper", mass=1.0, shape=ld.Box((0.3, 0.04, 0.04), at=(0.15, 0, 0))).on(base).turning("y", name="one")
    robot.body("lower", mass=0.5, shape=ld.Box((0.3, 0.04, 0.04), at=(0.15, 0, 0))).on(upper, at=(0.3, 0, 0)).turning(
        "y", name="two"
    )
    servo = {"one": ld.Servo(ld.sine(amplitude, omega=3.0), stiffness, 0.2)}
    return ld.Scenario(
        "arm", robot, servo=servo, torque={"two": ld.sine(0.1 * amplitude, omega=2.0)}, t_end=0.5, dt=0.005, integrator=method
    )


@pytest.mark.parametrize("metrics", [["speed"], MANY])
def test_plain_runs_in_the_arrays_of_one_robot_have_the_bits_of_runs_alone(metrics):
    """Also after a run that fails, where 407 steps cannot be spread over few records, and with other frequencies of the gait."""
    vary = {"a_phi": [0.2, 0.5, 0.3, 0.4], "a_psi": [0.4, 0.8, 0.6, 0.5], "gait": ["drive", "rotate", "drive", "park"]}
    vary["l"] = [0.2, 0.2, -1.0, 0.2]
    found = Study("snakeboard", vary, metrics, settings={"t_end": 4.07}, design="list", cycle=3.2).run(progress=False)
    assert found.store.counts() == (0, 3, 1)
    for run in (0, 1, 3):
        row = {name: values[run] for name, values in vary.items()}
        result = ld.zoo.snakeboard(**row).changed(t_end=4.07).run(progress=False)
        for name in metrics:
            of_run = METRICS[name].of_run
            assert of_run is not None and float(found.column(name)[run]) == of_run(result, 3.2), (run, name)


def _whirl() -> ld.Robot:
    robot = ld.Robot("whirl")
    carrier = robot.body("carrier", mass=1.0, shape=ld.Box((0.4, 0.05, 0.05))).on(robot.base("ground", moves="fixed"))
    carrier.turning("z", name="spin")
    bob = robot.body("bob", mass=0.2, shape=ld.Box((0.02, 0.02, 0.2), at=(0, 0, -0.1)))
    bob.on(carrier, at=(0.2, 0, 0)).turning("y", name="swing")
    return robot


WHIRL = _whirl()


def alone(job: Job, rows: list[dict[str, float]]) -> list:
    """Status, message and numbers of runs that share nothing."""
    return [Runner(job).run(row)[:3] for row in rows]


@pytest.mark.parametrize("metrics", [["speed"], MANY])
def test_runs_in_one_compiled_call_have_the_bits_of_runs_alone(metrics, monkeypatch):
    """None of them is made in Python."""
    job = Study("snakeboard", {"a_phi": [0.1]}, metrics, settings={"t_end": 4.07}, cycle=3.2).job
    rows = [{"a_phi": 0.1 * k, "a_psi": 0.9 - 0.1 * k, "w": 2.0 + 0.1 * k} for k in range(1, 7)]
    wanted = alone(job, rows)
    monkeypatch.setattr(Runner, "run", lambda runner, row: pytest.fail("a run went alone"))
    found = run_task(job, rows)
    assert same(found.numbers, np.array([numbers for *_, numbers in wanted]))
    assert same(run_task(job, rows[::-1]).numbers, found.numbers[::-1])  # in the arrays that others have used


SHARED_STARTS = {"start.board.x": 0.1, "start_velocity.board.wz": 0.0}


@pytest.mark.parametrize("metrics", [["speed"], [*MANY, "cost_of_transport"]])
def test_robots_that_differ_in_masses_and_lengths_go_in_one_call_with_the_bits_of_runs_alone(metrics, monkeypatch):
    """Wheels, shapes and inertias follow the parameters of each run; some of them share a robot, some begin elsewhere."""
    job = Study("snakeboard", {"a_phi": [0.1]}, metrics, settings={"t_end": 4.07, **SHARED_STARTS}, cycle=3.2).job
    rows = [
        {"m_o": 2.0 + 0.1 * (k // 2), "l": 0.2 + 0.01 * (k // 2), "a_phi": 0.1 * k, "start.board.y": 0.2 * k} for k in range(1, 7)
    ]
    wanted = alone(job, rows)
    monkeypatch.setattr(Runner, "run", lambda runner, row: pytest.fail("a run went alone"))
    found = run_task(job, rows)
    assert same(found.numbers, np.array([numbers for *_, numbers in wanted]))
    assert same(run_task(job, rows[::-1]).numbers, found.numbers[::-1])  # in the arrays that others have used


def test_a_start_that_wheels_do_not_allow_is_refused_beside_runs_that_share_a_call():
    job = Study("snakeboard", {"a_phi": [0.1]}, ["speed"], settings={"t_end": 1.0}).job
    rows = [{"start_velocity.board.vy": rate, "a_phi": 0.3} for rate in (0.0, 0.5, 0.0)]
    found, wanted = run_task(job, rows), alone(job, rows)
    assert found.status.tolist() == [status for status, *_ in wanted] == [1, 2, 1]
    assert found.messages == [message for _, message, _ in wanted] and "do not allow" in found.messages[1]
    assert same(found.numbers, np.array([numbers for *_, numbers in wanted]))


def test_runs_that_are_not_plain_go_alone_and_say_what_they_say():
    """One whose numbers overflow; a parameter that is refused."""
    job = Study("snakeboard", {"a_phi": [0.1]}, ["speed"], settings={"t_end": 1.0}).job
    rows = [{"a_phi": 0.3}, {"a_phi": 0.4}, {"a_psi": 1e200}, {"a_phi": 0.5, "l": -1.0}, {"a_phi": 0.5}]
    found, wanted = run_task(job, rows), alone(job, rows)
    assert found.status.tolist() == [status for status, *_ in wanted] == [1, 1, 2, 2, 1]
    assert found.messages == [message for _, message, _ in wanted]
    assert same(found.numbers, np.array([numbers for *_, numbers in wanted]))


def _links() -> ld.Robot:
    robot, bar = ld.Robot("links"), ld.Box((0.3, 0.04, 0.04), at=(0.15, 0, 0))
    upper = robot.body("upper", mass=1.0, shape=bar).on(robot.base("ground", moves="fixed")).turning("y", name="one")
    robot.body("lower", mass=1.0, shape=bar).on(upper, at=(0.3, 0, 0)).turning("y", name="two")
    return robot


LINKS = _links()


def spun(rate: float) -> ld.Scenario:
    """Two links that turn by ``rate`` times 10 ms in each step of rkmk4."""
    start = Start(positions={"two": 1.0}, velocities={"one": rate})
    return ld.Scenario("spun", LINKS, start=start, t_end=1.0, dt=0.01, integrator="rkmk4")


@pytest.mark.parametrize("metric", ["rms_torque", "duration"])
def test_runs_whose_energy_account_is_open_say_so_in_the_store(metric, tmp_path, monkeypatch):
    """At 0.05 rad a step rkmk4 is off by (w h)^5 / 120 = 3e-9 a step, at 1 rad by 1 %: of these runs a few arrays, or their ends
    only, are computed. What they say, and what has become of their account, is what they say alone.
    """
    rows = [{"rate": rate} for rate in (1.0, 100.0, 5.0)]
    job = Study(spun, {"rate": [1.0]}, [metric]).job
    wanted = [Runner(job).run(row) for row in rows]
    found = run_task(job, rows)
    with pytest.warns(EnergyWarning) as warned:
        spun(100.0).run(progress=False)
    assert found.messages == [one[1] for one in wanted] == ["", str(warned[0].message), ""]
    assert found.account.tolist() == [one[4] for one in wanted] == [ACCOUNT.closes, ACCOUNT.open, ACCOUNT.closes]
    assert found.status.tolist() == [1, 1, 1]
    study = Study(spun, {"rate": [1.0, 100.0, 5.0]}, [metric]).run(tmp_path / "spun.zarr", progress=False)
    table = StudyResult.load(tmp_path / "spun.zarr").table
    assert table["account"].values.tolist() == found.account.tolist()
    assert study.remarks() == study.remarks(account_open=True) == {1: found.messages[1]}
    said = "1 completed run with an energy account that does not close (first: 1)"
    assert any(line.startswith(said) for line in summary(study))
    assert "the energy account of 1 completed run does not close" in study_html(study, most=0)


def test_each_run_that_goes_with_others_has_the_account_that_it_has_alone():
    """One row of the joint account after the other."""
    runs = [spun(rate) for rate in (1.0, 20.0, 100.0)]
    times = np.linspace(0.0, 1.0, 101)
    tables = []
    for one in runs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EnergyWarning)
            tables.append(columns(times, one.run(progress=False).dataset, False))
    joint = account(times, {name: np.array([table[name] for table in tables]) for name in tables[0]}, 4, 1e-3)
    for k, table in enumerate(tables):
        alone = account(times, table, 4, 1e-3)
        for name in ("defect", "quadrature", "explained", "scale", "available"):
            assert same(getattr(joint, name)[k], getattr(alone, name)), name
        assert joint.closes(False)[k] == (alone.first_warning(False) is None)
    assert joint.closes(False).tolist() == [True, True, False]


def whirl(rate: float) -> ld.Scenario:
    """A bob on a carrier that spins: it swings at about the rate of the spin, so that spins may be too fast for a step."""
    return ld.Scenario("whirl", WHIRL, imposed={"spin": ld.ramp(rate)}, start={"swing": 0.1}, t_end=0.5, dt=0.01)


@pytest.mark.slow  # compiles an implicit method
def test_runs_whose_modes_are_too_fast_for_the_step_take_the_method_that_they_take_alone():
    job = Study(whirl, {"rate": [1.0]}, ["lowest_height"]).job
    rows = [{"rate": rate} for rate in (5.0, 20.0, 200.0, 30.0)]
    methods = [job.subject.scenario(row).run(progress=False).attributes["integrator"] for row in rows]
    assert methods[2] != methods[0] == methods[1] == methods[3] == "rkmk4"
    found, wanted = run_task(job, rows), alone(job, rows)
    assert Runner.shared is not None and Runner.shared.scenario.name == "whirl"
    assert same(found.numbers, np.array([numbers for *_, numbers in wanted]))


def test_scenarios_that_differ_in_more_than_numbers_do_not_share_a_call():
    with remembering():
        first = ld.zoo.snakeboard()
        shared = shared_runs(first.changed(), ("mass_centre",), True)
        assert shared is not None and shared.numbers(first) is not None
        for words in ({"t_end": 5.0}, {"dt": 0.005}, {"integrator": "adams"}, {"start": {"x": 0.1}}):
            assert shared.numbers(first.changed(**words)) is None, words
        assert shared.numbers(ld.zoo.make("wheeled_snake").changed(t_end=10.0, dt=0.01)) is None
        heavy, floating = ld.zoo.snakeboard(m_o=3.0), first.changed(gravity=(0.0, 0.0, -1.0))
        told = [shared.numbers(one) for one in (first, heavy, floating)]
        assert all(one is not None for one in told) and len({one.words.tobytes() for one in told if one is not None}) == 3
        ramp = first.changed(imposed={**first.drive.imposed, "joint_1": ld.ramp(0.1)})
        assert shared.numbers(ramp) is None
    assert shared_runs(arm(), ("mass_centre",), True) is None  # servos may be too stiff for a step


@pytest.mark.parametrize("method", ["rkmk4", "adams", "variational"])
def test_a_lent_problem_gives_the_bits_of_a_problem_of_its_own(method):
    first, compiled = arm(method=method), arm(method=method).compiled
    second = arm(9.0, 0.5, method)
    alone = bare_run(arm(9.0, 0.5, method), ["joint_velocity", "joint_torque"])
    for scenario in (first, second):
        scenario.__dict__["compiled"] = compiled
    assert bare_run(first, ["joint_velocity"]) is not None
    assert lend(first, second) and second.problem is first.problem
    lent = bare_run(second, ["joint_velocity", "joint_torque"])
    assert alone is not None and lent is not None
    assert all(same(lent.arrays[name], alone.arrays[name]) for name in alone.arrays)
    full = arm(9.0, 0.5, method).run(progress=False)
    assert same(full.joint_torque.values, lent.arrays["joint_torque"])


def test_what_differs_in_more_than_numbers_of_laws_is_not_lent():
    first = arm()
    assert first.problem is not None
    robot = first.compiled
    other = {"gravity": (0.0, 0.0, -1.0)}, {"torque": {}}, {"torque": {"two": ld.ramp(0.1)}}, {"obstacles": [ld.Ground()]}
    for words in other:
        scenario = first.changed(**words)
        scenario.__dict__["compiled"] = robot
        assert not lend(first, scenario), words
    assert not lend(first, arm())  # another robot, though an equal one
    assert lend(first, first.changed(torque={"two": ld.sine(0.4, omega=1.0)}))


def test_a_robot_is_remembered_as_long_as_all_that_it_was_made_from_is_the_same():
    make = module("snakeboard")
    assert isinstance(make.robot, Remembered)
    with remembering():
        one, two = ld.zoo.snakeboard(a_phi=0.1), ld.zoo.snakeboard(a_phi=0.2)
        assert one.robot is two.robot and one.compiled is two.compiled
        assert ld.zoo.snakeboard(m_o=3.0).robot is not one.robot
        assert ld.zoo.snakeboard(inertia="B", I_oA=1.0).robot is ld.zoo.snakeboard(inertia="B").robot  # I_oA is not read
        two.robot["board"].marker("nose", at=(0.1, 0, 0))
        assert ld.zoo.snakeboard().robot is not two.robot  # that one was changed
    assert ld.zoo.snakeboard().robot is not ld.zoo.snakeboard().robot


def test_robots_of_the_zoo_are_the_same_when_they_are_remembered():
    """Parameters may be read as a mapping only: a robot file that needs a dict would fail here."""
    for name in ("cantilever", "earthworm", "snake_2d", "snake_control", "eel", "rabbit_walk"):
        with remembering():
            found = [ld.zoo.make(name) for _ in range(2)][1]
        assert np.array_equal(found.compiled.constants, ld.zoo.make(name).compiled.constants), name
