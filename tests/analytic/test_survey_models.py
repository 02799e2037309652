"""Models of friction in the survey of Transeth (2007, chapter 2) against the laws of the library: formulas in plain NumPy."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.controllers import ControlPlant
from locodyn.world import Drag, Sliding

C_T, C_N = 0.7, 3.0  # N s/m along and across a link


def link(law):
    """Force (2,) N and moment (N m) of a law on one link with heading 0.4 rad that moves with the world velocity v and turns."""

    def wrench(v, turning):
        robot = ld.Robot("link")
        body = robot.base("link", moves="planar", mass=0.5, inertia=ld.about_centre(zz=1e-3))
        robot.wrench("friction", on=body, law=law)
        c, s = np.cos(0.4), np.sin(0.4)
        problem = ld.Scenario("link", robot).problem
        own = np.array([c * v[0] + s * v[1], -s * v[0] + c * v[1], turning])
        a = problem.accelerations(0.0, np.array([0.0, 0.0, 0.4]), own)
        force = 0.5 * np.array([a[0] - turning * own[1], a[1] + turning * own[0]])
        return np.array([c * force[0] - s * force[1], s * force[0] + c * force[1]]), 1e-3 * a[2]

    return wrench


def test_viscous_friction_is_the_matrix_of_the_survey():
    """(2.5)-(2.7): f = H v, H = c_n ((1 - c_t / c_n) e_t e_t^T - I); and the moment of drag spread along a link of length 2 l,
    -c_n l^2 / 3 thetadot for the total c_n, from the integral along it."""
    half = 0.15
    s = np.linspace(-half, half, 20001)
    spread = np.trapezoid(C_N / (2 * half) * s * s, s)
    assert spread == pytest.approx(C_N * half**2 / 3, rel=1e-7)
    force = link(Drag(linear=(C_T, C_N, 0.0), angular=(0.0, 0.0, C_N * half**2 / 3)))
    along = np.array([np.cos(0.4), np.sin(0.4)])
    matrix = C_N * ((1 - C_T / C_N) * np.outer(along, along) - np.eye(2))
    for v, turning in (((1.0, 0.3), 0.0), ((-0.2, 0.7), 2.0)):
        found, moment = force(np.array(v), turning)
        assert found == pytest.approx(matrix @ v, abs=1e-12)
        assert moment == pytest.approx(-spread * turning, abs=1e-7)


def test_sign_friction():
    """(2.8): f = -m g R diag(c_t, c_n) sign(R^T v), to the regularisation (speed / v)^2 / 2."""
    force, _ = link(Sliding((0.2, 0.5), load=0.5 * 9.81, speed=1e-6, coupled=False))(np.array([0.8, -0.4]), 0.0)
    rotation = np.array([[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]])
    expected = -0.5 * 9.81 * rotation @ np.diag([0.2, 0.5]) @ np.sign(rotation.T @ [0.8, -0.4])
    assert force == pytest.approx(expected, rel=1e-9)


def chain(mass, law=None):
    """Five links of 0.2 m, with markers at their ends where drag acts."""
    robot = ld.Robot("chain")
    inertia = ld.about_centre(zz=mass * 0.2**2 / 12)
    last = robot.base("link_1", moves="planar", mass=mass, inertia=inertia)
    for k in range(1, 6):
        if k > 1:
            last = robot.body(f"link_{k}", mass=mass, inertia=inertia).on(last, at=(0.1, 0, 0), body_at=(0.1, 0, 0)).turning("z")
        for end, x in (("front", 0.08), ("rear", -0.08)):
            last.marker(f"{end}_{k}", at=(x, 0.0, 0.0))
            if law is not None:
                robot.wrench(f"drag_{end}_{k}", on=f"link_{k}", at=(x, 0.0, 0.0), law=law)
    return robot


POINTS = [f"{end}_{k}" for k in range(1, 6) for end in ("front", "rear")]


def test_head_velocity_of_the_survey():
    """(2.11): v_head = -(sum H_i)^-1 sum H_i v_rel,i, H_i in world axes, velocities relative to a head that does not turn."""
    plant, rng = ControlPlant(chain(0.1).model()), np.random.default_rng(2)
    q, rates = np.concatenate([[0.3, -0.2, 0.0], rng.uniform(-0.8, 0.8, 4)]), rng.normal(size=4)
    model, total, pushed = plant.model, np.zeros((2, 2)), np.zeros(2)
    for point in POINTS:
        rotation = model.pose(point, q)[0][:2, :2]
        h = -rotation @ np.diag([C_T, C_N]) @ rotation.T
        relative = [(model.pose(point, q + d)[1] - model.pose(point, q - d)[1])[:2] / 2e-6 for d in 1e-6 * np.eye(7)[3:]]
        total, pushed = total + h, pushed + h @ (np.array(relative).T @ rates)
    expected = -np.linalg.solve(total, pushed)
    found = plant.quasi_stationary(q, rates, POINTS, (C_T, C_N), turns=False)
    assert found == pytest.approx([*expected, 0.0], abs=1e-8)


def test_light_robots_move_quasi_stationarily():
    """The whole balance, with the moment: a chain with imposed joints tends to it with its mass, order 1."""
    laws = {f"link_{k}": ld.sine(0.5, omega=2.0, phase=-0.9 * k) for k in range(2, 6)}
    errors = []
    for mass in (2e-3, 1e-3):
        robot = chain(mass, Drag(linear=(C_T, C_N, 0.0)))
        result = ld.Scenario("chain", robot, imposed=laws, dt=1e-4, t_end=0.5, record_every=500).run(progress=False)
        plant = ControlPlant(result.model)
        rates = [law.rate(0.5) for law in laws.values()]
        still = plant.quasi_stationary(result.q[-1], rates, POINTS, (C_T, C_N))
        errors.append(np.abs(result.v[-1, :3] - still).max() / np.abs(still).max())
    assert errors[0] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
