"""A planar base in another plane than x-y: the x-z plane of walkers, and any other."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld


def hull(axis: object) -> ld.Robot:
    """A plank with a weight that hangs on it."""
    robot = ld.Robot("hull")
    base = robot.base("hull", moves="planar", axis=axis, mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.3), at=(1, 2, 3))
    robot.body("weight", mass=0.5, centre=(0, 0, -0.4)).on(base, at=(0.3, 0, 0)).turning("y")
    return robot


def test_thrown_in_the_upright_plane() -> None:
    """x and z as of a stone, the third about -y; frames of bodies are not turned with the plane; gravity along -z."""
    robot = ld.Robot("stone")
    robot.base("stone", moves="planar", axis="-y", mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.3), at=(1, 2, 3))
    result = ld.Scenario("stone", robot, start=([0, 0, 0], [2.0, 5.0, 0.7]), integrator="rkmk4", dt=1e-3, t_end=0.8).run()
    t = result.time.values
    # the velocity at the start is that of the body, whose axes turn by 0.7 rad/s about -y
    way = np.column_stack([1.0 + 2.0 * t, np.full_like(t, 2.0), 3.0 + 5.0 * t - 0.5 * 9.81 * t**2])
    np.testing.assert_allclose(result.position.values, way, atol=1e-11)
    turn = np.column_stack([np.cos(0.35 * t), 0 * t, -np.sin(0.35 * t), 0 * t])
    np.testing.assert_allclose(result.orientation.values, turn, atol=1e-11)


def test_as_a_free_robot_that_stays_in_the_plane() -> None:
    """The same accelerations as with a free base, whose motion across the plane nothing excites."""
    planar, free = hull("-y").model(), hull("-y")
    free["hull"]._draft.type, free["hull"]._draft.axes = "free", ()
    free._touched()
    spatial = free.model()
    q, v = np.array([0.0, 0.0, 0.0, 0.6]), np.array([0.3, -0.2, 0.5, 1.1])
    whole = np.concatenate([np.zeros(3), [1, 0, 0, 0], q[3:]])
    # x, z and the turn about -y in the axes of the free base
    carry = np.zeros((7, 4))
    carry[[0, 2, 6], [0, 1, 3]], carry[4, 2] = 1.0, -1.0
    found = planar.forward_dynamics(q, v, np.zeros(4))
    np.testing.assert_allclose(carry @ found, spatial.forward_dynamics(whole, carry @ v, np.zeros(7)), atol=1e-12)


def test_it_may_be_changed_and_carried_by_another_body() -> None:
    robot = hull("z").changed({"hull.axis": "-y"})
    np.testing.assert_array_equal(robot.model().pose("hull", np.zeros(4))[0], np.eye(3))
    other = robot.rerooting("weight")
    q, _ = other.convert([0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 3.0, 4.0])
    before, after = robot.model().pose("weight", [0.1, 0.2, 0.3, 0.4]), ld.Robot.from_description(other.description).model()
    for one, two in zip(before, after.pose("weight", q), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-13)
    with pytest.raises(ld.DescriptionError, match="leaves the plane"):
        hull("z").rerooting("weight")
