"""Trees on a device: the program of a graphics card, run on this machine, against the processor's kernels of one robot."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from card_emulator import EmulatedCard, emulated
from locodyn import InputError, zoo
from locodyn.batch import Batch, DeviceBatch
from locodyn.device import launch
from locodyn.dynamics.forward_dynamics import DOF_WORK, WORK, hybrid_dynamics, start_with_fluid
from locodyn.dynamics.lean_dynamics import Told, lean_dynamics, tree_facts
from locodyn.shape.rod import slice_pose
from locodyn.world.wrenches import law_wrench
from peers import random_case

COUNT = 35  # a tile of 32 robots, and three more
EPS = float(np.finfo(np.float32).eps)


def chain(moves: str = "free") -> ld.Robot:
    """Hinges with offsets and inertias of all kinds, and a branch."""
    robot = ld.Robot("chain")
    moment = ld.about_centre(xx=0.02, yy=0.03, zz=0.015, xy=0.001)
    last = trunk = robot.base("trunk", mass=1.0, inertia=moment) if moves == "free" else robot.base("trunk", moves=moves)
    for k in range(4):
        body = robot.body(f"body_{k}", mass=1.0 + k, centre=(0.02, 0.01 * k, -0.1), inertia=moment)
        last = body.on(trunk if k == 2 else last, at=(0.1, 0.0, -0.1 * k)).turning("xyz"[k % 3])
    return robot


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("imposed", [False, True])
def test_the_lean_recursion_has_the_bits_of_the_other(seed: int, imposed: bool) -> None:
    """Random trees of all joints, or of hinges alone, with or without imposed coordinates and loads: the same sums in the same
    order, whether the program knows the tree or not."""
    case = random_case(seed, 9, **({} if seed < 8 else {"joints": ("revolute",), "least": 4}))
    m, rng = case.model, case.rng
    assert seed < 8 or tree_facts(m.frames)["hinges"] == 1
    mask = np.zeros(m.nv if imposed else 0, dtype=np.int8)
    mask[: len(mask) // 2] = 1
    q, (v, tau, start) = m.move(m.neutral(), rng.standard_normal(m.nv)), rng.standard_normal((3, m.nv))
    loads = rng.standard_normal((m.nf if seed % 2 else 0, 6))
    found = []
    for run in (hybrid_dynamics, *(partial(lean_dynamics, told) for told in (Told(), Told(**tree_facts(m.frames))))):
        a, forces = start.copy(), tau.copy()
        room = np.full((m.nf, WORK.size), np.nan), np.full((m.nv, DOF_WORK.size), np.nan)
        run(m.frames, m.constants, m.gravity, mask, q, v, loads, *room, a, forces)
        found.append((a, forces))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert np.isfinite(found[0]).all()


def states(robot: ld.Robot, dtype: str) -> tuple[Batch, DeviceBatch, np.ndarray]:
    here, there = robot.batch(COUNT), robot.batch(COUNT, device="host", dtype=dtype)
    rng, model = np.random.default_rng(4), here.model
    q = np.array([model.move(model.neutral(), 0.5 * one) for one in rng.standard_normal((COUNT, model.nv))])
    v, tau = rng.standard_normal((2, COUNT, model.nv))
    for many in (here, there):
        many.q, many.v = q, v
    return here, there, tau


@pytest.mark.slow
@pytest.mark.parametrize("robot", [chain, lambda: zoo.free_chain(n=3).robot], ids=["branched", "zoo"])
def test_dynamics_and_steps_have_the_bits_of_the_processor(robot: Any) -> None:
    """In float64; the lanes of the processor are another compilation of the same source."""
    here, there, tau = states(robot(), "float64")
    np.testing.assert_array_equal(here.forward_dynamics(tau), there.forward_dynamics(tau))
    np.testing.assert_array_equal(here.inverse_dynamics(tau), there.inverse_dynamics(tau))
    for many in (here, there):
        many.rollout(5, 0.01, tau=tau, method="semi_implicit")
    np.testing.assert_array_equal(here.q, there.q)
    np.testing.assert_array_equal(here.v, there.v)


@pytest.mark.slow
def test_runge_kutta_on_a_device() -> None:
    here, there, tau = states(chain("fixed"), "float64")
    for many in (here, there):
        many.rollout(5, 0.01, tau=tau)
    np.testing.assert_array_equal(here.q, there.q)
    np.testing.assert_array_equal(here.v, there.v)


@pytest.mark.slow
def test_float32_is_float64_to_its_rounding() -> None:
    """Backward error: the forces that accelerations of float32 need miss those given by some roundings of the largest terms.

    Each force is a sum over at most nf bodies of products of some 30 roundings: 30 nf eps of the largest force, from theory.
    """
    here, there, tau = states(chain(), "float32")
    a = there.forward_dynamics(tau)
    assert a.dtype == np.float32 and not np.array_equal(a, here.forward_dynamics(tau))
    missed = np.abs(here.inverse_dynamics(a) - tau).max()
    inertial = np.abs(here.inverse_dynamics(np.zeros_like(tau))).max() + np.abs(tau).max()
    assert missed < 30 * here.model.nf * EPS * inertial
    needed = there.inverse_dynamics(tau)
    assert np.abs(needed - here.inverse_dynamics(tau)).max() < 30 * here.model.nf * EPS * np.abs(needed).max()


@pytest.mark.slow
def test_semi_implicit_steps_are_of_order_one() -> None:
    """Against Runge-Kutta at the same time: half the step, half the error."""
    errors = []
    for steps in (50, 100):
        exact, many = (chain("fixed").batch(2, threads=1) for _ in range(2))
        exact.rollout(400, 0.2 / 400)
        many.rollout(steps, 0.2 / steps, method="semi_implicit")
        errors.append(np.abs(many.q - exact.q).max())
    assert 1.8 < errors[0] / errors[1] < 2.2


@pytest.mark.slow
def test_a_card_holds_the_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    emulated(monkeypatch)
    here, _, tau = states(chain(), "float64")
    there = chain().batch(COUNT, device="cuda")
    there.q, there.v = here.q, here.v
    np.testing.assert_array_equal(there.forward_dynamics(tau), here.forward_dynamics(tau))
    held = there.on_device["a"].get()
    assert held.shape == (2, here.model.nv, 32) and held[1, 3, 2] == here.forward_dynamics(tau)[34, 3]
    monkeypatch.setattr(EmulatedCard, "free", 1000)
    with pytest.raises(InputError, match=r"the states of 64 robots need .* GiB, .* left: \d+ robots fit"):
        chain().batch(64, device="cuda")


def test_programs_of_trees_have_no_rods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor fluid where none is moved along, whatever runs of this process have reached."""
    asked: list[Any] = []

    class Stop(Exception):
        pass

    def program(kernel: Any, entry: Any, needed: Any) -> None:
        asked.extend(needed(one) for one in (slice_pose, start_with_fluid, law_wrench))
        raise Stop

    monkeypatch.setattr(launch, "HostProgram", program)
    monkeypatch.setattr(launch, "reached", lambda: {slice_pose, start_with_fluid})
    robots: list[Any] = [chain(), zoo.fish().robot]
    for robot in robots:
        with pytest.raises(Stop):
            DeviceBatch(robot.model(gravity=(0, 0, 0)), 2, device="host").forward_columns()
    assert asked == [False, False, True, False, True, True]


def test_refusals() -> None:
    robot = chain()
    with pytest.raises(InputError, match="dtype of a batch is 'float16'; it must be 'float64' or 'float32'"):
        robot.batch(3, device="host", dtype="float16")
    with pytest.raises(InputError, match="on the processor it is float64: name a device"):
        robot.batch(3, dtype="float32")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="the method of a rollout is 'euler'; it must be 'rkmk4' or 'semi_implicit'"):
        robot.batch(3, device="host").rollout(1, 0.01, method="euler")
    with pytest.raises(InputError, match=r"tau of the batch has shape \(2, 10\); it must be \(3, 10\)"):
        robot.batch(3, device="host").forward_dynamics(np.zeros((2, 10)))
    rubbing = chain("fixed").changed({"body_0.viscous": 0.1})
    with pytest.raises(InputError, match="semi-implicit steps of a batch take constant forces alone: use method 'rkmk4'"):
        rubbing.batch(3).rollout(1, 0.01, method="semi_implicit")
