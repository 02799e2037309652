"""The bicycle made linear against the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007).

q = (lean, steer), both positive to the right: M qdd + v C1 qd + (g K0 + v^2 K2) q = f. The published numbers are printed with
14 decimals; the linearisation is by differences of order 8 of the nonlinear, constrained model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from locodyn.linearisation import eigenvalue_sweep, linearise
from locodyn.linearisation.linearisation import Linearisation
from locodyn.zoo import registry

pytestmark = pytest.mark.slow

G = 9.81
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
WEAVE, CAPSIZE, WEAVE_FREQUENCY = 4.292382536341, 6.024262015388, 3.435033848661
# speed: weave (real, imaginary part), capsize, castering
TABLE = {
    1: (3.52696170990070, 0.80774027519930, -3.13423125066578, -7.11008014637442),
    2: (2.68234517512745, 1.68066296590675, -3.07158645641514, -8.67387984831735),
    3: (1.70675605663975, 2.31582447384325, -2.63366137253667, -10.35101467245920),
    4: (0.41325331521125, 3.07910818603206, -1.42944427361326, -12.15861426576447),
    5: (-0.77534188219585, 4.46486771378823, -0.32286642900409, -14.07838969279822),
    6: (-1.52644486584142, 5.87673060598709, -0.00406690076970, -16.08537123098026),
    7: (-2.13875644258362, 7.19525913329805, 0.10268170574766, -18.15788466125262),
    8: (-2.69348683581097, 8.46037971396931, 0.14327879765713, -20.27940894394569),
    9: (-3.21675402252485, 9.69377351531791, 0.15790184030917, -22.43788559040858),
    10: (-3.72016840437287, 10.90681139476287, 0.16105338653172, -24.62459635017404),
}


def linear(speed: float, **parameters: Any) -> Linearisation:
    """The bicycle rolling upright and straight."""
    name = parameters.pop("name", "bicycle")
    scenario = registry.make(name, {"speed" if name == "bicycle" else "v": 1.0, "lean_rate": 0.0, **parameters})
    q, v = scenario.initial_state()
    return linearise(scenario, q, speed * v, coordinates={"lean": "frame.wx", "steer": {"steer": -1}})


def own(speed: float, **parameters: Any) -> Linearisation:
    """Lean and steer, which are a system of their own."""
    return linear(speed, **parameters).subsystem(("lean", "steer"))


@pytest.mark.parametrize("name", ["bicycle", "benchmark_bicycle"])
def test_matrices_of_the_benchmark(name: str) -> None:
    """From two speeds; measured: M and C1 1e-14, K0 1.4e-12, K2 7e-13."""
    (m, c, k), (_, c_fast, k_fast) = (linear(v, name=name).second_order(("lean", "steer")) for v in (2.0, 6.0))
    k2 = (k_fast - k) / (6.0**2 - 2.0**2)
    k0 = (k - 2.0**2 * k2) / G
    for found, published in ((m, M), (c / 2.0, C1), (c_fast / 6.0, C1), (k0, K0), (k2, K2)):
        assert np.abs(found - published).max() < 1e-10


@pytest.mark.parametrize("speed", TABLE)
def test_eigenvalues_of_the_benchmark(speed: int) -> None:
    real, imaginary, capsize, castering = TABLE[speed]
    expected = np.sort_complex([complex(real, imaginary), complex(real, -imaginary), capsize, castering])
    np.testing.assert_allclose(np.sort_complex(own(speed).eigenvalues), expected, rtol=0.0, atol=1e-9)


def test_standing_bicycle_falls_with_real_eigenvalues() -> None:
    expected = [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393]
    np.testing.assert_allclose(np.sort_complex(own(0.0).eigenvalues), expected, atol=1e-9)


def test_weave_and_capsize_speeds() -> None:
    """Self-stable between the two."""
    sweep = eigenvalue_sweep(own, np.arange(1.0, 10.01, 0.5), "speed", "m/s")
    found = sorted(boundary.value for boundary in sweep.boundaries)
    np.testing.assert_allclose(found, [WEAVE, CAPSIZE], rtol=0.0, atol=1e-9)
    weave = own(WEAVE).eigenvalues
    assert np.abs(weave.imag).max() == pytest.approx(WEAVE_FREQUENCY, abs=1e-9)


def test_printed_fork_moves_the_speeds() -> None:
    """(x_1, z_1) as printed by Mauny et al. 2017: weave +0.0037, capsize +0.0145 m/s."""
    sweep = eigenvalue_sweep(lambda v: own(v, variant="as_printed"), np.arange(4.0, 6.6, 0.5), "speed", "m/s")
    shifts = np.sort([boundary.value for boundary in sweep.boundaries]) - [WEAVE, CAPSIZE]
    np.testing.assert_allclose(shifts, [0.0037, 0.0145], atol=5e-4)


def test_the_printed_rate_of_a_2_would_be_seen() -> None:
    """With sin(th) in place of cos(th) in a2dot (Mauny et al. 2017, L231) the contact angle has another rate.

    The formulas of Mauny et al. against the point of the library, at a leaned, pitched and steered state with steering rate.
    """
    scenario = registry.make("bicycle")
    q, _ = scenario.initial_state()
    names = scenario.compiled.coordinate_names
    v = np.zeros(scenario.compiled.nv)
    v[names.index("steer")] = 0.7
    q = scenario.model.move(q, np.where([n in ("frame.wx", "frame.wy", "steer") for n in names], 0.25, 0.0))

    def psi(t: float) -> float:
        r = scenario.model.pose("fork", scenario.model.move(q, t * v))[0]
        return float(np.arctan2(r[2, 0], r[2, 2]))

    h = 1e-4
    measured = (psi(h) - psi(-h)) / (2 * h)
    th, r1, rate = np.pi / 10, q[scenario.compiled.position_names.index("steer")], 0.7
    r = scenario.model.pose("frame", q)[0]
    r11, r12, r13 = r[2, 2], r[2, 0], r[2, 1]  # heights of up, forward, left
    a2 = np.cos(r1) * (r11 * np.sin(th) + r12 * np.cos(th)) + r13 * np.sin(r1)
    b2 = r11 * np.cos(th) - r12 * np.sin(th)

    def psi_rate(printed: bool) -> float:
        slip = np.sin(th) if printed else np.cos(th)
        a2dot = -rate * np.sin(r1) * (r11 * np.sin(th) + r12 * slip) + rate * r13 * np.cos(r1)
        return float(a2dot * b2 / (a2 * a2 + b2 * b2))

    assert psi_rate(printed=False) == pytest.approx(measured, abs=1e-7)
    assert abs(psi_rate(printed=True) - measured) > 1e-4
