"""What a run records is a list of recorders, each variable declared once; and a robot is compiled once, however it is run."""

import numpy as np
import pytest

import locodyn as ld
import locodyn.robot.compilation.compile as compilation
from locodyn.sim import dataset as datasets
from locodyn.sim.contract import Variable
from locodyn.sim.recorder import Recorder
from locodyn.sim.recorders import RECORDERS, VARIABLES


def turntable():
    robot = ld.Robot("turntable")
    ground = robot.base("ground", moves="fixed")
    robot.body("plate", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on(ground).turning("z")
    return robot


def scenario():
    return ld.Scenario("turntable", turntable(), torque={"plate": 1.0}, t_end=0.1, dt=0.01)


def test_each_variable_is_declared_by_one_recorder():
    names = [name for recorder in RECORDERS for name in recorder.variables]
    assert len(names) == len(set(names)) and names == list(VARIABLES)


def test_what_the_dynamics_give_is_recorded():
    run = scenario()
    assert set(run.problem.series(np.zeros(1), *(x[None] for x in run.initial_state()))) <= set(VARIABLES)


def test_a_new_recorder_needs_nothing_else(monkeypatch):
    spin = Recorder(
        {"spin": Variable((), "N m s", "angular momentum of the plate"), "never": Variable((), "1", "what no run has")},
        lambda records: {"spin": records.v[:, 0]},
        lambda scenario: scenario.name == "turntable",
        lambda scenario, _: {"robot": scenario.compiled.name},
    )
    monkeypatch.setattr(datasets, "RECORDERS", (*RECORDERS, spin))
    found = scenario().run(progress=False).dataset
    assert list(found.data_vars)[-1] == "spin" and "never" not in found
    assert found["spin"].attrs == {"units": "N m s", "long_name": "angular momentum of the plate", "robot": "turntable"}
    assert np.array_equal(found["spin"].values, found["joint_velocity"].values[:, 0])
    assert "spin" not in scenario().changed(name="other").run(progress=False).dataset


@pytest.fixture
def compilations(monkeypatch):
    """Names of the robots that were compiled, in their order."""
    names, assemble = [], compilation._assembled
    monkeypatch.setattr(compilation, "_assembled", lambda tree: names.append(tree.description.name) or assemble(tree))
    return names


def test_a_robot_is_compiled_once(compilations, tmp_path):
    file = tmp_path / "a.nc"
    made = scenario()
    made.changed(t_end=0.2, integrator="auto").changed(dt=0.03).run(progress=False, out=file)
    made.changed(gravity=(0.0, 0.0, 0.0), torque={}).run(progress=False)
    ld.resume(file, 0.3, made.changed(t_end=0.2, dt=0.03), progress=False)
    assert compilations == ["turntable"]


def test_a_changed_robot_is_compiled_again(compilations):
    robot = turntable()
    before = ld.Scenario("turntable", robot, t_end=0.1, dt=0.01)
    robot.body("rider", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1)).on("plate").turning("z")
    after = before.changed(t_end=0.2)
    assert compilations == ["turntable", "turntable"]
    assert (before.compiled.nv, after.compiled.nv) == (1, 2)


def test_symbols_and_numbers_are_kept_apart():
    robot = turntable()
    assert robot.compile() is robot.compile() and robot.compile(dtype=object) is not robot.compile()
    assert robot.compile(dtype=object).constants.dtype == object
