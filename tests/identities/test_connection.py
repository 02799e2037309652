"""Identities of connections: zero momentum, invariance, exact slopes; and what has no connection says so."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.gaits import Connection, connection, curvature, curvature_grid
from locodyn.gaits.local_curvature import slopes
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem
from wheeled_cases import skate_snake

pytestmark = pytest.mark.slow

BASES = ("planar", "free", "spherical", "translating", "revolute", "prismatic")


def flat(zz):
    return ld.about_centre(xx=zz, yy=zz, zz=zz)


def chain(base, gravity=(0.0, 0.0, 0.0)):
    robot = ld.Robot("chain")
    parent = robot.base("b0", moves=base, mass=1.0, centre=(0.1, 0.0, 0.0), inertia=flat(0.1))
    for k, axis in ((1, "z"), (2, "y"), (3, (1, 1, 0))):
        body = robot.body(f"b{k}", mass=1.0 + 0.2 * k, centre=(0.15, 0.02, 0.03), inertia=flat(0.05 * k))
        body.on(parent, at=(0.3, 0.1, 0))
        parent = body.sliding(axis, name="j2") if k == 2 else body.turning(axis, name=f"j{k}")
    return robot.model(gravity=gravity)


def differences(connected, q, h=2e-4):
    """d_a A by central differences of order 4; error about 1e-11."""
    result = []
    for place in connected.positions:
        shifted = []
        for step in (-2, -1, 1, 2):
            here = q.copy()
            here[place] += step * h
            shifted.append(connected.at(here))
        result.append((shifted[0] - 8 * shifted[1] + 8 * shifted[2] - shifted[3]) / (12 * h))
    return np.array(result)


@pytest.mark.parametrize("base", BASES)
def test_mechanical_connection_has_zero_momentum_and_exact_slopes(base):
    model = chain(base)
    connected = Connection(model)
    q = connected.configuration((0.3, -0.5, 0.7))
    rates = np.array([0.4, -0.9, 0.2])
    expected = model.zero_momentum(q, np.concatenate([np.zeros(connected.dim), rates]))
    assert np.abs(-connected.at(q) @ rates - expected[: connected.dim]).max() < 1e-13
    assert np.abs(slopes(connected, q) - differences(connected, q)).max() < 1e-9
    curved = curvature(model, q)
    assert curved.shape == (connected.dim, 3, 3) and np.array_equal(curved, -curved.transpose(0, 2, 1))
    # Left invariance: where the robot is does not matter.
    moved = model.move(q, np.concatenate([0.7 * np.ones(connected.dim), np.zeros(3)]))
    assert np.abs(connection(model, moved) - connection(model, q)).max() < 1e-13


@pytest.mark.parametrize("links", [3, 4])
def test_slopes_of_rows(links):
    connected = Connection(skate_snake(links), ("joint_1", "joint_2"))
    q = connected.configuration((0.8, 1.3))
    if links == 4:  # the third joint follows from its wheel: its motion along each shape coordinate belongs to the derivative
        assert connected.following == ("joint_3",)
        q[5] = 0.4
        velocities, h = connected.velocities(q), 2e-4
        expected = []
        for a in range(2):
            shifted = [connected.at(connected.model.move(q, s * h * velocities[:, a])) for s in (-2, -1, 1, 2)]
            expected.append((shifted[0] - 8 * shifted[1] + 8 * shifted[2] - shifted[3]) / (12 * h))
        with pytest.raises(ld.InputError, match="follows from rolling"):
            curvature(connected, q)
    else:
        expected = differences(connected, q)
    assert np.abs(slopes(connected, q) - expected).max() < 1e-8


def test_a_problem_says_what_is_imposed():
    model = skate_snake(4)
    imposed = {3: ld.constant(0.8), 4: ld.constant(1.3)}
    problem = Problem(model, imposed=imposed, dependent=[5])
    connected = Connection(problem)
    assert connected.shape == ("joint_1", "joint_2") and connected.following == ("joint_3",)
    q = connected.configuration((0.8, 1.3))
    assert np.abs(connected.at(q) - Connection(model, ("joint_1", "joint_2")).at(q)).max() < 1e-15


def test_the_solver_of_runs_gives_the_same_velocities():
    # The projection on the rows in the time loop is another code: rows carried to the base, then joint after joint.
    model = skate_snake(4)
    problem = Problem(
        model, imposed={3: ld.sine(0.5, omega=2.0, offset=0.8), 4: ld.sine(0.3, omega=3.0, offset=1.3)}, dependent=[5]
    )
    q, v = problem.imposed_state(0.37, np.array([1.0, -2.0, 0.7, 0.0, 0.0, 0.4]), np.zeros(6))
    assert np.abs(Connection(problem).velocities(q) @ v[3:5] - v).max() < 1e-13


def test_what_has_no_connection_says_so():
    with pytest.raises(ld.InputError, match="under-constrained, its rows determine 2 of 3"):
        connection(skate_snake(3, wheels=False), skate_snake(3).neutral())
    with pytest.raises(ld.InputError, match="under-constrained"):  # straight: the three axles are parallel
        connection(skate_snake(3), skate_snake(3).neutral())
    with pytest.raises(ld.InputError, match="over-constrained: 'skate_"):
        connection(skate_snake(4), np.array([0.0, 0.0, 0.0, 0.8, 1.3, 0.4]))
    with pytest.raises(ld.InputError, match="gravity pulls"):
        Connection(chain("free", (0.0, 0.0, -9.81)))
    with pytest.raises(ld.InputError, match="mass centre is not on the pivot"):
        connection(chain("spherical", (0.0, 0.0, -9.81)), chain("spherical").neutral())
    robot = ld.Robot("arm")
    robot.body("arm", mass=1.0, inertia=flat(0.1)).on(robot.base("ground", moves="fixed")).turning("z")
    with pytest.raises(ld.InputError, match="reference body is fixed"):
        Connection(robot.model())
    with pytest.raises(ld.InputError, match="no shape coordinate 'j9'"):
        Connection(chain("free"), ("j9",))
    with pytest.raises(ld.InputError, match="two coordinates"):
        curvature_grid(chain("free"), [0.0], [0.0])


def test_laws_of_time_in_the_rows_are_refused():
    robot = ld.Robot("tricycle")
    body = robot.base("body", moves="planar", mass=1.0, inertia=flat(0.1))
    body.wheel("rear", axis="y", radius=0.1, actuated=True)
    body.wheel("front", at=(0.5, 0, 0), axis="y", kind="steered")
    robot.body("mast", mass=1.0, inertia=flat(0.1)).on(body).turning("z")
    with pytest.raises(ld.InputError, match="'front' is steered by a law of time"):
        Connection(robot.model())
    drives = Drives(steering={"front": ld.constant(0.1)}, rolling={"rear": ld.sine(1.0, omega=1.0)})
    with pytest.raises(ld.InputError, match="law of time"):
        Connection(Problem(robot.model(), imposed={3: ld.constant(0.0)}, drives=drives))
