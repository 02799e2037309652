"""What Moreau's time stepping keeps of the momentum of free bodies that collide, and to which order of the step."""

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

MASSES = (1.0, 2.0)
STEPS = (2e-3, 1e-3, 5e-4)
PLACES = ((-0.3, 0.0, 0.0), (0.3, 0.05, 0.02))
SPEEDS = ((1.0, 0.0, 0.0), (-1.0, 0.1, 0.0))
SPINS = ((3.0, -5.0, 7.0), (-4.0, 6.0, 2.0))


def pair(spin=1.0, friction=0.3, free=True):
    """Two balls with three unlike moments of inertia meet in space, off centre; free bodies, or translating and ball joints."""
    robot = ld.Robot("pair")
    world = robot.base("world_frame", moves="fixed")
    positions, velocities = {}, {}
    for k, mass in enumerate(MASSES):
        inertia = ld.about_centre(xx=0.004 * mass, yy=0.006 * mass, zz=0.003 * mass)
        body = {"mass": mass, "inertia": inertia, "shape": ld.Sphere(0.1)}
        turns = tuple(spin * np.array(SPINS[k]))
        if free:
            ball = robot.body(f"ball_{k}", **body).on(world).free(name=f"ball_{k}")
            positions[f"ball_{k}"], velocities[f"ball_{k}"] = (*PLACES[k], 0.0, 0.0, 0.0), (*SPEEDS[k], *turns)
        else:
            carrier = robot.body(f"carrier_{k}").on(world).translating(name=f"place_{k}")
            ball = robot.body(f"ball_{k}", **body).on(carrier).ball(name=f"turn_{k}")
            positions[f"place_{k}"], velocities[f"place_{k}"], velocities[f"turn_{k}"] = PLACES[k], SPEEDS[k], turns
        ball.collides(friction=friction, restitution=0.7)
    return ld.Scenario(
        "pair", robot, gravity=(0.0, 0.0, 0.0), self_collision=True, start=ld.Start(positions, velocities), dt=1e-3, t_end=0.5,
        contact=ld.HardContact(tolerance=1e-10), integrator="moreau", record_every=1,
    )  # fmt: skip


def changes(scenario, dt):
    """Largest changes of the linear (N s) and of the angular momentum (N m s, about the origin) in a run."""
    scenario = scenario.changed(dt=dt)
    result = scenario.run(progress=False)
    assert np.abs(result.contact_force.values).max() > 0.0
    momenta = np.array([scenario.model.totals(q, v)[6:12] for q, v in zip(result.q, result.v, strict=True)])
    off = np.abs(momenta - momenta[0]).max(axis=0)
    return off[:3].max(), off[3:].max()


def test_bodies_that_do_not_turn_keep_all():
    """Impulses are equal and opposite at one point: both momenta to round-off, through an impact off centre."""
    linear, angular = changes(pair(spin=0.0, friction=0.0), 1e-3)
    assert max(linear, angular) < 1e-12


@pytest.mark.parametrize("friction, order", [(0.0, 2), (0.3, 1)])
def test_order_of_spinning_bodies(friction, order):
    """Momentum in body axes is turned by the bias at the mean velocity: second order, first where an impact changes the spin."""
    off = np.array([changes(pair(friction=friction), dt) for dt in STEPS])
    assert off[0].max() < 1e-3
    assert np.log2(off[0] / off[2]) / 2.0 == pytest.approx(order, abs=0.2), off


def test_linear_momentum_along_axes_of_the_world_is_exact():
    """Bodies on translating joints with ball joints: the same impact with friction, linear momentum to round-off."""
    linear, _ = changes(pair(free=False), 1e-3)
    assert linear < 1e-12


def test_energy_gained_in_a_step():
    """The bias at the mean velocity, found by one correction, does no work but for the third order: 5e-8 J of 2 J at 1 ms."""
    gains = [np.diff(pair().changed(dt=dt).run(progress=False).total_energy().values).max() for dt in STEPS]
    assert gains[1] < 1e-7
    assert np.divide(gains[:-1], gains[1:]) == pytest.approx(8.0, rel=0.05)
