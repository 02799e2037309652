"""The plain life of kernels: what Python computes without compiling has the bits of compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import locodyn as ld
from locodyn.kernel import compiled, fma
from locodyn.kernel.plain import exact_fma, exp, plain_life, uncompiled
from locodyn.locomotion.rhs import accelerations, settle

numbers = st.floats(allow_nan=False, allow_infinity=False)


@compiled
def fused(x):
    return fma(x[0], x[1], x[2])


@compiled
def ratio(x):
    return x[0] / (x[1] - 1.0), 0.5 / (x[1] - x[1])


@given(st.tuples(numbers, numbers, numbers))
def test_one_rounding(abc: tuple[float, float, float]) -> None:
    """Of the C library, of exact fractions and of the processor: the same bits, also of zeros, near overflow and underflow."""
    x = np.array(abc)
    found = {np.float64(y).tobytes() for y in (fused(x), plain_life(fused)(x), exact_fma(*abc))}
    assert len(found) == 1


def test_numbers_that_python_refuses() -> None:
    """Infinity and NaN where compiled code has them: no ZeroDivisionError, no OverflowError."""
    x = np.array([-2.0, 1.0])
    np.testing.assert_array_equal(plain_life(ratio)(x), ratio(x))
    assert ratio(x) == (-np.inf, np.inf)
    assert exp(1e4) == np.inf and exp(-np.inf) == 0.0


def test_it_compiles_when_its_time_is_up_and_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCODYN_CACHE_DIR", str(tmp_path))  # nothing on disk

    @compiled
    def in_turn(x):
        return x[0] + 1.0

    x = np.array([1.0])
    with uncompiled():
        assert in_turn(x) == 2.0 and not in_turn.overloads
    with uncompiled(seconds=0.0):
        assert in_turn(x) == 2.0 and len(in_turn.overloads) == 1


def test_what_is_on_disk_is_left_there() -> None:
    """``loads=False``: a closed form of a robot with wheels, whose laws are asked for a few numbers, loads no kernel."""
    code = (
        "import locodyn as ld; from locodyn.motion.table import evaluate_times;"
        "from locodyn.symbolic.scenarios import generator; generator('car', symbols='all').function('reduced', name='car');"
        "assert not evaluate_times.overloads; ld.zoo.car().problem.constraints;"
        "from locodyn.motion.table import MotionTable; MotionTable([ld.sine(1.0, omega=2.0)]).sample(0, [0.1]);"
        "assert len(evaluate_times.overloads) == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Wheels, a loop, rolling in space, a tree with a spring and a servo, water, rods, a cable.
ROBOTS: dict[str, dict[str, Any]] = {
    "snakeboard": {},
    "four_bar": {},
    "rolling_disc": {},
    "pendulum": {"n": 3},
    "floating_bodies": {},
    "elastic_trailer": {},
    "governor": {},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_same_bits_of_a_state_and_its_acceleration(name: str) -> None:
    """Beside the start, so that loops and wheels have something to put right."""
    scenario = getattr(ld.zoo, name)(**ROBOTS[name])
    problem = scenario.problem
    q0, v0 = scenario.initial_state()
    generator = np.random.default_rng(3)
    q = problem.model.move(q0, 0.01 * generator.standard_normal(len(v0)))
    v = v0 + 0.01 * generator.standard_normal(len(v0))
    found = []
    for life in (lambda kernel: kernel, plain_life):
        if problem.constraints.arrays is not None:
            problem.constraints.arrays.forget_rank()
        problem.read_inputs(0.1, q, v)
        p, w, a, at, speed = problem.arrays, problem.workspace, np.zeros(len(v)), q.copy(), v.copy()
        if p.rows is not None or len(p.imposed):
            life(settle)(p.rows, p, problem.inputs, at, speed, w, a)
        life(accelerations)(p, problem.inputs, at, speed, w, a)
        found.append(np.concatenate([at, speed, a, w.memory.rate]).tobytes())
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wheeled_snake", "cantilever"])
def test_describe_compiles_nothing(name: str, tmp_path: Path) -> None:
    """With an empty cache; and it says what compiled code says."""

    def said(call: str, **environment: str) -> str:
        command = [sys.executable, "-c", f"from locodyn.cli.describe import describe; {call}({name!r}, {{}})"]
        return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True).stdout

    plainly = said("describe", LOCODYN_CACHE_DIR=str(tmp_path))
    assert not list(tmp_path.rglob("*.nbi"))
    assert plainly == said("describe.__wrapped__")
