"""Pattern generators: the wave that coupled oscillators settle on, how fast, and what a robot does with it."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits import Command, pattern_generator

JOINTS = ["a", "b", "c", "d"]


def test_settles_on_the_serpenoid_wave_from_any_phases() -> None:
    """All joints have the amplitude and offset of the command and its lag from one to the next."""
    command = Command(amplitude=0.5, omega=3.0, lag=0.8, offset=0.1)
    laws = pattern_generator(JOINTS, command, 30.0, phases=(0.3, 2.0, -1.5, 0.9))
    times = np.linspace(25.0, 29.0, 400)
    basis = np.column_stack([np.ones_like(times), np.sin(3.0 * times), np.cos(3.0 * times)])
    fits = np.array([np.linalg.lstsq(basis, laws[name](times), rcond=None)[0] for name in JOINTS])
    np.testing.assert_allclose(fits[:, 0], 0.1, atol=1e-6)
    np.testing.assert_allclose(np.hypot(fits[:, 1], fits[:, 2]), 0.5, atol=1e-6)
    phases = np.arctan2(fits[:, 2], fits[:, 1])
    np.testing.assert_allclose(np.exp(1j * np.diff(phases)), np.exp(-0.8j), atol=1e-6)


def test_amplitude_follows_its_command_critically_damped() -> None:
    """r = R (1 - (1 + a t/2) exp(-a t/2)) from rest, and the wave of the oscillators that are in phase from the start."""
    laws = pattern_generator(JOINTS, Command(0.5, 3.0, 0.8), 4.0, gain=6.0)
    times = np.linspace(0.0, 4.0, 200)
    r = 0.5 * (1.0 - (1.0 + 3.0 * times) * np.exp(-3.0 * times))
    for k, name in enumerate(JOINTS):
        np.testing.assert_allclose(laws[name](times), r * np.sin(3.0 * times - 0.8 * k), atol=1e-7)


def test_phases_settle_with_the_slowest_mode_of_the_chain() -> None:
    """Small differences decay with w R times the eigenvalues 2 - 2 cos(k pi/n) of a path of n oscillators, k = 1 slowest."""
    n, w, amplitude = 4, 2.0, 0.5
    mode = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    laws = pattern_generator(JOINTS, Command(amplitude, 0.0, 0.0), 12.0, coupling=w, gain=40.0, phases=0.01 * mode)
    times = np.array([4.0, 8.0])
    theta = np.array([np.arcsin(laws[name](times) / amplitude) for name in JOINTS])  # oscillators that stand still
    size = mode @ theta
    rate = -np.log(size[1] / size[0]) / 4.0
    assert rate == pytest.approx(w * amplitude * (2.0 - 2.0 * np.cos(np.pi / n)), rel=1e-3)  # of small angles


def test_commands_change_the_wave_without_jumps() -> None:
    """Value and rate are continuous at a command that turns the wave round, and a robot takes the laws as imposed motion."""
    orders = [Command(0.4, 3.0, 0.9), Command(0.2, 5.0, -0.9, offset=0.3, at=5.0)]
    laws = pattern_generator(JOINTS, orders, 20.0)
    for law in laws.values():
        assert abs(law(5.001) - law(4.999)) < 2e-3 * 2.5 and abs(law.rate(5.001) - law.rate(4.999)) < 0.05
    late = np.linspace(18.0, 19.9, 200)
    assert np.abs(laws["b"](late) - 0.3).max() == pytest.approx(0.2, abs=1e-3)
    robot = ld.Robot("chain")
    link = robot.base("head", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.01))
    for name in JOINTS:
        link = robot.body(name, mass=1.0, inertia=ld.about_centre(zz=0.01)).on(link, at=(-0.2, 0, 0)).turning("z")
    result = ld.simulate(robot, imposed=laws, gravity=(0, 0, 0), t_end=8.0, dt=0.02, progress=False)
    assert np.abs(result.joint_position.sel(joint="c").values - laws["c"](result.time.values)).max() < 1e-12


@pytest.mark.parametrize(
    ("joints", "commands", "words"),
    [
        (["a"], Command(0.1, 1.0, 0.1), "two or more joints"),
        (JOINTS, [Command(0.1, 1.0, 0.1, at=1.0)], "first command of a pattern generator is at 0 s"),
        (JOINTS, [Command(0.1, 1.0, 0.1), Command(0.1, 1.0, 0.1, at=9.0)], "comes after the end"),
    ],
)
def test_refused(joints: list[str], commands: Command | list[Command], words: str) -> None:
    with pytest.raises(ld.InputError, match=words):
        pattern_generator(joints, commands, 5.0)
    with pytest.raises(ld.InputError, match="must not be negative"):
        Command(-0.1, 1.0, 0.1)
