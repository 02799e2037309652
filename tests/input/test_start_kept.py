"""A start that wheels or loops would change, and a saved run that is of another robot: said, not done in silence."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow


def sleigh(**start):
    """A skate along x: no velocity across, along y."""
    robot = ld.Robot("sleigh")
    robot.base("sleigh", mass=1.0, inertia=ld.about_centre(zz=0.1), moves="planar").skate("blade", along="x")
    return ld.Scenario("sleigh", robot, t_end=0.1, dt=0.01, start=ld.Start(**start))


def test_a_velocity_that_wheels_forbid_is_refused():
    with pytest.raises(ld.InputError, match=r"'sleigh.vy' the velocity 0.5, which its wheels do not allow.* has 0 there.*keep"):
        sleigh(velocities={"sleigh": (1.0, 0.5, 0.0)}).run(progress=False)


def test_what_is_not_named_or_may_change_follows():
    kept = sleigh(velocities={"sleigh": (1.0, 0.5, 0.0)}, keep="sleigh.vx").run(progress=False)
    allowed = sleigh(velocities={"sleigh.vx": 1.0}).run(progress=False)
    for result in (kept, allowed):
        np.testing.assert_allclose(result.v[0], (1.0, 0.0, 0.0), atol=1e-15)


def four_bar(angle, **words):
    scenario = ld.zoo.four_bar()
    given = {**scenario.start.positions, "joint_2": scenario.start.positions["joint_2"] + angle}
    return scenario.changed(t_end=0.01, start=ld.Start(given, **words))


def test_positions_that_loops_change_are_said():
    four_bar(1e-9).run(progress=False)  # typed in decimals: nothing to say
    with pytest.warns(ld.sim.StartWarning, match=r"'joint_[23]' from .* to .*; name in adjust what may move"):
        four_bar(1e-2).run(progress=False)
    four_bar(1e-2, adjust=("joint_2", "joint_3")).run(progress=False)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    file = tmp_path_factory.mktemp("runs") / "a.nc"
    ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False, out=file)
    return file


def heavier():
    scenario = ld.zoo.pendulum().changed(dt=0.01)
    return scenario.changed(robot=scenario.robot.changed({"link_1.mass": 5.0}))


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (lambda: ld.zoo.pendulum(lengths=2.0).changed(dt=0.01), "the parameter 'lengths' was"),
        (heavier, "mass of 'link_1' was 1.0 and is 5.0"),
        (lambda: ld.zoo.pendulum().changed(dt=0.01, gravity=(0, 0, -1)), "the gravity was"),
        (lambda: ld.zoo.pendulum().changed(dt=0.005), "the step was 0.01 and is 0.005"),
        (lambda: ld.zoo.pendulum().changed(dt=0.01, integrator="adams"), "the integrator was rkmk4 and is adams"),
        (lambda: ld.zoo.pendulum(damping=0.5).changed(dt=0.01, parameters=()), "springs, friction, inertia or limits"),
        (lambda: ld.zoo.pendulum().changed(dt=0.01, tolerance=1e-5), "the tolerance was"),
        (lambda: ld.zoo.pendulum().changed(dt=0.01, torque={"joint_1": 1.0}), "'joint_1' was driven by"),
    ],
)
def test_a_run_of_another_scenario_is_not_resumed(saved, scenario, words):
    before = saved.read_bytes()
    with pytest.raises(ld.InputError, match=f"is of another scenario: .*{words}"):
        ld.resume(saved, 0.2, scenario(), progress=False)
    assert saved.read_bytes() == before


def test_its_own_scenario_is_resumed_also_at_a_step_made_smaller(tmp_path):
    scenario = ld.zoo.pendulum().changed(t_end=0.1, dt=0.03, record_every=1)  # four steps of 0.025 s meet the end
    scenario.run(progress=False, out=tmp_path / "a.nc")
    again = ld.resume(tmp_path / "a.nc", 0.2, scenario, progress=False)
    np.testing.assert_allclose(np.diff(again.time.values), 0.025, rtol=1e-12)


def two_arms(*names):
    robot = ld.Robot("arms")
    ground = robot.base("ground", moves="fixed")
    for name in names:
        inertia = ld.about_centre(xx=0.01, yy=0.02, zz=0.02)
        robot.body(name, mass=1.0, centre=(0.1, 0, 0), inertia=inertia).on(ground).turning("y", name=f"joint of {name}")
    return ld.Scenario("arms", robot, t_end=0.1, dt=0.01, integrator="rkmk4")


def test_the_end_of_a_run_is_no_start_for_other_joints(tmp_path):
    """Its numbers went to the joints in their order, whatever their names."""
    first = two_arms("left", "right").changed(start={"joint of left": 0.5}).run(progress=False)
    again = two_arms("left", "right").changed(start=first).run(progress=False)
    np.testing.assert_array_equal(again.q[0], first.q[-1])
    first.save(tmp_path / "a.nc")
    for result in (first, ld.Result.load(tmp_path / "a.nc")):
        words = (
            r"the start is of a robot with the coordinates joint of left, joint of right, and 'arms' has joint of right, joint"
        )
        with pytest.raises(ld.InputError, match=words):
            two_arms("right", "left").changed(start=result).run(progress=False)
