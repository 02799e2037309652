"""A wrong description fails with a sentence that names the thing and says what would be right: one test for each fault."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from locodyn.errors import DescriptionError, InputError
from locodyn.robot import Robot, RobotDescription, about_centre, validate
from locodyn.robot.description import parents_first


def arm() -> Robot:
    """A sound robot of two bodies."""
    robot = Robot("arm")
    base = robot.base("ground", moves="fixed")
    robot.body("link", mass=1.0, inertia=about_centre(xx=0.1, yy=0.1, zz=0.1)).on(base).turning("z")
    return robot


def fails(*words: str) -> Any:
    """The context in which a sentence with these words must be raised."""
    return pytest.raises(DescriptionError, match=".*".join(words))


def with_link(**changes: Any) -> RobotDescription:
    """The description of the arm with its second body changed, past the builder."""
    description = arm().description
    return replace(description, bodies=(description.bodies[0], replace(description.bodies[1], **changes)))


# ------------------------------------------------------------------------- names
def test_duplicate_body() -> None:
    with fails("'arm'", "already has a body 'link'"):
        arm().body("link")


def test_duplicate_body_in_a_description() -> None:
    with fails("2 bodies named 'ground'"):
        validate(with_link(name="ground"))


def test_duplicate_joint() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link").turning("z", name="link")
    with fails("2 joints named 'link'"):
        robot.compile()


def test_duplicate_marker() -> None:
    robot = arm()
    robot["link"].marker("tip")
    with fails("already has a marker 'tip'"):
        robot["ground"].marker("tip")


def test_marker_named_as_a_body() -> None:
    with fails("already has a body 'link'", "different names"):
        arm()["link"].marker("link")


def test_duplicate_wrench_law() -> None:
    robot = arm().wrench("drag", on="link", law=None)
    with fails("two wrench laws named 'drag'"):
        robot.wrench("drag", on="link", law=None)


def test_duplicate_coordinate() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link").turning("z").coordinates("link")
    with fails("2 coordinates named 'link'"):
        robot.compile()


def test_number_of_coordinate_names() -> None:
    robot = arm()
    robot["link"].coordinates("a", "b")
    with fails("Joint 'link' has 1 degrees of freedom, but 2 coordinate names"):
        robot.compile()


def test_empty_name() -> None:
    robot = Robot("x")
    robot.base("", moves="fixed")
    with fails("named ''", "not empty"):
        robot.compile()


# -------------------------------------------------------------------------- tree
def test_no_base() -> None:
    robot = Robot("x")
    with fails("'x' has no base", "robot.base"):
        robot.compile()


def test_no_base_in_a_description() -> None:
    with fails("'arm' has no base"):
        validate(replace(arm().description, bodies=(arm().description.bodies[1],)))


def test_two_bases() -> None:
    with fails("two bases, 'ground' and 'floor'", "one reference body"):
        arm().base("floor")


def test_two_bases_in_a_description() -> None:
    with fails("two bases, 'ground' and 'link'"):
        validate(with_link(parent=None))


def test_unknown_parent_suggests_the_nearest() -> None:
    robot = arm()
    robot.body("hand", mass=1.0).on("lnik").turning("z")
    with fails("'hand' is on 'lnik', which is not a body; did you mean 'link'"):
        robot.compile()


def test_body_without_parent() -> None:
    robot = arm()
    robot.body("hand", mass=1.0)
    with fails("'hand' has no parent", r"\.on\(parent\)"):
        robot.compile()


def test_body_without_joint() -> None:
    robot = arm()
    robot.body("hand", mass=1.0).on("link")
    with fails("'hand' is placed on 'link', but how it moves was not said", r"\.turning\(axis\)"):
        robot.compile()


def test_cycle() -> None:
    robot = arm()
    robot.body("a", mass=1.0).on("c").turning("z")
    robot.body("b", mass=1.0).on("a").turning("z")
    robot.body("c", mass=1.0).on("b").turning("z")
    with fails("'a' -> 'c' -> 'b' -> 'a'", "cycle", "tree"):
        robot.compile()


def test_two_parents() -> None:
    robot = arm()
    with fails("'link' is already on 'ground'", "one parent"):
        robot["link"].on("ground")


def test_two_joints() -> None:
    with fails("'link' already has a joint", "revolute"):
        arm()["link"].sliding("x")


def test_base_on_a_parent() -> None:
    with fails("'ground' is the base", "cannot have a parent"):
        arm()["ground"].on("link")


def test_base_with_a_joint() -> None:
    with fails("'ground' is the base", "moves="):
        arm()["ground"].turning("z")


def test_parent_of_another_robot() -> None:
    with fails("'hand'", "'link' of another robot"):
        Robot("other").body("hand").on(arm()["link"])


# ------------------------------------------------------------- singular mass matrix
def moving_end(**hand: Any) -> Robot:
    robot = arm()
    robot.body("hand", **hand).on("link", at=(0.3, 0.1, 0.2))
    return robot


@pytest.mark.parametrize("hand", [{}, {"mass": 1.0}, {"mass": 1.0, "centre": (0, 0, 0.5)}])
def test_moving_end_without_inertia(hand: dict[str, Any]) -> None:
    robot = moving_end(**hand)
    robot["hand"].turning("z")
    with fails("Nothing resists the motion of joint 'hand'", "singular", "body 'hand'", "armature", "massless_ok"):
        robot.compile()


def test_point_mass_on_a_ball_joint() -> None:
    robot = moving_end(mass=1.0, centre=(0, 0, 0.5))
    robot["hand"].ball()
    with fails("Nothing resists the motion of joint 'hand'"):
        robot.compile()


def test_two_coaxial_joints_around_a_massless_body() -> None:
    robot = moving_end()
    robot["hand"].turning("z")
    robot.body("tool", mass=1.0, inertia=np.eye(3)).on("hand").turning("z")
    with fails("Nothing resists the motion of joint 'hand'"):
        robot.compile()


def test_free_point_mass() -> None:
    robot = Robot("point")
    robot.base("point", mass=1.0)
    with fails("Nothing resists the motion of joint 'point'"):
        robot.compile()


def test_armature_makes_it_regular() -> None:
    robot = moving_end()
    robot["hand"].turning("z").actuator(armature=1e-4)
    assert robot.compile().nv == 2


def test_point_mass_off_the_axis_is_regular() -> None:
    robot = moving_end(mass=1.0, centre=(0.1, 0, 0))
    robot["hand"].turning("z")
    assert robot.compile().nv == 2


def test_massless_body_between_crossed_axes_is_regular() -> None:
    robot = moving_end()
    robot["hand"].turning("x")
    robot.body("tool", mass=1.0, inertia=np.eye(3)).on("hand").turning("y")
    assert robot.compile().nv == 3


def test_singular_in_one_posture_only_is_regular() -> None:
    robot = Robot("spherical pendulum")
    ground = robot.base("ground", moves="fixed")
    yaw = robot.body("yaw").on(ground).turning("z")
    robot.body("bob", mass=1.0, centre=(0, 0, -1)).on(yaw).turning("x")
    assert robot.compile().nv == 2


def test_massless_allowed() -> None:
    robot = Robot("steered", massless_ok=True)
    robot.body("wheel").on(robot.base("cart", mass=1.0, inertia=np.eye(3))).turning("z")
    assert robot.compile().nv == 7


# ---------------------------------------------------------------- names in use
def test_unknown_parameter_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no parameter 'link\.mas'; did you mean 'link\.mass'"):
        arm().changed({"link.mas": 1.0})


def test_wrong_value_fails_when_it_is_changed() -> None:
    with fails("The mass of body 'link' is -3 kg"):
        arm().changed({"link.mass": -3.0})


def test_unknown_body() -> None:
    with pytest.raises(InputError, match="no body 'lnik'; did you mean 'link'"):
        arm()["lnik"]
    with pytest.raises(InputError, match="no body 'lnik'"):
        arm().description.body("lnik")
    with pytest.raises(InputError, match="no body 'lnik'"):
        arm().compile().body_index("lnik")
    with pytest.raises(InputError, match="no body or marker 'lnik'"):
        arm().compile().point("lnik")


@pytest.mark.parametrize("moves", ["fixed", "spherical", "translating", "prismatic", "revolute"])
def test_other_reference_body_of_a_bound_robot(moves: str) -> None:
    robot = Robot("bound")
    base = robot.base("base", mass=1.0, inertia=np.eye(3), moves=moves)
    robot.body("link", mass=1.0, inertia=np.eye(3)).on(base).turning("z")
    with fails("cannot be carried by 'link'", f"'base' is {moves}", "only a free or planar robot"):
        robot.rerooted("link")


def test_other_reference_body_out_of_the_plane() -> None:
    robot = Robot("board")
    base = robot.base("base", mass=1.0, inertia=np.eye(3), moves="planar")
    robot.body("arm", mass=1.0, inertia=np.eye(3)).on(base).turning("x")
    with fails("'arm' cannot carry the robot", "joint 'arm' .revolute. leaves the plane"):
        robot.rerooted("arm")


def test_actuator_of_the_world_cannot_be_reversed() -> None:
    robot = Robot("x")
    base = robot.base("base", mass=1.0, inertia=np.eye(3)).actuator(viscous=1.0)
    robot.body("arm", mass=1.0, inertia=np.eye(3)).on(base).turning("x")
    with fails("the actuator between the world and 'base' would be lost"):
        robot.rerooted("arm")


def test_directed_actuator_cannot_be_reversed() -> None:
    robot = Robot("x")
    base = robot.base("base", mass=1.0, inertia=np.eye(3))
    robot.body("arm", mass=1.0, inertia=np.eye(3)).on(base).ball().actuator(viscous=(1.0, 2.0, 3.0))
    with fails("Joint 'arm' .spherical. cannot be reversed"):
        robot.rerooted("arm")


def test_symbols_need_object_arrays() -> None:
    sympy = pytest.importorskip("sympy")
    robot = arm().changed({"link.mass": sympy.Symbol("m")})
    with fails("'arm' has symbols", "dtype=object"):
        robot.compile()


def test_order_of_unreachable_bodies_is_left_to_the_check() -> None:
    assert [body.name for body in parents_first(with_link(parent="nobody").bodies)] == ["ground"]
