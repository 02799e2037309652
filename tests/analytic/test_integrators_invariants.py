"""What stays: norms, momentum, energy, imposed motions, the bits of a run that is stopped and started again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from locodyn.dynamics.totals import TOTALS
from locodyn.integrate import Past, Watch, solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import sine
from locodyn.robot import Robot, about_centre
from peers import random_case

pytestmark = pytest.mark.slow

JOINTS = ("spherical", "revolute", "universal", "planar", "helical")
FIXED_STEP = ("rkmk4", "variational")


def pendulum() -> Problem:
    """A point mass of 1 kg on a massless rod of 1 m."""
    robot = Robot("pendulum")
    robot.body("bob", mass=1.0, centre=(0, 0, -1)).on(robot.base("ground", moves="fixed")).turning("y")
    return Problem(robot.model())


def period(amplitude: float) -> float:
    """4 sqrt(l/g) K(sin(amplitude / 2)) of the pendulum."""
    return float(4.0 * np.sqrt(1.0 / 9.81) * ellipk(np.sin(0.5 * amplitude) ** 2))


@pytest.mark.parametrize("method", FIXED_STEP)
def test_quaternions_keep_their_norm(method: str) -> None:
    """A tumbling body, 1e5 steps."""
    robot = Robot("body")
    robot.base("body", mass=1.0, inertia=about_centre(np.diag([1.0, 2.0, 2.5])))
    model = robot.model(gravity=(0, 0, 0))
    solution = solve(
        Problem(model), model.neutral(), [0.1, 0, 0, 1, 2, 3], t_end=1e3, step=0.01, record_every=1000, method=method
    )
    assert solution.status == "completed" and len(solution.times) == 101
    assert np.max(np.abs(np.linalg.norm(solution.q[:, 3:], axis=1) - 1.0)) < 1e-14


@pytest.mark.parametrize("step", [0.01, 0.001])
def test_variational_momentum(step: float) -> None:
    """A free robot with driven joints: momentum walks by round-off only, eps / h in each step, N steps: eps / h sqrt(N) |p|.

    Measured: 0.9 of that at both steps, while rkmk4 has its error of order 4, 1e-8 at 0.01 s.
    """
    case = random_case(2, 6, JOINTS, ("free",), least=5, gravity=(0, 0, 0))
    model = case.model
    problem = Problem(model, torque={i: sine(0.5, omega=2.0 + 0.1 * i, phase=i) for i in range(6, model.nv)})

    def drift(method: str) -> float:
        solution = solve(problem, case.q, 0.3 * case.v, t_end=2.0, step=step, method=method, tolerance=1e-12)
        assert solution.status == "completed"
        momenta = np.array([model.totals(q, v)[TOTALS.linear_momentum :] for q, v in zip(solution.q, solution.v, strict=True)])
        return float(np.max(np.abs(momenta - momenta[0])) / np.max(np.abs(momenta[0])))

    floor = np.finfo(float).eps / step * np.sqrt(2.0 / step)
    assert drift("variational") < 5.0 * floor
    if step == 0.01:
        assert drift("rkmk4") > 1e2 * floor


def test_variational_energy_is_bounded() -> None:
    """2000 swings of 2 rad at 40 steps each: the energy of the symplectic method oscillates, that of Runge-Kutta leaks away."""
    problem = pendulum()
    length, per_swing = period(2.0), 40

    def error(method: str) -> np.ndarray:
        solution = solve(
            problem, [2.0], [0.0], t_end=2000 * length, step=length / per_swing, method=method, record_every=5, tolerance=1e-12
        )
        energy = 0.5 * solution.v[:, 0] ** 2 - 9.81 * np.cos(solution.q[:, 0])
        return np.abs(energy - energy[0])

    bounded, leaking = error("variational"), error("rkmk4")
    first, last = slice(0, 400), slice(-400, None)
    assert bounded[last].max() < 1.01 * bounded[first].max()  # measured 1.00001
    assert leaking[last].max() > 10.0 * leaking[first].max()  # measured 39


@pytest.mark.parametrize("method", [*FIXED_STEP, "adaptive"])
def test_imposed_motions_are_exact(method: str) -> None:
    """At every sample the imposed coordinate and its rate are those of the law, to the last bit that the law has."""
    case = random_case(11, 5, ("revolute", "prismatic"), ("free",), least=5)
    model = case.model
    laws = {7: sine(0.4, omega=3.0, phase=0.2), 9: sine(0.2, omega=5.0)}
    solution = solve(Problem(model, imposed=laws), case.q, case.v, t0=0.5, t_end=1.5, step=0.01, method=method)
    assert solution.status == "completed"
    for i, law in laws.items():
        np.testing.assert_allclose(solution.q[:, i + 1], law(solution.times), rtol=0, atol=4e-16)
        np.testing.assert_allclose(solution.v[:, i], law.rate(solution.times), rtol=0, atol=4e-15)


@pytest.mark.parametrize("begin", [0.0, 0.3])
@pytest.mark.parametrize("method", FIXED_STEP)
def test_stopped_and_started_again(method: str, begin: float) -> None:
    """The same bits as the run in one go, though 0.007 and 0.3 are no binary numbers."""
    case = random_case(2, 6, JOINTS, ("free",), least=5)
    model = case.model
    problem = Problem(model, torque={i: sine(0.5, omega=2.0 + i) for i in range(6, model.nv)})
    step, total, before = 0.007, 100, 37
    end = begin + total * step
    whole = solve(problem, case.q, case.v, t0=begin, t_end=end, step=step, method=method)
    part = solve(problem, case.q, case.v, t0=begin, t_end=begin + before * step, step=step, method=method)
    np.testing.assert_array_equal(part.q, whole.q[: before + 1])
    rest = solve(problem, part.q[-1], part.v[-1], t0=part.times[-1], t_end=end, step=step, method=method, past=Past(origin=begin))
    np.testing.assert_array_equal(rest.times, whole.times[before:])
    np.testing.assert_array_equal(rest.q, whole.q[before:])
    np.testing.assert_array_equal(rest.v, whole.v[before:])


def test_records_do_not_change_the_run() -> None:
    """Recording every seventh state gives every seventh state."""
    case = random_case(2, 6, JOINTS, ("free",), least=5)
    problem = Problem(case.model)
    every = solve(problem, case.q, case.v, t_end=0.7, step=0.01)
    some = solve(problem, case.q, case.v, t_end=0.7, step=0.01, record_every=7)
    np.testing.assert_array_equal(some.q, every.q[::7])
    np.testing.assert_array_equal(some.times, every.times[::7])


# -------------------------------------------------------------------------------------------------------------------- events
@pytest.mark.parametrize("amplitude", [0.5, 2.0, 3.0])
def test_events_against_the_elliptic_integral(amplitude: float) -> None:
    """The pendulum passes its lowest point at T/4 + k T/2; measured 5e-12 s over five periods."""

    def lowest(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(q[0])

    length = period(amplitude)
    solution = solve(
        pendulum(),
        [amplitude],
        [0.0],
        t_end=5 * length,
        step=0.1,
        tolerance=1e-13,
        method="adaptive",
        watch=Watch(events=[lowest]),
    )
    np.testing.assert_allclose(solution.events[0], length / 4 + length / 2 * np.arange(10), rtol=0, atol=1e-10)


def test_direction_and_end_of_events() -> None:
    """``direction`` picks rising or falling zeros; ``terminal`` ends the run, the samples before it stay."""

    def rising(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(q[0])

    def highest(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(v[0])

    rising.direction = 1  # type: ignore[attr-defined]
    highest.terminal = True  # type: ignore[attr-defined]
    length = period(1.0)
    solution = solve(
        pendulum(),
        [1.0],
        [-1e-9],
        t_end=10 * length,
        step=0.01,
        tolerance=1e-12,
        method="adaptive",
        watch=Watch(events=[rising, highest]),
    )
    assert solution.status == "ended by an event"
    np.testing.assert_allclose(solution.events[1], [length / 2], atol=1e-8)  # the first push of 1e-9 rad/s
    assert len(solution.events[0]) == 0 and solution.times[-1] < length / 2 < solution.times[-1] + 0.01
    go_on = solve(
        pendulum(), [1.0], [0.0], t_end=2.1 * length, step=0.01, tolerance=1e-12, method="adaptive", watch=Watch(events=[rising])
    )
    np.testing.assert_allclose(go_on.events[0], [0.75 * length, 1.75 * length], atol=1e-9)


# ------------------------------------------------------------------------------------------------------------------ bad ends
def stiff() -> Problem:
    robot = Robot("stiff")
    bob = robot.body("bob", mass=1.0, centre=(0, 0, -1)).on(robot.base("ground", moves="fixed")).sliding("x")
    bob.actuator(stiffness=1e8)
    return Problem(robot.model())


def test_a_step_too_large_ends_with_a_sentence() -> None:
    """The explicit method blows up; the finite samples before stay."""
    solution = solve(stiff(), [1.0], [0.0], t_end=100.0, step=0.1, method="rkmk4")
    assert solution.failed and solution.status.startswith("failed: the state is not a number after t =")
    assert 1 < len(solution.times) < 1000 and np.isfinite(solution.q).all() and np.isfinite(solution.v).all()


@pytest.mark.parametrize("method", [*FIXED_STEP, "adaptive"])
def test_a_function_that_goes_bad_ends_with_a_sentence(method: str) -> None:
    problem = Problem(pendulum().model, torque={0: lambda t, q, v: np.nan if t > 0.5 else 0.0})
    solution = solve(problem, [1.0], [0.0], t_end=1.0, step=0.01, method=method)
    assert solution.failed and solution.status.startswith("failed: ")
    assert 0.4 < solution.times[-1] < 0.6 and np.isfinite(solution.q).all() and np.isfinite(solution.v).all()
