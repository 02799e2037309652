"""What solids displace under a plane surface: one potential gives all of it, and simple cuts have closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from locodyn.world.hydrostatic_slices import displaced
from locodyn.world.law_table import SOLID

SIZES = {
    SOLID.ellipsoid: (0.5, 0.3, 0.2), SOLID.section: (0.1, 0.3, 0.2), SOLID.cylinder: (0.5, 0.3, 0.3),
    SOLID.capsule: (0.5, 0.2, 0.2), SOLID.box: (0.5, 0.3, 0.2),
}  # fmt: skip
VOLUMES = {
    SOLID.ellipsoid: 4 / 3 * math.pi * 0.5 * 0.3 * 0.2, SOLID.section: math.pi * 0.3 * 0.2, SOLID.cylinder: math.pi * 0.3**2,
    SOLID.capsule: math.pi * 0.2**2 * (1.0 + 4 / 3 * 0.2), SOLID.box: 8 * 0.5 * 0.3 * 0.2,
}  # fmt: skip


def cut(code: int, h: float, n: np.ndarray, axis: int = 0) -> np.ndarray:
    """The 15 numbers of a cut."""
    return np.array(displaced(code, axis, *SIZES[code], float(h), tuple(float(x) for x in n)))


def surfaces(count: int) -> list[tuple[float, np.ndarray]]:
    """Depths and falls: any, along an axis, and a hair's breadth beside one."""
    rng = np.random.default_rng(5)
    found = []
    for k in range(count):
        n = rng.standard_normal(3)
        n = np.eye(3)[k % 3] if k % 4 == 0 else n / np.linalg.norm(n)
        n = n + 1e-5 * rng.standard_normal(3) if k % 8 == 0 else n
        found.append((rng.uniform(-0.35, 0.35), rng.uniform(0.9, 1.1) * n))
    return found


@pytest.mark.parametrize(
    ("code", "axis"),
    [*((code, 0) for code in SIZES), (SOLID.cylinder, 1), (SOLID.cylinder, 2), (SOLID.capsule, 1), (SOLID.capsule, 2)],
)
def test_one_potential(code: int, axis: int) -> None:
    """V = W_h and S = -W_n, so that buoyancy is a gradient, and the waterplane gives their slopes.

    W has second derivatives that are bounded (third: near an edge not), so that central differences of step e err by 1e-9
    here; those of V and S, whose slopes have roots at the rims, by e^(1/2) at worst; e = 1e-6.
    """
    e = 1e-6
    for h, n in surfaces(60):
        found = cut(code, h, n, axis)
        by_h = (cut(code, h + e, n, axis) - cut(code, h - e, n, axis)) / (2 * e)
        by_n = np.array([(cut(code, h, n + e * u, axis) - cut(code, h, n - e * u, axis)) / (2 * e) for u in np.eye(3)])
        assert abs(by_h[0] - found[1]) < 1e-8 * VOLUMES[code]
        assert np.abs(by_n[:, 0] + found[2:5]).max() < 1e-8 * VOLUMES[code]
        c = found[9:]
        second = np.array([[c[0], c[1], c[2]], [c[1], c[3], c[4]], [c[2], c[4], c[5]]])
        scale = VOLUMES[code] / 0.2
        assert abs(by_h[1] - found[5]) < 1e-4 * scale
        assert np.abs(by_n[:, 1] + found[6:9]).max() < 1e-4 * scale
        assert np.abs(by_n[:, 2:5].T + second).max() < 1e-4 * scale


@pytest.mark.parametrize("code", SIZES)
def test_wet_dry_and_symmetric(code: int) -> None:
    """Under water all of the volume, about the centre; above it nothing; cut through the centre, half, whatever the tilt."""
    for _, n in surfaces(20):
        deep, half = cut(code, 3.0, n), cut(code, 0.0, n)
        assert abs(deep[1] - VOLUMES[code]) < 1e-14
        assert np.abs(deep[2:5]).max() < 1e-15
        assert np.abs(deep[5:]).max() < 1e-15
        assert np.abs(cut(code, -3.0, n)).max() < 1e-15
        assert abs(half[1] - VOLUMES[code] / 2) < 1e-12 * VOLUMES[code]  # the tilt of level discs: 1e-12
        # a cut from either side: V(h) + V(-h) = V, S(h) = S(-h) mirrored
        up, down = cut(code, 0.1, n), cut(code, -0.1, n)
        assert abs(up[1] + down[1] - VOLUMES[code]) < 1e-12 * VOLUMES[code]
        assert np.abs(up[2:5] - down[2:5]).max() < 1e-12


def test_tilted_cylinder() -> None:
    """Cut by a plane that crosses all of its sides, a cylinder is wet up to its mean depth: V = pi r^2 (a + h / n_x), exactly."""
    n, h = np.array([0.9, 0.3, -0.2]), 0.05
    found = cut(SOLID.cylinder, h, n)
    area = math.pi * 0.3**2
    assert abs(found[1] - area * (0.5 + h / 0.9)) < 1e-12
    # the wedge moves the centre sideways by I / V tan (the metacentre, Bouguer 1746): S_y = -I n_y / n_x
    assert abs(found[3] + math.pi / 4 * 0.3**4 * 0.3 / 0.9) < 1e-12
    assert abs(found[5] - area / 0.9) < 1e-9  # the waterplane, divided by |n|


@pytest.mark.parametrize(("n", "h"), [((0.35, -0.5, 0.8), 0.07), ((0.0023, 0.0, 1.0), 0.008)])
def test_oblique_capsule(n: Any, h: float) -> None:
    """Volume and moments against adaptive quadrature of discs along the axis; afloat nearly level too."""
    a, r, n = 0.5, 0.2, np.array(n)
    m = math.hypot(n[1], n[2])

    def area(x: float) -> float:
        u = max(abs(x) - a, 0.0)
        rim = math.sqrt(max(r * r - u * u, 0.0))
        if rim == 0.0:
            return 0.0
        d = min(max((h - n[0] * x) / (m * rim), -1.0), 1.0)
        return rim * rim * (math.pi / 2 + math.asin(d) + d * math.sqrt(1 - d * d))

    roots = []
    for side in (1.0, -1.0):  # where the surface leaves the rim, on the cylinder and on the caps
        roots.append((h - side * m * r) / n[0])
        depth, whole = h - n[0] * side * a, n @ n
        inside = math.sqrt(max(m * m * (r * r * whole - depth * depth), 0.0))
        roots += [side * a + (depth * n[0] + s * inside) / whole for s in (1.0, -1.0)]
    points = sorted({x for x in [*roots, -a, a] if abs(x) < a + r})
    volume = quad(area, -a - r, a + r, points=points, epsabs=1e-13, limit=400)[0]
    moment = quad(lambda x: x * area(x), -a - r, a + r, points=points, epsabs=1e-13, limit=400)[0]
    found = cut(SOLID.capsule, h, n)
    assert abs(found[1] - volume) < 1e-11
    assert abs(found[2] - moment) < 1e-11


def test_corner_of_a_box() -> None:
    """One corner under water is a tetrahedron with legs d / n_i: V = d^3 / (6 n_x n_y n_z), its centre a quarter up each."""
    n = np.array([0.5, 0.6, 0.4])
    depth = 0.08  # of the corner at (-a, -b, -c)
    a = np.array(SIZES[SOLID.box])
    found = cut(SOLID.box, depth - n @ a, n)
    volume = depth**3 / (6 * n.prod())
    assert abs(found[1] - volume) < 1e-15
    assert np.abs(found[2:5] - volume * (-a + depth / (4 * n))).max() < 1e-15
    assert abs(found[0] - volume * depth / 4) < 1e-16
