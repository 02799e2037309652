"""What results say of bodies without joints: twists in the axes of the body, wrenches at held ends, work across exchanges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import j1

import locodyn as ld
from locodyn.sim.quadrature import cumulative_integral


@pytest.mark.parametrize("moves, axis, component", [("prismatic", "x", 0), ("prismatic", "y", 1), ("revolute", "y", 4)])
def test_twists_are_told_in_the_axes_of_the_orientation(moves: str, axis: str, component: int) -> None:
    """A base that slides along an axis, or turns about it, has its twist along this axis, not along the z of its frame."""
    robot = ld.Robot("cart")
    robot.base("cart", moves=moves, axis=axis, mass=2.0, inertia=ld.about_centre(xx=1.0, yy=1.0, zz=1.0))
    run = ld.simulate(robot, start=ld.Start({}, {"cart": 0.7}), gravity=(0, 0, 0), t_end=0.1, dt=0.05, progress=False)
    np.testing.assert_allclose(run.twist.values, np.tile(0.7 * np.eye(6)[component], (3, 1)), atol=1e-15)
    with pytest.raises(ld.errors.InputError, match="'cart' has no exchange of contacts along rods"):
        run.at_exchanges()


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


@pytest.mark.slow
def test_both_sides_of_an_exchange() -> None:
    """D2.4, F = m (g -+ d'' / 2) with d'' = l J1(alpha) 2 alpha w^2 where the arch is highest: 6.96398 N before the tail takes
    over and 12.65602 N after it; the whole sum is that of the mean, 2 m g.

    At the next exchange the body is straight, d'' = 0, and both sides are m g. What is left is the error of 160 slices in the
    forces, 1e-7. The record itself is the side after. The force on the grip is the wrench inside the body on either side.
    """
    run = ld.zoo.make("inchworm", {}).changed(t_end=2.5, checks=()).run(progress=False)
    both = run.at_exchanges()
    assert both.time.values.tolist() == [1.0, 2.0] and both.side.values.tolist() == ["before", "after"]
    swing = j1(2.0) * 2.0 * 2.0 * (0.5 * np.pi) ** 2
    force = both.contact_force.values[..., 1]  # (side, time, contact): head_grip, tail_grip
    closed = [[[9.81 - 0.5 * swing, 0.0], [0.0, 9.81]], [[0.0, 9.81 + 0.5 * swing], [9.81, 0.0]]]
    np.testing.assert_allclose(force, closed, atol=1e-6)
    np.testing.assert_allclose(force[:, 0].sum(axis=1), (6.96398, 12.65602), atol=1e-5)  # as printed in the acceptance table
    records = run.dataset.sel(time=both.time)
    np.testing.assert_allclose(records.contact_force.values, both.contact_force.sel(side="after").values, atol=1e-6)
    assert np.abs(both.rod_wrench.values[0, 0, 0, -1, :3]).max() < 1e-6 < np.abs(both.rod_wrench.values[1, 0, 0, -1, :3]).max()


@pytest.mark.slow
def test_an_impact_has_no_side_before_it() -> None:
    """A post strikes a bar at 12 ms: the velocities before it are not recorded, and the time of the impact is told."""
    robot = ld.Robot("bar")
    rod = robot.base("head", moves="planar").rod(
        "body", length=1.0, section=ld.Circle(0.02), material=ld.Material(young=1e6, density=1000.0), stretch=1, nodes=12
    )
    rod.peg("post", at=1.0, during=(0.012, 5.0))
    start = ld.Start({}, {"head.vy": 1.0})
    run = ld.simulate(robot, start=start, gravity=(0, 0, 0), t_end=0.02, dt=0.001, integrator="rkmk4", progress=False)
    both = run.at_exchanges()
    assert both.sizes["time"] == 0
    np.testing.assert_allclose(both.attrs["impacts"], [0.012], atol=1e-12)


def test_integrals_with_kinks() -> None:
    """|t - 1| from 0 to 2 by pieces is exact; across the kink a spline is off by the square of the step."""
    t = np.linspace(0.0, 2.0, 41)
    wanted = np.where(t < 1.0, t - 0.5 * t**2, 0.5 + 0.5 * (t - 1.0) ** 2)
    np.testing.assert_allclose(cumulative_integral(t, np.abs(t - 1.0), [1.0]), wanted, atol=1e-14)
    assert np.abs(cumulative_integral(t, np.abs(t - 1.0)) - wanted).max() > 1e-5
    np.testing.assert_allclose(cumulative_integral(t, t**5, [0.05, 1.95, 2.0, 3.0]), t**6 / 6.0, atol=5e-3)  # short pieces
    assert cumulative_integral(t[:1], t[:1]).tolist() == [0.0]
