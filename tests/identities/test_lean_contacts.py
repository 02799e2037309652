"""The recursion of contacts that graphics cards run, against that of processors: the same sums in the same order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from locodyn import Scenario, zoo
from locodyn.contact.lean_recursion import lean_velocity
from locodyn.contact.recursion import recursive_velocity
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.lean_dynamics import Told, branches, tree_facts

pytestmark = pytest.mark.slow  # compiles hard contact

KINDS: dict[str, Callable[[], Scenario]] = {
    "chain": zoo.snake_3d,
    "branches": lambda: zoo.quadruped_trot().changed(contact="hard", integrator="moreau", dt=1e-3),
}


def touching(scenario: Scenario) -> tuple:
    """Problem, contacts and workspace after steps that leave contacts closed, which respond without symmetry."""
    sim = scenario.open()
    rng = np.random.default_rng(3)
    sim.step(steps=5)
    problem = sim.problem
    contacts = problem.contact.arrays
    assert contacts.closed > 1
    law, closed = contacts.linear, slice(0, contacts.closed)
    for values in (law.offset, law.normal, law.sliding, law.spinning, law.rolling, law.by_radius):
        values[closed] = rng.uniform(0.5, 1.5, values[closed].shape)
        values[1] = 0.0  # open
    contacts.rhs[:] = rng.standard_normal(len(contacts.rhs))
    return problem, contacts, problem.workspace.work


@pytest.mark.parametrize("name", KINDS)
def test_velocities_have_the_bits_of_the_other_recursion(name: str) -> None:
    """And a frame whose children follow it has nothing in memory: the program goes the way that it should."""
    problem, contacts, work = touching(KINDS[name]())
    frames, robot, facts = problem.arrays.frames, contacts.robot, tree_facts(problem.arrays.frames)
    assert facts["hinges"] == 1
    found = []
    for run in (recursive_velocity, *(partial(lean_velocity, told) for told in (Told(), Told(**facts)))):
        x, tau = (np.full(len(contacts.rhs), np.nan) for _ in range(2))
        robot.inertia[:] = robot.bias[:] = robot.direction_row[:] = np.nan
        work[:, WORK.twist : WORK.twist + 6] = np.nan
        run(frames, problem.arrays.imposed, contacts, work, x, tau)
        found.append((x, tau, robot.direction_row.copy(), work[:, WORK.twist : WORK.twist + 6].copy()))
        written = np.isfinite(robot.inertia).all(axis=1)
        lean = [k == 0 or bool(branches(Told(**facts), frames, k)) for k in range(len(frames))]
        assert written.tolist() == (lean if len(found) == 3 else [True] * len(frames))
    for one in found[1:]:
        for own, wanted in zip(one, found[0], strict=True):
            np.testing.assert_array_equal(own, wanted)
            assert np.isfinite(own).all()


@pytest.mark.parametrize("what", ["order", "other body"])
def test_contacts_of_other_kinds_go_the_way_of_the_processor(what: str) -> None:
    problem, contacts, work = touching(zoo.snake_3d())
    facts = tree_facts(problem.arrays.frames)
    if what == "order":
        contacts.frame[[0, contacts.closed - 1]] = contacts.frame[[contacts.closed - 1, 0]]
    else:
        contacts.other[2] = contacts.frame[0]
        contacts.other_rotation[2], contacts.other_position[2] = contacts.rotation[2], contacts.position[2]
    found = []
    for run in (recursive_velocity, partial(lean_velocity, Told(**facts))):
        x, tau = (np.full(len(contacts.rhs), np.nan) for _ in range(2))
        run(problem.arrays.frames, problem.arrays.imposed, contacts, work, x, tau)
        found.append((x, tau))
    np.testing.assert_array_equal(found[0], found[1])
    assert np.isfinite(found[0]).all()
