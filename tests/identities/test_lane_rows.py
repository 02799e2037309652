"""Robots with wheels and loops that go four at a time, one in each lane of a register: with the bits of robots one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn import Box, Robot, Scenario, about_centre, constant, sine, zoo
from locodyn.integrate import lane_robots
from locodyn.sim import ScenarioBatch
from locodyn.world import Anchor, ArctanFriction, Buoyancy, Drag, Sliding, Thrust, Wake, Water, Wave, WetDrag, WorldForce

pytestmark = pytest.mark.slow

COUNT = 35  # eight blocks and three robots
OWN = [1.0 + 0.01 * r for r in range(COUNT)]


def cart(x: float) -> Scenario:
    """A cart with a steered wheel and an arm, which moves water along and on which laws of the world act that have no memory."""
    robot, water = Robot("cart"), Water(wave=Wave(0.1, length=5.0, period=3.0))
    body = robot.base("body", moves="planar", mass=2.0, inertia=about_centre(zz=0.1), shape=Box((0.4, 0.2, 0.1)))
    body.fluid((0.3, 0.5, 0.1), (0.01, 0.02, 0.03))
    body.wheel("rear", axis="y", radius=0.05).wheel("front", at=(0.3, 0, 0), axis="y", radius=0.05, kind="steered")
    robot.body("arm", mass=0.3, inertia=about_centre(zz=0.01)).on(body, at=(0.1, 0, 0)).turning("z", name="joint")
    laws = (
        Drag(0.5, 0.3, 0.1), Anchor((1, 0, 0), 5.0, 0.4), WorldForce((0.2, 1, 0), (0.1, 0.2, 0)), Thrust((1, 0, 0)),
        Wake((0.1, 0.2)), Sliding((0.1, 0.3), 2.0), ArctanFriction((0.1, 0.3), 2.0), Buoyancy(water=water),
        WetDrag(Drag(linear=1.0), water=water),
    )  # fmt: skip
    for n, law in enumerate(laws):
        robot.wrench(f"law_{n}", on=body, law=law)
    drives: dict[str, Any] = {"steering": {"front": sine(0.3 * x, omega=3.0)}, "torque": {"joint": sine(0.1 * x, omega=2.0)}}
    return Scenario("cart", robot, **drives, t_end=1.0, dt=0.01, integrator="rkmk4")


def gears(x: float) -> Scenario:
    """Two bars that turn against each other, and one that swings from the second."""
    robot, moment = Robot("gears"), about_centre(xx=0.01, yy=0.01, zz=0.01)
    parent = robot.base("ground", moves="fixed")
    for name, at in (("first", (0, 0, 0)), ("second", (0.3, 0, 0))):
        bar = robot.body(name, mass=0.5, centre=(0, 0, -0.1), inertia=moment).on(parent, at=at).turning("y", name=f"{name}_joint")
    robot.body("third", mass=0.2, centre=(0, 0, -0.1), inertia=moment).on(bar, at=(0, 0, -0.2)).turning("y", name="third_joint")
    robot.coupling("gear", {"first_joint": 1.0, "second_joint": 2.0})
    return Scenario("gears", robot, torque={"first_joint": sine(0.2 * x, omega=4.0)}, t_end=1.0, dt=0.005, integrator="rkmk4")


# What each robot has of its own is the number x, in its gait, its drive or its start: wheels that leave one direction open,
# wheels that leave none, joints that follow from their wheels, steered and driven wheels, loops, couplings, surfaces that roll.
KINDS: dict[str, Callable[[float], Scenario]] = {
    "wheels": lambda x: zoo.snakeboard(a_phi=0.3 * x, a_psi=0.8 * x, w=2.0 * x),
    "connection": lambda x: zoo.wheeled_snake(n=3, w=x, phi=tuple(k * math.pi / 16.0 + 0.3 for k in (1, 9, 0, 7, -1))),
    "followers": lambda x: zoo.wheeled_snake(n=4, w=x, phi=tuple(k * math.pi / 16.0 + 0.3 for k in (1, 9, 0, 7, -1))),
    "steered": lambda x: zoo.car().changed(steering={"front": sine(0.25 * x, omega=3.0)}),
    "loop": lambda x: zoo.four_bar(w=3.0 * x).changed(integrator="rkmk4", dt=2e-3),
    "free loop": lambda x: zoo.four_bar().changed(imposed={}, torque={"joint_1": constant(0.3 * x)}, integrator="rkmk4", dt=2e-3),
    "equal torques": lambda x: zoo.mobile_manipulator(w_b=0.5 * x),
    "laws of the world": cart,
    "gears": gears,
    "adams": lambda x: KINDS["wheels"](x).changed(integrator="adams"),
    "loop by adams": lambda x: KINDS["free loop"](x).changed(integrator="adams"),
    "tree by adams": lambda x: zoo.pendulum(n=3).changed(
        torque={"joint_1": sine(0.2 * x, omega=6.0)}, integrator="adams", dt=0.005
    ),
    "rolls": lambda x: zoo.trikke(a=0.5 * x),
}


def counted(monkeypatch: pytest.MonkeyPatch, least: int) -> list[tuple[int, int]]:
    """Robots of each call from now on: (in lanes, one by one)."""
    calls: list[tuple[int, int]] = []
    take = lane_robots.Lanes.take

    def noted(self: Any, robots: Any, turn: Any, chosen: np.ndarray, count: int) -> np.ndarray:
        left = take(self, robots, turn, chosen, count)
        calls.append((len(chosen) - len(left), len(left)))
        return left

    monkeypatch.setattr(lane_robots, "LEAST", least)
    monkeypatch.setattr(lane_robots.Lanes, "take", noted)
    return calls


def both_ways(act: Callable[[], tuple[Any, ...]]) -> tuple[list[tuple[int, int]], tuple[Any, ...]]:
    """What ``act`` gives in lanes, which is what it gives with robots one by one; and the calls in lanes."""
    seen = []
    for least in (lane_robots.LEAST, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            seen.append((counted(patch, least), act()))
    for one, other in zip(seen[0][1], seen[1][1], strict=True):
        np.testing.assert_array_equal(one, other)
    assert all(together == 0 for together, _ in seen[1][0])
    return seen[0]


def words(many: ScenarioBatch) -> tuple[Any, ...]:
    """All that a batch has of its robots."""
    return many.q.copy(), many.v.copy(), many.robots.own.copy(), many.time, many.status


@pytest.mark.parametrize("name", KINDS)
def test_rows_go_four_at_a_time_with_the_same_bits(name: str) -> None:
    """Against robots one by one, and against runs alone; what steps remember of rows too."""
    scenarios = [KINDS[name](x) for x in OWN]

    def act() -> tuple[Any, ...]:
        many = ScenarioBatch(scenarios, actions=[], threads=1)
        for steps in (1, 12, 250):
            many.advance(steps)
        return words(many)

    calls, (q, v, *_) = both_ways(act)
    assert calls == [(COUNT, 0)] * 3
    for r in (0, 6, COUNT - 1):
        alone = scenarios[r].open(actions=[])
        alone.step(steps=263)
        np.testing.assert_array_equal(q[r], alone.q)
        np.testing.assert_array_equal(v[r], alone.v)
    assert len(np.unique(q.round(12), axis=0)) == COUNT


def test_pivots_are_each_robots_own() -> None:
    """The wheels of a snakeboard press alike but for round-off: robots of one block eliminate them in different orders."""
    many = ScenarioBatch([KINDS["wheels"](x) for x in OWN], actions=[], threads=1)
    with pytest.MonkeyPatch.context() as patch:
        calls = counted(patch, lane_robots.LEAST)
        many.advance(25)
    assert calls == [(COUNT, 0)]
    order = many.robots.own[:, 3:5]  # after the ranks
    assert {tuple(one) for one in order} == {(0, 1), (1, 0)}
    assert any(len(np.unique(order[k : k + 4, 0])) == 2 for k in range(0, 32, 4))


def test_robots_that_lose_rank_go_alone() -> None:
    """Robot 6 turns its axles to a right angle, where its wheels lose rank, in step 10; its block goes alone for a while."""
    amplitude = [0.5 * math.pi if r == 6 else 0.4 for r in range(COUNT)]
    scenarios = [
        zoo.snakeboard(a_phi=a, a_psi=0.8 * x).changed(dt=math.pi / 40.0, t_end=math.pi, checks=())
        for a, x in zip(amplitude, OWN, strict=True)
    ]

    def act() -> tuple[Any, ...]:
        many = ScenarioBatch(scenarios, actions=[], threads=1)
        for steps in (8, 4, 1, *([4] * 9)):
            many.advance(steps)
        return words(many)

    calls, _ = both_ways(act)
    assert calls[:3] == [(COUNT, 0), (COUNT - 4, 4), (COUNT - 4, 4)]
    assert calls[-1][0] == COUNT  # together again


def test_a_robot_that_fails_and_robots_that_are_ahead() -> None:
    """Beside others, which go on in lanes; with actions, and after a reset of some."""

    def act() -> tuple[Any, ...]:
        axles = {"joint_2": sine(-0.4, omega=2.0), "joint_3": sine(0.4, omega=2.0)}
        board = zoo.snakeboard().changed(imposed=axles, torque={"joint_1": constant(0.0)}, checks=())
        many = board.batch(COUNT, actions=["joint_1"], threads=1)
        random = np.random.default_rng(4)
        many.reset(v=0.1 * random.standard_normal(many.v.shape))
        many.robots.v[5] = 1e200
        for robots in (None, [7, 9], None):
            many.set_actions(random.uniform(-0.5, 0.5, many.action.shape))
            many.advance(3, robots)
        failed = many.status[5]
        many.reset([5, 6], v=0.1 * random.standard_normal((2, many.v.shape[1])))
        many.advance(2)
        return *words(many), failed

    calls, (*_, failed) = both_ways(act)
    assert failed.startswith("failed")
    assert calls[0] == (COUNT - 4, 4)  # with its block, which does not choose alike
    assert calls[1] == (0, 2)  # those ahead are too few
    assert all(together >= 27 for together, _ in calls if together) and sum(together > 0 for together, _ in calls) == 2


def test_a_run_records_what_robots_record_alone() -> None:
    scenarios = [KINDS["wheels"](x).changed(t_end=0.2) for x in OWN]

    def act() -> tuple[Any, ...]:
        data = ScenarioBatch(scenarios, threads=2).run(record_every=5)
        return data.q.values, data.v.values

    calls, (q, _) = both_ways(act)
    assert sum(together for together, _ in calls) == 0  # 17 and 18 robots are too few for a thread
    many = ScenarioBatch(scenarios, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        calls = counted(patch, lane_robots.LEAST)
        data = many.run(record_every=5)
    assert calls == [(COUNT, 0)] * 4
    np.testing.assert_array_equal(data.q.values, q)


def test_a_robot_does_not_take_the_rank_of_the_one_before() -> None:
    """Robot 0 comes to a mirror-symmetric shape, where its wheels lose rank, at the end of the step; robot 1 is far from it."""
    phases = [k * math.pi / 16.0 for k in (1, 9, 0, 7, -1)]
    first, second = (zoo.wheeled_snake(n=3, phi=tuple(phase + by for phase in phases)) for by in (-0.01, 0.5))
    many = ScenarioBatch([first, second], actions=[], threads=1)
    many.advance(1)
    ranks = many.robots.own[:, :2]  # of the last look, of the settled rows
    assert ranks.tolist() == [[2, 3], [3, 3]]
    alone = second.open(actions=[])
    alone.step()
    np.testing.assert_array_equal(many.q[1], alone.q)
    np.testing.assert_array_equal(many.v[1], alone.v)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: zoo.snakeboard(m_o=2.0 * x),
        lambda x: zoo.snakeboard(l=0.2 * x),
        lambda x: zoo.continuum_snake(),
    ],
    ids=["masses", "lengths", "contacts on rods"],
)
def test_robots_that_differ_otherwise_go_one_by_one(make: Callable[[float], Scenario]) -> None:
    many = ScenarioBatch([make(x) for x in OWN], actions=[], threads=1)
    with pytest.MonkeyPatch.context() as patch:
        calls = counted(patch, lane_robots.LEAST)
        many.advance(1)
    assert all(together == 0 for together, _ in calls)
