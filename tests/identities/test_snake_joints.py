"""Snakes whose yaw and pitch axes are apart, as those of the robot are by 2.2 cm (Transeth 2007, 7.4)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim.parameter import fill
from locodyn.zoo import snake_joints, snake_links
from locodyn.zoo.robots import snake_3d

pytestmark = pytest.mark.slow

APART, LENGTH = 0.022, 0.122


def snake(**parameters: Any) -> ld.Scenario:
    return ld.zoo.snake_3d(axis_offset=APART, **parameters).changed(checks=())


def moved(x: float, axis: str = "z", angle: float = 0.0) -> np.ndarray:
    """(4, 4): x along x, then a turn."""
    c, s = math.cos(angle), math.sin(angle)
    turn = {"z": [[c, -s, 0], [s, c, 0], [0, 0, 1]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]]}[axis]
    found = np.eye(4)
    found[:3, :3], found[0, 3] = turn, x
    return found


def test_every_link_is_where_its_axes_put_it() -> None:
    """From link to link: to the yaw axis, a turn about z, 2.2 cm to the pitch axis, a turn about y, to the next centre."""
    model = snake(n=5).model
    rng = np.random.default_rng(2)
    q = model.move(model.neutral(), rng.uniform(-1.0, 1.0, model.nv))
    assert model.compiled.coordinate_names[6:] == tuple(f"joint_{k}.{axis}" for k in range(1, 5) for axis in (0, 1))
    pose, half = np.eye(4), 0.5 * (LENGTH - APART)
    pose[:3, :3], pose[:3, 3] = model.pose("link_1", q)
    for k in range(1, 5):
        yaw, pitch = q[7 + 2 * (k - 1) :][:2]
        pose = pose @ moved(half, "z", yaw) @ moved(APART, "y", pitch) @ moved(half)
        rotation, place = model.pose(f"link_{k + 1}", q)
        np.testing.assert_allclose(rotation, pose[:3, :3], atol=1e-14)
        np.testing.assert_allclose(place, pose[:3, 3], atol=1e-14)
    straight = model.neutral()
    assert model.pose("link_5", straight)[1] == pytest.approx([4 * LENGTH, 0, 0])  # links are as long as with axes that meet


@pytest.mark.parametrize("gait, link", [("lateral", "link_11"), ("rolling", "link_6"), ("sidewinding", "link_6")])
def test_it_starts_where_the_snake_of_the_source_does(gait: str, link: str) -> None:
    """The last link, or the middle one, at the origin, and all of them on the ground; sidewinding begins with bent joints."""
    scenario = snake(gait=gait)
    model, q = scenario.model, scenario.initial_state()[0]
    assert model.pose(link, q)[1] == pytest.approx([0.0, 0.0, 0.0525], abs=1e-12)
    for k in range(1, 12 if gait != "sidewinding" else 1):
        assert model.pose(f"link_{k}", q)[1][2] == pytest.approx(0.0525, abs=1e-12)


def test_axes_that_meet_are_cardan_joints() -> None:
    """Crosses of no length are the Cardan joints of the snake of the source: mass matrix and bias to round-off."""
    p = fill(snake_3d.PARAMETERS, {"n": 6}, "snake_3d")
    one = snake_links.chain(p, "snake", "free", True, ld.Friction(0.2)).model()
    two = snake_joints.chain(p, "snake", ld.Friction(0.2)).model()
    rng = np.random.default_rng(5)
    q, v = one.move(one.neutral(), rng.uniform(-1.0, 1.0, one.nv)), rng.standard_normal(one.nv)
    assert two.compiled.coordinate_names == one.compiled.coordinate_names
    np.testing.assert_allclose(two.mass_matrix(q), one.mass_matrix(q), atol=1e-13)
    np.testing.assert_allclose(two.bias(q, v), one.bias(q, v), atol=1e-12)


def test_it_winds_sideways() -> None:
    """Transeth's gait, along +y within the bounds for axes that meet (test_snake_contact.py, test_sidewinding)."""
    run = snake(gait="sidewinding").changed(t_end=6.75).run(progress=False)
    assert run.status == "completed" and run.attributes["contact_unconverged_steps"] == 0
    x, y, _ = run.mass_centre.values[-1] - run.mass_centre.values[0]
    assert y > 0.2 and abs(x) < 0.15 * y  # row "side"


def test_what_needs_axes_that_meet_says_so() -> None:
    for parameters in ({"coordinates": "maximal"}, {"gait": "climbing"}, {"gait": "smoke_ring"}):
        with pytest.raises(ld.InputError, match="joints whose axes meet; leave axis_offset at 0"):
            snake(**parameters)
    with pytest.raises(ld.InputError, match=r"axis_offset is 0\.2 m, more than the 0\.122 m between joints"):
        ld.zoo.snake_3d(axis_offset=0.2)
