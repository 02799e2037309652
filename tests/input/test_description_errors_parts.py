"""A wrong part fails with a sentence: inertias, joints, poses, actuators, laws; one test for each fault."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from input.test_description_errors import arm, fails, with_link
from locodyn.robot import Box, Cylinder, Mesh, Pose, Robot, about_centre, about_origin, validate


# ----------------------------------------------------------------------- numbers
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mass": -1.0}, ("The mass of body 'hand' is -1 kg", "negative")),
        ({"mass": math.nan}, ("The mass of body 'hand' is nan", "finite")),
        ({"mass": math.inf}, ("The mass of body 'hand' is inf", "finite")),
        ({"mass": 1.0, "centre": (0, math.nan, 0)}, ("The centre of body 'hand'", "nan", "finite")),
        ({"mass": 1.0, "inertia": np.full((3, 3), np.nan)}, ("The inertia of body 'hand'", "finite")),
        ({"mass": 1.0, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, ("inertia of body 'hand' is not symmetric",)),
        ({"mass": 1.0, "inertia": np.diag([-0.1, 1.0, 1.0])}, ("inertia of body 'hand'", "not positive", "-0.1")),
        ({"mass": 1.0, "inertia": np.diag([1.0, 1.0, 2.1])}, ("'hand' violates the triangle inequality", "2.1", "no body can")),
        ({"mass": 1.0, "centre": (1, 0, 0), "inertia": about_origin(zz=0.5)}, ("inertia of body 'hand'", "not positive", "-0.5")),
    ],
)
def test_impossible_inertia(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    robot = arm()
    robot.body("hand", **arguments).on("link").turning("z")
    with fails(*words):
        robot.compile()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mass": "heavy"}, ("The mass of body 'hand' is 'heavy'", "not a number")),
        ({"mass": True}, ("The mass of body 'hand' is True", "not a number")),
        ({"mass": 1.0, "centre": (0, 0)}, ("The centre of body 'hand' must have 3 numbers, but 2",)),
        ({"mass": 1.0, "inertia": (1, 2, 3)}, ("inertia of body 'hand' must have 3 x 3 numbers, but 3",)),
        ({"mass": 1.0, "inertia": [[1, 2], [3]]}, ("inertia of body 'hand' must",)),
        ({"mass": 1.0, "density": 1.0, "shape": Box((1, 1, 1))}, ("'hand' has a mass and a density", "one of them")),
        ({"density": 1.0}, ("'hand' has a density but no shape",)),
        ({"mass": 1.0, "shape": "box"}, ("The shape of body 'hand'", "must be a shape")),
        ({"mass": 1.0, "shape": Mesh("hand.stl")}, ("mesh has no inertia", "give the inertia")),
    ],
)
def test_wrong_value_fails_where_it_is_given(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    with fails(*words):
        arm().body("hand", **arguments)


def test_two_of_three_moments() -> None:
    with fails("about_centre", "all of xx, yy, zz, or one of them alone"):
        about_centre(xx=1.0, zz=1.0)


def test_matrix_and_moments() -> None:
    with fails("about_origin", "not both"):
        about_origin(np.eye(3), zz=1.0)


@pytest.mark.parametrize("make", [lambda: Box((1, -1, 1)), lambda: Cylinder(0.0, 1.0), lambda: Cylinder(1.0, math.nan)])
def test_shape_without_extent(make: Any) -> None:
    with fails("positive length"):
        make()


# ------------------------------------------------------------------------ joints
def test_zero_axis() -> None:
    with fails("The axis of joint 'hand' is zero", "'z'"):
        arm().body("hand").on("link").turning((0, 0, 0))


def test_zero_axis_in_a_description() -> None:
    joint = arm().description.bodies[1].joint
    with fails("The axis of joint 'link' is zero"):
        validate(with_link(joint=replace(joint, axes=(np.zeros(3),))))


def test_axis_of_another_length_in_a_description() -> None:
    joint = arm().description.bodies[1].joint
    with fails("The axis of joint 'link' has the length 2"):
        validate(with_link(joint=replace(joint, axes=(np.array([0.0, 0.0, 2.0]),))))


def test_number_of_axes_in_a_description() -> None:
    joint = arm().description.bodies[1].joint
    with fails("Joint 'link' .revolute. needs 1 axes, but 0"):
        validate(with_link(joint=replace(joint, axes=())))


def test_unknown_axis() -> None:
    with fails("The axis of joint 'hand' is 'w'", "x, y, z"):
        arm().body("hand").on("link").turning("w")


def test_axis_of_two_numbers() -> None:
    with fails("The axis of joint 'hand' must have 3 numbers"):
        arm().body("hand").on("link").turning((0, 1))


def test_axis_not_finite() -> None:
    with fails("The axis of joint 'hand'", "finite"):
        arm().body("hand").on("link").turning((0, 1, math.nan))


def test_parallel_axes_of_a_universal_joint() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link").universal("x", "-x")
    with fails("universal joint 'hand' are parallel"):
        robot.compile()


def test_unknown_motion_of_the_base() -> None:
    with fails("The base 'board' moves 'plannar'", "did you mean 'planar'"):
        Robot("x").base("board", moves="plannar")


def test_unknown_type_in_a_description() -> None:
    joint = arm().description.bodies[1].joint
    with fails("Joint 'link' has the type 'revolut'", "did you mean 'revolute'"):
        validate(with_link(joint=replace(joint, type="revolut")))


def test_reference_joint_that_is_no_group() -> None:
    description = arm().description
    ground = description.bodies[0]
    wrong = replace(ground, joint=replace(ground.joint, type="universal"))
    with fails("The base 'ground' cannot move by a universal joint"):
        validate(replace(description, bodies=(wrong, description.bodies[1])))


def test_pitch_not_finite() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link").screwing("x", pitch=math.inf)
    with fails("The pitch of joint 'hand' is inf"):
        robot.compile()


# ------------------------------------------------------------------------- poses
def test_position_of_two_numbers() -> None:
    with fails("The place of body 'hand'", "position must have 3 numbers, but 2"):
        arm().body("hand").on("link", at=(1, 0))


def test_position_not_finite() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link", at=(0, 0, math.inf)).turning("z")
    with fails("joint 'hand' on its parent", "position", "finite"):
        robot.compile()


def test_rotation_not_orthonormal() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link", turned=1.1 * np.eye(3)).turning("z")
    with fails("joint 'hand' on its parent", "not orthonormal"):
        robot.compile()


def test_rotation_that_mirrors() -> None:
    robot = arm()
    robot["link"].marker("tip", turned=np.diag([1.0, 1.0, -1.0]))
    with fails("Marker 'tip'", "mirrors", "right-handed"):
        robot.compile()


def test_quaternion_of_another_length() -> None:
    with fails("quaternion of length 2"):
        arm().body("hand").on("link", turned=(2, 0, 0, 0))


@pytest.mark.parametrize("turned", [0.3, (0.1, 0.2, 0.3), "z"])
def test_unknown_rotation(turned: Any) -> None:
    with fails("a rotation is a 3 x 3 matrix, a quaternion"):
        arm().body("hand").on("link", turned=turned)


def test_angle_not_finite() -> None:
    with fails("angle must be a finite number of radians"):
        arm().body("hand").on("link", turned=("z", math.nan))


def test_pose_of_the_wrong_size() -> None:
    with fails("position of a pose must have 3 numbers"):
        Pose(position=(1, 2))


# ------------------------------------------------------------- actuators and laws
@pytest.mark.parametrize("name", ["torque_limit", "armature", "viscous", "coulomb"])
def test_negative_actuator_value(name: str) -> None:
    robot = arm()
    robot["link"].actuator(**{name: -1.0})
    with fails(f"The {name} of joint 'link' is -1, but it must not be negative"):
        robot.compile()


@pytest.mark.parametrize("name", ["torque_limit", "armature", "gear", "viscous", "coulomb", "coulomb_speed", "stiffness", "rest"])
def test_actuator_value_not_a_number(name: str) -> None:
    robot = arm()
    robot["link"].actuator(**{name: math.nan})
    with fails(f"The {name} of joint 'link' is nan"):
        robot.compile()


def test_coulomb_speed_of_zero() -> None:
    robot = arm()
    robot["link"].actuator(coulomb=1.0, coulomb_speed=0.0)
    with fails("The coulomb_speed of joint 'link' is 0, but it must be positive"):
        robot.compile()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"torque_limit": 2.0, "no_load_speed": 0.0}, "The no_load_speed of joint 'link' is 0, but it must be positive"),
        ({"torque_limit": 2.0, "no_load_speed": math.nan}, "The no_load_speed of joint 'link' is nan"),
        ({"no_load_speed": 5.0}, "The drive of joint 'link' has a no_load_speed, but no torque_limit that could fade: give both"),
    ],
)
def test_no_load_speed(values: dict[str, float], words: str) -> None:
    robot = arm()
    robot["link"].actuator(**values)
    with fails(words):
        robot.compile()


def test_unknown_actuator_value() -> None:
    with fails("An actuator has no 'armatur'; did you mean 'armature'"):
        arm()["link"].actuator(armatur=1.0)


def test_actuator_on_a_fixed_joint() -> None:
    robot = arm()
    robot.body("hand", mass=1.0).on("link").fixed().actuator(armature=1.0)
    with fails("Joint 'hand' is fixed, but it has an actuator"):
        robot.compile()


def test_number_of_actuator_values() -> None:
    robot = arm()
    robot["link"].actuator(viscous=(1.0, 2.0))
    with fails("viscous of the actuator of joint 'link' has 2 values, but the joint has 1"):
        robot.compile()


@pytest.mark.parametrize("kind", ["planar", "free"])
def test_spring_without_a_position(kind: str) -> None:
    robot = arm()
    getattr(robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link"), kind)().actuator(stiffness=1.0)
    with fails(f"Joint 'hand' .{kind}. has a stiffness", "wrench law"):
        robot.compile()


def test_rest_of_a_ball_joint() -> None:
    robot = arm()
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link").ball().actuator(stiffness=1.0, rest=0.1)
    with fails("The rest of joint 'hand' is 0.1", "ball joint rests at its zero"):
        robot.compile()


def test_wrench_law_on_an_unknown_body() -> None:
    robot = arm().wrench("drag", on="lnik", law=None)
    with fails("Wrench law 'drag' acts on 'lnik', which is not a body; did you mean 'link'"):
        robot.compile()
