"""The recursion of contacts that respond without symmetry against a dense solution of the same linear problem."""

from dataclasses import replace

import numpy as np
import pytest

import locodyn as ld
from locodyn.contact.dense import fill_mass
from locodyn.contact.free_heap import is_free_heap
from locodyn.contact.heap_sweeps import sweep_heap
from locodyn.contact.islands import enter, whole
from locodyn.contact.operator import respond, respond_again
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


def heap(imposed):
    """A chain that bites its tail, a ball on top of it, two balls side by side, one ball alone and one that touches nothing.

    All balls have the same radius; the chain lies in a square, so that its last ball touches its first one.
    """
    radius, friction = 0.05, ld.Friction(0.4, 0.7, rolling=0.01, spinning=0.02)
    ball, side = {"mass": 0.7, "shape": ld.Sphere(radius)}, 2.0 * radius
    robot = ld.Robot("heap")
    world = robot.base("world", moves="fixed")
    first = robot.body("chain_0", **ball).on(world).free(name="chain_0").collides(friction=friction)
    second = robot.body("chain_1", **ball).on(first, at=(side, 0.0, 0.0)).turning("z", name="hinge").collides(friction=friction)
    third = robot.body("chain_2", **ball).on(second, at=(0.0, side, 0.0)).screwing("x", pitch=0.03, name="screw")
    third.collides(friction=friction)
    robot.body("chain_3", **ball).on(third, at=(-side, 0.0, 0.0)).ball(name="socket").collides(friction=friction)
    places = {
        "chain_0": (0.0, 0.0, radius), "top": (radius, radius, radius + 2.0**0.5 * radius + 1e-6), "left": (1.0, 0.0, radius),
        "right": (1.0 + side + 1e-6, 0.0, radius), "alone": (2.0, 0.0, radius), "far": (3.0, 0.0, 1.0),
    }  # fmt: skip
    for name in [name for name in places if name != "chain_0"]:
        robot.body(name, **ball).on(world).free(name=name).collides(friction=friction)
    start = ld.Start({name: (*place, 0.0, 0.0, 0.0) for name, place in places.items()}, {"left": (0.3, 0.2, 0.0, 0.0, 0.0, 0.4)})
    scenario = ld.Scenario(
        "heap", robot, obstacles=[ld.Ground()], self_collision=True, start=start, integrator="moreau", dt=1e-3, t_end=1e-2,
        imposed={"hinge": ld.sine(1e-4, omega=5.0)} if imposed else {},
    )  # fmt: skip
    q, v = scenario.initial_state()
    solve(scenario.problem, q, v, t_end=1e-3, step=1e-3, method="moreau")
    contacts = scenario.problem.contact.arrays
    frames = {one.body: one.frame for one in scenario.compiled.collisions}
    touching = {
        frozenset(pair) for pair in zip(contacts.frame[: contacts.closed], contacts.other[: contacts.closed], strict=True)
    }
    for one, two in (("chain_0", "chain_3"), ("top", "chain_2"), ("left", "right")):
        assert {frames[one], frames[two]} in touching
    assert contacts.islands.count == 3
    return scenario.problem


def pile(imposed):
    """Free bodies whose mass centres are off their frames, in two layers on the ground: nothing else, nothing opposes turning.

    ``imposed``: one of them slides, driven, and goes through the recursion of trees with all that it touches.
    """
    radius, robot, start = 0.1, ld.Robot("pile"), {}
    world = robot.base("world", moves="fixed")
    places = [(0.2 * x, 0.2 * y, radius) for x in range(3) for y in range(3)]
    places += [(0.1 + 0.2 * x, 0.1 + 0.2 * y, (1.0 + 2.0**0.5) * radius) for x in range(2) for y in range(2)]
    for k, place in enumerate(places):
        body = robot.body(f"b{k}", mass=1.0 + 0.1 * k, centre=(0.01, -0.02, 0.03 - 0.005 * k), shape=ld.Box((0.1, 0.08, 0.06)))
        if imposed and k == 4:
            body.on(world, at=place).sliding("z", name="lift")
        else:
            body.on(world).free(name=f"b{k}")
            start[f"b{k}"] = (*place, 0.1 * k, 0.2, -0.1 * k)
        body.collides(ld.Sphere(radius, at=(0.0, 0.0, 0.0)), friction=ld.Friction(0.4, 0.7))
    scenario = ld.Scenario(
        "pile", robot, obstacles=[ld.Ground()], self_collision=True, start=start, integrator="moreau", dt=1e-3, t_end=1e-2,
        imposed={"lift": ld.sine(1e-4, omega=5.0)} if imposed else {},
    )  # fmt: skip
    q, v = scenario.initial_state()
    solve(scenario.problem, q, v, t_end=1e-3, step=1e-3, method="moreau")
    contacts = scenario.problem.contact.arrays
    assert contacts.islands.count == 1 and np.count_nonzero(contacts.other[: contacts.closed] > 0) >= 24
    enter(contacts, 0)
    assert bool(is_free_heap(contacts)) is not imposed
    if imposed:
        whole(contacts)
    return scenario.problem  # free bodies as one island, as runs see them: with the frame of the world they are none


def dense_problem(problem):
    """Mass matrix (nv, nv) and normalised rows (c, 6, nv) of the closed contacts, by the code for dense matrices."""
    arrays, contacts, work = problem.arrays, problem.contact.arrays, problem.workspace
    count, nv, q = contacts.closed, len(contacts.end_velocity), problem.model.compiled.neutral
    work.poses[:] = contacts.detection.poses  # of the middle of the last step
    room = {
        "jacobian": np.zeros((6 * count, nv)),
        "movers": np.zeros((count, nv + 1), dtype=np.int64),
        "mass": np.zeros((nv, nv)),
    }
    dense = replace(contacts, robot=replace(contacts.robot, dense=1, **room))
    contact_rows(arrays, dense, q, work)  # only rods look at q
    fill_mass(arrays, dense, 0.0, work)
    return dense.robot.mass.copy(), contacts.scales[:count, :, None] * dense.robot.jacobian.reshape(count, 6, nv)


@pytest.mark.parametrize("imposed", [False, True])
@pytest.mark.parametrize("scene", [branched, heap, pile])
def test_recursion_against_the_dense_matrix(scene, imposed):
    """(M + E + J^T D J) x = rhs + J^T (q - D shift) with random blocks that are not symmetric."""
    problem, rng = scene(imposed), np.random.default_rng(5)
    arrays, contacts, work = problem.arrays, problem.contact.arrays, problem.workspace
    law, count, nv, q = contacts.linear, contacts.closed, len(contacts.end_velocity), problem.model.compiled.neutral
    assert count >= 6
    matrix, rows = dense_problem(problem)
    right = contacts.rhs.copy()
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


def test_factors_of_a_heap_serve_again():
    """With other offsets and another right-hand side the factors at hand give what the dense matrix gives."""
    problem, rng = pile(False), np.random.default_rng(7)
    arrays, contacts, work, q = problem.arrays, problem.contact.arrays, problem.workspace, problem.model.compiled.neutral
    law, count = contacts.linear, contacts.end
    assert (contacts.begin, count) == (0, contacts.closed)
    matrix, rows = dense_problem(problem)
    blocks = np.zeros((count, 3, 3))
    for i in range(count):
        law.normal[i], law.sliding[i] = rng.uniform(1.0, 2.0), (3.0, rng.uniform(-1.0, 1.0), 2.0)
        law.spinning[i], law.rolling[i], law.by_radius[i] = 0.0, 0.0, 0.0
        law.by_radius[i, :2] = rng.uniform(-2.0, 2.0, 2)
        blocks[i, 0, 0], blocks[i, 1:, 0] = law.normal[i], law.by_radius[i, :2]
        blocks[i, 1:, 1:] = law.sliding[i, [0, 1, 1, 2]].reshape(2, 2)
        matrix += rows[i, :3].T @ blocks[i] @ rows[i, :3]
    x, contacts.shift[:count], law.offset[:, 3:] = contacts.end_velocity.copy(), rng.normal(size=count), 0.0
    for turn in range(3):
        contacts.rhs[:], law.offset[:count, :3] = rng.normal(size=len(x)), rng.normal(size=(count, 3))
        if turn == 0:
            respond(arrays, contacts, q, work, x, work.tau)
        else:
            respond_again(arrays, contacts, work, x, work.tau)
        pushed = law.offset[:count, :3] - blocks[:, :, 0] * contacts.shift[:count, None]
        expected = np.linalg.solve(matrix, contacts.rhs + np.einsum("ijk,ij->k", rows[:, :3], pushed))
        assert np.abs(x - expected).max() < 1e-11 * np.abs(expected).max()
        u = rows[:, :3] @ expected
        u[:, 0] += contacts.shift[:count]
        answer = law.offset[:count, :3] - np.einsum("ijk,ik->ij", blocks, u)
        np.testing.assert_allclose(contacts.response.velocity[:count, :3], u, atol=1e-10 * np.abs(u).max())
        np.testing.assert_allclose(contacts.response.impulse[:count, :3], answer, atol=1e-10 * np.abs(answer).max())


@pytest.mark.parametrize("rubs", [True, False])
def test_sweeps_over_a_heap_leave_pairs_that_satisfy_the_dynamics(rubs):
    """x = M^-1 (rhs + J^T z) and w = J x + shift after any number of sweeps, impulses in their cones, in plain NumPy.

    Without friction each contact is solved exactly, its row being one coordinate of 1/2 z.W z + z.(J M^-1 rhs + shift) over
    z >= 0: that falls with every sweep.
    """
    problem, rng = pile(False), np.random.default_rng(3)
    arrays, contacts, count = problem.arrays, problem.contact.arrays, problem.contact.arrays.closed
    if not rubs:
        contacts.scales[:count, 1:] = 0.0
    matrix, rows = dense_problem(problem)
    rows = rows[:, :3].reshape(3 * count, -1)
    contacts.rhs[:], contacts.shift[:count] = matrix @ rng.normal(size=len(matrix)), 0.1 * rng.normal(size=count)
    shift = np.zeros((count, 3))
    shift[:, 0] = contacts.shift[:count]
    W, free = rows @ np.linalg.solve(matrix, rows.T), rows @ np.linalg.solve(matrix, contacts.rhs) + shift.ravel()
    contacts.impulse[:] = 0.0
    x, before = contacts.end_velocity.copy(), 0.0
    for sweeps in (0, 1, 1, 2, 5):
        sweep_heap(arrays.frames, contacts, x, sweeps)
        z = contacts.impulse[:count, :3]
        expected = np.linalg.solve(matrix, contacts.rhs + rows.T @ z.ravel())
        assert np.abs(x - expected).max() < 1e-12 * np.abs(expected).max()
        w = (rows @ expected).reshape(count, 3) + shift
        np.testing.assert_allclose(contacts.velocity[:count, :3], w, atol=1e-12 * np.abs(w).max())
        assert np.all(z[:, 0] >= 0.0)
        assert np.all(np.linalg.norm(z[:, 1:], axis=1) <= z[:, 0] * (1.0 + 1e-12))
        energy = 0.5 * z.ravel() @ W @ z.ravel() + z.ravel() @ free
        assert rubs or sweeps == 0 or energy < before
        before = energy
