"""The energy account of runs that record some variables only: the same as where all are recorded."""

from __future__ import annotations

import pytest

import locodyn as ld
from locodyn.sim import run_in_turn, stretches
from locodyn.sim.scenario import Scenario
from locodyn.world.laws import Thrust

ACCOUNT = ("energy_defect", "energy_defect_time", "energy_scale")
PULSE = ([0.0, 0.02, 0.03, 0.06, 1.0], [0.0, 0.0, 50.0, 0.0, 0.0])  # s, N


def pendulum(driven: bool = False, **actuator: float) -> Scenario:
    """A pendulum of 0.1 kg and 0.1 m, J = 1e-3 kg m^2, with springs and friction in its joint; perhaps with a propeller."""
    robot = ld.Robot("pendulum")
    robot.body("bob", mass=0.1, centre=(0, 0, -0.1)).on(robot.base("ground", moves="fixed")).turning("y").actuator(**actuator)
    if driven:
        robot.wrench("propeller", on="bob", law=Thrust(moment=(0.0, 0.5, 0.0)))
    return Scenario("pendulum", robot, start={"bob": 1.0}, t_end=0.5, dt=0.01, integrator="rkmk4")


def unstable() -> Scenario:
    """c / J = 1000 1/s at 10 ms: |R(-10)| = 291 in each step of rkmk4."""
    return pendulum(viscous=1.0)


def pushed() -> Scenario:
    """A block of 1 kg that gets 1 N s within 40 ms, between two records."""
    robot = ld.Robot("block")
    robot.body("block", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    fields = {"gravity": (0, 0, 0), "t_end": 0.5, "dt": 1e-3, "record_every": 100, "integrator": "rkmk4"}
    return Scenario("block", robot, torque={"block": ld.motion.samples(*PULSE)}, **fields)


def accounts_of(scenario: Scenario, *record: str) -> tuple[ld.Result, list[float], list[float]]:
    """The run with these records only, its account, and that of the run with all records."""
    runs = [scenario.changed(record=names).run(progress=False) for names in (record, ())]
    some, whole = ([one.attributes[name] for name in ACCOUNT] for one in runs)
    assert set(runs[0].dataset.data_vars) == set(record) and runs[0].status == runs[1].status
    assert len(runs[0].time) == len(runs[1].time)
    return runs[0], some, whole


@pytest.mark.filterwarnings("ignore::locodyn.integrate.StabilityWarning")
@pytest.mark.parametrize("record", [("joint_position",), ("kinetic_energy", "power_actuators")])
def test_an_explosion_fails_whatever_is_recorded(record: tuple[str, ...]) -> None:
    run, some, whole = accounts_of(unstable(), *record)
    assert run.failed and "gained" in run.status and some == whole
    assert run.attributes["resume_time"] == run.time.values[-1]


@pytest.mark.slow
def test_a_stiff_rod_fails_whatever_is_recorded() -> None:
    """Newmark on a stiff rod at 10 ms (``test_newmark_on_a_stiff_rod``), of which only the joints are recorded."""
    scenario = ld.zoo.cantilever(case="stiff", g=0.0).changed(integrator="newmark", dt=0.01, t_end=0.3)
    run = scenario.changed(record=("joint_position",)).run(progress=False)
    assert run.failed and "take 'radau3'" in run.status and list(run.dataset.data_vars) == ["joint_position"]


def test_powers_that_are_not_recorded_are_no_defect() -> None:
    """A propeller gives all of the energy, and its power is not among the records; those that are would make an account."""
    names = "kinetic_energy", "potential_energy", "power_actuators", "power_dissipated"
    run, some, whole = accounts_of(pendulum(driven=True), *names)
    assert run.status == "completed" and some == whole


@pytest.mark.parametrize("pieces", [False, True])
def test_work_between_records_that_are_not_kept(pieces: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """1/2 J between two records, in one stretch or in stretches of two records."""
    if pieces:
        for name in ("FIRST", "FEWEST", "MOST"):
            monkeypatch.setattr(stretches, name, 2)
    run, some, whole = accounts_of(pushed(), "joint_velocity")
    assert run.joint_velocity.values[-1] == pytest.approx(1.0, abs=1e-9) and some == whole


def test_the_account_goes_on_where_a_run_goes_on(tmp_path) -> None:
    """A file without energies: the account of the resumed run covers what follows. With other records it is not resumed: those
    that the file does not have would be zero up to there.
    """
    scenario = pushed().changed(record=("joint_velocity",), t_end=0.2)
    scenario.run(progress=False, out=tmp_path / "block.nc")
    resumed = ld.resume(tmp_path / "block.nc", 0.5, scenario, progress=False)
    assert len(resumed.time) == 6 and resumed.attributes["energy_scale"] == pytest.approx(0.5)  # J, all from before
    assert abs(resumed.attributes["energy_defect"]) < 1e-12
    with pytest.raises(ld.InputError, match="it recorded 'joint_velocity' and is to record all variables; resume it with the"):
        ld.resume(tmp_path / "block.nc", 0.7, scenario.changed(record=()), progress=False)


@pytest.mark.filterwarnings("ignore::locodyn.integrate.StabilityWarning")
@pytest.mark.parametrize("until", [0.5, lambda t, q, v: t - 0.3])
def test_a_turn_that_explodes_fails(until: object) -> None:
    """Runs in turn are watched as any run is."""
    turns = run_in_turn([(unstable(), until)])
    whole = unstable().run(progress=False)
    assert turns.status == whole.status and len(turns.results[0].time) == len(whole.time) == len(turns.results[0].q)
    assert turns.results[0].attributes["energy_defect"] == whole.attributes["energy_defect"]
