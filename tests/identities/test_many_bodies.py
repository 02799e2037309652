"""Many bodies in one world: the broad phase misses nothing, islands move as if they were alone, heaps obey the rigid law."""

from dataclasses import fields

import numpy as np
import pytest

import locodyn as ld
from contact_cases import poses_at, problem_of, random_configuration
from locodyn.contact.detection import find_closed
from locodyn.integrate import solve
from locodyn.locomotion.contact import allocation
from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Sphere
from locodyn.shape.configuration import moved_configuration
from locodyn.sim import contact_problem_at
from locodyn.world import Ground
from locodyn.world.contact_pairs import PairArrays
from locodyn.world.contact_table import ContactPairs

pytestmark = pytest.mark.slow

SHAPES = (
    Sphere(0.1), Capsule(0.08, 0.3, axis=(1.0, 0.5, 0.0), at=(0.02, 0.0, 0.01)), Box((0.3, 0.2, 0.25)),
    Cylinder(0.1, 0.3, axis=(1.0, 0.2, 0.1)), Ellipsoid((0.1, 0.2, 0.3), at=(0.01, 0.02, -0.03)), Sphere(0.3),
)  # fmt: skip


@pytest.mark.parametrize("ahead", [False, True])
def test_broad_phase_finds_what_all_pairs_give(ahead, monkeypatch):
    """Along a random way the contacts, and their order, are those of looking at every pair; most pairs are not looked at.

    Strides are bounds of the way in a step, as the time stepping gives them: here twice the way that is gone.
    """
    rng, kinds = np.random.default_rng(3), SHAPES * 2
    problems = []
    for most in (0, 10**9):
        monkeypatch.setattr(allocation, "MANY_PAIRS", most)
        problems.append(problem_of(*kinds, obstacles=(Ground(),), self_collision=True, ahead=ahead))
    crowd, every = problems
    assert crowd.contact.arrays.broad.used
    assert not every.contact.arrays.broad.used
    q, step = random_configuration(crowd, rng, 1.5), 0.004
    for problem in problems:
        problem.contact.begin(q)
    v, closed, looked = rng.normal(size=crowd.model.nv), 0, 0
    for _ in range(150):
        v = 0.98 * v + 0.2 * rng.normal(size=v.size)
        for k in range(len(kinds)):  # kept together
            v[6 * k : 6 * k + 3] -= 0.1 * np.clip(q[7 * k : 7 * k + 3], -1.0, 1.0)
        moved_configuration(crowd.arrays.frames, q, step * v, q)
        found = []
        for problem in problems:
            contacts = problem.contact.arrays
            speeds = np.abs(v).reshape(-1, 6).sum(axis=1)
            contacts.detection.stride[1:-1] = 2.0 * step * speeds
            find_closed(contacts, poses_at(problem, q), step)
            found.append((contacts.pair[: contacts.closed].tolist(), contacts.gap[: contacts.closed].tolist()))
        assert found[0] == found[1]
        closed, looked = closed + len(found[0][0]), looked + crowd.contact.arrays.broad.candidates
    assert closed > 100
    assert looked < 0.7 * 150 * len(every.contact.table)


SHAPES = (
    Sphere(0.1), Capsule(radius=0.05, length=0.3), Box((0.3, 0.2, 0.1)), Cylinder(radius=0.1, length=0.2),
    Ellipsoid((0.1, 0.2, 0.3)), Sphere(0.2), Box((0.1, 0.1, 0.4)), Cylinder(radius=0.2, length=0.1),
)  # fmt: skip


def table_of(numbers):
    """The pairs of free bodies with these shapes, each with friction and restitution of its own, and their frames."""
    robot = ld.Robot("crowd")
    world = robot.base("world", moves="fixed")
    for k in numbers:
        friction = ld.Friction(0.1 + 0.1 * (k * 5 % 8), rolling=0.01 * k, spinning=0.02 * k)
        body = robot.body(f"b{k}", mass=1.0, shape=SHAPES[k]).on(world).free(name=f"b{k}")
        body.collides(friction=friction, restitution=0.1 * (k * 3 % 8), direction=(1.0, 0.1 * k, 0.0))
    compiled = robot.model().compiled
    return ContactPairs(compiled, (), True), {compiled.point(f"b{k}")[0]: k for k in numbers}


def test_rows_of_many_surfaces_are_those_of_two_alone():
    """Rows share what sides and laws say; every row is the one that two bodies make by themselves."""
    crowd, bodies = table_of(range(len(SHAPES)))
    rows = {name: n for n, name in enumerate(crowd.names)}
    seen = 0
    for one in range(len(SHAPES)):
        for two in range(one + 1, len(SHAPES)):
            alone, own = table_of((one, two))
            for n, name in enumerate(alone.names):
                seen += 1
                for field in fields(PairArrays):
                    found, wanted = (getattr(table.arrays, field.name) for table in (crowd, alone))
                    if field.name in ("frame", "other"):
                        assert bodies[found[rows[name]]] == own[wanted[n]]
                    elif field.name != "heights":
                        np.testing.assert_array_equal(found[rows[name]], wanted[n], err_msg=f"{field.name} of {name}")
    assert seen == len(rows)


def balls(clusters):
    """Clusters of three balls that fall on the ground and on each other, 10 m apart from one cluster to the next."""
    robot, start, velocity = ld.Robot("balls"), {}, {}
    world = robot.base("world", moves="fixed")
    for c in clusters:
        for k, (x, z) in enumerate(((0.0, 0.1), (0.21 + 0.001 * c, 0.1), (0.1, 0.3))):
            name = f"ball_{c}_{k}"
            robot.body(name, mass=1.0, shape=ld.Sphere(0.1)).on(world).free(name=name).collides(friction=0.4)
            start[name] = (10.0 * c + x, 0.0, z, 0.0, 0.0, 0.0)
            velocity[name] = (0.3 * (1 - k), 0.1 * c, 0.0, 0.0, 0.0, 0.0)
    return ld.Scenario(
        "balls", robot, obstacles=[ld.Ground()], self_collision=True, start=ld.Start(start, velocity), integrator="moreau",
        dt=2e-3, t_end=0.3, record_every=50,
    )  # fmt: skip


def test_islands_move_as_if_they_were_alone():
    """Three clusters in one world and each by itself: the same motion to round-off, which 150 steps of rolling balls let grow."""
    together = balls((0, 1, 2)).run(progress=False)
    assert together.dataset.attrs["contact_unconverged_steps"] == 0
    for c in range(3):
        alone = balls((c,)).run(progress=False)
        for k in range(3):
            name = f"ball_{c}_{k}"
            difference = together.body_position.sel(body=name).values - alone.body_position.sel(body=name).values
            assert np.abs(difference).max() < 1e-9
        assert np.abs(alone.body_position.values[-1, 1:] - alone.body_position.values[0, 1:]).max() > 0.01  # they do move


def tumblers(count):
    """Bodies that turn about no axis of theirs and fall side by side; their centres of mass are off their origins."""
    robot, start, velocity = ld.Robot("tumblers"), {}, {}
    world = robot.base("world", moves="fixed")
    for k in range(count):
        body = robot.body(f"t{k}", mass=1.0 + k, centre=(0.05, -0.02, 0.03), shape=ld.Box((0.3, 0.2, 0.1)))
        body.on(world).free(name=f"t{k}").collides(ld.Sphere(0.1), friction=0.4)
        start[f"t{k}"] = (5.0 * k, 0.0, 9.0, 0.1, 0.2, 0.3)
        velocity[f"t{k}"] = (0.3, 0.1, 0.0, 2.0, -3.0, 1.0)
    return ld.Scenario(
        "tumblers", robot, obstacles=[ld.Ground()], self_collision=True, start=ld.Start(start, velocity), integrator="moreau",
        dt=2e-3, t_end=0.3, record_every=50,
    )  # fmt: skip


def test_free_bodies_fly_by_one_formula_as_by_the_recursion():
    """Alone, a body goes through the recursion of its tree; beside another one, where nothing touches it, it does not."""
    alone, together = tumblers(1).run(progress=False), tumblers(2).run(progress=False)
    difference = together.body_position.sel(body="t0").values - alone.body_position.sel(body="t0").values
    assert np.abs(difference).max() < 1e-12  # round-off of 150 steps
    for name in ("t0", "t1"):  # both have other masses, which free fall does not see: the turning does not either
        turned = together.body_orientation.sel(body=name).values - alone.body_orientation.sel(body="t0").values
        assert np.abs(turned).max() < 1e-11


def heap(t_end):
    """5 x 5 x 5 balls, 10 mm apart and shaken by 1 mm, that fall from 1.1 m and spread (SimBenchmark, Kang and Hwangbo 2018)."""
    robot, noise = ld.Robot("heap"), 1e-3 * np.random.default_rng(0).uniform(-1.0, 1.0, (125, 3))
    world, start = robot.base("world", moves="fixed"), {}
    for k in range(125):
        robot.body(f"b{k}", mass=10.0, shape=ld.Sphere(0.1)).on(world).free(name=f"b{k}").collides(friction=0.5)
        place = 0.21 * np.array([k % 5, k // 5 % 5, k // 25]) + (0.0, 0.0, 1.1) + noise[k]
        start[f"b{k}"] = (*map(float, place), 0.0, 0.0, 0.0)
    return ld.Scenario(
        "heap", robot, obstacles=[ld.Ground()], self_collision=True, start=ld.Start(start), integrator="moreau", dt=0.01,
        t_end=t_end,
    )  # fmt: skip


def test_heaps_obey_the_rigid_law():
    """While a heap collapses, its impulses solve u = W r + q with Coulomb's law: the natural map, in plain NumPy, is below 1e-6.

    That is what is promised, in parts of the weight of a ball times the step. The bound of iterations is a record of our own, 507
    in the last 30 steps; springs alone need 1159.
    """
    scenario = heap(0.9)
    run = solve(scenario.problem, *scenario.initial_state(), t_end=0.9, step=0.01, method="moreau", record_every=10)
    assert run.iterations[-3:].sum() < 800
    assert run.attributes["contact_unconverged_steps"] == 0
    problem = contact_problem_at(scenario, 0.9)
    contacts = scenario.problem.contact.arrays
    count = contacts.closed
    assert contacts.report.unconverged == 0
    impulse = (contacts.impulse[:count] * contacts.scales[:count])[:, :3]
    velocity = (problem.W @ impulse.ravel() + problem.q).reshape(-1, 3)
    normal = np.maximum(0.0, impulse[:, 0] - 10.0 * velocity[:, 0])
    slide = impulse[:, 1:] - 10.0 * velocity[:, 1:]
    inside = np.minimum(1.0, 0.5 * impulse[:, 0] / np.maximum(np.linalg.norm(slide, axis=1), 1e-300))
    missed = np.column_stack([impulse[:, 0] - normal, impulse[:, 1:] - inside[:, None] * slide])
    assert np.abs(missed).max() < 1e-6 * 10.0 * 9.81 * 0.01
    assert np.count_nonzero(impulse[:, 0] > 0.0) > 100


@pytest.mark.parametrize("turn", [0.1, 0.0])
def test_a_tall_stack_stands(turn):
    """20 boxes on each other, each turned by ``turn`` against the one below, or with edges exactly on edges: 3 s without creep.

    A contact that holds may miss the law by 1e-6 g dt of velocity; the runs of 60 s of benchmarks/scale.py move by 1e-14 m.
    """
    robot, start, step, t_end = ld.Robot("stack"), {}, 5e-3, 3.0
    world = robot.base("world", moves="fixed")
    for k in range(20):
        robot.body(f"b{k}", mass=1.0, shape=ld.Box((0.2, 0.2, 0.1))).on(world).free(name=f"b{k}").collides(friction=0.5)
        start[f"b{k}"] = (0.0, 0.0, 0.05 + 0.1 * k, 0.0, 0.0, turn * k)
    run = ld.Scenario(
        "stack", robot, obstacles=[ld.Ground()], self_collision=True, start=start, dt=step, t_end=t_end, record_every=100,
        integrator="moreau",
    ).run(progress=False)  # fmt: skip
    assert run.attributes["contact_unconverged_steps"] == 0
    moved = run.body_position.values - run.body_position.values[0]
    assert np.abs(moved).max() < 1e-6 * 9.81 * step * t_end


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_boxes_with_aligned_edges_push_along_their_common_face(axis):
    """Two equal boxes face to face, turned together at random: corners lie on corners and edges on edges, where faces meet.

    Round-off must not choose the face: every contact is along the normal of the one that the boxes share.
    """
    size, rng = (0.3, 0.2, 0.25), np.random.default_rng(axis)
    problem = problem_of(Box(size), Box(size), self_collision=True)
    contacts = problem.contact.arrays
    for _ in range(10):
        q = random_configuration(problem, rng, 1.0)
        q[10:14] = q[3:7]
        turned = poses_at(problem, q)[1, :9].reshape(3, 3)
        q[7:10] = q[:3] + size[axis] * turned[:, axis]
        problem.contact.begin(q)
        find_closed(contacts, poses_at(problem, q), 0.0)
        between = np.flatnonzero(contacts.other[: contacts.closed] >= 0)  # some corners are in the ground as well
        assert len(between) >= 8
        normals = contacts.basis[between].reshape(-1, 3, 3)[:, :, 0]
        np.testing.assert_allclose(np.abs(normals @ turned[:, axis]), 1.0, atol=1e-12)  # round-off of rotations
