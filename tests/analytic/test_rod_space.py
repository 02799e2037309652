"""Space integrators of rods: their orders, and their agreement (acceptance D5 of Gotelli 2024)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.dynamics.rod_cascade import rod_cascade
from locodyn.errors import DescriptionError
from locodyn.robot.rods.nodes import clenshaw_curtis
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.space import SPACES
from locodyn.shape.chebyshev import chebyshev_motion
from locodyn.world.laws import WorldForce
from rod_cases import SOFT, cantilever

pytestmark = pytest.mark.slow

BENT: dict[str, Any] = {"bending": 3, "torsion": 3, "stretch": 2, "shear": 1, "rest_curvature": (0.3, -0.5, 1.0)}


def hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def rod_of(**values: Any) -> tuple[Rod, ld.Model]:
    robot = cantilever(length=1.0, section=ld.Circle(0.02), material=SOFT, **values)
    rod = robot.description.bodies[1].joint.rod
    assert rod is not None
    return rod, robot.model()


def exact_tip(rod: Rod, q: np.ndarray) -> np.ndarray:
    """g' = g hat(xi) by DOP853 (1e-13): rotation by rows, then place."""

    def slope(s: float, y: np.ndarray) -> np.ndarray:
        strain, rotation = rod.strain(np.array([s]), q)[0], y[:9].reshape(3, 3)
        return np.concatenate([(rotation @ hat(strain[3:])).ravel(), rotation @ strain[:3]])

    start = [*np.eye(3).ravel(), 0, 0, 0]
    return solve_ivp(slope, (0.0, rod.length), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def error(model: ld.Model, q: np.ndarray, exact: np.ndarray) -> float:
    rotation, position = model.pose("rod", q)
    return float(np.max(np.abs(np.concatenate([rotation.ravel(), position]) - exact)))


@pytest.mark.parametrize("space", [space for space in SPACES if space not in ("adaptive", "spectral")])
def test_order(space: str) -> None:
    """A rod bent, twisted and stretched: the error of the pose falls with the order of the integrator in the nodes."""
    rod, _ = rod_of(**BENT)
    q = np.random.default_rng(5).uniform(-1.0, 1.0, rod.count) * np.repeat([0.2, 0.2, 0.2, 2.0, 2.0, 2.0], rod.modes)
    exact = exact_tip(rod, q)
    nodes = (8, 16, 32) if SPACES[space].order == 6 else (16, 32, 64)
    errors = np.array([error(rod_of(**BENT, nodes=n, space=space)[1], q, exact) for n in nodes])
    rates = np.log2(errors[:-1] / errors[1:])
    assert rates == pytest.approx([SPACES[space].order] * 2, abs=0.35)  # nodes are not equidistant: slices shrink unevenly


@pytest.mark.parametrize("tolerance", [1e-5, 1e-7, 1e-9])
def test_adaptive_keeps_its_tolerance(tolerance: float) -> None:
    """Bends of 2 rad over the length by each mode: the error of the tip is below the tolerance, and not far below."""
    rod, model = rod_of(bending=3, torsion=2, nodes=4, space="adaptive", tolerance=tolerance)
    errors = [error(model, 2.0 * unit, exact_tip(rod, 2.0 * unit)) for unit in np.eye(rod.count)]
    assert 1e-3 * tolerance < max(errors) < tolerance


def test_integrators_agree() -> None:
    """A rod of three modes bent by 2 rad (D5): Magnus with 60 panels to 1e-6, the others to 1e-9."""
    given: dict[str, Any] = {"bending": (0, 3)}
    rod, _ = rod_of(**given)
    q = np.array([2.0, 0.7, -0.5])  # turns by 2 rad from end to end
    exact = exact_tip(rod, q)
    assert np.arctan2(exact[3], exact[0]) == pytest.approx(2.0, abs=1e-12)
    found = {space: error(rod_of(**given, nodes=60, space=space, tolerance=1e-11)[1], q, exact) for space in SPACES}
    assert found["magnus2"] < 2e-4
    assert found["magnus4"] < 1e-6
    assert found["runge_kutta"] < 1e-6
    assert found["magnus6"] < 1e-9
    assert found["adaptive"] < 1e-9
    assert found["spectral"] < 1e-12


def test_spectral_accuracy() -> None:
    """Forces of a Kirchhoff rod with bends of a radian by each mode, against Gotelli's cascade with 41 points (D5).

    They fall exponentially with the points, as those of collocation do, and are never worse than collocation at these points; a
    product of fixed order falls by (13/7)^6 = 41 from 7 to 13 points.
    """
    q, v, a = np.random.default_rng(1).standard_normal((3, 9))
    given: dict[str, Any] = {"bending": 3, "torsion": 3}
    exact = rod_cascade(rod_of(**given)[1], "rod", q, v, a, count=41).forces
    errors, others = [], []
    for nodes in (7, 10, 13, 16):
        rod, model = rod_of(**given, nodes=nodes, space="spectral")
        assert rod.quadrature == "chebyshev"
        collocated = rod_cascade(model, "rod", q, v, a, count=nodes).forces
        forces = model.inverse_dynamics(q, v, a)
        errors.append(np.abs(forces - exact).max() / np.abs(exact).max())
        others.append(np.abs(collocated - exact).max() / np.abs(exact).max())
    assert np.all(np.divide(errors[:-1], errors[1:]) > 50.0) and errors[-1] < 1e-12
    assert np.all(np.less(errors, others))


def test_spectral_run() -> None:
    """A run of a falling rod with 11 and with 15 points: the same tip to 1e-8 of its length, by steps that are the same.

    1e-8: the error of forces at 11 points is 6e-10 of the largest, over twenty steps. The discrete rod stays a Lagrangian system:
    its mass matrix is symmetric to the last bit.
    """
    ends = []
    for nodes in (11, 15):
        robot = cantilever(length=1.0, section=ld.Circle(0.02), material=SOFT, bending=3, nodes=nodes, space="spectral")
        run = ld.simulate(robot, t_end=0.2, dt=0.01, integrator="gauss2", tolerance=1e-12, progress=False)
        ends.append(run.body_position.sel(body="rod").values[-1])
        mass = robot.model().mass_matrix(run.q[-1])
        np.testing.assert_array_equal(mass, mass.T)
    np.testing.assert_allclose(*ends, atol=1e-8)


def test_spectral_needs_smooth_strains() -> None:
    with pytest.raises(DescriptionError, match="needs smooth strain functions"):
        rod_of(bending=3, basis="constant", space="spectral")


def test_fields_of_a_run_meet_the_bodies() -> None:
    """Centre lines and orientations of results come from the same integrator as the tip, whatever it is."""
    for space in SPACES:
        robot = cantilever(length=1.0, section=ld.Circle(0.02), material=SOFT, bending=2, torsion=1, space=space, tolerance=1e-5)
        run = ld.simulate(robot, t_end=0.02, dt=0.01, integrator="gauss2", progress=False)
        tip = run.body_position.sel(body="rod").values
        np.testing.assert_allclose(run.rod_position.values[:, 0, -1], tip, atol=1e-14)


def test_chebyshev_cascade() -> None:
    """Collocation against Runge-Kutta and the kernel (D5): pose 1e-9 with 31 points, exponential in their number; twist and
    acceleration of a tip that bends, twists and stretches, against order 6 of the kernel."""
    rod, _ = rod_of(bending=(0, 3))
    q = np.array([2.0, 0.7, -0.5])
    exact = exact_tip(rod, q)
    errors = []
    for count in (7, 11, 15, 31):
        motion = chebyshev_motion(rod, q, count=count)
        errors.append(np.max(np.abs(np.concatenate([motion.rotation[-1].ravel(), motion.position[-1]]) - exact)))
    assert errors[1] < 1e-2 * errors[0]
    assert errors[2] < 1e-2 * errors[1]
    assert errors[3] < 1e-9
    rod, model = rod_of(**BENT, nodes=40, space="magnus6")
    q, v, a = np.random.default_rng(6).uniform(-1.0, 1.0, (3, rod.count)) * np.repeat([0.2, 0.2, 0.2, 2.0, 2.0, 2.0], rod.modes)
    motion = chebyshev_motion(rod, q, v, a)
    rotation, position = model.pose("rod", q)
    np.testing.assert_allclose(motion.position[-1], position, atol=1e-9)
    np.testing.assert_allclose(motion.rotation[-1], rotation, atol=1e-9)
    np.testing.assert_allclose(motion.twist[-1], model.twist("rod", q, v), atol=1e-9)
    np.testing.assert_allclose(motion.acceleration[-1], model.acceleration("rod", q, v, a), atol=1e-9)
    with pytest.raises(ld.InputError, match="needs smooth strain functions"):
        chebyshev_motion(rod_of(bending=3, basis="constant")[0], np.zeros(6))


def test_clenshaw_curtis() -> None:
    """Nodes at both ends; N of them are exact to degree N - 1, and the mass of a cone is its integral."""
    for count in (3, 4, 9, 16):
        x, w = clenshaw_curtis(count)
        assert (x[0], x[-1]) == (0.0, 1.0)
        powers = np.arange(count)
        np.testing.assert_allclose(w @ x[:, None] ** powers, 1.0 / (powers + 1.0), atol=1e-14)
    rod = Rod(1.0, lambda s: ld.Circle(0.02 * (1.0 - 0.5 * s)), SOFT, (0, 0, 0, 0, 0, 1), quadrature="chebyshev")
    assert rod.node_count == 8
    assert rod.mass == pytest.approx(1000.0 * np.pi * 0.02**2 * (1.0 + 0.5 + 0.25) / 3.0, rel=1e-14)


def test_nodes_of_the_source() -> None:
    """A rod of Gotelli's 21 Chebyshev points swings as one of Gauss points, free base, load along it: 1e-7 of its length."""
    ends = []
    for quadrature, nodes in (("gauss", 12), ("chebyshev", 21)):
        robot = ld.Robot("swinging")
        base = robot.base("hub", moves="free", mass=0.2, inertia=ld.about_centre(xx=1e-3, yy=1e-3, zz=1e-3))
        rod = base.rod(
            "rod",
            length=0.5,
            section=ld.Circle(0.01),
            material=SOFT,
            bending=2,
            nodes=nodes,
            quadrature=quadrature,
            space="magnus6",
        )
        robot.wrench("wind", on=rod, law=WorldForce((0.0, 0.2, 0.1)), along=True)
        run = ld.simulate(robot, t_end=0.2, dt=0.01, integrator="gauss2", tolerance=1e-12, progress=False)
        ends.append(run.body_position.sel(body="rod").values[-1])
        assert run.mass_centre.values[-1, 1] == pytest.approx(0.5 * 0.2 * 0.5 / robot.mass * 0.2**2, rel=1e-7)
    np.testing.assert_allclose(*ends, atol=5e-8)
