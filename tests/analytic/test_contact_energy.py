"""The energy account of Moreau's time stepping where velocities jump, and where springs are taken at the end of a step."""

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

STEPS = (2e-3, 1e-3, 5e-4)


def defect(result):
    """Largest energy that neither work nor losses tell of, J."""
    balance = result.total_energy().values - result.energy_supplied().values
    return np.abs(balance - balance[0]).max()


@pytest.mark.parametrize("theta", [0.5, 0.75, 1.0])
def test_springs_at_theta_of_a_step(theta):
    """A mass on a spring: the mass matrix is constant, so that T changes by the work of k (q_A + theta dq) exactly, and V by that
    of k (q_A + dq / 2). Their difference, (theta - 1/2) k dq^2, is ``damping_loss``; at 1 it takes a fifth of the energy.
    """
    robot = ld.Robot("mass")
    body = robot.body("mass", mass=1.0, shape=ld.Sphere(0.1)).on(robot.base("frame", moves="fixed"))
    body.sliding("x", name="slide").actuator(stiffness=400.0).collides()
    case = ld.Scenario(
        "mass", robot, start=ld.Start({"slide": 0.1}), contact=ld.HardContact(theta=theta), integrator="moreau", dt=2e-3,
        t_end=0.5, obstacles=[ld.Ground(at=(0.0, 0.0, -1.0))], record_every=1,
    )  # fmt: skip
    result = case.run(progress=False)
    energy = result.total_energy().values
    # It damps as a viscosity c = (theta - 1/2) dt k: energy falls as exp(-c t / m), and sways about that by c / sqrt(k m).
    c = (theta - 0.5) * 2e-3 * 400.0
    assert energy[-1] / energy[0] == pytest.approx(np.exp(-c * 0.5), rel=c / 20.0 + 1e-9)
    assert defect(result) < 1e-13 * len(energy) * energy[0]


def test_a_jump_without_a_collision():
    """Painleve: the end of the rod stops in the first step, without having come down. Of second order, 2e-8 of 1.8 J at 0.1 ms;
    with velocities of both ends, as where they do not jump, of first, 9e-5.
    """
    rod = ld.zoo.painleve_rod().changed(t_end=0.01, checks=())
    off = np.array([defect(rod.changed(dt=dt).run(progress=False)) for dt in (2e-4, 1e-4)])
    assert off[1] < 1e-6
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.1), off


def arm():
    """Two links that fly against a wall, off centre, with a servo between them that adds more to a step's equation than M has."""
    robot = ld.Robot("arm")
    link = {"mass": 1.0, "inertia": ld.about_centre(xx=0.001, yy=0.01, zz=0.01)}
    first = robot.base("first", moves="planar", **link)
    first.collides(ld.Sphere(0.05), friction=0.3)
    second = robot.body("second", **link).on(first, at=(0.2, 0.0, 0.0), body_at=(-0.2, 0.0, 0.0)).turning("z", name="elbow")
    second.collides(ld.Sphere(0.05), friction=0.3)
    wall = ld.Ground(normal="-x", at=(0.5, 0.0, 0.0), friction=0.3)
    start = ld.Start({"first": (0.0, 0.0, 0.4), "elbow": 0.5}, {"first": (2.0, 0.3, 3.0)})
    return ld.Scenario(
        "arm", robot, gravity=(0.0, 0.0, 0.0), servo={"elbow": ld.Servo(ld.constant(0.5), 4000.0, 80.0)}, start=start,
        obstacles=[wall], contact=ld.HardContact(tolerance=1e-10), integrator="moreau", dt=1e-3, t_end=0.3, record_every=1,
    )  # fmt: skip


def test_a_stiff_servo_in_an_impact():
    """Momenta are carried to the middle of a step by M alone, in no time: 2.1e-5, 6e-6, 2e-6 of 4.8 J, of second order as soon
    as steps resolve the servo. By the matrix of the step, with the servo in it: 2.9e-5, 4.2e-5, 3.5e-5 J, of no order.
    """
    results = [arm().changed(dt=dt).run(progress=False) for dt in STEPS]
    assert all(np.abs(result.contact_force.values).max() > 100.0 for result in results)
    off = np.array([defect(result) for result in results])
    assert np.log2(off[0] / off[2]) / 2.0 > 1.5, off


def test_work_of_a_python_function():
    """A box without friction, pushed from rest by F = 3 N along x and held back by -c v, both by a function: m v' = F - c v.

    Its work is that of its impulse on the mean velocity of each step: the change of the energy to round-off.
    The motion is known to the first order of the step, as the function is asked at its start.
    """
    m, f, c, end, step = 2.0, 3.0, 1.5, 0.8, 0.01
    robot = ld.Robot("pushed")
    box = robot.base("box", moves="planar", turned=("x", 0.5 * np.pi), mass=m, inertia=ld.about_centre(zz=0.1))
    box.collides(vertices=[(-0.2, -0.1, 0.0), (0.2, -0.1, 0.0)])

    def push(t, rotation, position, twist):
        return np.concatenate([rotation.T @ (f, 0.0, 0.0) - c * twist[:3], np.zeros(3)])

    robot.wrench("push", on=box, law=ld.UserLaw(push))
    run = ld.simulate(
        robot, obstacles=[ld.Ground()], start={"box": (0.0, 0.1, 0.0)}, integrator="moreau", dt=step, t_end=end, progress=False
    )
    assert run.status == "completed"
    energy, work = run.total_energy().values, 0.5 * m * (f / c * (1.0 - np.exp(-c * end / m))) ** 2
    assert energy[-1] - energy[0] == pytest.approx(work, rel=2.0 * step)
    np.testing.assert_allclose(run.energy_supplied().values, energy - energy[0], atol=1e-12)
