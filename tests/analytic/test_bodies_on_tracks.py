"""Bodies that slide through sleeves and pegs: contacts wrap around, follow from the motion, or leave a direction open.

Bodies are those of Ali 2011, 6.3 and 6.4; row D3.3 of the acceptance table.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locodyn as ld
from body_cases import NO_GRAVITY, check_rate_of_energy, helix, one_kilogram_per_metre, run, snake
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import front
from locodyn.sim.rank import RankWarning

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("integrator", ["radau3", "adams", "adaptive"])
def test_sleeves_that_wrap_by_other_methods(integrator: str) -> None:
    """All go over the instants at which a sleeve leaves at the tail and comes in at the head (0.25 s, 0.75 s, ...): the path
    of rkmk4. radau3 and rkmk4 err by the third and fourth power of 20 ms; measured 2e-6.
    """
    robot, imposed = snake(nodes=80)
    result = ld.simulate(robot, imposed=imposed, t_end=1.0, dt=0.02, integrator=integrator, gravity=NO_GRAVITY, progress=False)
    assert result.status == "completed"
    data = run(*snake(nodes=80), t_end=1.0, dt=0.02)
    np.testing.assert_allclose(result.position.values, data.position.values, atol=1e-5)
    np.testing.assert_allclose(result.contact_force.values.sum(axis=1), data.contact_force.values.sum(axis=1), atol=1e-5)


def test_adams_asks_once_a_step_where_sleeves_give_the_velocity() -> None:
    """One evaluation a step after those of the start (three steps of Runge-Kutta, 4 and one more each), the order of Adams and
    Moulton, 5: half the step, a 32nd of the error, here at least a 16th (waves of 2 s, no sleeve wraps before 0.25 s).
    """
    robot, imposed = snake(nodes=40)
    scenario = ld.Scenario("snake", robot, imposed=imposed, gravity=NO_GRAVITY, t_end=0.24, dt=0.01)
    problem = scenario.problem
    q, v = scenario.initial_state()
    ends = []
    for steps in (24, 48, 96):
        solution = solve(problem, q, v, 0.0, 0.24, step=0.24 / steps, method="adams")
        assert solution.evaluations <= steps + 16
        ends.append(solution.q[-1, :3])
    first, second = (float(np.abs(b - a).max()) for a, b in itertools.pairwise(ends))
    assert 16.0 * second < first


def test_a_body_through_a_tube_follows_its_track() -> None:
    """A tube that is fixed in the world, here a row of pegs on a helix: the body slides through it and stays on the curve.

    The track is G(X + s), the curve of the body and of its head to come (Ali 2011, (6.39)): at a later time a section is where
    the head was. The last peg leaves the tail at 0.5 s; the others hold on. Bound: slices, 100 of them, as of the helix.
    """
    robot, imposed = helix(sleeves=0)
    for n, at in enumerate((0.1, 0.25, 0.4, 0.55, 1.0)):
        robot["body"].peg(f"ring_{n + 1}", at=at)
    data = run(robot, imposed, t_end=1.0, dt=0.01)
    t = data.time.values
    for n, at in enumerate((0.1, 0.25, 0.4, 0.55)):
        np.testing.assert_allclose(data.contact_abscissa.values[:, n], at + 0.5 * t, atol=1e-5)
    gone = np.isnan(data.contact_abscissa.values[:, 4])
    assert not gone[t < 0.5 - 1e-9].any() and gone[t > 0.51].all()
    line = data.rod_position.values[:, 0]
    for at in (4, 8, 16):  # sections at parts of the body, and when the head was there
        delay = round(1.25 * float(data.s.values[at]) / 0.5 / 0.01)
        if delay < len(t) and np.isclose(delay * 0.01 * 0.5, 1.25 * float(data.s.values[at])):
            np.testing.assert_allclose(line[delay:, at], line[: len(t) - delay, 0], atol=1e-5)
    still = data.contact_point.values[:, :4] - data.contact_point.values[0, :4]
    np.testing.assert_allclose(still, 0.0, atol=1e-6)  # more places than freedoms: they agree to the slices, 2e-7


def sliding_bar(integrator: str, dt: float) -> ld.Result:
    """A stiff bar of 1 m and 1 kg that slides level over three pegs at 0.5 m/s, falls over the last one and off it."""
    robot = ld.Robot("bar")
    bar = robot.base("head", moves="planar").rod("bar", length=1.0, **one_kilogram_per_metre(), bending=(0, 1), nodes=20)
    for n in range(3):
        bar.peg(f"peg_{n + 1}", at=0.2 + 0.3 * n)
    return ld.simulate(
        robot, imposed={"bar": 0.0}, start=ld.Start(velocities={"head": (-0.5, 0.0, 0.0)}), t_end=2.0, dt=dt,
        integrator=integrator, gravity=(0.0, -9.81, 0.0), progress=False,
    )  # fmt: skip


@pytest.mark.parametrize("integrator, dt", [("rkmk4", 0.01), ("radau3", 0.013), ("adams", 0.01), ("adaptive", 0.01)])
def test_pegs_let_go_where_the_body_ends(integrator: str, dt: float) -> None:
    """Pegs leave the bar at 0.4 s and 1 s, where it has slid off them at its constant speed; then it falls over the last one.

    While two pegs hold it, they bear what the lever says. Energy stays, and what left the last peg keeps its spin. Where the bar
    is at 2 s, against ``adaptive``, which finds the instant on its dense output: the square of the step times 9.81 m/s^2, 2e-3.
    """
    result = sliding_bar(integrator, dt)
    t, at = result.time.values, result.contact_abscissa.values
    there = ~np.isnan(at)
    for n, gone in enumerate((None, 1.0, 0.4)):
        held = t < (1.0 if gone is None else gone) - 1e-9
        np.testing.assert_allclose(at[held, n], 0.2 + 0.3 * n + 0.5 * t[held], atol=1e-9)
        assert there[held, n].all() and (gone is None or not there[t > gone + 1e-9, n].any())
    two = (t > 0.4 + 1e-6) & (t < 1.0 - 1e-6)
    share = 9.81 * (0.5 - at[two, 0]) / 0.3  # moment about peg 1 of the weight, on peg 2
    np.testing.assert_allclose(result.contact_force.values[two, 1, 1], share, atol=1e-6)
    energy = result.total_energy().values
    assert np.abs(energy - energy[0]).max() < 1e-6
    free = ~there.any(axis=1)
    assert 1.3 < t[free][0] < 1.4 and np.ptp(result.angular_momentum.values[free, 2]) < 1e-12
    assert not np.nan_to_num(result.contact_force.values[free]).any()
    assert result.position.values[-1, 1] == pytest.approx(-4.290543, abs=2e-3)


def test_every_section_of_the_snake_moves_along_its_axis() -> None:
    """D3.3: V_Y below 1e-8 all along the body, whatever the phase of the wave; 640 slices (order 4: 5e-9)."""
    robot, imposed = snake(nodes=640)
    problem = Problem(robot.model(gravity=NO_GRAVITY), imposed={3: imposed["body.wave"]})
    model = problem.model
    for t in (0.1, 0.77, 2.0):
        q, v = problem.start_state(t, model.neutral(), np.zeros(model.nv))
        motions: Any = model.kinematics(q, v)[1]
        assert np.abs(motions[:, 1]).max() < 1e-8
        assert np.abs(motions[:, 0] + 0.5).max() < 1e-8


def test_a_straight_stretch_of_the_track_is_glided_through() -> None:
    """Curvature before and after 0.8 m of straight track, 0.6 m of body. While it bends, its sleeves give its speed; where it is
    straight they leave that open (singular shape), and its momentum carries it on; then they give it again.

    On the straight, the rank is one lower. What the speed changes by there is what the last bend of the tail takes while it is
    too small for the rows to tell from the error of the slices: 1 % of it.
    """
    wave = ld.travelling("bending_z", 8.0, wavelength=0.5)
    robot = ld.Robot("snake")
    body = robot.base("head", moves="planar").rod(
        "body", length=0.6, **one_kilogram_per_metre(), nodes=80,
        fields=[ld.StrainField("wave", wave * front(-0.4, -0.2) + wave * front(-1.2, -1.4))],
    )  # fmt: skip
    for n in range(5):
        body.sleeve(f"ring_{n + 1}", at=0.15 * n)
    with pytest.warns(RankWarning, match="changes between 2 and 3"):
        data = run(robot, {"body.wave": ld.polynomial(0.0, -0.2)}, t_end=9.0, dt=0.02)
    t, speed, rank = data.time.values, data.twist.values[:, 0], data.constraint_rank.values
    assert (rank[(t > 5.0) & (t < 6.0)] == 2).all() and (rank[(t < 4.7) | (t > 6.3)] == 3).all()
    np.testing.assert_allclose(speed[rank == 3], -0.2, atol=1e-3)
    np.testing.assert_allclose(speed, -0.2, rtol=1e-2)


def test_a_force_drives_the_wave_along_its_track() -> None:
    """A constant force F on the phase of a wave, from rest (``torque=``): all sections go along one track at V = dsigma/dt, so
    F sigma = V^2 / 2 (m l + J int K^2 dX) at every instant; what slices of order 4 leave is 1e-8 of 0.08 J.
    """
    wave = ld.StrainField("wave", ld.travelling("bending_z", 6.0, wavelength=1.0))
    robot = ld.Robot("pushed")
    body = robot.base("head", moves="planar").rod(
        "body", length=1.25, **one_kilogram_per_metre(0.2), nodes=160, fields=[wave]
    )  # fmt: skip
    for n in range(4):
        body.sleeve(f"ring_{n + 1}", at=0.1 + 0.3 * n)
    torque = {"body.wave": ld.constant(-0.5)}
    found = ld.simulate(robot, torque=torque, t_end=1.0, dt=0.01, integrator="rkmk4", gravity=NO_GRAVITY, progress=False)
    sigma, speed, k = found.q[:, -1], found.v[:, -1], 4.0 * np.pi
    squares = 18.0 * (1.25 + (np.sin(k * (1.25 + sigma)) - np.sin(k * sigma)) / k)  # int 36 cos(2 pi (X + sigma))^2 dX
    energy = 0.5 * speed**2 * (1.25 + 0.01 * squares)
    np.testing.assert_allclose(energy, -0.5 * sigma, atol=5e-8)
    check_rate_of_energy(found)


def test_sleeves_on_a_platform_that_tumbles() -> None:
    """Obstacles with the twist of any motion in space: sleeves on a platform that moves and tumbles carry the helix along, as if
    it stood still, and the platform gives the power of it.

    Both runs have the same rows in the axes of the platform; they differ by their steps of 10 ms, order 4: 1e-7 m.
    """
    moves = {"x": ld.sine(0.1, omega=2.0), "z": ld.polynomial(0.0, 0.0, 0.05), "turn": ld.polynomial(0.0, 0.5)}
    moves |= {"about_x": ld.sine(0.6, omega=1.5), "about_y": ld.sine(-0.4, omega=2.5)}
    options: dict[str, Any] = {"t_end": 1.0, "dt": 0.01, "integrator": "rkmk4", "gravity": NO_GRAVITY, "progress": False}
    bodies = helix(), helix(place=(0.0, 0.0, 0.0), moves=moves)
    alone, along = (ld.simulate(robot, imposed=imposed, **options) for robot, imposed in bodies)
    t = alone.time.values
    place = np.column_stack([moves["x"](t), 0.0 * t, moves["z"](t)])
    turn = Rotation.from_rotvec(np.column_stack([moves["about_x"](t), moves["about_y"](t), moves["turn"](t)]))
    np.testing.assert_allclose(along.position.values, place + turn.apply(alone.position.values), atol=1e-7)
    wxyz = (turn * Rotation.from_quat(alone.orientation.values[:, [1, 2, 3, 0]])).as_quat()[:, [3, 0, 1, 2]]
    np.testing.assert_allclose(np.abs(np.sum(wxyz * along.orientation.values, axis=1)), 1.0, atol=1e-12)
    check_rate_of_energy(along)
