"""Stability along a parameter: boundaries against closed forms and the published speeds of the benchmark bicycle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from locodyn.errors import InputError
from locodyn.linearisation import Linearisation, eigenvalue_sweep, linearise
from locodyn.view.eigenvalues import eigenvalue_figure, plot_eigenvalues
from locodyn.zoo.registry import make

pytestmark = pytest.mark.slow

# Meijaard, Papadopoulos, Ruina, Schwab 2007: M qdd + v C1 qd + (g K0 + v^2 K2) q = 0, q = (lean, steer).
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


def of_matrices(a: np.ndarray, mass: np.ndarray, names: tuple[str, ...]) -> Linearisation:
    n, none = len(a), np.zeros(0)
    rates = tuple(f"rate of {name}" for name in names)
    parts = np.zeros((n, 0)), np.zeros((0, n)), np.zeros((0, 0)), mass, names, rates, (), (), np.zeros((n, 0))
    return Linearisation(a, *parts, 0.0, 0.0, 0.0, none, none)


def bicycle(speed: float) -> Linearisation:
    lower = np.linalg.solve(M, np.hstack([9.81 * K0 + speed**2 * K2, speed * C1]))
    return of_matrices(np.vstack([np.eye(2, 4, 2), -lower]), M, ("lean", "steer"))


def test_weave_and_capsize() -> None:
    found = eigenvalue_sweep(bicycle, np.linspace(0.0, 10.0, 51), "speed", "m/s")
    weave, capsize = found.boundaries
    assert weave.value == pytest.approx(4.292382536341, abs=1e-11) and weave.kind == "oscillatory" and weave.unstable == "below"
    assert weave.eigenvalue.imag == pytest.approx(3.435033848661, abs=1e-11)
    assert (
        capsize.value == pytest.approx(6.024262015388, abs=1e-11) and capsize.kind == "monotone" and capsize.unstable == "above"
    )
    assert found.stable == ((weave.value, capsize.value),)
    # Published eigenvalues at 5 m/s, and branches that never jump: 0.2 m/s changes none by more than 0.6 1/s past the first m/s.
    at = found.eigenvalues[25]
    for wanted in (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822):
        assert np.abs(at - wanted).min() < 1e-11
    assert np.abs(np.diff(found.eigenvalues[5:], axis=0)).max() < 0.6
    np.testing.assert_allclose(bicycle(3.0).second_order()[1], 3.0 * C1, atol=1e-12)


def test_a_mode_that_stays_neutral_beside() -> None:
    """A change of speed is neutral at every speed; the capsize speed is found all the same, and as well."""

    def with_speed(speed: float) -> Linearisation:
        whole = np.zeros((5, 5))
        whole[:4, :4] = bicycle(speed).A
        whole[3, 4] = 0.3
        return of_matrices(whole, np.eye(3), ("lean", "steer"))

    found = eigenvalue_sweep(with_speed, np.linspace(3.0, 8.0, 11))
    np.testing.assert_allclose([b.value for b in found.boundaries], [4.292382536341, 6.024262015388], atol=1e-11)


def test_sleeping_top() -> None:
    """Neutral on one side, so the real part has no sign there: the boundary is w^2 = 4 m g l I1 / I3^2 all the same."""
    wanted = math.sqrt(4 * 15 * 9.81 * (0.234375 + 15.0)) / 0.46875
    found = eigenvalue_sweep(
        lambda w: linearise(make("heavy_top", {"q_0": (1.0, 0, 0, 0), "Omega": (0, 0, w)})).reduced(), [190.0, 200.0, 210.0]
    )
    (boundary,) = found.boundaries
    assert boundary.value == pytest.approx(wanted, rel=1e-9) and boundary.kind == "oscillatory" and boundary.unstable == "below"


@pytest.mark.parametrize("grid", [(-1.0, -0.5, 0.0, 0.5, 1.0), (-1.0, -0.2, 1.0), (-1.0, -0.5, 1e-9, 1.0)])
def test_a_crossing_on_the_grid_or_between(grid: tuple[float, ...]) -> None:
    found = eigenvalue_sweep(lambda u: of_matrices(np.diag([-2.0 * u, 0.0]), np.eye(1), ("x",)), grid)
    (boundary,) = found.boundaries
    assert abs(boundary.value) < 1e-9 and boundary.kind == "monotone" and boundary.unstable == "below"
    assert found.stable == ((pytest.approx(0.0, abs=1e-9), 1.0),)


def test_pictures(tmp_path) -> None:
    found = eigenvalue_sweep(bicycle, np.linspace(0.0, 10.0, 21), "speed", "m/s")
    left, right = eigenvalue_figure(found).axes[:2]
    assert (
        left.get_xlabel() == "speed (m/s)" and left.get_ylabel() == "eigenvalue (1/s)" and right.get_xlabel() == "real part (1/s)"
    )
    assert plot_eigenvalues(found, tmp_path / "a.svg").read_text().startswith("<?xml")
    with pytest.raises(InputError, match="must end in"):
        plot_eigenvalues(found, tmp_path / "a.txt")


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0], [0.0, math.nan], [2.0, 1.0]])
def test_bad_values(values: list[float]) -> None:
    with pytest.raises(InputError, match="at least two finite numbers"):
        eigenvalue_sweep(bicycle, values)


def test_number_of_states_must_stay() -> None:
    with pytest.raises(InputError, match="number of states changes along the sweep, from 1 to 2"):
        eigenvalue_sweep(lambda x: of_matrices(np.eye(1 + int(x)), np.eye(1), ("x",)), [0.0, 1.0])
