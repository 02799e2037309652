"""Linear systems about steady motions, against closed forms. The target is 1e-10 of the largest entry; see each tolerance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import locodyn as ld
from locodyn.linearisation import linearise, steady_motion
from locodyn.linearisation.nearby_motion import NearbyMotion
from locodyn.locomotion.problem import Problem
from locodyn.robot import Robot, about_centre
from locodyn.zoo.registry import make

G = 9.81


def same(found: np.ndarray, wanted: np.ndarray, tolerance: float = 1e-10) -> None:
    """Both as sorted sets of complex numbers, relative to the largest."""
    key = [np.lexsort((np.round(x.imag, 6), np.round(x.real, 6))) for x in map(np.asarray, (found, wanted))]
    found, wanted = np.asarray(found)[key[0]], np.asarray(wanted)[key[1]]
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max()), (found, wanted)


def test_state_of_a_robot() -> None:
    """x of states that nearby runs reach follows exp(A t) x0 to second order in x0, on wheels and with own coordinates.

    The cart glides at 1 m/s; 0.3 s later the motion has gone on by itself (``after``).
    """
    robot = ld.Robot("cart")
    cart = robot.base("cart", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.05)).skate(
        "blade", at=(-0.1, 0, 0), along="x"
    )
    robot.body("arm", mass=0.3, centre=(0.2, 0, 0)).on(cart).turning("z").actuator(stiffness=2.0, viscous=0.1)
    still = np.zeros(4), np.array([1.0, 0.0, 0.0, 0.0])
    scenario = ld.Scenario("cart", robot, start=still, integrator="rkmk4", dt=1e-3, t_end=0.3)
    system = ld.linearise(scenario, coordinates={"swing": {"arm": -1.0}})
    np.testing.assert_array_equal(system.state(*still), 0.0)
    assert system.state(np.array([0, 0, 0, 0.02]), still[1])[system.state_names.index("swing")] == -0.02
    errors = []
    for size in (1e-3, 5e-4):
        q, v = size * np.array([1.0, 2.0, -0.5, 3.0]), still[1] + size * np.array([0.5, 0.0, 1.0, -2.0])
        q, v = scenario.problem.imposed_state(0.0, q, v)
        end = scenario.changed(start=(q, v)).run()
        final = end.attributes["resume_position"], end.attributes["resume_velocity"]
        wanted = expm(0.3 * system.A) @ system.state(q, v)
        errors.append(float(np.abs(system.state(*final, after=0.3) - wanted).max()))
        small = system.reduced()
        np.testing.assert_allclose(small.state(*final, after=0.3), expm(0.3 * small.A) @ small.state(q, v), atol=20 * size**2)
    assert errors[0] < 20 * 1e-6
    assert errors[1] < 0.3 * errors[0]  # of second order


def test_double_pendulum() -> None:
    """Two equal rods: M and K from Lagrange by hand, in relative angles."""
    system = linearise(make("pendulum", {"n": 2, "angle": 0.0}))
    mass, damping, stiffness = system.second_order()
    ml2, mgl = 1.0, G
    np.testing.assert_allclose(mass, ml2 * np.array([[8 / 3, 5 / 6], [5 / 6, 1 / 3]]), atol=1e-14)
    np.testing.assert_allclose(stiffness, mgl * np.array([[2.0, 0.5], [0.5, 0.5]]), atol=1e-11)
    assert np.abs(damping).max() < 1e-11
    squares = np.linalg.eigvals(np.linalg.solve(mass, stiffness))
    same(system.eigenvalues, np.concatenate([1j * np.sqrt(squares), -1j * np.sqrt(squares)]))
    assert system.defect == 0.0 and system.error < 1e-10


def test_damped_pendulum_mode() -> None:
    """theta'' + 2 zeta w theta' + w^2 theta = 0 with w^2 = 3 g / 2 l, and its equilibrium found from far away."""
    damping, inertia = 0.4, 1 / 3
    scenario = make("pendulum", {"n": 1, "angle": 0.7, "damping": damping})
    found = steady_motion(scenario)
    assert abs(found.q[0]) < 1e-12 and np.abs(found.v).max() < 1e-12 and found.rounds < 10
    (mode,) = linearise(scenario, found.q, found.v).modes()
    omega = math.sqrt(1.5 * G)
    assert mode.oscillatory and mode.stability == "stable"
    assert mode.damping == pytest.approx(damping / inertia / (2 * omega), rel=1e-10)
    assert abs(mode.eigenvalue) == pytest.approx(omega, rel=1e-11)
    assert not linearise(scenario, [math.pi], [0.0]).is_stable


def oscillator() -> Problem:
    """Two masses on a line, springs, dampers, one with a limited drive."""
    robot = Robot("oscillator")
    ground = robot.base("ground", moves="fixed")
    first = robot.body("first", mass=2.0, inertia=about_centre(zz=0.1)).on(ground).sliding("x")
    first.actuator(stiffness=30.0, viscous=0.5)
    second = robot.body("second", mass=3.0, inertia=about_centre(zz=0.1)).on("first").sliding("x")
    second.actuator(stiffness=20.0, viscous=0.2, torque_limit=0.1)
    return Problem(robot.model(gravity=(0, 0, 0)))


@pytest.mark.slow
def test_inputs_and_outputs() -> None:
    """Relative coordinates: M = [[5, 3], [3, 3]], K = diag(30, 20), C = diag(0.5, 0.2); an accelerometer feels the force."""
    problem = oscillator()
    outputs: dict[str, Any] = {"stretch": "second", "speed": "rate of first", "accelerometer": lambda q, v, a: a[0] + a[1]}
    system = linearise(problem, [0, 0], [0, 0], inputs=("first", "second", "second.fx"), outputs=outputs)
    mass, damping, stiffness = np.array([[5.0, 3], [3, 3]]), np.diag([0.5, 0.2]), np.diag([30.0, 20.0])
    inverse = np.linalg.inv(mass)
    order = [system.position_names.index(name) for name in ("first", "second")]
    states = [*order, *(2 + i for i in order)]
    forces = np.array([[1.0, 0, 1], [0, 1, 1]])  # a force on the second mass does work with both relative rates
    wanted = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ stiffness, -inverse @ damping]])
    np.testing.assert_allclose(system.A[np.ix_(states, states)], wanted, atol=1e-10)
    np.testing.assert_allclose(system.B[states], np.vstack([np.zeros((2, 3)), inverse @ forces]), atol=1e-12)
    total = np.array([[1.0, 1.0]]) @ wanted[2:]
    np.testing.assert_allclose(system.C[:, states], np.vstack([[0, 1, 0, 0], [0, 0, 1, 0], total]), atol=1e-10)
    np.testing.assert_allclose(system.D[2], (np.ones(2) @ inverse @ forces), atol=1e-12)
    assert np.abs(system.D[:2]).max() < 1e-12


@pytest.mark.slow
def test_sharp_friction() -> None:
    """Dry friction over 1e-3 m/s bends far within the first step of the differences; smaller ones are taken by themselves."""
    robot = Robot("slider")
    robot.base("ground", moves="fixed")
    robot.body("mass", mass=2.0, inertia=about_centre(zz=0.1)).on("ground").sliding("x").actuator(coulomb=3.0, coulomb_speed=1e-3)
    system = linearise(Problem(robot.model()), [0.0], [0.0]).reduced()
    assert system.A.shape == (1, 1) and system.A[0, 0] == pytest.approx(-3.0 / 1e-3 / 2.0, rel=1e-8)
    assert 0.0 < system.error < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("spin", [80.0, 190.0, 215.0])
def test_sleeping_top(spin: float) -> None:
    """In axes fixed in the top: i (w - s) with s = (I3 w +- sqrt(I3^2 w^2 - 4 m g l I1)) / (2 I1), and the conjugates."""
    transverse, axial, weight = 0.234375 + 15.0, 0.46875, 15.0 * G
    system = linearise(make("heavy_top", {"q_0": (1.0, 0, 0, 0), "Omega": (0, 0, spin)})).reduced()
    root = np.sqrt(complex(axial**2 * spin**2 - 4 * weight * transverse))
    wanted = np.array([1j * (spin - (axial * spin + sign * root) / (2 * transverse)) for sign in (1, -1)])
    same(system.eigenvalues, np.concatenate([[0.0], wanted, wanted.conj()]), 1e-9)
    unstable = any(system.stability_of(x) == "unstable" for x in system.eigenvalues)
    assert unstable == (spin**2 < 4 * weight * transverse / axial**2)


@pytest.mark.slow
def test_steady_precession() -> None:
    """Lagrange's top: slow precession I1 cos(th) W^2 - I3 w W + m g l = 0, and nutation from the effective potential."""
    transverse, axial, weight, tilt, spin = 0.234375 + 15.0, 0.46875, 15.0 * G, 0.6, 250.0
    axes = {"top": (0, 0, 1)}
    scenario = make(
        "heavy_top", {"q_0": (math.cos(tilt / 2), math.sin(tilt / 2), 0, 0), "Omega": (0, 1.5 * math.sin(tilt), spin)}
    )
    found = steady_motion(scenario, spin=axes, keep=("top.roll", "top.pitch", "rate of top.yaw"))
    rate = np.hypot(*found.v[:2]) / math.sin(tilt)
    assert rate == pytest.approx(np.roots([transverse * math.cos(tilt), -axial * spin, weight]).min(), rel=1e-9)
    system = linearise(scenario, found.q, found.v, spin=axes).reduced()
    # V(th) = (p - s cos th)^2 / (2 I1 sin^2 th) + m g l cos th, with p, s the momenta of precession and spin
    s = axial * spin
    p = transverse * rate * math.sin(tilt) ** 2 + s * math.cos(tilt)
    u, x = p - s * math.cos(tilt), tilt
    first, second = s * math.sin(x), s * math.cos(x)
    sine, cosine = math.sin(x), math.cos(x)
    bend = (first**2 + u * second) / sine**2 - 4 * u * first * cosine / sine**3 + u**2 * (2 * cosine**2 + 1) / sine**4
    nutation = math.sqrt((bend / transverse - weight * cosine) / transverse)
    assert max(x.imag for x in system.eigenvalues) == pytest.approx(nutation, rel=1e-8)
    assert system.defect < 1e-9 and system.wander < 1e-8
    # Heading and spin angle are symmetries; the momenta that go with them leave a zero each.
    assert len(system.A) == 4 and sum(system.stability_of(x) == "neutral" for x in system.eigenvalues) == 4


@pytest.mark.slow
def test_spin_of_a_free_body() -> None:
    """A body of revolution in space precesses about its momentum: steady in axes that turn in it at (1 - I3 / I1) w3."""
    moments, rates = np.array([0.3, 0.3, 0.5]), np.array([1.0, 0.0, 4.0])
    robot = Robot("disc")
    robot.base("disc", mass=2.0, inertia=about_centre(np.diag(moments)))
    problem = Problem(robot.model(gravity=(0, 0, 0)))
    v = np.concatenate([0.7 * moments * rates, rates])  # it also moves along its momentum
    q = problem.model.neutral()
    near = NearbyMotion(problem, q, v, spin={"disc": (0, 0, 1)})
    assert near.spin_rates[0] == pytest.approx((1 - 0.5 / 0.3) * 4.0, rel=1e-12)
    system = linearise(problem, q, v, spin={"disc": (0, 0, 1)})
    assert max(system.defect, system.wander) < 1e-12
    assert linearise(problem, q, v, unsteady=True).defect > 1.0
    turning = np.linalg.norm(moments * rates) / 0.3  # rate of the precession, and of everything seen from it
    same(np.unique(np.round(np.abs(system.eigenvalues.imag), 6)), np.array([0.0, turning]), 1e-6)
    assert np.abs(system.eigenvalues.real).max() < 1e-4  # of a threefold zero: (1e-13)^(1/3)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_free_body_about_its_axes(axis: int) -> None:
    """Euler: l^2 = w^2 (I_j - I)(I - I_k) / (I_j I_k): unstable about the middle axis only."""
    moments, spin = np.array([0.2, 0.3, 0.4]), 3.0
    robot = Robot("stone")
    robot.base("stone", mass=2.0, inertia=about_centre(np.diag(moments)))
    problem = Problem(robot.model(gravity=(0, 0, 0)))
    v = np.zeros(6)
    v[3 + axis] = spin
    system = linearise(problem, problem.model.neutral(), v)
    assert system.symmetries.shape == (12, 6)  # all of SE(3)
    own, j, k = moments[axis], moments[axis - 2], moments[axis - 1]
    root = np.sqrt(complex(spin**2 * (j - own) * (own - k) / (j * k)))
    values = system.reduced().eigenvalues
    assert np.abs(values - root).min() < 1e-10 and np.abs(values + root).min() < 1e-10
    assert system.reduced().is_stable is False
    assert any(x.real > 1e-3 for x in values) == (axis == 1)


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_chaplygin_sleigh(speed: float) -> None:
    """Straight ahead: the turning rate decays with a u / k^2, and grows when the mass centre trails; the rest is symmetry."""
    system = linearise(make("chaplygin_sleigh", {"u_0": speed, "w_0": 0.0}))
    assert system.symmetries.shape == (5, 3) and len(system.rate_names) == 2
    values = system.reduced().eigenvalues
    wanted = -0.2 * speed / (0.03 + 0.2**2)
    same(values, np.array([0.0, wanted]))
    assert [mode.stability for mode in system.reduced().modes()] == (
        ["neutral", "stable"] if speed > 0 else ["unstable", "neutral"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_trailer(speed: float) -> None:
    """A trailer hitched above an axle: r' = -(v / L) sin r, stable when pulled, unstable when pushed."""
    length = 1.6
    robot = Robot("road train")
    truck = robot.base("truck", mass=5.0, inertia=about_centre(zz=1.0), moves="planar")
    truck.wheel("rear", axis="y")
    truck.wheel("front", at=(1.0, 0, 0), axis="y")
    trailer = (
        robot.body("trailer", mass=2.0, centre=(-0.8, 0, 0), inertia=about_centre(zz=0.3)).on("truck").turning("z", name="hitch")
    )
    trailer.wheel("last", at=(-length, 0, 0), axis="y")
    system = linearise(Problem(robot.model()), np.zeros(4), np.array([speed, 0, 0, 0])).reduced()
    assert system.position_names == ("hitch",) and len(system.rate_names) == 1
    same(system.eigenvalues, np.array([0.0, -speed / length]))
    with pytest.raises(ld.InputError, match="no second-order form with 'hitch'"):
        system.second_order(("hitch",))


@pytest.mark.slow
def test_steady_circle_of_a_road_train() -> None:
    """Truck on a circle with two trailers: sin r_i = L / rho_(i-1), eigenvalues -v_(i-1) cos(r_i) / L.

    v_i = v_(i-1) cos r_i is the speed of axle i, and r_i' = w_(i-1) - v_(i-1) sin(r_i) / L up to the sign of r_i.
    """
    from locodyn.locomotion.constraint_rows import Drives
    from locodyn.motion import constant, polynomial

    beta, speed, base, length = 0.3, 3.0, 4.0, 5.0
    scenario = make("trailer_truck", {"beta": beta, "xi": speed})
    drives = Drives(steering={"front": constant(beta)}, speeds=[("truck", (1.0, 0, 0), polynomial(0.0, speed))])
    problem = Problem(scenario.model, drives=drives)
    found = steady_motion(problem, [0, 0, 0, -0.3, -0.3], [speed, 0, 0, 0, 0])
    radius, axle_speed, wanted = base / math.tan(beta), speed, []
    for angle in found.q[3:]:
        assert abs(angle) == pytest.approx(math.asin(length / radius), rel=1e-9)
        wanted.append(-axle_speed * math.cos(angle) / length)
        radius, axle_speed = math.sqrt(radius**2 - length**2), axle_speed * math.cos(angle)
    system = linearise(problem, found.q, found.v)
    same(system.reduced().eigenvalues, np.array(wanted))
    assert system.symmetries.shape == (5, 3) and system.wander < 1e-10
    turning = speed / base * math.tan(beta)  # the place in body axes goes round
    same(system.eigenvalues, np.array([*wanted, 0.0, 1j * turning, -1j * turning]))


@pytest.mark.slow
def test_what_round_off_parts_from_zero_neither_grows_nor_swings() -> None:
    """A mass that slides freely has the eigenvalue zero twice, in one Jordan block: an entry of 1e-20 makes +-1e-10 i of it."""
    robot = Robot("mass")
    robot.body("mass", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    free = linearise(ld.Scenario("mass", robot))
    parted = replace(free, A=np.array([[0.0, 1.0], [-1e-20, 0.0]]))
    assert np.abs(parted.eigenvalues.imag).max() == pytest.approx(1e-10)
    for system in (free, parted):
        assert [mode.words() for mode in system.modes()] == [("+0", "neutral, monotone")] * 2


def test_names_of_the_user() -> None:
    """Own coordinates: signs, sums, and the force that does work with them."""
    problem = oscillator()
    own = {"place": {"first": 1.0, "second": 1.0}, "back": {"first": -1.0}}
    system = linearise(problem, [0, 0], [0, 0], coordinates=own, inputs=("place", "back", "second.fx"))
    assert system.position_names == ("place", "back")
    mass, damping, stiffness = system.second_order()
    np.testing.assert_allclose(mass, np.diag([3.0, 2.0]), atol=1e-12)  # absolute places: nothing couples the masses
    np.testing.assert_allclose(stiffness, [[20.0, 20.0], [20.0, 50.0]], atol=1e-9)
    np.testing.assert_allclose(damping, [[0.2, 0.2], [0.2, 0.7]], atol=1e-10)
    np.testing.assert_allclose(mass @ system.B[2:], [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], atol=1e-12)


@pytest.mark.slow
def test_a_symmetry_across_coordinates() -> None:
    """Two masses on one spring, in places of their own: the common place drops out, and modes are eigenvectors of A."""
    robot = Robot("pair")
    robot.base("ground", moves="fixed")
    robot.body("first", mass=2.0, inertia=about_centre(zz=0.1)).on("ground").sliding("x")
    robot.body("second", mass=3.0, inertia=about_centre(zz=0.1)).on("first").sliding("x").actuator(stiffness=20.0, viscous=0.6)
    places = {"left": "first", "right": {"first": 1.0, "second": 1.0}}
    system = linearise(Problem(robot.model()), [0.0, 0.0], [0.0, 0.0], coordinates=places)
    np.testing.assert_allclose(np.abs(system.symmetries.ravel()), [*[np.sqrt(0.5)] * 2, 0, 0], atol=1e-9)
    reduced = system.reduced()
    assert len(reduced.position_names) == 1 and len(reduced.rate_names) == 2
    omega2, decay = 20.0 * (1 / 2 + 1 / 3), 0.6 * (1 / 2 + 1 / 3)
    same(reduced.eigenvalues, np.concatenate([[0.0], np.roots([1.0, decay, omega2])]))
    for mode in reduced.modes():
        np.testing.assert_allclose(reduced.A @ mode.shape, mode.eigenvalue * mode.shape, atol=1e-10)
