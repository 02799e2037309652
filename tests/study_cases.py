"""Scenarios and metrics of studies, in a module that other processes can import."""

import os
import signal
from pathlib import Path

import numpy as np

import locodyn as ld


def bob(length: float = 1.0, angle: float = 0.1, t_end: float = 0.5) -> ld.Scenario:
    """A mathematical pendulum."""
    robot = ld.Robot("bob")
    base = robot.base("ground", moves="fixed")
    robot.body("bob", mass=1.0, centre=(0, 0, -length), inertia=ld.about_centre(xx=1e-9, yy=1e-9, zz=1e-9)).on(base).turning(
        "y", name="swing"
    )
    return ld.Scenario("bob", robot, start={"swing": angle}, t_end=t_end, dt=0.01, integrator="rkmk4")


def last_angle(result: ld.Result) -> float:
    """Angle at the end, rad."""
    return float(result.joint_position.values[-1, 0])


def start_angle(result: ld.Result) -> float:
    """Angle at the start, rad."""
    return float(result.joint_position.values[0, 0])


def deadly(length: float = 1.0) -> ld.Scenario:
    """A run that takes its process along when the length is above 2 m."""
    if length > 2.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return bob(length)


def files(store: Path) -> dict[str, bytes]:
    """All files of a store with what is in them."""
    return {str(file.relative_to(store)): file.read_bytes() for file in sorted(store.rglob("*")) if file.is_file()}


def same(one: np.ndarray, two: np.ndarray) -> bool:
    """Bit for bit, NaN included."""
    return np.asarray(one).tobytes() == np.asarray(two).tobytes()
