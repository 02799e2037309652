"""Many robots at once are bit for bit what one robot is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locodyn.batch import Batch
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.motion import constant, sine
from locodyn.world import Anchor, Drag, Feedback, Thrust, UserLaw, Wake, WorldForce
from peers import random_case
from random_robots import ALL, random_configuration, random_velocity

pytestmark = pytest.mark.slow

seeds = st.integers(0, 2**32 - 1)


def filled(model: Model, count: int, threads: int, rng: np.random.Generator) -> Batch:
    batch = Batch(model, count, threads=threads)
    batch.q = np.array([random_configuration(rng, model.compiled) for _ in range(count)])
    batch.v = np.array([random_velocity(rng, model.compiled) for _ in range(count)])
    return batch


@given(seeds, st.integers(1, 13), st.sampled_from([1, 3]))
@settings(max_examples=25)
def test_dynamics(seed: int, count: int, threads: int) -> None:
    """Inverse and forward dynamics of 1 to 13 robots, on 1 and 3 threads, all joints and bases."""
    case = random_case(seed, 25)
    model, batch = case.model, filled(case.model, count, threads, case.rng)
    inputs = case.rng.standard_normal((count, model.nv))
    states = list(zip(batch.q, batch.v, inputs, strict=True))
    np.testing.assert_array_equal(batch.inverse_dynamics(inputs), [model.inverse_dynamics(*state) for state in states])
    np.testing.assert_array_equal(batch.forward_dynamics(inputs), [model.forward_dynamics(*state) for state in states])


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "fixed"])
def test_each_joint(kind: str) -> None:
    case = random_case(80 + ALL.index(kind), 3, (kind,), least=3, armature=True)
    model, batch = case.model, filled(case.model, 5, 1, case.rng)
    inputs = case.rng.standard_normal((5, model.nv))
    states = list(zip(batch.q, batch.v, inputs, strict=True))
    np.testing.assert_array_equal(batch.inverse_dynamics(inputs), [model.inverse_dynamics(*state) for state in states])
    np.testing.assert_array_equal(batch.forward_dynamics(inputs), [model.forward_dynamics(*state) for state in states])


def check_rollout(batch: Batch, problems: list[Problem], tau: np.ndarray | None, shared: Problem | None) -> None:
    """A rollout of 12 steps, recorded every 4, against runs of one robot after the other."""
    q, v = batch.q, batch.v
    record = batch.rollout(12, 0.01, tau=tau, problem=shared, t0=0.25, record_every=4)
    assert record is not None and record[0].shape == (4, batch.count, batch.model.nq)
    np.testing.assert_array_equal(record[0][-1], batch.q)
    for i, problem in enumerate(problems):
        alone = solve(problem, q[i], v[i], t0=0.25, t_end=0.25 + 12 * 0.01, step=0.01, record_every=4)
        np.testing.assert_array_equal(record[0][1:, i], alone.q[1:])
        np.testing.assert_array_equal(record[1][1:, i], alone.v[1:])


@given(seeds, st.integers(1, 9), st.sampled_from([1, 3]))
@settings(max_examples=20)
def test_rollouts_with_their_own_forces(seed: int, count: int, threads: int) -> None:
    case = random_case(seed, 8)
    model, batch = case.model, filled(case.model, count, threads, case.rng)
    tau = case.rng.standard_normal((count, model.nv))
    check_rollout(batch, [Problem(model, torque={i: constant(f) for i, f in enumerate(row)}) for row in tau], tau, None)


@pytest.mark.parametrize("threads", [1, 3])
def test_rollouts_with_laws_of_the_world(threads: int) -> None:
    """Imposed motions, torque laws, springs, friction, limits and all wrench laws that are data and remember nothing."""
    case = random_case(5, 8, ("revolute", "spherical", "prismatic", "planar"), ("free",), least=8)
    robot = case.robot
    dead, pulled = WorldForce((0, 1, 0), (0.1, 0.2, 0)), Anchor((1, 0, 0), 5.0, 0.4)
    laws = (Drag(0.5, 0.3, 0.1), pulled, Thrust((1, 2, 3)), dead, Wake((0.1, 0.2)))
    for i, law in enumerate(laws):
        robot.wrench(f"law {i}", on=f"body_{i + 1}", at=(0.1, 0.2, 0.3), law=law)
    changes = {f"{name}.viscous": 0.2 for name in case.model.compiled.joint_names[1:]}
    changes |= {f"{name}.torque_limit": 0.3 for name in case.model.compiled.joint_names[1:]}
    kinds = dict(zip(case.model.compiled.joint_names, case.model.compiled.joint_types, strict=True))
    changes |= {f"{name}.stiffness": 2.0 for name in kinds if kinds[name] not in ("free", "planar")}
    model = robot.changed(changes).model()
    single = [model.compiled.coordinate_index(name) for name, kind in kinds.items() if kind in ("revolute", "prismatic")]
    problem = Problem(
        model, imposed={single[0]: sine(0.3, omega=3.0)}, torque={i: sine(1.0, omega=2.0, phase=i) for i in single[1:]},
        schedule=Schedule(loads={"law 3": sine(1.0, omega=4.0)}),
    )  # fmt: skip
    batch = filled(model, 7, threads, case.rng)
    check_rollout(batch, [problem] * 7, None, problem)


def test_rollouts_carry_what_laws_remember() -> None:
    """Two rollouts of three steps are one of six, bit for bit: the integral of a feedback law goes on, as that of one robot."""
    case = random_case(5, 3, ("revolute",), ("free",), least=3)
    case.robot.wrench("steer", on="body_1", law=Feedback(0.3, 0.2))
    model = case.robot.model()
    problem = Problem(model, schedule=Schedule(desired={"steer.x": sine(0.2, omega=3.0)}))
    whole, parts = filled(model, 6, 1, case.rng), filled(model, 6, 2, case.rng)
    parts.q, parts.v = whole.q, whole.v
    q, v = whole.q[4], whole.v[4]
    whole.rollout(6, 0.01, problem=problem)
    parts.rollout(3, 0.01, problem=problem)
    assert np.abs(parts.memory).max() > 1e-4
    parts.rollout(3, 0.01, problem=problem, t0=0.03)
    for name in ("q", "v", "memory"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name)), name
    alone = solve(problem, q, v, t_end=0.06, step=0.01, method="rkmk4")
    assert np.array_equal(whole.memory[4], alone.memory[-1])
    parts.memory = np.zeros((6, 6))
    assert not parts.memory.any()
    with pytest.raises(InputError, match=r"memory of the batch has shape \(6, 5\); it must be \(6, 6\)"):
        parts.memory = np.zeros((6, 5))


def test_last_block_is_filled_with_copies() -> None:
    """Rows come back as they were set, whatever the count."""
    case = random_case(1, 5)
    for count in (1, 2, 3, 4, 5, 8, 9):
        batch = filled(case.model, count, 1, case.rng)
        assert batch.q.shape == (count, case.model.nq) and f"{count} x" in repr(batch)
        rows = case.rng.standard_normal((count, case.model.nv))
        batch.v = rows
        np.testing.assert_array_equal(batch.v, rows)


def test_from_a_robot() -> None:
    case = random_case(2, 4)
    batch = case.robot.batch(6, threads=2)
    assert (batch.count, batch.threads) == (6, 2)
    np.testing.assert_array_equal(batch.q, np.tile(batch.model.neutral(), (6, 1)))


WRONG = [
    (
        lambda batch: setattr(batch, "q", np.zeros((4, batch.model.nq))),
        r"q of the batch has shape \(4, \d+\); it must be \(5, \d+\)",
    ),
    (lambda batch: setattr(batch, "v", np.zeros(batch.model.nv)), "v of the batch has shape"),
    (lambda batch: setattr(batch, "v", np.full((5, batch.model.nv), np.nan)), "v of the batch holds NaN"),
    (lambda batch: batch.inverse_dynamics(np.zeros((5, 1))), "a of the batch has shape"),
    (lambda batch: batch.forward_dynamics(np.zeros((6, batch.model.nv))), "tau of the batch has shape"),
    (lambda batch: batch.rollout(0, 0.1), "number of steps is 0"),
    (lambda batch: batch.rollout(2.5, 0.1), "number of steps is 2.5"),
    (lambda batch: batch.rollout(2, 0.0), "the step is 0.0; it must be a positive number"),
    (lambda batch: batch.rollout(2, np.nan), "the step is nan"),
    (lambda batch: batch.rollout(2, 0.1, tau=np.zeros(3)), "tau of the batch has shape"),
    (lambda batch: batch.rollout(2, 0.1, problem=Problem(random_case(9, 3).model)), "another model"),
    (lambda batch: batch.rollout(2, 0.1, problem=Problem(batch.model, controller=lambda t, q, v: v)), "laws of the library only"),
    (lambda batch: Batch(batch.model, 0), "a batch of 0 robots"),
    (lambda batch: Batch(batch.model, 1.5), "a batch of 1.5 robots"),
]


@pytest.mark.parametrize(("action", "sentence"), WRONG)
def test_wrong_input(action, sentence: str) -> None:  # type: ignore[no-untyped-def]
    batch = filled(random_case(3, 6, least=4).model, 5, 1, np.random.default_rng(0))
    with pytest.raises(InputError, match=sentence):
        action(batch)


def test_user_laws_are_refused() -> None:
    robot = random_case(4, 4, least=4).robot
    robot.wrench("mine", on="body_1", law=UserLaw(lambda t, r, p, w: np.zeros(6)))
    model = robot.model()
    with pytest.raises(InputError, match="laws of the library only"):
        Batch(model, 4).rollout(1, 0.1)
