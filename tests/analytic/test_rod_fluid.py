"""Rods in a fluid: Kirchhoff's equations, drag, and Lighthill's elongated-body theory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import Ellipse, GivenSection, RodFluid
from locodyn.robot.rods.fluid import slender_matrix
from locodyn.world import Drag, Wake, WorldForce

pytestmark = pytest.mark.slow

NO_GRAVITY = (0.0, 0.0, 0.0)
SOFT = ld.Material(young=3e4, density=1000.0)
PLAIN = {"length": 0.8, "section": Ellipse(0.02, 0.05), "material": SOFT, "bending": 2, "torsion": 1}


def floating(moves: str = "free", **values: Any) -> ld.Robot:
    """A rod behind a light hull."""
    robot = ld.Robot("floating")
    robot.base("hull", moves=moves, mass=0.2, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01)).rod("rod", **PLAIN | values)
    return robot


def start(model: ld.Model, seed: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return model.move(model.neutral(), size * rng.standard_normal(model.nv)), size * rng.standard_normal(model.nv)


def test_a_straight_rod_is_the_rigid_body_with_its_added_mass() -> None:
    """Strains imposed to be zero: the trajectory of a rigid body in the same fluid, by the path of rigid bodies (1e-9)."""
    robot = floating(fluid=RodFluid(density=1000.0))
    names = [name for name in robot.compile().coordinate_names if name.startswith("rod.")]
    rod = robot.description.bodies[1].joint.rod
    section = rod.properties(0.0)
    solid = ld.Robot("solid")
    hull = solid.base("hull", moves="free", mass=0.2, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01))
    mass, (xx, yy, zz) = section.mass * 0.8, 0.8 * section.inertia
    lever = mass * 0.8**2 / 12.0
    bar = solid.body("bar", mass=mass, centre=(0.4, 0, 0), inertia=ld.about_centre(xx=xx, yy=yy + lever, zz=zz + lever))
    # pi rho b^2 across, pi rho (a^2 - b^2)^2 / 8 about the axis (Lamb, art. 71)
    across, about = 1000.0 * np.pi * np.array([0.05**2, 0.02**2]), 1000.0 * np.pi * (0.05**2 - 0.02**2) ** 2 / 8.0
    bar.on(hull).fixed().fluid(matrix=slender_matrix(0.8, (0.0, *across), (about, 0.0, 0.0)))
    twist = {"hull": (0.4, -0.3, 0.2, 1.0, 2.0, -1.5)}
    options: dict[str, Any] = {"gravity": NO_GRAVITY, "t_end": 0.5, "dt": 0.0025, "progress": False, "start": ld.Start({}, twist)}
    options["integrator"] = "rkmk4"  # of both: they differ by the model alone
    ours = ld.simulate(robot, imposed=dict.fromkeys(names, 0.0), **options)
    theirs = ld.simulate(solid, **options)
    assert float(np.abs(ours.position - theirs.position).max()) < 1e-9
    assert float(np.abs(ours.kinetic_energy - theirs.kinetic_energy).max()) < 1e-9
    assert float(np.abs(ours.position[-1] - ours.position[0]).max()) > 0.05


@pytest.mark.parametrize("integrator", ["gauss2", "generalized_alpha"])
def test_momentum_and_energy_of_rod_and_fluid(integrator: str) -> None:
    """Kirchhoff: impulse of robot and fluid, linear and angular, and energy stay; the fluid makes half of the inertia."""
    robot = floating(fluid=RodFluid(density=1000.0))
    model = robot.model(gravity=NO_GRAVITY)
    q, v = start(model, 1, 0.3)
    run = solve(Problem(model), q, v, t_end=0.4, step=0.002, method=integrator, tolerance=1e-11, rho_inf=1.0)
    totals = np.array([model.totals(a, b) for a, b in zip(run.q, run.v, strict=True)])
    rod = robot.description.bodies[1].joint.rod
    elastic = 0.5 * np.einsum("ni,ij,nj->n", run.q[:, 7:], rod.stiffness, run.q[:, 7:])
    energy = totals[:, 0] + elastic
    order = {"gauss2": 1e-7, "generalized_alpha": 2e-3}[integrator]  # h^4, h^2; measured 2e-8 and 5e-4
    assert np.ptp(energy) < order * energy[0]
    assert np.abs(totals[:, 6:] - totals[0, 6:]).max() < order
    assert np.ptp(elastic) > 0.1 * energy[0] or np.ptp(elastic) > 1e-4


@pytest.mark.parametrize("added", [0.0, 3.0])
def test_terminal_speed(added: float) -> None:
    """(m + m_a) vdot = m g - c v^2 per metre: v = vt tanh(t / T), vt = sqrt(m g / c), T = (m + m_a) / sqrt(m g c)."""
    robot = ld.Robot("falling")
    section = GivenSection((1e3,) * 6, mass=2.0, inertia=(1e-3,) * 3)
    fluid = RodFluid(added_mass=(0.0, added, added)) if added else None
    base = robot.base("end", moves="free", mass=1e-9, inertia=ld.about_centre(xx=1e-9, yy=1e-9, zz=1e-9))
    rod = base.rod("rod", length=1.5, section=section, bending=1, fluid=fluid)
    robot.wrench("drag", on=rod, law=Drag(quadratic=(0.0, 5.0, 7.0)), along=True)
    result = ld.simulate(robot, t_end=1.0, dt=0.01, integrator="gauss2", tolerance=1e-11, progress=False)
    m, c, t = 2.0, 7.0, result.time.values
    speed = np.sqrt(m * 9.81 / c) * np.tanh(t * np.sqrt(m * 9.81 * c) / (m + added))
    assert np.abs(result.twist.values[:, 2] + speed).max() < 1e-6
    assert speed[-1] > 0.95 * np.sqrt(m * 9.81 / c)


def test_slow_drag_decays_as_an_exponential() -> None:
    """m vdot = -c v per metre."""
    robot = floating(bending=(0, 1), torsion=0)
    robot.wrench("drag", on="rod", law=Drag(linear=2.0), along=True)
    robot.wrench("hull drag", on="hull", law=Drag(linear=2.0 * 0.2 / robot.description.bodies[1].joint.rod.properties(0.0).mass))
    result = ld.simulate(
        robot, gravity=NO_GRAVITY, start=ld.Start({}, {"hull.vy": 0.5}), t_end=1.0, dt=0.02, integrator="radau3", tolerance=1e-11,
        progress=False,
    )  # fmt: skip
    rate = 2.0 / robot.description.bodies[1].joint.rod.properties(0.0).mass
    assert np.abs(result.twist.values[:, 1] - 0.5 * np.exp(-rate * result.time.values)).max() < 1e-7


def test_lighthill_force_along_the_rod() -> None:
    """Virtual work of the force per metre of elongated-body theory, integrated by itself, = added mass + wake at the tail.

    f = -d/dt (m w n) + d/ds (m u w n - m w^2 t / 2) for a planar rod with m(s) = 3 s on a moving base, by finite differences of
    an independent centre line; the nose has no added mass.
    """
    length, slope = 0.8, 3.0
    robot = ld.Robot("fish")
    head = robot.base("head", moves="planar", mass=0.2, inertia=ld.about_centre(zz=0.01))
    values = {"length": length, "section": GivenSection((1.0,) * 6, mass=1.0), "bending": (0, 3), "nodes": 16}
    head.rod("rod", fluid=RodFluid(added_mass=lambda s: (0.0, slope * s, 0.0)), **values)
    dry = ld.Robot("dry")
    dry.base("head", moves="planar", mass=0.2, inertia=ld.about_centre(zz=0.01)).rod("rod", **values)
    model, plain = robot.model(gravity=NO_GRAVITY), dry.model(gravity=NO_GRAVITY)
    rng = np.random.default_rng(3)
    modes, rates, growth = rng.standard_normal((3, 3))
    twist, change = rng.standard_normal((2, 3))
    q, v, a = np.concatenate([np.zeros(3), modes]), np.concatenate([twist, rates]), np.concatenate([change, growth])
    # Wake at the tail, by its formula, along the coordinates.
    tail = model.jacobian("rod", q)
    u, w = (tail @ v)[:2]
    wake = np.array([-0.5 * slope * length * w**2, slope * length * u * w, 0, 0, 0, 0])
    found = -(model.inverse_dynamics(q, v, a) - plain.inverse_dynamics(q, v, a)) + tail.T @ wake

    n = 4001
    s = np.linspace(0.0, length, n)
    basis = robot.description.bodies[1].joint.rod.functions(s)
    panels = np.diff(s)[:, None]

    def line(place: np.ndarray) -> np.ndarray:
        """Points (n, 2) of the centre line for (x, y, angle, modes): trapezoidal rule."""
        curvature = basis @ place[3:]
        angle = place[2] + np.concatenate([[0.0], np.cumsum(0.5 * panels[:, 0] * (curvature[1:] + curvature[:-1]))])
        t = np.column_stack([np.cos(angle), np.sin(angle)])
        return place[:2] + np.vstack([np.zeros((1, 2)), np.cumsum(0.5 * panels * (t[1:] + t[:-1]), axis=0)])

    def place(time: float) -> np.ndarray:
        x, y, turn = twist
        drift = np.array([change[0] - turn * y, change[1] + turn * x, change[2], *growth])  # accelerations in world axes
        return q + time * v + 0.5 * time**2 * drift

    def parts(time: float) -> tuple[np.ndarray, ...]:
        """(t, n, u, w) along the rod at a time."""
        h = 1e-4
        velocity = (line(place(time + h)) - line(place(time - h))) / (2 * h)
        t = np.gradient(line(place(time)), s, axis=0, edge_order=2)
        t /= np.linalg.norm(t, axis=1, keepdims=True)
        normal = np.column_stack([-t[:, 1], t[:, 0]])
        return t, normal, np.sum(velocity * t, axis=1), np.sum(velocity * normal, axis=1)

    m, h = slope * s, 1e-4
    momentum = [(m * w)[:, None] * normal for _, normal, _, w in (parts(-h), parts(h))]
    t, normal, u, w = parts(0.0)
    flux = (m * u * w)[:, None] * normal - (0.5 * m * w**2)[:, None] * t
    force = -(momentum[1] - momentum[0]) / (2 * h) + np.gradient(flux, s, axis=0, edge_order=2)
    expected = []
    for j in range(6):
        e = 1e-5 * np.eye(6)[j]
        shift = (line(q + e) - line(q - e)) / 2e-5
        expected.append(np.trapezoid(np.sum(force * shift, axis=1), s))
    np.testing.assert_allclose(found, expected, atol=2e-4 * np.abs(found).max())  # of the differences; measured 3e-5


def test_wake_takes_what_the_fluid_behind_the_tail_gets() -> None:
    """Energy gained + power into the wake = 0 for a coasting fish; the power is -1/2 m w^2 u, positive when it swims ahead."""
    robot = floating(moves="planar", bending=(0, 2), torsion=0, fluid=RodFluid(density=1000.0))
    robot.wrench("wake", on="rod", law=Wake((1000.0 * np.pi * 0.05**2, 1000.0 * np.pi * 0.02**2)))
    result = ld.simulate(
        robot, gravity=NO_GRAVITY, start=ld.Start({}, {"hull.vx": -0.5, "hull.vy": 0.1, "rod.bending_z.0": 1.0}), t_end=0.5,
        dt=0.005, integrator="gauss2", tolerance=1e-12, progress=False,
    )  # fmt: skip
    lost = simpson(result.power_dissipated.values, x=result.time.values)
    energy = result.total_energy().values
    assert lost == pytest.approx(energy[0] - energy[-1], rel=1e-5)
    assert lost > 1e-3 * energy[0]


@pytest.mark.parametrize("integrator", ["adaptive", "energy_momentum", "radau3"])
def test_integrators_agree_in_a_fluid_with_weight(integrator: str) -> None:
    """A heavy swimmer with muscle, tendon, wake, drag and a load that changes: explicit and implicit runs are one motion."""
    robot = floating(fluid=RodFluid(density=1000.0), damping=0.02)
    robot["hull"].fluid((0.1, 0.2, 0.3))
    robot["rod"].muscle("core", (0, 0, 0, 0, 0.02, 0.03)).tendon("left", (0.01, 0.0))
    robot.wrench("wake", on="rod", law=Wake((1.0, 1.0)))
    robot.wrench("drag", on="rod", law=Drag(0.1, 1.0), along=True)
    robot.wrench("wind", on="rod", law=WorldForce((0, 0.3, 0)), along=(0.1, 0.3))
    options: dict[str, Any] = {
        "gravity": (0.0, 0.0, -1.0), "t_end": 0.2, "progress": False, "activation": {"core": ld.sine(1.0, omega=6.0)},
        "tension": {"left": 0.5}, "load": {"wind": ld.cosine(1.0, omega=3.0)},
    }  # fmt: skip
    first = ld.simulate(robot, dt=0.005, integrator="gauss2", tolerance=1e-11, **options)
    second = ld.simulate(robot, dt=0.005, integrator=integrator, tolerance=1e-10, **options)
    assert np.abs(first.q[-1] - second.q[-1]).max() < 2e-7  # gauss2: h^4; measured 3e-8
    assert np.abs(first.q[-1][7:]).max() > 0.01
