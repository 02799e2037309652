"""Connections and their curvature against closed forms, and small loops against the curvature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import dblquad

import locodyn as ld
from locodyn.gaits import Connection, area_displacement, connection, curvature, curvature_grid, harmonic_gait, net_displacement
from wheeled_cases import skate_snake

NO_GRAVITY = (0.0, 0.0, 0.0)


def flat(zz):
    return ld.about_centre(xx=zz, yy=zz, zz=zz)


def two_links(m1=1.3, m2=0.7, i1=0.05, i2=0.02, a=0.3, b=0.2):
    robot = ld.Robot("two links")
    first = robot.base("first", moves="planar", mass=m1, inertia=flat(i1))
    robot.body("second", mass=m2, centre=(b, 0, 0), inertia=flat(i2)).on(first, at=(a, 0, 0)).turning("z", name="hinge")
    return robot


def slider_on_turntable(m=0.5, i0=0.2):
    """A point mass that slides along x and y on a table that turns freely about the vertical."""
    robot = ld.Robot("table", massless_ok=True)
    table = robot.base("table", moves="revolute", mass=2.0, inertia=flat(i0))
    cart = robot.body("cart").on(table).sliding("x", name="x")
    robot.body("mass", mass=m).on(cart).sliding("y", name="y")
    return robot


def car(radius=0.1, length=0.5):
    robot = ld.Robot("car")
    chassis = robot.base("chassis", moves="planar", mass=10.0, inertia=flat(1.0))
    chassis.wheel("roll", axis="y", radius=radius, actuated=True, mass=1.0)
    fork = robot.body("fork", mass=1.0, inertia=flat(0.1)).on(chassis, at=(length, 0, 0)).turning("z", name="steer")
    fork.skate("front")
    return robot


def differential_drive(radius=0.1, half=0.3):
    robot = ld.Robot("drive")
    body = robot.base("body", moves="planar", mass=10.0, inertia=flat(1.0))
    body.wheel("left", at=(0, half, 0), axis="y", radius=radius, actuated=True, mass=1.0)
    body.wheel("right", at=(0, -half, 0), axis="y", radius=radius, actuated=True, mass=1.0)
    return robot


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.1])
def test_two_links_with_zero_momentum(angle):
    # Momentum about the mass centre, with c = a e(th) + b e(th + phi) between the centres and mu = m1 m2 / (m1 + m2):
    # i1 w + i2 (w + phi') + mu c x c' = 0; and the mass centre is at rest: v1 = -m2 / (m1 + m2) c'.
    m1, m2, i1, i2, a, b = 1.3, 0.7, 0.05, 0.02, 0.3, 0.2
    mu, c = m1 * m2 / (m1 + m2), math.cos(angle)
    turn = (i2 + mu * (b * b + a * b * c)) / (i1 + i2 + mu * (a * a + b * b + 2 * a * b * c))
    rate = np.array([0.0, -a * turn]) + b * (1.0 - turn) * np.array([-math.sin(angle), c])
    expected = np.array([*(m2 / (m1 + m2) * rate), turn])
    model = two_links().model(gravity=NO_GRAVITY)
    result = connection(model, [3.0, -2.0, 0.9, angle])
    assert np.abs(result[:, 0] - expected).max() < 1e-14


def test_car():
    # vx = R roll', wz = R roll' tan(steer) / l; F = d_roll A_steer - d_steer A_roll - [A_roll, 0] = (0, 0, R / (l cos^2)).
    radius, length, steer = 0.1, 0.5, 0.6
    model = car(radius, length).model()
    connected = Connection(model)
    assert connected.kind == "kinematic" and connected.shape == ("roll", "steer")
    q = connected.configuration((2.0, steer))
    expected = np.array([[-radius, 0.0], [0.0, 0.0], [-radius * math.tan(steer) / length, 0.0]])
    assert np.abs(connected.at(q) - expected).max() < 1e-14
    curved = curvature(model, q)[:, 0, 1]
    assert np.abs(curved - [0.0, 0.0, radius / (length * math.cos(steer) ** 2)]).max() < 1e-14


def test_differential_drive():
    # A is constant, so F = -[A_left, A_right] = (0, R^2 / (2 b), 0): parking by turning left, forth, right, back.
    radius, half = 0.1, 0.3
    model = differential_drive(radius, half).model()
    q = model.neutral()
    expected = -0.5 * radius * np.array([[1.0, 1.0], [0.0, 0.0], [-1.0 / half, 1.0 / half]])
    assert np.abs(connection(model, q) - expected).max() < 1e-14
    assert np.abs(curvature(model, q)[:, 0, 1] - [0.0, radius**2 / (2.0 * half), 0.0]).max() < 1e-14


@pytest.mark.slow
def test_area_theorem_on_an_abelian_fibre():
    # w = -m (x y' - y x') / D with D = I + m (x^2 + y^2), so F_xy = 2 m I / D^2. A circle of radius s about the axis gives
    # -2 pi m s^2 / (I + m s^2); an ellipse elsewhere the integral of -F over it.
    m, i0 = 0.5, 0.2
    model = slider_on_turntable(m, i0).model()  # gravity along the axis changes nothing

    def height(x, y):
        return -2.0 * m * i0 / (i0 + m * (x * x + y * y)) ** 2

    _, grid = curvature_grid(model, [0.1, 0.4], [-0.3, 0.2, 0.5])
    assert abs(-grid[0, 1, 2] - height(0.4, 0.5)) < 1e-13
    circle = harmonic_gait(3.0, x={"amplitude": 0.6, "phase": math.pi / 2}, y=0.6)
    assert abs(net_displacement(model, circle).angle + 2 * math.pi * m * 0.36 / (i0 + m * 0.36)) < 1e-12
    ellipse = harmonic_gait(3.0, x={"amplitude": 0.5, "phase": math.pi / 2, "offset": 0.3}, y={"amplitude": 0.4, "offset": -0.2})
    area, _ = dblquad(
        lambda phi, s: 0.2 * s * height(0.3 + 0.5 * s * math.cos(phi), -0.2 + 0.4 * s * math.sin(phi)), 0.0, 1.0, 0.0, math.tau
    )
    assert abs(net_displacement(model, ellipse).angle - area) < 1e-8  # order 4 with 200 steps
    assert abs(area_displacement(model, ellipse, nodes=64, layers=16)[0] - area) < 1e-10


def chain(base):
    robot = ld.Robot("chain")
    parent = robot.base("b0", moves=base, mass=1.0, centre=(0.1, 0.0, 0.0), inertia=flat(0.1))
    for k, axis in ((1, "z"), (2, "z" if base == "planar" else "y")):
        body = robot.body(f"b{k}", mass=1.0 + 0.2 * k, centre=(0.15, 0.02, 0.03), inertia=flat(0.05 * k))
        parent = body.on(parent, at=(0.3, 0, 0)).turning(axis, name=f"j{k}")
    return robot.model(gravity=NO_GRAVITY)


@pytest.mark.parametrize("name", ["planar", "free", "spherical", "snake"])
def test_small_loop_gives_the_curvature(name):
    # Round a square of side e about r: log g = -e^2 F + O(e^3), each side by midpoint exponentials (error 1e-5 of e^3 here).
    connected = Connection(skate_snake() if name == "snake" else chain(name))
    middle = np.array([0.8, 1.3])
    expected = -curvature(connected, connected.configuration(middle))[:, 0, 1]
    group, errors = connected.group, []
    for e in (0.04, 0.02, 0.01):
        corner, g, pieces = middle - 0.5 * e, group.identity, 20
        for side in np.array([[e, 0.0], [0.0, e], [-e, 0.0], [0.0, -e]]):
            for k in range(pieces):
                a = connected.at(connected.configuration(corner + side * (k + 0.5) / pieces))
                g = group.compose(g, group.exp(-a @ side / pieces))
            corner = corner + side
        errors.append(np.abs(group.log(g) / e**2 - expected).max())
    assert np.abs(expected).max() > 1e-2
    assert errors[2] < 0.03 * np.abs(expected).max()
    assert 1.6 < errors[1] / errors[2] < 4.5  # first order in e, or better where the third-order term vanishes


def test_snake_against_its_constraints():
    # No skate moves sideways, for any rates of the joints.
    model = skate_snake()
    connected = Connection(model)
    q = connected.configuration((0.8, 1.3))
    velocity = connected.velocities(q) @ [0.3, -0.7]
    for k, at in ((0, 0.0), (1, -0.5), (2, -0.5)):
        twist = model.twist(f"link_{k}", q, velocity)
        assert abs(twist[1] + at * twist[5]) < 1e-14
