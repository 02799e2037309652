"""One continuum parallel robot built in three ways moves in one way (S2): cut at the tip, floating platform, platform as base."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.robot import BodyHandle

pytestmark = pytest.mark.slow

ANGLE = float(np.arccos(0.2))
PLATFORM = {"mass": 0.03, "centre": (0.01, 0.005, 0.0), "inertia": ld.about_centre(xx=1e-5, yy=1e-5, zz=2e-5)}
ROD = {
    "length": 1.0, "section": ld.Circle(0.001), "material": ld.Material(2.1e11, 7800.0), "bending": (0, 3), "nodes": 8,
}  # fmt: skip
LEFT, RIGHT = -ld.motion.transition(0.0, 0.4, duration=0.2), ld.motion.transition(0.0, 0.3, duration=0.3)
TIP = (0.0, float(np.sin(ANGLE)), 0.0)


def legs(robot: ld.Robot) -> list[BodyHandle]:
    """Two legs on driven hinges, as a tree on the ground; their tips."""
    ground = robot.base("ground", moves="fixed")
    tips = []
    for name, x in (("left", -0.2), ("right", 0.2)):
        tips.append(robot.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z").rod(name, **ROD))
    return [ground, *tips]


def cut_at_the_tip() -> ld.Scenario:
    """The platform sits on the left leg; the right one is pinned to it."""
    robot = ld.Robot("cut at the tip")
    _, left, right = legs(robot)
    robot.body("platform", **PLATFORM).on(left).fixed()
    robot.loop("pin", left, right, joint="revolute", axis="z")
    start = {"left_hub": ANGLE, "right_hub": np.pi - ANGLE}
    return ld.Scenario("cut", robot, gravity=(0, 0, 0), torque={"left_hub": LEFT, "right_hub": RIGHT}, start=start)


def floating_platform() -> ld.Scenario:
    """The platform moves freely in the plane; one leg is welded to it, the other pinned: two cuts."""
    robot = ld.Robot("floating platform")
    ground, left, right = legs(robot)
    across = robot.body("across").on(ground).sliding("x", name="x")
    along = robot.body("along").on(across).sliding("y", name="y")
    platform = robot.body("platform", **PLATFORM).on(along).turning("z", name="turn")
    robot.loop("weld", platform, left, joint="fixed")
    robot.loop("pin", platform, right, joint="revolute", axis="z")
    start = {"left_hub": ANGLE, "right_hub": np.pi - ANGLE, "x": TIP[0], "y": TIP[1], "turn": ANGLE}
    return ld.Scenario("floating", robot, gravity=(0, 0, 0), torque={"left_hub": LEFT, "right_hub": RIGHT}, start=start)


def platform_as_base() -> ld.Scenario:
    """The platform is the reference body of a locomotor; the legs run from it to the ground, where they are pinned and driven."""
    robot = ld.Robot("platform as base")
    platform = robot.base("platform", moves="planar", at=TIP, turned=("z", ANGLE), **PLATFORM)
    left = platform.rod("left", turned=("z", np.pi), **ROD)
    hinge = robot.body("hinge").on(platform, turned=("z", -2.0 * ANGLE)).turning("z")
    right = hinge.rod("right", **ROD)
    for end, x, law in ((left, -0.2, LEFT), (right, 0.2, RIGHT)):
        robot.loop(f"{end.name}_foot", "world", end, joint="revolute", axis="z", at=(x, 0, 0))

        def moment(
            t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray, law: ld.motion.Law = law
        ) -> np.ndarray:
            return np.array([0.0, 0.0, 0.0, 0.0, 0.0, law(t)])

        robot.wrench(f"{end.name}_motor", on=end, law=ld.world.UserLaw(moment))
    return ld.Scenario("locomotor", robot, gravity=(0, 0, 0))


@pytest.mark.parametrize("method", ["gauss2", "generalized_alpha"])
def test_same_motion_of_the_platform(method: str) -> None:
    """0.5 s under unequal torques: the platform goes 0.2 m and turns; its paths agree to 1e-6 m and 1e-6 rad.

    The schemes are the same, but positions of a planar base and of hinges are advanced in other coordinates: small steps.
    """
    step = 1e-3 if method == "gauss2" else 2.5e-4
    places = []
    for scenario in (cut_at_the_tip(), floating_platform(), platform_as_base()):
        every = round(0.05 / step)
        run = solve(scenario.problem, *scenario.initial_state(), t_end=0.5, step=step, method=method, record_every=every)
        assert run.status == "completed"
        poses = [scenario.model.pose("platform", q) for q in run.q]
        places.append(np.array([[*p[:2], np.arctan2(r[1, 0], r[0, 0])] for r, p in poses]))
    assert np.max(np.ptp(places[0], axis=0)) > 0.1
    for other in places[1:]:
        np.testing.assert_allclose(other, places[0], atol=1e-6)
