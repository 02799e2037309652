"""Compatibility of gaits with contacts along the body: Ali 2011, (6.32), (6.43), (6.48); rows D3.7, D3.8, D4.5.

Panels of 12 Gauss points differentiate these fields to 1e-10 of their size; bounds are that, or the row's own.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import locodyn as ld
from locodyn.errors import InputError
from locodyn.gaits import Connection
from locodyn.gaits.body_mobility import BodyMobility, admissible_rates


def rod_with(*fields: ld.StrainField, **modes: object):
    """A rod of 1.25 m with these fields."""
    robot = ld.Robot("body")
    robot.base("head", moves="free").rod(
        "body", length=1.25, section=ld.Circle(0.02), material=ld.silicone, fields=list(fields), **modes
    )
    return robot.description.body("body").joint.rod


def planar_wave() -> ld.StrainField:
    return ld.StrainField("wave", ld.travelling("bending_z", 10.0, wavelength=1.0))


def helix() -> ld.StrainField:
    shape = ld.travelling("bending_z", 10.0, wavelength=1.0)
    return ld.StrainField("wave", shape + ld.travelling("bending_y", 10.0, wavelength=1.0, phase=0.5 * np.pi))


@pytest.mark.parametrize("field", [planar_wave(), helix()])
def test_speed_of_travelling_waves(field: ld.StrainField) -> None:
    """V_o = sigmadot at any phase, also where K_o' = 0 (sigma = 0, -0.5), and where the norm of K is constant (D4.5); 1e-9."""
    rod = rod_with(field)
    for phase in (0.0, -0.13, -0.5):
        own = BodyMobility.of(rod, [phase], [-0.5])
        assert own.speed == pytest.approx(-0.5, abs=1e-9)
        assert own.share < 1e-9
        k = 2.0 * np.pi
        bend = 10.0 * np.cos(k * phase)
        assert own.head_twist()[5] == pytest.approx(-0.5 * bend, abs=1e-8)  # Omega_Z = V_o K_o


def test_standing_wave_fits_no_contacts() -> None:
    """A shape that swells in place misses the condition, and is told where: K = y cos(2 pi s), Kdot = cos(2 pi s)."""
    rod = rod_with(ld.StrainField("pulse", ld.standing("bending_z", 1.0, wavelength=1.0)))
    own = BodyMobility.of(rod, [3.0], [1.0])
    # Least squares by hand: V_o = int Kdot K' / int K'^2 with K' = -6 pi sin(2 pi s), over 1.25 m.
    s = (np.arange(100_000) + 0.5) * 1.25e-5
    slope, rate = -6.0 * np.pi * np.sin(2.0 * np.pi * s), np.cos(2.0 * np.pi * s)
    assert own.speed == pytest.approx((slope @ rate) / (slope @ slope), rel=1e-6)
    assert own.share > 0.9
    place, size = own.worst
    assert 0.0 <= place <= 1.25 and size > 0.9


def test_singular_shapes_are_told() -> None:
    """D3.7: constant curvature (and straight) bodies have no speed; nothing is divided by."""
    rod = rod_with(ld.StrainField("bend", ld.standing("bending_z", 1.0)))
    for bend in (0.0, 2.0):
        own = BodyMobility.of(rod, [bend], [0.3])
        assert own.is_singular
        with pytest.raises(InputError, match="singular: its curvature is constant"):
            _ = own.speed


def test_reissner_body_with_rates_of_shear() -> None:
    """D3.8, C6: with the whole law V_Y stays below 1e-9 along the body; with the printed one it reaches 6e-2."""

    def strain(s: np.ndarray) -> np.ndarray:
        result = np.zeros((len(s), 6))
        result[:, 0], result[:, 1], result[:, 5] = 1.0, 0.2 + 0.1 * s, 3.0 + np.sin(4.0 * s)
        return result

    def shear_rate(s: np.ndarray) -> np.ndarray:
        result = np.zeros((len(s), 6))
        result[:, 1] = 0.3 * np.sin(2.0 * s)
        return result

    own = BodyMobility(1.0, strain, shear_rate, panels=64)
    bending = own.fitting_bending(-0.5)[:, 2]
    assert np.abs(own.fitting_bending(-0.5)[:, :2]).max() < 1e-12
    # The printed law: V_X = V_o exp(-int K Gamma_Y), Kdot = (K' - K^2 Gamma_Y) V_X, without rates of shear.
    quiet = BodyMobility(1.0, strain, lambda s: np.zeros((len(s), 6)), panels=64)
    worst = []
    for values in (bending, quiet.fitting_bending(-0.5)[:, 2]):
        kdot = CubicSpline(own.places, values)  # between 768 places: 1e-11
        full = solve_ivp(
            lambda s, y, kdot=kdot: _twist_slope(s, y, strain, shear_rate, float(kdot(s))), (0.0, 1.0), (-0.5, 0.0, -1.5),
            rtol=1e-11, atol=1e-13, max_step=0.01,
        )  # fmt: skip
        worst.append(np.abs(full.y[1]).max())
    assert worst[0] < 1e-9
    assert worst[1] == pytest.approx(6e-2, rel=0.2)
    settled = BodyMobility(1.0, strain, lambda s: _with_bending(shear_rate(s), CubicSpline(own.places, bending)(s)), panels=64)
    assert settled.speed == pytest.approx(-0.5, abs=1e-9)
    assert settled.share < 1e-8


def _with_bending(rates: np.ndarray, bending: np.ndarray) -> np.ndarray:
    rates[:, 5] = bending
    return rates


def _twist_slope(s: float, y: np.ndarray, strain, rate, kdot: float) -> list[float]:
    """(5.12) in a plane: (V_X, V_Y, Omega)'."""
    xi, dxi = strain(np.array([s]))[0], rate(np.array([s]))[0]
    return [y[1] * xi[5] - y[2] * xi[1], y[2] * xi[0] - y[0] * xi[5] + dxi[1], kdot]


def test_bodies_in_space_with_all_rates() -> None:
    """(6.48) with shears, stretch, torsion and their rates: the generated Kdot makes V_Y, V_Z and Omega_X vanish all along, by
    an integration of (5.12) on SE(3) of its own; without them (Gammadot = 0 alone) they do not.
    """

    def strain(s: np.ndarray) -> np.ndarray:
        shear = 0.2 * np.sin(2.0 * s), 0.1 + 0.1 * s
        return np.column_stack([1.0 + 0.1 * np.sin(s), *shear, 0.5 + s, 2.0 * np.cos(3.0 * s), 3.0 + np.sin(4.0 * s)])

    def rate(s: np.ndarray) -> np.ndarray:
        return np.column_stack([0.2 * np.cos(s), 0.3 * np.sin(2.0 * s), 0.1 * np.cos(s), *np.zeros((3, len(s)))])

    worst = []
    for strains_move in (True, False):
        own = BodyMobility(1.0, strain, rate if strains_move else lambda s: np.zeros((len(s), 6)), panels=64)
        bending = CubicSpline(own.places, own.fitting_bending(-0.5))

        def slope(s: float, eta: np.ndarray, bending: CubicSpline = bending) -> np.ndarray:
            (gamma, k), at = np.split(strain(np.array([s]))[0], 2), np.array([s])
            v, w = np.split(eta, 2)  # -ad_xi eta + xidot
            return np.concatenate([np.cross(v, k) + np.cross(w, gamma) + rate(at)[0, :3], np.cross(w, k) + bending(s)])

        gamma, k, shears = strain(np.zeros(1))[0, :3], strain(np.zeros(1))[0, 3:], rate(np.zeros(1))[0]
        about = (-0.5 * k[1] + shears[2]) / gamma[0], (-0.5 * k[2] - shears[1]) / gamma[0]
        along = solve_ivp(slope, (0.0, 1.0), (-0.5, 0.0, 0.0, 0.0, *about), rtol=1e-11, atol=1e-13, max_step=0.01)
        worst.append(np.abs(along.y[1:4]).max())
    assert worst[0] < 1e-9 and worst[1] > 1e-2


def test_admissible_rates_in_space() -> None:
    """A helix and a bump of pitch that may travel, a twist in place: allowed is only that both travel alike, without twist."""
    bump = ld.StrainField("turn", ld.travelling_bump("bending_y", 2.0, centre=0.6, half_width=0.8))
    rod = rod_with(helix(), bump, ld.StrainField("twist", ld.standing("torsion", 1.0, wavelength=0.7)))
    speeds, rates = admissible_rates(rod, [0.2, 0.1, 0.0])
    assert len(speeds) == 1
    np.testing.assert_allclose(rates[0] / speeds[0], (1.0, 1.0, 0.0), atol=1e-6)


def test_admissible_rates_are_the_travelling_ones() -> None:
    """Of two fields, one travelling and one standing, one combination is allowed: the wave that travels, with V_o = sigmadot."""
    rod = rod_with(planar_wave(), ld.StrainField("pulse", ld.standing("bending_z", 1.0, wavelength=0.6)))
    speeds, rates = admissible_rates(rod, [0.2, 0.0])
    assert len(speeds) == 1
    np.testing.assert_allclose(rates[0] / speeds[0], (1.0, 0.0), atol=1e-8)
    speeds, rates = admissible_rates(rod_with(ld.StrainField("bend", ld.standing("bending_z", 1.0))), [2.0])
    assert len(speeds) == 1 and abs(speeds[0]) == pytest.approx(1.0)  # an arc glides along itself


@pytest.mark.slow
def test_connection_of_a_body_with_sleeves() -> None:
    """(6.34): eta_o = (1, 0, K_o) sigmadot, whatever the sleeves; K_o' = 0 at sigma = 0, K_o = 0 at 0.25; 100 nodes: 1e-4."""
    robot = ld.Robot("snake")
    body = robot.base("head", moves="planar").rod(
        "body", length=1.25, section=ld.Circle(0.02), material=ld.silicone, nodes=100, fields=[planar_wave()]
    )
    for n in range(4):
        body.sleeve(f"ring_{n + 1}", at=0.1 + 0.3 * n)
    connection = Connection(robot, shape=["body.wave"])
    assert connection.kind == "kinematic"
    for phase in (0.0, 0.1, 0.25):
        found = -connection.at(connection.configuration([phase]))[:, 0]
        np.testing.assert_allclose(found, (1.0, 0.0, 10.0 * np.cos(2.0 * np.pi * phase)), atol=1e-4)


@pytest.mark.slow
def test_connection_of_a_body_with_sleeves_in_space() -> None:
    """(6.50): eta_o = (1, 0, 0, 0, K_Y, K_Z) sigmadot, although the norm of K is constant; 100 nodes: 1e-4 of the curvature."""
    robot = ld.Robot("helix")
    body = robot.base("head").rod("body", length=1.25, section=ld.Circle(0.02), material=ld.silicone, nodes=100, fields=[helix()])
    for n in range(4):
        body.sleeve(f"ring_{n + 1}", at=0.1 + 0.3 * n)
    connection = Connection(robot, shape=["body.wave"])
    assert connection.kind == "kinematic"
    for phase in (0.0, 0.1, 0.25):
        turn = 2.0 * np.pi * phase
        found = -connection.at(connection.configuration([phase]))[:, 0]
        np.testing.assert_allclose(found, (1.0, 0.0, 0.0, 0.0, -10.0 * np.sin(turn), 10.0 * np.cos(turn)), atol=1e-3)
