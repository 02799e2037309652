"""What people see when they print an object, mistype a name or ask for help."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim import Check, Kind
from locodyn.sim.fields import ScenarioFields


def pendulum():
    robot = ld.Robot("arm")
    robot.body("bob", mass=1.0, inertia=np.eye(3)).on(robot.base("base", moves="fixed"), body_at=(0, 0, -1)).turning(
        "y", name="joint"
    )
    return robot


def test_a_misspelt_robot_of_the_zoo_is_suggested():
    with pytest.raises(AttributeError, match=r"the zoo has no robot 'snakebord'; did you mean 'snakeboard'\?"):
        ld.zoo.snakebord  # noqa: B018
    assert not hasattr(ld.zoo, "nothing_of_the_kind")


def test_help_names_every_argument_of_simulate():
    """The fields come from the documentation of the parts of a scenario, so that none can be forgotten."""
    words = inspect.getdoc(ld.simulate)
    titles = {name.strip() for line in words.splitlines() if " : " in line for name in line.partition(" : ")[0].split(",")}
    wanted = {name for name in ScenarioFields.__annotations__ if name not in ("parameters", "checks", "summary", "source")}
    assert wanted - titles == set()
    assert ">>> ld.simulate(" in words


def test_an_outcome_of_a_check_prints_in_one_line():
    check = Check("height (m)", 2.0, 0.1, lambda result: 2.3, "statics", Kind.CLOSED_FORM)
    assert repr(check.outcome(None)) == "FAIL: height (m): 2.3, expected 2 within 0.1"


def test_an_equilibrium_and_a_linearisation_print_in_a_few_lines():
    found = ld.statics(pendulum())
    assert repr(found).splitlines()[:2] == ["Equilibrium", "  kind         stable"]
    assert len(repr(found).splitlines()) == 5 and "<table" in found._repr_html_()
    system = ld.linearise(ld.Scenario("arm", pendulum()))
    lines = repr(system).splitlines()
    assert lines[0].startswith("Linearisation: 2 states (joint, ")
    # omega^2 = m g L / (I + m L^2) = 9.81 / 2
    assert lines[2].split() == ["+0", "±", f"{np.sqrt(9.81 / 2.0):.9g}", "i", "neutral,", "oscillatory"]
    assert "<table" in system._repr_html_()


def test_what_rounding_leaves_is_printed_as_zero(capsys):
    from dataclasses import replace

    from locodyn.cli.linearise import print_linearisation

    system = ld.linearise(ld.Scenario("arm", pendulum()))
    noisy = replace(system, A=system.A + np.array([[-3e-29, 0.0], [0.0, 2e-17]]))
    print_linearisation("arm", noisy)
    shown = capsys.readouterr().out
    assert "e-29" not in shown and "e-17" not in shown and "-4.905" in shown


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"torque": {"joint": lambda t: 1.0}}, r"the torque of 'joint' is a function of \(t\); it must be one of \(t, q, v\)"),
        ({"controller": lambda t, q: [1.0]}, r"the controller is a function of \(t, q\); it must be one of \(t, q, v\)"),
        ({"imposed": {"joint": lambda: 1.0}}, r"the motion is a function of \(\); it must be one of \(t\)"),
    ],
)
def test_functions_of_other_arguments_are_refused(fields, sentence):
    with pytest.raises(ld.InputError, match=sentence):
        ld.Scenario("arm", pendulum(), **fields)
    more = {"torque": {"joint": lambda t, q, v, gain=2.0: gain}}  # arguments with defaults are the user's own
    assert ld.simulate(pendulum(), t_end=0.02, dt=0.01, progress=False, **more).status == "completed"
