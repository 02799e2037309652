"""The acceptance checks of the zoo: numbers, sources and tolerances stand in the robots' own files."""

import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.zoo.registry import ROBOTS, from_result, make, module

CASES = [(name, settings) for name in ROBOTS for settings in module(name).VALIDATION]


@pytest.mark.parametrize("name, settings", CASES, ids=lambda x: x if isinstance(x, str) else str(x))
def test_checks_pass(name, settings):
    result = make(name, settings).run(progress=False)
    assert result.status == "completed"
    outcomes = result.checks()
    assert outcomes
    for outcome in outcomes:
        assert outcome.passed, outcome.row()


@pytest.mark.parametrize("integrator", ["adaptive", "variational"])
def test_holonomy_by_other_integrators(integrator):
    result = ld.zoo.satellite().changed(integrator=integrator, dt=0.005).run(progress=False)
    angle = result.checks()[0]
    assert angle.passed, angle.row()


def test_every_parameter_has_unit_source_and_meaning():
    for name in ROBOTS:
        for p in module(name).PARAMETERS:
            assert p.unit and p.source and p.meaning and p.check(p.value) == p.value, (name, p.name)


def test_parameters_reach_the_robot():
    robot = ld.zoo.satellite(m_o=50.0, m_j=3.0, case="C").compiled
    assert robot.total_mass == pytest.approx(59.0)
    assert len(ld.zoo.pendulum(n=5).compiled.body_names) == 6
    with pytest.raises(InputError, match="give one number, or one for each rod"):
        ld.zoo.pendulum(n=3, lengths=(1.0, 2.0))
    with pytest.raises(AttributeError):
        ld.zoo.penguin  # noqa: B018


def test_scenario_from_its_result():
    scenario = ld.zoo.free_chain(n=3, drive="torque").changed(t_end=0.2, dt=0.01, record_every=2)
    again = from_result(scenario.run(progress=False))
    assert [p.value for p in again.parameters] == [p.value for p in scenario.parameters]
    assert (again.t_end, again.dt, again.record_every) == (0.2, 0.01, 2)
