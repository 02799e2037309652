"""Parts that are added and removed again: names and coordinates stay together (acceptance S1 of Gotelli 2024, Node in 5.8.1).

Gotelli's list of successors "can be modified during simulation". A run here has one robot, because its result names each
coordinate once; so a change of parts ends a run, and the next one goes on from its last state, carried over by name.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locodyn as ld
from locodyn.world.feedback import Feedback
from locodyn.world.laws import Thrust, WorldForce
from random_robots import random_robot
from rod_cases import SOFT

pytestmark = pytest.mark.slow


def assert_same(one: ld.Robot, two: ld.Robot) -> None:
    """Equal in every array and every name, bit by bit."""
    first, second = one.compile(), two.compile()
    assert one.bodies == two.bodies
    assert (first.coordinate_names, first.position_names) == (second.coordinate_names, second.position_names)
    assert (first.joint_names, first.joint_velocities) == (second.joint_names, second.joint_velocities)
    for name in ("frames", "constants", "dofs", "dof_constants", "neutral"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert [law.name for law in first.wrenches] == [law.name for law in second.wrenches]
    assert [loop.name for loop in one.description.loops] == [loop.name for loop in two.description.loops]


def arm(extra: bool) -> ld.Robot:
    """A rod with a hand; ``extra``: a branch in its middle, with bodies, a wheel, laws and a loop, said between other parts."""
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    rod = ground.rod("rod", length=0.5, section=ld.Circle(0.01), material=SOFT, bending=2)
    if extra:
        side = robot.body("side", mass=0.1, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4)).on(rod, at_s=0.2).turning("z")
        side.marker("eye", at=(0.1, 0, 0)).wheel("tyre", at=(0, 0, -0.1), axis="y", radius=0.05, mass=0.1)
        twig = side.rod("twig", length=0.3, section=ld.Circle(0.01), material=SOFT, bending=1)
        twig.tendon("wire", (0.005, 0.0))
        robot.wrench("jet", on="eye", law=Thrust((0, 0, 1)))
        robot.wrench("hover", on=twig, law=Feedback(1.0, 2.0))
        robot.loop("tied", twig, "world", joint="spherical", at=(0.5, 0.1, 0))
    robot.body("hand", mass=0.2, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4)).on(rod).ball()
    robot.wrench("weight", on="hand", law=WorldForce((0, 0, -1)))
    return robot


def test_a_branch_and_all_that_holds_on_to_it() -> None:
    """Bodies, wheel, tendon, marker, laws with their integrals, the loop of a branch go with it; the rod has its slices again."""
    robot = arm(True)
    assert {"twig", "tyre"} < set(robot.bodies)
    robot.remove("side")
    assert_same(robot, arm(False))
    robot.body("lamp", mass=0.1).on("rod", at_s=0.3).fixed()
    robot.remove("lamp")
    assert_same(robot, arm(False))


def test_laws_loops_and_wheels() -> None:
    robot = arm(True)
    robot.remove("hover")
    assert all(wrench.name != "hover" for wrench in robot.description.wrenches)
    robot.remove("tied")
    robot.remove("tyre")
    assert not robot.description.loops
    assert all(not body.wheels for body in robot.description.bodies)
    robot.remove("side")
    assert_same(robot, arm(False))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_random_trees(seed: int, place: int) -> None:
    """A branch of two bodies and a rod on a random body of a random tree, removed again: bit for bit the robot before."""
    robot, before = (random_robot(np.random.default_rng(seed), 5) for _ in range(2))
    carrier = robot[robot.bodies[place % len(robot.bodies)]]
    branch = robot.body("branch", mass=1.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1)).on(carrier).turning("x")
    rod = branch.rod("rod", length=0.5, section=ld.Circle(0.01), material=SOFT, bending=2)
    robot.body("leaf", mass=0.5, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1)).on(rod, at_s=0.2).ball()
    with_branch = robot.compile()
    robot.remove("branch")
    assert_same(robot, before)
    # in between, every other coordinate had its name, and moved the same bodies
    names = before.compile().coordinate_names
    assert [name for name in with_branch.coordinate_names if name in names] == list(names)


def test_a_run_goes_on_without_its_load() -> None:
    """The arm lets its branch fall: joints of the same name go on where they were, in whatever order they were declared."""
    heavy, light = arm(True), arm(False)
    heavy.remove("tied")
    heavy.remove("tyre")
    one, two = heavy.model(), light.model()
    rng = np.random.default_rng(2)
    q = one.move(one.neutral(), 0.3 * rng.standard_normal(one.nv))
    v = rng.standard_normal(one.nv)
    start = ld.Start.carried_over(one, q, v, two)
    run = ld.simulate(light, start=start, t_end=0.01, dt=0.005, integrator="gauss2", progress=False)
    np.testing.assert_allclose(run.body_position.sel(body="hand").values[0], one.pose("hand", q)[1], atol=2e-5)  # other slices
    np.testing.assert_allclose(two.twist("hand", start.positions, start.velocities), one.twist("hand", q, v), atol=2e-4)
    back = ld.Start.carried_over(two, start.positions, start.velocities, one)
    kept = [i for i, name in enumerate(one.compiled.coordinate_names) if name in two.compiled.coordinate_names]
    np.testing.assert_array_equal(np.asarray(back.velocities)[kept], v[kept])
    assert np.count_nonzero(back.velocities) == len(kept)
    other = light.changed({"rod.modes": (0, 0, 0, 0, 3, 2)})
    with pytest.raises(ld.InputError, match="joint 'rod' has other coordinates in robot 'arm'"):
        ld.Start.carried_over(two, start.positions, start.velocities, other.model())


def chain(links: int) -> ld.Robot:
    """A body in free flight with ``links`` more behind it; mass centres in the joints' frames."""
    robot = ld.Robot("chain")
    inertia = ld.about_centre(xx=1e-3, yy=2e-3, zz=1.5e-3)
    last = robot.base("head", moves="free", mass=0.4, inertia=inertia)
    for n in range(links):
        last = robot.body(f"link_{n}", mass=0.2 + 0.1 * n, inertia=inertia).on(last, at=(0.2, 0.1, 0)).turning("xyz"[n % 3])
    return robot


def test_flight_goes_on_as_a_link_is_let_go_and_taken_up_again() -> None:
    """S1 from run to run: at the change no body moves, energy and momentum of what stays are the whole less those of what goes,
    and after it both are kept. A link that is taken up starts at rest in its joint.
    """
    whole, rest = chain(3), chain(2)
    one, two = whole.model(gravity=(0, 0, 0)), rest.model(gravity=(0, 0, 0))
    rng = np.random.default_rng(5)
    options = {"gravity": (0, 0, 0), "integrator": "gauss2", "tolerance": 1e-12, "dt": 0.01, "progress": False}
    before = ld.simulate(whole, start=(one.neutral(), rng.standard_normal(one.nv)), t_end=0.3, **options)
    q, v = before.q[-1], before.v[-1]
    start = ld.Start.carried_over(one, q, v, two)
    p, u = np.asarray(start.positions), np.asarray(start.velocities)
    for name in ("head", "link_0", "link_1"):
        for kept, was in zip(two.pose(name, p), one.pose(name, q), strict=True):
            np.testing.assert_allclose(kept, was, atol=1e-14)
        np.testing.assert_allclose(two.twist(name, p, u), one.twist(name, q, v), atol=1e-13)
    gone, rotation = one.twist("link_2", q, v), one.pose("link_2", q)[0]
    energy = 0.5 * (0.4 * gone[:3] @ gone[:3] + np.array([1e-3, 2e-3, 1.5e-3]) @ gone[3:] ** 2)
    assert two.kinetic_energy(p, u) == pytest.approx(one.kinetic_energy(q, v) - energy, abs=1e-13)
    left = one.momentum(q, v)[0] - 0.4 * rotation @ gone[:3]
    np.testing.assert_allclose(two.momentum(p, u)[0], left, atol=1e-13)
    after = ld.simulate(rest, start=start, t_end=0.3, **options)
    np.testing.assert_allclose(two.momentum(after.q[-1], after.v[-1])[0], left, atol=1e-12)
    assert two.kinetic_energy(after.q[-1], after.v[-1]) == pytest.approx(two.kinetic_energy(p, u), rel=1e-4)  # order 4, 10 ms
    back = ld.Start.carried_over(two, after.q[-1], after.v[-1], one)
    np.testing.assert_array_equal(np.asarray(back.velocities), [*after.v[-1], 0.0])
    np.testing.assert_allclose(one.twist("link_1", back.positions, back.velocities), two.twist("link_1", *end(after)), atol=1e-14)


def end(run: ld.Result) -> tuple[np.ndarray, np.ndarray]:
    return run.q[-1], run.v[-1]


def test_what_cannot_be_removed() -> None:
    robot = arm(True)
    with pytest.raises(ld.DescriptionError, match="'ground' is the base of robot 'arm', which carries all others"):
        robot.remove("ground")
    with pytest.raises(
        ld.InputError, match="has no body, wrench law, loop, coupling, cable or spring 'sid'; did you mean 'side'"
    ):
        robot.remove("sid")


def test_identifiers_are_checked() -> None:
    """Two parts of one name, and parts on names that do not exist (or no longer do)."""
    robot = arm(False)
    with pytest.raises(ld.DescriptionError, match="already has a body 'hand'"):
        robot.body("hand")
    robot.remove("hand")
    assert robot.compile().coordinate_names == ("rod.bending_y.0", "rod.bending_y.1", "rod.bending_z.0", "rod.bending_z.1")
    robot.body("hand", mass=0.1).on("wrist").fixed()
    with pytest.raises(ld.DescriptionError, match="'wrist'"):
        robot.compile()
    with pytest.raises(ld.InputError, match="no velocity 'hend'; did you mean 'hand'"):
        ld.simulate(arm(False), start=({}, {"hend": 1.0}), t_end=0.1, progress=False)


def test_leaves_first() -> None:
    """Parts may be declared before what they are on, as in Gotelli 2024 (Remark 28): the same inverse dynamics by name."""

    def chain(order: tuple[str, ...]) -> ld.Robot:
        robot = ld.Robot("chain")
        robot.base("ground", moves="fixed")
        parent = {"upper": "ground", "lower": "upper", "tip": "lower"}
        for name in order:
            body = robot.body(name, mass=0.3, inertia=ld.about_centre(xx=1e-3, yy=2e-3, zz=3e-3), centre=(0.1, 0, 0))
            body.on(parent[name], at=(0.2, 0.1, 0)).turning("y" if name == "lower" else "z")
        return robot

    rng = np.random.default_rng(0)
    values = {name: rng.standard_normal(3) for name in ("upper", "lower", "tip")}
    found = []
    for order in (("upper", "lower", "tip"), ("tip", "lower", "upper"), ("lower", "tip", "upper")):
        model = chain(order).model()
        q, v, a = np.array([values[name] for name in model.compiled.coordinate_names]).T
        found.append(dict(zip(model.compiled.coordinate_names, model.inverse_dynamics(q, v, a), strict=True)))
    for other in found[1:]:
        assert other == pytest.approx(found[0], abs=1e-13)
