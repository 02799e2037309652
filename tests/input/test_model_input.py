"""Wrong numbers given to a model, a problem, a wrench law or an integrator: one sentence says what, and what would be right."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.integrate import Watch, solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, polynomial, ramp
from locodyn.robot import Robot, about_centre
from locodyn.world import Anchor, Drag, Thrust, UserLaw, WorldForce


def robot() -> Robot:
    """A free body with an arm on a hinge and a hand on a ball joint: 12 positions, 10 velocities."""
    result = Robot("arm")
    inertia = about_centre(np.eye(3))
    body = result.base("body", mass=1.0, inertia=inertia)
    arm = result.body("arm", mass=1.0, inertia=inertia).on(body, at=(1, 0, 0)).turning("z", name="shoulder")
    result.body("hand", mass=1.0, inertia=inertia).on(arm, at=(1, 0, 0)).ball(name="wrist").marker("finger", at=(1, 0, 0))
    return result


@pytest.fixture
def model() -> Model:
    return robot().model()


Q, V = np.array([0, 0, 0, 1, 0, 0, 0, 0.1, 1, 0, 0, 0.0]), np.zeros(10)
# method, its arguments, names of the arguments in the sentences
METHODS: list[tuple[str, tuple[np.ndarray, ...], tuple[str, ...]]] = [
    ("inverse_dynamics", (Q, V, V), ("q", "v", "a")),
    ("forward_dynamics", (Q, V, V), ("q", "v", "tau")),
    ("inverse_dynamics_derivatives", (Q, V, V), ("q", "v", "a")),
    ("forward_dynamics_derivatives", (Q, V, V), ("q", "v", "tau")),
    ("bias", (Q, V), ("q", "v")),
    ("mass_matrix", (Q,), ("q",)),
    ("mass_blocks", (Q,), ("q",)),
    ("composite_inertia", (Q,), ("q",)),
    ("totals", (Q, V), ("q", "v")),
    ("kinetic_energy", (Q, V), ("q", "v")),
    ("potential_energy", (Q,), ("q",)),
    ("centre_of_mass", (Q,), ("q",)),
    ("momentum", (Q, V), ("q", "v")),
    ("zero_momentum", (Q, V), ("q", "v")),
    ("kinematics", (Q, V, V), ("q", "v", "a")),
    ("move", (Q, V), ("q", "u")),
    ("difference", (Q, Q), ("q", "q")),
    ("normalised", (Q,), ("q",)),
]
CASES = [(name, arguments, names, i) for name, arguments, names in METHODS for i in range(len(names))]
IDS = [f"{name}-{names[i]}{i}" for name, _, names, i in CASES]


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def changed(arguments: tuple[np.ndarray, ...], i: int, value: Any) -> list[Any]:
    return [value if j == i else x for j, x in enumerate(arguments)]


@pytest.mark.parametrize(("name", "arguments", "names", "i"), CASES, ids=IDS)
def test_right_input_is_taken(model: Model, name: str, arguments: tuple[np.ndarray, ...], names: tuple[str, ...], i: int) -> None:
    """Arrays, lists, integers and slices of other arrays give the same numbers."""
    wanted = getattr(model, name)(*arguments)
    strided = np.repeat(arguments[i], 2)[::2]
    for value in (list(arguments[i]), strided, arguments[i].astype(np.longdouble)):
        found = getattr(model, name)(*changed(arguments, i, value))
        for one, other in zip(as_tuple(found), as_tuple(wanted), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("name", "arguments", "names", "i"), CASES, ids=IDS)
def test_wrong_length(model: Model, name: str, arguments: tuple[np.ndarray, ...], names: tuple[str, ...], i: int) -> None:
    for value in (arguments[i][:-1], np.append(arguments[i], 0.0), np.zeros(0), list(arguments[i][:-1])):
        sentence = rf"^{names[i]} has the wrong length for robot 'arm'; it must have {len(arguments[i])} entries"
        with pytest.raises(InputError, match=sentence):
            getattr(model, name)(*changed(arguments, i, value))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "arguments", "names", "i"), CASES, ids=IDS)
def test_not_finite(
    model: Model, name: str, arguments: tuple[np.ndarray, ...], names: tuple[str, ...], i: int, bad: float
) -> None:
    value = arguments[i].copy()
    value[-1] = bad
    with pytest.raises(InputError, match=f"^{names[i]} holds NaN or infinity; all its entries must be finite"):
        getattr(model, name)(*changed(arguments, i, value))


@pytest.mark.parametrize(("name", "arguments", "names", "i"), CASES, ids=IDS)
def test_not_numbers(model: Model, name: str, arguments: tuple[np.ndarray, ...], names: tuple[str, ...], i: int) -> None:
    for value in ("zero", ["a"] * len(arguments[i]), object(), [[1.0], [1.0, 2.0]]):
        with pytest.raises(InputError, match=f"^{names[i]} is not an array of numbers"):
            getattr(model, name)(*changed(arguments, i, value))
    with pytest.raises(InputError, match=rf"^{names[i]} has shape \(1, {len(arguments[i])}\); it must be one row of numbers"):
        getattr(model, name)(*changed(arguments, i, arguments[i][None]))


OTHERS: list[tuple[Callable[[Model], Any], str]] = [
    (lambda m: m.hybrid_dynamics(Q, V, V, V, np.zeros(9)), "imposed has the wrong length"),
    (lambda m: m.hybrid_dynamics(Q, V, V[1:], V, np.zeros(10)), "a has the wrong length"),
    (lambda m: m.hybrid_dynamics(Q, V, V, V[1:], np.zeros(10)), "tau has the wrong length"),
    (lambda m: m.hybrid_dynamics(Q, V, V * np.nan, V, np.zeros(10)), "a holds NaN"),
    (lambda m: m.pose("hnd", Q), "Robot 'arm' has no body or marker 'hnd'; did you mean 'hand'"),
    (lambda m: m.twist("fingr", Q, V), "did you mean 'finger'"),
    (lambda m: m.jacobian("foot", Q), "no body or marker 'foot'"),
    (lambda m: m.inverse_dynamics(Q, V, V, {"foot": V[:6]}), "no body or marker 'foot'"),
    (lambda m: m.inverse_dynamics(Q, V, V, {"hand": V[:5]}), r"the wrench on 'hand' has shape \(5,\); it must be \(fx,"),
    (lambda m: m.forward_dynamics(Q, V, V, {"hand": [np.nan] * 6}), "the wrench on 'hand' holds NaN"),
    (lambda m: m.power(V, "much"), "tau is not an array of numbers"),
    (lambda m: m.normalised(0.0 * Q), "a quaternion of robot 'arm' is zero"),
    (lambda m: Model(m.compiled, gravity=(0, 0)), r"gravity is \(0, 0\); it must be three finite numbers"),
    (lambda m: Model(m.compiled, gravity=(0, 0, np.nan)), "gravity"),
    (lambda m: Model(m.compiled, gravity="down"), "gravity"),
]


@pytest.mark.parametrize(("action", "sentence"), OTHERS)
def test_other_calls(model: Model, action: Callable[[Model], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        action(model)


def test_a_robot_that_cannot_move() -> None:
    still = Robot("statue")
    still.base("statue", mass=1.0, inertia=np.eye(3), moves="fixed")
    with pytest.raises(InputError, match="robot 'statue' has no joint that moves"):
        still.model()


def test_inputs_are_not_changed(model: Model) -> None:
    """No method writes into what it was given."""
    rng = np.random.default_rng(0)
    for name, arguments, _ in METHODS:
        given = [x + 0.01 * rng.standard_normal(x.shape) for x in arguments]
        copies = [x.copy() for x in given]
        getattr(model, name)(*given)
        for one, other in zip(given, copies, strict=True):
            np.testing.assert_array_equal(one, other)
    a, tau = rng.standard_normal((2, 10))
    copies = [a.copy(), tau.copy()]
    model.hybrid_dynamics(Q, V, a, tau, rng.random(10) < 0.5)
    np.testing.assert_array_equal([a, tau], copies)


def test_a_model_travels(model: Model) -> None:
    """Pickled and read again, it computes the same (it holds addresses of its own arrays)."""
    again = pickle.loads(pickle.dumps(model))
    a = np.arange(10.0)
    np.testing.assert_array_equal(again.inverse_dynamics(Q, V, a), model.inverse_dynamics(Q, V, a))


# ------------------------------------------------------------------------------------------------ wrench laws, problems, runs
LAWS: list[tuple[Callable[[], Any], str]] = [
    (lambda: WorldForce((1.0, 2.0)), "the force of a WorldForce is .* 3 finite numbers"),
    (lambda: Thrust(force=(1.0, np.nan, 0.0)), "the force of a Thrust"),
    (lambda: Thrust(moment=3.0), "the moment of a Thrust"),
    (lambda: Drag(linear=-1.0), "linear of a Drag"),
    (lambda: Drag(quadratic=(1.0, 2.0)), "quadratic of a Drag"),
    (lambda: Drag(angular=np.inf), "angular of a Drag"),
    (lambda: Anchor((0, 0), 1.0), "the place of an Anchor"),
    (lambda: Anchor((0, 0, 0), -1.0), "the stiffness of an Anchor"),
    (lambda: Anchor((0, 0, 0), 1.0, np.nan), "the damping of an Anchor"),
    (lambda: UserLaw(3), "a UserLaw needs a function"),
    (lambda: Problem(robot().wrench("odd", on="hand", law="wind").model()), "wrench 'odd' has the law 'wind'"),
]


@pytest.mark.parametrize(("action", "sentence"), LAWS)
def test_wrench_laws(action: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        action()


def bad_law(value: Any) -> Model:
    return robot().wrench("mine", on="hand", law=UserLaw(lambda t, r, p, w: value)).model()


PROBLEMS: list[tuple[Callable[[Model], Any], str]] = [
    (lambda m: Problem(m, {6: constant(0)}, {6: constant(0)}), "coordinate 'shoulder' is both imposed and torque-driven"),
    (lambda m: Problem(m, {0: constant(0)}), "coordinate 'body.vx' cannot be imposed"),
    (lambda m: Problem(m, {8: constant(0)}), "coordinate 'wrist.1' cannot be imposed"),
    (lambda m: solve(Problem(m, {6: ramp(1.0, at=0.5)}), Q, V), "the motion of 'shoulder' is not twice differentiable near"),
    (lambda m: solve(Problem(m, torque={6: lambda t, q, v: "big"}), Q, V), "the torque function of 'shoulder' returned 'big'"),
    (
        lambda m: solve(Problem(m, controller=lambda t, q, v: [1.0]), Q, V),
        r"the controller returned shape \(1,\); it must return 10",
    ),
    (lambda m: solve(Problem(bad_law([1.0])), Q, V), r"the law of wrench 'mine' returned shape \(1,\); it must return 6"),
    (lambda m: solve(Problem(bad_law("much")), Q, V), "the law of wrench 'mine' returned 'much'; it must return 6 numbers"),
    (lambda m: solve(Problem(bad_law(None)), Q, V), r"the law of wrench 'mine' returned shape \(\); it must return 6 numbers"),
    (
        lambda m: Problem(robot().wrench("mine", on="hand", law=UserLaw(lambda t, r: np.zeros(6))).model()),
        r"the law of wrench 'mine' is a function of \(t, r\); it must be one of \(t, rotation, position, twist\)",
    ),
    (lambda m: solve(Problem(m), Q[1:], V), "q has the wrong length"),
    (lambda m: solve(Problem(m), Q, V[1:]), "v0 has 9 entries"),
    (lambda m: solve(Problem(m), Q, V, step=0.0), "the step is 0.0; it must be a positive number"),
    (lambda m: solve(Problem(m), Q, V, step=np.nan), "the step is nan"),
    (lambda m: solve(Problem(m), Q, V, tolerance=-1.0), "the tolerance is -1.0"),
    (lambda m: solve(Problem(m), Q, V, t_end=0.0), "the end time is 0.0; it must lie after the start time 0 s"),
    (lambda m: solve(Problem(m), Q, V, method="rkmk5"), "there is no integrator 'rkmk5'; did you mean 'rkmk4'"),
    (lambda m: solve(Problem(m), Q, V, record_every=0), "record_every is 0"),
    (
        lambda m: solve(Problem(m), Q, V, tolerence=1e-8),
        "there is no option 'tolerence' of an integrator; did you mean 'tolerance'",
    ),
    (
        lambda m: solve(Problem(m), Q, V, watch=Watch(events=[lambda t, q, v: q[0]])),
        "the integrator 'rkmk4' takes no events; use 'adaptive'",
    ),
    (lambda m: solve(Problem(m, {6: polynomial(0, 1)}), np.full(12, np.nan), V), "q holds NaN"),
]


@pytest.mark.parametrize(("action", "sentence"), PROBLEMS)
def test_problems(model: Model, action: Callable[[Model], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        action(model)
