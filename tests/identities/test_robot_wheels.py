"""Wheels: what the words mean, where the compiled robot has them, how they turn, and that they survive every change."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from locodyn.errors import DescriptionError
from locodyn.robot import CompiledWheel, Pose, Robot, about_centre
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.frame_motion import adjoint, frame_poses, frame_twists, kinetic_energy
from random_robots import random_configuration, random_robot, random_rotation, random_velocity


def snakeboard() -> Robot:
    robot = Robot("snakeboard")
    board = robot.base("board", mass=2.0, inertia=about_centre(zz=0.076), moves="planar")
    for name, x in (("front", 0.2), ("rear", -0.2)):
        robot.body(name, mass=0.5, inertia=about_centre(zz=0.002)).on(board, at=(x, 0, 0)).turning("z").wheels(axis="y")
    return robot


def rover() -> Robot:
    """A free body with two wheels that are bodies, general axes, and one wheel of each other kind."""
    robot = Robot("rover")
    body = robot.base("body", mass=3.0, inertia=np.eye(3))
    frame = random_rotation(np.random.default_rng(5))
    axes = {"axis": frame[:, 1], "vertical": frame[:, 2]}
    body.wheel("left", at=(0.1, 0.3, -0.2), radius=0.15, mass=0.4, actuated=True, **axes)
    body.wheel("right", at=(0.1, -0.3, -0.2), radius=0.15, spin_inertia=0.01, across_inertia=0.02, **axes)
    body.wheel("front", at=(0.4, 0, -0.2), kind="steered", **axes)
    body.wheel("tail", at=(-0.4, 0, -0.2), kind="castor", **axes)
    body.wheel("side", at=(0, 0.4, -0.2), kind="omni", roller_angle=math.pi / 4, radius=0.1, actuated=True, **axes)
    return robot


def contact_velocity(compiled: CompiledRobot, wheel: CompiledWheel, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocity (3,) at the contact point of the body that carries a wheel: along heading, axle and vertical."""
    twist = frame_twists(compiled, q, v)[wheel.frame]
    velocity = twist[:3] + np.cross(twist[3:], wheel.point)
    return np.array([velocity @ wheel.heading, velocity @ wheel.axle, velocity @ wheel.vertical])


# ------------------------------------------------------------------------- words
def test_words() -> None:
    robot = Robot("cart")
    cart = robot.base("cart", mass=1.0, inertia=np.eye(3), moves="planar")
    returned = cart.wheel(at=(0.1, 0, 0), radius=0.05).wheel().wheels().skate().skate(along="-y").wheel("own", kind="castor")
    assert returned.name == "cart"
    names = [wheel.name for _, wheel in robot.description.wheels]
    assert names == ["cart.wheel", "cart.wheel_2", "cart.wheel_3", "cart.skate", "cart.skate_2", "own"]
    wheel = robot.description.bodies[0].wheels[0]
    assert (wheel.kind, wheel.radius, wheel.actuated, wheel.contact, wheel.coordinate) == ("fixed", 0.05, False, None, None)
    np.testing.assert_array_equal(wheel.heading, (1, 0, 0))
    np.testing.assert_array_equal(wheel.centre, (0.1, 0, 0.05))
    skate = robot.description.bodies[0].wheels[4]
    assert skate.kind == "skate" and skate.radius is None
    np.testing.assert_array_equal(skate.heading, (0, -1, 0))
    np.testing.assert_array_equal(skate.axle, (1, 0, 0))
    # a wheel without inertia is no body and no coordinate
    assert robot.compile().nv == 3 and [w.coordinate for w in robot.compile().wheels] == [-1] * 6


@pytest.mark.parametrize("seed", range(3))
def test_axes_are_right_handed(seed: int) -> None:
    frame = random_rotation(np.random.default_rng(seed))
    robot = Robot("x")
    robot.base("b", mass=1.0, inertia=np.eye(3)).wheel(axis=2.0 * frame[:, 1], vertical=frame[:, 2]).skate(
        along=3.0 * frame[:, 0], vertical=frame[:, 2]
    )
    for wheel in robot.description.bodies[0].wheels:
        np.testing.assert_allclose(np.column_stack([wheel.heading, wheel.axle, wheel.vertical]), frame, atol=1e-15)


def test_print() -> None:
    assert str(snakeboard()) == (
        "snakeboard: 3 bodies, 5 degrees of freedom (3 of the base), 3 kg, 2 wheels\n"
        "board       planar in the world   2 kg\n"
        "├── front   turns about z         0.5 kg, wheel front.wheel about y\n"
        "└── rear    turns about z         0.5 kg, wheel rear.wheel about y"
    )
    robot = Robot("cart")
    cart = robot.base("cart", mass=1.0, inertia=np.eye(3), moves="planar")
    cart.wheel("left", radius=0.05, actuated=True).wheel("tail", kind="castor", contact="law").skate("blade")
    cart.wheel("side", kind="omni", roller_angle=0.5, radius=0.1, mass=0.2)
    assert str(robot) == (
        "cart: 2 bodies, 4 degrees of freedom (3 of the base), 1.2 kg, 3 wheels, 1 skate\n"
        "cart       planar in the world   1 kg, driven wheel left about y of radius 0.05 m, castor tail with a contact law, "
        "skate blade along x, omni wheel side about y with rollers at 0.5 rad of radius 0.1 m\n"
        "└── side   turns about y         0.2 kg"
    )
    assert repr(robot).endswith("1.2 kg, 3 wheels, 1 skate>")


def test_wheels_are_immutable() -> None:
    wheel = snakeboard().description.bodies[1].wheels[0]
    with pytest.raises(FrozenInstanceError):
        wheel.radius = 1.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        wheel.at[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        snakeboard().compile().wheels[0].heading[0] = 2.0


# --------------------------------------------------------------------- compiled
@pytest.mark.parametrize("seed", range(5))
def test_compiled_wheels_are_where_they_were_put(seed: int) -> None:
    """On random trees: point and axes in the world, from the compiled frames and from the poses of the bodies."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 8)
    for i in range(8):
        frame = random_rotation(rng)
        robot[f"body_{i}"].wheel(at=rng.standard_normal(3), axis=frame[:, 1], vertical=frame[:, 2])
    compiled = robot.compile()
    frames = frame_poses(compiled, random_configuration(rng, compiled))
    assert len(compiled.wheels) == 8
    for wheel, (body, described) in zip(compiled.wheels, compiled.description.wheels, strict=True):
        assert (wheel.name, wheel.body) == (described.name, body.name)
        assert compiled.wheels[compiled.wheel_index(wheel.name)] is wheel
        frame_number, rotation, position = compiled.point(body.name)
        assert wheel.frame == frame_number
        pose = frames[wheel.frame] @ Pose(rotation, position)
        np.testing.assert_allclose(frames[wheel.frame].apply(wheel.point), pose.apply(described.at), atol=1e-12)
        for name in ("heading", "axle", "vertical"):
            own = frames[wheel.frame].rotation @ getattr(wheel, name)
            np.testing.assert_allclose(own, pose.rotation @ getattr(described, name), atol=1e-12)


def test_wheels_leave_the_arrays_of_the_kernels_alone() -> None:
    plain = Robot("x")
    plain.base("b", mass=1.0, inertia=np.eye(3))
    wheeled = Robot("x")
    wheeled.base("b", mass=1.0, inertia=np.eye(3)).wheel(radius=0.1, actuated=True).skate()
    for one, two in zip(plain.compile().kernel_arrays(), wheeled.compile().kernel_arrays(), strict=True):
        np.testing.assert_array_equal(one, two)


# -------------------------------------------------------------- wheels with inertia
def test_inertia_of_a_wheel() -> None:
    left, right = (rover().description.body(name).inertia for name in ("left", "right"))
    axle = rover().description.bodies[0].wheels[0].axle
    spin = 0.5 * 0.4 * 0.15**2
    np.testing.assert_allclose(left.tensor, spin * np.outer(axle, axle) + spin / 2 * (np.eye(3) - np.outer(axle, axle)))
    np.testing.assert_allclose(right.tensor, 0.01 * np.outer(axle, axle) + 0.02 * (np.eye(3) - np.outer(axle, axle)))
    assert left.mass == 0.4 and right.mass == 0.0
    np.testing.assert_array_equal(left.centre, np.zeros(3))


@pytest.mark.parametrize("name", ["left", "right"])
def test_rolling_forward_is_positive(name: str) -> None:
    """A rate of v / radius about the axle keeps the rim at rest on the ground while the body moves with v along the heading."""
    compiled = rover().compile()
    wheel = compiled.wheels[compiled.wheel_index(name)]
    assert compiled.coordinate_names[wheel.coordinate] == name
    q, v = np.array(compiled.neutral), np.zeros(compiled.nv)
    q[compiled.position_index(name)] = 0.7
    v[:3] = 0.6 * wheel.heading
    v[wheel.coordinate] = 0.6 / wheel.radius
    poses, twists = frame_poses(compiled, q), frame_twists(compiled, q, v)
    frame, rotation, position = compiled.point(name)
    own = poses[frame] @ Pose(rotation, position)
    twist = adjoint(Pose(rotation, position).inverse()) @ twists[frame]
    ground = own.inverse().apply(poses[wheel.frame].apply(wheel.point))  # the contact point in the frame of the wheel's body
    np.testing.assert_allclose(np.linalg.norm(ground), wheel.radius, rtol=1e-14)
    np.testing.assert_allclose(twist[:3] + np.cross(twist[3:], ground), np.zeros(3), atol=1e-14)


def test_own_body_of_a_wheel_bears_what_bodies_bear() -> None:
    robot = rover()
    robot["left"].actuator(viscous=0.1).marker("valve", at=(0, 0, 0.1))
    compiled = robot.compile()
    assert "valve" in compiled.marker_names and compiled.nv == 8
    assert [wheel.coordinate for wheel in compiled.wheels] == [6, 7, -1, -1, -1]


# ------------------------------------------------------------- copies and changes
def test_changed() -> None:
    robot = snakeboard()
    changed = robot.changed({"front.wheel.at": (0.01, 0, 0), "front.wheel.radius": 0.03, "rear.wheel.axis": (1, 1, 0)})
    front, rear = (changed.description.body(name).wheels[0] for name in ("front", "rear"))
    assert front.radius == 0.03 and front.at[0] == 0.01
    np.testing.assert_allclose(rear.heading, np.array([1, -1, 0]) / math.sqrt(2))
    assert robot.description.body("front").wheels[0].radius is None
    assert "front.wheel.radius" in robot.parameters and "front.wheel.mass" not in robot.parameters
    skate = Robot("x")
    skate.base("b", mass=1.0, inertia=np.eye(3)).skate()
    np.testing.assert_array_equal(skate.changed({"b.skate.along": "y"}).compile().wheels[0].heading, (0, 1, 0))
    assert skate.changed({"b.skate.contact": "law"}).compile().wheels[0].contact == "law"


def test_changed_wheel_takes_its_body_along() -> None:
    robot = rover()
    bigger = robot.changed({"left.radius": 0.3, "left.at": (1, 2, 3), "left.mass": 2.0}).description
    wheel, body = bigger.bodies[0].wheels[0], bigger.body("left")
    np.testing.assert_allclose(body.joint.parent_offset.position, np.array([1, 2, 3]) + 0.3 * wheel.vertical)
    assert body.inertia.mass == 2.0
    np.testing.assert_allclose(wheel.axle @ body.inertia.tensor @ wheel.axle, 0.5 * 2.0 * 0.3**2)
    # also a robot made from a description, whose wheel keeps the inertia that it has
    again = Robot.from_description(robot.description).changed({"left.radius": 0.3}).description
    np.testing.assert_allclose(again.body("left").joint.parent_offset.position, np.array([0.1, 0.3, -0.2]) + 0.3 * wheel.vertical)
    np.testing.assert_array_equal(again.body("left").inertia.tensor, robot.description.body("left").inertia.tensor)


def test_from_description() -> None:
    robot = rover()
    robot["body"].skate("blade", along=(1, 1, 0), contact="law")
    one, two = robot.compile(), Robot.from_description(robot.description).compile()
    for first, second in zip(one.wheels, two.wheels, strict=True):
        for key, value in vars(first).items():
            if isinstance(value, np.ndarray):
                np.testing.assert_allclose(getattr(second, key), value, atol=1e-15)
            else:
                assert getattr(second, key) == value
    assert str(robot) == str(Robot.from_description(robot.description))


# ------------------------------------------------------------------- re-rooting
@pytest.mark.parametrize("target", ["body", "left", "right", "arm"])
def test_rerooting_keeps_the_wheels(target: str) -> None:
    """Another reference body, also a wheel itself: the same velocities at the contacts, the same rates, the same energy."""
    rng = np.random.default_rng(3)
    robot = rover()
    robot.body("arm", mass=1.0, inertia=np.eye(3)).on("body", at=(0, 0, 0.5)).ball()
    robot["arm"].wheel("hand", at=(0.1, 0.2, 0.3))
    rerooting = robot.rerooting(target)
    before, after = rerooting.before, robot.rerooted(target).compile()
    q, v = random_configuration(rng, before), random_velocity(rng, before)
    new_q, new_v = rerooting.convert(q, v)
    assert kinetic_energy(after, new_q, new_v) == pytest.approx(kinetic_energy(before, q, v))
    assert {wheel.name for wheel in after.wheels} == {wheel.name for wheel in before.wheels}
    for wheel in before.wheels:
        other = after.wheels[after.wheel_index(wheel.name)]
        assert other.body == wheel.body
        np.testing.assert_allclose(
            contact_velocity(after, other, new_q, new_v), contact_velocity(before, wheel, q, v), atol=1e-12
        )
        if wheel.coordinate >= 0:
            assert new_v[other.coordinate] == v[wheel.coordinate]


def test_radius_of_a_wheel_that_carries_the_robot() -> None:
    with pytest.raises(DescriptionError, match="does not go through the centre"):
        rover().rerooted("left").changed({"left.radius": 0.3})


# ---------------------------------------------------------------------- symbols
def test_symbols() -> None:
    sympy = pytest.importorskip("sympy")
    a, r, m, delta = sympy.symbols("a R m delta")
    robot = Robot("symbolic")
    base = robot.base("cart", mass=m, moves="planar")
    base.wheel("w", at=(a, 0, 0), radius=r, mass=m).wheel("o", kind="omni", radius=r, roller_angle=delta)
    robot.body("truck", mass=m).on(base, at=(2 * a, 0, 0)).turning("y").wheel("t", at=(a, 0, -r), axis="x")
    with pytest.raises(DescriptionError, match="symbols"):
        robot.compile()
    compiled = robot.compile(object)
    w, o, t = compiled.wheels
    assert list(w.point) == [a, 0, 0] and w.radius == r and o.roller_angle == delta
    assert not any(isinstance(x, float) for wheel in (w, o, t) for x in (*wheel.point, *wheel.heading, *wheel.axle))
    body = robot.description.body("w")
    assert list(body.joint.parent_offset.position) == [a, 0, r]
    assert sympy.simplify(body.inertia.tensor[1, 1] - m * r**2 / 2) == 0
    assert sympy.simplify(body.inertia.tensor[0, 0] - m * r**2 / 4) == 0
    assert robot.changed({"w.radius": 0.1, "w.mass": 1.0}).description.body("w").inertia.tensor[1, 1] == pytest.approx(0.005)
    assert f"of radius {r} m" in str(robot)


@pytest.mark.parametrize("name", ["w.at", "w.radius", "w.roller_angle"])
def test_each_symbol_is_noticed(name: str) -> None:
    sympy = pytest.importorskip("sympy")
    x = sympy.Symbol("x")
    robot = Robot("symbolic")
    robot.base("cart", mass=1.0, inertia=np.eye(3)).wheel("w", kind="omni")
    with pytest.raises(DescriptionError, match="symbols"):
        robot.changed({name: (x, 0, 0) if name == "w.at" else x}).compile()
