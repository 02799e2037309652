"""Implicit integrators: their orders, their damping, and that they agree with explicit ones on rigid robots and rods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import METHODS, solve
from locodyn.integrate.methods import method_of
from locodyn.locomotion.problem import Problem
from locodyn.motion import sine
from rod_cases import SOFT, cantilever, tree

pytestmark = pytest.mark.slow

IMPLICIT = [name for name, method in METHODS.items() if method.implicit and name != "radau_adaptive"]


def swinging_tree() -> tuple[Problem, np.ndarray, np.ndarray]:
    """A free base with a ball joint and a rod: groups and plain coordinates."""
    robot = ld.Robot("mixed")
    base = robot.base("base", moves="free", mass=1.0, inertia=ld.about_centre(xx=0.02, yy=0.03, zz=0.04))
    arm = robot.body("arm", mass=0.5, centre=(0.2, 0, 0), inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.02))
    arm.on(base, at=(0.1, 0, 0)).ball()
    arm.rod("rod", length=0.3, section=ld.Circle(0.03), material=SOFT, bending=1, at=(0.3, 0, 0))
    model = robot.model()
    v = np.random.default_rng(3).standard_normal(model.nv)
    return Problem(model), model.neutral(), v


@pytest.mark.parametrize("method", IMPLICIT)
def test_order_on_groups_and_rods(method: str) -> None:
    """Error after 0.2 s against Gauss-2 at a twentieth of the step; the slope is the order."""
    problem, q, v = swinging_tree()
    order = METHODS[method].order
    steps = {1: (0.001, 0.0005), 2: (0.004, 0.002), 4: (0.01, 0.005), 5: (0.02, 0.01)}[order]
    best = solve(problem, q, v, t_end=0.2, step=2.5e-4, method="gauss2", record_every=800, tolerance=1e-13)
    errors = []
    for step in steps:
        run = solve(problem, q, v, t_end=0.2, step=step, method=method, record_every=round(0.2 / step), tolerance=1e-12)
        assert run.status == "completed"
        errors.append(np.linalg.norm(problem.model.difference(best.q[-1], run.q[-1])))
    # Measured: 0.9-1.0, 1.95-2.05, 3.9-4.1, 4.7-5.1.
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


def test_explicit_and_implicit_agree() -> None:
    """rkmk4 (order 4, explicit) and Gauss-2 on a tree of rods, damping included."""
    model = tree("planar").model()
    problem = Problem(model)
    v = 0.3 * np.random.default_rng(1).standard_normal(model.nv)
    one = solve(problem, model.neutral(), v, t_end=0.05, step=5e-5, record_every=1000)
    two = solve(problem, model.neutral(), v, t_end=0.05, step=1e-3, record_every=50, method="radau3")
    ends = [model.pose("end", run.q[-1])[1] for run in (one, two)]
    assert np.max(np.abs(ends[0] - ends[1])) < 1e-7


@pytest.mark.parametrize(
    "method, rho",
    [
        ("generalized_alpha", 0.0),
        ("generalized_alpha", 0.5),
        ("generalized_alpha", 1.0),
        ("hht", 0.5),
        ("hht", 1.0),
        ("wbz", 0.0),
        ("wbz", 0.5),
        ("wbz", 1.0),
    ],
)
def test_spectral_radius_at_high_frequency(method: str, rho: float) -> None:
    """D6: the amplification of x'' = -w^2 x for w h -> infinity has the radius rho_inf to 1e-3 (HHT reaches down to 1/2 only).

    The matrix maps (x, h v, h^2 a, h^2 A) of one step to the next, from the definition of the scheme, in the limit itself, where
    x1 = 0 determines the new A. At a finite w h the threefold eigenvalue would hide the limit: it splits by (w h)^(-2/3).
    """
    scheme = method_of(method, rho_inf=rho).scheme()
    m, f, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    columns = []
    for x, hv, a, pseudo in np.eye(4):
        new = -(x + hv + (0.5 - beta) * pseudo) / beta
        columns.append([0.0, hv + (1.0 - gamma) * pseudo + gamma * new, ((1.0 - m) * new + m * pseudo - f * a) / (1.0 - f), new])
    radius = np.max(np.abs(np.linalg.eigvals(np.array(columns).T)))
    assert radius == pytest.approx(rho, abs=1e-3)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
def test_steps_at_high_frequency(rho: float) -> None:
    """D6 in the library's own steps: positions at w h = 1000 obey (E + rho_inf)^3 x = 0, E the shift by a step, whose roots are
    all -rho_inf. The recurrence, unlike its roots, is off by 1 / (w h)^2 only; 1e-3 is the bound of the row.
    """
    robot = ld.Robot("oscillator")
    robot.body("mass", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x", name="x").actuator(stiffness=1e10)
    problem = Problem(robot.model(gravity=(0, 0, 0)))
    start = np.array([0.3]), np.array([0.1])
    run = solve(problem, *start, t_end=0.1, step=0.01, method="generalized_alpha", tolerance=1e-12, rho_inf=rho)
    assert run.status == "completed"
    x = run.q[:, 0]
    for n in range(len(x) - 3):
        terms = np.array([rho**3, 3.0 * rho**2, 3.0 * rho, 1.0]) * x[n : n + 4]
        assert abs(terms.sum()) < 1e-3 * np.abs(x[n : n + 4]).max()
    if rho == 0.0:
        assert np.abs(x[3:]).max() < 1e-3 * x[0]  # gone after three steps


def test_linear_oscillator() -> None:
    """D6: Newmark on a mass and a spring keeps the energy to round-off and has order 2; generalized-alpha has order 2 too."""
    robot = ld.Robot("oscillator")
    robot.body("mass", mass=2.0).on(robot.base("ground", moves="fixed")).sliding("x", name="x").actuator(stiffness=50.0)
    problem = Problem(robot.model(gravity=(0, 0, 0)))

    def run(method: str, step: float) -> Any:
        start = np.array([0.3]), np.array([0.1])
        return solve(problem, *start, t_end=2.0, step=step, method=method, tolerance=1e-12, rho_inf=0.5)

    exact = 0.3 * np.cos(10.0) + 0.02 * np.sin(10.0)
    for method in ("newmark", "generalized_alpha"):
        errors = [abs(run(method, step).q[-1, 0] - exact) for step in (0.01, 0.005, 0.0025)]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
        assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)
    found = run("newmark", 0.01)
    energy = found.v[:, 0] ** 2 + 25.0 * found.q[:, 0] ** 2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-11)


def test_gauss_keeps_energy_and_radau_loses_it() -> None:
    """A soft rod dropped for 2 s: energy stays within 1e-3 m g L with Gauss-2 at 20 ms, and never grows with Radau IIA."""
    robot = cantilever(length=0.5, section=ld.Circle(0.02), material=SOFT, bending=(4, 0), stretch=2, shear=(0, 2))
    size = robot.mass * 9.81 * 0.5
    energies = {}
    for method in ("gauss2", "radau3"):
        run = ld.simulate(robot, t_end=2.0, dt=0.02, integrator=method, progress=False)
        assert run.status == "completed"
        energies[method] = (run.total_energy().values - run.total_energy().values[0]) / size
    assert np.max(np.abs(energies["gauss2"])) < 1e-3
    assert np.max(energies["radau3"]) < 1e-4 and energies["radau3"][-1] < 0.0


def test_imposed_coordinates() -> None:
    """A rod shaken at its root and a mode that is imposed: implicit and explicit runs agree, and forces come out."""
    robot = ld.Robot("shaker")
    hub = robot.body("hub", mass=0.1).on(robot.base("ground", moves="fixed")).sliding("z")
    hub.rod("rod", length=0.5, section=ld.Circle(0.02), material=SOFT, bending=(3, 0))
    imposed = {"hub": sine(0.05, omega=10.0), "rod.bending_y.1": sine(0.5, omega=7.0)}
    runs = [
        ld.simulate(robot, imposed=imposed, t_end=0.2, dt=dt, record_every=n, integrator=method, progress=False)
        for method, dt, n in (("rkmk4", 2e-4, 50), ("gauss2", 2e-3, 5))
    ]
    for name in ("joint_position", "joint_velocity", "joint_torque"):
        one, two = (run[name].values if isinstance(run, dict) else getattr(run, name).values for run in runs)
        np.testing.assert_allclose(two, one, atol=2e-5 * np.max(np.abs(one)))


def test_python_functions_take_part() -> None:
    """A damper as a torque function f(t, q, v): the same motion as with the damper in the joint."""
    robot = ld.Robot("pendulum")
    bob = robot.body("bob", mass=1.0, centre=(0, 0, -1)).on(robot.base("ground", moves="fixed")).turning("y")
    start = ([1.0], [0.0])
    one = ld.simulate(
        robot, start=start, torque={"bob": lambda t, q, v: -0.5 * v[0]}, t_end=0.5, integrator="gauss2", progress=False
    )
    bob.actuator(viscous=0.5)
    two = ld.simulate(robot, start=start, t_end=0.5, integrator="gauss2", progress=False)
    np.testing.assert_allclose(one.joint_position.values, two.joint_position.values, atol=1e-9)


def test_stiff_rod_at_large_steps() -> None:
    """Steel wire of 2 mm released from a bend, 10 ms steps over periods of 6 ms: Radau IIA and Euler lose energy, always."""
    robot = cantilever(length=0.4, section=ld.Circle(0.001), material=ld.Material(2e11, 8000.0), bending=(0, 3), nodes=6)
    model = robot.model(gravity=(0, 0, 0))
    q = np.array([3.0, -1.0, 0.2])
    stiffness = robot.description.bodies[1].joint.rod.stiffness
    for method in ("radau3", "implicit_euler"):
        run = solve(Problem(model), q, np.zeros(3), t_end=1.0, step=0.01, method=method, tolerance=1e-6)
        assert run.status == "completed"
        energy = [0.5 * x @ stiffness @ x + model.kinetic_energy(x, y) for x, y in zip(run.q, run.v, strict=True)]
        assert np.all(np.diff(energy) < 1e-4 * energy[0])


def test_refusals() -> None:
    problem, q, v = swinging_tree()
    with pytest.raises(ld.InputError, match=r"rho_inf is 1\.5; it must lie between 0 and 1"):
        solve(problem, q, v, method="hht", rho_inf=1.5)
