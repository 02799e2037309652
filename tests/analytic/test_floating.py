"""Bodies and rods that float: draught, metacentre, heave and waves against closed forms and independent integrations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

import locodyn as ld
from locodyn.equilibria.statics import vibrations
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent
from locodyn.robot.fluid import ellipsoid_added_mass
from locodyn.world import Buoyancy, Water, Wave, WetDrag

pytestmark = pytest.mark.slow

RHO, G = 1000.0, 9.81
SOFT = ld.Material(young=1e6, density=500.0, shear=1e6 / 3.0)


def floater(shape: ld.Shape, density: float, law: Buoyancy | None = None) -> ld.Robot:
    """A free body of this shape and density in water."""
    robot = ld.Robot("floater")
    body = robot.base("body", moves="free", density=density, shape=shape)
    robot.wrench("water", on=body, law=law or Buoyancy())
    return robot


def stiffness(robot: ld.Robot, start: ld.Start) -> np.ndarray:
    """Slopes (6, 6) of the equation of motion by displacements (linear; angular), at rest."""
    scenario = ld.Scenario("floater", robot, start=start)
    problem = scenario.problem
    model = problem.model
    room = new_tangent(model, 0)
    q, v = scenario.initial_state()
    a = problem.accelerations(0.0, q.copy(), v.copy())
    assert np.abs(a).max() < 1e-11  # it is at rest
    motion_residual(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0)
    motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, room, 1.0, 1)
    return np.array(room.by_q)


def test_ellipsoid_draught_and_metacentre() -> None:
    """Of the density ratio s = (2 + 3 d - d^3) / 4 it is wet up to d of its half height; its metacentre is I / V above the centre
    of the displaced volume (Bouguer 1746), with the ellipse of the waterplane: I = pi / 4 a b^3 (1 - d^2)^2 about x.
    """
    a, b, c, ratio = 0.5, 0.3, 0.2, 0.7
    d = brentq(lambda d: (2 + 3 * d - d**3) / 4 - ratio, -1, 1, xtol=1e-15)
    found = stiffness(floater(ld.Ellipsoid((a, b, c)), ratio * RHO), ld.Start({"body": (0, 0, -c * d, 0, 0, 0)}))
    volume = 4 / 3 * math.pi * a * b * c * ratio
    centre = -c * math.pi * a * b * c * (1 - d * d) ** 2 / 4 / volume  # of the displaced volume, seen from that of the body
    wide = 1 - d * d
    assert abs(found[2, 2] - RHO * G * math.pi * a * b * wide) < 1e-9 * found[2, 2]
    for axis, moment in ((3, math.pi / 4 * a * b**3 * wide**2), (4, math.pi / 4 * a**3 * b * wide**2)):
        height = moment / volume + centre  # metacentric height: the centre of mass is that of the body
        assert abs(found[axis, axis] - RHO * G * volume * height) < 1e-10 * RHO * G * volume
    assert abs(found[5, 5]) < 1e-10 * RHO * G * volume


@pytest.mark.parametrize("angle", [0.1, 0.3])
def test_righting_arm_of_a_barge(angle: float) -> None:
    """Wall-sided: GZ = sin(phi) (GM + 1/2 BM tan^2(phi)), while the deck stays dry and the bilge wet (Rawson and Tupper, 4)."""
    length, beam, height, ratio = 1.2, 0.6, 0.4, 0.5
    robot = floater(ld.Box((length, beam, height)), ratio * RHO)
    draught = ratio * height
    arm = beam**2 / (12 * draught)  # BM
    metacentre = arm - (height - draught) / 2
    # sunk so far that it displaces its weight: the axis of the tilted waterplane passes through the centre line
    scenario = ld.Scenario(
        "barge", robot, start=ld.Start({"body": (0, 0, (height / 2 - draught) * math.cos(angle), angle, 0, 0)})
    )
    q, v = scenario.initial_state()
    a = scenario.problem.accelerations(0.0, q.copy(), v.copy())
    mass = ratio * RHO * length * beam * height
    inertia = mass * (beam**2 + height**2) / 12
    righting = math.sin(angle) * (metacentre + arm * math.tan(angle) ** 2 / 2)
    assert abs(inertia * a[3] + mass * G * righting) < 1e-11 * mass * G
    assert np.abs(a[:3]).max() < 1e-11 * G


def test_heave_of_a_spar() -> None:
    """A vertical cylinder heaves harmonically, z'' = -rho g A z / (m + m_a); its added mass is given."""
    radius, length, ratio, added, z0 = 0.1, 0.8, 0.6, 5.0, 0.05
    robot = floater(ld.Cylinder(radius, length), ratio * RHO)
    robot["body"].fluid((0.0, 0.0, added))
    middle = length / 2 - ratio * length
    mass = ratio * RHO * math.pi * radius**2 * length
    omega = math.sqrt(RHO * G * math.pi * radius**2 / (mass + added))
    run = ld.simulate(
        robot, start=ld.Start({"body": (0, 0, middle + z0, 0, 0, 0)}), t_end=3.0, dt=0.002, integrator="rkmk4", progress=False
    )
    # global error of order 4: (omega dt)^4 omega t / 120 z0 = 1e-13; the level disc errs by 1e-12
    expected = middle + z0 * np.cos(omega * run.time.values)
    assert np.abs(run.position.values[:, 2] - expected).max() < 1e-10


def test_heave_of_an_ellipsoid() -> None:
    """Large heave of an ellipsoid with the added mass of an unbounded fluid, against SciPy: m z'' = rho g V(z) - m g."""
    a, b, c, ratio = 0.4, 0.3, 0.2, 0.5
    mass = ratio * RHO * 4 / 3 * math.pi * a * b * c
    heave = ellipsoid_added_mass((a, b, c), RHO)[0][2]

    def rate(_: float, y: np.ndarray) -> list[float]:
        d = min(max(-y[0] / c, -1.0), 1.0)
        return [y[1], (RHO * G * math.pi * a * b * c * (2 / 3 + d - d**3 / 3) - mass * G) / (mass + heave)]

    robot = floater(ld.Ellipsoid((a, b, c)), ratio * RHO)
    robot["body"].fluid(ellipsoid=(a, b, c), density=RHO, unbounded=False)
    run = ld.simulate(
        robot, start=ld.Start({"body": (0, 0, 0.1, 0, 0, 0)}), t_end=2.0, dt=0.001, integrator="rkmk4", progress=False
    )
    times = run.time.values
    reference = solve_ivp(rate, (0.0, 2.0), [0.1, 0.0], "DOP853", times, rtol=1e-13, atol=1e-14)
    assert np.abs(run.position.values[:, 2] - reference.y[0]).max() < 1e-10


@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.8])
def test_heave_period_of_an_ellipsoid(ratio: float) -> None:
    """Small heave about its draught: w^2 = rho g A / (m + m_a), with the waterplane A = pi a b (1 - d^2) at the depth d c; 1e-10.

    Waterplanes are centred over the body, so heave is a mode of its own, and the only one with this frequency.
    """
    a, b, c = 0.4, 0.3, 0.2
    depth = brentq(lambda d: (2.0 + 3.0 * d - d**3) / 4.0 - ratio, -1.0, 1.0, xtol=1e-15)
    mass = ratio * RHO * 4 / 3 * math.pi * a * b * c + ellipsoid_added_mass((a, b, c), RHO)[0][2]
    heave = math.sqrt(RHO * G * math.pi * a * b * (1.0 - depth**2) / mass)
    robot = floater(ld.Ellipsoid((a, b, c)), ratio * RHO)
    robot["body"].fluid(ellipsoid=(a, b, c), density=RHO, unbounded=False)
    scenario = ld.Scenario("heave", robot, start=ld.Start({"body": (0, 0, -depth * c, 0, 0, 0)}))
    found = vibrations(scenario.problem, scenario.initial_state()[0])
    near = np.sort(np.abs(found - 1j * heave))
    assert near[0] < 1e-10 * heave < near[1]


@pytest.mark.parametrize("ratio", [0.5, 0.3])
def test_floating_rod(ratio: float) -> None:
    """A level rod of circular section is at rest, unbent, at the draught of its section: angle + sin cos = pi ratio."""
    radius = 0.02
    d = brentq(lambda d: math.pi / 2 + math.asin(d) + d * math.sqrt(1 - d * d) - math.pi * ratio, -1, 1, xtol=1e-15)
    robot = ld.Robot("log")
    head = robot.base("head", moves="free", mass=1e-9, inertia=ld.about_centre(xx=1e-9, yy=1e-9, zz=1e-9))
    material = ld.Material(young=1e6, density=ratio * RHO, shear=1e6 / 3.0)
    rod = head.rod("rod", length=0.5, section=ld.Circle(radius), material=material, bending=2, torsion=1, nodes=6)
    robot.wrench("water", on=rod, law=Buoyancy(), along=True)
    robot.wrench("held", on=head, law=ld.WorldForce((0.0, 0.0, 1e-9 * G)))
    scenario = ld.Scenario("log", robot, start=ld.Start({"head": (0, 0, -radius * d, 0.4, 0, 0)}))
    q, v = scenario.initial_state()
    a = scenario.problem.accelerations(0.0, q.copy(), v.copy())
    assert np.abs(a).max() < 1e-8


def test_wave_does_the_work() -> None:
    """In a wave, energy grows by the power of the wave and falls by that of drag, which acts on what is wet.

    The samples of the powers are integrated by cubic splines: h^4 / 384 f'''' T = 1e-9 W s here.
    """
    water = Water(RHO, 0.02, Wave(0.04, 2.5, 1.3, (1.0, 0.5), 0.4))
    robot = floater(ld.Ellipsoid((0.5, 0.3, 0.2)), 600.0, Buoyancy(water=water))
    robot.wrench("drag", on="body", law=WetDrag(ld.Drag(5.0, 0.0, 1.0), water=water))
    run = ld.simulate(
        robot, start=ld.Start({"body": (0, 0, 0.0, 0.1, 0.1, 0)}), t_end=2.0, dt=0.001, integrator="rkmk4", progress=False
    )
    times = run.time.values
    energy = (run.kinetic_energy + run.potential_energy).values
    power = (run.power_external - run.power_dissipated).values
    work = CubicSpline(times, power).antiderivative()(times)
    assert np.abs(energy - energy[0] - work).max() < 1e-8 * np.abs(work).max()
    assert np.abs(run.power_external.values).max() > 1.0
    assert run.power_dissipated.values.min() >= 0.0


@pytest.mark.slow
def test_implicit_methods_agree() -> None:
    """Radau's method with the exact slopes of buoyancy and wet drag finds the motion of Runge and Kutta's."""
    water = Water(RHO, 0.0, Wave(0.05, 3.0, 1.5))
    ends = []
    for integrator, dt in (("rkmk4", 0.002), ("radau3", 0.01)):
        robot = floater(ld.Capsule(0.1, 0.5, "x"), 500.0, Buoyancy(water=water))
        robot.wrench("drag", on="body", law=WetDrag(ld.Drag(5.0, (10.0, 40.0, 40.0), 0.5), water=water))
        run = ld.simulate(
            robot, start=ld.Start({"body": (0, 0, 0.02, 0.1, 0.3, 0)}), t_end=0.5, dt=dt, integrator=integrator, progress=False
        )
        ends.append(run.position.values[-1])
    assert np.abs(ends[0] - ends[1]).max() < 1e-5  # order 3 at 10 ms, with kinks of |v| v
