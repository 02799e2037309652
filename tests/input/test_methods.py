"""Methods of integration declare themselves: names, options and refusals come from the declarations."""

import re
import subprocess
import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.integrate import METHODS, Feature, Method, Watch, solve
from locodyn.integrate.checks import features_of, refusal
from locodyn.integrate.methods import all_options, method_of, takers
from locodyn.locomotion.problem import Problem

ARM = ld.Robot("arm")
ARM.base("ground", moves="fixed")
ARM.body("link", mass=1.0, inertia=np.eye(3)).on("ground").turning("y", name="joint")


@pytest.mark.parametrize("name", METHODS)
def test_declaration_is_complete(name: str) -> None:
    method = METHODS[name]
    assert is_dataclass(method) and method.name == name and getattr(ld.integrate, method.__name__) is method
    assert method.order >= 1 and method.suits and method.__doc__
    assert method.takes <= set(Feature) and method.best_for <= method.takes
    assert not set(dict(method.reasons)) & method.takes  # reasons are for what is not taken
    for option in method.options():
        assert option.unit and option.meaning
        assert option.name in {one.name for one in fields(ld.sim.Numerics)}  # so results, files and the command line carry it
    for feature in Feature:
        sentence = refusal(method(), {feature: "x"})
        assert (sentence == "") == (feature in method.takes)
        if sentence:
            assert sentence.startswith(f"the integrator '{name}' takes no {feature.words}, such as 'x'")
            assert all(f"'{other}'" not in sentence for other in METHODS if feature not in METHODS[other].takes and other != name)


def test_every_feature_is_taken_by_some_method() -> None:
    assert [feature for feature in Feature if not takers([feature])] == []


def test_no_method_loads_kernels_before_it_runs() -> None:
    code = "import sys, locodyn.integrate.methods; assert 'numba' not in sys.modules and 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "method", [ld.integrate.Variational(tolerance=1e-5), ld.Adaptive(tolerance=1e-4), ld.integrate.HHT(1e-7, 0.3)]
)
def test_name_and_object_mean_the_same(method: Method) -> None:
    by_object = ld.Scenario("arm", ARM, integrator=method)
    by_name = ld.Scenario("arm", ARM, integrator=method.name, **method.values())
    assert by_object.numerics.method == by_name.numerics.method == method
    assert (by_object.numerics.integrator, by_object.numerics.tolerance) == (method.name, method.values()["tolerance"])
    assert by_object.changed(tolerance=1e-3).numerics.method == method_of(method.name, **{**method.values(), "tolerance": 1e-3})
    assert by_object.changed(integrator=ld.Radau3()).numerics.method == ld.Radau3()


def test_solve_takes_both() -> None:
    problem = Problem(ARM.model())
    one = solve(problem, [0.3], [0.0], t_end=0.5, method="adaptive", tolerance=1e-4)
    two = solve(problem, [0.3], [0.0], t_end=0.5, method=ld.Adaptive(tolerance=1e-4))
    assert np.array_equal(one.q, two.q) and one.evaluations == two.evaluations
    with pytest.raises(InputError, match="the tolerance is given beside Adaptive"):
        solve(problem, [0.3], [0.0], method=ld.Adaptive(), tolerance=1e-4)


@pytest.mark.parametrize("option", all_options(), ids=lambda option: option.name)
@pytest.mark.parametrize("value", [-1.0, float("nan"), "x"])
def test_options_are_checked(option, value) -> None:
    """Also where the method does not look at them: a slip is a slip."""
    with pytest.raises(InputError, match=f"{option.name} is {value!r}; it must"):
        ld.Scenario("arm", ARM, **{option.name: value})
    owner = next(method for method in METHODS.values() if option.name in {one.name for one in method.options()})
    with pytest.raises(InputError, match=f"{option.name} is {value!r}; it must"):
        owner(**{option.name: value})


def test_features_of_a_problem() -> None:
    problem = Problem(ARM.model(), servo={0: ld.Servo(0.3, 5.0, 1.0, begins=0.05)}, controller=lambda t, q, v: [0.0])
    found = features_of(problem, events=[lambda t, q, v: q[0]])
    assert set(found) == {Feature.SERVOS, Feature.LATE_SERVOS, Feature.FUNCTIONS, Feature.EVENTS}
    assert found[Feature.LATE_SERVOS] == "joint"
    assert set(features_of(problem, t0=0.05)) == {Feature.SERVOS, Feature.FUNCTIONS}
    wheeled = features_of(ld.zoo.snakeboard().problem)
    assert {Feature.WHEELS, Feature.IMPOSED} <= set(wheeled)
    assert Feature.LOOPS in features_of(ld.zoo.four_bar().problem)
    assert Feature.HARD_CONTACT in features_of(ld.zoo.bouncing_ball().problem)
    assert Feature.RODS in features_of(ld.zoo.rod_drop().problem)


def test_events_of_the_user_beside_event_driven_are_refused() -> None:
    """They were passed over in silence."""
    ball = ld.zoo.bouncing_ball()
    with pytest.raises(InputError, match="'event_driven' takes no events"):
        solve(ball.problem, *ball.initial_state(), method="event_driven", watch=Watch(events=[lambda t, q, v: q[2]]))


@pytest.mark.parametrize(
    "words",
    [
        {"integrator": "rkmk4", "tolerance": 1e-3},
        {"integrator": ld.Radau3(), "rho_inf": 0.5},
        {"integrator": "gauss2", "rho_inf": 0.5},
    ],
)
def test_an_option_of_another_method_is_refused(words: dict) -> None:
    name = "tolerance" if "tolerance" in words else "rho_inf"
    with pytest.raises(InputError, match=f"^{name} is an option of some integrators, .* does not have it; .* leave {name} out"):
        ld.simulate(ARM, t_end=0.1, dt=0.01, progress=False, **words)


@pytest.mark.parametrize(
    "words, what",
    [
        (
            {"integrator": "rkmk4", "tolerance": 1e-3},
            "tolerance = 0.001 is not looked at: the integrator 'rkmk4' does not",
        ),
        ({"tolerance": 1e-3}, "the integrator 'rkmk4', which the run has chosen, does not have it"),
        ({"contact": "hard"}, "the hard contact of 'arm' does nothing: there is nothing to touch"),
    ],
)
def test_a_run_says_what_it_does_not_look_at(words: dict, what: str) -> None:
    with pytest.warns(ld.sim.UnusedWarning, match=re.escape(what)):
        ld.Scenario("arm", ARM, t_end=0.02, dt=0.01, **words).run(progress=False)


def test_a_change_to_an_option_of_another_method_is_refused() -> None:
    with pytest.raises(InputError, match=r"^tolerance is an option of some integrators, .* 'rkmk4' does not have it"):
        ld.Scenario("arm", ARM, integrator="rkmk4").changed(tolerance=1e-3)
    loose = ld.Scenario("arm", ARM, integrator="adaptive", tolerance=1e-3)
    assert loose.changed(integrator="rkmk4").changed(integrator="adaptive").numerics.tolerance == 1e-3
