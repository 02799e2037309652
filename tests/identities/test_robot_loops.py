"""Closed loops: their rows forbid exactly what the joint forbids, between any frames, and survive every change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from locodyn.errors import DescriptionError
from locodyn.robot import CompiledLoop, Loop, Pose, Robot, about_centre, rotation_about
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.frame_motion import adjoint, frame_poses, frame_twists
from locodyn.robot.joint import KINDS
from locodyn.robot.loop import LOOP_JOINTS
from random_robots import ALL, random_configuration, random_inertia, random_robot, random_rotation, random_unit, random_velocity


def four_bar() -> Robot:
    robot = Robot("four-bar")
    ground = robot.base("ground", moves="fixed")
    robot.body("crank", mass=0.5, inertia=about_centre(zz=4e-4)).on(ground).turning("z")
    robot.body("coupler", mass=1.0, inertia=about_centre(zz=7e-3)).on("crank", at=(0.1, 0, 0)).turning("z")
    robot.body("rocker", mass=0.8, inertia=about_centre(zz=4e-3)).on(ground, at=(0.3, 0, 0)).turning("z")
    robot["coupler"].marker("tip", at=(0.3, 0, 0))
    return robot.loop("pin", "tip", "rocker", second_at=(0.25, 0, 0))


def relative_motion(compiled: CompiledRobot, loop: CompiledLoop, q: np.ndarray, v: np.ndarray) -> tuple[Pose, np.ndarray]:
    """Pose (second in first) and twist (6,) of the second joint frame relative to the first, in the axes of the first."""
    poses, twists = frame_poses(compiled, q), frame_twists(compiled, q, v)
    ends = []
    for frame, rotation, position in (
        (loop.first_frame, loop.first_rotation, loop.first_position),
        (loop.second_frame, loop.second_rotation, loop.second_position),
    ):
        within = Pose(rotation, position)
        pose = within if frame < 0 else poses[frame] @ within
        ends.append((pose, np.zeros(6) if frame < 0 else adjoint(within.inverse()) @ twists[frame]))
    (first, first_twist), (second, second_twist) = ends
    relative = first.inverse() @ second
    twist = second_twist - adjoint(relative.inverse()) @ first_twist
    return relative, np.concatenate([relative.rotation @ twist[:3], relative.rotation @ twist[3:]])


def tree_with_a_loop_on_its_joint(kind: str, rng: np.random.Generator, axis: Any) -> Robot:
    """A free body, another on it by a joint of this type, and a loop of the same type between the same two frames."""
    robot = Robot(kind)
    robot.base("one", **random_inertia(rng))
    place = {"at": rng.standard_normal(3), "turned": random_rotation(rng)}
    body_place = {"body_at": rng.standard_normal(3), "body_turned": random_rotation(rng)}
    body = robot.body("two", **random_inertia(rng)).on("one", **place, **body_place)
    words = {"revolute": "turning", "prismatic": "sliding", "spherical": "ball"}
    takes_axis = KINDS[kind].axes == 1
    getattr(body, words.get(kind, kind))(*((axis,) if takes_axis else ()))
    inverse = Pose(body_place["body_turned"], body_place["body_at"]).inverse()
    ends = {"first_at": place["at"], "first_turned": place["turned"]}
    return robot.loop(
        "loop", "one", "two", kind, axis if takes_axis else "z",
        **ends, second_at=inverse.position, second_turned=inverse.rotation,
    )  # fmt: skip


# -------------------------------------------------------------------------- rows
@pytest.mark.parametrize("axis", ["x", "-y", "z", "general"])
@pytest.mark.parametrize("kind", sorted((LOOP_JOINTS.keys() & KINDS.keys()) - {"fixed", "universal", "helical"}))
def test_rows_vanish_on_what_the_joint_allows(kind: str, axis: str) -> None:
    """At any position of the joint, the rows forbid none of its velocities, and together leave no other.

    Universal and helical joints, whose rows are not constant unit vectors: tests/analytic/test_loops_universal_helical.py; pins
    and single conditions, which no joint of a tree equals: tests/identities/test_constrained_loops.py.
    """
    rng = np.random.default_rng(len(kind))
    robot = tree_with_a_loop_on_its_joint(kind, rng, random_unit(rng, 3) if axis == "general" else axis)
    compiled = robot.compile()
    (loop,) = compiled.loops
    assert np.linalg.matrix_rank(loop.matrix) == len(loop.matrix) == 6 - KINDS[kind].nv
    np.testing.assert_allclose(loop.matrix @ loop.matrix.T, np.eye(len(loop.matrix)), atol=1e-15)
    for _ in range(3):
        q, v = random_configuration(rng, compiled), random_velocity(rng, compiled)
        pose, twist = relative_motion(compiled, loop, q, v)
        np.testing.assert_allclose(loop.matrix @ twist, 0.0, atol=1e-12)
        np.testing.assert_allclose(loop.matrix[:, :3] @ pose.position, 0.0, atol=1e-12)
        if KINDS[kind].axes == 1:  # both ends see the same axis
            np.testing.assert_allclose(pose.rotation @ loop.axis, loop.axis, atol=1e-12)


def test_fixed_loop() -> None:
    np.testing.assert_array_equal(Loop("weld", "fixed", "a", "b").constraint_matrix, np.eye(6))


def test_row_names() -> None:
    def rows(kind: str, axis: Any) -> str:
        return " ".join(Loop("l", kind, "a", "b", axis=np.array(axis, dtype=float)).row_names)

    assert rows("fixed", (0, 0, 1)) == "l.x l.y l.z l.about_x l.about_y l.about_z"
    assert rows("revolute", (0, 0, 1)) == "l.x l.y l.z l.about_x l.about_y"
    assert rows("revolute", (0, -1, 0)) == "l.x l.y l.z l.about_x l.about_z"
    assert rows("spherical", (0, 0, 1)) == "l.x l.y l.z"
    assert rows("prismatic", (1, 0, 0)) == "l.y l.z l.about_x l.about_y l.about_z"
    assert rows("cylindrical", (1, 0, 0)) == "l.y l.z l.about_y l.about_z"
    assert rows("planar", (0, 0, 1)) == "l.z l.about_x l.about_y"
    assert rows("pin", (0, 0, 1)) == "l.x l.y" and rows("in_plane", (0, 0, 1)) == "l.z"
    assert rows("parallel", (0, 1, 0)) == "l.about_x l.about_z" and rows("perpendicular", (0, 0, 1)) == "l.about_both"
    assert rows("translating", (0, 0, 1)) == "l.about_x l.about_y l.about_z"
    assert rows("universal", (0, 0, 1)) == "l.x l.y l.z l.about_both"
    assert rows("helical", (0, 0, 1)) == "l.x l.y l.about_x l.about_y l.helix"
    assert rows("planar", (0.6, 0, 0.8)) == "l.along l.about_across_1 l.about_across_2"
    assert rows("prismatic", (0.6, 0, 0.8)) == "l.across_1 l.across_2 l.about_x l.about_y l.about_z"


# ----------------------------------------------------------------------- the ends
def test_four_bar() -> None:
    """The bars at 0.6 rad, assembled by the law of cosines, meet in the pin."""
    compiled = four_bar().compile()
    (loop,) = compiled.loops
    assert loop.name == "pin" and loop.type == "revolute"
    assert compiled.loops[compiled.loop_index("pin")] is loop
    assert (loop.first_frame, loop.second_frame) == (compiled.point("coupler")[0], compiled.point("rocker")[0])
    np.testing.assert_array_equal(loop.second_position, (0.25, 0, 0))
    crank = 0.6
    corner = 0.1 * np.array([np.cos(crank), np.sin(crank)])
    span = np.array([0.3, 0.0]) - corner
    length = np.linalg.norm(span)
    coupler = np.arctan2(span[1], span[0]) + np.arccos((0.3**2 + length**2 - 0.25**2) / (2 * 0.3 * length))
    tip = corner + 0.3 * np.array([np.cos(coupler), np.sin(coupler)])
    rocker = np.arctan2(tip[1], tip[0] - 0.3)
    q = np.zeros(3)
    for name, angle in (("crank", crank), ("coupler", coupler - crank), ("rocker", rocker)):
        q[compiled.position_index(name)] = angle
    pose, _ = relative_motion(compiled, loop, q, np.zeros(3))
    np.testing.assert_allclose(pose.position, 0.0, atol=1e-15)


def test_ends_in_the_world() -> None:
    robot = Robot("x")
    base = robot.base("base", moves="fixed", at=(1, 0, 0))
    link = robot.body("link", mass=1.0, inertia=np.eye(3)).on(base).turning("z").marker("tip", at=(0.5, 0, 0), turned=("x", 0.3))
    turned = rotation_about("y", 0.7)
    robot.loop("a", "tip", "world", "spherical", at=(1.5, 0, 0), turned=turned).loop("b", "world", link, "planar", at=(0, 0, 2))
    robot.loop("c", "tip", base, "fixed", first_at=(0, 0.1, 0))
    a, b, c = robot.compile().loops
    assert (a.first_frame, a.second_frame, b.first_frame, b.second_frame, c.second_frame) == (1, -1, -1, 1, 0)
    np.testing.assert_array_equal(a.second_position, (1.5, 0, 0))
    np.testing.assert_array_equal(a.second_rotation, turned)
    np.testing.assert_allclose(a.first_rotation, rotation_about("x", 0.3))
    np.testing.assert_array_equal(b.first_position, (0, 0, 2))
    np.testing.assert_allclose(c.first_position, np.array([0.5, 0, 0]) + rotation_about("x", 0.3) @ (0, 0.1, 0))
    first = robot.description.loops[0]
    assert (first.first, first.second) == ("link", None)


# ------------------------------------------------------------- copies and changes
def test_print() -> None:
    robot = four_bar().loop("rail", "world", "coupler", "planar", axis=(0.6, 0, 0.8)).loop("weld", "crank", "rocker", "fixed")
    lines = str(robot).splitlines()
    assert lines[0] == "four-bar: 4 bodies, 3 degrees of freedom, 2.3 kg, 3 loops"
    assert lines[-3:] == [
        "loop pin: coupler - rocker, revolute about z",
        "loop rail: world - coupler, planar with normal (0.6, 0, 0.8)",
        "loop weld: crank - rocker, fixed",
    ]


def test_changed() -> None:
    robot = four_bar()
    changed = robot.changed({"pin.second_at": (0.2, 0, 0), "tip.at": (0.4, 0, 0), "pin.axis": "-z"}).compile().loops[0]
    np.testing.assert_array_equal(changed.second_position, (0.2, 0, 0))
    np.testing.assert_array_equal(changed.first_position, (0.4, 0, 0))
    assert changed.axis[2] == -1.0
    np.testing.assert_array_equal(robot.compile().loops[0].second_position, (0.25, 0, 0))
    assert "pin.first_turned" in robot.parameters


def test_from_description() -> None:
    robot = four_bar().loop("rail", "world", "coupler", "planar", axis=(0.6, 0, 0.8), at=(1, 2, 3))
    for one, two in zip(robot.compile().loops, Robot.from_description(robot.description).compile().loops, strict=True):
        for key, value in vars(one).items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(getattr(two, key), value)
            else:
                assert getattr(two, key) == value


@pytest.mark.parametrize("seed", range(4))
def test_rerooting_keeps_the_loops(seed: int) -> None:
    """The relative motion of the ends is the same, whichever body carries the robot."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 7, joints=[kind for kind in ALL if kind != "fixed"])
    names = [name for name in robot.bodies if name != "body_0"]
    kinds = list(LOOP_JOINTS)
    for i in range(3):
        first, second = rng.choice(names, 2, replace=False)
        place = {"first_at": rng.standard_normal(3), "first_turned": random_rotation(rng), "second_at": rng.standard_normal(3)}
        robot.loop(f"loop_{i}", str(first), str(second), str(rng.choice(kinds)), random_unit(rng, 3), **place)
    robot.loop("anchor", "world", "body_3", "spherical", at=rng.standard_normal(3))
    rerooting = robot.rerooting("body_6")
    before, after = rerooting.before, robot.rerooted("body_6").compile()
    q, v = random_configuration(rng, before), random_velocity(rng, before)
    new_q, new_v = rerooting.convert(q, v)
    for one, two in zip(before.loops, after.loops, strict=True):
        assert one.name == two.name and one.row_names == two.row_names
        pose, twist = relative_motion(before, one, q, v)
        new_pose, new_twist = relative_motion(after, two, new_q, new_v)
        assert pose.same_as(new_pose, 1e-11)
        np.testing.assert_allclose(new_twist, twist, atol=1e-11)


def test_symbols() -> None:
    sympy = pytest.importorskip("sympy")
    a = sympy.Symbol("a")
    robot = four_bar().changed({"pin.second_at": (a, 0, 0)})
    with pytest.raises(DescriptionError, match="symbols"):
        robot.compile()
    (loop,) = robot.compile(object).loops
    assert list(loop.second_position) == [a, 0, 0]
    assert not any(isinstance(x, float) for x in loop.matrix.flat)
