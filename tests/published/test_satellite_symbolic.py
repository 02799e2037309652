"""Satellite with three rotors: the equations (4.4) and (4.6) of Ali (2011) come out of the kernels exactly."""

import numpy as np
import pytest

sympy = pytest.importorskip("sympy")

import locodyn as ld  # noqa: E402
from locodyn.symbolic import SymbolicModel, symbols, to_sympy  # noqa: E402

pytestmark = pytest.mark.slow


def satellite():
    """Platform turning about O_o, rotors at d e_j about axis j, axisymmetric: everything symbolic."""
    made = symbols("m_o m d I_w I_t I_x I_y I_z s_x s_y s_z")
    m_o, m, d, spin, across = made[:5]
    platform, centre = made[5:8], made[8:]
    robot = ld.Robot("satellite")
    base = robot.base(
        "platform",
        mass=m_o,
        centre=centre,
        inertia=ld.about_origin(xx=platform[0], yy=platform[1], zz=platform[2]),
        moves="spherical",
    )
    for j, axis in enumerate("xyz"):
        moments = [across] * 3
        moments[j] = spin
        at = [0, 0, 0]
        at[j] = d
        inertia = ld.about_centre(xx=moments[0], yy=moments[1], zz=moments[2])
        robot.body(f"rotor_{j + 1}", mass=m, inertia=inertia).on(base, at=at).turning(axis)
    # I_lock = I_o + sum (I_j + m_j hatP^T hatP)
    m, d, spin, across, *platform = to_sympy(made[1:8])
    locked = [platform[k] + spin + 2 * across + 2 * m * d**2 for k in range(3)]
    return robot, locked, spin


def test_the_kernels_give_equations_4_4_and_4_6_exactly():
    robot, locked, spin = satellite()
    model = SymbolicModel(robot, gravity=(0, 0, 0))
    v, a = to_sympy(model.v), to_sympy(model.a)
    omega, rates = sympy.Matrix(v[:3]), sympy.Matrix(v[3:])
    turn, spin_up = sympy.Matrix(a[:3]), sympy.Matrix(a[3:])
    lock = sympy.diag(*locked)
    tau = to_sympy(model.inverse_dynamics())
    # (4.4): I_lock Omdot = -I_r rddot - Om x (I_lock Om + I_r rdot): the moment that a free platform would need is zero.
    moment = lock * turn + spin * spin_up + omega.cross(lock * omega + spin * rates)
    assert [sympy.expand(sympy.simplify(tau[k] - moment[k])) for k in range(3)] == [0, 0, 0]
    # (4.6): tau = I_r (Omdot + rddot)
    wanted = spin * (turn + spin_up)
    assert [sympy.expand(sympy.simplify(tau[3 + k] - wanted[k])) for k in range(3)] == [0, 0, 0]


def test_forward_dynamics_of_the_satellite_inverts_4_4_exactly():
    robot, _, _ = satellite()
    model = SymbolicModel(robot, gravity=(0, 0, 0))
    matrix = sympy.Matrix(to_sympy(model.mass_matrix()))
    bias = sympy.Matrix(to_sympy(model.bias()))
    a = sympy.Matrix(to_sympy(model.forward_dynamics()))
    remainder = matrix * a + bias - sympy.Matrix(to_sympy(model.tau))
    state = {
        s: sympy.Rational(int(k), 7) for s, k in zip(sorted(remainder.free_symbols, key=str), np.arange(3, 60, 2), strict=False)
    }
    half = sympy.Rational(1, 2)
    state.update(dict(zip(to_sympy(model.q[:4]), (half, half, half, half), strict=True)))
    state.update({s: 0 for s in to_sympy(model.q[4:])})
    assert [sympy.simplify(x) for x in remainder.subs(state)] == [0] * 6
