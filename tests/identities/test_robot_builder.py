"""The words of the builder: what they mean, what they print, how robots are copied and changed."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from locodyn.robot import Box, Robot, about_centre, layout, roll_pitch_yaw, roll_pitch_yaw_of, rotation_about
from random_robots import BASES, random_robot


def snakeboard() -> Robot:
    robot = Robot("snakeboard")
    board = robot.base("board", mass=2.0, inertia=about_centre(zz=0.076), moves="planar")
    robot.body("rotor", mass=1.0, inertia=about_centre(zz=0.04)).on(board).turning("z").actuator(torque_limit=5.0)
    for name, x in (("front", 0.2), ("rear", -0.2)):
        truck = robot.body(name, mass=0.5, inertia=about_centre(zz=0.002)).on(board, at=(x, 0, 0)).turning("z")
        truck.marker(f"{name}_axle", at=(0, 0, -0.05))
    return robot.wrench("drag", on="front_axle", law="any object", at=(0, 0, 0.01))


def test_print() -> None:
    assert str(snakeboard()) == (
        "snakeboard: 4 bodies, 6 degrees of freedom (3 of the base), 4 kg\n"
        "board       planar in the world   2 kg\n"
        "├── rotor   turns about z         1 kg, actuator\n"
        "├── front   turns about z         0.5 kg, markers front_axle\n"
        "└── rear    turns about z         0.5 kg, markers rear_axle"
    )
    assert repr(snakeboard()) == "<robot 'snakeboard': 4 bodies, 6 degrees of freedom (3 of the base), 4 kg>"


def test_print_of_nested_branches_and_axes() -> None:
    robot = Robot("arm")
    ground = robot.base("ground", moves="fixed")
    box = {"mass": 1.0, "shape": Box((1, 1, 1))}
    robot.body("a", **box).on(ground).screwing("-x", pitch=0.5)
    robot.body("b", **box).on("a").universal((3, 0, 4), "y", name="wrist")
    robot.body("c", **box).on(ground).fixed()
    assert robot.tree() == (
        "ground      fixed in the world                         0 kg\n"
        "├── a       screws about -x, 0.5 m/rad                 1 kg, box\n"
        "│   └── b   universal (0.6, 0, 0.8), y (joint wrist)   1 kg, box\n"
        "└── c       fixed                                      1 kg, box"
    )


def test_repr_of_an_unfinished_robot() -> None:
    assert "has no base" in repr(Robot("new"))


def test_long_chain_prints() -> None:
    robot = Robot("chain")
    last = robot.base("0", mass=1.0, inertia=np.eye(3))
    for i in range(1, 1200):
        last = robot.body(str(i), mass=1.0, inertia=np.eye(3)).on(last).fixed()
    assert robot.tree().count("\n") == 1199


def test_wrench_laws_point_to_frames() -> None:
    (law,) = snakeboard().compile().wrenches
    assert (law.name, law.body, law.frame, law.law) == ("drag", "front", 2, "any object")
    np.testing.assert_allclose(law.position, (0, 0, -0.04))


@pytest.mark.parametrize("base", BASES)
def test_from_description(base: str) -> None:
    """A robot made from a description is the same robot."""
    robot = random_robot(np.random.default_rng(2), 10, base=base, armature=True, markers=True)
    first, second = robot.compile(), Robot.from_description(robot.description).compile()
    np.testing.assert_array_equal(first.constants, second.constants)
    np.testing.assert_array_equal(first.frames, second.frames)
    np.testing.assert_array_equal(first.dof_constants, second.dof_constants)
    np.testing.assert_array_equal(first.marker_position, second.marker_position)
    assert (first.body_names, first.joint_names, first.coordinate_names) == (
        second.body_names,
        second.joint_names,
        second.coordinate_names,
    )


def test_changed() -> None:
    robot = snakeboard()
    other = robot.changed({
        "board.mass": 3.0, "front.at": (0.3, 0, 0), "rotor.armature": 0.1, "rotor.gear": 2.0, "rotor.axis": "-z",
        "front_axle.at": (0, 0, -0.1), "drag.at": (0, 0, 0), "rear.inertia": about_centre(zz=1.0),
    })  # fmt: skip
    compiled = other.compile()
    assert compiled.constants[0, layout.MASS] == 3.0 and compiled.constants[2, layout.OFFSET_POSITION] == 0.3
    assert compiled.dof_constants[3, layout.DOF_ARMATURE] == 0.4 and compiled.dof_constants[3, layout.LIMIT] == 5.0
    assert compiled.constants[1, layout.OFFSET_ROTATION + 8] == -1.0
    assert compiled.wrenches[0].position[2] == -0.1
    assert compiled.constants[3, layout.INERTIA + 5] == 1.0
    # the original is as before
    assert robot.mass == 4.0 and robot.compile().constants[2, layout.OFFSET_POSITION] == 0.2
    assert "rotor.axis" in robot.parameters and "front_axle.at" in robot.parameters


def test_changed_mass_follows_the_shape() -> None:
    robot = Robot("box")
    robot.base("box", density=1000.0, shape=Box((0.1, 0.1, 0.1)))
    heavy = robot.changed({"box.mass": 2.0}).description.reference_body.inertia
    assert heavy.mass == 2.0 and heavy.tensor[0, 0] == pytest.approx(2.0 * 0.02 / 12)
    assert robot.changed({"box.density": 500.0}).mass == pytest.approx(0.5)


def test_description_follows_the_builder() -> None:
    robot = snakeboard()
    assert robot.compile().nv == 6
    robot.body("mast", mass=1.0, inertia=np.eye(3)).on("board").ball()
    assert robot.compile().nv == 9


def test_descriptions_are_immutable() -> None:
    description = snakeboard().description
    with pytest.raises(FrozenInstanceError):
        description.name = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        description.bodies[2].joint.parent_offset.position[0] = 1.0


@pytest.mark.parametrize(
    "turned",
    [
        (math.cos(0.35), 0.0, 0.0, math.sin(0.35)),
        ("z", 0.7),
        ((0, 0, 2), 0.7),
        ("-z", -0.7),
        rotation_about("z", 0.7),
        roll_pitch_yaw(0, 0, 0.7).tolist(),
    ],
)
def test_ways_to_say_a_rotation(turned: object) -> None:
    robot = Robot("x")
    robot.base("b", moves="fixed", turned=turned)
    c, s = math.cos(0.7), math.sin(0.7)
    np.testing.assert_allclose(
        robot.description.reference_body.joint.parent_offset.rotation, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15
    )


def test_roll_pitch_yaw_order() -> None:
    # first about the fixed x, then y, then z: roll carries y to z, which pitch carries to x, which yaw carries to y
    quarter = math.pi / 2
    np.testing.assert_array_equal(roll_pitch_yaw(quarter, quarter, quarter) @ (0, 1, 0), (0, 1, 0))


def test_import_is_light() -> None:
    """Neither Numba nor SciPy nor SymPy is loaded by describing and compiling a robot."""
    code = (
        "import sys; from locodyn.robot import Robot; r = Robot('x'); r.base('b', moves='fixed'); r.compile(); "
        "print([m for m in ('numba', 'scipy', 'sympy') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-8, 1e-6, 1e-3, 1.0])
def test_angles_of_a_rotation_also_near_a_right_angle(short):
    """Round-off, but where yaw and roll turn about axes nearer than 1e-9 rad, which are taken for one."""
    rng = np.random.default_rng(3)
    for sign in (1.0, -1.0):
        given = np.array([roll_pitch_yaw(a, sign * (0.5 * np.pi - short), b) for a, b in rng.uniform(-3.0, 3.0, (20, 2))])
        again = np.array([roll_pitch_yaw(*angles) for angles in roll_pitch_yaw_of(given)])
        np.testing.assert_allclose(again, given, rtol=0, atol=2e-15 if short > 1e-9 else 2e-9)
