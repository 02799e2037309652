"""A wrong wheel, skate or closed loop fails with a sentence: one test for each fault."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from input.test_description_errors import fails
from locodyn.errors import InputError
from locodyn.robot import Loop, Robot, RobotDescription, Wheel, about_centre, validate


def cart() -> Robot:
    """A sound robot: a cart that carries an arm of two links and a mast that is fixed to it."""
    robot = Robot("cart")
    base = robot.base("cart", mass=1.0, inertia=np.eye(3), moves="planar")
    robot.body("upper", mass=1.0, inertia=np.eye(3)).on(base).turning("z").marker("elbow", at=(0.3, 0, 0))
    robot.body("lower", mass=1.0, inertia=np.eye(3)).on("upper", at=(0.3, 0, 0)).turning("z").marker("tip", at=(0.2, 0, 0))
    robot.body("mast", mass=1.0).on(base, at=(-0.2, 0, 0)).fixed()
    return robot


def with_wheel(wheel: Wheel) -> RobotDescription:
    """The description of the cart with a wheel, past the builder."""
    description = cart().description
    return replace(description, bodies=(replace(description.bodies[0], wheels=(wheel,)), *description.bodies[1:]))


def with_loop(**values: Any) -> RobotDescription:
    """The description of the cart with a loop, past the builder."""
    loop = {"name": "pin", "type": "revolute", "first": "lower", "second": "cart", **values}
    return replace(cart().description, loops=(Loop(**loop),))


# ------------------------------------------------------------------------ wheels
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"axis": None}, ("Wheel 'w' has no axle", "axis='y'")),
        ({"axis": (0, 0, 0)}, ("The axle of wheel 'w' is zero",)),
        ({"axis": "w"}, ("The axle of wheel 'w' is 'w'", "x, y, z")),
        ({"axis": (0, math.nan, 1)}, ("The axle of wheel 'w'", "finite")),
        ({"axis": "z"}, ("The axle of wheel 'w' is parallel to its vertical",)),
        ({"axis": "-z"}, ("The axle of wheel 'w' is parallel to its vertical",)),
        ({"axis": "x", "vertical": "x"}, ("The axle of wheel 'w' is parallel to its vertical",)),
        ({"axis": (0, 1, 1)}, ("The axle of wheel 'w' makes 45 degrees with its vertical", "perpendicular")),
        ({"vertical": (0, 0, 0)}, ("The vertical of wheel 'w' is zero",)),
        ({"at": (0, 0)}, ("The contact point of wheel 'w' must have 3 numbers",)),
        ({"at": (0, 0, math.inf)}, ("The contact point of wheel 'w'", "finite")),
        ({"radius": 0.0}, ("The radius of wheel 'w' is 0 m, but it must be positive",)),
        ({"radius": -0.1}, ("The radius of wheel 'w' is -0.1 m, but it must be positive",)),
        ({"radius": math.nan}, ("The radius of wheel 'w' is nan", "finite")),
        ({"radius": "big"}, ("The radius of wheel 'w' is 'big'", "not a number")),
        ({"kind": "fixt"}, ("Wheel 'w' on 'cart' is of the kind 'fixt', which is not known; did you mean 'fixed'",)),
        ({"actuated": True}, ("Wheel 'w' is actuated, but it has no radius",)),
        ({"actuated": True, "radius": 0.1, "kind": "castor"}, ("'w' is a castor", "a castor cannot be actuated", "'steered'")),
        ({"actuated": True, "kind": "castor"}, ("a castor cannot be actuated",)),
        ({"radius": 0.1, "kind": "skate"}, ("Skate 'w' does not roll",)),
        ({"roller_angle": 0.5}, ("Wheel 'w' has a roller angle, but only an omni wheel has rollers",)),
        ({"roller_angle": math.nan, "kind": "omni"}, ("The roller angle of wheel 'w' is nan", "finite")),
        ({"roller_angle": math.pi / 2, "kind": "omni"}, ("Omni wheel 'w' has the roller angle 1.5708", "between -pi/2 and pi/2")),
        ({"mass": 1.0}, ("Wheel 'w' has inertia, but no radius",)),
        ({"mass": 1.0, "radius": 0.1, "kind": "steered"}, ("Steered wheel 'w' cannot be a body", "turns about the vertical")),
        ({"mass": 1.0, "radius": 0.1, "kind": "castor"}, ("Castor 'w' cannot be a body",)),
        ({"mass": "heavy", "radius": 0.1}, ("The mass of wheel 'w' is 'heavy'", "not a number")),
        ({"mass": 1.0, "radius": 0.1, "spin_inertia": "much"}, ("The spin inertia of wheel 'w' is 'much'",)),
    ],
)
def test_wrong_wheel_fails_where_it_is_given(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    robot = cart()
    with fails(*words):
        robot["cart"].wheel("w", **arguments)
    # nothing of it has stayed
    assert robot.bodies == cart().bodies and not list(robot.description.wheels)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mass": -1.0}, ("The mass of body 'w' is -1 kg", "negative")),
        ({"spin_inertia": -1.0}, ("The inertia of body 'w'", "not positive")),
        ({"spin_inertia": 3.0, "across_inertia": 1.0}, ("The inertia of body 'w' violates the triangle inequality",)),
        ({"mass": 0.0}, ("Nothing resists the motion of joint 'w'",)),
    ],
)
def test_impossible_inertia_of_a_wheel(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    robot = cart()
    robot["cart"].wheel("w", radius=0.1, **arguments)
    with fails(*words):
        robot.compile()


@pytest.mark.parametrize("along", ["z", (1, 0, 1)])
def test_skate_not_along_the_ground(along: Any) -> None:
    with fails("direction of skate 's' must be perpendicular to its vertical"):
        cart()["cart"].skate("s", along=along)


def test_skate_without_direction() -> None:
    with fails("The direction of skate 's' is zero"):
        cart()["cart"].skate("s", along=(0, 0, 0))


@pytest.mark.parametrize("other", ["cart", "upper"])
def test_duplicate_wheel(other: str) -> None:
    robot = cart()
    robot["cart"].wheel("w")
    with fails("already has a wheel 'w'", "different names"):
        robot[other].wheel("w")


def test_wheel_named_as_something_else() -> None:
    robot = cart()
    with fails("already has a marker 'tip'"):
        robot["cart"].wheel("tip")
    with fails("already has a body 'upper'"):
        robot["cart"].skate("upper")
    robot["cart"].wheel("w")
    with fails("already has a wheel 'w'"):
        robot.body("w")
    with fails("already has a wheel 'w'"):
        robot["cart"].marker("w")


def test_duplicate_wheel_in_a_description() -> None:
    description = with_wheel(Wheel("w"))
    second = replace(description.bodies[1], wheels=(Wheel("w"),))
    with fails("2 wheels named 'w'"):
        validate(replace(description, bodies=(description.bodies[0], second, *description.bodies[2:])))


@pytest.mark.parametrize(("name", "what"), [("tip", "marker"), ("upper", "body"), ("bend", "coordinate"), ("hinge", "joint")])
def test_wheel_named_as_something_else_in_a_description(name: str, what: str) -> None:
    robot = cart()
    robot["lower"].coordinates("bend")
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("lower").turning("z", name="hinge")
    bodies = robot.description.bodies
    with fails(f"has a {what} and a wheel named '{name}'"):
        validate(replace(robot.description, bodies=(replace(bodies[0], wheels=(Wheel(name),)), *bodies[1:])))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"axle": np.zeros(3)}, ("The axle of wheel 'w' is zero", "'y'")),
        ({"axle": np.array([0.0, 2.0, 0.0])}, ("axle and the vertical of wheel 'w' must be unit vectors",)),
        ({"axle": np.array([0.0, 1.0])}, ("The axle of wheel 'w' must have 3 numbers",)),
        ({"coordinate": "w", "radius": 0.1}, ("turns by the joint 'w', which is not a joint",)),
        ({"coordinate": "lower", "radius": 0.1}, ("turns by the joint 'lower'", "between 'cart' and the wheel")),
        ({"coordinate": "mast", "radius": 0.1}, ("turns by the joint 'mast'", "revolute")),
        ({"coordinate": "upper", "radius": 0.1}, ("turns by the joint 'upper'", "not the axle")),
    ],
)
def test_wrong_wheel_in_a_description(values: dict[str, Any], words: tuple[str, ...]) -> None:
    with fails(*words):
        validate(with_wheel(Wheel("w", **values)))


def test_joint_that_misses_the_centre_of_the_wheel() -> None:
    robot = cart()
    robot["cart"].wheel("w", radius=0.1, mass=1.0)
    bodies = robot.description.bodies
    wheel = replace(bodies[0].wheels[0], radius=0.2)
    with fails("Wheel 'w' on 'cart' turns by the joint 'w'", "does not go through the centre"):
        validate(replace(robot.description, bodies=(replace(bodies[0], wheels=(wheel,)), *bodies[1:])))


def test_changes_of_a_wheel() -> None:
    robot = cart()
    robot["cart"].wheel("w", radius=0.1).skate("s")
    with fails("The radius of wheel 'w' is -1 m"):
        robot.changed({"w.radius": -1.0})
    with pytest.raises(InputError, match=r"no parameter 'w\.radus'; did you mean 'w\.radius'"):
        robot.changed({"w.radus": 1.0})
    with pytest.raises(InputError, match=r"no parameter 's\.radius'"):
        robot.changed({"s.radius": 1.0})
    with pytest.raises(InputError, match=r"no parameter 'w\.mass'"):
        robot.changed({"w.mass": 1.0})
    with pytest.raises(InputError, match="no wheel 'v'; known: w, s"):
        robot.compile().wheel_index("v")


# ------------------------------------------------------------------------- loops
def test_duplicate_loop() -> None:
    robot = cart().loop("pin", "tip", "cart")
    with fails("two loops named 'pin'"):
        robot.loop("pin", "tip", "cart")


@pytest.mark.parametrize("end", ["lower", "tip"])
def test_loop_of_a_body_with_itself(end: str) -> None:
    with fails("Loop 'pin' joins 'lower' with itself"):
        cart().loop("pin", "lower", end).compile()


def test_loop_of_the_world_with_itself() -> None:
    with fails("Loop 'pin' joins the world with itself"):
        cart().loop("pin", "world", "world").compile()


def test_loop_without_relative_motion() -> None:
    with fails("Loop 'pin' joins 'cart' and 'mast', which are fixed to each other", "no relative motion"):
        cart().loop("pin", "cart", "mast").compile()


def test_loop_from_a_fixed_base_to_the_world() -> None:
    robot = Robot("bench")
    base = robot.base("bench", moves="fixed")
    robot.body("post", mass=1.0).on(base).fixed()
    with fails("Loop 'pin' joins 'post' and the world, which are fixed to each other"):
        robot.loop("pin", "post", "world").compile()


@pytest.mark.parametrize("ends", [("tpi", "cart"), ("cart", "tpi")])
def test_loop_with_an_unknown_end(ends: tuple[str, str]) -> None:
    with fails("Loop 'pin' joins 'tpi', which is not a body or marker; did you mean 'tip'"):
        cart().loop("pin", *ends).compile()


def test_loop_with_an_unknown_joint() -> None:
    with fails("Loop 'pin' is closed by a joint of the type 'revolut', which is not known; did you mean 'revolute'"):
        cart().loop("pin", "tip", "cart", joint="revolut").compile()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"axis": (0, 0, 0)}, ("The axis of loop 'pin' is zero",)),
        ({"axis": "w"}, ("The axis of loop 'pin' is 'w'",)),
        ({"first_at": (0, 0)}, ("loop 'pin' on its first end", "3 numbers")),
        ({"second_turned": 0.3}, ("loop 'pin' on its second end", "a rotation is")),
        ({"at": (0, 0, 0)}, ("Loop 'pin' has a place in the world", "neither of its ends is 'world'", "first_at=")),
    ],
)
def test_wrong_loop_fails_where_it_is_given(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    robot = cart()
    with fails(*words):
        robot.loop("pin", "tip", "cart", **arguments)
    assert not robot.description.loops


def test_loop_placed_twice() -> None:
    with fails("Loop 'pin' has two places in the world", "at=", "second_at="):
        cart().loop("pin", "tip", "world", at=(1, 0, 0), second_at=(1, 0, 0))


def test_loop_with_a_place_that_is_not_finite() -> None:
    with fails("loop 'pin' on its first end", "finite"):
        cart().loop("pin", "tip", "cart", first_at=(0, math.nan, 0)).compile()


def test_axis_of_another_length_in_a_description() -> None:
    with fails("The axis of loop 'pin' must be a unit vector"):
        validate(with_loop(axis=np.array([0.0, 0.0, 2.0])))


def test_end_of_another_robot() -> None:
    other = Robot("other").base("upper", mass=1.0, inertia=about_centre(zz=1.0))
    with fails("Loop 'pin' joins 'upper' of another robot, 'other'"):
        cart().loop("pin", other, "lower")


def test_unknown_loop() -> None:
    with pytest.raises(InputError, match="no loop 'pni'; did you mean 'pin'"):
        cart().loop("pin", "tip", "cart").compile().loop_index("pni")


@pytest.mark.parametrize(
    ("factors", "words"),
    [
        ({"lower": 1}, ("Coupling 'gear' holds 1 joint", "two or more")),
        ({"lower": 1, "uper": 2}, ("Coupling 'gear' holds joint 'uper', which the robot does not have",)),
        ({"lower": 1, "cart": 2}, ("Coupling 'gear' holds joint 'cart'", "planar", "one axis")),
        ({"lower": 1, "upper": 0}, ("The factor of 'upper' in coupling 'gear' is 0", "must not be 0")),
    ],
)
def test_wrong_coupling(factors: dict[str, float], words: tuple[str, ...]) -> None:
    with fails(*words):
        cart().coupling("gear", factors).compile()


def test_coupling_that_is_none() -> None:
    with fails("The factor of 'lower' in coupling 'gear' must be numbers, not 'two'"):
        cart().coupling("gear", {"lower": "two", "upper": 1})  # type: ignore[dict-item]
    with fails("The factors of coupling 'gear' are", "lower", "joint: number"):
        cart().coupling("gear", ("lower", "upper"))  # type: ignore[arg-type]
    with fails("two couplings named 'gear'"):
        cart().coupling("gear", {"lower": 1, "upper": 1}).coupling("gear", {"lower": 1, "upper": 2})
