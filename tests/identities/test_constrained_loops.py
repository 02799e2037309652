"""Closed loops of any cut joint, alone and with wheels: motion and forces of a dense KKT system, positions that stay closed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constrained_cases import (
    Case,
    close_loop,
    gap,
    is_good,
    kkt,
    law_through,
    random_law,
    random_tree,
)
from locodyn.robot.loop import LOOP_JOINTS
from locodyn.world.rows import FORCE, KNOWN
from random_robots import random_configuration, random_robot, random_unit

SEEDS = st.integers(0, 2**20)
KKT = 1e-9  # as in test_constrained_wheels; measured 1e-12


def spatial(rng: np.random.Generator, joint: str | None = None, angle: float = 0.5) -> Case:
    """A tree of 4 to 8 bodies with joints of any type, and one or two cuts of any type, some of them to the world."""
    n = int(rng.integers(4, 9))
    base = str(rng.choice(["free", "fixed", "planar"]))
    case = Case(random_robot(rng, n, ("revolute", "prismatic", "spherical", "universal", "cylindrical", "helical"), base, 0.4))
    case.q = random_configuration(rng, case.robot.compile(), 0.5)
    for _ in range(rng.integers(1, 3)):
        first, second = rng.choice(n, size=2, replace=False)
        first = max(1, first)
        other = "world" if rng.random() < 0.3 or first == second else f"body_{second}"
        axis: Any = str(rng.choice(list("xyz"))) if rng.random() < 0.5 else random_unit(rng, 3)
        kind = joint or str(rng.choice([kind for kind in LOOP_JOINTS if kind not in ("universal", "helical", "perpendicular")]))
        close_loop(case, kind, axis, (f"body_{first}", other), case.q, rng, angle)
    compiled = case.robot.compile()
    for number, name in enumerate(compiled.joint_names):
        i = compiled.joint_velocities[number].start
        if compiled.joint_types[number] in ("revolute", "prismatic", "helical") and name != "body_0":
            word = rng.choice(["imposed", "torque", "passive", "passive"])
            if word == "imposed":
                case.imposed[i] = law_through(case.q[compiled.joint_positions[number].start], case.time, rng)
            elif word == "torque":
                case.torque[i] = random_law(rng)
    return case


def planar(rng: np.random.Generator) -> Case:
    """Hinged bars in a plane, closed to bars or to the ground: three of the five rows of a revolute cut are redundant."""
    n = int(rng.integers(3, 7))
    case = random_tree(rng, n, "fixed" if rng.random() < 0.6 else "planar")
    case.q = random_configuration(rng, case.robot.compile(), 0.7)
    for _ in range(rng.integers(1, 3)):
        first, second = rng.choice(n, size=2, replace=False)
        ends = (f"b{max(1, first)}", "world" if rng.random() < 0.3 or second == max(1, first) else f"b{second}")
        joint = str(rng.choice(["revolute", "prismatic"]))
        close_loop(case, joint, "z" if joint == "revolute" else str(rng.choice(["x", "y"])), ends, case.q, rng)
    for i in range(case.robot.compile().reference_nv, case.robot.compile().nv):
        word = rng.choice(["imposed", "torque", "passive", "passive"])
        if word == "imposed":
            case.imposed[i] = law_through(case.q[i], case.time, rng)
        elif word == "torque":
            case.torque[i] = random_law(rng)
    return case


def wheeled(rng: np.random.Generator) -> Case:
    """A four-bar that carries wheels: a planar tree with a cut, one to three wheels on its bodies."""
    case = random_tree(rng, int(rng.integers(4, 7)))
    case.q = random_configuration(rng, case.robot.compile(), 0.7)
    close_loop(case, "revolute", "z", ("b3", "b1" if rng.random() < 0.5 else "b0"), case.q, rng)
    for _ in range(rng.integers(1, 4)):
        at = (*(0.3 * rng.standard_normal(2)), -0.2)
        kind = str(rng.choice(["fixed", "driven", "steered", "skate", "omni", "torque"]))
        case.wheel(f"b{rng.integers(4)}", at, rng.uniform(-3.0, 3.0), kind, rng)
    for i in range(3, case.robot.compile().nv):
        word = rng.choice(["torque", "passive"])
        if word == "torque":
            case.torque[i] = random_law(rng)
    return case


def closed(make: Any, seed: int, **options: Any) -> Case:
    """The first good case of a maker that starts on its loops."""
    for attempt in range(200):
        rng = np.random.default_rng(1000 * seed + attempt)
        case = make(rng, **options).solved()
        v = 0.5 * rng.standard_normal(case.model.nv)
        for i, law in case.imposed.items():
            v[i] = law.at(case.time)[1]
        assert gap(case, case.q) < 1e-12
        if is_good(case, case.time, case.q, v):
            start = case.q
            case.q, case.v = case.problem.imposed_state(case.time, start, v)
            assert np.abs(case.model.difference(start, case.q)).max() < 1e-11  # it was closed already
            return case
    raise AssertionError("no good case in 200 attempts")


def check(case: Case) -> None:
    t, q, v = case.time, case.q, case.v
    rows = [row for row in case.rows(t, q, v) if row.known is None]
    size = max(1.0, np.abs(v).max()) * max(np.abs(row.jacobian).max() for row in rows)
    assert max(abs(row.jacobian @ v - row.side) for row in rows) < 1e-12 * max(1.0, size)
    wanted = kkt(case, t, q, v)
    found = case.problem.accelerations(t, q.copy(), v.copy())
    assert np.abs(found - wanted.acceleration).max() < KKT * max(1.0, np.abs(wanted.acceleration).max())
    series = case.problem.series(np.array([t]), q[None], v[None])
    multipliers = dict(zip([r.name for r in case.problem.constraints.rows if r.flags & (FORCE | KNOWN)], series["multiplier"][0],
                           strict=True))  # fmt: skip
    scale = max(1.0, np.abs(wanted.force).max(), np.abs(case.model.bias(q, v)).max(), *map(abs, wanted.multipliers.values()))
    assert max(abs(multipliers[name] - value) for name, value in wanted.multipliers.items()) < KKT * scale
    n = case.model.compiled.reference_nv
    assert np.abs(series["joint_torque"][0] - wanted.torque[n:]).max(initial=0.0) < KKT * scale


@settings(max_examples=40)
@given(SEEDS)
def test_spatial_loops_move_as_the_dense_system_says(seed: int) -> None:
    check(closed(spatial, seed))


@settings(max_examples=30)
@given(SEEDS)
def test_planar_loops_move_as_the_dense_system_says(seed: int) -> None:
    check(closed(planar, seed))


@settings(max_examples=30)
@given(SEEDS)
def test_loops_on_wheels_move_as_the_dense_system_says(seed: int) -> None:
    check(closed(wheeled, seed))


@pytest.mark.slow
@settings(max_examples=400)
@given(SEEDS, st.sampled_from([spatial, planar, wheeled]))
def test_many_loops_move_as_the_dense_system_says(seed: int, make: Any) -> None:
    check(closed(make, seed))
