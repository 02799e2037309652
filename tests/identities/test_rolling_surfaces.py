"""Every surface on every plane: energy is constant, it stays on the plane, and its material point at the contact rests."""

import warnings

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim import Scenario, Start
from locodyn.sim.run_warnings import LiftWarning
from locodyn.zoo.measures import energy_drift

pytestmark = pytest.mark.slow

SURFACES = {
    "disc": {"radius": 0.2, "axis": (0.1, 1.0, -0.2)},
    "tyre": {"radius": 0.2, "axis": (0.0, 1.0, 0.2), "crown": 0.05},
    "sphere": {"radius": 0.2},
    "ellipsoid": {"semi_axes": (0.2, 0.15, 0.1), "turned": ("x", 0.3)},
    "rounded": {"semi_axes": (0.2, 0.15, 0.1), "crown": 0.04},
    "foot": None,
}


@pytest.mark.parametrize("slips", [False, True], ids=["rolls", "slips"])
@pytest.mark.parametrize("surface", SURFACES)
def test_surface_on_a_slope(surface, slips):
    """A body of random inertia with an arm, on a random plane. Tolerances: ten times what was measured (7e-11, 1e-13)."""
    random = np.random.default_rng(len(surface))
    root = random.normal(size=(3, 3))
    spread = 0.003 * root @ root.T
    normal, ground = np.array([*(0.3 * random.normal(size=2)), 1.0]), random.normal(size=3)
    normal /= np.linalg.norm(normal)
    plane = {"normal": normal, "ground": ground, "slips": slips}
    robot = ld.Robot("stone")
    inertia = ld.about_centre(np.trace(spread) * np.eye(3) - spread)
    stone = robot.base("stone", mass=1.3, centre=0.03 * random.normal(size=3), inertia=inertia)
    if SURFACES[surface] is None:
        stone.foot("skin", at=(0.0, 0.0, -0.2), **plane)
    else:
        stone.rolling("skin", at=0.02 * random.normal(size=3), **SURFACES[surface], **plane)
    arm = robot.body("arm", mass=0.4, centre=(0, 0, 0.1), inertia=ld.about_centre(xx=0.002, yy=0.002, zz=0.001))
    arm.on(stone, at=(0, 0, 0.05)).turning("x")
    start = Start({"stone": (*(ground + 0.25 * normal), 0.1, 0.2, 0.1)}, {"stone": random.normal(size=6), "arm": 1.0})
    free = Scenario("stone", robot, start=start)
    start = free.problem.start_state(0.0, *free.initial_state())  # the nearest state on the plane
    scenario = Scenario("stone", robot, start=start, t_end=0.2, dt=0.002, integrator="adaptive", tolerance=1e-11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LiftWarning)  # a contact that persists may have to pull
        result = scenario.run(progress=False)
    assert result.status == "completed"
    assert energy_drift(result) < 1e-9
    points = result.contact_point.values[:, 0]
    assert np.abs((points - ground) @ normal).max() < 1e-12
    speeds = []
    for q, v, point in zip(result.q, result.v, points, strict=True):
        (rotation, position), twist = result.model.pose("stone", q), result.model.twist("stone", q, v)
        speeds.append(rotation @ twist[:3] + np.cross(rotation @ twist[3:], point - position))
    assert np.abs(np.array(speeds) @ normal).max() < 1e-9
    if slips:
        assert np.linalg.norm(speeds, axis=1).max() > 0.1
        assert np.abs(np.cross(result.contact_force.values[:, 0], normal)).max() < 1e-9
    else:
        assert np.abs(speeds).max() < 1e-9
    if surface == "foot" and not slips:
        assert np.ptp(points, axis=0).max() < 1e-12
