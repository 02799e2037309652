"""Plastic impacts of feet: what every impact map keeps and loses, at random states of a biped."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.phases import Mirror, plastic_impact
from locodyn.phases.feet import Feet
from walker_cases import biped, standing

ROBOT = biped()
BOTH = ld.Phases.walking("left_foot", "right_foot", scuffing=True)
SCENARIO = ld.Scenario("biped", ROBOT, phases=BOTH)


@pytest.fixture(params=range(5))
def impact(request):
    """A random state with the right foot on the ground, and the impact in which it lands."""
    rng = np.random.default_rng(request.param)
    model = SCENARIO.model
    q = standing(model, "right_foot", rng.uniform(-0.8, 0.8, 5))
    v = rng.normal(size=model.nv)
    return model, q, v, plastic_impact(SCENARIO.hybrid.problems["right"], 0.0, q, v)


def test_the_foot_that_lands_is_at_rest(impact):
    model, q, _, after = impact
    assert abs(Feet(model).rising_speed("right_foot", q, after.velocity)) < 1e-12
    jacobian = model.jacobian("right_shank", q)
    foot = np.array([0.0, 0.0, -0.5])
    twist = jacobian @ after.velocity
    assert np.abs(twist[:3] + np.cross(twist[3:], foot)).max() < 1e-12


def test_kinetic_energy_falls_by_what_is_booked(impact):
    model, q, v, after = impact
    before, left = model.kinetic_energy(q, v), model.kinetic_energy(q, after.velocity)
    assert 0.0 < after.loss and abs(before - left - after.loss) < 1e-12 * before


def test_angular_momentum_about_the_landing_point_is_kept(impact):
    """The impulse acts there, so it has no moment about it (Westervelt et al. 2003)."""
    model, q, v, after = impact
    point = Feet(model).place("right_foot", q)

    def about_point(speed):
        linear, spin = model.momentum(q, speed)
        return spin + np.cross(model.centre_of_mass(q) - point, linear)

    assert np.abs(about_point(v) - about_point(after.velocity))[1] < 1e-12 * (1.0 + np.abs(about_point(v)[1]))


def test_linear_momentum_changes_by_the_impulse(impact):
    model, q, v, after = impact
    change = model.momentum(q, after.velocity)[0] - model.momentum(q, v)[0]
    given = np.array([after.impulse[f"right_foot.{way}"] for way in ("first", "second", "normal")])
    assert np.abs(change - given).max() < 1e-11


def test_what_holds_already_changes_nothing(impact):
    """An impact projects: a second one at the same place does nothing."""
    _, q, _, after = impact
    again = plastic_impact(SCENARIO.hybrid.problems["right"], 0.0, q, after.velocity)
    assert np.abs(again.velocity - after.velocity).max() < 1e-12 and abs(again.loss) < 1e-12


def test_mirror_is_its_own_inverse_and_exchanges_legs():
    pairs = {f"left_{joint}": f"right_{joint}" for joint in ("hip", "knee")}
    mirror = Mirror(pairs, {"left_foot": "right_foot"})
    positions, velocities = mirror.matrices(SCENARIO.model)
    assert (positions @ positions == np.eye(7)).all() and (velocities @ velocities == np.eye(7)).all()
    q = np.arange(7.0)
    assert (positions @ q == [0, 1, 2, 5, 6, 3, 4]).all()
    assert mirror.other_foot("right_foot") == "left_foot" and mirror.other_foot("tail") == "tail"
