"""Gaits along a parameter: where passive walkers begin to limp."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locodyn as ld
from locodyn.phases.gait_branch import DOUBLING, FOLD, NEIMARK_SACKER, crossed, gait_branch
from locodyn.phases.poincare import Orbit, PoincareMap


def orbit(*multipliers):
    return Orbit(np.zeros(1), np.zeros(1), None, np.array(multipliers, dtype=complex), np.eye(2), 0.0, 0)


def test_kinds_of_bifurcations():
    """One through +1, one through -1, a pair through the circle; a pair that becomes real inside it is none."""
    assert crossed(orbit(0.9, 0.2), orbit(1.1, 0.2)) == [FOLD]
    assert crossed(orbit(-0.9, 0.2), orbit(-1.1, 0.2)) == [DOUBLING]
    assert crossed(orbit(0.7 + 0.6j, 0.7 - 0.6j), orbit(0.8 + 0.7j, 0.8 - 0.7j)) == [NEIMARK_SACKER]
    assert crossed(orbit(-0.5 + 0.1j, -0.5 - 0.1j), orbit(-0.6, -0.4)) == []


@pytest.mark.slow
def test_simplest_walker_doubles_its_period():
    """Garcia et al. 1998: gaits of one step are stable up to a slope of 0.0151 rad (three digits), then the period doubles."""
    branch = gait_branch(lambda slope: ld.zoo.simplest_walker(slope=slope), 0.013, 0.016, steps=2, name="slope", unit="rad")
    assert [one.kind for one in branch.bifurcations] == [DOUBLING]
    found = branch.bifurcations[0]
    assert abs(found.value - 0.0151) < 5e-5 and abs(found.multiplier + 1.0) < 1e-7
    assert branch.gaits[0].orbit.stable and not branch.gaits[-1].orbit.stable


# Compass gait (Goswami, Thuilot, Espiau 1998): m, m_H kg; a, b, l m. Angles from the vertical, positive with the foot in front.
M, HIP, A, B, L, G = 5.0, 10.0, 0.5, 0.5, 1.0, 9.81


def compass_rates(_, y):
    """Lagrange's equations on the standing foot; y: angles of the standing and of the swing leg, then their rates."""
    s, n, u, w = y
    cross, sine = M * L * B * np.cos(s - n), M * L * B * np.sin(s - n)
    mass = np.array([[M * A**2 + (HIP + M) * L**2, -cross], [-cross, M * B**2]])
    side = [sine * w**2 + G * (M * A + (HIP + M) * L) * np.sin(s), -sine * u**2 - G * M * B * np.sin(n)]
    return [u, w, *np.linalg.solve(mass, side)]


def compass_masses(s, n):
    """Places (3, 2) of the masses of standing leg, hip, swing leg from the standing foot, and slopes (3, 2, 2) by both angles."""
    leg, other = np.array([-np.sin(s), np.cos(s)]), np.array([np.sin(n), -np.cos(n)])
    turn, swing, zero = np.array([-np.cos(s), -np.sin(s)]), np.array([np.cos(n), np.sin(n)]), np.zeros(2)
    slopes = [[A * turn, zero], [L * turn, zero], [L * turn, B * swing]]
    return np.array([A * leg, L * leg, L * leg + B * other]), np.array(slopes).transpose(0, 2, 1)


def compass_step(x, slope):
    """From (theta_s, rates) after an impact to the next one, which keeps momenta about the new foot and the hip."""
    return compass_swing([x[0], -2.0 * slope - x[0], x[1], x[2]], slope)


def compass_swing(y, slope):
    """The same from any angles and rates; StopIteration where the robot falls."""
    meets = lambda t, y: y[0] + y[1] + 2.0 * slope  # noqa: E731
    run = solve_ivp(compass_rates, (0.0, 1.5), y, "DOP853", events=meets, rtol=1e-12, atol=1e-13)
    s, n, u, w = next(end for end in run.y_events[0] if end[1] - end[0] > 0.1)
    weights = np.array([M, HIP, M])
    places, slopes = compass_masses(s, n)
    speeds = slopes @ [u, w]
    foot, hip = L * np.array([np.sin(n) - np.sin(s), np.cos(s) - np.cos(n)]), places[1]
    after = compass_masses(n, s)[1][::-1]  # the same places, seen from the new foot: new swing leg, hip, new standing leg

    def momenta(v):
        turn = lambda r, v: r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0]  # noqa: E731
        return np.array([weights @ turn(places - foot, v), M * turn(places[0] - hip, v[0])])

    matrix = np.column_stack([momenta(after @ unit) for unit in np.eye(2)])
    return np.array([n, *np.linalg.solve(matrix, momenta(speeds))])


def compass_multipliers(slope, guess):
    """Of the gait near ``guess`` on a slope (rad), by central differences; and the gait."""
    x = np.array(guess)
    for _ in range(8):
        steps = 1e-5 * np.eye(3)
        matrix = np.column_stack([(compass_step(x + h, slope) - compass_step(x - h, slope)) / 2e-5 for h in steps])
        off = compass_step(x, slope) - x
        if np.abs(off).max() < 1e-11:
            break
        x = x - np.linalg.solve(matrix - np.eye(3), off)
    return np.linalg.eigvals(matrix), x


@pytest.mark.slow
def test_compass_gait_doubles_its_period(tmp_path):
    """Goswami et al. 1998 see steps of two lengths on slopes above some 4 degrees: one multiplier passes -1 there, and only
    there; all others stay inside the circle."""
    branch = gait_branch(lambda slope: ld.zoo.compass_gait(slope=slope), 3.0, 4.6, steps=2, name="slope", unit="deg")
    assert [one.kind for one in branch.bifurcations] == [DOUBLING]
    found = branch.bifurcations[0]
    assert 4.0 < found.value < 4.6 and abs(found.multiplier + 1.0) < 1e-7
    assert branch.gaits[0].orbit.stable and not branch.gaits[-1].orbit.stable
    # Independent calculation: the equations above, integrated by DOP853, differences of its map: 1e-4 degrees.
    _, near = compass_multipliers(np.radians(4.3), compass_multipliers(np.radians(3.7), (0.2186688, -1.0923836, -0.377374))[1])
    past = lambda degrees: compass_multipliers(np.radians(degrees), near)[0].real.min() + 1.0  # noqa: E731
    assert abs(found.value - brentq(past, 4.3, 4.5, xtol=1e-6)) < 1e-4
    assert branch.plot(tmp_path / "multipliers.png").stat().st_size > 10_000


@pytest.mark.slow
def test_basin_is_that_of_the_equations_of_the_source():
    """From which of twelve random starts the robot comes back: twelve steps of the map written out above tell the same."""
    slope = np.radians(3.0)
    walk = PoincareMap(ld.zoo.compass_gait(), tolerance=1e-8, longest=3.0)
    orbit = walk.fixed_point(tolerance=1e-7)
    share, changes = walk.basin(orbit, 0.12, count=12, strides=12, seed=4, near=0.05)
    problem, back = walk.hybrid.problems[walk.phase], []
    home = -orbit.v[2:]
    for change in changes:
        q, v = problem.start_state(0.0, walk.model.move(orbit.q, change[:4]), orbit.v + change[4:])
        y = np.array([*(-q[2:] - slope), *-v[2:]])
        try:
            x = compass_swing(y, slope)
            for _ in range(11):
                x = compass_step(x, slope)
        except StopIteration:
            back.append(False)
        else:
            back.append(bool(np.abs(x[1:] - home).max() < 0.05))
    assert 0 < sum(back) < 12 and abs(share - np.mean(back)) < 1e-12
    assert walk.basin(orbit, 1e-3, count=2, strides=12)[0] == 1.0


def test_a_branch_needs_a_range():
    with pytest.raises(ld.InputError, match="different numbers"):
        gait_branch(lambda slope: ld.zoo.compass_gait(slope=slope), 3.0, 3.0)
