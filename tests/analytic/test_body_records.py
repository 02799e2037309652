"""What results say of bodies without joints: twists in the axes of the body, wrenches at held ends, work across exchanges."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.sim.quadrature import cumulative_integral


@pytest.mark.parametrize("moves, axis, component", [("prismatic", "x", 0), ("prismatic", "y", 1), ("revolute", "y", 4)])
def test_twists_are_told_in_the_axes_of_the_orientation(moves: str, axis: str, component: int) -> None:
    """A base that slides along an axis, or turns about it, has its twist along this axis, not along the z of its frame."""
    robot = ld.Robot("cart")
    robot.base("cart", moves=moves, axis=axis, mass=2.0, inertia=ld.about_centre(xx=1.0, yy=1.0, zz=1.0))
    run = ld.simulate(robot, start=ld.Start({}, {"cart": 0.7}), gravity=(0, 0, 0), t_end=0.1, dt=0.05, progress=False)
    np.testing.assert_allclose(run.twist.values, np.tile(0.7 * np.eye(6)[component], (3, 1)), atol=1e-15)


@pytest.mark.slow
def test_an_inchworm_across_its_exchange() -> None:
    """Lambda(0) = -F_- while the head holds on, in its axes (Ali 2011, (5.21)); energy closes across the exchange.

    Power has a kink where the grips change. A spline across it errs by the square of the step times the change of its slope,
    35 W/s here, 1e-4 J; in two pieces, of order 6, what is left is the error of 60 slices in the forces, 1e-7.
    """
    run = ld.zoo.make("inchworm", {}).changed(t_end=1.5, checks=()).run(progress=False)
    held = run.time.values < 1.0 - 1e-9
    head, tail = run.contact_force.values[held, 0], run.contact_force.values[~held, 1]
    inside = run.rod_wrench.values[held, 0, 0, :3]
    np.testing.assert_allclose(np.linalg.norm(inside, axis=1), np.linalg.norm(head, axis=1), atol=1e-9)
    assert np.abs(np.einsum("ni,ni->n", head, [(0.0, 1.0, 0.0)]) - inside[:, 0]).max() < 1e-9  # it hangs: pulled down, held up
    assert np.abs(np.linalg.norm(run.rod_wrench.values[~held, 0, -1, :3], axis=1) - np.linalg.norm(tail, axis=1)).max() < 1e-9
    total = run.total_energy().values
    assert np.abs(total - total[0] - run.energy_supplied().values).max() < 1e-6


def test_integrals_with_kinks() -> None:
    """|t - 1| from 0 to 2 by pieces is exact; across the kink a spline is off by the square of the step."""
    t = np.linspace(0.0, 2.0, 41)
    wanted = np.where(t < 1.0, t - 0.5 * t**2, 0.5 + 0.5 * (t - 1.0) ** 2)
    np.testing.assert_allclose(cumulative_integral(t, np.abs(t - 1.0), [1.0]), wanted, atol=1e-14)
    assert np.abs(cumulative_integral(t, np.abs(t - 1.0)) - wanted).max() > 1e-5
    np.testing.assert_allclose(cumulative_integral(t, t**5, [0.05, 1.95, 2.0, 3.0]), t**6 / 6.0, atol=5e-3)  # short pieces
    assert cumulative_integral(t[:1], t[:1]).tolist() == [0.0]
