"""Contacts in space with answers in closed form: slopes, sliding without friction, feet, touching points."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.dynamics import totals
from locodyn.sim import Scenario, Start
from locodyn.sim.run_warnings import LiftWarning
from locodyn.zoo.measures import energy_drift

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("slope", [0.2, -0.5])
def test_ball_on_a_slope(slope):
    """a = 5/7 g sin(slope) for a uniform ball; the force on it is m g cos(slope) along the normal, 2/7 m g sin(slope) uphill."""
    robot = ld.Robot("ball")
    moment = 0.4 * 2.0 * 0.1**2
    body = robot.base("ball", mass=2.0, inertia=ld.about_centre(xx=moment, yy=moment, zz=moment))
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    body.rolling("skin", radius=0.1, normal=normal, ground=(0.3, 0.0, 1.0))
    start = Start({"ball": (*(np.array([0.3, 0.0, 1.0]) + 0.1 * normal), 0.0, 0.0, 0.0)})
    scenario = Scenario("ball", robot, start=start, t_end=1.5, dt=0.05, integrator="adaptive", tolerance=1e-12)
    result = scenario.run(progress=False)
    along = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    way = (result.position.values - result.position.values[0]) @ along
    assert np.abs(way - 0.5 * 5 / 7 * 9.81 * np.sin(slope) * result.time.values**2).max() < 1e-8
    expected = 2.0 * 9.81 * (np.cos(slope) * normal - 2 / 7 * np.sin(slope) * along)
    assert np.abs(result.contact_force.values[:, 0] - expected).max() < 1e-8
    assert np.abs(result.contact_point.values[:, 0] + 0.1 * normal - result.position.values).max() < 1e-12


@pytest.mark.parametrize(
    "surface",
    [{"radius": 0.2, "axis": "y"}, {"semi_axes": (0.2, 0.12, 0.05)}, {"radius": 0.2}],
    ids=["disc", "ellipsoid", "ball"],
)
def test_sliding_without_friction(surface):
    """Horizontal momentum, vertical angular momentum about the mass centre and energy are constant; the ground only pushes up."""
    robot = ld.Robot("top")
    centre = (0.0, 0.0, -0.03) if surface.keys() != {"radius", "axis"} else (0.0, 0.0, 0.0)
    body = robot.base("top", mass=1.5, centre=centre, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.015))
    body.rolling("skin", slips=True, **surface)
    start = Start(
        {"top": (0.0, 0.0, 0.2, 0.3, 0.1, 0.0)},
        {"top": (0.5, 0.2, 0.0, 0.4, 3.0, 12.0)},
        adjust=("top.vz",),
        keep=("top.vx", "top.vy", "top.wx", "top.wy", "top.wz"),
    )
    scenario = Scenario("top", robot, start=start, t_end=0.8, dt=0.01, integrator="adaptive", tolerance=1e-11)
    result = scenario.run(progress=False)
    assert result.status == "completed" and (result.constraint_rank.values == 1).all()
    rows = np.array([result.model.totals(q, v) for q, v in zip(result.q, result.v, strict=True)])
    linear = rows[:, totals.TOTALS.linear_momentum : totals.TOTALS.linear_momentum + 3]
    spin = np.array([result.model.momentum(q, v)[1][2] for q, v in zip(result.q, result.v, strict=True)])
    assert np.abs(linear[:, :2] - linear[0, :2]).max() < 1e-9
    assert np.abs(spin - spin[0]).max() < 1e-9
    assert energy_drift(result) < 1e-9
    assert np.abs(result.contact_force.values[:, 0, :2]).max() < 1e-12
    assert np.abs(result.contact_point.values[:, 0, 2]).max() < 1e-10
    assert np.ptp(linear[:, 2]) > 1e-3


def _compass(moves):
    """Two legs with a hip; the stance leg stands on a foot, or hangs in a ball joint at the same point."""
    robot = ld.Robot("compass")
    leg = ld.about_centre(xx=0.05, yy=0.05, zz=0.004)
    stance = robot.base("stance", moves=moves, mass=3.0, centre=(0.02, 0.0, 0.4), inertia=leg)
    robot.body("hip", mass=6.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1)).on(stance, at=(0, 0, 0.8)).turning("y")
    robot.body("swing", mass=3.0, centre=(0.0, 0.05, -0.4), inertia=leg).on("hip").turning("x")
    if moves == "free":
        stance.foot("sole")
    return robot


def test_a_foot_is_a_ball_joint():
    """Inverted double pendulum in space: same motion, and the force of the ground is that in the joint."""
    turn, rates = (0.1, -0.2, 0.05), (0.3, -0.5, 0.8)
    joints = {"hip": 0.3, "swing": -0.2}
    common = {"t_end": 1.0, "dt": 0.01, "integrator": "adaptive", "tolerance": 1e-11}
    place = (0.4, -0.3, 0.0)
    starts = (
        Start({"stance": (*place, *turn), **joints}, {"stance": (0, 0, 0, *rates)}),
        Start({"stance": turn, **joints}, {"stance": rates}),
    )
    with pytest.warns(LiftWarning, match="'sole'"):  # it falls, and the hip would pull the foot up: a joint holds it
        foot = Scenario("foot", _compass("free"), start=starts[0], **common).run(progress=False)
    ball = Scenario("ball", _compass("spherical"), start=starts[1], **common).run(progress=False)
    assert np.abs(foot.joint_position.values - ball.joint_position.values).max() < 1e-8
    assert np.abs(foot.orientation.values - ball.orientation.values).max() < 1e-8
    assert np.abs(foot.contact_point.values[:, 0] - place).max() < 1e-12
    assert np.ptp(foot.joint_position.values) > 0.3
    # force = rate of the momentum of the other one, plus its weight
    wrench = []
    for q, v in zip(ball.q, ball.v, strict=True):
        a = ball.scenario.problem.accelerations(0.0, q.copy(), v.copy())
        ball.model.inverse_dynamics(q, v, a)
        wrench.append(ball.model.pose("stance", q)[0] @ ball.model.base_wrench[:3])
    assert np.abs(foot.contact_force.values[:, 0] - wrench).max() < 1e-6


def test_touching_points_are_the_lowest_ones():
    """Against a search over the surface: no point of it is lower than the touching point, and that one is on it."""
    robot = ld.Robot("egg")
    body = robot.base("egg", mass=1.0, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01))
    body.rolling("shell", semi_axes=(0.3, 0.2, 0.1), at=(0.05, 0.02, -0.01), turned=("z", 0.7))
    spin = {"egg.wx": 1.0, "egg.wz": 2.0}
    start = Start({"egg": (0.0, 0.0, 0.2, 0.4, -0.3, 0.2)}, spin, adjust="egg.vz", keep=tuple(spin))
    result = Scenario("egg", robot, start=start, t_end=0.5, dt=0.005).run(progress=False)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 400), np.linspace(0, np.pi, 400))
    local = np.stack([0.3 * np.cos(u) * np.sin(v), 0.2 * np.sin(u) * np.sin(v), 0.1 * np.cos(v)], axis=-1).reshape(-1, 3)
    c, s = np.cos(0.7), np.sin(0.7)
    points = local @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T + (0.05, 0.02, -0.01)
    for k in (0, 50, 100):
        rotation, position = result.model.pose("egg", result.q[k])
        world = points @ rotation.T + position
        lowest = world[world[:, 2].argmin()]
        touching = result.contact_point.values[k, 0]
        assert -1e-12 < lowest[2] - touching[2] < 1e-4 and np.linalg.norm(lowest - touching) < 5e-3
