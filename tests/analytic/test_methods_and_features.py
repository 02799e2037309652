"""Every method of integration with every feature: right, or refused in a sentence that names both and a way out.

Robots are those of ``feature_cases``. What a method takes is compared with a reference of another kind: its error falls with the
step as its order says, and its energy account closes.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import locodyn as ld
from feature_cases import BEGINS, LATE, PERIOD, features, scenario
from locodyn.errors import InputError
from locodyn.integrate import METHODS, Feature, Solution, Watch, solve
from locodyn.integrate.checks import features_of
from locodyn.integrate.methods import method_of
from locodyn.integrate.runaway import at_rest
from locodyn.locomotion.problem import Problem
from locodyn.sim.energy_account import account
from locodyn.sim.scenario import Scenario

pytestmark = pytest.mark.slow

END = 0.2  # s
STEP = 0.01  # s; a quarter of it with rods, whose second mode turns by 0.4 rad in it, and half with functions, whose slopes
# Newton's method does not know: it would cut such steps into parts

ALONE = [
    "planar", "held", "planar wheels", "planar steering", "train", "disc", "foot", "planar loop", "planar gear", "bennett",
    "planar rod", "planar spectral", "planar field", "planar sleeve", "planar anchor", "planar peg",
    "planar strand", "planar imposed", "planar servo", "planar late_servo", "planar wrench", "planar ties", "foot water",
    "planar compliant", "planar stick", "planar integral", "planar lag",
    "planar bristles", "planar muscle", "planar memory_function", "planar fluid",
    "planar function", "planar imposed_function", "planar wrench_function", "planar sampled", "planar contact",
    "planar friction_law", "planar one-way_friction", "planar drilling_friction",
]  # fmt: skip
MEETING = [
    "planar wheels rod", "planar loop rod", "bennett rod", "planar wheels fluid", "planar wheels imposed_function",
    "planar wheels imposed_function wrench_function", "planar loop imposed", "bennett imposed", "planar servo rod",
    "planar wheels integral", "planar wheels bristles", "planar integral contact", "planar bristles contact",
    "planar wheels sampled", "foot wrench_function", "planar imposed_function wrench_function", "planar loop rod contact",
    "planar loop sampled", "disc imposed", "planar loop fluid", "planar rod fluid", "planar rod fluid contact",
    "planar gear rod contact", "planar wheels gear imposed", "disc gear",
    "planar wheels loop", "planar wheels loop rod", "planar wheels fluid contact", "planar wheels rod fluid contact",
    "planar imposed loop rod contact", "train rod",
]  # fmt: skip
STILL = [
    "held", "held loop", "held rod", "held strand", "held imposed", "held servo", "held wrench", "held fluid", "held function",
    "held loop rod", "held loop imposed", "bennett", "bennett rod", "held wheels", "held sleeve", "held peg",
    "held gear", "held ties", "held spectral", "held field",
]  # fmt: skip


def parts_of(case: str) -> list[str]:
    return [part.replace("_", " ") for part in case.split()]


@cache
def made(case: str) -> tuple[Problem, np.ndarray, np.ndarray]:
    one = scenario(*parts_of(case))
    return one.problem, *one.initial_state()


def run(case: str, name: str, step: float, tolerance: float | None = None) -> Solution:
    """From the start to the end; Newton's method to round-off, parts of steps to 1e-9."""
    problem, q, v = made(case)
    method = METHODS[name]
    own = 1e-9 if name in ADAPTIVE else 1e-12
    solution = solve(problem, q, v, t_end=END, step=step, method=method_of(method.name, tolerance=tolerance or own))
    assert solution.status == "completed", f"{case}, {name}: {solution.status}"
    return solution


ADAPTIVE = ("adaptive", "event_driven", "radau_adaptive")  # to a tolerance, whatever the step
State = tuple[np.ndarray, np.ndarray, np.ndarray]


def end(solution: Solution) -> State:
    assert solution.memory is not None
    return solution.q[-1], solution.v[-1], solution.memory[-1]


def distance(problem: Problem, one: State, two: State) -> float:
    far = [problem.model.difference(one[0], two[0]), one[1] - two[1], one[2] - two[2]]
    return float(max(np.abs(part).max(initial=0.0) for part in far))


@cache
def references(case: str) -> list[State]:
    """The end, computed in two ways that share no formula of time stepping, where there are two."""
    _, q, v = made(case)
    if "late_servo" in case:  # two runs, one without the servo and one with it
        parts = parts_of(case)
        before = scenario(*[part for part in parts if part != "late servo"])
        first = solve(before.problem, q, v, t_end=BEGINS, step=BEGINS, method=ld.Adaptive(tolerance=1e-12))
        on = before.changed(servo={"arm": ld.Servo(LATE.target, LATE.stiffness, LATE.damping)})
        rest = solve(on.problem, *end(first)[:2], t0=BEGINS, t_end=END, step=END - BEGINS, method=ld.Adaptive(tolerance=1e-12))
        return [end(rest)]
    if "friction" in case and "drilling" not in case:  # the cart slides forward only, and fast: Coulomb's friction
        plain = "planar contact"
        return references(plain)[:1]
    has = features(parts_of(case))
    ways = [
        ("adaptive", END, 1e-12), ("rkmk4", STEP / 16, None), ("radau3", STEP / 8, None), ("event_driven", END, 1e-11),
        ("moreau", STEP / 64, None),
    ]  # fmt: skip
    return [end(run(case, *way)) for way in ways if has <= METHODS[way[0]].takes][:2]


def check_right(case: str, name: str) -> str:
    """What is wrong, or nothing."""
    problem, q, v = made(case)
    method, best = METHODS[name], references(case)[0]
    size = max(1.0, distance(problem, (q, v, np.zeros_like(best[2])), best))
    has = features(parts_of(case))
    step = STEP / 4 if Feature.RODS in has else STEP / 2 if Feature.FUNCTIONS in has else STEP
    order = min(method.order, 4) if Feature.SAMPLED_CONTROLLER in has else method.order  # adams starts with Runge-Kutta
    runs = [run(case, name, step) for step in (step, step / 2)]
    first, second = (distance(problem, end(one), best) / size for one in runs)
    if name in ADAPTIVE:
        if second > 1e-7:  # a hundred times the tolerance: errors of steps add up
            return f"off by {second:.1e}"
    # Halving the step divides the error by 2^p, here by 2^(p - 0.6) at least: terms of higher order count still. Below 1e-9 the
    # reference, and round-off of Newton's method, are of the same size.
    # An impact is placed within a step of its time: velocities err by accelerations (about 1 here) times the step.
    elif Feature.HARD_CONTACT in has:
        if second > step:
            return f"off by {second:.1e}"
    elif second > 1e-9 and not first / second > 2.0 ** (order - 0.6):
        return f"errors {first:.1e}, {second:.1e} at order {order}"
    found = runs[1]
    series = {**problem.series(found.times, found.q, found.v, found.memory), **found.recorded}
    energy = account(found.times, series, method.order, at_rest(problem))
    if energy.first_failure() is not None or energy.first_warning(method.dissipates) is not None:
        return f"energy defect {np.abs(energy.defect).max():.1e} J of {energy.scale:.1e} J"
    return ""


def check_refused(case: str, name: str) -> str:
    """What is wrong with the refusal, or nothing."""
    problem, q, v = made(case)
    has = features(parts_of(case))
    with pytest.raises(InputError) as told:
        solve(problem, q, v, t_end=END, step=STEP, method=name)
    sentence = str(told.value)
    words = [feature.words for feature in has - METHODS[name].takes]
    others = re.findall(r"'(\w+)'", sentence.split(";")[-1])
    named = any(sentence.startswith(f"the integrator '{name}' takes no {word}") for word in words)
    sound = all(has <= METHODS[other].takes for other in others) and (others or "no other does" in sentence)
    return "" if named and sound else sentence


@pytest.mark.parametrize("case", ALONE + MEETING)
def test_right_or_refused(case: str) -> None:
    has = features(parts_of(case))
    problem, _, _ = made(case)
    assert set(features_of(problem)) == has
    ways = references(case)
    # Errors of the second reference: its order at a 16th or an 8th of the step; impacts are of order 1 at a 64th.
    touching = Feature.HARD_CONTACT in has
    assert len(ways) < 2 or distance(problem, *ways[:2]) < (1e-2 if touching else 1e-6)
    wrong = {}
    for name, method in METHODS.items():
        if method.inertia or not has <= method.takes:  # equilibria have a test of their own
            found = check_right(case, name) if has <= method.takes else check_refused(case, name)
            wrong |= {name: found} if found else {}
    assert not wrong


def test_all_features_have_a_case() -> None:
    assert set().union(*(features(parts_of(case)) for case in ALONE)) | {Feature.EVENTS} == set(Feature)


@pytest.mark.parametrize("case", STILL)
def test_equilibria_hold_still(case: str) -> None:
    """At the end of a quasi-static run, with motions and targets stopped there, forward dynamics gives no acceleration."""
    one = scenario(*parts_of(case))
    assert features(parts_of(case)) <= METHODS["quasi_static"].takes
    q, v = one.initial_state()
    solution = solve(one.problem, q, v, t_end=END, step=END / 4, method="quasi_static")
    assert solution.status == "completed"
    still = one.problem if "peg" in case else stopped(one).problem  # a peg is where its rod was at the start of this problem
    rest, zero = solution.q[-1].copy(), np.zeros(len(v))
    acceleration = still.accelerations(END, rest, zero)
    # 2 m/s^2 is what weight alone would give; the tolerance is 1e-8 of forces, and the smallest inertias are a 100th of the mass.
    assert np.abs(acceleration).max() < 1e-5
    assert np.abs(still.model.difference(solution.q[-1], rest)).max() < 1e-9


def stopped(one: Scenario) -> Scenario:
    """The scenario with its imposed motions and the targets of its servos as they are at the end."""
    imposed = {name: ld.constant(float(law.at(END)[0])) for name, law in one.drive.imposed.items()}
    servo = {name: ld.Servo(float(x.law.at(END)[0]), x.stiffness, x.damping) for name, x in one.drive.servo.items()}
    lengths = {name: ld.constant(float(law.at(END)[0])) for name, law in one.drive.tendon_length.items()}
    return one.changed(imposed=imposed, servo=servo, tendon_length=lengths)


def test_events() -> None:
    """The arm passes 1.1 rad; another method that stops at the time found is there."""
    problem, q, v = made("planar wheels")
    arm = problem.model.compiled.position_index("arm")

    def passes(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(q[arm] - 1.1)

    for name, method in METHODS.items():
        if Feature.EVENTS in method.takes:
            found = solve(
                problem, q, v, t_end=END, step=END, method=method_of(name, tolerance=1e-10), watch=Watch(events=[passes])
            )
            time = float(found.events[0][0])
            there = solve(problem, q, v, t_end=time, step=time / 64, method="rkmk4")
            assert there.q[-1][arm] == pytest.approx(1.1, abs=1e-7)
        else:
            with pytest.raises(InputError, match=rf"'{name}' takes no (events|wheels)"):
                solve(problem, q, v, t_end=END, method=name, watch=Watch(events=[passes]))


@pytest.mark.parametrize("name", ["adams", "generalized_alpha"])
def test_formulas_do_not_look_across_the_jumps_of_sampled_torques(name: str) -> None:
    """They kept accelerations from before a sample: errors of order 1, for adams 1e-2 at any step down to a period's quarter."""
    problem, _, _ = made("planar sampled")
    best = references("planar sampled")[0]
    errors = [distance(problem, end(run("planar sampled", name, PERIOD / n)), best) for n in (4, 8)]
    assert errors[1] < {"adams": 1e-6, "generalized_alpha": 1e-3}[name]
    assert np.log2(errors[0] / errors[1]) > {"adams": 3.5, "generalized_alpha": 1.8}[name]
