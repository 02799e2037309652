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


def struck_bar(begins: float) -> ld.Robot:
    """A bar of 1 m in a plane, and a post that is at its tail from a time on."""
    robot = ld.Robot("bar")
    rod = robot.base("head", moves="planar").rod(
        "body", length=1.0, section=ld.Circle(0.02), material=ld.Material(young=1e6, density=1000.0), stretch=1, nodes=12
    )
    rod.peg("post", at=1.0, during=(begins, 5.0))
    return robot


@pytest.mark.parametrize(
    "integrator, begins, tolerance",
    [("rkmk4", 0.0123, 1e-12), ("adams", 0.0123, 1e-12), ("adaptive", 0.013, 1e-12), ("radau3", 0.0123, 1e-9),
     ("generalized_alpha", 0.0123, 1e-6), ("moreau", 0.0123, 1e-6), ("moreau", 0.0127, 1e-6)],
)  # fmt: skip
def test_a_post_that_comes_is_a_plastic_impact(integrator: str, begins: float, tolerance: float) -> None:
    """A bar that moves sideways at 1 m/s is struck at its tail: M (v+ - v-) = J^T L with L = 1 / (1/m + (l/2)^2 / J), so that
    its head goes on at L l^2 / 4 / J = 1.5 m/s and T falls to 1 - L / m = 0.75 of what it was. The loss is booked.

    At the instant this is exact. The record after it, up to 0.7 ms later, has the error of the method: the bar then stretches
    at 60 rad/s under 2 N, which implicit methods of order 5 and 2 follow to (60 x 0.7e-3)^p of a stored 1e-5 J at most.
    """
    scenario = ld.Scenario(
        "bar", struck_bar(begins), start=ld.Start({}, {"head.vy": 1.0}), gravity=(0, 0, 0), t_end=0.02, dt=0.001,
        integrator=integrator,
    )  # fmt: skip
    result = scenario.run(progress=False)
    mass = np.pi * 0.02**2 * 1000.0
    inertia = mass / 12.0 + 0.25 * mass * 0.02**2
    share = 1.0 / (1.0 + 0.25 * mass / inertia)
    energy = (result.kinetic_energy.values + result.potential_energy.values) / (0.5 * mass)
    lost = result.impact_loss.values / (0.5 * mass)
    np.testing.assert_allclose(energy[:13], 1.0, rtol=1e-12)
    np.testing.assert_allclose(energy[13:], 1.0 - share, rtol=0.0, atol=max(tolerance, 1e-9))
    np.testing.assert_allclose(lost, np.where(np.arange(21) > 12, share, 0.0), rtol=0.0, atol=tolerance)
    assert abs(result.attributes["energy_defect"]) < 1e-6 * mass
