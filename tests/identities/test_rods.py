"""Rods are joints: every identity of the dynamics holds on trees of lumped joints and rods."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import BodyHandle, GivenSection, Rod
from locodyn.robot.rods.space import SPACES
from peers import TINY, complex_move, relative
from rod_cases import SOFT, cantilever, check_derivatives, check_jacobians, check_power, complex_inverse, state, tree

pytestmark = pytest.mark.slow

BASES = ("fixed", "free", "planar")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("space", SPACES)
def test_power_is_the_rate_of_energy(base: str, space: str) -> None:
    check_power(tree(base, space, tolerance=1e-4).model())


@pytest.mark.parametrize("base", BASES)
def test_mass_matrix(base: str) -> None:
    """Symmetric to the last bit, positive definite, and what inverse dynamics says column by column."""
    model = tree(base).model(gravity=(0, 0, 0))
    q, v, _ = state(model, 2)
    matrix, zero = model.mass_matrix(q), np.zeros(model.nv)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix)[0] > 0.0
    columns = np.array([model.inverse_dynamics(q, zero, unit) for unit in np.eye(model.nv)])
    assert relative(matrix, columns) < 1e-13
    assert model.kinetic_energy(q, v) == pytest.approx(0.5 * v @ matrix @ v, rel=1e-13)


@pytest.mark.parametrize("base", BASES)
def test_forward_and_hybrid_dynamics_invert_inverse_dynamics(base: str) -> None:
    model = tree(base).model()
    q, v, a = state(model, 3)
    tau = model.inverse_dynamics(q, v, a)
    # M a - tau is round-off; a itself is as good as the condition of M (1e7) allows.
    found = model.forward_dynamics(q, v, tau)
    assert relative(model.inverse_dynamics(q, v, found), tau) < 1e-12
    assert relative(found, a) < 1e-8
    imposed = np.random.default_rng(4).random(model.nv) < 0.4
    rates, forces = model.hybrid_dynamics(q, v, np.where(imposed, a, 0.0), np.where(imposed, 0.0, tau), imposed)
    assert relative(rates, a) < 1e-8
    assert relative(forces, tau) < 1e-10


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", ["one", "two", "three", "ball", "end"])
def test_jacobians(base: str, name: str) -> None:
    check_jacobians(tree(base).model(), name, 5)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("space", SPACES)
def test_derivatives_of_inverse_dynamics(base: str, space: str) -> None:
    check_derivatives(tree(base, space, tolerance=1e-4).model())


def test_derivatives_at_the_straight_rod_and_at_large_bends() -> None:
    """Where series take over from closed forms and back: no curvature at all, and more than 4 rad in one slice."""
    for size in (0.0, 1e-9, 40.0):
        model = tree("fixed", nodes=2).model()
        q, v, a = state(model, 8, size)
        v, a = np.ones(model.nv), np.ones(model.nv)
        by_q = model.inverse_dynamics_derivatives(q, v, a)[0]
        small = 1j * TINY * np.eye(model.nv)
        exact = np.array([complex_inverse(model, complex_move(model, q, u), v, a).imag for u in small]).T / TINY
        assert relative(by_q, exact) < 1e-10


def test_momentum_of_a_free_rod_is_kept() -> None:
    """A rod flung into space: linear and angular momentum and energy stay what they are (rkmk4, order 4)."""
    robot = ld.Robot("flying rod")
    robot.base("hand", moves="free").rod("rod", length=0.5, section=ld.Circle(0.02), material=SOFT, bending=2, torsion=1)
    model = robot.model(gravity=(0, 0, 0))
    v = np.array([0.5, -0.2, 0.3, 1.0, 2.0, -1.0, 0.5, 2.0, -1.0, 1.5, 1.0])
    drift = []
    for dt in (2e-3, 1e-3):
        run = ld.simulate(
            robot, gravity=(0, 0, 0), start=(model.neutral(), v), t_end=0.1, dt=dt, progress=False, integrator="rkmk4"
        )
        before, after = (model.momentum(run.q[i], run.v[i]) for i in (0, -1))
        moment = [model.totals(run.q[i], run.v[i])[9:] for i in (0, -1)]
        assert np.max(np.abs(before[0] - after[0])) < 1e-5
        energy = run.total_energy().values
        drift.append([np.max(np.abs(moment[1] - moment[0])), abs(energy[-1] - energy[0])])
    assert np.all(np.array(drift[0]) / np.array(drift[1]) > 10.0)  # order 4: 16


def test_a_rod_of_one_mode_is_the_limit_of_a_chain_of_small_joints() -> None:
    """Constant curvature: a chain of n equal joints turned by the same angle approaches pose and inertia with order 2."""
    rod = cantilever(length=1.0, section=GivenSection((1,) * 6, mass=2.0, inertia=(0, 0, 0)), bending=(0, 1), nodes=20).model()
    q, v = np.array([1.3]), np.array([0.7])
    errors = []
    for n in (20, 40, 80):
        chain = ld.Robot("chain", massless_ok=True)
        last: BodyHandle = chain.base("ground", moves="fixed")
        for i in range(n):
            # joint in the middle of each piece of length h; mass at the middle of the piece beyond and before it
            at = (0.5 / n, 0, 0) if i == 0 else (1.0 / n, 0, 0)
            link = chain.body(f"link_{i}", mass=2.0 / n).on(last, at=at).turning("z")
            last = link
        model = chain.model()
        angles, rates = np.full(n, q[0] / n), np.full(n, v[0] / n)
        tip = model.pose(f"link_{n - 1}", angles)
        end = tip[1] + 0.5 / n * tip[0][:, 0]
        energy = model.kinetic_energy(angles, rates) - rod.kinetic_energy(q, v)
        errors.append([np.linalg.norm(end - rod.pose("rod", q)[1]), abs(energy)])
    ratios = np.array(errors)[:-1] / np.array(errors)[1:]
    assert np.all(ratios > 3.8) and np.all(ratios < 4.2)


def test_bases_of_equal_span_give_the_same_dynamics() -> None:
    """Legendre, Chebyshev and monomials span the same strains: the same acceleration of the tip."""
    found = []
    for basis in ("legendre", "chebyshev", "monomial"):
        model = cantilever(length=0.5, section=ld.Circle(0.02), material=SOFT, bending=(3, 2), torsion=2, basis=basis).model()
        a = model.forward_dynamics(model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
        found.append(model.acceleration("rod", model.neutral(), np.zeros(model.nv), a))
    assert relative(found[1], found[0]) < 1e-9
    assert relative(found[2], found[0]) < 1e-9


@pytest.mark.parametrize("basis", ["constant", "linear", "bspline", "hermite", lambda x, n: np.cos(np.outer(x, np.arange(n)))])
def test_other_bases(basis: object) -> None:
    """Stiffness is the integral of the products of the functions, here by a midpoint rule of 20 000 points."""
    rod = Rod(1.0, GivenSection((1,) * 6, mass=1.0), modes=(0, 0, 0, 0, 0, 4), basis=basis)
    s = (np.arange(20_000) + 0.5) / 20_000
    values = rod.functions(s)
    np.testing.assert_allclose(rod.stiffness, values.T @ values / len(s), atol=1e-7)


def test_varying_section_and_material() -> None:
    """A tapered rod: mass and bending stiffness by hand."""
    rod = Rod(2.0, lambda s: ld.Circle(0.01 + 0.005 * s), SOFT, modes=(0, 0, 0, 0, 1, 0), nodes=6)
    s = (np.arange(20_000) + 0.5) / 10_000
    radius = 0.01 + 0.005 * s
    assert rod.mass == pytest.approx(1000.0 * np.pi * np.mean(radius**2) * 2.0, rel=1e-6)
    assert rod.stiffness[0, 0] == pytest.approx(1e6 * np.pi / 4.0 * np.mean(radius**4) * 2.0, rel=1e-6)
