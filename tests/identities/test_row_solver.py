"""One solver of bilateral rows: connections, statics and runs agree, also on rods, on wheels and where rows are redundant."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria import equilibrium, equilibrium_path
from locodyn.gaits import Connection
from locodyn.gaits.local_curvature import slopes
from locodyn.locomotion.constraint_rows import Sharing
from locodyn.locomotion.problem import Problem
from locodyn.world.laws import Anchor
from locodyn.zoo.robots import bennett as bennett_file

pytestmark = pytest.mark.slow

NO_GRAVITY = (0.0, 0.0, 0.0)


def worm(sleeves: int) -> ld.Scenario:
    """A planar body of 1.25 m through sleeves: a wave that suits any number of them, and beside three a shape that swells."""
    robot = ld.Robot("worm")
    fields = [ld.StrainField("wave", ld.travelling("bending_z", 6.0, wavelength=1.0))]
    if sleeves == 3:  # as many rows as the head has velocities
        fields.append(ld.StrainField("swell", ld.standing("bending_z", 1.0, wavelength=0.8)))
    body = robot.base("head", moves="planar").rod(
        "body", length=1.25, section=ld.Circle(0.02), material=ld.silicone, nodes=60, fields=fields
    )
    for n in range(sleeves):
        body.sleeve(f"ring_{n + 1}", at=0.1 + 1.05 * n / (sleeves - 1))
    imposed = {"body.wave": ld.polynomial(0.0, -0.5)}
    return ld.Scenario("worm", robot, gravity=NO_GRAVITY, imposed=imposed, t_end=0.2, dt=0.01)


def test_the_connection_of_a_rod_robot_is_the_motion_of_a_run() -> None:
    """Sections of a body in slices agree to some 1e-6 only, so that redundant sleeves contradict each other by as much. The
    connection takes the same independent rows as the run, and both give one motion to round-off.
    """
    scenario = worm(5)
    run = scenario.run(progress=False)
    connected = Connection(scenario)
    assert run.status == "completed" and connected.kind == "kinematic"
    q, v = np.asarray(run.q), np.asarray(run.v)
    missed = 0.0
    for n in (0, 7, 13, 20):
        velocities = connected.velocities(q[n])
        np.testing.assert_allclose(velocities @ v[n, connected.indices], v[n], atol=1e-12 * np.abs(v[n]).max())
        missed = max(missed, np.abs(connected.rows.jacobian(connected.centred(q[n])) @ velocities).max())
    assert missed > 1e-9  # redundant rows do contradict each other: another choice would be seen


def test_slopes_of_the_connection_of_a_rod_robot_are_exact() -> None:
    """Against differences of order 4 of A: their error is h^4 / 30 of the fifth derivative, some (2 pi)^5, 5e-10 for h = 1e-3."""
    connected = Connection(worm(3).robot, shape=["body.wave", "body.swell"])
    q, h, expected = connected.configuration((0.12, 0.3)), 1e-3, []
    for place in connected.positions:
        shifted = []
        for side in (-2, -1, 1, 2):
            here = q.copy()
            here[place] += side * h
            shifted.append(connected.at(here))
        expected.append((shifted[0] - 8 * shifted[1] + 8 * shifted[2] - shifted[3]) / (12 * h))
    found = slopes(connected, q)
    assert np.abs(found).max() > 1.0
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(found).max())


def test_redundant_loops_at_rest_share_as_in_a_run() -> None:
    """Bennett's linkage, 5 rows of rank 2: statics leaves the multipliers that a run records where it rests, weights included."""
    scenario = ld.zoo.bennett()
    start = np.array(list(bennett_file.assembled({q.name: q.value for q in bennett_file.PARAMETERS}).values()))
    model = scenario.robot.model(gravity=(0.0, 0.0, -9.81))
    shares = []
    for weights in ({}, {Problem(model).constraints.names[0]: 3.0}):
        problem = Problem(model, sharing=Sharing(weights))
        found = equilibrium(problem, start, stable=True)
        series = problem.series(np.zeros(1), found.q[None], np.zeros((1, 3)))
        np.testing.assert_allclose(found.multipliers, series["multiplier"][0], atol=1e-10 * np.abs(found.multipliers).max())
        shares.append(found.multipliers)
    assert np.abs(shares[1] - shares[0]).max() > 0.01 * np.abs(shares[0]).max()


SLOPE = np.array([1.5, -0.7])  # m/s^2, of a plane that is tilted
STIFFNESS, MASS, HEADING = 40.0, 2.0, 0.4


def sledge(skates: int) -> ld.Robot:
    """A body on skates along its x axis, 0.3 m apart, held by a spring at its front."""
    robot = ld.Robot("sledge")
    body = robot.base("body", moves="planar", mass=MASS, inertia=ld.about_centre(zz=0.1))
    for k in range(skates):
        body.skate(f"skate_{k}", at=(0.3 * k - 0.3, 0.0, 0.0))
    robot.wrench("rope", on="body", law=Anchor((0.2, 0.1, 0.0), STIFFNESS))
    return robot


@pytest.mark.parametrize("skates", [2, 3])
def test_a_sledge_rolls_to_its_equilibrium(skates: int) -> None:
    """It slides along its heading d only: s = d . x0 + m g . d / k; skates take the rest across, and the moment, the third one by
    the smallest norm. Statics of wheels in closed form, to round-off.
    """
    start = {"body": (0.0, 0.0, HEADING)}
    gravity = (*SLOPE, 0.0)
    found = ld.statics(sledge(skates), gravity=gravity, start=start)
    along, across = np.array([np.cos(HEADING), np.sin(HEADING)]), np.array([-np.sin(HEADING), np.cos(HEADING)])
    place = np.array([0.2, 0.1])
    s = along @ place + MASS * SLOPE @ along / STIFFNESS
    np.testing.assert_allclose(found.q, [*(s * along), HEADING], atol=1e-12)
    assert found.stable and len(found.eigenvalues) == 1
    pull = MASS * SLOPE @ across + STIFFNESS * (place - s * along) @ across
    arms = np.array([0.3 * k - 0.3 for k in range(skates)])
    balance = np.vstack([np.ones(skates), arms])
    np.testing.assert_allclose(found.multipliers, np.linalg.pinv(balance) @ [-pull, 0.0], atol=1e-10)


def test_what_follows_a_path_takes_no_wheels() -> None:
    with pytest.raises(ld.InputError, match=r"'skate_0' rolls, .* a path of equilibria has no place for it"):
        equilibrium_path(Problem(sledge(2).model(gravity=(*SLOPE, 0.0))), arc=0.1)


def test_a_sledge_that_nothing_holds_has_no_equilibrium() -> None:
    """Along its heading gravity pulls and nothing resists: the smallest step is none, and must not count as a solution."""
    free = ld.Robot("sledge")
    free.base("body", moves="planar", mass=MASS, inertia=ld.about_centre(zz=0.1)).skate("rear").skate("front", at=(0.3, 0, 0))
    with pytest.raises(ld.RunError, match="something can move without resistance"):
        ld.statics(free, gravity=(*SLOPE, 0.0))
