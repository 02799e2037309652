"""Moreau's time stepping against closed forms and against other integrators."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.robot import Box, Ellipsoid, Friction, Robot, Sphere

pytestmark = pytest.mark.slow


def run(robot, start, t_end, dt, gravity=(0.0, 0.0, -9.81), every=1, obstacles=(), **fields):
    scenario = ld.Scenario(
        robot.name, robot, start=start, t_end=t_end, dt=dt, gravity=gravity, record_every=every, obstacles=obstacles,
        integrator="moreau", **fields,
    )  # fmt: skip
    return scenario.run(progress=False)


@pytest.mark.parametrize("joints", ["spherical", "revolute"])
def test_without_contact_it_is_of_order_two(joints):
    """Three rods that swing: error against rkmk4 at a hundredth of the step falls by four when the step is halved."""
    scenario = ld.zoo.pendulum(n=3, joints=joints, spin=1.0).changed(t_end=0.5, checks=())
    problem, (q0, v0) = scenario.problem, scenario.initial_state()
    exact = solve(problem, q0, v0, 0.0, 0.5, step=1e-4, record_every=5000)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        solution = solve(problem, q0, v0, 0.0, 0.5, step=step, method="moreau", record_every=round(0.5 / step))
        errors.append(np.abs(solution.v[-1] - exact.v[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.2)


def test_imposed_and_servo_joints_without_contact():
    """A driven chain: torque of an imposed joint and path of a servo joint as those of rkmk4 at the same step."""
    robot = Robot("arm")
    base = robot.base("base", mass=2.0, inertia=np.diag([0.1, 0.1, 0.1]))
    upper = robot.body("upper", mass=1.0, centre=(0.3, 0, 0), inertia=np.diag([0.01, 0.03, 0.03])).on(base).turning("y", name="a")
    robot.body("lower", mass=0.5, centre=(0.2, 0, 0), inertia=np.diag([0.01, 0.02, 0.02])).on(upper, at=(0.6, 0, 0)).turning(
        "z", name="b"
    )
    motion = {"imposed": {"a": ld.sine(0.5, omega=4.0)}, "servo": {"b": ld.Servo(ld.sine(0.4, omega=3.0), 5.0, 0.5)}}
    results = [
        ld.Scenario("arm", robot, **motion, t_end=1.0, dt=1e-3, record_every=50, integrator=name).run(progress=False)
        for name in ("moreau", "rkmk4")
    ]
    assert results[0].joint_position.values == pytest.approx(results[1].joint_position.values, abs=2e-3)
    assert results[0].position.values == pytest.approx(results[1].position.values, abs=2e-3)
    # Means over a step that ends at the record: half a step late.
    assert results[0].joint_torque.values[1:, 0] == pytest.approx(results[1].joint_torque.values[1:, 0], abs=0.02)
    energy = results[0].total_energy().values - results[0].energy_supplied().values
    assert energy == pytest.approx(energy[0], abs=5e-4)  # power of the servo: first order in the step


def test_rests_exactly_on_a_slope_for_a_minute():
    slope = 0.2
    robot = Robot("block")
    robot.base("block", mass=2.0, shape=Box((0.4, 0.3, 0.2))).collides(friction=0.3)
    gravity = (9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope))
    result = run(robot, ld.Start({"block": (0, 0, 0.1, 0, 0, 0)}), 60.0, 1e-3, gravity, every=100, obstacles=[ld.Ground()])
    assert np.abs(result.v[1:]).max() < 1e-12
    assert np.abs(result.position.values - (0.0, 0.0, 0.1)).max() < 1e-10
    force = result.contact_force.values[-1].sum(axis=0)
    assert force == pytest.approx((-2.0 * gravity[0], 0.0, -2.0 * gravity[2]), abs=1e-6)


def test_a_link_slides_stops_and_holds():
    """Row slide: v0 = 1 m/s along a link of the planar snake stops after v0 / (mu g) and v0^2 / (2 mu g), to O(dt); then it rests
    exactly, and holds against a pull inside its set with the force that this needs."""
    mu, mass, load = 0.2, 7.5 / 11, 7.5 / 11 * 9.81
    errors = []
    for dt in (1e-3, 5e-4):
        robot = Robot("link")
        robot.base("link", moves="planar", mass=mass, inertia=1.32e-3 * np.eye(3)).rests(load, friction=Friction(mu))
        result = run(robot, ld.Start(None, {"link": (1.0, 0.0, 0.0)}), 0.7, dt)
        speed = result.v[:, 0]
        stop = result.time.values[np.argmax(speed < 1e-9)]
        assert stop == pytest.approx(1.0 / (mu * 9.81), abs=1.01 * dt)
        assert np.abs(result.v[result.time.values > stop + 5 * dt]).max() < 1e-12  # from the tolerance of the solver to nothing
        errors.append(abs(result.position.values[-1, 0] - 1.0 / (2.0 * mu * 9.81)))
        assert errors[-1] < dt
    robot.wrench("pull", on="link", law=ld.world.WorldForce((0.3, -0.4, 0.0)))  # 0.5 N of the 1.34 N that it may bear
    result = run(robot, ld.Start(), 0.7, 1e-3)
    assert np.abs(result.v[5:]).max() < 1e-12
    assert result.contact_force.values[-1, 0, :2] == pytest.approx((-0.3, 0.4), abs=1e-9)


def test_oblique_slide_with_orthotropic_friction():
    """gamma_x' / gamma_y' = mu_x^2 gamma_x / (mu_y^2 gamma_y): v_x^25 / v_y^4 stays constant for (0.2, 0.5) (spec, row slide)."""
    robot = Robot("puck")
    robot.base("puck", moves="planar", mass=1.0, inertia=np.eye(3)).rests(9.81, friction=Friction(0.2, 0.5))
    result = run(robot, ld.Start(None, {"puck": (1.0, 0.7, 0.0)}), 1.0, 1e-4)
    vx, vy = result.v[:, 0], result.v[:, 1]
    sliding = vy > 0.05
    ratio = vx[sliding] ** 25 / vy[sliding] ** 4
    assert ratio == pytest.approx(ratio[0], rel=1e-2)  # 25 mu g dt / v, added up
    assert np.abs(result.v[-1]).max() < 1e-12


def test_convergence_of_a_bounce():
    """Height of the third apex, g (e^3 t1)^2 / 2: first order in the step."""
    robot = Robot("ball")
    robot.base("ball", mass=1.0, shape=Sphere(0.1)).collides(restitution=0.8)
    errors = []
    for step in (1e-3, 1e-4):
        result = run(robot, ld.Start({"ball": (0, 0, 0.6, 0, 0, 0)}), 2.0, step, obstacles=[ld.Ground()])
        z, v = result.position.values[:, 2] - 0.1, result.v[:, 2]
        apex = z[np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))]
        errors.append(abs(apex[2] - 0.5 * 0.8**6))
        assert -result.contact_gap.values.min() < 3.2 * step  # penetration below v dt
    assert errors[1] < 0.3 * errors[0]


def test_regularised_laws_approach_the_set_valued_one():
    """Way of a block until it stops: smooth laws creep on, and come near as their speed goes to zero."""
    ways = {}
    for law, speed in (("coulomb", 1e-3), ("regularised", 1e-2), ("regularised", 1e-4), ("arctan", 1e-4)):
        robot = Robot("block")
        friction = Friction(0.3, law=law, speed=speed)
        robot.base("block", mass=2.0, shape=Box((0.4, 0.3, 0.1))).collides(friction=friction)
        start = ld.Start({"block": (0, 0, 0.05, 0, 0, 0)}, {"block": (1.0, 0, 0, 0, 0, 0)})
        result = run(robot, start, 0.5, 1e-3, obstacles=[ld.Ground()])
        ways[law, speed] = result.position.values[-1, 0]
    exact = 1.0 / (2.0 * 0.3 * 9.81)
    assert ways["coulomb", 1e-3] == pytest.approx(exact, abs=1e-5)
    assert ways["regularised", 1e-2] > ways["regularised", 1e-4]
    assert ways["regularised", 1e-4] == pytest.approx(exact, abs=1e-3)
    assert ways["arctan", 1e-4] == pytest.approx(exact, abs=1e-2)


def test_round_ellipsoid_bounces_as_a_ball():
    """An ellipsoid of equal axes on a tilted peg and a ball, with friction and restitution: the way of the sphere."""
    obstacles = [
        ld.Obstacle(ld.Cylinder(0.1, axis=(0.0, 1.0, 0.2)), at=(0.03, 0.0, 0.0)),
        ld.Obstacle(ld.Sphere(0.2), at=(0.5, 0.1, -0.4)),
    ]
    ends = []
    for shape in (Sphere(0.1), Ellipsoid((0.1, 0.1, 0.1))):
        robot = Robot("ball")
        robot.base("ball", mass=1.0, inertia=4e-3 * np.eye(3), shape=shape).collides(friction=0.3, restitution=0.5)
        result = run(robot, ld.Start({"ball": (0.12, 0.02, 0.3, 0, 0, 0)}), 0.6, 1e-3, obstacles=obstacles)
        ends.append(np.concatenate([result.position.values[-1], result.v[-1]]))
        assert all(np.abs(result.contact_force.values[:, k]).max() > 0.0 for k in range(2))  # it has hit both
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


def test_python_loop_gives_the_same_bits():
    """A controller that does nothing makes the time loop run in Python."""
    scenario = ld.zoo.sliding_block().changed(t_end=0.1)
    compiled = scenario.run(progress=False)
    looped = scenario.changed(controller=lambda t, q, v: np.zeros(6)).run(progress=False)
    assert looped.attributes["time_loop"] == "Python"
    for name in ("position", "contact_force", "contact_gap", "friction_loss", "solver_residual"):
        assert np.array_equal(compiled.dataset[name].values, looped.dataset[name].values), name


def test_energy_is_never_gained():
    """A chain of free joints dropped on the ground: no step gains more than O(dt^3) of its energy (measured 4e-5 and 5e-6 of
    48 J), and no step gives back what friction and impacts have taken."""
    gains = []
    for dt in (5e-4, 2.5e-4):
        result = ld.zoo.snake_3d(gait="drop").changed(record_every=1, t_end=0.6, dt=dt, checks=()).run(progress=False)
        energy = result.total_energy().values
        gains.append(np.diff(energy).max())
        assert np.diff(result.friction_loss.values + result.impact_loss.values).min() > -1e-6 * energy.max()
    assert gains[1] < 2e-7 * energy.max()
    assert gains[0] / gains[1] > 6.0


def test_stabilisation_pushes_out_without_giving_energy():
    """Boxes that fall on each other: with it they rest at their heights, without it below by v dt; no record gains energy."""
    depths = {}
    for stabilise in (False, True):
        contact = ld.HardContact(stabilise=stabilise, ahead=False)
        scenario = ld.zoo.falling_boxes(n=2).changed(contact=contact, record_every=1, checks=())
        result = scenario.run(progress=False)
        energy = result.total_energy().values
        assert np.diff(energy).max() < 1e-9 * energy[0]
        # Nothing turns: impulses work at the mean of velocities before and after, which is exact.
        assert energy - energy[0] == pytest.approx(result.energy_supplied().values, abs=1e-11 * energy[0])
        depths[stabilise] = -result.contact_gap.values[-1].min()
    assert depths[False] > 3e-4
    assert depths[True] < 1e-6


def test_looking_ahead_lets_bodies_land_without_penetration():
    """The same boxes: contacts that would close within the step take part with u_N >= -gap / dt; energy only falls."""
    scenario = ld.zoo.falling_boxes(n=2).changed(contact=ld.HardContact(), record_every=1, checks=())
    result = scenario.run(progress=False)
    assert result.attributes["contact_deepest_penetration"] < 5e-5  # O(dt^2), measured 1e-5; v dt is 4e-4
    assert result.contact_gap.values[-1].min() == pytest.approx(0.0, abs=2e-7)
    assert np.diff(result.total_energy().values).max() < 1e-9 * result.total_energy().values[0]


def test_landing_depends_on_the_start_without_jumps():
    """A ball that slides and lands inelastically, let go from heights 75 micrometres apart: where it ends.

    Where only closed contacts take part it lands in one step or the next, and rests v dt = 1 mm deeper or not.
    """
    jumps = {}
    for ahead in (True, False):
        ends = []
        for height in 0.1 + np.arange(0.0, 2e-3, 7.5e-5):
            robot = Robot("ball")
            robot.base("ball", mass=1.0, shape=Sphere(0.05)).collides(friction=0.3)
            start = ld.Start({"ball": (0.0, 0.0, height, 0.0, 0.0, 0.0)}, {"ball": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)})
            result = run(robot, start, 0.15, 1e-3, every=150, obstacles=[ld.Ground()], contact=ld.HardContact(ahead=ahead))
            ends.append(result.position.values[-1])
        jumps[ahead] = np.abs(np.diff(ends, axis=0)).max()
    assert jumps[True] < 1e-4  # measured 3e-5
    assert jumps[False] > 5e-4  # measured 9e-4


@pytest.mark.parametrize("curved", [True, False])
def test_what_rolls_keeps_its_height(curved):
    """A ball that comes to roll: with rows of the middle it sinks by v omega dt / 2 in a second, else at order 2."""
    depths = {}
    for dt in (1e-3, 5e-4):
        contact = ld.HardContact(curved=curved)
        result = ld.zoo.rolling_ball(rolling=0.0).changed(t_end=2.0, dt=dt, contact=contact).run(progress=False)
        depths[dt] = 0.1 - result.position.values[-1, 2]
        rolled = result.position.values[-1, 0]
    speed = 5 / 7
    slipped = 2 / 7 / (0.2 * 9.81)  # s, at the mean speed 6/7
    assert rolled == pytest.approx(6 / 7 * slipped + speed * (2.0 - slipped), rel=1e-4)
    if curved:
        assert 0.0 < depths[1e-3] < 3e-6
        assert depths[1e-3] / depths[5e-4] == pytest.approx(4.0, rel=0.05)
        assert result.total_energy().values[-1] == pytest.approx(9.81 * 0.1 + 5 / 14, rel=1e-5)
    else:
        sinking = speed**2 / 0.1 * (2.0 - slipped) * 5e-4
        assert 0.9 < depths[1e-3] / sinking < 1.1
