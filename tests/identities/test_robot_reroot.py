"""Another reference body leaves the physics unchanged: poses, twists, energy, and their way back."""

from __future__ import annotations

import numpy as np
import pytest

from locodyn.errors import InputError
from locodyn.robot import Pose, Rerooting, Robot, layout
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.frame_motion import adjoint, frame_poses, frame_twists, kinetic_energy
from random_robots import ALL, random_configuration, random_inertia, random_robot, random_rotation, random_velocity


def states(compiled: CompiledRobot, q: np.ndarray, v: np.ndarray) -> dict[str, tuple[Pose, np.ndarray]]:
    """World pose and body twist of every body."""
    poses, twists = frame_poses(compiled, q), frame_twists(compiled, q, v)
    result = {}
    for name in compiled.body_names:
        frame, rotation, position = compiled.point(name)
        within = Pose(rotation, position)
        result[name] = poses[frame] @ within, adjoint(within.inverse()) @ twists[frame]
    return result


def assert_same_physics(rerooting: Rerooting, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    new_q, new_v = rerooting.convert(q, v)
    before, after = (states(rerooting.before, q, v), states(rerooting.after, new_q, new_v))
    assert set(before) == set(after)
    for name, (pose, twist) in before.items():
        assert pose.same_as(after[name][0], 1e-12)
        np.testing.assert_allclose(after[name][1], twist, atol=1e-12)
    assert kinetic_energy(rerooting.after, new_q, new_v) == pytest.approx(kinetic_energy(rerooting.before, q, v), rel=1e-12)
    return new_q, new_v


@pytest.mark.parametrize("kind", ALL)
def test_each_joint(kind: str) -> None:
    """One joint between the two reference bodies, with rotors where the joint allows them."""
    rng = np.random.default_rng(ALL.index(kind))
    robot = random_robot(rng, 2, joints=(kind,), armature=kind not in ("planar", "free"))
    rerooting = robot.rerooting("body_1")
    assert rerooting.description.reference_body.name == "body_1"
    q, v = (random_configuration(rng, rerooting.before), random_velocity(rng, rerooting.before))
    assert_same_physics(rerooting, q, v)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_and_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 9, branching=0.4)
    target = f"body_{rng.integers(1, 9)}"
    there = robot.rerooting(target)
    q, v = random_configuration(rng, there.before), random_velocity(rng, there.before)
    new_q, new_v = assert_same_physics(there, q, v)
    back = Robot.from_description(there.description).rerooting("body_0")
    old_q, old_v = back.convert(new_q, new_v)
    if old_q[3] * q[3] < 0:  # the same rotation has two quaternions
        old_q[3:7] *= -1
    # bodies may come in another order
    positions = [back.after.position_index(name) for name in there.before.position_names]
    velocities = [back.after.coordinate_index(name) for name in there.before.coordinate_names]
    np.testing.assert_allclose(old_q[positions], q, atol=1e-12)
    np.testing.assert_allclose(old_v[velocities], v, atol=1e-11)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "cylindrical"])
def test_single_axis_joints_keep_their_coordinate(kind: str) -> None:
    rng = np.random.default_rng(11)
    robot = random_robot(rng, 4, joints=(kind,), branching=0.0)
    rerooting = robot.rerooting("body_3")
    q, v = (random_configuration(rng, rerooting.before), random_velocity(rng, rerooting.before))
    new_q, new_v = rerooting.convert(q, v)
    for name in rerooting.before.coordinate_names[6:]:
        i, j = (rerooting.before.coordinate_index(name), rerooting.after.coordinate_index(name))
        assert new_v[j] == v[i]
        assert new_q[rerooting.after.position_index(name)] == q[rerooting.before.position_index(name)]


def planar_robot(rng: np.random.Generator, turned: np.ndarray | None = None) -> Robot:
    """A planar robot whose first joints stay in the plane; the bodies may be tilted in it."""
    robot = Robot("planar")
    robot.base("base", moves="planar", at=(0.1, 0.2, 0.3), turned=random_rotation(rng), **random_inertia(rng))
    place = {"at": rng.standard_normal(3), "body_at": rng.standard_normal(3)}
    robot.body("turn", **random_inertia(rng)).on("base", **place).turning("-z").actuator(armature=0.1, viscous=0.2)
    robot.body("held", **random_inertia(rng)).on("turn", **place, turned=("z", 0.4)).fixed()
    robot.body("slide", **random_inertia(rng)).on("held", **place).sliding((1, 2, 0))
    robot.body("plane", **random_inertia(rng)).on("slide", **place, body_turned=turned).planar()
    robot.body("hand", **random_inertia(rng)).on("turn", **place).ball()
    return robot


@pytest.mark.parametrize("target", ["turn", "held", "slide", "plane"])
def test_planar_robot(target: str) -> None:
    rng = np.random.default_rng(21)
    rerooting = planar_robot(rng).rerooting(target)
    q, v = (random_configuration(rng, rerooting.before), random_velocity(rng, rerooting.before))
    assert_same_physics(rerooting, q, v)
    assert rerooting.after.base_code == layout.PLANAR
    # nothing is tilted: the frame of the new reference body is its body frame
    np.testing.assert_array_equal(rerooting.after.body_rotation[0], np.eye(3))


def test_planar_robot_with_a_tilted_body() -> None:
    rng = np.random.default_rng(22)
    rerooting = planar_robot(rng, random_rotation(rng)).rerooting("plane")
    q, v = (random_configuration(rng, rerooting.before), random_velocity(rng, rerooting.before))
    assert_same_physics(rerooting, q, v)


def test_actuators_keep_their_side() -> None:
    """A spring, a universal joint's friction: the same laws after the reversal."""
    rng = np.random.default_rng(23)
    robot = Robot("laws")
    robot.base("base", **random_inertia(rng))
    robot.body("a", **random_inertia(rng)).on("base").universal("x", "y").actuator(
        viscous=(1.0, 2.0), stiffness=(3.0, 4.0), rest=(5.0, 6.0)
    )
    robot.body("b", **random_inertia(rng)).on("a").translating().actuator(stiffness=1.0, rest=(1.0, 2.0, 3.0))
    robot.body("c", **random_inertia(rng)).on("b").ball().actuator(viscous=0.5, stiffness=(1.0, 2.0, 3.0))
    rerooting = robot.rerooting("c")
    q, v = (random_configuration(rng, rerooting.before), random_velocity(rng, rerooting.before))

    def laws(compiled: CompiledRobot, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        dissipated = float(np.sum(compiled.dof_constants[:, layout.VISCOUS] * v * v))
        stored = 0.0
        for i, name in enumerate(compiled.joint_names):
            if compiled.joint_types[i] in ("universal", "translating"):
                own = compiled.dof_constants[compiled.joint_velocities[i]]
                stored += 0.5 * float(
                    np.sum(own[:, layout.STIFFNESS] * (q[compiled.joint_positions[i]] - own[:, layout.REST]) ** 2)
                )
                assert name in ("a", "b")
            if compiled.joint_types[i] == "spherical":
                w, *axis = q[compiled.joint_positions[i]]
                theta = 2 * np.arctan2(np.linalg.norm(axis), w) * np.array(axis) / np.linalg.norm(axis)
                stored += 0.5 * float(np.sum(compiled.dof_constants[compiled.joint_velocities[i], layout.STIFFNESS] * theta**2))
        return dissipated, stored

    assert laws(rerooting.after, *rerooting.convert(q, v)) == pytest.approx(laws(rerooting.before, q, v))


def test_the_same_reference_body() -> None:
    rng = np.random.default_rng(24)
    rerooting = random_robot(rng, 4, base="revolute").rerooting("body_0")
    q, v = (random_configuration(rng, rerooting.before), random_velocity(rng, rerooting.before))
    new_q, new_v = rerooting.convert(q, v)
    np.testing.assert_array_equal(new_q, q)
    np.testing.assert_array_equal(new_v, v)


def test_state_of_the_wrong_size() -> None:
    rerooting = random_robot(np.random.default_rng(25), 3, joints=("revolute",)).rerooting("body_2")
    with pytest.raises(InputError, match="9 positions and 8 velocities"):
        rerooting.convert(np.zeros(8), np.zeros(8))


def test_symbols_stay_exact() -> None:
    sympy = pytest.importorskip("sympy")
    a, m = sympy.symbols("a m")
    robot = Robot("symbolic")
    board = robot.base("board", mass=m, moves="planar")
    robot.body("link", mass=2 * m).on(board, at=(a, 0, 0)).turning("z")
    constants = robot.rerooting("link").description
    assert list(constants.body("board").joint.child_offset.position) == [-a, 0, 0]
    assert not any(isinstance(x, float) for x in robot.rerooted("link").compile(object).constants.flat)
