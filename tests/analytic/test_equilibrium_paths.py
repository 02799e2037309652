"""Equilibrium paths with and without loops: folds and branch points in closed form and by shooting; falls to stable ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

import locodyn as ld
from locodyn.equilibria import branch, equilibrium_path, vibrations
from locodyn.locomotion.problem import Problem
from locodyn.robot import GivenSection
from locodyn.world.laws import WorldForce
from rod_cases import cantilever

UNIT = GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), mass=1.0)
NO_GRAVITY = (0.0, 0.0, 0.0)


def arch(half: float, modes: int = 3) -> ld.Robot:
    """Two rods of 1 m, EI = 1, on hubs at (-half, 0) and (half, 0), facing each other; their tips are pinned."""
    robot = ld.Robot("arch")
    ground, tips = robot.base("ground", moves="fixed"), []
    for name, x, turn in (("left", -half, 0.0), ("right", half, np.pi)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x, 0, 0)).turning("z", name=f"{name}_hub")
        tips.append(hub.rod(name, turned=("z", turn), length=1.0, section=UNIT, bending=(0, modes), nodes=4 * modes))
    return robot.loop("pin", tips[0], tips[1], joint="revolute", axis="z")


def driven_arch(half: float, modes: int = 3, **fields: object) -> ld.Scenario:
    """Its hubs turn down together: angles 0.5 - t and t - 0.5."""
    law = ld.polynomial(0.5, -1.0)
    return ld.Scenario(
        "arch", arch(half, modes), gravity=NO_GRAVITY, imposed={"left_hub": law, "right_hub": -1.0 * law},
        start={"left.bending_z.0": 0.5, "right.bending_z.0": -0.5}, **fields,
    )  # fmt: skip


@pytest.mark.slow
def test_a_pendulum_held_by_a_torque() -> None:
    """tau = m g l sin(theta): theta = pi/6 hangs, its mirror image 5 pi/6 stands and falls. Newton's method ends at round-off."""
    robot = ld.Robot("pendulum")
    robot.body("bob", mass=2.0, centre=(0, 0, -0.5), inertia=ld.about_centre(yy=0.1)).on(
        robot.base("ground", moves="fixed")
    ).turning("-y")
    torque = {"bob": 0.5 * 2.0 * 9.81 * 0.5}
    hanging = ld.statics(robot, torque=torque)
    standing = ld.statics(robot, torque=torque, start={"bob": 2.5})
    assert hanging.stable and hanging.q[0] == pytest.approx(np.pi / 6.0, abs=1e-10)
    assert standing.unstable_directions == 1 and standing.q[0] == pytest.approx(5.0 * np.pi / 6.0, abs=1e-10)


@pytest.mark.slow
def test_straight_column_has_eulers_branch_points() -> None:
    """pi^2/4 and 9 pi^2/4 EI/L^2 (clamped, free); the branch is the elastica: load K(k)^2 EI/L^2, k = sin(a/2)."""
    from scipy.special import ellipk

    problem = Problem(
        cantilever(WorldForce((-10.0, 0, 0)), length=1.0, section=UNIT, bending=(0, 8), nodes=48).model(gravity=NO_GRAVITY)
    )
    path = equilibrium_path(problem, arc=0.1, points=60, until=lambda e: e.load > 2.5)
    assert [point.kind for point in path.critical] == ["branch", "branch"]
    loads = [10.0 * point.equilibrium.load for point in path.critical]
    np.testing.assert_allclose(loads, [np.pi**2 / 4.0, 9.0 * np.pi**2 / 4.0], rtol=1e-5)
    assert [path[0].unstable_directions, path[-1].unstable_directions] == [0, 2]
    for side in (1, -1):
        bent = branch(problem, path.branch_points[0], arc=0.1, side=side, points=40)
        assert all(point.stable for point in bent[1:])
        rotation, _ = problem.model.pose("rod", bent[-1].q)
        angle = np.arctan2(rotation[1, 0], rotation[0, 0])
        assert abs(angle) > 1.5
        assert 10.0 * bent[-1].load == pytest.approx(ellipk(np.sin(0.5 * angle) ** 2) ** 2, rel=1e-6)
    with pytest.raises(ld.InputError, match="a fold has no other branch"):
        branch(problem, path.critical[0].__class__("fold", path[0], np.zeros(9)), arc=0.1)


def arch_tip(root: list[float], force: float) -> np.ndarray:
    """Tip (x, y, theta, theta') of the elastica under a horizontal force on it: theta'' = force * sin(theta)."""

    def slope(s: float, y: np.ndarray) -> list[float]:
        return [np.cos(y[2]), np.sin(y[2]), y[3], force * np.sin(y[2])]

    return solve_ivp(slope, (0.0, 1.0), root, rtol=1e-11, atol=1e-12).y[:, -1]


def half_arch(angle: float, half: float, guess: np.ndarray) -> np.ndarray:
    """Height of the pin of the symmetric arch and what shooting found: root curvature and horizontal force (EI = 1)."""

    def end(unknown: np.ndarray) -> np.ndarray:
        curvature, force = unknown
        return arch_tip([-half, 0.0, angle, curvature], force)

    found, _, ok, _ = fsolve(lambda u: end(u)[[0, 3]], guess, full_output=True, xtol=1e-12)
    assert ok == 1
    return np.array([end(found)[1], *found])


@pytest.mark.slow
def test_fold_of_an_arch_against_shooting() -> None:
    """The hub angle at which an arch of two pinned rods snaps: least angle of shooting solutions over the height of the pin."""
    half = 0.92
    scenario = driven_arch(half, 8)
    path = equilibrium_path(scenario.problem, scenario.initial_state()[0], along="time", arc=0.1, points=80)
    fold = path.folds[0].equilibrium
    assert abs(fold.eigenvalues[0]) < 1e-6 and fold.eigenvalues[1] > 0.1
    assert [path[0].stable, path[-1].stable] == [True, False]
    height = scenario.model.pose("left", fold.q)[1][1]
    angle = 0.5 - fold.time
    # independent: march along the angle to near the fold, then with the height given
    guess, angles = np.array([-0.5, -1.0]), np.linspace(0.5, angle + 0.03, 12)
    for a in angles:
        found = half_arch(a, half, guess)
        guess = found[1:]

    def angle_at(y: float, start: np.ndarray) -> np.ndarray:
        def miss(u: np.ndarray) -> np.ndarray:
            tip = arch_tip([-half, 0.0, u[0], u[1]], u[2])
            return np.array([tip[0], tip[1] - y, tip[3]])

        return fsolve(miss, start, xtol=1e-12)

    state = np.array([angles[-1], *guess])
    for y in np.linspace(found[0], height, 6):
        state = angle_at(y, state)

    def rate(y: float) -> float:
        return (angle_at(y + 1e-4, state)[0] - angle_at(y - 1e-4, state)[0]) / 2e-4

    lowest = brentq(rate, height - 0.01, height + 0.01, xtol=1e-6)
    assert height == pytest.approx(lowest, abs=1e-3)
    assert angle == pytest.approx(angle_at(lowest, state)[0], abs=5e-6)  # 2e-5 with half the nodes: order 4


@pytest.mark.slow
def test_eigenvalues_count_what_grows() -> None:
    """Along the path of an arch: negative eigenvalues of the stiffness that the loops leave open are as many as growing small
    motions (with the masses in play), and those of the whole saddle matrix are more by the rank of the rows (Gould 1985).
    """
    scenario = driven_arch(0.92)
    path = equilibrium_path(scenario.problem, scenario.initial_state()[0], along="time", arc=0.2, points=60)
    assert {point.unstable_directions for point in path} >= {0, 1}
    for point in path[::7]:
        growing = vibrations(scenario.problem, point.q, point.time).real
        assert np.sum(growing > 1e-3) == point.unstable_directions
        from locodyn.equilibria.rows_at_rest import RowsAtRest

        rows = RowsAtRest(scenario.problem).at(point.q)[1][:2]
        free = [i for i in range(scenario.model.nv) if "hub" not in scenario.compiled.coordinate_names[i]]
        saddle = np.block([[point.stiffness[np.ix_(free, free)], rows.T], [rows, np.zeros((2, 2))]])
        assert np.sum(np.linalg.eigvalsh(0.5 * (saddle + saddle.T)) < 0.0) == point.unstable_directions + 2


@pytest.mark.slow
def test_equilibria_come_in_mirror_pairs() -> None:
    """Hubs at zero, no weight: the arch stands up or hangs, mirror images of each other (Gotelli 2024; acceptance C7a)."""
    found = []
    for side in (1.0, -1.0):
        start = {"left.bending_z.0": 0.5 * side, "right.bending_z.0": -0.5 * side}
        hubs = {"left_hub": 0.0, "right_hub": 0.0}
        found.append(ld.statics(arch(0.92), gravity=NO_GRAVITY, imposed=hubs, start=start, stable=True))
    assert found[0].stable and found[1].stable
    np.testing.assert_allclose(found[0].q, -found[1].q, atol=1e-9)
    assert abs(found[0].q[1]) > 0.1


@pytest.mark.slow
def test_falls_from_a_saddle_and_from_a_rough_guess() -> None:
    """Newton alone stops at the straight column beyond its buckling load and at an S-shaped arch; with ``stable`` the robot falls
    on to an equilibrium with positive eigenvalues, the same as along the path.
    """
    robot = cantilever(WorldForce((-5.0, 0, 0)), length=1.0, section=UNIT, bending=(0, 6), nodes=20)
    straight = ld.statics(robot, gravity=NO_GRAVITY)
    assert straight.unstable_directions == 1 and np.abs(straight.q).max() < 1e-9
    bent = ld.statics(robot, gravity=NO_GRAVITY, stable=True)
    assert bent.stable and abs(bent.q[0]) > 1.0
    legs = arch(0.3)
    torque = {"left_hub": 1.0, "right_hub": -1.0}
    for angle in (0.2, 1.2, 1.6):  # from 1.6 Newton's method goes to a saddle
        start = {"left_hub": angle, "right_hub": -angle}
        found = ld.statics(legs, gravity=NO_GRAVITY, start=start, torque=torque, stable=True)
        assert found.stable and found.residual < 1e-9
        np.testing.assert_allclose(*(legs.model().pose(tip, found.q)[1] for tip in ("left", "right")), atol=1e-9)


@pytest.mark.slow
def test_refusals() -> None:
    with pytest.raises(ld.InputError, match=r"cannot be closed near the start: 'pin\.x' stays open by"):
        ld.statics(arch(1.5), gravity=NO_GRAVITY)
    free = ld.Robot("ball")
    free.base("ball", moves="free", mass=1.0, inertia=ld.about_centre(xx=1.0, yy=1.0, zz=1.0))
    with pytest.raises(ld.RunError, match="does not come to rest"):
        ld.statics(free, stable=True)


def test_a_path_is_along_the_load_or_the_time() -> None:
    with pytest.raises(ld.InputError, match="it must be 'load' or 'time'"):
        equilibrium_path(driven_arch(0.9).problem, arc=0.1, along="angle")
