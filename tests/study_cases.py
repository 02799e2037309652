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


def chain(n: int = 1, length: float = 1.0) -> ld.Scenario:
    """A pendulum of n links, whose series have n joints."""
    if length < 0.0:
        raise ld.InputError("a link has no length.")
    robot = ld.Robot("chain")
    parent, at = robot.base("ground", moves="fixed"), 0.0
    for k in range(n):
        link = robot.body(f"link_{k}", mass=1.0, centre=(0, 0, -length), inertia=ld.about_centre(xx=1e-3, yy=1e-3, zz=1e-3))
        parent, at = link.on(parent, at=(0, 0, at)).turning("y", name=f"joint_{k}"), -length
    return ld.Scenario("chain", robot, start={"joint_0": 0.1}, t_end=0.1, dt=0.01, integrator="rkmk4")


def shaker(swing: float = 0.1, omega: float = 4.0) -> ld.Scenario:
    """A mass of 0.5 kg on a slide with limits of 0.15 m, driven by ``swing`` sin(omega t) for a period of 64 records."""
    robot = ld.Robot("shaker")
    base = robot.base("ground", moves="fixed")
    robot.body("bob", mass=0.5).on(base).sliding("x", name="slide").limits(-0.15, 0.15)
    period = 2.0 * np.pi / omega
    return ld.Scenario("shaker", robot, imposed={"slide": ld.sine(swing, omega=omega)}, t_end=period, dt=period / 64)


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
