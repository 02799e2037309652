"""Several robots in one world: each moves as it does alone, and they touch each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import Robot, about_centre

pytestmark = pytest.mark.slow


def ball(radius: float = 0.1, mass: float = 1.0) -> Robot:
    robot = Robot("ball")
    moment = 0.4 * mass * radius**2
    inertia = about_centre(xx=moment, yy=moment, zz=moment)
    robot.base("ball", mass=mass, inertia=inertia, shape=ld.Sphere(radius)).collides(friction=0.3)
    return robot


@pytest.mark.parametrize("name", ["pendulum", "snakeboard", "four_bar", "benchmark_bicycle", "cantilever", "trailer_truck"])
def test_a_robot_beside_another_moves_as_it_does_alone(name: str) -> None:
    """Trees, wheels, loops, rolling in space, rods: accelerations at the start, beside a free ball, to round-off."""
    scenario = ld.zoo.make(name)
    alone = scenario.problem
    q, v = scenario.initial_state()
    robots = {"ball": ball(), "own": scenario.compiled.description}
    both = Robot.together("both", robots, at={"ball": (5, 5, 5)}, turned={"ball": ("z", 0.4)})
    drive = scenario.drive
    prefixed = {
        kind: {f"own.{key}": value for key, value in getattr(drive, kind).items()}
        for kind in ("imposed", "torque", "servo", "steering", "rolling")
        if getattr(drive, kind)
    }
    beside = ld.Scenario("both", both, gravity=tuple(scenario.problem.model.gravity), **prefixed)
    problem = beside.problem
    compiled, own = problem.model.compiled, alone.model.compiled
    joints = [compiled.joint_index(f"own.{joint}") for joint in own.joint_names if f"own.{joint}" in compiled.joint_names]
    both_q, both_v = np.array(compiled.neutral, dtype=float), np.zeros(compiled.nv)
    for number in joints:
        mine = own.joint_index(compiled.joint_names[number].removeprefix("own."))
        both_q[compiled.joint_positions[number]] = q[own.joint_positions[mine]]
        both_v[compiled.joint_velocities[number]] = v[own.joint_velocities[mine]]
    fall = np.zeros(6)
    first = compiled.joint_velocities[compiled.joint_index("ball.ball")].start
    expected = alone.accelerations(0.0, q, v)
    found = problem.accelerations(0.0, both_q, both_v)
    for number in joints:
        mine = own.joint_index(compiled.joint_names[number].removeprefix("own."))
        size = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(
            found[compiled.joint_velocities[number]], expected[own.joint_velocities[mine]], rtol=0, atol=1e-11 * size
        )
    fall[:3] = problem.model.gravity @ _rotation(0.4)
    # one factorisation for all: round-off 1e-16 of forces up to 1e3 N of the others, over the moment 4e-3 kg m^2 of the ball
    np.testing.assert_allclose(found[first : first + 6], fall, rtol=0, atol=1e-10)


def _rotation(angle: float) -> np.ndarray:
    return np.asarray(ld.rotation_about("z", angle))


def test_two_balls_hit_each_other_centrally_and_keep_their_momentum() -> None:
    """Equal balls, no rebound: both go on with half of the speed."""
    scene = Robot.together("two", {"one": ball(), "two": ball()}, at={"two": (0.5, 0, 0)})
    run = ld.simulate(
        scene, start=ld.Start(velocities={"one.ball": (2.0, 0, 0, 0, 0, 0)}), t_end=0.5, dt=1e-3, gravity=(0, 0, 0),
        integrator="moreau", self_collision=True, record_every=100, progress=False,
    )  # fmt: skip
    names = list(scene.compile().coordinate_names)
    speeds = [float(run.joint_velocity.sel(joint=names[6 * k])[-1]) for k in range(2)]
    np.testing.assert_allclose(speeds, 1.0, rtol=0, atol=1e-9)


def test_names_that_are_no_robot_of_the_world() -> None:
    with pytest.raises(ld.DescriptionError, match=r"at= places 'bal', which is none of the robots .* did you mean 'ball'"):
        Robot.together("scene", {"ball": ball()}, at={"bal": (0, 0, 1)})
    with pytest.raises(ld.DescriptionError, match=r"called 'world': give it a name other than 'world'"):
        Robot.together("scene", {"world": ball()})


def test_robots_of_files_stand_in_one_scene(tmp_path: Path) -> None:
    """A YAML file with a ball over a cart: it falls on it; bodies, loops and laws may be added between them."""
    ld.save_robot(ball(), tmp_path / "ball.yaml")
    cart = Robot("cart")
    cart.base("cart", mass=2.0, moves="fixed", shape=ld.Box((0.4, 0.4, 0.1))).collides(friction=0.5)
    ld.save_robot(cart, tmp_path / "cart.yaml")
    text = "robot: scene\nrobots:\n  ball: {from: ball.yaml, at: [0, 0, 0.2]}\n  cart: {from: cart.yaml, at: [0, 0, 0]}\n"
    (tmp_path / "scene.yaml").write_text(text)
    loaded = ld.load_robot(tmp_path / "scene.yaml")
    assert loaded.robot.bodies == ("world", "ball.ball", "cart.cart")
    run = loaded.scenario().changed(integrator="moreau", dt=1e-3, t_end=0.5, record_every=100).run(progress=False)
    height = run.body_position.sel(body="ball.ball", xyz="z").values
    assert height[0] == pytest.approx(0.2, abs=1e-12)
    assert height[-1] == pytest.approx(0.15, abs=1e-6)
    (tmp_path / "wrong.yaml").write_text(text.replace("ball.yaml", "bal.yaml"))
    with pytest.raises(ld.InputError, match=r"wrong.yaml.*line 3.*bal.yaml"):
        ld.load_robot(tmp_path / "wrong.yaml")


RAM = """\
<robot name="ram">
  <link name="rail"/>
  <link name="ram">
    <inertial><mass value="3"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="ram"/><axis xyz="1 0 0"/><limit lower="-5" upper="5" effort="1" velocity="9"/>
  </joint>
</robot>
"""


def test_a_urdf_beside_balls_and_boxes(tmp_path: Path) -> None:
    """A ram of a URDF file, 3 kg at 2 m/s, strikes a free box of 1 kg, and this a ball of 2 kg, all at rest and without rebound:
    momentum leaves 6 / 6 m/s to all three, and the heavy box aside stays where it is."""
    (tmp_path / "ram.urdf").write_text(RAM)
    box = Robot("box")
    box.base("box", mass=1.0, shape=ld.Box((0.2, 0.2, 0.2))).collides(friction=0.0)
    ld.save_robot(box, tmp_path / "box.yaml")
    ld.save_robot(ball(mass=2.0), tmp_path / "ball.yaml")
    (tmp_path / "scene.yaml").write_text(
        "robot: scene\nrobots:\n  ram: {from: ram.urdf, moves: fixed, collides: true}\n"
        "  near: {from: box.yaml, at: [0.4, 0, 0]}\n  ball: {from: ball.yaml, at: [0.8, 0, 0]}\n"
        "  aside: {from: box.yaml, at: [0.4, 1, 0]}\n"
    )
    loaded = ld.load_robot(tmp_path / "scene.yaml")
    names = loaded.robot.compile().coordinate_names
    slide = next(name for name in names if "slide" in name)
    scenario = loaded.scenario().changed(
        obstacles=[], start=ld.Start(velocities={slide: 2.0}), gravity=(0, 0, 0), integrator="moreau", dt=1e-3, t_end=0.6,
        record_every=100,
    )  # fmt: skip
    run = scenario.run(progress=False)
    places = run.body_position.sel(xyz="x")
    speeds = {body: float(places.sel(body=body)[-1] - places.sel(body=body)[-2]) / 0.1 for body in loaded.robot.bodies}
    for body in ("ram.ram", "near.box", "ball.ball"):
        assert speeds[body] == pytest.approx(1.0, abs=1e-6)
    assert speeds["aside.box"] == 0.0
