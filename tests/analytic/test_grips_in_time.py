"""Grips of a body that come and go: the same climb at any step and by any method, strides and reactions of the inchworm.

The inchworm is that of Ali 2011, 6.2; rows D2.1, D2.2, D2.5 and D2.6 of the acceptance table.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import j0

import locodyn as ld
from body_cases import inchworm

pytestmark = pytest.mark.slow


HANGING = {"head": (0.0, 0.0, -0.5 * np.pi)}


def climb(dt: float, t_end: float, nodes: int = 60, integrator: str = "rkmk4", alpha: float = 2.0) -> ld.Result:
    """The inchworm of C2, its grips changing at every full second."""
    robot, imposed = inchworm(alpha, nodes)
    return ld.simulate(
        robot,
        imposed=imposed,
        t_end=t_end,
        dt=dt,
        integrator=integrator,
        gravity=(0.0, -9.81, 0.0),
        progress=False,
        start=HANGING,
    )


@pytest.mark.parametrize(
    "integrator, dt",
    [("rkmk4", 0.04), ("rkmk4", 0.03), ("radau3", 0.02), ("radau3", 0.03), ("adams", 0.02), ("adams", 0.03), ("adaptive", 0.1)],
)
def test_steps_end_where_contacts_change(integrator: str, dt: float) -> None:
    """Whether steps divide the second or not, and by either method: the same climb as with steps of 10 ms.

    Grips keep the place where they took hold, so that strides do not add up errors of the steps: at the end of a whole number of
    grips the height is that of the slices. What is left is the error within the stride that goes on, 1e-8 at 40 ms.
    """
    t_end = 3.9 if dt == 0.03 else 4.0
    fine, coarse = climb(0.01, t_end), climb(dt, t_end, integrator=integrator)
    assert coarse.status == "completed"
    np.testing.assert_allclose(coarse.position.values[-1], fine.position.values[-1], atol=2e-8)
    assert np.abs(coarse.constraint_residual.values).max() < 1e-12


def test_adaptive_steps_end_at_the_switches() -> None:
    """The adaptive method knows when grips change and needs not find out by rejected steps: 746 evaluations for three changes of
    grip, 1826 if it has to."""
    assert climb(0.1, 4.0, integrator="adaptive").attributes["evaluations"] < 1000


@pytest.mark.parametrize("alpha, stride", [(2.0, 0.776109), (1.8, 0.660014)])
def test_strides_of_the_inchworm(alpha: float, stride: float) -> None:
    """D2.1, D2.6: strides l (1 - J0(alpha)) to 1e-6, at large steps; D2.2: the head rests while it holds on, both ends stay on
    the wall and the speed is zero at the switches, to 1e-8 (240 slices: 5e-9).
    """
    result = climb(0.05, 5.0, nodes=240, alpha=alpha)
    t, y = result.time.values, result.position.values[:, 1]
    assert 1.0 - j0(alpha) == pytest.approx(stride, abs=1e-6)
    assert y[-1] == pytest.approx(2.0 * (1.0 - j0(alpha)), abs=1e-7)
    assert np.abs(result.rod_position.values[:, 0, [0, -1], 0]).max() < 1e-8
    assert np.abs(result.twist.values[t % 2.0 < 1.0 - 1e-9]).max() < 1e-8
    assert np.abs(result.twist.values[np.isclose(t % 1.0, 0.0) | np.isclose(t % 1.0, 1.0)]).max() < 1e-8


def test_reactions_of_the_inchworm() -> None:
    """D2.5: the free end carries nothing, and the grip gives m (a_G + g), a_G by differences of the mass centre; 1e-6.

    Differences of order 4 with 2.5 ms: h^4 / 90 times the sixth derivative of the mass centre, 1e-8.
    """
    h = 0.0025
    result = climb(h, 1.5, nodes=120)
    centre, force = result.mass_centre.values, np.nansum(result.contact_force.values, axis=1)
    rate = (16.0 * (centre[3:-1] + centre[1:-3]) - centre[4:] - centre[:-4] - 30.0 * centre[2:-2]) / (12.0 * h * h)
    wanted = rate + np.array((0.0, 9.81, 0.0))
    steady = np.abs(np.arange(2, len(centre) - 2) - round(1.0 / h)) > 2  # not across the switch
    np.testing.assert_allclose(force[2:-2][steady], wanted[steady], atol=1e-6)
    wrench, held = result.rod_wrench.values[:, 0], result.time.values < 1.0 - 1e-9
    assert np.abs(wrench[held, -1]).max() < 1e-6 and np.abs(wrench[~held, 0]).max() < 1e-6
