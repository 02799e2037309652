"""What Moreau's time stepping keeps of the momentum and the energy of floating robots that collide.

Impulses are equal and opposite at one point, and the step balances the momenta of its two ends (integrate/momentum_balance.py):
total momentum changes by round-off only, at any step, through any impact. Energy is of the order of the method.
"""

import numpy as np
import pytest

import locodyn as ld
from locodyn.dynamics.totals import TOTALS

pytestmark = pytest.mark.slow

STEPS = (2e-3, 1e-3, 5e-4)
PLACES = ((-0.3, 0.0, 0.0), (0.3, 0.05, 0.02))
SPEEDS = ((1.0, 0.0, 0.0), (-1.0, 0.1, 0.0))
SPINS = ((3.0, -5.0, 7.0), (-4.0, 6.0, 2.0))


def scenario(robot, positions, velocities, t_end, law="newton", **contact):
    return ld.Scenario(
        robot.name, robot, gravity=(0.0, 0.0, 0.0), self_collision=True, start=ld.Start(positions, velocities), dt=1e-3,
        t_end=t_end, contact=ld.HardContact(tolerance=1e-10, restitution=law, **contact), integrator="moreau", record_every=1,
    )  # fmt: skip


def pair(friction=0.3, restitution=0.7, free=True, **contact):
    """Two balls with three unlike moments of inertia meet in space, off centre; free bodies, or translating and ball joints."""
    robot = ld.Robot("pair")
    world = robot.base("world_frame", moves="fixed")
    positions, velocities = {}, {}
    for k, mass in enumerate((1.0, 2.0)):
        inertia = ld.about_centre(xx=0.004 * mass, yy=0.006 * mass, zz=0.003 * mass)
        body = {"mass": mass, "inertia": inertia, "shape": ld.Sphere(0.1)}
        if free:
            ball = robot.body(f"ball_{k}", **body).on(world).free(name=f"ball_{k}")
            positions[f"ball_{k}"], velocities[f"ball_{k}"] = (*PLACES[k], 0.0, 0.0, 0.0), (*SPEEDS[k], *SPINS[k])
        else:
            carrier = robot.body(f"carrier_{k}").on(world).translating(name=f"place_{k}")
            ball = robot.body(f"ball_{k}", **body).on(carrier).ball(name=f"turn_{k}")
            positions[f"place_{k}"], velocities[f"place_{k}"], velocities[f"turn_{k}"] = PLACES[k], SPEEDS[k], SPINS[k]
        ball.collides(friction=friction, restitution=restitution)
    return scenario(robot, positions, velocities, 0.5, **contact)


def trees(friction=0.3, restitution=0.5, **contact):
    """Two floating robots, each a trunk with three limbs on moving joints, with rotors, run into each other; limbs touch, too."""
    robot, rng = ld.Robot("trees"), np.random.default_rng(3)
    world = robot.base("world_frame", moves="fixed")
    positions, velocities = {}, {}
    surface = {"friction": friction, "restitution": restitution}
    for t, side in enumerate((1.0, -1.0)):
        inertia = ld.about_centre(xx=0.02, yy=0.03, zz=0.015)
        trunk = robot.body(f"trunk_{t}", mass=2.0, inertia=inertia, shape=ld.Sphere(0.12)).on(world).free(name=f"trunk_{t}")
        trunk.collides(**surface)
        positions[f"trunk_{t}"] = (-0.5 * side, 0.05 * t, 0.02 * t, 0.0, 0.0, 0.0)
        velocities[f"trunk_{t}"] = (1.5 * side, 0.1, 0.05, *rng.uniform(-3.0, 3.0, 3))
        for k, (axis, at) in enumerate((("y", (0.0, 0.1, 0.1)), ("x", (0.0, -0.1, 0.1)), ("z", (0.0, 0.0, -0.15)))):
            inertia = ld.about_centre(xx=0.004, yy=0.003, zz=0.001)
            limb = robot.body(f"limb_{t}_{k}", mass=0.5, inertia=inertia, shape=ld.Sphere(0.05))
            limb = limb.on(trunk, at=at, body_at=(0.0, 0.0, -0.15)).turning(axis, name=f"joint_{t}_{k}")
            limb.actuator(armature=0.002).collides(**surface)
            velocities[f"joint_{t}_{k}"] = rng.uniform(-4.0, 4.0)
    return scenario(robot, positions, velocities, 0.6, **contact)


def quadruped():
    """A robot of 30 kg with twelve servos in space, hit by a ball of 10 kg at 5 m/s (SimBenchmark, Kang and Hwangbo 2018)."""
    robot = ld.Robot("quadruped")
    world = robot.base("world_frame", moves="fixed")
    inertia = ld.about_centre(xx=0.2, yy=0.6, zz=0.65)
    trunk = robot.body("trunk", mass=16.0, inertia=inertia).on(world).free(name="trunk")
    trunk.collides(ld.Box((0.5, 0.3, 0.2)), friction=0.8)
    positions, servo = {}, {}
    for name, x, y in (("lf", 1.0, 1.0), ("rf", 1.0, -1.0), ("lh", -1.0, 1.0), ("rh", -1.0, -1.0)):
        hip = robot.body(f"{name}_hip", mass=1.4, inertia=ld.about_centre(xx=0.002, yy=0.003, zz=0.002))
        hip = hip.on(trunk, at=(0.28 * x, 0.12 * y, 0.0)).turning("x", name=f"{name}_abduction")
        thigh = robot.body(f"{name}_thigh", mass=1.6, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.003))
        thigh = thigh.on(hip, at=(0.0, 0.05 * y, 0.0), body_at=(0.0, 0.0, 0.125)).turning("y", name=f"{name}_swing")
        shank = robot.body(f"{name}_shank", mass=0.4, inertia=ld.about_centre(xx=0.004, yy=0.004, zz=0.0005))
        shank = shank.on(thigh, at=(0.0, 0.0, -0.125), body_at=(0.0, 0.0, 0.15)).turning("y", name=f"{name}_knee")
        shank.collides(ld.Sphere(0.03), friction=0.8)
        angles = {f"{name}_abduction": 0.0, f"{name}_swing": 0.4 * x, f"{name}_knee": -0.8 * x}
        positions |= angles
        servo |= {joint: ld.Servo(ld.constant(angle), 40.0, 1.0) for joint, angle in angles.items()}
    ball = robot.body("ball", mass=10.0, inertia=ld.about_centre(xx=0.16, yy=0.16, zz=0.16)).on(world).free(name="ball")
    ball.collides(ld.Sphere(0.2), friction=0.8)
    positions["ball"] = (0.05, 1.0, 0.03, 0.0, 0.0, 0.0)
    return scenario(robot, positions, {"ball": (0.0, -5.0, 0.0, 0.0, 0.0, 0.0)}, 0.5).changed(servo=servo)


def run(case, dt):
    result = case.changed(dt=dt).run(progress=False)
    assert np.abs(result.contact_force.values).max() > 0.0
    return result


def lost(case, result):
    """Largest change of the momenta in a run, N s and N m s about the origin, and a bound of round-off.

    A step rounds the momenta of the bodies some twenty times, and adds up at its worst; sqrt(2 m T) bounds their sum (Cauchy).
    """
    totals = np.array([case.model.totals(q, v) for q, v in zip(result.q, result.v, strict=True)])
    momenta, largest = (
        totals[:, TOTALS.linear_momentum :],
        np.sqrt(2.0 * totals[0, TOTALS.mass] * totals[:, TOTALS.kinetic].max()),
    )
    steps = round(result.attributes["t_end"] / result.attributes["step"])
    return np.abs(momenta - momenta[0]).max(), 20.0 * np.finfo(float).eps * largest * steps


@pytest.mark.parametrize(
    "case",
    [pair(), pair(restitution=1.0, friction=0.0), pair(law="poisson"), pair(free=False), trees(), quadruped()],
    ids=["balls", "elastic balls", "poisson", "translating", "trees", "quadruped"],
)
def test_momentum_is_kept(case):
    """Linear and angular, at steps of 1 and 4 ms, at which balls turn by 2 degrees. Without the balance: 5e-6 to 2e-2 N s."""
    for dt in (1e-3, 4e-3):
        change, round_off = lost(case, run(case, dt))
        assert change < round_off


def test_bodies_that_are_pushed_apart_keep_momentum():
    """Position stabilisation moves the robots after a step; their momentum goes with them. With velocities as they were 1e-3."""
    case = trees(stabilise=True)
    change, round_off = lost(case, run(case, 1e-3))
    assert change < round_off


def account(result):
    """Largest defect of the energy account in a run, J."""
    losses = result.friction_loss.values + result.impact_loss.values
    energy = result.total_energy().values
    return np.abs(energy - energy[0] - result.work_supplied.values + losses).max()


@pytest.mark.parametrize("words", [{}, {"friction": 0.0, "restitution": 1.0}, {"restitution": 1.0, "law": "poisson"}])
def test_energy_through_impacts_is_of_second_order(words):
    """Impulses do their work on velocities of the middle of a step: the account closes to second order through impacts of robots
    whose joints move, 4e-5, 1e-4, 1e-4 J of 8 J at 1 ms. With velocities of the ends it would be of first order, 4e-3 to 2e-2 J.
    """
    case = trees(**words)
    off = np.array([account(run(case, dt)) for dt in STEPS])
    assert off[1] < 2e-4
    assert np.log2(off[0] / off[2]) / 2.0 == pytest.approx(2.0, abs=0.1), off


def test_elastic_impacts_neither_gain_nor_lose_energy():
    """Energy after two robots have run into each other, e = 1, without friction: 5e-4, 1.2e-4, 3e-5 J off 8 J."""
    case = trees(friction=0.0, restitution=1.0)
    energies = [run(case, dt).total_energy().values for dt in STEPS]
    off = np.array([abs(energy[-1] - energy[0]) for energy in energies])
    assert off[1] < 2e-4
    assert np.log2(off[0] / off[2]) / 2.0 == pytest.approx(2.0, abs=0.15), off


def test_energy_gained_in_a_step():
    """Balls that spin, between impacts: of third order in a step, 5e-9 J of 2 J at 1 ms."""
    gains = [np.diff(run(pair(), dt).total_energy().values).max() for dt in STEPS]
    assert gains[1] < 1e-8
    assert np.log2(gains[0] / gains[2]) / 2.0 == pytest.approx(3.0, abs=0.1), gains
