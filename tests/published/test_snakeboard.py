"""Snakeboard (Ali 2011, section 4.2): Ali's closed forms and gaits, and the slips of the printed equations.

End poses, torques (4.20), side slip and power balance of all gaits are checks of the zoo; here is what they leave out.
"""

import functools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import j1

import locodyn as ld
from locodyn.zoo import measures
from peers import Recursion

pytestmark = pytest.mark.slow

L, M, I_R, I_W, A_PHI, A_PSI, W = 0.2, 4.0, 0.04, 0.002, 0.4, 0.8, 2.0
ML2 = M * L**2


@functools.cache
def run(cycles=None, **parameters):
    """Ten seconds, or whole cycles of pi seconds with 400 steps each."""
    scenario = ld.zoo.snakeboard(**parameters)
    if cycles:
        scenario = scenario.changed(t_end=cycles * math.pi, dt=math.pi / 400)
    return scenario.run(progress=False)


def angles(result):
    """phi, its rate and acceleration, acceleration of psi."""
    kinds = (result.joint_position, result.joint_velocity, result.joint_acceleration)
    return *(x.sel(joint="joint_3").values for x in kinds), result.joint_acceleration.sel(joint="joint_1").values


def free_speed(result):
    """xi and its rate, from eta_0 = (-2 l cos^2 phi, 0, sin 2 phi) xi (4.12), first entry."""
    phi, rate, _, _ = angles(result)
    xi = -result.twist.values[:, 0] / (2 * L * np.cos(phi) ** 2)
    return xi, -result.acceleration.values[:, 0] / (2 * L * np.cos(phi) ** 2) + 2 * np.tan(phi) * rate * xi


@pytest.mark.parametrize("gait", ["drive", "rotate", "park"])
@pytest.mark.parametrize("inertia", ["A", "B"])
def test_twist_lies_in_the_admissible_direction(gait, inertia):
    """(4.12); V_y = 0 to 1e-10 is the tolerance asked for."""
    result = run(gait=gait, inertia=inertia)
    phi = angles(result)[0]
    xi, _ = free_speed(result)
    assert np.abs(result.twist.values[:, 1]).max() < 1e-10
    assert np.abs(result.twist.values[:, 5] - np.sin(2 * phi) * xi).max() < 1e-10
    assert (result.constraint_rank.values == 2).all()


def test_equation_4_17_in_set_a():
    """xidot = tan phi (-(I_r / 2 m l^2) psiddot + phidot xi), to round-off (measured 1e-16; terms of size 0.3)."""
    result = run()
    phi, rate, _, psi = angles(result)
    xi, xidot = free_speed(result)
    assert np.abs(xidot - np.tan(phi) * (rate * xi - I_R / (2 * ML2) * psi)).max() < 1e-12


@pytest.mark.parametrize("board, holds", [(0.076, True), (0.116, False), (0.030, False)])
def test_the_inertia_assumption_needs_the_mass_of_the_axles(board, holds):
    """Printed: I_o + I_r + 2 I_w = m l^2 (board 0.116); (4.14) and (4.17) hold only with 2 m_w l^2 added (board 0.076)."""
    result = run(I_oA=board)
    phi, rate, _, psi = angles(result)
    xi, xidot = free_speed(result)
    assert (np.abs(xidot - np.tan(phi) * (rate * xi - I_R / (2 * ML2) * psi)).max() < 1e-12) == holds
    locked = result.model.composite_inertia(result.q[100])
    assert (np.abs(np.diag(locked)[[0, 1, 5]] - (M, M, ML2)).max() < 1e-14) == holds


def test_reduced_inertia_4_15():
    """M_rf = H_f^T M0 H_f = 4 m l^2 cos^2 phi."""
    result = run()
    phi = angles(result)[0]
    for k in range(0, 1001, 100):
        c, s = math.cos(phi[k]), math.sin(2 * phi[k])
        free = np.array([-2 * L * c**2, 0, 0, 0, 0, s])
        assert free @ result.model.composite_inertia(result.q[k]) @ free == pytest.approx(4 * ML2 * c**2, rel=1e-13)


def test_the_third_entry_of_the_composite_wrench_is_negative():
    """F_in,o = (0, 0, -I_r psiddot); L1751 prints +I_r psiddot, although (4.16) uses the negative one."""
    result = run()
    recursion = Recursion(result.model)
    psi = angles(result)[3]
    for k in (30, 50, 420):
        a = np.concatenate([np.zeros(3), result.joint_acceleration.values[k]])
        v = np.concatenate([np.zeros(3), result.v[k][3:]])
        _, wrench = recursion.composite(result.q[k], v, a)
        assert wrench[5] == pytest.approx(-I_R * psi[k], rel=1e-12)
        assert abs(wrench[5] - I_R * psi[k]) > abs(psi[k]) * I_R


def test_xi_equals_its_quadrature():
    """xi cos phi = -(I_r / 2 m l^2) int sin phi psiddot dt, to 1e-9 (the tolerance asked for)."""
    result = run()
    phi = angles(result)[0]
    xi, _ = free_speed(result)

    def growth(t):
        return I_R / (2 * ML2) * A_PSI * W**2 * math.sin(A_PHI * math.sin(W * t)) * math.sin(W * t)

    for k in range(100, 1001, 100):
        wanted, _ = quad(growth, 0.0, result.time.values[k], epsabs=1e-13, limit=200)
        assert xi[k] * math.cos(phi[k]) == pytest.approx(wanted, abs=1e-9)


def test_growth_of_xi_per_cycle_in_closed_form():
    """(I_r / 2 m l^2) a_psi w^2 J_1(a_phi) = 0.07841 / s^2; the error of rkmk4 at 400 steps a cycle is below 1e-9."""
    result = run(cycles=3)
    phi = angles(result)[0]
    product = free_speed(result)[0] * np.cos(phi)
    closed = I_R / (2 * ML2) * A_PSI * W**2 * j1(A_PHI)
    assert closed == pytest.approx(0.07841, abs=5e-6)
    for k in range(3):
        assert (product[400 * (k + 1)] - product[400 * k]) / math.pi == pytest.approx(closed, abs=1e-9)


def test_rotate_turns_on_the_spot():
    """Each cycle turns by 0.19402 +/- 1e-4 rad and moves by less than 6 mm."""
    steps = np.diff(measures.planar_poses(run(cycles=3, gait="rotate"))[::400], axis=0)
    assert steps[:, 2] == pytest.approx([0.19402] * 3, abs=1e-4)
    assert np.hypot(steps[:, 0], steps[:, 1]).max() < 0.006


def test_park_steps_sideways():
    """Each cycle: dy = -0.014770 +/- 1e-5 m; dx and dtheta vanish to 1e-8."""
    steps = np.diff(measures.planar_poses(run(cycles=3, gait="park"))[::400], axis=0)
    assert steps[:, 1] == pytest.approx([-0.014770] * 3, abs=1e-5)
    assert np.abs(steps[:, [0, 2]]).max() < 1e-8


def test_steering_torques_differ_by_the_inertia_of_the_axles():
    """tau_phi = tau_3 - tau_2 = 2 I_w phiddot to 1e-12, for any inertia of the board."""
    for inertia in ("A", "B"):
        result = run(inertia=inertia)
        torque = result.joint_torque.sel(joint="joint_3") - result.joint_torque.sel(joint="joint_2")
        assert np.abs(torque.values - 2 * I_W * angles(result)[2]).max() < 1e-12


def test_projective_torques_are_exact_here():
    """Joints through the axles of leaf bodies: all torques of the snakeboard are exact (spec B7)."""
    exact = run()
    projective = exact.scenario.changed(torque_method="projective").run(progress=False)
    assert np.abs(projective.joint_torque.values - exact.joint_torque.values).max() < 1e-14


def test_steering_alone_does_not_move_the_board():
    """B = 0: from rest, with the rotor still, steering leaves the board where it is."""
    result = run(a_psi=0.0)
    assert np.abs(measures.planar_poses(result)).max() < 1e-14


def test_recorded_energies_close_the_power_balance():
    """The rate of recorded energies, apart from any acceleration: 4e-10 of the largest power is round-off of T over 0.01 s."""
    assert measures.power_defect(run()) < 5e-9
