"""Bodies held by anchors, sleeves and pegs: closed forms of Ali 2011, chapters 5 and 6 (rows D1-D4 of the acceptance table).

Where a bound is below the error of the default slices, the rod has more nodes, as the comment says; errors of the body in slices
fall with their fourth power (``test_the_snake_follows_its_path`` measures it).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicHermiteSpline
from scipy.special import j0

import locodyn as ld
from body_cases import NO_GRAVITY, earthworm, helix, inchworm, one_kilogram_per_metre, run, snake
from locodyn.locomotion.problem import Problem

pytestmark = pytest.mark.slow


# ----------------------------------------------------------------------------------------------------------------- anchors
def test_an_anchored_rod_is_a_clamped_one() -> None:
    """Accelerations of the modes, at random states: held at s = 0 by an anchor on a free base, or on a fixed base; 1e-10."""
    rng, found = np.random.default_rng(0), []
    speed = rng.normal(size=8)
    for moves in ("fixed", "free"):
        robot = ld.Robot(moves)
        base = robot.base("head", mass=0.1, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4), moves=moves)
        rod = base.rod("rod", length=0.6, section=ld.Circle(0.015), material=ld.silicone, bending=3, torsion=1, stretch=1)
        if moves == "free":
            rod.anchor("hold", at=0.0)
        problem = Problem(robot.model())
        q, v = problem.model.neutral(), np.zeros(problem.model.nv)
        q[-8:], v[-8:] = 0.2 * np.cos(np.arange(8.0)), speed
        if moves == "free":
            q, v = problem.start_state(0.0, q, v)
        found.append(problem.accelerations(0.0, q.copy(), v.copy())[-8:])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10)


def test_an_anchor_between_nodes_is_a_welded_loop() -> None:
    """Held at s = 0.35 m: the same accelerations and forces as a body there that a loop welds to the world; 1e-9.

    The slices of the two robots differ, since a body has a node of its own: both rods have 60 nodes, and the bound is the
    fourth power of the slices.
    """
    found = []
    for kind in ("loop", "anchor"):
        robot = ld.Robot(kind)
        base = robot.base("head", mass=0.1, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4))
        rod = base.rod("rod", length=0.6, section=ld.Circle(0.015), material=ld.silicone, bending=2, stretch=1, nodes=60)
        if kind == "anchor":
            rod.anchor("hold", at=0.35)
        else:
            robot.body("ring").on(rod, at_s=0.35).fixed()
            robot.loop("hold", "world", "ring", joint="fixed", first_at=(0.35, 0.0, 0.0))
        problem = Problem(robot.model())
        q, v = problem.model.neutral(), np.zeros(problem.model.nv)
        q, v = problem.start_state(0.0, q, v)
        problem.accelerations(0.0, q, v)
        found.append((problem.accelerations(0.0, q, v), problem.series(np.zeros(1), q[None], v[None])["multiplier"][0]))
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-6 * np.abs(found[0][0]).max())
    np.testing.assert_allclose(np.abs(found[1][1]), np.abs(found[0][1]), atol=1e-6 * np.abs(found[0][1]).max())


def test_earthworm_with_sweeping_anchors() -> None:
    """D1.1-D1.4: x_o(100 s) = -5 m, head speed in [-0.075, -0.025] with mean -c, the place of the anchor stays, no force."""
    data = run(*earthworm(nodes=340), t_end=100.0, dt=0.25)  # forces err as the fourth power of the slices
    t, speed = data.time.values, data.twist.values[:, 0]
    assert data.position.values[-1, 0] == pytest.approx(-5.0, abs=1e-6)
    k = 2.0 * np.pi
    np.testing.assert_allclose(speed, -0.05 * (1.0 + 0.5 * np.sin(k * 0.05 * t)), atol=1e-6)  # -c Gamma(0, t)
    np.testing.assert_allclose(data.position.values[:, 0], -(0.05 * t + 0.5 / k * (1.0 - np.cos(k * 0.05 * t))), atol=1e-6)
    assert data.contact_abscissa.values[2, 0] == pytest.approx(0.275, abs=1e-12)  # t = 0.5 s
    assert np.abs(data.multiplier.values).max() < 1e-9  # D1.4: no force over whole waves at a constant speed
    places = data.contact_point.values[:, 0, 0]
    same = np.abs(np.diff(data.contact_abscissa.values[:, 0])) < 0.5  # between wraps the place stays
    np.testing.assert_allclose(np.diff(places)[same], 0.0, atol=1e-7)


def test_earthworm_without_slip_and_with_two_waves() -> None:
    """D1.7: -eps lambda = -0.5 m for each period, 20 s; D1.3: two anchors ask for the same head speed."""
    data = run(*earthworm(slips=False), t_end=20.0, dt=0.05)
    assert data.position.values[-1, 0] == pytest.approx(-0.5, abs=1e-5)
    np.testing.assert_allclose(data.twist.values[:, 0], -0.025 * (1.0 + np.sin(2.0 * np.pi * 0.05 * data.time.values)), atol=1e-6)
    data = run(*earthworm(waves=2), t_end=2.0, dt=0.25)
    assert data.sizes["constraint"] == 2 and int(data.constraint_rank.values[-1]) == 1
    np.testing.assert_allclose(data.twist.values[:, 0], -0.05 * (1.0 + 0.5 * np.sin(0.1 * np.pi * data.time.values)), atol=1e-6)


def test_material_and_head_of_the_earthworm_at_its_anchors() -> None:
    """D1.3: the section at an anchor slips through it at xdot(C) = -(1 - eps) c = -0.025 m/s; either of two anchors alone gives
    the head the same speed; 1e-9, the fourth power of 700 slices on 2 m.
    """
    speeds = []
    for chosen in (0, 1):
        robot, imposed = earthworm(waves=2, nodes=350, anchors=(chosen,))
        problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={1: imposed["body.wave"]})
        _, v = problem.start_state(0.5, problem.model.neutral(), np.zeros(2))
        place, *_ = problem.constraints.arrays.rod_contacts.abscissa
        assert place == pytest.approx(0.275 + chosen, abs=1e-12)
        rates = quad(lambda x: 0.5 * 2.0 * np.pi * 0.05 * np.cos(2.0 * np.pi * (0.025 - x)), 0.0, place)[0]
        assert v[0] + rates == pytest.approx(-0.025, abs=1e-9)
        speeds.append(v[0])
    assert speeds[0] == pytest.approx(speeds[1], abs=1e-9)


def test_earthworm_that_gets_faster() -> None:
    """D1.6, c = 0.05 + 0.01 t: N_c = -m_o a = -0.010 N at all times, and x_o(20 s) = -3 m."""
    data = run(*earthworm(gone=ld.polynomial(0.0, 0.05, 0.005)), t_end=20.0, dt=0.05)
    assert data.position.values[-1, 0] == pytest.approx(-3.0, abs=1e-6)
    np.testing.assert_allclose(data.multiplier.values[:, 0], -0.010, atol=1e-6)


def test_power_of_a_sweeping_anchor() -> None:
    """The body slips through its anchor at (Gamma - 1) c = c / 2 while N = -m a = -0.4 N holds it: N c / 2 is power that the
    account has beside that of the strains; with it the account closes, to the fourth power of the slices.
    """
    data = run(*earthworm(gone=ld.polynomial(0.0, 0.05, 0.2)), t_end=1.0, dt=0.01)
    joints = np.sum(data.joint_torque.values * data.joint_velocity.values, axis=1)
    speed = 0.05 + 0.4 * data.time.values
    np.testing.assert_allclose(data.power_actuators.values - joints, 0.4 * 0.5 * speed, atol=1e-6)
    energy = data.kinetic_energy.values + data.potential_energy.values
    work = np.trapezoid(data.power_actuators.values, data.time.values)
    assert energy[-1] - energy[0] == pytest.approx(work, abs=1e-6)


def test_inchworm_climbs_by_a_bessel_function() -> None:
    """D2.1-D2.4: stride l (1 - J0(alpha)), head at rest while it holds on, head speed, vertical reactions at the swap."""
    robot, imposed = inchworm()
    start = {"head": (0.0, 0.0, -0.5 * np.pi)}  # t_X = -e_y: it hangs
    result = ld.simulate(
        robot, imposed=imposed, t_end=15.0, dt=0.01, integrator="rkmk4", gravity=(0.0, -9.81, 0.0), progress=False, start=start
    )
    data = result.dataset
    t, y = data.time.values, data.position.values[:, 1]
    stride = 1.0 - j0(2.0)
    assert stride == pytest.approx(0.776109, abs=1e-6)
    assert y[-1] == pytest.approx(7.0 * stride, abs=1e-5)  # seven whole periods and a half one
    held = (t % 2.0) < 0.995
    np.testing.assert_allclose(np.diff(y)[held[:-1]], 0.0, atol=1e-8)
    np.testing.assert_allclose(data.position.values[:, 0], 0.0, atol=1e-7)  # the head stays on the wall
    at = round(1.4 / 0.01)
    assert data.twist.values[at, 0] == pytest.approx(-1.565559, abs=1e-5)  # head first: along -t_X
    force = np.nansum(data.contact_force.values[:, :, 1], axis=1)
    assert force[round(1.0 / 0.01)] == pytest.approx(12.65602, abs=1e-3)  # just after the swap
    before = np.polyval(np.polyfit(t[91:100] - 1.0, force[91:100], 6), 0.0)  # the limit from before it, of a smooth curve
    assert before == pytest.approx(6.96398, abs=1e-3)
    for early, late in ((0.3, 1.7), (0.6, 1.4)):
        both = force[round(early / 0.01)] + force[round(late / 0.01)]
        assert both == pytest.approx(2.0 * 9.81, abs=1e-3)


# ------------------------------------------------------------------------------------------------------------------ snakes
@pytest.mark.parametrize("nodes, bound", [(40, 2e-4), (80, 1e-5), (160, 1e-6)])
def test_the_snake_follows_its_path(nodes: int, bound: float) -> None:
    """D3.1, D3.3: head at (-2.301073, 0) after 10 s; every section passes where the head was.

    Bounds fall by 16 and more for twice the nodes: order 4. Measured: 1.1e-4, 5.7e-6, 8e-8.
    """
    data = run(*snake(nodes=nodes), t_end=10.0, dt=0.02)
    assert j0(10.0 / (2.0 * np.pi)) * -5.0 == pytest.approx(-2.301073, abs=1e-6)
    np.testing.assert_allclose(data.position.values[-1, :2], (-5.0 * j0(10.0 / (2.0 * np.pi)), 0.0), atol=bound)
    # The section at X is at time t where the head was at t - X / 0.5: s(t) - s(t*) = X.
    places = data.rod_position.values[:, 0]
    x = 1.25 * data.s.values
    # Between records of h = 20 ms a cubic with their slopes, dy/dt = V sin(theta): it is off by h^4 / 384 times the largest
    # d^4y/dt^4 = V^4 (K'' cos - 3 K K' sin - K^3 cos) <= V^4 A (k^2 + 3 A k + A^2) = 205 m/s^4, so by 9e-8 m.
    turn = 2.0 * np.arctan2(data.orientation.values[:, 3], data.orientation.values[:, 0])
    head = CubicHermiteSpline(data.time.values, data.position.values[:, 1], -0.5 * np.sin(turn))
    for n in (200, 400):
        np.testing.assert_allclose(places[n, :, 1], head(data.time.values[n] - x / 0.5), atol=bound + 9e-8)
    # ... and turned as the head was, by the sections whose delay is a number of records: places of 1/20 are 3.125 of them.
    for at in range(0, len(x), 8):
        delay = round(x[at] / 0.5 / 0.02)
        assert delay == pytest.approx(x[at] / 0.5 / 0.02, abs=1e-9)
        same = np.sum(data.rod_orientation.values[400, 0, at] * data.orientation.values[400 - delay])
        assert np.sqrt(max(0.0, 1.0 - same**2)) < bound  # the sine of half the angle between both


def test_the_snake_turns() -> None:
    """D3.2: net heading change -2.413801 rad."""
    data = run(*snake(turn=True), t_end=10.0, dt=0.02)
    w, z = data.orientation.values[:, 0], data.orientation.values[:, 3]
    heading = np.unwrap(2.0 * np.arctan2(z, w))
    assert heading[-1] - heading[0] == pytest.approx(-2.413801, abs=1e-5)


def closed_resultant(speed: float, second: float, gone: float, length: float) -> tuple[np.ndarray, float]:
    """Force (2,) N and moment about the origin (N m) on a body that follows its head: the rate of its momentum.

    F = m [Vdot (r(l) - r(0)) + V^2 (t(l) - t(0))], M_z likewise with r x t, and J_Z of the sections. The head of the snake has
    ``gone`` (m) from the origin along the track, with ``speed`` (m/s) and ``second`` (m/s^2).
    """
    roots, weights = np.polynomial.legendre.leggauss(100)

    def tangent(u: Any) -> Any:
        return np.exp(1j * 10.0 / (2.0 * np.pi) * np.sin(2.0 * np.pi * u))

    def place(u: Any) -> Any:
        u = np.asarray(u)[..., None]
        return 0.5 * np.sum(u * weights * tangent(0.5 * u * (roots + 1.0)), axis=-1)

    def lever(u: Any) -> Any:
        return (np.conj(place(u)) * tangent(u)).imag + 1e-4 * 10.0 * np.cos(2.0 * np.pi * u)  # r x t + J K

    ends = np.array([gone, gone + length])
    force = complex(second * np.diff(place(ends))[0] + speed**2 * np.diff(tangent(ends))[0])
    along = 0.5 * length * np.sum(weights * lever(gone + 0.5 * length * (roots + 1.0)))
    return np.array([force.real, force.imag]), float(second * along + speed**2 * np.diff(lever(ends))[0])


def test_forces_of_the_snake() -> None:
    """D3.4: force and moment of all sleeves in closed form, at constant speed and with V = -0.5 (1 + 0.4 sin(pi t)); 1e-7.

    480 slices of order 4: 2e-8 N of 0.25 N; 160 slices give 2e-6.
    """
    size = 0.2 / np.pi
    for sway in (0.0, 1.0):
        gone = ld.polynomial(-sway * size, -0.5) + sway * ld.cosine(size, omega=np.pi)
        data = run(*snake(nodes=480, gone=gone), t_end=1.4, dt=0.02)
        for n in (17, 35, 70):
            t = 0.02 * n
            speed, second = -0.5 - 0.2 * sway * np.sin(np.pi * t), -0.2 * np.pi * sway * np.cos(np.pi * t)
            force, moment = closed_resultant(speed, second, float(gone(t)), 1.25)
            at, pushes = data.contact_point.values[n, :, :2], data.contact_force.values[n, :, :2]
            np.testing.assert_allclose(pushes.sum(axis=0), force, atol=1e-7)
            assert np.sum(at[:, 0] * pushes[:, 1] - at[:, 1] * pushes[:, 0]) == pytest.approx(moment, abs=1e-7)


def test_no_force_where_the_ends_of_the_snake_coincide() -> None:
    """D3.6: one whole wave on the body at t = 2 s: five forces of zero, 1e-8; 320 slices leave 4e-9 N."""
    data = run(*snake(length=1.0, nodes=320), t_end=2.0, dt=0.02)
    assert np.abs(data.multiplier.values[-1]).max() < 1e-8


def test_sleeves_may_run_ahead_of_the_body_within_a_step() -> None:
    """A sleeve that leaves at the tail in the middle of a step, at 0.75 s, stays on the wave until the step ends.

    The head is where its track says, to the fourth power of steps of 20 ms, 2e-8. The slices at the tail of 640 nodes are 4 um
    long, and the sleeve is 5 mm beyond: round-off in the strains there, times the fifth power of 1000, put the head off by 1 mm.
    """
    data = run(*snake(nodes=640), t_end=1.0, dt=0.02)
    path = [quad(lambda u, f=f: f(10.0 / (2.0 * np.pi) * np.sin(2.0 * np.pi * u)), 0.0, -0.5)[0] for f in (np.cos, np.sin)]
    np.testing.assert_allclose(data.position.values[-1, :2], path, atol=1e-7)


def test_pegs_that_stay_are_sleeves_that_sweep() -> None:
    """The abscissa that follows from the motion is the law: C = C(0) - s(t), to the error of the slices; the same head path."""
    gone = ld.polynomial(0.0, -0.5)
    robot, imposed = snake(count=0)
    for n, at in enumerate((0.1, 0.4, 0.55)):
        robot["body"].peg(f"peg_{n + 1}", at=at)
    data = run(robot, imposed, t_end=1.0, dt=0.01)
    for n, at in enumerate((0.1, 0.4, 0.55)):
        np.testing.assert_allclose(data.contact_abscissa.values[:, n], at - gone(data.time.values), atol=2e-6)
    straight = run(*snake(), t_end=1.0, dt=0.01)
    np.testing.assert_allclose(data.position.values, straight.position.values, atol=2e-6)
    # pegs do not drift: they are where they were
    still = data.contact_point.values - data.contact_point.values[0]
    np.testing.assert_allclose(still, 0.0, atol=1e-12)


def stiff_bar() -> tuple[ld.Robot, Any]:
    """A straight bar of 1 m and 1 kg in the plane, and its handle."""
    robot = ld.Robot("bar")
    head = robot.base("head", moves="planar")
    return robot, head.rod("bar", length=1.0, **one_kilogram_per_metre(), bending=(0, 1), nodes=20)


def test_obstacles_that_move() -> None:
    """A bar between two pegs that swing across it goes with them, and they push it by m y''; an anchor that moves and turns takes
    the bar along as a rigid body. Exact: the places of the contacts are kept, not only their velocities.
    """
    options: dict[str, Any] = {"imposed": {"bar": 0.0}, "t_end": 2.0, "dt": 0.02, "integrator": "rkmk4", "gravity": NO_GRAVITY}
    robot, bar = stiff_bar()
    for n, at in enumerate((0.2, 0.8)):
        bar.peg(f"peg_{n + 1}", at=at, moves={"y": ld.sine(0.1, omega=2.0)})
    start = ld.Start(velocities={"head": (0.0, 0.2, 0.0)})
    result = ld.simulate(robot, start=start, progress=False, **options)
    t = result.time.values
    np.testing.assert_allclose(result.position.values[:, 1], 0.1 * np.sin(2.0 * t), atol=1e-12)
    np.testing.assert_allclose(result.contact_force.values[:, :, 1].sum(axis=1), -0.4 * np.sin(2.0 * t), atol=1e-12)
    robot, bar = stiff_bar()
    bar.anchor("hand", at=0.3, moves={"x": ld.sine(0.1, omega=2.0), "turn": ld.sine(0.3, omega=3.0)})
    start = ld.Start(velocities={"head": (0.2, -0.27, 0.9)})
    result = ld.simulate(robot, start=start, progress=False, **options)
    angle = 0.3 * np.sin(3.0 * t)
    wanted = np.column_stack([0.3 + 0.1 * np.sin(2.0 * t) - 0.3 * np.cos(angle), -0.3 * np.sin(angle)])
    np.testing.assert_allclose(result.position.values[:, :2], wanted, atol=1e-12)


def test_an_arc_slides_through_two_pegs_on_its_circle() -> None:
    """A body of constant curvature 2/m has no gait that moves it (K' = 0); pushed, it glides on its circle at constant speed."""
    robot = ld.Robot("arc")
    body = robot.base("head", moves="planar").rod("body", length=1.0, **one_kilogram_per_metre(), bending=(0, 1), nodes=20)
    body.peg("first", at=0.4).peg("second", at=0.6)
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: ld.constant(2.0)})
    q = problem.model.neutral()
    q[3] = 2.0
    q, v = problem.start_state(0.0, q, np.array([0.3, 0.0, 0.6, 0.0]))
    np.testing.assert_allclose(v[:3], (0.3, 0.0, 0.6), atol=1e-12)  # along the circle about (0, 0.5)
    a = problem.accelerations(0.0, q.copy(), v.copy())
    np.testing.assert_allclose(a[:3], (0.0, 0.0, 0.0), atol=1e-10)  # body components of a steady turn


def test_helix_of_the_head() -> None:
    """D4.1, D4.2, D4.4: the head draws a helix of radius A / (A^2 + k^2) and pitch 2 pi k / (A^2 + k^2), at 0.5 m/s; rank 6.

    1e-6 with 160 slices of order 4; the tip carries nothing.
    """
    data = run(*helix(nodes=160), t_end=4.0, dt=0.01)
    k = 2.0 * np.pi
    radius, pitch = 10.0 / (100.0 + k * k), 2.0 * np.pi * k / (100.0 + k * k)
    assert radius == pytest.approx(0.0716957, abs=1e-7) and pitch == pytest.approx(0.2830432, abs=1e-7)
    points = data.position.values
    turn = 0.5 * np.sqrt(100.0 + k * k)  # rad/s: arc speed over the length of one radian
    design = np.column_stack(
        [np.cos(turn * data.time.values), np.sin(turn * data.time.values), data.time.values, np.ones(len(points))]
    )
    found, left, *_ = np.linalg.lstsq(design, points, rcond=None)
    assert np.sqrt(left.sum() / len(points)) < 1e-6
    assert np.linalg.norm(found[2]) * 2.0 * np.pi / turn == pytest.approx(pitch, abs=1e-6)
    assert np.linalg.norm(found[0]) == pytest.approx(radius, abs=1e-6) == np.linalg.norm(found[1])
    np.testing.assert_allclose(data.twist.values[:, [1, 2, 3]], 0.0, atol=1e-6)  # V_Y = V_Z = Omega_X = 0
    np.testing.assert_allclose(data.twist.values[:, 0], -0.5, atol=1e-6)
    assert (data.constraint_rank.values == 6).all()
    assert np.abs(data.rod_strain.values[..., 3]).max() == 0.0  # no torsion
    np.testing.assert_allclose(np.linalg.norm(data.orientation.values, axis=1), 1.0, atol=1e-10)
    assert np.abs(data.rod_residual.values).max() < 1e-6
    robot, imposed = helix(nodes=320)
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={6: imposed["body.wave"]})
    for t in (0.0, 0.7, 1.9):  # D4.2 of all sections, and their axes: slices of half the length, a 16th of the error
        q, v = problem.start_state(t, problem.model.neutral(), np.zeros(7))
        poses, motions = problem.model.kinematics(q, v)[:2]
        np.testing.assert_allclose(motions[:, [1, 2, 3]], 0.0, atol=1e-6)
        turns = poses[:, :9].reshape(-1, 3, 3)
        np.testing.assert_allclose(turns @ turns.transpose(0, 2, 1), np.broadcast_to(np.eye(3), turns.shape), atol=1e-10)


def test_body_through_a_tube_follows_a_clothoid() -> None:
    """Curvature K = 1 + 2 (X + s) travels with two strain modes that are imposed; the head draws the clothoid; order 4 in slices.

    Position of the head: integral of (cos, sin)(u + u^2) from 0 to s.
    """
    errors = []
    for nodes in (8, 16, 32):
        gone = ld.polynomial(0.0, -0.5)
        robot = ld.Robot("clothoid")
        body = robot.base("head", moves="planar").rod(
            "body", length=1.25, **one_kilogram_per_metre(), bending=(0, 2), nodes=nodes
        )
        for n in range(5):
            body.sleeve(f"sleeve_{n + 1}", at=(n + 0.5) * 0.25 - gone, wrap=(0.0, 1.25))
        imposed = {"body.bending_z.0": 2.25 + 2.0 * gone, "body.bending_z.1": ld.constant(1.25)}
        data = run(robot, imposed, t_end=1.0, dt=0.02)
        path = [quad(lambda u, f=f: f(u + u * u), 0.0, -0.5, epsabs=1e-13)[0] for f in (np.cos, np.sin)]
        errors.append(np.abs(data.position.values[-1, :2] - path).max())
    assert errors[2] < 3e-7
    assert np.log2(errors[0] / errors[1]) > 3.5 and np.log2(errors[1] / errors[2]) > 3.7
