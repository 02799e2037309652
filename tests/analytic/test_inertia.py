"""Inertias of shapes against numerical quadrature of the integrals, and the ways to say an inertia against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from locodyn.robot import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Inertia,
    Robot,
    Shape,
    Sphere,
    about_centre,
    about_origin,
    rotation_about,
)
from locodyn.robot.inertia import parallel_axis


def gauss(n: int, low: np.ndarray | float, high: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre points and weights on [low, high]."""
    x, w = np.polynomial.legendre.leggauss(n)
    half = (np.asarray(high) - np.asarray(low)) / 2
    return np.asarray(low) + half * (x + 1), half * w


def moments_of_slices(z: np.ndarray, weight: np.ndarray, a: np.ndarray, b: np.ndarray, round_: bool) -> tuple[float, np.ndarray]:
    """Volume and (xx, yy, zz) of a solid whose slice at z is an ellipse or a rectangle with half axes a(z), b(z).

    Slice: area A, integral of x^2 = A a^2 / k, with k = 4 (ellipse) or 3 (rectangle).
    """
    area, k = (math.pi * a * b, 4.0) if round_ else (4.0 * a * b, 3.0)
    x2, y2, z2 = (float(np.sum(weight * area * s)) for s in (a * a / k, b * b / k, z * z))
    return float(np.sum(weight * area)), np.array([y2 + z2, x2 + z2, x2 + y2])


def slices(shape: Shape) -> tuple[float, np.ndarray]:
    """Volume and moments of a shape with its axis along z, by quadrature over z (exact for these polynomials, n = 8)."""
    if isinstance(shape, Box):
        x, y, height = shape.size / 2
        z, w = gauss(8, -height, height)
        return moments_of_slices(z, w, np.full(8, x), np.full(8, y), round_=False)
    if isinstance(shape, (Sphere, Ellipsoid)):
        a, b, c = shape.semi_axes if isinstance(shape, Ellipsoid) else [shape.radius] * 3
        z, w = gauss(8, -c, c)
        s = np.sqrt(1 - (z / c) ** 2)
        return moments_of_slices(z, w, a * s, b * s, round_=True)
    z, w = gauss(8, -shape.length / 2, shape.length / 2)
    radius = np.full(8, shape.radius)
    if isinstance(shape, Capsule):
        h, r = shape.length / 2, shape.radius
        caps = [(gauss(8, h, h + r), h), (gauss(8, -h - r, -h), -h)]
        radius = np.concatenate([radius] + [np.sqrt(r * r - (zc - centre) ** 2) for (zc, _), centre in caps])
        z = np.concatenate([z] + [zc for (zc, _), _ in caps])
        w = np.concatenate([w] + [wc for (_, wc), _ in caps])
    return moments_of_slices(z, w, radius, radius, round_=True)


SHAPES = [Box((0.3, 0.5, 0.7)), Sphere(0.4), Ellipsoid((0.2, 0.3, 0.4)), Cylinder(0.2, 0.9), Capsule(0.2, 0.9), Capsule(0.5, 0.1)]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.word)
def test_shape_against_quadrature(shape: Shape) -> None:
    volume, moments = slices(shape)
    inertia = shape.inertia(density=700.0)
    assert shape.volume == pytest.approx(volume, rel=1e-13)
    assert inertia.mass == pytest.approx(700.0 * volume, rel=1e-13)
    np.testing.assert_allclose(inertia.tensor, 700.0 * np.diag(moments), rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(shape.inertia(mass=2.0).tensor, 2.0 / volume * np.diag(moments), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.word)
def test_turned_shape(shape: Shape) -> None:
    # I' = R I R^T, and the centre of mass is where the shape is
    rotation = rotation_about((1, 2, 3), 0.7)
    placed = shape.placed(at=(1, 2, 3), turned=rotation).inertia(mass=2.0)
    np.testing.assert_allclose(placed.tensor, rotation @ shape.inertia(mass=2.0).tensor @ rotation.T, atol=1e-15)
    np.testing.assert_array_equal(placed.centre, (1, 2, 3))


@pytest.mark.parametrize(("axis", "order"), [("x", (2, 0, 1)), ("y", (0, 2, 1)), ("-z", (0, 1, 2))])
@pytest.mark.parametrize("kind", [Cylinder, Capsule])
def test_axis_of_a_round_shape(kind: type, axis: str, order: tuple[int, ...]) -> None:
    along_z = kind(0.1, 0.5).inertia(mass=1.0).tensor
    np.testing.assert_allclose(
        kind(0.1, 0.5, axis).inertia(mass=1.0).tensor, np.diag(along_z.diagonal()[list(order)]), atol=1e-16
    )


def test_one_moment_alone_is_a_thin_plate() -> None:
    # perpendicular axes: a plate normal to z has xx + yy = zz
    tensor = about_centre(zz=0.076).with_mass(2.0, (0.1, 0.2, 0.3)).tensor
    np.testing.assert_array_equal(tensor, np.diag([0.038, 0.038, 0.076]))
    np.testing.assert_array_equal(about_centre(xx=2.0).with_mass(2.0, np.zeros(3)).tensor, np.diag([2.0, 1.0, 1.0]))


def test_about_origin_is_about_centre_and_steiner() -> None:
    rng = np.random.default_rng(1)
    centre, tensor = (
        rng.standard_normal(3),
        about_centre(xx=1, yy=1.1, zz=1.2, xy=0.1, xz=0.2, yz=-0.1).with_mass(3.0, np.zeros(3)).tensor,
    )
    at_origin = tensor + 3.0 * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    inertia = about_origin(at_origin).with_mass(3.0, centre)
    np.testing.assert_allclose(inertia.tensor, tensor, atol=1e-14)
    np.testing.assert_allclose(inertia.about_origin, at_origin, atol=1e-14)
    np.testing.assert_allclose(inertia.first_moment, 3.0 * centre)


def test_one_moment_about_the_origin() -> None:
    # zz about the centre is zz - m (x^2 + y^2); the plate is thin about its own centre
    tensor = about_origin(zz=1.0).with_mass(2.0, np.array([0.3, 0.4, 5.0])).tensor
    np.testing.assert_allclose(tensor, np.diag([0.25, 0.25, 0.5]), atol=1e-15)


def test_point_mass_off_the_origin() -> None:
    # two points at +-a e_x have the tensor 2 m a^2 diag(0, 1, 1)
    tensor = parallel_axis(1.5, np.array([0.2, 0, 0])) + parallel_axis(1.5, np.array([-0.2, 0, 0]))
    np.testing.assert_allclose(tensor, 2 * 1.5 * 0.04 * np.diag([0.0, 1.0, 1.0]))


def test_body_takes_its_inertia_from_its_shape() -> None:
    robot = Robot("x")
    robot.base("box", density=1000.0, shape=Box((0.1, 0.2, 0.3), at=(0, 0, 0.15)))
    inertia = robot.description.reference_body.inertia
    assert inertia.mass == pytest.approx(6.0)
    np.testing.assert_array_equal(inertia.centre, (0, 0, 0.15))
    np.testing.assert_allclose(inertia.tensor, 0.5 * np.diag([0.13, 0.10, 0.05]), atol=1e-16)


def test_centre_places_a_shape_that_is_not_placed() -> None:
    robot = Robot("x")
    robot.base("rod", mass=15.0, shape=Cylinder(0.1, 0.42), centre=(0, 0, -0.21))
    body = robot.description.reference_body
    np.testing.assert_array_equal(body.inertia.centre, (0, 0, -0.21))
    np.testing.assert_array_equal(body.shape.pose(body.inertia.centre).position, (0, 0, -0.21))


def test_arrays_are_read_only() -> None:
    inertia = Inertia(1.0, np.zeros(3), np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        inertia.tensor[0, 0] = 2.0
