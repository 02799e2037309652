"""Robots of a batch that go four at a time, one in each lane of a SIMD register: with the bits of robots one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn import Scenario, Servo, sine, zoo
from locodyn.integrate import lane_robots
from locodyn.integrate.lane_robots import rkmk4_lanes
from locodyn.sim import ScenarioBatch


def gait(x: float) -> Scenario:
    """Three links: one moved as imposed, one by a servo, one by a torque, all with numbers of their own."""
    scenario = zoo.pendulum(n=3).changed(start={}, imposed={"joint_1": sine(0.2, omega=5.0 * x)}, integrator="rkmk4", dt=0.01)
    return scenario.changed(
        torque={"joint_3": sine(0.2 * x, omega=6.0)}, servo={"joint_2": Servo(sine(0.3 * x, omega=4.0), 5.0, 0.5)}
    )


def driven() -> Scenario:
    """Two links, one moved by torques, one by a servo."""
    laws = {"torque": {"joint_1": sine(amplitude=0.2, omega=6.0)}, "servo": {"joint_2": Servo(0.3, 5.0, 0.5)}}
    return zoo.pendulum(n=2).changed(**laws, integrator="rkmk4", dt=0.01, t_end=0.5)


def built(x: float) -> Scenario:
    return zoo.pendulum(n=2, angle=0.5 * x, lengths=(1.0, 0.6 * x)).changed(integrator="rkmk4", dt=0.01)


OWN = [1.0 + 0.01 * r for r in range(35)]
# What 35 robots have of their own, and how many of them go in lanes in each of three calls.
IN_LANES: dict[str, tuple[Callable[[], ScenarioBatch], list[int]]] = {
    "states": (lambda: zoo.pendulum(n=2).changed(integrator="rkmk4", dt=0.01).batch(35, threads=1), [35, 32, 32]),
    "actions": (lambda: driven().batch(35, threads=1), [35, 32, 32]),
    "gaits": (lambda: ScenarioBatch([gait(x) for x in OWN], actions=[], threads=1), [35, 32, 32]),
    "masses": (lambda: ScenarioBatch([built(x) for x in OWN], actions=[], threads=1), []),
}


@pytest.mark.parametrize("own", IN_LANES)
def test_smooth_trees_go_four_at_a_time_with_the_same_bits(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In lanes, in a block that is not full, beside one robot that fails and two that are ahead; against robots one by one."""
    (make, expected), seen = IN_LANES[own], []
    for least in (lane_robots.LEAST, 10**9):
        monkeypatch.setattr(lane_robots, "LEAST", least)
        calls: list[int] = []

        def noted(*arguments: Any, calls: list[int] = calls) -> None:
            calls.append(len(arguments[2]))
            rkmk4_lanes(*arguments)

        monkeypatch.setattr(lane_robots, "rkmk4_lanes", noted)
        many = make()
        random = np.random.default_rng(2)
        many.reset(v=random.standard_normal(many.v.shape))
        many.robots.v[5] = 1e200
        many.set_actions(random.uniform(-0.5, 0.5, many.action.shape))
        many.advance(3)
        many.advance(2, [7, 9])
        many.set_actions(random.uniform(-0.5, 0.5, many.action.shape))
        many.advance(4)
        many.advance(1)
        seen.append((many.q.copy(), many.v.copy(), many.time, many.status))
        assert calls == (expected if least < 1000 else [])
    for one, other in zip(*seen, strict=True):
        np.testing.assert_array_equal(one, other)
    assert seen[0][3][5].startswith("failed") and seen[0][3].count("sound") == 34
    assert len(np.unique(seen[0][0][:, -1])) == 35
