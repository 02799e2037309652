"""Out of what a robot overlaps at the start: the smallest move, with loops closed and imposed joints, wheels and rods beside."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import locodyn as ld
from locodyn.errors import InputError
from locodyn.robot import Robot, Sphere

pytestmark = pytest.mark.slow


def moved(scenario):
    """The start before and after, and the problem."""
    free = scenario.changed(start=replace(scenario.start, resolve=True))
    return scenario.initial_state()[0], free.initial_state()[0], free.problem


def test_a_linkage_turns_until_its_coupler_is_free():
    """One freedom: the crank angle at which the gap vanishes, by bisection; the loop stays closed."""
    bars = ld.zoo.four_bar()
    robot = Robot.from_description(bars.robot.description)
    robot["coupler"].collides()
    peg = ld.Obstacle(ld.Cylinder(0.02, axis="y"), at=(0.2, 0.0, 0.155))
    start = ld.Start({"joint_1": 0.6, **bars.start.positions})
    scenario = bars.changed(robot=robot, imposed={}, start=start, obstacles=[peg], integrator="moreau", checks=())
    before, after, problem = moved(scenario)
    assert problem.contact.overlap(before)[0] > 5e-3
    assert problem.contact.overlap(after)[0] < 2e-7

    def gap(crank):
        q = np.array([crank, before[1], before[2]])
        return problem.contact.gaps(problem.settled(0.0, q, np.zeros(3), adjust=[1, 2])[0]).min()

    far = [end for end in (before[0] - 0.9, before[0] + 0.9) if gap(end) > 0.0]
    near = min((brentq(gap, before[0], end, xtol=1e-12) for end in far), key=lambda crank: abs(crank - before[0]))
    assert after[0] == pytest.approx(near, abs=1e-5)
    problem.imposed_state(0.0, after, np.zeros(3))
    assert np.abs(problem.constraints.arrays.residual).max() < 1e-9


def test_a_sleigh_is_set_down_beside_the_peg():
    """Its skate does not hold it: it goes straight out, by the depth."""
    robot = Robot("sleigh")
    robot.base("sleigh", moves="planar", mass=2.0, inertia=np.diag([1.0, 1.0, 0.3])).skate().collides(Sphere(0.1))
    peg = ld.Obstacle(ld.Cylinder(0.05), at=(0.0, 0.12))
    scenario = ld.Scenario("s", robot, obstacles=[peg], start=ld.Start(), integrator="moreau", dt=1e-3, t_end=0.1)
    with pytest.raises(InputError, match=r"overlap by 0\.03 m.*--resolve"):
        scenario.run(progress=False)
    _, after, _ = moved(scenario)
    assert after == pytest.approx([0.0, -0.03, 0.0], abs=1e-6)


def test_a_rolling_ball_stays_on_its_plane():
    """A ball with an ideal contact below and a hard peg beside it: it moves along the plane only."""
    robot = Robot("ball")
    robot.base("ball", mass=1.0, shape=Sphere(0.1)).rolling(radius=0.1).collides(Sphere(0.1))
    stone = ld.Obstacle(ld.Sphere(0.06), at=(0.12, 0.0, 0.02))
    start = ld.Start({"ball": (0.0, 0.0, 0.1, 0.0, 0.0, 0.0)})
    scenario = ld.Scenario("s", robot, obstacles=[stone], start=start, integrator="moreau", dt=1e-3, t_end=0.1)
    _, after, problem = moved(scenario)
    assert after[2] == pytest.approx(0.1, abs=1e-9)
    assert after[0] == pytest.approx(0.12 - np.sqrt(0.16**2 - 0.08**2), abs=1e-6)
    assert problem.contact.overlap(after)[0] < 2e-7


def test_a_rod_bends_and_leaves():
    robot = Robot("clamped")
    rod = robot.base("ground", moves="fixed").rod(
        "rod", length=0.5, section=ld.Circle(0.01), material=ld.Material(young=1e6, density=1000.0), bending=(0, 2)
    )
    rod.collides()
    peg = ld.Obstacle(ld.Cylinder(0.02), at=(0.4, 0.015))
    scenario = ld.Scenario("s", robot, obstacles=[peg], integrator="moreau", dt=1e-3, t_end=0.1, gravity=(0, 0, 0))
    before, after, problem = moved(scenario)
    assert problem.contact.overlap(before)[0] == pytest.approx(0.015, abs=1e-9)
    assert problem.contact.overlap(after)[0] < 2e-7
    tip = problem.model.kinematics(after, np.zeros(2))[0][-1, 9:]
    assert tip[1] < -0.01


def test_an_imposed_joint_stays():
    """An arm whose first joint is given: the second one turns out of the ball; where only the first could, nothing helps."""
    robot = Robot("arm")
    robot.base("base", moves="fixed")
    upper = robot.body("upper", mass=1.0, inertia=np.eye(3)).on("base").turning("z", name="a")
    robot.body("lower", mass=1.0, inertia=np.eye(3)).on(upper, at=(0.5, 0, 0)).turning("z", name="b").collides(
        Sphere(0.1, at=(0.5, 0.0, 0.0))
    )
    ball = ld.Obstacle(ld.Sphere(0.1), at=(1.0, 0.15, 0.0))
    scenario = ld.Scenario("s", robot, obstacles=[ball], imposed={"a": ld.constant(0.0)},
                           integrator="moreau", dt=1e-3, t_end=0.1)  # fmt: skip
    _, after, problem = moved(scenario)
    assert after[0] == 0.0 and after[1] < -0.05
    assert problem.contact.overlap(after)[0] < 2e-7
    both = {"a": ld.constant(0.0), "b": ld.constant(0.0)}
    with pytest.raises(InputError, match="where no move helps any more: the robot does not fit"):
        moved(scenario.changed(imposed=both))
