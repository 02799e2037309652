"""A snake robot wound about a pole (Transeth 2007, 2.4: the smoke ring of Dowling 1999, Nilsson 1997): the pole, the posture.

The pole is as thick as the helix of the gait lets it be; the joints are bent a little further, and so hold on to it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits.rolling_helix import Screw, posture
from locodyn.gaits.snake_gaits import screw_of
from locodyn.robot import Cylinder
from locodyn.robot.pose import quaternion_of_rotation
from locodyn.sim import Result
from locodyn.world import Obstacle
from locodyn.zoo import snake_links

CLEARANCE = 1e-4  # m, at the start
HEIGHT = 0.5  # m, of the middle link at the start


def screw(p: dict[str, Any]) -> Screw:
    """The helix on the surface of the pole."""
    found = screw_of(p["gait"], p["n"] - 1, p["scale"])
    if not 0.0 < found.bend < 0.5 * math.pi or found.room(p["length"], p["radius"]) <= CLEARANCE:
        raise InputError(
            f"links of the gait '{p['gait']}' bend by {math.degrees(found.bend):.3g} degrees and leave no room for a pole; take a"
            " smaller scale, or longer or thinner links."
        )
    return found


def pole(p: dict[str, Any]) -> Obstacle:
    """An endless upright cylinder that the posture at the start just does not touch."""
    radius = screw(p).room(p["length"], p["radius"]) - CLEARANCE
    return Obstacle(Cylinder(radius), at=(0.0, 0.0), name="pole", friction=p["mu_pole"])


def start(p: dict[str, Any]) -> tuple[np.ndarray, list[float]]:
    """Pose of link 1 (position, quaternion) and joint angles, yaw and pitch in turn: wound to the left about the z axis."""
    helix, middle = screw(p), (p["n"] - 1) // 2 + 1
    yaw, pitch, _ = posture(helix, p["n"] - 1)
    centre, up = helix.centre(p["length"]), helix.axis
    inward = centre / np.linalg.norm(centre)
    axes = np.array([np.cross(inward, up), inward, up])
    rotation, position = snake_links.link_pose(p, middle, list(yaw), list(pitch))
    first = axes @ rotation.T
    place = np.array([0.0, 0.0, HEIGHT]) - axes @ centre - first @ position
    angles = [float(angle) for both in zip(yaw, pitch, strict=True) for angle in both]
    return np.array([*place, *quaternion_of_rotation(first)]), angles


def rolling_speed(p: dict[str, Any]) -> float:
    """Upward speed of links that roll on the pole without slip: r omega cos a, m/s."""
    return float(p["radius"] * p["omega"] * math.cos(screw(p).rise))


def climbed(result: Result) -> float:
    """Mean upward speed of the mass centre in the last whole period of the gait, m/s; not a number in shorter runs."""
    period = math.tau / result.parameters["omega"]
    t, z = result.time.values, result.mass_centre.values[:, 2]
    begin = int(np.searchsorted(t, t[-1] - period - 1e-9))
    return float((z[-1] - z[begin]) / (t[-1] - t[begin])) if t[-1] >= period else math.nan
