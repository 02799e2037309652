"""Reduced dynamics in closed form against the numeric problem: the same accelerations, speeds and contact forces."""

from __future__ import annotations

import numpy as np
import pytest

from locodyn.locomotion.constraints import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.symbolic.zoo import generator
from locodyn.zoo.registry import make

TIME = 0.3
CASES = {
    "chaplygin_sleigh": {},
    "car": {},
    "snakeboard": {"inertia": "B"},
    "roller_racer": {},
    "unicycle": {},
    "trailer_truck": {},
    "mobile_manipulator": {},
    "four_bar": {},
    "two_axle": {},
    "pendulum": {"n": 3, "damping": 0.2},
    "satellite": {"case": "C"},
    "fish": {},
    "falling_cat": {},
    "heavy_top": {},
}


def numeric(name: str, settings: dict, rng: np.random.Generator):
    """A problem with random forces on all joints and driven wheels, and a state on its constraints."""
    scenario = make(name, settings)
    model = scenario.model
    first = 0 if scenario.compiled.base_code in (0, 1, 2, 3) else scenario.compiled.reference_nv
    tau = rng.standard_normal(model.nv - first)
    wheels = [w.name for w in scenario.compiled.wheels if w.actuated]
    torques = dict(zip(wheels, rng.standard_normal(len(wheels)), strict=True))
    problem = Problem(
        model,
        torque={first + i: constant(x) for i, x in enumerate(tau)},
        drives=Drives(steering=scenario.steering, torque={w: constant(x) for w, x in torques.items()}),
    )
    q, v = scenario.initial_state()
    q = model.normalised(q + 0.3 * rng.standard_normal(model.nq))
    q, v = problem.imposed_state(TIME, q, v + rng.standard_normal(model.nv))
    given = {f"torque_{w}": [x] for w, x in torques.items()}
    given |= {f"steering_{w}": law.at(TIME)[:2] for w, law in scenario.steering.items()}
    return problem, q, v, tau, given


def call(function, **given):
    """The outputs for those of the given inputs that the function has."""
    return function(**{g.name: given[g.name] for g in function.inputs if g.name in given})


@pytest.mark.parametrize("symbols", ["none", "all"])
@pytest.mark.parametrize("name", CASES)
def test_accelerations_are_those_of_the_numeric_problem(name, symbols):
    rng = np.random.default_rng(7)
    problem, q, v, tau, given = numeric(name, CASES[name], rng)
    source = generator(name, CASES[name], symbols=symbols)
    reduced, speeds, forward = (source.function(what) for what in ("reduced", "speeds", "forward"))
    names = problem.model.compiled.coordinate_names
    independent = [names.index(e) for e in next(g for g in reduced.inputs if g.name == "u").entries]
    u = v[independent]
    np.testing.assert_allclose(call(speeds, q=q, u=u, **given)[0], v, rtol=1e-10, atol=1e-10)
    a = problem.accelerations(TIME, q.copy(), v.copy())
    mass, force = call(reduced, q=q, u=u, tau=tau, **given)
    scale = np.abs(a).max()
    np.testing.assert_allclose(np.linalg.solve(mass, force), a[independent], rtol=1e-9, atol=1e-9 * scale)
    qdot, udot = call(forward, q=q, u=u, tau=tau, **given)
    np.testing.assert_allclose(udot, a[independent], rtol=1e-9, atol=1e-9 * scale)
    step = 1e-6
    moved = (problem.model.move(q, step * v) - problem.model.move(q, -step * v)) / (2 * step)
    np.testing.assert_allclose(qdot, moved, atol=1e-7 * (1 + np.abs(v).max()))
