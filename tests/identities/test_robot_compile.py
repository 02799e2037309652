"""The compiled arrays are the robot that was described: kinematics, inertia and names, on random trees."""

from __future__ import annotations

import math

import numpy as np
import pytest

from locodyn.robot import Pose, Robot, about_centre, layout
from locodyn.robot.body import Body
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.frame_motion import adjoint, frame_poses, frame_twists, kinetic_energy
from locodyn.robot.joint import Joint
from locodyn.robot.pose import quaternion_of_rotation, rotation_about, rotation_of_quaternion, rotation_to_axis
from random_robots import ALL, BASES, random_configuration, random_robot, random_unit, random_velocity


def motion(joint: Joint, q: np.ndarray) -> Pose:
    """The motion of a joint in the axes of the description: no alignment with z."""
    if joint.type == "fixed":
        return Pose()
    if joint.type == "revolute":
        return Pose(rotation_about(joint.axes[0], q[0]))
    if joint.type == "prismatic":
        return Pose(position=q[0] * joint.axes[0])
    if joint.type == "helical":
        return Pose(rotation_about(joint.axes[0], q[0]), joint.pitch * q[0] * joint.axes[0])
    if joint.type == "cylindrical":
        return Pose(rotation_about(joint.axes[0], q[1]), q[0] * joint.axes[0])
    if joint.type == "universal":
        return Pose(rotation_about(joint.axes[0], q[0]) @ rotation_about(joint.axes[1], q[1]))
    if joint.type == "spherical":
        return Pose(rotation_of_quaternion(q))
    if joint.type == "translating":
        return Pose(position=q)
    if joint.type == "planar":
        return Pose(rotation_about("z", q[2]), np.array([q[0], q[1], 0.0]))
    return Pose(rotation_of_quaternion(q[3:]), q[:3])


def described_poses(compiled: CompiledRobot, q: np.ndarray) -> dict[str, Pose]:
    """World poses of the bodies, straight from the description: parent_offset * motion * child_offset along the tree."""
    poses: dict[str, Pose] = {}
    for body in compiled.description.bodies:
        joint, own = body.joint, np.zeros(0)
        if joint.name in compiled.joint_names:
            own = q[compiled.joint_positions[compiled.joint_index(joint.name)]]
        parent = Pose() if body.parent is None else poses[body.parent]
        poses[body.name] = parent @ joint.parent_offset @ motion(joint, own) @ joint.child_offset
    return poses


def compiled_pose(compiled: CompiledRobot, frames: list[Pose], name: str) -> Pose:
    frame, rotation, position = compiled.point(name)
    return frames[frame] @ Pose(rotation, position)


CASES = [(base, seed) for base in BASES for seed in range(3)]


@pytest.mark.parametrize(("base", "seed"), CASES)
def test_poses(base: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    compiled = random_robot(rng, 12, base=base, markers=True).compile()
    q = random_configuration(rng, compiled)
    frames, poses = frame_poses(compiled, q), described_poses(compiled, q)
    for name, pose in poses.items():
        assert compiled_pose(compiled, frames, name).same_as(pose, 1e-12)
    for body, marker in compiled.description.markers:
        assert compiled_pose(compiled, frames, marker.name).same_as(poses[body.name] @ marker.pose, 1e-12)


def body_energy(body: Body, twist: np.ndarray) -> float:
    """Kinetic energy from the velocity of the centre of mass and the tensor about it."""
    inertia = body.inertia
    linear = twist[:3] + np.cross(twist[3:], inertia.centre)
    return 0.5 * inertia.mass * float(linear @ linear) + 0.5 * float(twist[3:] @ inertia.tensor @ twist[3:])


@pytest.mark.parametrize(("base", "seed"), CASES)
def test_inertia_and_twists(base: str, seed: int) -> None:
    """The energy of the arrays is that of the bodies; twists are the differences of poses."""
    rng = np.random.default_rng(seed + 100)
    compiled = random_robot(rng, 12, base=base).compile()
    q, v = random_configuration(rng, compiled), random_velocity(rng, compiled)
    twists = frame_twists(compiled, q, v)
    step = 1e-6  # central difference: error of order step^2 + 1e-16 / step, about 1e-10
    before, after = (frame_poses(compiled, moved(compiled, q, s * step * v)) for s in (-1, 1))
    here = frame_poses(compiled, q)
    energy = 0.0
    for body in compiled.description.bodies:
        frame, rotation, position = compiled.point(body.name)
        within = Pose(rotation, position)
        twist = adjoint(within.inverse()) @ twists[frame]
        energy += body_energy(body, twist)
        r0 = (here[frame] @ within).rotation
        low, high = before[frame] @ within, after[frame] @ within
        np.testing.assert_allclose(r0.T @ (high.position - low.position) / (2 * step), twist[:3], atol=2e-8)
        spin = r0.T @ (high.rotation - low.rotation) / (2 * step)
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], twist[3:], atol=2e-8)
    assert kinetic_energy(compiled, q, v) == pytest.approx(energy, rel=1e-12)


def moved(compiled: CompiledRobot, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
    """The configuration after the small displacement ``dv`` (nv,), accurate to its square for a central difference."""
    result = q.copy()
    for code, first_q, first_v in compiled.frames[:, [layout.CODE, layout.FIRST_Q, layout.FIRST_V]]:
        nq, nv = layout.NQ[code], layout.NV[code]
        own, step = result[first_q : first_q + nq], dv[first_v : first_v + nv]
        if code == layout.PLANAR:
            own[:2] += rotation_about("z", own[2])[:2, :2] @ step[:2]
            own[2] += step[2]
            continue
        if code == layout.FREE:
            own[:3] += rotation_of_quaternion(own[3:]) @ step[:3]
            own, step = own[3:], step[3:]
        if code in (layout.FREE, layout.SPHERICAL):
            w, vector = own[0], own[1:].copy()
            own[0] -= 0.5 * vector @ step
            own[1:] += 0.5 * (w * step + np.cross(vector, step))
            own /= np.linalg.norm(own)
        else:
            own += step
    return result


@pytest.mark.parametrize("base", BASES)
def test_layout(base: str) -> None:
    """Topological order, contiguous coordinates, names and armatures where the layout says."""
    rng = np.random.default_rng(5)
    robot = random_robot(rng, 25, base=base, armature=True)
    compiled = robot.compile()
    frames = compiled.frames
    assert frames[0, layout.PARENT] == -1
    assert compiled.base_code == frames[0, layout.CODE]
    assert np.all(frames[1:, layout.PARENT] < np.arange(1, compiled.nf)) and np.all(frames[1:, layout.PARENT] >= 0)
    counts_q = np.array([layout.NQ[code] for code in frames[:, layout.CODE]])
    counts_v = np.array([layout.NV[code] for code in frames[:, layout.CODE]])
    np.testing.assert_array_equal(frames[:, layout.COUNT_V], counts_v)
    np.testing.assert_array_equal(frames[:, layout.FIRST_Q], np.cumsum(counts_q) - counts_q)
    np.testing.assert_array_equal(frames[:, layout.FIRST_V], np.cumsum(counts_v) - counts_v)
    assert compiled.nq == counts_q.sum() == len(compiled.neutral) and compiled.nv == counts_v.sum() == len(compiled.dofs)
    assert len(set(compiled.coordinate_names)) == compiled.nv and len(set(compiled.position_names)) == compiled.nq
    for i, (frame, _) in enumerate(compiled.dofs):
        assert (
            compiled.dof_constants[i, layout.DOF_ARMATURE]
            == compiled.constants[frame, layout.ARMATURE + i - frames[frame, layout.FIRST_V]]
        )
    for k in range(compiled.nf):
        assert np.all(compiled.constants[k, layout.ARMATURE + counts_v[k] : layout.CONSTANT_COLUMNS] == 0)
    assert compiled.total_mass == pytest.approx(robot.mass)
    poses = frame_poses(compiled, compiled.neutral)
    assert poses[0].same_as(Pose(*(compiled.constants[0, a:b].reshape(s) for a, b, s in ((0, 9, (3, 3)), (9, 12, 3)))), 1e-14)
    for array in (
        compiled.frames,
        compiled.constants,
        compiled.dofs,
        compiled.dof_constants,
        compiled.neutral,
        compiled.body_position,
    ):
        assert not array.flags.writeable
    assert all(array.flags.writeable and array.flags.c_contiguous for array in compiled.kernel_arrays())


def test_names() -> None:
    robot = Robot("names")
    board = robot.base("board", mass=1.0, inertia=np.eye(3), moves="planar")
    for i, kind in enumerate(ALL):
        body = robot.body(kind, mass=1.0, inertia=np.eye(3)).on(board, at=(i, 0, 0))
        words = {"revolute": "turning", "prismatic": "sliding", "spherical": "ball"}
        getattr(body, "screwing" if kind == "helical" else words.get(kind, kind))(**({"pitch": 0.1} if kind == "helical" else {}))
    compiled = robot.compile()
    assert compiled.coordinate_names[:5] == ("board.vx", "board.vy", "board.wz", "revolute", "prismatic")
    assert compiled.position_names[:5] == ("board.x", "board.y", "board.angle", "revolute", "prismatic")
    assert "universal.1" in compiled.coordinate_names and "universal.1" in compiled.position_names
    assert [n for n in compiled.position_names if n.startswith("spherical")] == [
        f"spherical.{s}" for s in ("qw", "qx", "qy", "qz")
    ]
    assert [n for n in compiled.coordinate_names if n.startswith("spherical")] == [f"spherical.{i}" for i in range(3)]
    assert compiled.joint_names == ("board", *(kind for kind in ALL if kind != "fixed"))
    assert compiled.joint_frames[compiled.joint_index("universal")] == (6, 7)
    assert compiled.neutral[compiled.position_index("spherical.qw")] == 1.0
    assert compiled.neutral[compiled.position_index("free.qw")] == 1.0
    assert np.sum(compiled.neutral) == 2.0


def test_own_names_of_coordinates() -> None:
    robot = Robot("named")
    base = robot.base("base", moves="revolute", mass=1.0, inertia=np.eye(3), joint="pivot")
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on(base).universal("x", "y", name="wrist").coordinates("roll", "pitch")
    assert robot.compile().coordinate_names == ("pivot", "roll", "pitch")
    assert robot.compile().joint_names == ("pivot", "wrist")


def test_bodies_may_be_said_in_any_order() -> None:
    robot = Robot("order")
    robot.body("hand", mass=1.0, inertia=np.eye(3)).on("link").turning("z")
    robot.body("link", mass=1.0, inertia=np.eye(3)).on("ground").turning("z")
    robot.base("ground", moves="fixed")
    assert robot.compile().body_names == ("ground", "link", "hand")


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x", "-y", "-z"])
def test_coordinate_axes_are_exact(axis: str) -> None:
    robot = Robot("axis")
    robot.body("a", mass=1.0, inertia=np.eye(3)).on(robot.base("g", moves="fixed")).turning(axis)
    rotation = robot.compile().constants[1, layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3)
    assert set(np.abs(rotation).ravel()) == {0.0, 1.0}
    assert np.linalg.det(rotation) == 1.0
    np.testing.assert_array_equal(rotation[:, 2], robot.description.body("a").joint.axes[0])


@pytest.mark.parametrize("near", [1e-3, 1e-7, 1e-12, 1e-17])
@pytest.mark.parametrize("towards", ["x", "-y", "z", "-z"])
def test_axes_near_coordinate_axes(near: float, towards: str) -> None:
    rng = np.random.default_rng(8)
    start = {"x": (1, 0, 0), "-y": (0, -1, 0), "z": (0, 0, 1), "-z": (0, 0, -1)}[towards]
    axis = np.array(start) + near * random_unit(rng, 3)
    axis /= np.linalg.norm(axis)
    rotation = rotation_to_axis(axis)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(rotation[:, 2], axis, atol=1e-16)
    assert np.linalg.det(rotation) == pytest.approx(1.0)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, math.pi - 1e-9, math.pi, 4.0])
def test_quaternion_of_rotation(angle: float) -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        rotation = rotation_about(random_unit(rng, 3), angle)
        np.testing.assert_allclose(rotation_of_quaternion(quaternion_of_rotation(rotation)), rotation, atol=5e-15)


def test_fixed_bodies_are_merged() -> None:
    """A body in two halves that are held together has the arrays of the whole."""
    whole, halves = Robot("whole"), Robot("halves")
    for robot in (whole, halves):
        robot.base("ground", moves="fixed")
    half = about_centre(xx=0.02, yy=0.03, zz=0.04, xy=0.001)
    whole_tensor = 2 * half.with_mass(1.0, np.zeros(3)).tensor + 2 * 1.0 * 0.25 * np.diag([0.0, 1.0, 1.0])
    whole.body("rod", mass=2.0, inertia=about_centre(whole_tensor), centre=(0.5, 0, 0)).on("ground").turning("y")
    halves.body("rod", mass=1.0, inertia=half).on("ground").turning("y")
    halves.body("end", mass=1.0, inertia=half).on("rod", at=(1, 0, 0)).fixed().marker("tip", at=(0, 0, 1))
    one, two = whole.compile(), halves.compile()
    np.testing.assert_allclose(one.constants, two.constants, atol=1e-15)
    assert two.nf == 2 and list(two.body_frame) == [0, 1, 1]
    assert two.joint_names == ("ground", "rod")


def test_symbols() -> None:
    """Masses, inertias and positions as symbols give exact expressions: no float among them."""
    sympy = pytest.importorskip("sympy")
    m, a, i, r = sympy.symbols("m a I r")
    robot = Robot("symbolic")
    board = robot.base("board", mass=m, inertia=about_centre(zz=i), moves="planar")
    robot.body("link", mass=2 * m, centre=(a, 0, 0)).on(board, at=(0, r, 0)).turning("x").actuator(armature=i, gear=3, viscous=a)
    compiled = robot.compile(object)
    row = compiled.constants[1]
    assert list(row[layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9]) == [0, 0, 1, 1, 0, 0, 0, 1, 0]
    assert row[layout.OFFSET_POSITION + 1] == r and row[layout.MASS] == 2 * m
    # frame of the link: its z is the link's x, so that the centre is on z and xx = yy = 2 m a^2
    assert list(row[layout.FIRST_MOMENT : layout.FIRST_MOMENT + 3]) == [0, 0, 2 * m * a]
    assert list(row[layout.INERTIA : layout.INERTIA + 6]) == [2 * m * a**2, 0, 0, 2 * m * a**2, 0, 0]
    assert row[layout.ARMATURE] == 9 * i and compiled.dof_constants[3, layout.VISCOUS] == a
    assert compiled.total_mass == 3 * m
    assert not any(isinstance(x, float) for x in compiled.constants.flat)


def test_symbols_and_numbers_agree() -> None:
    sympy = pytest.importorskip("sympy")
    rng = np.random.default_rng(3)
    robot = random_robot(rng, 8, joints=("revolute", "universal", "fixed", "spherical"))
    mass = sympy.Symbol("mass")
    symbolic = robot.changed({"body_3.mass": mass}).compile(object).constants
    numeric = robot.changed({"body_3.mass": 0.7}).compile().constants
    values = np.array([float(sympy.sympify(x).subs(mass, 0.7)) for x in symbolic.flat]).reshape(symbolic.shape)
    np.testing.assert_allclose(values, numeric, atol=1e-14)
