"""Parameters of the contact robots of the zoo that cannot be: one sentence each, also from the command line."""

import math

import pytest

import locodyn as ld
from locodyn.errors import InputError


@pytest.mark.parametrize(
    "name, parameters, words",
    [
        ("snake_2d", {"phase": 0.0}, "the phase from joint to joint is 0 rad.*no centre line"),
        ("snake_2d", {"phase": math.tau}, "no centre line"),
        ("snake_2d", {"mu_x": -0.1}, "'mu_x' is -0.1; it must be at least 0"),
        ("snake_2d", {"mu_y": math.nan}, "'mu_y' is nan; it must be finite"),
        ("snake_2d", {"pegs": "table_7_4"}, "must be one of none, table_7_3, table_7_5"),
        ("snake_2d", {"friction": "anisotropic"}, "must be one of given, isotropic, orthotropic"),
        ("snake_2d", {"gait": "sidewinding"}, "must be one of lateral, concertina"),
        ("snake_3d", {"gait": "sidewinding", "steering": 1.0}, "never comes within 0.05.* rad of 0"),
        ("snake_3d", {"ground": False}, "needs ground to move on"),
        ("soft_snake_pegs", {"phase": 0.0}, "no centre line"),
        ("bouncing_ball", {"restitution": 1.2}, "'restitution' is 1.2; it must be at most 1"),
        ("bouncing_dimer", {"lift": 3.0}, "'lift' is 3; it must be at most 1.57"),
        ("sliding_block", {"slope": 2.0}, "'slope' is 2; it must be at most 1.57"),
        ("newton_cradle", {"moving": 9}, "9 balls come in, but there are 5 in all"),
        ("billiard_break", {"restitution": -0.1}, "'restitution' is -0.1; it must be at least 0"),
        ("snake_control", {"noise": "e"}, "must be one of none, b, c, d"),
    ],
)
def test_wrong_parameters(name, parameters, words):
    with pytest.raises(InputError, match=words):
        getattr(ld.zoo, name)(**parameters)


def test_the_command_says_it_too(locodyn):
    code, _, err = locodyn("run", "snake_2d", "--set", "phase=0")
    assert code == 2 and err.count("\n") == 1 and "no centre line" in err


def test_a_ball_that_hardly_loses_anything_is_run_for_a_while_only():
    """Its impacts accumulate after two hours."""
    scenario = ld.zoo.bouncing_ball(restitution=0.9999)
    assert scenario.recording.t_end == 5.0 and len(scenario.checks) == 1
    assert ld.zoo.bouncing_ball().recording.t_end > 3.0 and len(ld.zoo.bouncing_ball().checks) == 3


@pytest.mark.parametrize(
    "parameters, expected",
    [
        ({"friction": "orthotropic"}, (0.2, 0.5)),
        ({"friction": "orthotropic", "mu_x": 0.1, "mu_y": 0.3}, (0.1, 0.3)),
        ({"friction": "isotropic", "mu_x": 0.4}, (0.4, 0.4)),
        ({"mu_y": 0.7}, (0.2, 0.7)),
    ],
)
@pytest.mark.parametrize("name", ["snake_2d", "snake_3d"])
def test_words_for_friction(name, parameters, expected):
    """The coefficients that reach the contacts."""
    surfaces = getattr(ld.zoo, name)(**parameters).compiled.collisions
    sets = {(one.surface.friction.along, one.surface.friction.across) for one in surfaces}
    assert sets - {(0.0, 0.0)} == {expected}  # in the plane the sides of links are smooth


def test_joints_with_a_controller_are_not_called_passive():
    assert "10 passive or driven by the controller" in ld.zoo.snake_control().problem.classification
    assert "10 torque-driven" in ld.zoo.snake_control(controller="pd").problem.classification


@pytest.mark.slow
def test_scenarios_have_their_own_names(locodyn, tmp_path):
    """A run of a scenario by name says so, and is known again from its file."""
    from locodyn.zoo import from_result

    file = tmp_path / "run.nc"
    code, out, _ = locodyn("run", "snake_seven_pegs", "--t-end", "0.01", "--out", file)
    assert code == 0 and out.startswith("snake_seven_pegs: completed") and "all steps converged" in out
    again = from_result(ld.Result.load(file))
    assert again.name == "snake_seven_pegs" and len(again.world.obstacles) == 7 and again.recording.t_end == 0.01
