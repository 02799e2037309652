"""Closed forms of long chains and large trees against the compiled kernels: what is taken for zero must be zero.

The error of the symbolic forward dynamics is that of rounding: 2e-14 of the largest acceleration was measured for 30 bodies. A
term that is wrongly left out shows up as an error near 1.
"""

from __future__ import annotations

import ctypes
import subprocess
import time

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.problem import Problem
from locodyn.symbolic import Generator, SymbolicModel, symbolic_robot
from locodyn.symbolic.export import compiler, write
from locodyn.symbolic.program import Program
from random_robots import ALL, BASES, random_configuration, random_robot, random_velocity

TOLERANCE = 1e-10  # of the largest entry; rounding alone gives 1e-13 here


def chain(bodies: int, axes: str = "z", moves: str = "fixed") -> ld.Robot:
    """A chain of equal rods, 1 m and 1 kg, whose joints turn about ``axes`` one after the other."""
    inertia = ld.about_centre(xx=0.01, yy=1 / 12, zz=1 / 12)
    robot = ld.Robot(f"chain_{bodies}")
    last = robot.base("root", mass=1.0, inertia=inertia, moves=moves)
    for i in range(bodies):
        body = robot.body(f"rod_{i}", mass=1.0, centre=(0.5, 0.0, 0.0), inertia=inertia)
        last = body.on(last, at=(float(i > 0), 0.0, 0.0)).turning(axes[i % len(axes)])
    return robot


def state(robot: ld.Robot, seed: int = 1):
    rng, model = np.random.default_rng(seed), robot.model()
    return model, random_configuration(rng, model.compiled), *(random_velocity(rng, model.compiled) for _ in range(3))


def values(symbolic: SymbolicModel, q, v, a, tau) -> dict[str, float]:
    places = (*symbolic.q, *symbolic.v, *symbolic.a, *symbolic.tau)
    return {x.names[0]: number for x, number in zip(places, (*q, *v, *a, *tau), strict=True)}


def close(found, wanted):
    wanted = np.asarray(wanted, dtype=float)
    found = np.asarray(found, dtype=float).reshape(wanted.shape)
    assert np.abs(found - wanted).max() <= TOLERANCE * np.abs(wanted).max()


CHAINS = [(n, axes, "fixed") for n in (15, 20, 30) for axes in ("z", "zyx")] + [(20, "zy", "free"), (25, "z", "planar")]


@pytest.mark.parametrize("bodies, axes, moves", CHAINS)
def test_forward_dynamics_of_long_chains(bodies, axes, moves):
    robot = chain(bodies, axes, moves)
    model, q, v, a, tau = state(robot)
    symbolic = SymbolicModel(robot)
    began = time.process_time()
    program = Program(list(symbolic.forward_dynamics()))
    assert time.process_time() - began < 20.0  # 2 s for 30 bodies on one core
    close(program.run(values(symbolic, q, v, a, tau)), model.forward_dynamics(q, v, tau))
    # The recursion is O(n): a chain in the plane has 88 operations for each body, one in space 220.
    assert program.size < (100 if axes == "z" else 260) * (bodies + 6)


@pytest.mark.parametrize("bodies, axes, moves", CHAINS)
def test_the_other_closed_forms_of_long_chains(bodies, axes, moves):
    robot = chain(bodies, axes, moves)
    model, q, v, a, tau = state(robot)
    symbolic, tip = SymbolicModel(robot), f"rod_{bodies - 1}"
    numbers = values(symbolic, q, v, a, tau)

    def run(expressions):
        return Program(list(np.asarray(expressions, dtype=object).flat)).run(numbers)

    close(run(symbolic.inverse_dynamics()), model.inverse_dynamics(q, v, a))
    close(run(symbolic.twist(tip)), model.twist(tip, q, v))
    for found, wanted in zip(symbolic.jacobian(tip), model.jacobians(tip, q, v), strict=True):
        close(run(found), wanted)
    if bodies <= 20:
        close(run(symbolic.mass_matrix()), model.mass_matrix(q))


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4, 5))])
def test_forward_dynamics_of_large_random_trees(seed):
    rng = np.random.default_rng(100 + seed)
    robot = random_robot(rng, 8 + 3 * seed, ALL, base=BASES[seed % len(BASES)], armature=True)
    model, q, v, a, tau = state(robot, seed)
    symbolic = SymbolicModel(robot)
    program = Program(list(symbolic.forward_dynamics()))
    close(program.run(values(symbolic, q, v, a, tau)), model.forward_dynamics(q, v, tau))


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_generated_code_of_a_long_chain(tmp_path):
    robot = chain(20, "zyx")
    model, q, v, _, tau = state(robot)
    source = Generator(symbolic_robot(lambda _: robot, {}, (0.0, 0.0, -9.81)), Problem(model))
    function = source.function("forward", name="forward")
    wanted = model.forward_dynamics(q, v, tau)
    close(function(q, v, tau)[1], wanted)  # the generated Python
    write([function], "c", tmp_path, "chain")
    library = tmp_path / "chain.so"
    subprocess.run([compiler(), "-O1", "-shared", "-fPIC", str(tmp_path / "chain.c"), "-lm", "-o", str(library)], check=True)
    rates = [np.zeros(20), np.zeros(20)]
    pointers = [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (q, v, tau, *rates)]
    ctypes.CDLL(str(library)).forward(*pointers)
    close(rates[1], wanted)
