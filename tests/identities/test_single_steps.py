"""Steps whose tables are kept in float32: what is rounded, what is not, and how far a run goes from that of float64.

Run as the program of a card on this machine. Bounds come from the unit round-off u = 2^-24: an acceleration whose recursion
stores float32 is right to some u of the largest one of the run; what an error of that size becomes over a run is measured on the
processor, in float64, by a start that is changed a little.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn import InputError, Scenario, zoo
from locodyn.device import single
from locodyn.device.bundle import device_type
from locodyn.device.image import Image
from locodyn.device.launch import DeviceRobots
from locodyn.device.single import CONSTANTS, FEW, MOST, ROUNDING
from locodyn.integrate.robots import Robots
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.swap import Swap, bring, swap_of, take
from locodyn.locomotion.constraints import POSITION_LIMIT
from locodyn.sim import ScenarioBatch
from locodyn.zoo.robots.four_bar import assembled

U = 2.0**-24


class NewtonMatrix(Bundle):
    """Called as one whose tables are kept single: ``real`` and ``pair``."""

    real: np.ndarray
    pair: np.ndarray
    weight: np.ndarray


class Turn(Bundle):
    """Memory of the kernel below."""

    matrix: NewtonMatrix
    swap: Swap


@compiled
def multiplied(robots, turn, chosen, count):
    """Tables from products of the robot's numbers, in turn with what it brings; its numbers from them."""
    m = turn.matrix
    for n in range(chosen.shape[0]):
        r = chosen[n]
        bring(turn.swap, robots.own[r])
        for _ in range(count):
            for i in range(2):
                for j in range(2):
                    m.real[i, j] += robots.q[r, i] * robots.q[r, j]
                    m.pair[i, j] = complex(robots.q[r, i] / 3.0, m.real[i, j])
                m.weight[i] = m.real[i, 0] / 7.0
        for i in range(2):
            robots.v[r, i] = m.pair[i, 1].real + m.pair[1, i].imag + m.weight[i]
        take(turn.swap, robots.own[r])


@pytest.mark.parametrize("is_single", [False, True])
def test_tables_are_rounded_when_they_are_written_and_nothing_else(is_single: bool) -> None:
    """Independent calculation: NumPy's float32, rounded by hand where the kernel stores; also through what robots bring along."""
    rounded: Callable[[Any], Any] = np.float32 if is_single else np.float64
    q = np.array([[0.1, 0.7], [-1.3, 3.1], [1e-3, 1e3]])
    matrix = NewtonMatrix(real=np.zeros((2, 2)), pair=np.zeros((2, 2), dtype=complex), weight=np.zeros(2))
    turn = Turn(matrix=matrix, swap=swap_of([matrix.real.reshape(-1), matrix.weight]))
    own = np.zeros((3, 6))
    own[:, :4] = np.float32(0.3)
    robots = Robots(
        q=q.copy(), v=np.zeros((3, 2)), own=own.view(np.int64), done=np.zeros(3, dtype=np.int64), failed=np.full(3, -1)
    )
    DeviceRobots(robots, "host", single=is_single).launch(multiplied, robots, turn, np.arange(3), 4)
    for r in range(3):
        table = np.full((2, 2), rounded(np.float32(0.3)))
        for _ in range(4):
            table = rounded(table.astype(float) + np.outer(q[r], q[r]))
        table = table.astype(float)
        pair = rounded(q[r] / 3.0).astype(float)
        weight = table[:, 0] / 7.0  # of one axis: it is not rounded
        wanted = [pair[i] + float(rounded(table[1, i])) + weight[i] for i in range(2)]
        assert robots.v[r].tolist() == wanted
        assert robots.own.view(float)[r].tolist() == [*table.ravel(), *weight]


def test_a_robot_needs_less_memory() -> None:
    """Of what is kept single, half; of the rest, all."""
    matrix = NewtonMatrix(real=np.zeros((20, 20)), pair=np.zeros((20, 20), dtype=complex), weight=np.zeros(8))
    sizes = [8 * len(Image([matrix], is_single).own) for is_single in (False, True)]
    assert 0 <= sizes[0] - 8 * (1200 + 8) <= 3 * 64 and 0 <= sizes[1] - (4 * 1200 + 8 * 8) <= 3 * 64  # alignment


def test_overlapping_tables_are_told() -> None:
    """A part of a table that is kept single cannot be kept otherwise."""
    table = np.zeros((4, 4))
    matrix = NewtonMatrix(real=table, pair=np.zeros((1, 1), dtype=complex), weight=table[1])
    with pytest.raises(RuntimeError, match="only one of both is kept single"):
        Image([matrix], True)


def test_what_is_kept_single_and_the_tolerances_are_there() -> None:
    """Every name that is told stands where it is said to; tolerances of float64 are smaller, and those told multiples of u."""
    kinds = {kind.__name__: kind for kind in _all_bundles()}
    for kind, names in single.KEPT.items():
        assert names <= set(kinds[kind].field_places())
    for module, constants in CONSTANTS.items():
        for name, value in constants.items():
            assert getattr(importlib.import_module(module), name) < value < 1e-3
    assert ROUNDING == U and FEW < MOST
    arrays = zoo.rod_drop().problem.workspace._numba_type_
    seen = device_type(arrays, True)
    assert seen.entries["work"][0].dtype == single.single and device_type(arrays).entries["work"][0].dtype != single.single
    assert seen.entries["poses"][0].dtype == device_type(arrays).entries["poses"][0].dtype


def _all_bundles() -> list[type[Bundle]]:
    for module in ("integrate.implicit.arrays", "locomotion.arrays", "locomotion.constraint_arrays", "locomotion.residual"):
        importlib.import_module(f"locodyn.{module}")
    found, waiting = [], [Bundle]
    while waiting:
        more = waiting.pop().__subclasses__()
        found += [one for one in more if one.__module__.startswith("locodyn.")]
        waiting += more
    return found


# ------------------------------------------------------------------------------------------------------------------ runs
def falling_bars() -> Scenario:
    """A loop that nothing drives."""
    lengths = {"l_1": 0.1, "l_2": 0.3, "l_3": 0.25, "d": 0.3, "r_0": 0.6}
    return zoo.four_bar().changed(imposed={}, start={"joint_1": 0.6, **assembled(lengths)})


# Scenario, steps of a run.
RUNS: dict[str, tuple[Callable[[], Scenario], int]] = {
    "tree": (lambda: zoo.pendulum(n=3).changed(integrator="rkmk4", dt=2e-3), 400),
    "tree, adams": (lambda: zoo.pendulum(n=3).changed(integrator="adams", dt=2e-3), 400),
    "tree, variational": (lambda: zoo.pendulum(n=3).changed(integrator="variational", dt=2e-3), 400),
    "water": (zoo.eel, 100),
    "wheels": (zoo.snakeboard, 300),
    "loop": (falling_bars, 200),
    "rod": (zoo.rod_drop, 60),
    "rod, generalized_alpha": (lambda: zoo.rod_drop().changed(integrator="generalized_alpha", dt=2e-3), 150),
    "rods in a loop": (zoo.cpr_rfrfr, 300),
}
CHANGE = 1e-7  # of each velocity at the start, to see what becomes of an error


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_with_that_of_float64(name: str) -> None:
    """Within ``FEW`` u of the largest acceleration at every instant, over what such an error becomes; and not bit by bit.

    A defect d of the accelerations, all along, moves the end as a change of the velocity at the start by d T does at most, times
    how much such a change grows. Where a run is its rows, as that of a snakeboard whose joints are imposed, velocities do not
    depend on how accelerations are rounded: the bound holds with a growth of 1.
    """
    made, steps = RUNS[name]
    scenario = made()
    here, there = scenario.batch(1, actions=()), scenario.batch(1, actions=(), device="host", dtype="float32")
    speeds = [here.v[0].copy()]
    for _ in range(steps):
        here.advance(1)
        speeds.append(here.v[0].copy())
    there.advance(steps)
    assert there.status == ["sound"]
    largest = float(np.abs(np.diff(speeds, axis=0)).max()) / here.dt
    allowed = FEW * largest * steps * here.dt * _growth(scenario, steps, here)
    for one, other in ((here.q, there.q), (here.v, there.v)):
        assert float(np.abs(one - other).max()) < allowed
    assert not np.array_equal(here.v, there.v)
    assert allowed < 0.05 * float(np.abs(speeds).max())  # the bound says something


def _growth(scenario: Scenario, steps: int, here: ScenarioBatch) -> float:
    """How much larger small changes of the velocities at the start, within the rows, are at the end of the run ``here``."""
    changed, start = scenario.batch(3, actions=()), scenario.batch(1, actions=()).v
    rng = np.random.default_rng(1)
    changed.reset(v=changed.v + CHANGE * rng.uniform(-1.0, 1.0, changed.v.shape))
    begun = np.abs(changed.v - start).max(axis=1)
    changed.advance(steps)
    moved = np.maximum(np.abs(changed.q - here.q).max(axis=1), np.abs(changed.v - here.v).max(axis=1))
    return max(1.0, float((moved[begun > 0.0] / begun[begun > 0.0]).max(initial=0.0)))


@pytest.mark.slow
def test_time_is_that_of_float64_after_ten_million_steps() -> None:
    """Imposed joints are where their laws say, to the bits of the processor, whatever the number of the step."""
    ends = []
    for options in ({}, {"device": "host", "dtype": "float32"}):
        many = zoo.snakeboard().batch(2, **options)
        many._here("done", written=True).done[:] = 10_000_000
        many.advance(3)
        ends.append(many.q[0, 3:].copy())  # rotor and axles are imposed
    np.testing.assert_array_equal(ends[0], ends[1])
    assert np.abs(ends[0]).max() > 1e-3


@pytest.mark.slow
def test_rows_hold_as_closely_as_ever_and_the_energy_account_closes() -> None:
    """A loop is closed to the tolerance of float64, at every record: its rows, their factors and its state are float64."""
    data = falling_bars().batch(1, actions=(), device="host", dtype="float32").run(t_end=0.5, record_every=10, energy=True)
    crank, coupler, rocker = data.q.values[0].T
    tip = 0.1 * np.exp(1j * crank) + 0.3 * np.exp(1j * (crank + coupler))  # of the bars, whose pin closes the loop
    gap = np.abs(tip - (0.3 + 0.25 * np.exp(1j * rocker)))
    assert np.ptp(crank) > 0.1 and gap.max() < POSITION_LIMIT
    assert data.energy_account.values.tolist() == ["closes"]
    assert data.attrs["dtype"] == "float32"
    data = zoo.rod_drop().batch(1, device="host", dtype="float32").run(t_end=0.3, energy=True)
    assert data.energy_account.values.tolist() == ["closes"]


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["gauss2", "radau3"])
def test_stages_in_turn_have_the_bits_of_stages_side_by_side(integrator: str) -> None:
    """In float64, of a rod on a hub that flies and turns, with an imposed and a driven joint; radau3 has a real block too."""
    robot = ld.Robot("spun")
    moment = ld.about_centre(xx=0.01, yy=0.02, zz=0.015)
    hub = robot.base("hub", mass=0.2, inertia=moment, moves="free")
    arm = robot.body("arm", mass=0.1, inertia=moment).on(hub, at=(0.05, 0.0, 0.0)).turning("z", name="shoulder")
    hand = robot.body("hand", mass=0.1, inertia=moment).on(arm, at=(0.1, 0.0, 0.0)).turning("y", name="wrist")
    hand.rod("rod", length=0.4, section=ld.Circle(0.01), material=ld.silicone, bending=2, torsion=1, nodes=6)
    scenario = Scenario(
        "spun", robot, imposed={"shoulder": ld.sine(0.5, omega=5.0)}, torque={"wrist": ld.sine(0.2, omega=9.0)},
        start=ld.Start(velocities={"wrist": 2.0}), integrator=integrator, dt=2e-3, t_end=1.0,
    )  # fmt: skip
    here, there = (scenario.batch(2, actions=(), device=device) for device in (None, "host"))
    for many in (here, there):
        spin = many.v[1] + np.where(np.arange(len(many.v[1])) < 6, 1.5, 0.1)
        many.reset([1], v=spin)
        many.advance(40)
    np.testing.assert_array_equal(here.q, there.q)
    np.testing.assert_array_equal(here.v, there.v)
    assert np.abs(here.q[0] - here.q[1]).max() > 0.01


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: zoo.snakeboard().batch(2, dtype="float32"), "a processor steps in float64: name device='cuda'"),
        (lambda: zoo.snakeboard().batch(2, dtype="float16"), "is 'float16'; it must be 'float64' or 'float32'"),
        (
            lambda: zoo.snake_3d().batch(2, dtype="float32", device="host"),
            r"float32 is not for hard contact \('moreau'\): .* leaves four digits of float32 to each step; leave dtype away",
        ),
        (lambda: zoo.satellite().changed(integrator="adaptive").batch(1, dtype="float32"), "'adaptive' chooses its own steps"),
    ],
)
def test_refusals(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make()
