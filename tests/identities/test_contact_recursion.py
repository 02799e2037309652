"""The recursion of contacts that respond without symmetry against a dense solution of the same linear problem."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.contact.dense import fill_mass
from locodyn.contact.operator import respond
from locodyn.contact.rows import contact_rows
from locodyn.integrate import solve


def branched(imposed):
    """A tree of all kinds of joints lying on the ground, after a step of its motion."""
    robot = ld.Robot("tree")
    link = {"mass": 0.7, "shape": ld.Capsule(0.05, 0.1, axis="x")}
    friction = ld.Friction(0.4, 0.7, rolling=0.01, spinning=0.02)
    base = robot.base("base", **link).collides(friction=friction)
    for name, joint in (("left", "turning"), ("right", "sliding"), ("screw", "screwing"), ("ball", "ball")):
        body = robot.body(name, **link).on(base, at=(0.1, 0.12 * (1 + len(name) % 3), 0.0))
        words = {"screwing": ("x",), "turning": ("z",), "sliding": ("y",), "ball": ()}[joint]
        getattr(body, joint)(*words, **({"pitch": 0.03} if joint == "screwing" else {}), name=f"joint_{name}").collides(
            friction=friction
        )
    start = ld.Start({"base": (0.0, 0.0, 0.05, 0.0, 0.0, 0.0)}, {"base": (0.3, 0.2, 0.0, 0.0, 0.0, 0.4)})
    imposed_laws = {"joint_left": ld.sine(0.3, omega=5.0)} if imposed else {}
    scenario = ld.Scenario(
        "lie", robot, obstacles=[ld.Ground()], start=start, imposed=imposed_laws, integrator="moreau", dt=1e-3, t_end=1e-2
    )
    q, v = scenario.initial_state()
    problem = scenario.problem
    solve(problem, q, v, t_end=5e-3, step=1e-3, method="moreau")
    return problem


@pytest.mark.parametrize("imposed", [False, True])
def test_recursion_against_the_dense_matrix(imposed):
    """(M + E + J^T D J) x = rhs + J^T (q - D shift) with random blocks that are not symmetric."""
    problem, rng = branched(imposed), np.random.default_rng(5)
    arrays, contacts, work = problem.arrays, problem.contact.arrays, problem.workspace
    law, count, nv, q = contacts.linear, contacts.closed, len(contacts.end_velocity), problem.model.compiled.neutral
    assert count >= 6
    work.poses[:] = contacts.detection.poses  # of the middle of the last step
    contact_rows(arrays, contacts, q, work)  # only rods look at q
    fill_mass(arrays, contacts, 0.0, work)
    matrix, right = contacts.robot.mass.copy(), contacts.rhs.copy()
    rows = contacts.scales[:count, :, None] * contacts.robot.jacobian[: 6 * count].reshape(count, 6, nv)
    for i in range(count):
        law.normal[i], law.sliding[i] = rng.uniform(1.0, 2.0), (3.0, rng.uniform(-1.0, 1.0), 2.0)
        law.spinning[i], law.rolling[i] = rng.uniform(1.0, 2.0), (2.0, rng.uniform(-1.0, 1.0), 3.0)
        law.by_radius[i] = rng.uniform(-2.0, 2.0, 5)
        law.offset[i] = rng.normal(size=6)
        contacts.shift[i] = rng.normal()
        block = np.zeros((6, 6))
        block[0, 0] = law.normal[i]
        block[1:, 0] = law.by_radius[i]
        block[1:3, 1:3] = law.sliding[i, [0, 1, 1, 2]].reshape(2, 2)
        block[3, 3] = law.spinning[i]
        block[4:, 4:] = law.rolling[i, [0, 1, 1, 2]].reshape(2, 2)
        matrix += rows[i].T @ block @ rows[i]
        right += rows[i].T @ (law.offset[i] - block[:, 0] * contacts.shift[i])
    x = contacts.end_velocity.copy()
    given = np.flatnonzero(arrays.imposed) if imposed else np.zeros(0, dtype=int)
    free = np.setdiff1d(np.arange(nv), given)
    expected = x.copy()
    expected[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free] - matrix[np.ix_(free, given)] @ x[given])
    respond(arrays, contacts, q, work, x, work.tau)
    assert len(given) == int(imposed)
    assert np.abs(x - expected).max() < 1e-11 * np.abs(expected).max()
    if imposed:  # the impulse of an imposed joint balances its own row
        assert work.tau[given] == pytest.approx(contacts.rhs[given] + matrix[given] @ expected - right[given], rel=1e-9)
    for i in range(count):
        u = rows[i] @ expected
        u[0] += contacts.shift[i]
        assert contacts.response.velocity[i] == pytest.approx(u, abs=1e-10 * np.abs(expected).max())
        assert contacts.response.impulse[i, 0] == pytest.approx(law.offset[i, 0] - law.normal[i] * u[0], abs=1e-9)
