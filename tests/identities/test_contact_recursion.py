"""The recursion of contacts that respond without symmetry against a dense solution of the same linear problem."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.contact.arrays import (
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    D_RADIUS,
    OFFSET,
    RHS,
    SCALES,
    SHIFT,
    W_NEXT,
    Z_NEXT,
    X,
)
from locodyn.locomotion.contact.dense import contact_rows, fill_mass
from locodyn.locomotion.contact.operator import respond
from locodyn.shape.kinematics import frame_poses


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
    p, c, w = problem.arrays, problem.contact.arrays, problem.workspace
    count, nv = int(c.counts[CLOSED]), len(c.vectors[X])
    assert count >= 6
    frame_poses(p.frames, p.constants, w.position[0], 1, w.poses)  # of the middle of the last step
    contact_rows(p, c, w.position[0], w)
    fill_mass(p, c, 0.0, w)
    matrix, right = c.mass.copy(), c.vectors[RHS].copy()
    for i in range(count):
        row = c.contact[i]
        row[D_LINEAR : D_LINEAR + 6] = rng.uniform(1.0, 2.0), 0.0, 0.0, 3.0, rng.uniform(-1.0, 1.0), 2.0
        row[D_ANGULAR : D_ANGULAR + 6] = rng.uniform(1.0, 2.0), 0.0, 0.0, 2.0, rng.uniform(-1.0, 1.0), 3.0
        row[D_RADIUS : D_RADIUS + 5] = rng.uniform(-2.0, 2.0, 5)
        row[OFFSET : OFFSET + 6] = rng.normal(size=6)
        row[SHIFT] = rng.normal()
        block = np.zeros((6, 6))
        block[0, 0] = row[D_LINEAR]
        block[1:, 0] = row[D_RADIUS : D_RADIUS + 5]
        block[1:3, 1:3] = row[[D_LINEAR + 3, D_LINEAR + 4, D_LINEAR + 4, D_LINEAR + 5]].reshape(2, 2)
        block[3, 3] = row[D_ANGULAR]
        block[4:, 4:] = row[[D_ANGULAR + 3, D_ANGULAR + 4, D_ANGULAR + 4, D_ANGULAR + 5]].reshape(2, 2)
        rows = row[SCALES : SCALES + 6, None] * c.jacobian[6 * i : 6 * i + 6]
        matrix += rows.T @ block @ rows
        right += rows.T @ (row[OFFSET : OFFSET + 6] - block[:, 0] * row[SHIFT])
    x = c.vectors[X].copy()
    given = np.flatnonzero(p.imposed) if imposed else np.zeros(0, dtype=int)
    free = np.setdiff1d(np.arange(nv), given)
    expected = x.copy()
    expected[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free] - matrix[np.ix_(free, given)] @ x[given])
    respond(p, c, w.position[0], w, x, w.tau)
    assert len(given) == int(imposed)
    assert np.abs(x - expected).max() < 1e-11 * np.abs(expected).max()
    if imposed:  # the impulse of an imposed joint balances its own row
        assert w.tau[given] == pytest.approx(c.vectors[RHS][given] + matrix[given] @ expected - right[given], rel=1e-9)
    for i in range(count):
        rows = c.contact[i, SCALES : SCALES + 6, None] * c.jacobian[6 * i : 6 * i + 6]
        u = rows @ expected + np.array([c.contact[i, SHIFT], 0.0, 0.0, 0.0, 0.0, 0.0])
        assert c.contact[i, W_NEXT : W_NEXT + 6] == pytest.approx(u, abs=1e-10 * np.abs(expected).max())
        assert c.contact[i, Z_NEXT] == pytest.approx(c.contact[i, OFFSET] - c.contact[i, D_LINEAR] * u[0], abs=1e-9)
