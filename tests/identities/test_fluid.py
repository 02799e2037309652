"""Robots in an ideal fluid: the added mass goes through every algorithm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import locodyn as ld
from locodyn.errors import DescriptionError
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import RodFluid
from locodyn.robot.fluid import ellipse_added_mass
from peers import relative, totals_rate
from random_robots import BASES, random_configuration, random_robot, random_rotation, random_velocity

pytestmark = pytest.mark.slow


def swimmer(seed, base=None, gravity=(0.3, -0.2, -9.81), most=12):
    """A random tree of which most bodies move fluid along, and a random state."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, int(rng.integers(2, most + 1)), base=base or str(rng.choice(BASES[:2] + BASES[3:])), branching=0.4)
    for body in robot.bodies:
        if rng.random() < 0.7:
            place = {"at": 0.2 * rng.standard_normal(3), "turned": random_rotation(rng)}
            robot[body].fluid(rng.random(3), 0.1 * rng.random(3), **place)
    model = robot.model(gravity=gravity)
    state = (random_configuration(rng, model.compiled), *(random_velocity(rng, model.compiled) for _ in range(2)))
    return robot, model, state


@given(st.integers(0, 10_000))
def test_inverse_forward_mass_matrix_and_energy_agree(seed):
    _, model, (q, v, a) = swimmer(seed)
    tau, mass = model.inverse_dynamics(q, v, a), model.mass_matrix(q)
    # Round-off of recursions of up to 12 bodies; measured below 1e-13.
    assert relative(mass, mass.T) < 1e-12 and np.linalg.eigvalsh(mass).min() > 0.0
    assert relative(mass @ a + model.bias(q, v), tau) < 1e-11
    assert relative(mass @ model.forward_dynamics(q, v, tau), mass @ a) < 1e-10
    assert model.kinetic_energy(q, v) == pytest.approx(0.5 * v @ mass @ v, rel=1e-12)
    rate = totals_rate(model, q, v, a)
    assert rate[0] + rate[1] == pytest.approx(tau @ v, rel=1e-9, abs=1e-9 * np.abs(tau * v).sum())


@given(st.integers(0, 10_000))
def test_momentum_of_robot_and_fluid_is_conserved(seed):
    _, model, (q, v, _) = swimmer(seed, base="free", gravity=(0, 0, 0))
    a = model.forward_dynamics(q, v, np.concatenate([np.zeros(6), v[6:]]))
    rate = totals_rate(model, q, v, a)
    assert np.abs(rate[6:]).max() < 1e-10 * np.abs(a).max()


@given(st.integers(0, 10_000))
def test_fluid_of_a_rigid_kind_is_a_rigid_body(seed):
    """Equal added masses and moments of a body of mass m and moments I, without weight, change the dynamics as that body does."""
    rng = np.random.default_rng(seed)
    models = []
    for with_fluid in (True, False):
        robot = random_robot(np.random.default_rng(seed), 5, joints=("revolute", "spherical"), base="free")
        if with_fluid:
            robot["body_3"].fluid((0.7,) * 3, (0.02, 0.03, 0.04), at=(0.1, 0.2, -0.1))
        else:
            extra = robot.body("extra", mass=0.7, inertia=ld.about_centre(xx=0.02, yy=0.03, zz=0.04))
            extra.on("body_3", at=(0.1, 0.2, -0.1)).fixed()
        models.append(robot.model(gravity=(0, 0, 0)))
    q = random_configuration(rng, models[0].compiled)
    v, a = rng.standard_normal((2, models[0].nv))
    for one, two in zip(*((m.inverse_dynamics(q, v, a), m.mass_matrix(q)) for m in models), strict=True):
        assert relative(one, two) < 1e-12


def test_a_heavy_sphere_sinks_with_half_the_displaced_mass_added():
    """Closed form: (m + m_added) dv/dt = m g (buoyancy left out), in a frame turned and off the centre."""
    robot = ld.Robot("sphere")
    turned = ld.rotation_about((1, 2, 3), 0.7)
    ball = robot.base("ball", mass=2.0, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01), moves="free")
    ball.fluid((0.5,) * 3, turned=turned)
    model = robot.model()
    a = model.forward_dynamics(model.neutral(), np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(a, [0, 0, -9.81 * 2.0 / 2.5, 0, 0, 0], atol=1e-14)


def test_munk_moment_on_an_ellipse():
    """A body that moves at an angle to its axes in an ideal fluid feels the moment (m_y - m_x) v_x v_y."""
    mass, inertia = ellipse_added_mass(0.2, 0.05, density=1000.0, depth=0.1)
    robot = ld.Robot("ellipse")
    robot.base("hull", mass=3.0, inertia=ld.about_centre(zz=0.05), moves="planar").fluid(mass, inertia)
    model = robot.model(gravity=(0, 0, 0))
    v = np.array([0.7, -0.4, 0.0])
    tau = model.inverse_dynamics(model.neutral(), v, np.zeros(3))
    np.testing.assert_allclose(tau, [0, 0, (mass[1] - mass[0]) * v[0] * v[1]], atol=1e-13)


def test_scallop_theorem_in_a_fluid():
    """One joint that goes to and fro: the fish of two bodies is back where it was."""
    fish = ld.zoo.fish(n=2)
    law = ld.cosine(-0.5, omega=2 * np.pi, offset=0.5)
    result = fish.changed(imposed={"joint_1": law}, t_end=1.0, dt=0.001, checks=()).run(progress=False)
    middle = np.abs(result.position.values[len(result.time) // 2]).max()
    assert middle > 1e-3
    # Order 4 at 1 ms: measured 2e-12 m.
    assert np.abs(result.position.values[-1]).max() < 1e-10


def test_variational_integrator_keeps_the_momentum_of_robot_and_fluid():
    _, model, (q, v, _) = swimmer(3, base="free", gravity=(0, 0, 0), most=4)
    problem = Problem(model)
    run = solve(problem, q, v, t_end=0.5, step=0.001, method="variational")
    momenta = np.array([model.totals(a, b)[6:] for a, b in zip(run.q, run.v, strict=True)])
    # Round-off of log(g) / h, times the inertia, over 500 steps: see docs/integrators.md.
    assert np.abs(momenta - momenta[0]).max() < 1e-9
    fine = solve(problem, q, v, t_end=0.5, step=0.01, method="adaptive", tolerance=1e-11)
    assert np.abs(run.q[-1] - fine.q[-1]).max() < 1e-3


def whip_in_water(gravity):
    """A body that moves fluid along, and a rod that does."""
    robot = ld.Robot("whip")
    head = robot.base("head", mass=1.0, inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.3))
    head.fluid((0.3, 0.8, 0.5), (0.01, 0.01, 0.02), at=(0.05, 0.0, 0.0))
    material = ld.Material(young=1e6, density=1000.0)
    head.rod("tail", length=0.5, section=ld.Circle(0.01), material=material, bending=2, nodes=4, fluid=RodFluid(1000.0))
    model, rng = robot.model(gravity=gravity), np.random.default_rng(7)
    v, a = rng.standard_normal((2, model.nv))
    return model, (model.move(model.neutral(), rng.standard_normal(model.nv)), v, a)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.3, -0.2, -9.81)])
@pytest.mark.parametrize("kind", ["free", "planar", "rod"])
def test_derivatives_in_a_fluid_are_those_of_the_forces(kind, gravity):
    """The weight of the fluid is taken out of the forces and of their derivatives."""
    model, (q, v, a) = whip_in_water(gravity) if kind == "rod" else swimmer(1, base=kind, gravity=gravity)[1:]
    by_q, by_v, by_a = model.inverse_dynamics_derivatives(q, v, a)
    h, unit = 1e-6, np.eye(model.nv)
    tau = model.inverse_dynamics
    for j in range(model.nv):
        e = h * unit[j]
        slope = (tau(model.move(q, e), v, a) - tau(model.move(q, -e), v, a)) / (2 * h)
        assert np.abs(by_q[:, j] - slope).max() < 1e-7 * (1 + np.abs(by_q).max())  # h^2 and round-off / h
        slope = (tau(q, v + e, a) - tau(q, v - e, a)) / (2 * h)
        assert np.abs(by_v[:, j] - slope).max() < 1e-7 * (1 + np.abs(by_v).max())
    assert np.abs(by_a - model.mass_matrix(q)).max() < 1e-12 * np.abs(by_a).max()


def test_derivatives_of_accelerations_in_a_fluid():
    """Under gravity, against differences of accelerations: h^2 and round-off / h, times the condition of the mass matrix."""
    _, model, (q, v, tau) = swimmer(1)
    by_q, by_v, _ = model.forward_dynamics_derivatives(q, v, tau)
    h, a = 1e-6, model.forward_dynamics
    for j, e in enumerate(1e-6 * np.eye(model.nv)):
        slope = (a(model.move(q, e), v, tau) - a(model.move(q, -e), v, tau)) / (2 * h)
        assert np.abs(by_q[:, j] - slope).max() < 1e-6 * (1 + np.abs(by_q).max())
        slope = (a(q, v + e, tau) - a(q, v - e, tau)) / (2 * h)
        assert np.abs(by_v[:, j] - slope).max() < 1e-6 * (1 + np.abs(by_v).max())


def test_bad_added_mass():
    robot = ld.Robot("x")
    hull = robot.base("hull", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1), moves="free")
    with pytest.raises(DescriptionError, match="added mass of body 'hull'"):
        hull.fluid((-1, 0, 0))
    with pytest.raises(DescriptionError, match="three finite numbers"):
        hull.fluid((1, 2))
