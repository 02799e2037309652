"""Robots on a device: the program that a graphics card gets, run on this machine, gives the bits of the processor's kernels.

Independent calculation: compiled another way (no vectors, tables as constants, memory of each robot anew) from the same source.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from card_emulator import EmulatedCard, emulated
from locodyn import InputError, Scenario, zoo
from locodyn.device import driver, launch
from locodyn.device.card_program import ENTRY, FiledRobots
from locodyn.device.code import entry_of, optimised, program, ptx
from locodyn.device.image import Image, _Region
from locodyn.device.launch import DeviceRobots
from locodyn.integrate.robots import Robots
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.primitives import fma, sincos
from locodyn.sim import ScenarioBatch

STEPS = 12


class Turn(Bundle):
    """Memory of the kernel below: numbers that all robots share, and room for one robot."""

    table: np.ndarray
    room: np.ndarray


@compiled(called=True)
def swung(table, angle, k):
    """One value of a wave, by a routine."""
    sine, cosine = sincos(angle)
    return fma(table[k], sine, 0.1 * cosine)


@compiled
def rotated(robots, turn, chosen, count):
    """``count`` steps of a toy."""
    for n in range(chosen.shape[0]):
        r = chosen[n]
        for _ in range(count):
            for k in range(turn.room.shape[0]):
                turn.room[k] = swung(turn.table, robots.q[r, k], k)
            for k in range(turn.room.shape[0]):
                robots.q[r, k] += turn.room[turn.room.shape[0] - 1 - k] / 3.0
        robots.done[r] += count


def test_a_program_has_the_bits_of_the_kernel() -> None:
    """A toy instead of a robot, because the program of the smallest robot takes half a minute to compile."""
    start = np.linspace(-7.0, 9.0, 12).reshape(4, 3)
    states = []
    for device in (None, "host"):
        robots = Robots(
            q=start.copy(), v=np.zeros((4, 3)), own=np.zeros((4, 0), dtype=np.int64), done=np.zeros(4, dtype=np.int64),
            failed=np.full(4, -1),
        )  # fmt: skip
        turn = Turn(table=np.array([0.7, -0.2, 1.1]), room=np.zeros(3))
        launched = rotated if device is None else partial(DeviceRobots(robots, device).launch, rotated)
        for chosen in (np.arange(4), np.array([1, 3])):
            launched(robots, turn, chosen, 5)
        states.append(robots)
    np.testing.assert_array_equal(states[0].q, states[1].q)
    assert states[1].done.tolist() == [5, 10, 5, 10] and not np.array_equal(states[1].q, start)


def swing(x: float = 1.0) -> Scenario:
    return zoo.pendulum(n=2).changed(integrator="rkmk4", dt=0.01, gravity=(0, 0, -9.81 * x))


KINDS: dict[str, Callable[[float], Scenario]] = {
    "tree": swing,
    "wheels": lambda x: zoo.snakeboard(m_r=2.0 * x, a_phi=0.3 * x),
    "hard contact": lambda x: zoo.snake_3d(mu_x=0.2 * x, mass=0.7 * x),
    "rods": lambda x: zoo.rod_drop(E=1e6 * x),
    "rods by collocation": lambda x: zoo.rod_drop(E=1e6 * x).changed(integrator="radau3"),
}


def same(one: ScenarioBatch, other: ScenarioBatch) -> None:
    for a, b in ((one.q, other.q), (one.v, other.v), (one.memory, other.memory), (one.time, other.time)):
        np.testing.assert_array_equal(a, b)
    assert one.status == other.status


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_device_gives_the_bits_of_the_processor(name: str) -> None:
    """Robots that differ, in two calls, after a reset of one of them."""
    scenarios = [KINDS[name](x) for x in (1.0, 1.3, 0.8)]
    here, there = ScenarioBatch(scenarios), ScenarioBatch(scenarios, device="host")
    for many in (here, there):
        many.advance(1)
        many.advance(STEPS)
        many.reset([1])
        many.advance(STEPS, [1])
    same(here, there)
    assert not np.array_equal(there.q[0], there.q[2])


@pytest.mark.slow
def test_what_robots_share_lies_beside_what_they_have_of_their_own() -> None:
    """Frequencies differ, the phase is common: of the tables of laws, neighbours in memory, one goes here and one there."""

    def swayed(omega: float) -> Scenario:
        robot = ld.Robot("swayed")
        robot.body("arm", mass=1.0, centre=(0.3, 0, 0), inertia=ld.about_centre(yy=0.02)).on(
            robot.base("ground", moves="fixed")
        ).turning("y")
        robot.body("hand", mass=0.2, centre=(0.1, 0, 0), inertia=ld.about_centre(yy=0.01)).on("arm", at=(0.6, 0, 0)).turning("y")
        imposed = {"arm": ld.sine(0.5, omega=omega, phase=0.7)}
        return Scenario("swayed", robot, imposed=imposed, integrator="rkmk4", dt=0.01, t_end=1.0)

    scenarios = [swayed(omega) for omega in (1.0, 2.0, 3.0)]
    here, there = ScenarioBatch(scenarios), ScenarioBatch(scenarios, device="host")
    for many in (here, there):
        many.advance(STEPS)
    same(here, there)
    np.testing.assert_allclose(there.q[:, 0], 0.5 * np.sin(0.01 * STEPS * np.array([1.0, 2.0, 3.0]) + 0.7), rtol=1e-12)


def test_neighbours_in_memory_are_not_taken_for_each_other() -> None:
    rows = np.arange(24.0).reshape(3, 8)
    keys = [(row.ctypes.data, row.ctypes.data + row.nbytes) for row in rows]
    region = _Region({keys[k]: rows[k].view(np.uint8) for k in (0, 2)}, set(), set())
    assert region.distance(keys[0][0] + 56) == region.distance(keys[0][0]) + 56
    with pytest.raises(KeyError):
        region.distance(keys[1][0])
    with pytest.raises(KeyError):
        region.distance(keys[2][1])


@pytest.mark.slow
def test_actions_reach_the_device() -> None:
    here, there = (swing().batch(2, actions=["joint_1"], device=device) for device in (None, "host"))
    for many in (here, there):
        many.step(np.array([[0.5], [-0.2]]), steps=3)
        many.step(steps=2)
    same(here, there)
    assert there.v[0, 0] > there.v[1, 0]


@pytest.mark.slow
def test_environments_step_on_a_device() -> None:
    """The same observations, rewards and ends, also of episodes that begin anew."""
    envs = pytest.importorskip("locodyn.envs")
    task = envs.Task(
        scenario=swing(), actions=("joint_1",), observe=("joint_1", "v.joint_2"), reward={"joint_1": 1.0}, episode=0.04
    )
    here, there = (envs.LocodynVectorEnv(task, 2, device=device) for device in (None, "host"))
    for many in (here, there):
        many.reset(seed=1)
    for row in np.random.default_rng(0).uniform(-1.0, 1.0, (4, 2, 1)):
        for one, other in zip(here.step(row)[:4], there.step(row)[:4], strict=True):
            np.testing.assert_array_equal(one, other)


def sprung() -> Scenario:
    """A mass on a spring: its force is a late kernel."""
    robot = ld.Robot("sprung")
    bob = robot.body("bob", mass=2.0).on(robot.base("ground", moves="fixed")).sliding("z")
    robot.spring("spring", ("world", (0, 0, 1)), bob, stiffness=40.0, rest_length=0.5)
    return ld.Scenario("sprung", robot, start={"bob": 0.1}, integrator="rkmk4", dt=0.01, t_end=1.0)


@pytest.mark.slow
def test_a_robot_that_reaches_what_was_left_out_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Late kernels that no run has reached are not in the program; robots that ask for one are stepped again with all of them."""
    programs = []

    class Watched(launch.HostProgram):
        def __init__(self, kernel: Any, entry: Any, needed: Any) -> None:
            programs.append(needed(object()))
            super().__init__(kernel, entry, needed)

    monkeypatch.setattr(launch, "HostProgram", Watched)
    monkeypatch.setattr(launch, "reached", set)
    here, there = (sprung().batch(2, device=device) for device in (None, "host"))
    for many in (here, there):
        many.advance(STEPS)
    same(here, there)
    assert programs == [False, True]


def assembly(scenario: Scenario) -> tuple[str, str, int]:
    """Optimised LLVM code and assembly for a card, and the bytes of memory of a robot."""
    batch = scenario.batch(1, threads=1)
    (one, turn), taken = batch._workers[0], []
    one.stepper.robots(batch.robots, turn, np.zeros(1, dtype=np.int64), 1, lambda *arguments: taken.append(arguments))
    kernel, robots, _, chosen, count, *arguments = taken[0]
    image = Image(["robots", turn, "chosen", "count", *arguments])
    types = tuple(map(launch.typeof, (robots, turn, chosen, count, *arguments)))
    entry = entry_of(types, image)
    module = optimised(program(kernel, entry, True, lambda late: False), True)
    return str(module), ptx(module), 8 * entry.words


@functools.cache
def assembly_of_swing() -> tuple[str, str, int]:
    """And the bytes of memory of such a robot."""
    return assembly(swing())


@pytest.mark.slow
def test_assembly_rounds_as_the_processor_and_has_all_its_parts() -> None:
    """Products are fused with sums where a kernel says so, nowhere else; nothing is computed in float32, nothing is missing."""
    code, text, _ = assembly_of_swing()
    fused = len(re.findall(r"call double @llvm\.fma\.f64", code))
    assert len(re.findall(r"\bfma\.rn\.f64", text)) == fused > 0
    assert not re.search(r"\.(f32|approx)", text)
    assert re.search(rf"\.visible \.entry {ENTRY}\(", text)
    assert not re.search(r"^\s*\.extern", text, re.MULTILINE)


@pytest.mark.slow
def test_a_thread_has_the_memory_of_its_robot_and_little_more() -> None:
    """Beside the robot, assembly puts into local memory what it reaches by an index or hands over by address.

    That is less than the registers of a thread hold (255 of 4 bytes); what the assembler spills is seen below.
    """
    _, text, own = assembly_of_swing()
    depots = [int(size) for size in re.findall(r"\.local[^;\n]*__local_depot\d+\[(\d+)\]", text)]
    assert own <= sum(depots) <= own + 255 * 4


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ptxas") is None, reason="the assembler belongs to NVIDIA's toolkit, which is not here")
def test_the_assembler_takes_it(tmp_path: Path) -> None:
    file = tmp_path / "code.ptx"
    file.write_text(assembly_of_swing()[1])
    said = subprocess.run(
        ["ptxas", "-v", "-arch=sm_80", str(file), "-o", str(tmp_path / "code.cubin")], capture_output=True, text=True, check=True
    ).stderr
    registers, spilled = (int(re.findall(words, said)[0]) for words in (r"Used (\d+) registers", r"(\d+) bytes spill stores"))
    assert registers <= 255 and spilled < 1024  # all that a thread has; a small robot hardly spills


@pytest.mark.slow
def test_what_robots_share_is_not_written() -> None:
    """Arrays that are declared to be read only hold the same numbers after steps of every kind of kernel."""
    batch = swing().batch(2, threads=1)
    (one, turn), taken = batch._workers[0], []
    one.stepper.robots(batch.robots, turn, np.zeros(1, dtype=np.int64), 1, lambda *arguments: taken.append(arguments))
    image = Image(["robots", turn, "chosen", "count", *taken[0][5:]])
    image.fill(0)
    before = image.common.copy()
    batch.advance(STEPS)
    image.fill(0)
    np.testing.assert_array_equal(image.common, before)
    assert image.common.any()


class InPlace:
    """An array of the emulated card, whose memory is here, for NumPy."""

    def __init__(self, array: Any) -> None:
        self.__array_interface__ = array.__cuda_array_interface__


@pytest.mark.slow
def test_a_card_has_the_states_and_gives_them_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that surrounds a launch, on a card in the memory of this machine: copies, tables, actions, resets, records."""
    emulated(monkeypatch)
    here, there = (swing().batch(3, actions=["joint_1"], device=device) for device in (None, "cuda"))
    for many in (here, there):
        many.step(np.array([[0.5], [-0.2], [0.1]]), steps=3)
        many.reset([1])
        many.advance(2, [0, 2])
    same(here, there)
    assert there.on_device["q"].get().tolist() == here.q.tolist()
    # Actions from the memory of the card, and written there.
    actions = np.array([[0.3], [0.1], [0.2]])
    here.step(actions)
    there.step(driver.DeviceArray(EmulatedCard(), actions))
    same(here, there)
    shared = np.asarray(InPlace(there.on_device["action"]))
    assert shared.tolist() == actions.tolist()
    shared[:] = 2.0 * shared
    there.advance(2)
    here.step(2.0 * actions, steps=2)
    same(here, there)
    with pytest.raises(InputError, match="must lie row after row in its memory"):
        driver.fetched(driver.DeviceColumns(driver.DeviceArray(EmulatedCard(), np.zeros((3, 2))), 1).__cuda_array_interface__)
    one, other = (swing().changed(t_end=0.1).batch(2, device=device).run(record_every=2) for device in (None, "cuda"))
    assert one.identical(other)


@pytest.mark.slow
def test_steps_in_a_file_run_where_the_card_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    emulated(monkeypatch)
    batch = ScenarioBatch([swing(x) for x in (1.0, 1.3)])
    (one, turn), taken = batch._workers[0], []
    one.stepper.robots(batch.robots, turn, np.arange(2), 1, lambda *arguments: taken.append(arguments))
    launch.file_steps(tmp_path / "swing.npz", *taken[0])
    there = FiledRobots(launch.Card(), tmp_path / "swing.npz", 5)
    there.advance(STEPS)
    batch.advance(STEPS)
    for name in ("q", "v", "done"):
        np.testing.assert_array_equal(there.arrays[name].get(), getattr(batch.robots, name)[[0, 1, 0, 1, 0]])


def test_a_card_that_is_full_says_how_many_robots_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A robot of two joints has four numbers, two counters and what it brings along."""
    emulated(monkeypatch)
    many = swing().batch(8)
    each = sum(getattr(many.robots, name).nbytes for name in many.robots.field_places()) // 8
    monkeypatch.setattr(EmulatedCard, "free", 5 * each)
    with pytest.raises(
        InputError, match=r"the states of 8 robots need .* GiB, and the emulated card has .* left: 5 robots fit\."
    ):
        swing().batch(8, device="cuda")
    monkeypatch.setattr(EmulatedCard, "free", 1024)
    with pytest.raises(InputError, match=r"GiB of memory left, and .* GiB are asked for; take fewer robots"):
        driver.DeviceArray(EmulatedCard(), np.zeros(1000))


def test_local_memory_that_the_driver_holds_serves_the_next_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept from launch to launch: a second program as large as the first fits although no more is free."""
    monkeypatch.setattr(EmulatedCard, "local_held", 0)
    monkeypatch.setattr(EmulatedCard, "free", 1000)
    card = EmulatedCard()
    assert card.lacks(1001) == (1001, 1000) and card.lacks(1000) is None
    card.launched(1000)
    monkeypatch.setattr(EmulatedCard, "free", 0)
    assert card.lacks(1000) is None and card.lacks(1001) == (1001, 1000)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="device is 'gpu'; it must be one of 'cuda', 'host', or None"):
        swing().batch(2, device="gpu")
    driver._driver.cache_clear()
    monkeypatch.setattr(driver, "_LIBRARIES", {})
    with pytest.raises(InputError, match='there is no driver of an NVIDIA card on this machine; leave device="cuda" away'):
        swing().batch(2, device="cuda")
    driver._driver.cache_clear()
