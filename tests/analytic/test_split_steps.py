"""Steps of floating bodies on SO(3) x R^3: tangents (row D1 of Gotelli 2024), order 2, straight paths; the library's own against
a peer that steps one body, and against SE(3)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from feature_cases import scenario as scenario_of
from locodyn.integrate import solve
from locodyn.integrate.implicit.arrays import implicit_scratch
from locodyn.integrate.implicit.method import OneStage
from locodyn.integrate.implicit.step import begin_step, evaluate_stage, start
from locodyn.integrate.methods import HHT, WBZ, GeneralizedAlpha, ImplicitEuler, Newmark, Radau3
from locodyn.lie import SO3
from locodyn.locomotion.problem import Problem
from split_steps import AlphaRule, SplitBody, SplitStep

pytestmark = pytest.mark.slow

MASS, CENTRE, TENSOR = 2.0, np.array([0.1, -0.2, 0.05]), np.diag([0.3, 0.5, 0.7])


def hat(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


INERTIA = np.block([[MASS * np.eye(3), -MASS * hat(CENTRE)], [MASS * hat(CENTRE), TENSOR - MASS * hat(CENTRE) @ hat(CENTRE)]])
SPIN = np.array([0.4, -0.3, 0.2, 1.0, 2.0, -0.5])
TILT = SO3.exp(np.array([0.3, -0.4, 0.6]))


def weight(t: float, rotation: np.ndarray, place: np.ndarray) -> np.ndarray:
    return INERTIA @ np.concatenate([rotation.T @ (0.0, 0.0, -9.81), np.zeros(3)])


@pytest.mark.parametrize("seed", range(4))
def test_tangents_against_differences(seed: int) -> None:
    """dC, dA, dB (B.5): central differences, 1e-7 relative as the row asks."""
    random = np.random.default_rng(seed)
    step = SplitStep(SO3.exp(random.standard_normal(3)), random.standard_normal(3), 20.0, 400.0, *random.standard_normal((2, 6)))
    nu, e = 0.4 * random.standard_normal(6), 1e-6
    exact = step.tangents(nu)
    rotation = step.pose(nu)[0]

    def moved(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        turn, place = step.pose(x)
        pose = np.concatenate([rotation.T @ (place - step.pose(nu)[1]), SO3.log(rotation.T @ turn)])
        return pose, step.twist(x), step.acceleration(x)

    for k, unit in enumerate(np.eye(6)):
        for found, ahead, behind in zip(exact, moved(nu + e * unit), moved(nu - e * unit), strict=True):
            slope = (ahead - behind) / (2.0 * e)
            assert np.abs(found[:, k] - slope).max() < 1e-7 * max(1.0, np.abs(found).max())


def exact_motion(t_end: float) -> np.ndarray:
    """Rotation (9) and place (3) at the end, by DOP853 on Newton and Euler."""
    body = SplitBody(INERTIA, weight)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        rotation, eta = y[:9].reshape(3, 3), y[12:]
        etadot = np.linalg.solve(INERTIA, body._pull(t, rotation, y[9:12], eta))
        return np.concatenate([(rotation @ hat(eta[3:])).ravel(), rotation @ eta[:3], etadot])

    start = np.concatenate([TILT.ravel(), np.zeros(3), SPIN])
    return solve_ivp(rate, (0.0, t_end), start, "DOP853", rtol=1e-12, atol=1e-12).y[:12, -1]


RULES = {
    "newmark": AlphaRule(kind="newmark"), "0.5": AlphaRule(0.5), "0.9": AlphaRule(0.9), "hht": AlphaRule(0.8, "hht"),
    "wbz": AlphaRule(0.8, "wbz"),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_order_two(rule: AlphaRule) -> None:
    """Half the step, a quarter of the error, for a body whose mass centre is off its origin."""
    exact, errors = exact_motion(1.0), []
    for step in (0.02, 0.01, 0.005):
        rotations, places, _ = SplitBody(INERTIA, weight, rule).run(TILT, np.zeros(3), SPIN, 1.0, step)
        errors.append(np.abs(np.concatenate([rotations[-1].ravel(), places[-1]]) - exact).max())
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx(2.0, abs=0.15)


def test_a_free_body_goes_straight_on() -> None:
    """About its mass centre the path is exact at any step, however it tumbles; kinetic energy of the spin stays near."""
    inertia = np.block([[MASS * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), TENSOR]])
    body = SplitBody(inertia, lambda t, rotation, place: np.zeros(6), RULES["newmark"])
    rotations, places, twists = body.run(TILT, np.zeros(3), SPIN, 5.0, 0.05)
    velocity = TILT @ SPIN[:3]
    assert places == pytest.approx(np.outer(0.05 * np.arange(101), velocity), abs=1e-11)
    energy = 0.5 * np.einsum("ti,ij,tj->t", twists, inertia, twists)
    assert np.ptp(energy) < 0.02 * energy[0] and np.abs(np.linalg.det(rotations) - 1.0).max() < 1e-12


# ----------------------------------------------------------------------------------------------------- the library's own steps
def body() -> ld.Robot:
    robot = ld.Robot("body")
    robot.base("body", moves="free", mass=MASS, centre=tuple(CENTRE), inertia=ld.about_centre(TENSOR))
    return robot


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "rule"),
    [
        (Newmark(1e-13, split=1), "newmark"), (GeneralizedAlpha(1e-13, split=1, rho_inf=0.5), "0.5"),
        (HHT(1e-13, split=1, rho_inf=0.8), "hht"), (WBZ(1e-13, split=1, rho_inf=0.8), "wbz"),
    ],
    ids=["newmark", "generalized_alpha", "hht", "wbz"],
)  # fmt: skip
def test_library_takes_the_same_steps(method: Newmark | GeneralizedAlpha | HHT | WBZ, rule: str) -> None:
    """Step by step the motion of the peer above, to what Newton's method leaves in 50 steps; on SE(3) it is another one."""
    scenario = ld.Scenario("body", body(), integrator=method, t_end=1.0, dt=0.02)
    model = scenario.model
    q = model.move(model.neutral(), np.concatenate([np.zeros(3), SO3.log(TILT)]))
    result = scenario.changed(start=(q, SPIN)).run(progress=False)
    rotations, places, twists = SplitBody(INERTIA, weight, RULES[rule]).run(TILT, np.zeros(3), SPIN, 1.0, 0.02)
    assert result.position.values == pytest.approx(places, abs=1e-9)
    assert result.v == pytest.approx(twists, abs=1e-8)
    assert model.pose("body", result.q[-1])[0] == pytest.approx(rotations[-1], abs=1e-9)
    together = scenario.changed(start=(q, SPIN), split=0).run(progress=False)
    assert 1e-5 < np.abs(together.position.values - places).max() < 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("base", ["free", "planar"])
def test_newton_matrix_against_differences(base: str) -> None:
    """dA, dB, dC inside Newton's matrix (row D1): its columns against central differences of the residual, 1e-7 relative.

    Away from balance, so that all terms count; forces in body axes on both sides, whose turn is not part of the matrix.
    """
    if base == "free":
        robot = body()
        robot.body("arm", mass=1.0, centre=(0.2, 0, 0), inertia=ld.about_centre(TENSOR)).on("body", at=(0.1, 0.2, 0)).turning("y")
        problem = Problem(robot.model())
    else:
        problem = scenario_of("planar").problem
    model, h, random, turning = problem.model, 0.05, np.random.default_rng(3), 6 if base == "free" else 3
    scheme, scratch = GeneralizedAlpha(split=1, rho_inf=0.7).scheme(), implicit_scratch(problem, 1)
    q, v = model.move(model.neutral(), random.standard_normal(model.nv)), random.standard_normal(model.nv)
    given = problem.arrays, scheme, problem.inputs
    start(*given, q, v, problem.workspace, scratch)
    begin_step(problem.arrays, scheme, h, 0, v, problem.workspace.memory, scratch)
    stages, tangent, way = scratch.stages, scratch.tangent, slice(0, 3 if base == "free" else 2)
    stages.unknown[0] = 20.0 * random.standard_normal(model.nv)
    scratch.matrix.exact, scratch.matrix.age = 1, -1

    def turn() -> np.ndarray:
        return model.pose(model.compiled.body_names[0], scratch.state.q)[0][way, way]

    def residual() -> np.ndarray:
        evaluate_stage(*given, h, 0, q, problem.workspace, scratch)
        found = stages.residual[0].copy()
        found[way] = turn().T @ found[way]
        return found

    residual()
    b0, b1, b2 = scheme.real[0]
    matrix = b0 * tangent.by_a + h * b1 * tangent.by_v + h * h * b2 * tangent.by_q
    matrix[way] = turn().T @ matrix[way]
    for k in range(turning):
        ends = []
        for e in (1e-4, -1e-4):
            stages.unknown[0, k] += e
            ends.append(residual())
            stages.unknown[0, k] -= e
        assert np.abs((ends[0] - ends[1]) / 2e-4 - matrix[:, k]).max() < 1e-7 * np.abs(matrix).max()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["newmark", "generalized_alpha", "hht", "wbz", "implicit_euler"])
def test_a_free_robot_goes_straight_on(name: str) -> None:
    """The base of a tumbling body whose origin is its mass centre: exact at any step, as no step on SE(3) is."""
    robot = ld.Robot("body")
    robot.base("body", moves="free", mass=MASS, inertia=ld.about_centre(TENSOR))
    scenario = ld.Scenario("body", robot, integrator=name, tolerance=1e-13, t_end=5.0, dt=0.05, gravity=(0, 0, 0))
    ways = []
    for split in (1, 0):
        result = scenario.changed(split=split, start=(scenario.model.neutral(), SPIN)).run(progress=False)
        ways.append(np.abs(result.position.values - np.outer(result.time.values, SPIN[:3])).max())
    assert ways[0] < 1e-11 and ways[1] > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("case", ["planar wheels", "planar loop", "disc", "planar rod"])
@pytest.mark.parametrize(
    ("method", "order"),
    [
        (GeneralizedAlpha(1e-11, split=1, rho_inf=0.8), 2), (HHT(1e-11, split=1, rho_inf=0.8), 2),
        (WBZ(1e-11, split=1, rho_inf=0.8), 2), (Newmark(1e-11, split=1), 2), (ImplicitEuler(1e-11, split=1), 1),
    ],
    ids=["generalized_alpha", "hht", "wbz", "newmark", "implicit_euler"],
)  # fmt: skip
def test_order_with_rows_and_rods(case: str, method: OneStage, order: int) -> None:
    """Wheels, loops, rolling discs and rods on a floating base: half the step leaves a quarter of the error, of Euler's half.

    Reference: `radau3` in steps of a sixteenth.
    """
    one = scenario_of(*case.split())
    q, v = one.initial_state()
    fine = solve(one.problem, q, v, t_end=0.2, step=0.2 / 320, method=Radau3(1e-12))
    errors = []
    for steps in (40, 80):
        found = solve(one.problem, q, v, t_end=0.2, step=0.2 / steps, method=method)
        assert found.status == "completed"
        errors.append(max(np.abs(one.model.difference(found.q[-1], fine.q[-1])).max(), np.abs(found.v[-1] - fine.v[-1]).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.slow
def test_implicit_euler_apart() -> None:
    """r = r_n + h rdot, R = R_n exp(h Omega): order 1 to the exact motion."""
    exact, errors = exact_motion(0.5), []
    for step in (0.005, 0.0025):
        scenario = ld.Scenario("body", body(), integrator=ImplicitEuler(1e-12, split=1), t_end=0.5, dt=step)
        q = scenario.model.move(scenario.model.neutral(), np.concatenate([np.zeros(3), SO3.log(TILT)]))
        rotation, place = scenario.model.pose("body", scenario.changed(start=(q, SPIN)).run(progress=False).q[-1])
        errors.append(np.abs(np.concatenate([rotation.ravel(), place]) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.15)


def test_refused() -> None:
    with pytest.raises(ld.InputError, match="rho_inf is 2"):
        AlphaRule(2.0)
    with pytest.raises(ld.InputError, match=r"split is 0\.5; it must be 0 or 1"):
        Newmark(split=0.5)
