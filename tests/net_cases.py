"""Nets of pinned rods that hang from a rail, and platforms on many rods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.motion import Law

SOFT = ld.Material(1e7, 1100.0)
LENGTH = 0.1  # m, of a rod
KNOT, PIN = 0.01, 1e-3  # kg


def net(strings: int, deep: int = 4, doubled: bool = False, **rods: Any) -> ld.Robot:
    """Strings of ``deep`` rods that hang from a rail side by side; rods across them, all pinned at both ends, close loops.

    ``doubled``: each loop is closed twice, so that half of the rows depend on others.
    """
    words: dict[str, Any] = {"section": ld.Circle(0.002), "material": SOFT, "bending": 1, "nodes": 3, "damping": 5e-3}
    words |= {"length": LENGTH} | rods
    robot = ld.Robot("net")
    rail = robot.body("rail", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("y", name="shake")

    def pinned(name: str, parent: ld.BodyHandle, **place: Any) -> ld.BodyHandle:
        pin = robot.body(f"pin_{name}", mass=PIN, shape=ld.Sphere(0.005)).on(parent, **place)
        return pin.universal("y", "z", name=f"pin_{name}").rod(name, **words)

    knots = {}
    for j in range(strings):
        parent, place = rail, {"at": (LENGTH * j, 0.0, 0.0), "turned": ("y", math.pi / 2)}
        for i in range(1, deep + 1):
            tip = pinned(f"v{i}_{j}", parent, **place)
            parent = knots[i, j] = robot.body(f"k{i}_{j}", mass=KNOT, shape=ld.Sphere(0.01)).on(tip).fixed()
            place = {}
    for (i, j), knot in knots.items():
        if j + 1 < strings:
            tip = pinned(f"h{i}_{j}", knot, turned=("y", -math.pi / 2))
            for n in range(1 + doubled):
                robot.loop(f"c{i}_{j}_{n}", tip, knots[i, j + 1], joint="spherical")
    return robot


def platform(legs: int, **rods: Any) -> ld.Robot:
    """A plate on so many clamped rods, inclined in pairs; it stands on the first, the others close loops."""
    words: dict[str, Any] = {"section": ld.Circle(0.002), "material": ld.Material(1e8, 1100.0), "bending": 1, "stretch": 1}
    words |= {"nodes": 3, "damping": 5e-3} | rods
    robot = ld.Robot("platform")
    ground, centre = robot.base("ground", moves="fixed"), np.array([0.0, 0.0, 0.2])
    tips, tops, turns = [], [], []
    for k in range(legs):
        angle, lean = 2.0 * math.pi * k / legs, (0.4 if k % 2 else -0.4)
        foot = 0.2 * np.array([math.cos(angle), math.sin(angle), 0.0])
        top = centre + 0.1 * np.array([math.cos(angle + lean), math.sin(angle + lean), 0.0])
        along = (top - foot) / np.linalg.norm(top - foot)
        across = np.cross([0.0, 0.0, 1.0], along) / np.linalg.norm(np.cross([0.0, 0.0, 1.0], along))
        turns.append(np.column_stack([along, across, np.cross(along, across)]))
        length = float(np.linalg.norm(top - foot))
        tips.append(ground.rod(f"leg_{k}", length=length, at=tuple(foot), turned=turns[-1], **words))
        tops.append(top)
    plate = robot.body("plate", mass=0.05, shape=ld.Cylinder(0.1, 0.005))
    plate.on(tips[0], turned=turns[0].T, body_at=tuple(centre - tops[0])).ball(name="plate")
    for k in range(1, legs):
        plate.marker(f"top_{k}", at=tuple(tops[k] - centre))
        robot.loop(f"ball_{k}", f"top_{k}", tips[k], joint="spherical")
    return robot


def shaken(robot: ld.Robot, **given: Any) -> ld.Scenario:
    """The rail goes to and fro across the net."""
    law: Law = ld.sine(0.02, omega=8.0)
    return ld.Scenario(robot.name, robot, imposed={"shake": law}, dt=5e-3, **({"t_end": 0.1} | given))
