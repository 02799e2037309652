"""Contacts on rods that come and go, wrap around and follow from the motion: what holds at any step, and by any method.

Bodies are those of Ali 2011, chapter 6; rows D2.2, D2.5 and D3.3 of the acceptance table are here because they hold over time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import j0

import locodyn as ld
from body_cases import NO_GRAVITY, helix, inchworm, one_kilogram_per_metre, run, snake
from locodyn.locomotion.problem import Problem
from locodyn.robot import front
from locodyn.sim.rank import RankWarning
from locodyn.world import Drag

pytestmark = pytest.mark.slow

HANGING = {"head": (0.0, 0.0, -0.5 * np.pi)}


def climb(dt: float, t_end: float, nodes: int = 60, integrator: str = "rkmk4", alpha: float = 2.0) -> ld.Result:
    """The inchworm of C2, its grips changing at every full second."""
    robot, imposed = inchworm(alpha, nodes)
    return ld.simulate(
        robot,
        imposed=imposed,
        t_end=t_end,
        dt=dt,
        integrator=integrator,
        gravity=(0.0, -9.81, 0.0),
        progress=False,
        start=HANGING,
    )


@pytest.mark.parametrize("integrator, dt", [("rkmk4", 0.04), ("rkmk4", 0.03), ("radau3", 0.02), ("radau3", 0.03)])
def test_steps_end_where_contacts_change(integrator: str, dt: float) -> None:
    """Whether steps divide the second or not, and by either method: the same climb as with steps of 10 ms.

    Grips keep the place where they took hold, so that strides do not add up errors of the steps: at the end of a whole number of
    grips the height is that of the slices. What is left is the error within the stride that goes on, 1e-8 at 40 ms.
    """
    t_end = 3.9 if dt == 0.03 else 4.0
    fine, coarse = climb(0.01, t_end), climb(dt, t_end, integrator=integrator)
    assert coarse.status == "completed"
    np.testing.assert_allclose(coarse.position.values[-1], fine.position.values[-1], atol=2e-8)
    assert np.abs(coarse.constraint_residual.values).max() < 1e-12


@pytest.mark.parametrize("alpha, stride", [(2.0, 0.776109), (1.8, 0.660014)])
def test_strides_of_the_inchworm(alpha: float, stride: float) -> None:
    """D2.1, D2.6: strides l (1 - J0(alpha)) to 1e-6, at large steps; D2.2: the head rests while it holds on, both ends stay on
    the wall and the speed is zero at the switches, to 1e-8 (240 slices: 5e-9).
    """
    result = climb(0.05, 5.0, nodes=240, alpha=alpha)
    t, y = result.time.values, result.position.values[:, 1]
    assert 1.0 - j0(alpha) == pytest.approx(stride, abs=1e-6)
    assert y[-1] == pytest.approx(2.0 * (1.0 - j0(alpha)), abs=1e-7)
    assert np.abs(result.rod_position.values[:, 0, [0, -1], 0]).max() < 1e-8
    assert np.abs(result.twist.values[t % 2.0 < 1.0 - 1e-9]).max() < 1e-8
    assert np.abs(result.twist.values[np.isclose(t % 1.0, 0.0) | np.isclose(t % 1.0, 1.0)]).max() < 1e-8


def test_reactions_of_the_inchworm() -> None:
    """D2.5: the free end carries nothing, and the grip gives m (a_G + g), a_G by differences of the mass centre; 1e-6.

    Differences of order 4 with 2.5 ms: h^4 / 90 times the sixth derivative of the mass centre, 1e-8.
    """
    h = 0.0025
    result = climb(h, 1.5, nodes=120)
    centre, force = result.mass_centre.values, np.nansum(result.contact_force.values, axis=1)
    rate = (16.0 * (centre[3:-1] + centre[1:-3]) - centre[4:] - centre[:-4] - 30.0 * centre[2:-2]) / (12.0 * h * h)
    wanted = rate + np.array((0.0, 9.81, 0.0))
    steady = np.abs(np.arange(2, len(centre) - 2) - round(1.0 / h)) > 2  # not across the switch
    np.testing.assert_allclose(force[2:-2][steady], wanted[steady], atol=1e-6)
    wrench, held = result.rod_wrench.values[:, 0], result.time.values < 1.0 - 1e-9
    assert np.abs(wrench[held, -1]).max() < 1e-6 and np.abs(wrench[~held, 0]).max() < 1e-6


def test_sleeves_that_wrap_by_an_implicit_method() -> None:
    """radau3 goes over the instants at which a sleeve leaves at the tail and comes in at the head (0.25 s, 0.75 s, ...): the path
    of rkmk4. Both err by the third and fourth power of 20 ms; measured 2e-6.
    """
    robot, imposed = snake(nodes=80)
    result = ld.simulate(robot, imposed=imposed, t_end=1.0, dt=0.02, integrator="radau3", gravity=NO_GRAVITY, progress=False)
    assert result.status == "completed"
    data = run(*snake(nodes=80), t_end=1.0, dt=0.02)
    np.testing.assert_allclose(result.position.values, data.position.values, atol=1e-5)
    np.testing.assert_allclose(result.contact_force.values.sum(axis=1), data.contact_force.values.sum(axis=1), atol=1e-5)


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


def test_strong_friction_across_is_an_ideal_contact() -> None:
    """C5(b): the head at 4 s tends to that of ideal sleeves, -2 J0(6 / (2 pi)), with the first power of 1 / c_n.

    From c_n = 2000 on by factors of 4; what is left of higher powers, and of a start at rest, is below 5 % of each.
    """
    ideal = np.array([-2.0 * j0(6.0 / (2.0 * np.pi)), 0.0])
    errors = []
    for resistance in (2000.0, 8000.0, 32000.0):
        robot, imposed = snake(length=1.0, nodes=80, count=0, amplitude=6.0)
        robot.wrench("ground", on="body", law=Drag(linear=(0.2, resistance, 0.0)), along=True)
        result = ld.simulate(robot, imposed=imposed, t_end=4.0, dt=0.01, integrator="radau3", gravity=NO_GRAVITY, progress=False)
        errors.append(np.linalg.norm(result.position.values[-1, :2] - ideal))
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(4.0)
    np.testing.assert_allclose(orders, 1.0, atol=0.05)


def mixed() -> tuple[ld.Robot, dict]:
    """A cart on a skate, an arm that is elastic about an imposed wave of bending, and a ball at its tip that hits."""
    robot = ld.Robot("mixed")
    cart = robot.base("cart", mass=1.0, inertia=ld.about_centre(zz=0.02), moves="planar").skate("wheel")
    wave = ld.StrainField("wave", ld.travelling("bending_z", 3.0, wavelength=0.5), amplitude=True)
    arm = cart.rod(
        "arm", length=0.5, section=ld.Circle(0.01), material=ld.Material(young=1e6, density=1e3), bending=(0, 2), damping=0.02,
        fields=[wave], nodes=16,
    )  # fmt: skip
    ball = robot.body("ball", mass=0.1, inertia=ld.about_centre(zz=1e-4), shape=ld.Sphere(0.03)).on(arm).fixed()
    ball.collides(friction=0.2)
    grows = ld.motion.transition(0, 1, duration=0.4, degree=7)
    return robot, {"arm.wave": ld.polynomial(0.0, -0.5), "arm.wave.amplitude": grows}


def test_imposed_strain_elastic_rod_wheel_and_hard_contact_in_one_robot() -> None:
    """Without its post, Moreau's method at 1 ms gives the motion of radau3 (order 2: 1e-6 m); with it, the work balances.

    The account of a run with impacts is of first order: 1e-5 of the work measured at 1 ms, 4e-6 at half of it.
    """
    robot, imposed = mixed()
    options: dict[str, Any] = {"imposed": imposed, "gravity": NO_GRAVITY, "t_end": 1.0, "progress": False}
    smooth = ld.simulate(robot, integrator="radau3", dt=0.01, **options)
    free = ld.simulate(robot, integrator="moreau", dt=1e-3, **options)
    tip = smooth.body_position.sel(body="ball").values
    np.testing.assert_allclose(free.body_position.sel(body="ball").values[-1], tip[-1], atol=2e-6)
    post = ld.Obstacle(ld.Cylinder(0.05), at=(float(tip[50, 0]), float(tip[50, 1]) + 0.08), name="post", friction=0.2)
    hit = ld.simulate(robot, integrator="moreau", dt=1e-3, obstacles=[post], **options)
    assert hit.status == "completed" and np.abs(hit.contact_force.values).max() > 1.0
    assert np.abs(hit.body_position.sel(body="ball").values[-1] - tip[-1]).max() > 0.03  # it was thrown back
    balance = hit.total_energy().values - hit.energy_supplied().values
    assert np.abs(balance - balance[0]).max() < 5e-5 * np.ptp(hit.work_supplied.values)
    assert np.abs(hit.twist.values[:, 1]).max() < 1e-9  # the skate does not slip sideways
