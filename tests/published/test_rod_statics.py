"""Equilibria, vibrations and buckling of rods against values of the literature and of the exact equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import jv

import locodyn as ld
from locodyn.equilibria import equilibrium, equilibrium_path, vibrations
from locodyn.locomotion.problem import Problem
from locodyn.robot import GivenSection
from locodyn.world.laws import Thrust, WorldForce
from rod_cases import cantilever

pytestmark = pytest.mark.slow

UNIT = GivenSection((1.0,) * 6, mass=1.0)
NO_GRAVITY = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("force", "transverse", "shortening", "angle"),
    [
        (1.0, 0.30172077, 0.05643324, 0.46135195),
        (2.0, 0.49345748, 0.16064172, 0.78174983),
        (5.0, 0.71379152, 0.38762836, 1.21536812),
        (10.0, 0.81060902, 0.55499560, 1.43028554),
    ],
)
def test_elastica(force: float, transverse: float, shortening: float, angle: float) -> None:
    """inextensible cantilever, dead transverse force F L^2/EI; elliptic integrals, 1e-6."""
    robot = cantilever(WorldForce((0, force, 0)), length=1.0, section=UNIT, bending=(0, 10), nodes=40)
    model = robot.model(gravity=NO_GRAVITY)
    found = equilibrium(Problem(model))
    rotation, position = model.pose("rod", found.q)
    assert found.stable and found.iterations <= 6
    assert position[1] == pytest.approx(transverse, abs=1e-6)
    assert 1.0 - position[0] == pytest.approx(shortening, abs=1e-6)
    assert np.arctan2(rotation[1, 0], rotation[0, 0]) == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("turns", [0.25, 0.5, 1.0])
def test_roll_up(turns: float) -> None:
    """a tip moment 2 pi turns EI/L rolls the rod up to a circle; one constant mode is exact."""
    angle = 2.0 * np.pi * turns
    model = cantilever(Thrust(moment=(0, 0, angle)), length=1.0, section=UNIT, bending=(0, 1)).model(gravity=NO_GRAVITY)
    found = equilibrium(Problem(model))
    position = model.pose("rod", found.q)[1]
    np.testing.assert_allclose(position[:2], [np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle], atol=1e-12)


@pytest.mark.parametrize(
    ("force", "tip"),
    [(300.0, (58.77912, 22.24478, 40.19189)), (450.0, (52.23856, 18.50818, 48.50293)), (600.0, (47.15044, 15.68480, 53.47486))],
)
def test_bend_of_45_degrees(force: float, tip: tuple[float, float, float]) -> None:
    """Bathe and Bolourchi's bend, J = 1/6; tolerance 1e-3 of the list, measured 2e-5."""
    robot = cantilever(
        WorldForce((0, 0, force)), length=25.0 * np.pi, section=ld.Rectangle(1.0, 1.0, torsion=1.0 / 6.0),
        material=ld.Material(1e7, 1.0, shear=5e6), bending=6, torsion=6, stretch=3, shear=3, rest_curvature=(0, 0, 0.01),
        nodes=20,
    )  # fmt: skip
    model = robot.model(gravity=NO_GRAVITY)
    np.testing.assert_allclose(model.pose("rod", equilibrium(Problem(model)).q)[1], tip, atol=1e-3)


@pytest.mark.parametrize(("force", "tip"), [(5e3, (-12.67219, 44.03739)), (130e3, (-75.92824, -47.82772))])
def test_follower_force(force: float, tip: tuple[float, float]) -> None:
    """a force that turns with the tip; the higher one winds the rod up. Tolerance 1e-4 of the list, of the length."""
    section = GivenSection((4.2e8, 1.61538e8, 1.61538e8, 1.0, 3.5e7, 3.5e7), mass=1.0)
    robot = cantilever(
        Thrust(force=(0, force, 0)), length=100.0, section=section, bending=(0, 20), stretch=16, shear=(16, 0), nodes=100
    )
    model = robot.model(gravity=NO_GRAVITY)
    found = equilibrium(Problem(model), steps=1 if force < 1e4 else 10)
    np.testing.assert_allclose(model.pose("rod", found.q)[1][:2] - [100.0, 0.0], tip, atol=1e-4)


def test_princeton_beam() -> None:
    """a load of 13.345 N at 45 and 90 degrees; 1e-4 relative."""
    section = GivenSection((2.842e6, 0.9039e6, 0.6401e6, 3.103, 2.429, 36.28), mass=1.0)
    for degrees, wanted in ((45.0, (-3.0356e-2, 1.53420e-2, 1.56576e-1)), (90.0, (None, 0.0, 2.00679e-1))):
        angle = np.radians(degrees)
        law = WorldForce((0, 13.345 * np.cos(angle), 13.345 * np.sin(angle)))
        robot = cantilever(law, length=0.508, section=section, bending=6, torsion=5, stretch=3, shear=3, nodes=20)
        model = robot.model(gravity=NO_GRAVITY)
        moved = model.pose("rod", equilibrium(Problem(model)).q)[1] - [0.508, 0.0, 0.0]
        for found, value in zip(moved, wanted, strict=True):
            assert value is None or found == pytest.approx(value, rel=1e-4, abs=1e-12)


# All by 12 functions and 160 slices: the products along s have order 4, 16 times nearer with twice as many slices.
FINE = {"length": 1.0, "section": UNIT, "bending": (0, 12), "nodes": 160}


def straight(law: Any = None, gravity: tuple[float, float, float] = NO_GRAVITY) -> tuple[Problem, np.ndarray]:
    """A cantilever along x that is straight under its load, and its tangent stiffness there, which is linear in the load."""
    problem = Problem(cantilever(law, **FINE).model(gravity=gravity))
    return problem, equilibrium(problem).stiffness


def test_frequencies_of_a_cantilever() -> None:
    """beta L of the clamped-free beam, all digits printed: omega = (beta L)^2 sqrt(EI/rho A)/L^2. Measured 2e-11, 5e-10, 6e-9."""
    problem, _ = straight()
    found = vibrations(problem, problem.model.neutral())
    frequencies = np.sort(found.imag[found.imag > 0])[:3]
    np.testing.assert_allclose(np.sqrt(frequencies), [1.87510407, 4.69409113, 7.85475744], rtol=1e-8)


def test_frequencies_of_a_free_rod() -> None:
    """free-free beam, carried by a massless free base; its rotary inertia, 1e-9, would be seen in the ninth digit."""
    robot = ld.Robot("free rod")
    robot.base("end", moves="free").rod(
        "rod", length=1.0, section=GivenSection((1,) * 6, 1.0, (1e-12,) * 3), bending=(0, 12), nodes=160
    )
    problem = Problem(robot.model(gravity=NO_GRAVITY))
    found = vibrations(problem, problem.model.neutral())
    frequencies = np.sort(found.imag[found.imag > 1.0])[:2]
    np.testing.assert_allclose(np.sqrt(frequencies), [4.73004074, 7.85320462], rtol=1e-8)


def critical_load(law: Any = None, gravity: tuple[float, float, float] = NO_GRAVITY) -> float:
    """Smallest multiple P of a load with det(K_0 + P (K_1 - K_0)) = 0."""
    (_, none), (_, unit) = straight(), straight(law, gravity)
    return 1.0 / float(np.linalg.eigvals(np.linalg.solve(none, none - unit)).real.max())


def test_buckling() -> None:
    """Euler's column clamped at one end, pi^2/4 EI/L^2: the stiffness is singular there. Measured 3e-10."""
    assert critical_load(WorldForce((-1.0, 0.0, 0.0))) == pytest.approx(np.pi**2 / 4.0, rel=1e-8)
    assert np.pi**2 / 4.0 == pytest.approx(2.4674011, abs=5e-8)


def test_buckling_under_its_own_weight() -> None:
    """rho A g L^3/EI = (9/4) j^2, j the first zero of the Bessel function J_-1/3 (Greenhill 1881): 7.83735. Measured 3e-10."""
    j = brentq(lambda x: jv(-1.0 / 3.0, x), 1.5, 2.2, xtol=1e-15)
    assert critical_load(gravity=(-1.0, 0.0, 0.0)) == pytest.approx(2.25 * j**2, rel=1e-8)
    assert 2.25 * j**2 == pytest.approx(7.83735, abs=5e-6)


def test_the_stiffness_changes_its_sign_at_the_critical_loads() -> None:
    for law, gravity, load in (((-1.0, 0.0, 0.0), NO_GRAVITY, 2.4674011), (None, (-1.0, 0.0, 0.0), 7.8373474)):
        for part, stable in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
            force = None if law is None else WorldForce(tuple(part * load * x for x in law))
            problem = Problem(cantilever(force, **FINE).model(gravity=tuple(part * load * x for x in gravity)))
            assert equilibrium(problem).stable is stable


def beck() -> float:
    """Load at which the two lowest frequencies of Beck's column meet, from its exact frequency equation (Beck 1952).

    f(P, w) = P^2 + 2 w^2 (1 + cos a cosh b) + w P sin a sinh b, a^2, b^2 = sqrt(P^2/4 + w^2) +- P/2: the least value of f between
    its two lowest zeros is negative before they meet.
    """

    def lowest(load: float) -> float:
        def f(w: float) -> float:
            root = np.sqrt(0.25 * load**2 + w**2)
            a, b = np.sqrt(root + 0.5 * load), np.sqrt(root - 0.5 * load)
            ends = 2.0 * w**2 * (1.0 + np.cos(a) * np.cosh(b)) + w * load * np.sin(a) * np.sinh(b)
            return float(load**2 + ends)

        return float(minimize_scalar(f, bounds=(5.0, 17.0), method="bounded", options={"xatol": 1e-9}).fun)

    return float(brentq(lowest, 19.5, 20.5, xtol=1e-10))


def test_flutter_of_a_follower_column() -> None:
    """Beck's column: stable in statics at any load, two frequencies meet at 20.05 EI/L^2 and it flutters. Measured 3e-8."""
    (problem, none), (_, unit) = straight(), straight(Thrust(force=(-1.0, 0.0, 0.0)))
    mass = problem.model.mass_matrix(problem.model.neutral())

    def flutters(load: float) -> bool:
        lowest = np.sort_complex(np.linalg.eigvals(np.linalg.solve(mass, none + load * (unit - none))))[:2]
        return bool(np.abs(lowest.imag).max() > 0.0)

    still, fluttering = 15.0, 25.0
    while fluttering - still > 1e-9:
        middle = 0.5 * (still + fluttering)
        still, fluttering = (still, middle) if flutters(middle) else (middle, fluttering)
    assert still == pytest.approx(beck(), rel=1e-7)
    assert still == pytest.approx(20.05, abs=5e-3)
    assert np.linalg.det(none + 30.0 * (unit - none)) > 0.0


def test_path_beyond_buckling() -> None:
    """A slightly disturbed column followed by arc length: far behind the buckling load it is the elastica.

    Closed form of the elastica clamped at one end: load (2 K(k)/pi)^2 * pi^2/4, tip angle 2 asin(k); here k = sin(60 deg).
    """
    from scipy.special import ellipk

    law = WorldForce((-10.0, 0.05, 0.0))
    robot = cantilever(law, length=1.0, section=UNIT, bending=(0, 8), nodes=30)
    problem = Problem(robot.model(gravity=NO_GRAVITY))
    path = equilibrium_path(problem, arc=0.03, points=200, until=lambda e: e.load > 0.6)
    loads, angles = [], []
    for point in path:
        rotation, _ = problem.model.pose("rod", point.q)
        loads.append(10.0 * point.load)
        angles.append(np.arctan2(rotation[1, 0], rotation[0, 0]))
    wanted = ellipk(np.sin(np.radians(60.0)) ** 2) ** 2
    assert np.interp(np.radians(120.0), angles, loads) == pytest.approx(wanted, rel=5e-3)  # of interpolation and disturbance
    assert path[-1].stable
