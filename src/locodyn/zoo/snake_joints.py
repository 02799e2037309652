"""Joints of a snake whose yaw and pitch axes are apart, as those of the robot Aiko are by 2.2 cm (Transeth 2007, 7.4).

The yaw axis is as far from the middle of a joint as the pitch axis, which comes after it (which of them comes first is own
choice): links of the same length, coordinates of the same names as with axes that meet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits.snake_gaits import ON_A_POLE
from locodyn.robot import Friction, Robot, rotation_about
from locodyn.sim import Parameter
from locodyn.zoo import snake_links

AXES = Parameter("axis_offset", 0.0, "m", "Transeth (2007), 7.4: 2.2 cm", "from the yaw to the pitch axis of a joint", least=0.0)


def check(p: dict[str, Any]) -> None:
    """Refuse what asks for axes that meet."""
    apart = p["axis_offset"]
    if apart and (p["coordinates"] == "maximal" or p["gait"] in ON_A_POLE):
        what = "coordinates=maximal" if p["coordinates"] == "maximal" else f"the gait '{p['gait']}'"
        raise InputError(f"{what} has joints whose axes meet; leave axis_offset at 0.")
    if apart > p["length"]:
        raise InputError(f"axis_offset is {apart:g} m, more than the {p['length']:g} m between joints.")


def chain(p: dict[str, Any], name: str, friction: Friction) -> Robot:
    """Links along x, from the first to the last, with a cross without mass between each two: yaw about z, then pitch about y."""
    snake, link = Robot(name), snake_links.link_words(p)
    half, apart = (0.5 * (p["length"] - p["axis_offset"]), 0.0, 0.0), (p["axis_offset"], 0.0, 0.0)
    last = snake.base("link_1", moves="free", **link).collides(friction=friction)
    for k in range(1, p["n"]):
        cross = snake.body(f"cross_{k}").on(last, at=half).turning("z", name=f"joint_{k}.0")
        last = snake.body(f"link_{k + 1}", **link).on(cross, at=apart, body_at=half).turning("y", name=f"joint_{k}.1")
        last.collides(friction=friction)
    return snake


def link_pose(p: dict[str, Any], number: int, yaw: list[float], pitch: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position of link ``number`` in link 1, with axes that meet or not."""
    if not p["axis_offset"]:
        return snake_links.link_pose(p, number, yaw, pitch)
    rotation, position = np.eye(3), np.zeros(3)
    half, apart = 0.5 * (p["length"] - p["axis_offset"]), p["axis_offset"]
    for k in range(number - 1):
        turned = rotation @ rotation_about("z", yaw[k])
        after = turned @ rotation_about("y", pitch[k])
        position = position + half * (rotation[:, 0] + after[:, 0]) + apart * turned[:, 0]
        rotation = after
    return rotation, position
