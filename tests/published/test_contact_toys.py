"""Toys with impacts and friction against independent codes and closed forms."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo.robots import bouncing_dimer, painleve_rod, woodpecker
from woodpecker_peer import simulate

pytestmark = pytest.mark.slow


def test_woodpecker_follows_an_independent_code():
    """Two cycles; both time steppings at 0.05 ms. Angles differ by less than 1 % of the swing until the second jam."""
    scenario = ld.zoo.woodpecker().changed(t_end=0.3, dt=5e-5, record_every=4)
    result = scenario.run(progress=False)
    p = dict(result.parameters)
    _, states = simulate(p | {"tilt": woodpecker.jammed(p)}, 0.3, 5e-5, small=False, every=4)
    joints = [result.joint_position.sel(joint=name).values for name in ("height", "tilt", "swing")]
    ours = np.column_stack([joints[0], joints[1], joints[1] + joints[2]])
    early = result.time.values < 0.12
    assert np.abs(ours - states)[early, 2].max() < 0.01 * np.ptp(states[:, 2])
    assert np.abs(ours - states)[:, 0].max() < 0.02 * np.ptp(states[:, 0])


@pytest.mark.parametrize("restitution", [0.5, 0.58, 0.65, 0.7])
def test_bouncing_dimer_without_friction(restitution):
    """One ball bounces to its closed form (0.5 %) where the mode exists, above e = (pi - gamma) / (pi + gamma) = 0.555; else both
    balls come to rest on the plate."""
    result = ld.zoo.bouncing_dimer(mu=0.0, restitution=restitution).changed(record_every=4, checks=()).run(progress=False)
    gaps = np.sort(bouncing_dimer.highest(result))
    expected = bouncing_dimer.bounce(dict(result.parameters))
    assert (expected > 0.0) == (restitution > (np.pi - 0.9) / (np.pi + 0.9))
    assert gaps[1] == pytest.approx(expected, rel=5e-3, abs=1e-6)
    assert gaps[0] < 0.02 * expected + 1e-6


def test_a_slender_rod_is_in_a_paradox_beyond_four_thirds_only():
    """Painleve: 1 + 3 cos (cos - mu sin) is least at the angle (pi - atan mu) / 2, where it is 5/2 - 3/2 sqrt(1 + mu^2), negative
    iff mu > 4/3. There the sliding end stops within the first step, from 2 m/s; below it slides on at all angles, with the normal
    force m g over that number (1534 N for 1 kg just below)."""

    def run(mu, angle, dt):
        return ld.zoo.painleve_rod(mu=mu, angle=angle).changed(t_end=2.0 * dt, dt=dt, checks=()).run(progress=False)

    below, beyond = 1.328, 1.338
    worst = {mu: 0.5 * (np.pi - np.arctan(mu)) for mu in (below, beyond)}
    assert painleve_rod.end_speed_after_first_step(run(beyond, worst[beyond], 1e-4)) < 1e-6
    for angle in (worst[below], *np.radians([20, 40, 55, 65, 80])):
        result = run(below, angle, 1e-6)
        assert painleve_rod.end_speed_after_first_step(result) > 1.99
        c, s = np.cos(angle), np.sin(angle)
        assert painleve_rod.first_force(result) == pytest.approx(9.81 / (1.0 + 3.0 * c * (c - below * s)), rel=1e-3)


@pytest.mark.parametrize("law, expected", [("newton", (0.0, 0.0)), ("poisson", (0.5, 0.0))])
def test_rod_that_lies_on_one_end_and_hits_with_the_other(law, expected):
    """End A rests (e = 1), end B hits with 1 m/s (e = 0). M^-1 at the ends is [[4, -2], [-2, 4]] / m.

    Compression stops B with the impulses m (1/6, 1/3). By Newton both ends are at rest. By Poisson A gives m/6 back, B must
    not go down: it takes another m/12, and A leaves with (4/6 - 2/12) = 1/2 m/s.
    """
    robot = ld.Robot("rod")
    rod = robot.base("rod", moves="planar", turned=("x", 0.5 * np.pi), mass=1.0, inertia=ld.about_centre(zz=1.0 / 12.0))
    rod.collides(vertices=[(-0.5, 0.0, 0.0)], restitution=1.0)
    rod.collides(vertices=[(0.5, 0.0, 0.0)], restitution=0.0)
    start = ld.Start({"rod": (0.0, 0.0, 0.0)}, {"rod": (0.0, -0.5, -1.0)})
    scenario = ld.Scenario(
        "rod", robot, gravity=(0, 0, 0), obstacles=[ld.Ground()], start=start, t_end=1e-6, dt=1e-6, integrator="moreau",
        contact=ld.HardContact(restitution=law),
    )  # fmt: skip
    _, v, omega = scenario.run(progress=False).v[-1]
    assert (v - 0.5 * omega, v + 0.5 * omega) == pytest.approx(expected, abs=1e-6)


def test_impulse_runs_through_a_row_and_friction_takes_energy_only():
    """Falling boxes by Poisson: no record gains energy, the balance closes."""
    scenario = ld.zoo.falling_boxes(n=2).changed(contact=ld.HardContact(restitution="poisson"), record_every=1, checks=())
    result = scenario.run(progress=False)
    energy = result.total_energy().values
    assert np.diff(energy).max() < 1e-12 * energy[0]
    # Nothing turns: impulses work at the mean of velocities before and after, which is exact.
    assert energy - energy[0] == pytest.approx(result.energy_supplied().values, abs=1e-11 * energy[0])


def bounce(law, e, mu, angle, v):
    """Energy after over energy before of a rod that falls on its lower end while it slides."""
    robot = ld.Robot("rod")
    rod = robot.base("rod", moves="planar", turned=("x", 0.5 * np.pi), mass=1.0, inertia=ld.about_centre(zz=1.0 / 12.0))
    rod.collides(vertices=[(-0.5, 0.0, 0.0)], restitution=e, friction=mu)
    c, s = np.cos(angle), np.sin(angle)
    start = ld.Start({"rod": (0.0, 0.5 * s, angle)}, {"rod": (v[0] * c + v[1] * s, -v[0] * s + v[1] * c, 0.0)})
    scenario = ld.Scenario(
        "rod", robot, gravity=(0, 0, 0), obstacles=[ld.Ground()], start=start, t_end=1e-7, dt=1e-7, integrator="moreau",
        contact=ld.HardContact(restitution=law),
    )  # fmt: skip
    energy = scenario.run(progress=False).kinetic_energy.values
    return energy[-1] / energy[0]


def test_newton_may_gain_energy_with_friction_and_poisson_does_not():
    """Kane's paradox: where friction stops the slip during the impact, Newton's law may give energy (here 4.6 %)."""
    cases = [(0.6, np.radians(45.0), (0.3, -1.0)), (0.3, np.radians(60.0), (1.0, -1.0)), (1.0, np.radians(45.0), (-1.0, -1.0))]
    newton, poisson = ([bounce(law, 0.9, mu, angle, v) for mu, angle, v in cases] for law in ("newton", "poisson"))
    assert newton[0] > 1.04 and newton[1] > 1.02
    assert max(poisson) < 1.0
