"""Rods in hard contact: order, stiff rods at long steps, rest, a heavy beam on the ground, a chain of rigid links."""

import contextlib

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.robot import Robot
from locodyn.robot.pose import rotation_of_quaternion

pytestmark = pytest.mark.slow

SOFT = ld.Material(young=1e6, density=1000.0)


def clamped(**values):
    robot = Robot("clamped")
    rod = robot.base("ground", moves="fixed").rod("rod", **values)
    return robot, rod


def check_order_two(scenario):
    """Errors at the end of 0.2 s, against gauss2 at a small step, fall to a quarter with half the step."""
    problem, (q0, v0) = scenario.problem, scenario.initial_state()
    exact = solve(problem, q0, v0, 0.0, 0.2, step=2.5e-4, method="gauss2", record_every=800)
    errors = []
    for step in (2e-3, 1e-3):
        found = solve(problem, q0, v0, 0.0, 0.2, step=step, method="moreau", record_every=round(0.2 / step))
        errors.append(np.abs(found.q[-1] - exact.q[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)


def test_a_swinging_rod_is_of_order_two():
    """Against gauss2 at a small step; no contact."""
    robot, _ = clamped(length=0.5, section=ld.Circle(0.01), material=SOFT, bending=(2, 2), torsion=1, damping=0.01)
    check_order_two(ld.Scenario("swing", robot, t_end=0.2, dt=1e-3))


def test_a_tendon_that_pulls_in_time_is_of_order_two():
    """Its tension is that of the middle of a step (at the end the error would only halve); against gauss2 at a small step."""
    robot, rod = clamped(length=0.5, section=ld.Circle(0.01), material=SOFT, bending=(2, 2), damping=0.01)
    rod.tendon("left", (0.008, 0.0))
    check_order_two(ld.Scenario("pull", robot, tension={"left": ld.sine(2.0, omega=20.0, offset=2.0)}, t_end=0.2, dt=1e-3))


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_stiff_rods_are_stable_at_long_steps(theta):
    """Stretch and shear of a steel wire: periods of microseconds at a step of 1 ms; energy is kept, or falls with theta = 1."""
    steel = ld.Material(young=2e11, density=7800.0)
    robot, _ = clamped(length=0.5, section=ld.Circle(0.001), material=steel, bending=2, torsion=1, stretch=1, shear=1)
    start = ld.Start({"rod.bending_y.0": 0.5})
    scenario = ld.Scenario(
        "wire", robot, start=start, t_end=0.5, dt=1e-3, integrator="moreau", contact=ld.HardContact(theta=theta)
    )
    with pytest.warns(ld.sim.EnergyWarning, match="lost without a source") if theta == 1.0 else contextlib.nullcontext():
        result = scenario.run(progress=False)  # that theta = 1 damps most of the motion is said
    energies, swing = result.total_energy().values, np.ptp(result.kinetic_energy.values)
    assert np.diff(energies).max() < 1e-3 * swing
    assert energies.max() - energies[0] < 5e-3 * swing
    if theta == 1.0:
        assert energies[-1] < energies[0] - 0.05 * swing


@pytest.fixture(scope="module")
def dropped():
    """A free soft rod, dropped 5 cm above the ground, tilted."""
    robot = Robot("dropped")
    base = robot.base("head", mass=0.02, shape=ld.Sphere(0.01))
    base.rod("rod", length=0.4, section=ld.Circle(0.01), material=SOFT, bending=(3, 0), damping=0.01).collides(friction=0.4)
    start = ld.Start({"head": (0.0, 0.0, 0.08, 0.0, 0.1, 0.0)})
    scenario = ld.Scenario("drop", robot, start=start, obstacles=[ld.Ground()], t_end=1.5, dt=1e-3, record_every=5,
                           integrator="moreau")  # fmt: skip
    return scenario.run(progress=False)


def test_a_dropped_rod_rests(dropped):
    """At the end nothing moves, the ground bears the weight, and nothing is deeper than a step of the fall."""
    assert np.abs(dropped.v[-1]).max() < 1e-6
    weight = 9.81 * dropped.attributes["total_mass"]
    assert dropped.contact_force.values[-1].sum(axis=0) == pytest.approx((0.0, 0.0, weight), abs=1e-4 * weight)
    assert dropped.attributes["contact_deepest_penetration"] < np.sqrt(2.0 * 9.81 * 0.08) * 1e-3  # v dt
    assert dropped.attributes["contact_unconverged_steps"] == 0  # although its nodes are more than its freedoms


def test_energy_of_a_dropped_rod(dropped):
    """It never grows, and the losses of impacts, friction and viscosity account for it to second order in the step: 4.2e-5,
    1.05e-5, 2.6e-6 of what is lost at 1, 0.5, 0.25 ms."""
    total = dropped.total_energy().values
    assert np.diff(total).max() < 1e-12 * np.ptp(total)
    balance = total - dropped.energy_supplied().values
    assert np.ptp(balance) < 1e-4 * np.ptp(total)


def test_a_heavy_beam_on_the_ground():
    """Clamped level at the height H over the ground, the free span is L = (72 EI H / w)^(1/4): EI y'' = R s - w s^2 / 2 from
    the touch-down on at small slopes, y' = 0 at the clamp; and the clamp bears w L - R with R = w L / 3."""
    radius, height, length = 0.01, 0.02, 1.2
    stiffness, weight = 2e7 * np.pi * radius**4 / 4.0, 1000.0 * np.pi * radius**2 * 9.81
    span = (72.0 * stiffness * height / weight) ** 0.25
    assert 0.3 < span < 0.8 * length
    rubber = ld.Material(young=2e7, density=1000.0)
    robot, rod = clamped(length=length, at=(0, 0, height + radius), section=ld.Circle(radius), material=rubber, bending=(9, 0),
                         damping=0.05, nodes=24)  # fmt: skip
    rod.collides(friction=0.0)
    result = ld.Scenario("beam", robot, obstacles=[ld.Ground()], t_end=2.0, dt=1e-3, record_every=50, integrator="moreau",
                         contact=ld.HardContact(theta=1.0)).run(progress=False)  # fmt: skip
    borne = result.contact_force.values[-1].sum(axis=0)[2]
    assert np.abs(result.v[-1]).max() < 1e-3
    assert weight * length - borne == pytest.approx(weight * span * 2.0 / 3.0, rel=0.05)
    place, height_of = result.rod_position.values[-1, 0, :, 0], result.rod_position.values[-1, 0, :, 2] - radius
    assert place[np.argmax(height_of < 2e-4)] == pytest.approx(span, rel=0.12)


def test_a_rod_as_a_chain_of_rigid_links():
    """Thirty links with springs EI / h fall on the ground and a peg as the rod with six modes does: the tip agrees to 2 %."""
    radius, length, count = 0.01, 0.6, 30
    h, stiffness = length / count, 1e6 * np.pi * radius**4 / 4.0
    obstacles = [ld.Ground(), ld.Obstacle(ld.Cylinder(0.03, axis="y"), at=(0.35, 0.0, 0.03))]
    rod_robot, rod = clamped(length=length, at=(0, 0, 0.2), section=ld.Circle(radius), material=SOFT, bending=(6, 0),
                             damping=0.02)  # fmt: skip
    rod.collides(friction=0.2)
    chain = Robot("chain")
    last, at = chain.base("ground", moves="fixed"), (0.0, 0.0, 0.2)
    for k in range(count):
        body = chain.body(f"link_{k}", shape=ld.Cylinder(radius, h, axis="x", at=(0.5 * h, 0, 0)), density=1000.0)
        factor = 2.0 if k == 0 else 1.0  # the clamp is half a link away
        last = (
            body.on(last, at=at)
            .turning("y", name=f"j{k}")
            .actuator(stiffness=factor * stiffness / h, viscous=factor * 0.02 * stiffness / h)
        )
        last.collides(ld.Capsule(radius, h, axis="x", at=(0.5 * h, 0, 0)), friction=0.2)
        at = (h, 0.0, 0.0)
    results = [
        ld.Scenario("fall", robot, obstacles=obstacles, t_end=0.6, dt=1e-3, record_every=10, integrator="moreau").run(
            progress=False
        )
        for robot in (rod_robot, chain)
    ]
    tip = results[0].rod_position.values[:, 0, -1]
    axes = rotation_of_quaternion(results[1].body_orientation.values[:, -1])
    other = results[1].body_position.values[:, -1] + axes @ (h, 0.0, 0.0)
    assert tip[-1, 2] < 0.1
    assert np.abs(tip - other).max() < 0.02 * length


def test_a_rod_pushed_into_pegs_and_boxes():
    """Pieces along a rod touch a peg and a box between their ends: the gap there never falls below a step of the approach."""
    robot, rod = clamped(length=0.5, at=(0, 0, 0.1), section=ld.Circle(0.01), material=SOFT, bending=(3, 0), damping=0.02)
    rod.collides(friction=0.3)
    obstacles = [
        ld.Obstacle(ld.Cylinder(0.04, axis="y"), at=(0.27, 0.0, 0.03)),
        ld.Obstacle(ld.Box((0.1, 0.2, 0.06)), at=(0.5, 0.0, 0.0)),
    ]
    result = ld.Scenario("push", robot, obstacles=obstacles, t_end=1.0, dt=1e-3, integrator="moreau").run(progress=False)
    assert result.attributes["contact_deepest_penetration"] < 2e-3
    line = result.rod_position.values[-1, 0]
    peg = np.hypot(line[:, 0] - 0.27, line[:, 2] - 0.03).min() - 0.05
    assert -3e-3 < peg < 2e-3  # it lies on the peg, between the ends of slices too
