"""A quadruped of ANYmal's kind: a trunk and four legs of hip, thigh and shank, 12 hinges, round feet; 30 kg.

Masses and lengths are rounded numbers of that robot's size, chosen here: SimBenchmark keeps the robot's file, of which nothing is
copied. MuJoCo gets the same robot through our MJCF writer.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import locodyn as ld

HIPS = {"LF": (0.28, 0.12), "RF": (0.28, -0.12), "LH": (-0.28, 0.12), "RH": (-0.28, -0.12)}
THIGH, SHANK, FOOT, OUT = 0.25, 0.33, 0.03, 0.10
STANCE = {"hip": 0.0, "thigh": 0.7, "knee": -1.4}  # rad, of the front legs; hind legs are mirrored


def robot(touches: bool = True, trunk_touches: bool = False) -> ld.Robot:
    """Free in the world; hips turn about x, thighs and knees about y; the feet touch, or the trunk."""
    dog = ld.Robot("quadruped")
    trunk = dog.base("trunk", mass=14.4, shape=ld.Box((0.53, 0.27, 0.24)))
    if trunk_touches:
        trunk.collides(friction=0.5)
    for leg, (x, y) in HIPS.items():
        side = np.sign(y)
        hip = dog.body(f"{leg}_hip", mass=1.4, shape=ld.Sphere(0.06)).on(trunk, at=(x, y, 0.0)).turning("x", name=f"{leg}_hip")
        upper = ld.Capsule(radius=0.04, length=THIGH, axis="z", at=(0.0, 0.0, -0.5 * THIGH))
        thigh = (
            dog.body(f"{leg}_thigh", mass=2.0, shape=upper).on(hip, at=(0.0, side * OUT, 0.0)).turning("y", name=f"{leg}_thigh")
        )
        lower = ld.Capsule(radius=0.02, length=SHANK, axis="z", at=(0.0, 0.0, -0.5 * SHANK))
        shank = dog.body(f"{leg}_shank", mass=0.5, shape=lower).on(thigh, at=(0.0, 0.0, -THIGH)).turning("y", name=f"{leg}_knee")
        if touches:
            shank.collides(ld.Sphere(FOOT, at=(0.0, 0.0, -SHANK)), name=f"{leg}_foot", friction=0.8)
    return dog


def stance() -> dict[str, float]:
    """Angles of the joints."""
    return {f"{leg}_{joint}": angle if leg.endswith("F") else -angle for leg in HIPS for joint, angle in STANCE.items()}


def height() -> float:
    """Of the trunk above the ground on all feet, m."""
    first, second = STANCE["thigh"], STANCE["thigh"] + STANCE["knee"]
    return float(THIGH * np.cos(first) + SHANK * np.cos(second) + FOOT)


@cache
def mjcf(touches: bool) -> str:
    """The robot as MJCF text, written by our exporter."""
    with tempfile.TemporaryDirectory(prefix="locodyn-") as folder:
        file = Path(folder) / "quadruped.xml"
        ld.save_robot(robot(touches), file)
        return file.read_text(encoding="utf-8")
