"""Rods with rectangular sections in water: added mass against conformal maps and tables, buoyancy against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import Rectangle, RodFluid
from locodyn.robot.fluid import ellipse_added_mass, rectangle_added_mass
from locodyn.world import Buoyancy

RHO, G = 1000.0, 9.81


@pytest.mark.parametrize(
    ("ratio", "share"), [(0.1, 2.23), (0.2, 1.98), (0.5, 1.70), (1.0, 1.51), (2.0, 1.36), (5.0, 1.21), (10.0, 1.14)]
)
def test_published_added_masses(ratio: float, share: float) -> None:
    """Of a rectangle with sides 2a across the motion and 2b along it, over pi rho a^2, by a / b: DNV-RP-H103, table A-1, to the
    two decimals that it prints (the exact values behind 1.21 and 2.23 are 1.217 and 2.221)."""
    mass, _ = rectangle_added_mass(1.0 / ratio, 1.0, RHO)
    assert abs(mass[0] / (math.pi * RHO) - share) < 0.01


def test_published_moment_of_a_square() -> None:
    """0.725 rho a^4 for half sides a (Newman 1977, table 4.3)."""
    assert abs(rectangle_added_mass(1.0, 1.0, 1.0)[1][2] - 0.725) < 0.0005


def test_thin_plate() -> None:
    """The limit of no thickness is that of the ellipse, pi rho a^2 and pi rho a^4 / 8, with corrections b / a log(a / b)."""
    b = 1e-6
    plate, disc = rectangle_added_mass(1.0, b, RHO), ellipse_added_mass(1.0, 0.0, RHO)
    assert abs(plate[0][1] / disc[0][1] - 1.0) < 2.0 * b * math.log(1.0 / b)
    assert abs(plate[1][2] / disc[1][2] - 1.0) < 20.0 * b * math.log(1.0 / b)


def test_potential_flow_around_a_rectangle() -> None:
    """The moment by another way: the kinetic energy of the flow around a turning rectangle, from its boundary values alone.

    psi = |z|^2 / 2 on the boundary; with the complex map at points of the circle, T = 1/2 rho of the sum of n |psi_n|^2 over the
    Fourier coefficients. Here the map is integrated by the midpoint rule, whose error at the corners falls with h^(3/2): 1e-5.
    """
    a, b = 1.0, 0.4
    mass, moment = rectangle_added_mass(a, b, 1.0)
    # alpha from the mass along x: 4 pi R^2 m - 4 a b, 4 pi R^2 (1 - m) - 4 a b
    square = (mass[0] + mass[1] + 8.0 * a * b) / (4.0 * math.pi)
    turn = math.asin(math.sqrt((mass[0] + 4.0 * a * b) / (4.0 * math.pi * square)))
    n = 2**17
    theta = (np.arange(n) + 0.5) * 2.0 * math.pi / n
    speed = math.sqrt(square) * np.sqrt(2.0 * np.abs(np.cos(2.0 * theta) - math.cos(2.0 * turn))) * 2.0 * math.pi / n
    right = np.cos(2.0 * theta) > math.cos(2.0 * turn)  # on the sides x = a, x = -a the point moves along y, else along x
    x = a + np.cumsum(np.where(right, 0.0, -np.sign(np.sin(theta)) * speed))
    y = np.cumsum(np.where(right, np.sign(np.cos(theta)) * speed, 0.0))
    assert abs(x.max() - a) < 1e-9 and abs(x.min() + a) < 1e-5 and abs(y.max() - b) < 1e-5
    waves = np.fft.rfft(0.5 * (x**2 + y**2)) / n
    found = 4.0 * math.pi * float(np.sum(np.arange(len(waves)) * np.abs(waves) ** 2))
    assert abs(found / moment[2] - 1.0) < 1e-4


def plank(width: float, height: float, ratio: float) -> ld.Robot:
    """A free rod of a rectangular section in water."""
    robot = ld.Robot("plank")
    head = robot.base("head", moves="free")
    material = ld.Material(young=1e7, density=ratio * RHO, shear=1e7 / 3.0)
    rod = head.rod("rod", length=1.0, section=Rectangle(width, height), material=material, bending=2, torsion=1, nodes=6)
    robot.wrench("water", on=rod, law=Buoyancy(), along=True)
    return robot


def test_floating_plank() -> None:
    """Level at its draught it is at rest; tilted by phi it rights as a wall-sided ship, m g sin(phi) (GM + 1/2 BM tan^2(phi))."""
    width, height, ratio, angle = 0.2, 0.08, 0.6, 0.2
    draught = ratio * height
    robot = plank(width, height, ratio)
    lift = height / 2 - draught
    for phi in (0.0, angle):
        scenario = ld.Scenario("plank", robot, start=ld.Start({"head": (0, 0, lift * math.cos(phi), phi, 0, 0)}))
        q, v = scenario.initial_state()
        a = scenario.problem.accelerations(0.0, q.copy(), v.copy())
        arm = width**2 / (12 * draught)
        righting = math.sin(phi) * (arm - (height - draught) / 2 + arm * math.tan(phi) ** 2 / 2)
        inertia = ratio * RHO * width * height * (width**2 + height**2) / 12
        assert abs(inertia * a[3] + ratio * RHO * width * height * G * righting) < 1e-10
        assert np.abs(np.delete(a, 3)).max() < 1e-8


def test_flat_strip_moves_water_along() -> None:
    """A straight strip pushed across: m + m_a with the added mass of its section, all along."""
    width, height, length = 0.01, 0.1, 0.6
    robot = ld.Robot("strip")
    robot.base("head", moves="planar").rod(
        "strip", length=length, section=Rectangle(width, height), material=ld.silicone, bending=(0, 1), fluid=RodFluid(RHO)
    )
    matrix = robot.model(gravity=(0, 0, 0)).mass_matrix(np.zeros(4))
    added = rectangle_added_mass(width / 2, height / 2, RHO)[0][0]
    own = ld.silicone.density * width * height
    assert abs(matrix[1, 1] - (own + added) * length) < 1e-12 * matrix[1, 1]
    assert abs(matrix[0, 0] - own * length) < 1e-12 * matrix[0, 0]
    assert abs(added / (math.pi * RHO * (height / 2) ** 2) - 1.14) < 0.005  # thin: little above that of a plate
