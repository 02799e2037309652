"""The planar snake and the snake in space, held in the plane by nothing but its motion, are one robot (row 2D-3D, sharpened)."""

from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.servo import Servo
from locodyn.robot import Friction, rotation_about
from locodyn.robot.pose import quaternion_of_rotation
from locodyn.zoo import snake_links

pytestmark = pytest.mark.slow

LINKS = [f"link_{k}" for k in range(1, 12)]


def lifted(flat):
    """The same scenario with a free base, yaw and pitch joints (pitch held at 0 by servos), in space."""
    p = {entry.name: entry.value for entry in flat.parameters}
    robot = snake_links.chain(p, "snake_in_space", "free", True, Friction(0.0))
    for name in LINKS:
        robot[name].rests(p["mass"] * p["g"], friction=Friction(p["mu_x"], p["mu_y"]))
    held = {f"{name}.1": Servo(0.0, p["stiffness"], p["damping"]) for name in flat.drive.servo}
    start = {f"{name}.0": angle for name, angle in flat.start.positions.items() if name != "link_1"}
    x, y, heading = flat.start.positions["link_1"]
    start["link_1"] = np.array([x, y, 0.0, *quaternion_of_rotation(rotation_about("z", heading))])
    servo = {f"{name}.0": one for name, one in flat.drive.servo.items()} | held
    return flat.changed(robot=robot, servo=servo, start=ld.Start(start))


@pytest.mark.parametrize("pegs, mu_y", [("none", 0.2), ("table_7_5", 0.5)])
def test_planar_snake_is_the_snake_in_space(pegs, mu_y):
    """Nothing pushes out of the plane, so the 26 coordinates go as the 13: to round-off (measured 9e-15 m, 1e-10 of 17 N).

    Supports know the weight, so there is no gravity.
    """
    flat = ld.zoo.snake_2d(pegs=pegs, mu_y=mu_y)
    contact = replace(flat.world.contact, tolerance=1e-10)
    flat = flat.changed(t_end=0.6, record_every=120, checks=(), contact=contact, gravity=(0.0, 0.0, 0.0))
    plane, space = (scenario.run(progress=False) for scenario in (flat, lifted(flat)))
    paths = [result.body_position.sel(body=LINKS).values for result in (plane, space)]
    forces = [result.contact_force.values for result in (plane, space)]
    assert np.abs(paths[0][-1] - paths[0][0]).max() > 0.05
    assert np.abs(forces[0]).max() > 1.0
    assert np.abs(paths[0] - paths[1]).max() < 1e-12
    assert np.abs(forces[0] - forces[1]).max() < 1e-8
    assert np.abs(space.body_position.values[..., 2]).max() == 0.0
