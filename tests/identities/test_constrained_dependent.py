"""Dependent joints (Ali 2011, (3.44)): chains like the wheeled snake against dense solves, and their power balance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import locodyn as ld
from constrained_cases import GRAVITY, Case, random_law
from feature_cases import BASES, scenario
from locodyn.integrate import solve
from locodyn.kernel.bundle import Bundle
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, sine
from locodyn.robot import Robot, about_centre, rotation_about
from locodyn.sim import stretches
from peers import totals_rate
from random_robots import random_inertia

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 2**20)


class Chain(Case):
    """A case that also has dependent coordinates."""

    dependent: list[int]


def chain(rng: np.random.Generator) -> Chain:
    """A head of three wheeled bodies with imposed hinges, which fixes the base, and 1 to 8 modules that follow.

    A module hangs on any module before it by a dependent hinge (or slide); its wheel is on the link itself, or on a body that
    an imposed hinge turns.
    """
    case = Chain(Robot("chain"))
    case.dependent = []
    case.robot.base("b0", moves="planar", **random_inertia(rng))
    case.wheel("b0", (*(0.2 * rng.standard_normal(2)), -0.1), rng.uniform(-1.0, 1.0), "fixed", rng)
    links, laws = ["b0"], {}

    def place() -> dict:
        at = (rng.uniform(0.2, 0.5), *(0.1 * rng.standard_normal(2)))
        return {"at": at, "turned": rotation_about("z", rng.uniform(-0.5, 0.5))}

    for i in (1, 2):
        case.robot.body(f"b{i}", **random_inertia(rng)).on(f"b{i - 1}", **place()).turning("z")
        case.wheel(f"b{i}", (*(0.2 * rng.standard_normal(2)), -0.1), rng.uniform(-2.0, 2.0), "fixed", rng)
        laws[f"b{i}"] = random_law(rng)
        links.append(f"b{i}")
    for i in range(3, int(rng.integers(4, 12))):
        slides = rng.random() < 0.2
        parent = links[rng.integers(max(0, len(links) - 3), len(links))]
        body = case.robot.body(f"b{i}", **random_inertia(rng)).on(parent, **place())
        body.sliding((0.3, 1.0, 0.0)) if slides else body.turning("z")
        links.append(f"b{i}")
        wheeled, at = f"b{i}", rng.uniform(0.2, 0.4)
        if rng.random() < 0.5:
            wheeled = f"s{i}"
            case.robot.body(wheeled, **random_inertia(rng)).on(f"b{i}", at=(at, 0.0, 0.0)).turning("z")
            laws[wheeled] = random_law(rng)
            at = rng.uniform(0.0, 0.2)
        case.wheel(wheeled, (at, 0.05, -0.1), rng.uniform(-0.5, 0.5), "fixed", rng)
    case.model = case.robot.model(gravity=GRAVITY)
    names = list(case.model.compiled.coordinate_names)
    case.imposed = {names.index(name): law for name, law in laws.items()}
    case.dependent = [i for i, name in enumerate(names) if i >= 3 and i not in case.imposed]
    case.problem = Problem(case.model, case.imposed, dependent=case.dependent)
    return case


def good_chain(seed: int) -> Chain:
    """The first chain whose rows are well conditioned in the coordinates that they determine."""
    for attempt in range(300):
        rng = np.random.default_rng(1000 * seed + attempt)
        case = chain(rng)
        q, v = 0.5 * rng.standard_normal(case.model.nv), rng.standard_normal(case.model.nv)
        for i, law in case.imposed.items():
            q[i], v[i] = law.at(case.time)[:2]
        jacobian = np.array([row.jacobian for row in case.rows(case.time, q, v)])
        values = np.linalg.svd(jacobian[:, unknown(case)], compute_uv=False)
        head = np.linalg.svd(jacobian[:3, :3], compute_uv=False)
        if values[-1] > 1e-2 * values[0] and head[-1] > 0.02 * head[0]:
            case.q, case.v = case.problem.imposed_state(case.time, q, v)
            return case
    raise AssertionError("no good chain in 300 attempts")


def unknown(case: Chain) -> list[int]:
    return [0, 1, 2, *case.dependent]


def check(case: Chain) -> None:
    t, q, v, model = case.time, case.q, case.v, case.model
    rows = case.rows(t, q, v)
    jacobian, drift = np.array([row.jacobian for row in rows]), np.array([row.drift for row in rows])
    free, held = unknown(case), list(case.imposed)
    # Speeds: as many rows as unknowns. Condition below 100 (and again below 50 for the head): 1e-11 is 1e5 round-offs.
    speed = np.linalg.solve(jacobian[:, free], -jacobian[:, held] @ v[held])
    np.testing.assert_allclose(v[free], speed, atol=1e-11 * max(1.0, np.abs(speed).max()))
    assert np.abs(jacobian @ v).max() < 1e-12 * max(1.0, np.abs(v).max())
    a = case.problem.accelerations(t, q.copy(), v.copy())
    rates = np.array([case.imposed[i].at(t)[2] for i in held])
    wanted = np.linalg.solve(jacobian[:, free], -drift - jacobian[:, held] @ rates)
    np.testing.assert_allclose(a[free], wanted, atol=1e-10 * max(1.0, np.abs(wanted).max()))
    # Forces: of smallest norm, as dependent joints are driven too and the base is held by more wheels than it needs.
    series = case.problem.series(np.array([t]), q[None], v[None])
    need = model.inverse_dynamics(q, v, a)
    multipliers = np.linalg.pinv(jacobian[:, :3].T) @ need[:3]
    scale = max(1.0, np.abs(need).max())
    np.testing.assert_allclose(series["multiplier"][0], multipliers, atol=1e-9 * scale)
    torque = need - jacobian.T @ multipliers
    np.testing.assert_allclose(series["joint_torque"][0], torque[3:], atol=1e-9 * scale)
    # Power: tau . rdot = d(T + U)/dt, the rate exact by a complex step.
    rate = totals_rate(model, q, v, a)
    power = series["joint_torque"][0] @ v[3:]
    assert power == pytest.approx(rate[0] + rate[1], abs=1e-10 * scale * max(1.0, np.abs(v).max()))


@settings(max_examples=40)
@given(SEEDS)
def test_chains_follow_their_head(seed: int) -> None:
    check(good_chain(seed))


@settings(max_examples=300)
@given(SEEDS)
def test_many_chains_follow_their_head(seed: int) -> None:
    check(good_chain(seed))


def snake(modules: int) -> Robot:
    """The wheeled snake of spec C3: links b0, b2, ... hinged one behind the other, an axle b1, b3, ... that turns on each."""
    half, robot = 0.1, Robot("snake")
    link = {"mass": 0.2, "inertia": about_centre(zz=0.2 * (2 * half) ** 2 / 12)}
    axle = {"mass": 0.1, "inertia": about_centre(zz=1e-4)}
    robot.base("b0", moves="planar", **link)
    for k in range(modules):
        if k > 0:
            at = (half if k == 1 else 2 * half, 0, 0)
            robot.body(f"b{2 * k}", centre=(half, 0, 0), **link).on(f"b{2 * k - 2}", at=at).turning("z")
        robot.body(f"b{2 * k + 1}", **axle).on(f"b{2 * k}", at=(half if k else 0, 0, 0)).turning("z").wheel(axis="y")
    return robot


def snake_problem(modules: int) -> Problem:
    """Five joints of the head as in Ali (2011), the axles behind straight, the hinges behind dependent."""
    model = snake(modules).model()
    number = {name: i for i, name in enumerate(model.compiled.coordinate_names)}
    size, phase = (0.2, 0.6, -0.2, 0.6, 0.2), np.pi / 16 * np.array([1, 9, 0, 7, -1])
    laws = {number[f"b{j + 1}"]: sine(a, omega=1.0, phase=p) for j, (a, p) in enumerate(zip(size, phase, strict=True))}
    laws |= {number[f"b{2 * k + 1}"]: constant(0.0) for k in range(3, modules)}
    return Problem(model, laws, dependent=[number[f"b{2 * k}"] for k in range(3, modules)])


def test_snake_starts_at_its_singular_shape_without_a_jump() -> None:
    """det A = 0 at t = 0 (mirror-symmetric shape): the velocity there is the limit of those that follow (spec E2, D row C3)."""
    problem = snake_problem(10)
    solution = solve(problem, problem.model.neutral(), np.zeros(problem.model.nv), t_end=0.1, step=0.01)
    assert np.isfinite(solution.q).all() and np.isfinite(solution.v).all()
    np.testing.assert_allclose(solution.v[0, :3], (-0.12196, -0.00476, -0.28406), atol=6e-6)  # five printed digits
    steps = np.diff(solution.v[:, :3], axis=0)
    assert np.abs(steps).max() < 3.0 * 0.01  # accelerations stay below 3 m/s^2: no jump at the first step


def test_power_of_the_snake_through_two_singular_shapes() -> None:
    """tau . rdot = dT/dt from t = 0 through pi, exact at instants; side slip below 1e-10 everywhere."""
    problem = snake_problem(10)
    model = problem.model
    solution = solve(problem, model.neutral(), np.zeros(model.nv), t_end=4.0, step=0.01)
    series = problem.series(solution.times, solution.q, solution.v)
    for n in range(1, len(solution.times), 7):
        a = problem.accelerations(float(solution.times[n]), solution.q[n].copy(), solution.v[n].copy())
        rate = totals_rate(model, solution.q[n], solution.v[n], a)[0]
        power = series["joint_torque"][n] @ solution.v[n, 3:]
        assert power == pytest.approx(rate, abs=1e-12 * 1e3)  # round-off / condition 1e-4 near k pi; measured 1e-13
        slip = [model.twist(f"b{2 * k + 1}", solution.q[n], solution.v[n])[1] for k in range(10)]
        assert np.abs(slip).max() < 1e-10


# ---------------------------------------------------------------------------------------------------------------------- cost
def test_only_the_base_is_solved_for_however_long_the_snake_problem() -> None:
    """What is factored has the size of the base: three unknowns, three wheels; all other rows are taken up one by one."""
    for modules in (5, 10, 40):
        arrays = snake_problem(modules).constraints.arrays
        assert len(arrays.free) == 3 and len(arrays.active) == 3 and len(arrays.dependent) == modules - 3
        assert arrays.factors.factor.shape == (3, 3)


def test_no_array_grows_faster_than_the_snake() -> None:
    """Each entry of the workspace is written in each step, so that the work is at least the size of the largest array."""
    short, long = snake_problem(10).constraints.arrays, snake_problem(40).constraints.arrays
    for name, one in arrays_of(short):
        two = dict(arrays_of(long))[name]
        assert two.size <= 4.2 * one.size + 12, name  # 79 against 19 joints: 4.16; 37 against 7 dependent ones


def arrays_of(bundle: Bundle, before: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """All arrays of a bundle and of the bundles in it, by name."""
    for field in fields(bundle):
        value = getattr(bundle, field.name)
        if isinstance(value, Bundle):
            yield from arrays_of(value, f"{before}{field.name}.")
        elif isinstance(value, np.ndarray):
            yield f"{before}{field.name}", value


# ------------------------------------------------------------------------------------------------ what dependent joints carry
def head(robot: Robot, moves: str = "planar") -> dict:
    """A head of three wheeled bodies that fixes the base."""
    solid = {"mass": 1.0, "inertia": about_centre(xx=0.01, yy=0.01, zz=0.02)}
    robot.base("b0", moves=moves, **solid).wheel(axis="y")
    for i in (1, 2):
        robot.body(f"b{i}", **solid).on(f"b{i - 1}", at=(0.3, 0, 0)).turning("z").wheel(axis="y", at=(0.2, 0, 0))
    return solid


LAWS = (sine(0.3, omega=1.0, phase=0.4, offset=0.3), sine(0.4, omega=1.3, phase=1.0, offset=0.3))


def test_two_wheels_on_the_axle_of_a_dependent_module() -> None:
    robot = Robot("double axle")
    robot.body("tail", **head(robot)).on("b2", at=(0.3, 0, 0)).turning("z")
    for y in (0.1, -0.1):
        robot["tail"].wheel(axis="y", at=(0.2, y, 0))
    model = robot.model()
    problem = Problem(model, dict(zip((3, 4), LAWS, strict=True)), dependent=[5])
    q, v = problem.imposed_state(0.5, model.neutral(), np.random.default_rng(0).standard_normal(6))
    slips = [model.twist(name, q, v) @ (0, 1, 0, 0, 0, 0.2 if name != "b0" else 0.0) for name in ("b0", "b1", "b2", "tail")]
    assert np.abs(slips).max() < 1e-12


def test_dependent_joint_of_a_robot_with_a_free_base() -> None:
    robot = Robot("free snake")
    robot.body("tail", **head(robot, "free")).on("b2", at=(0.3, 0, 0)).turning("z").wheel(axis="y", at=(0.2, 0, 0))
    model = robot.model()
    problem = Problem(model, dict(zip((6, 7), LAWS, strict=True)), dependent=[8])
    q, v = problem.imposed_state(0.5, model.neutral(), np.zeros(9))
    slips = [model.twist(name, q, v) @ (0, 1, 0, 0, 0, 0.2 if name != "b0" else 0.0) for name in ("b0", "b1", "b2", "tail")]
    assert np.abs(slips).max() < 1e-12


@pytest.mark.parametrize("method", ["radau3", "generalized_alpha", "variational", "event_driven"])
def test_methods_that_move_dependent_joints_as_passive_ones(method: str) -> None:
    """Records are those of the problem with dependent joints: torques and multipliers as after steps of Runge-Kutta.

    Fine steps, so that the error of order 2 is 1e-6 of accelerations of some rad/s^2.
    """
    train = scenario("train").changed(t_end=0.1, dt=5e-4)
    exact, found = (train.changed(integrator=name).run(progress=False) for name in ("rkmk4", method))
    assert found.status == "completed"
    third = exact.joint_torque.sel(joint="third").values
    assert np.abs(third).max() > 1e-3  # it is driven
    for name in ("joint_position", "joint_torque", "multiplier"):
        one, two = (getattr(result, name).values for result in (exact, found))
        np.testing.assert_allclose(two, one, atol=1e-4 * np.abs(one).max())


def test_stepping_moves_dependent_joints() -> None:
    """A simulation that is opened and stepped gives the run, to round-off of 50 steps."""
    train = scenario("train").changed(t_end=0.05, dt=1e-3, integrator="radau3")
    whole, opened = train.run(progress=False), train.open()
    q, v = opened.step(steps=50)
    np.testing.assert_allclose(q, whole.q[-1], atol=1e-13)
    np.testing.assert_allclose(v, whole.v[-1], atol=1e-12)


def train(rests: bool) -> ld.Scenario:
    """Four links on skates that drag on the floor: by hard friction, or by the same friction as a force that is given."""
    friction, weight = 0.3, {"cart": 9.81, "arm": 4.905, "second": 4.905, "third": 4.905}

    def drag(load: float) -> ld.UserLaw:
        return ld.UserLaw(lambda t, r, p, x: -friction * load * np.array([*x[:3], 0, 0, 0]) / max(np.linalg.norm(x[:3]), 1e-9))

    robot, given = BASES["train"]()
    del given["speeds"]
    for name, load in weight.items():
        robot[name].rests(load, friction=friction) if rests else robot.wrench(f"{name} drags", on=name, law=drag(load))
    return ld.Scenario("train", robot, **given, t_end=0.05, dt=1e-3)


def test_forces_of_followers_beside_friction_of_the_floor() -> None:
    """Four links on skates drag on the floor, which their motion does not know but their motors do.

    ``event_driven`` against Runge-Kutta under the same friction as a force that is given (all links slide all the time), to the
    tolerance of its steps; ``moreau``, whose records are means over a step, to order 1: half the step leaves half.
    """
    exact = train(False).changed(integrator="rkmk4").run(progress=False)
    found = train(True).changed(integrator="event_driven").run(progress=False)
    coarse, fine = (train(True).changed(integrator="moreau", dt=dt).run(progress=False) for dt in (1e-3, 5e-4))
    for name in ("joint_torque", "multiplier"):
        wanted, told, one, two = (getattr(result, name).values for result in (exact, found, coarse, fine))
        assert np.abs(told - wanted).max() < 1e-7 * np.abs(wanted).max()
        errors = [np.abs(values[1:] - wanted[1:]).max() for values in (one, two[::2])]
        assert errors[1] < 0.02 * np.abs(wanted).max() and errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)


# ----------------------------------------------------------------------------------------- runs that are recorded in stretches
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "FEWEST", 5)
    monkeypatch.setattr(stretches, "FIRST", 5)
    monkeypatch.setattr(stretches, "MOST", 5)


def test_followers_have_their_forces_in_every_stretch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stretch that is handed over while the run goes on is looked at as the last one is: the same bits as in one piece.

    The friction of the floor jumps as the links turn around: stretches are handed over between events.
    """
    scenario = train(True).changed(integrator="event_driven", t_end=0.5, dt=5e-3, imposed=TURNING)
    whole = scenario.run(progress=False)
    short_stretches(monkeypatch)
    handed = scenario.run(progress=False)
    assert np.abs(whole.joint_torque.sel(joint="third").values).min() > 1e-3
    for name in ("joint_position", "joint_torque", "multiplier"):
        np.testing.assert_array_equal(getattr(handed, name).values, getattr(whole, name).values)


TURNING = {"arm": sine(0.3, omega=9.0, offset=0.8), "second": sine(0.2, omega=7.0, offset=1.3)}
