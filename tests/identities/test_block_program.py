"""Programmes of blocks: their sparse derivatives are those of the whole programme."""

import numpy as np
import pytest

casadi = pytest.importorskip("casadi")

from locodyn.walking.block_program import Block, Linear, Program  # noqa: E402


def program():
    """Two blocks that share variables, within a place and between places, and two linear rows."""
    sx = casadi.SX.sym
    z, p, c = sx("z", 3), sx("p", 2), sx("c", 1)
    chain = Block(
        (z, p, c),
        [("wave", casadi.sin(z[0] * z[1]) + p[0] * z[2] ** 2), ("pair", casadi.vertcat(z[0] * c, casadi.exp(z[2])))],
        np.array([[0, 1, 5], [1, 2, 5], [2, 3, 5], [4, 3, 5]]),
        np.arange(4.0)[:, None],
        cost=casadi.cos(z[0]) * z[2] * p[1] + z[1] ** 4,
    )
    y, q = sx("y", 2), sx("p", 2)
    single = Block((y, q, casadi.SX(0, 1)), [("product", y[0] * y[1] ** 3)], np.array([[5, 0]]), np.zeros((1, 0)))
    linear = Linear(["sum", "sum"], np.array([0, 0, 1]), np.array([0, 4, 2]), np.array([1.0, -2.0, 3.0]))
    return Program(6, 2, [chain, single], linear)


def test_derivatives_are_those_of_the_whole_programme():
    """Against the automatic derivatives of the assembled expressions; bound: round-off."""
    found, rng = program(), np.random.default_rng(1)
    x, p = rng.normal(size=6), rng.normal(size=2)
    jacobian = casadi.Function("j", [found.x, found.p], [casadi.jacobian(found.rows, found.x)])
    assert np.abs(np.array(casadi.DM(jacobian(x, p))) - np.array(casadi.DM(found.functions["jac_g"](x, p)[1]))).max() < 1e-13
    weight, factors = casadi.MX.sym("w"), casadi.MX.sym("l", len(found.kinds))
    lagrangian = weight * found.cost + casadi.dot(factors, found.rows)
    hessian = casadi.Function("h", [found.x, found.p, weight, factors], [casadi.hessian(lagrangian, found.x)[0]])
    values = rng.normal(size=len(found.kinds))
    wanted = np.triu(np.array(casadi.DM(hessian(x, p, 0.7, values))))
    assert np.abs(wanted - np.array(casadi.DM(found.functions["hess_lag"](x, p, 0.7, values)))).max() < 1e-13
    assert found.kinds == ["wave", "pair", "pair"] * 4 + ["product", "sum", "sum"]


def test_a_small_programme_is_solved():
    """min (x - 2)^2 + (y - 1)^2 with x + y = 2: (1.5, 0.5); and again from its own point, in a few iterations."""
    z, p, none = casadi.SX.sym("z", 2), casadi.SX.sym("p", 1), casadi.SX(0, 1)
    block = Block(
        (z, p, none), [("sum", z[0] + z[1] - p[0])], np.array([[0, 1]]), np.zeros((1, 0)), casadi.sumsqr(z - casadi.DM([2, 1]))
    )
    found = Program(2, 1, [block], Linear(["free"], np.array([0]), np.array([0]), np.array([1.0])))
    bounds, rows = (np.full(2, -9.0), np.full(2, 9.0)), {"free": (-5.0, 5.0)}
    first = found.solve(np.zeros(2), np.array([2.0]), bounds, rows)
    assert first.success and np.abs(first.point[0] - (1.5, 0.5)).max() < 1e-8
    again = found.solve(first.point, np.array([2.0]), bounds, rows)
    assert again.success and again.iterations <= 3
