"""A scenario is made of parts that check themselves; words given in their place mean the same; it prints in a few lines."""

import re
from typing import Any

import pytest

import locodyn as ld
from locodyn.sim import Drive, Numerics, Recording, World


def arm() -> ld.Robot:
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("bob", mass=1.0, shape=ld.Sphere(0.1)).on(ground, at=(0, 0, 1)).turning("y")
    return robot


LAW = ld.sine(0.3, omega=2)
WORDS: dict[str, Any] = {"gravity": (0, 0, -1), "imposed": {"bob": LAW}, "integrator": "radau3", "tolerance": 1e-6, "t_end": 2}


def test_words_and_parts_mean_the_same() -> None:
    flat = ld.Scenario("swing", arm(), **WORDS)
    parts = ld.Scenario(
        "swing",
        arm(),
        world=World(gravity=(0, 0, -1)),
        drive=Drive(imposed={"bob": LAW}),
        numerics=Numerics(integrator=ld.Radau3(tolerance=1e-6)),
        recording=Recording(t_end=2),
    )
    for one in (flat, parts, flat.changed(summary="a copy")):
        assert (one.world.gravity, one.recording.t_end) == ((0.0, 0.0, -1.0), 2.0)
        assert one.drive.imposed == {"bob": LAW}
        assert one.numerics.method == ld.Radau3(tolerance=1e-6) and one.numerics.step_is_free
    beside = ld.Scenario("swing", arm(), recording=Recording(t_end=2, record_every=3), t_end=4)
    assert (beside.recording.t_end, beside.recording.record_every) == (4.0, 3)
    assert parts.changed(world=World()).world.gravity == (0.0, 0.0, -9.81)
    assert parts.changed(dt=0.1).drive is parts.drive  # a part that is not changed is the same one


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: World(gravity=(0, 1)), r"gravity is \(0, 1\); it must be three finite numbers \(m/s\^2\)"),
        (lambda: World(contact=3), r"contact is 3; it must be a HardContact"),
        (lambda: World(self_collision="yes"), "self_collision is 'yes'; it must be True, False or SelfCollision"),
        (lambda: Drive(imposed={"a": 0.0}, torque={"a": 1.0}), "coordinate 'a' is both imposed and torque-driven"),
        (lambda: Drive(controller=3), "the controller is 3; it must be a function"),
        (lambda: Numerics(integrator="radau"), "there is no integrator 'radau'; did you mean 'radau3'"),
        (lambda: Numerics(dt=0.0), "the step is 0 s; it must be positive and finite"),
        (lambda: Recording(t_end=-1), "the end time is -1 s; it must be positive"),
        (lambda: Recording(record_every=0), "record_every is 0; it must be a whole number of steps"),
        (lambda: ld.Scenario("x", arm(), world=9.81), "the world is 9.81; it must be a World"),
        (lambda: ld.Scenario("x", arm(), tend=1.0), "a scenario has no 'tend'; did you mean 't_end'"),
        (lambda: ld.Scenario("x", arm(), t_end=1.0, dt=2.0), "the step is 2 s, longer than the run of 1 s"),
        (lambda: ld.Scenario("x", arm(), drive=Drive(torque={"bop": 1.0})), "has no coordinate 'bop'; did you mean 'bob'"),
        (lambda: ld.simulate(arm(), imposd={}), "simulate has no option 'imposd'; did you mean 'imposed'"),
        (lambda: ld.statics(arm(), loud={}), "statics has no option 'loud'; did you mean 'load'"),
    ],
)
def test_each_part_refuses_what_is_wrong(make: Any, sentence: str) -> None:
    with pytest.raises(ld.InputError, match=sentence):
        make()


def test_it_prints_in_a_few_lines() -> None:
    scenario = ld.Scenario("swing", arm(), start={"bob": 0.0}, **WORDS)
    assert repr(scenario) == (
        "Scenario 'swing'\n"
        "  robot      arm: 2 bodies, 1 degree of freedom\n"
        "  world      gravity (0, 0, -1) m/s^2\n"
        "  drive      imposed: bob\n"
        "  start      positions of bob\n"
        "  numerics   radau3, step 0.01 s\n"
        "  recording  to 2 s, every step"
    )
    page = scenario._repr_html_()
    assert all(words in page for words in ("Scenario &#x27;swing&#x27;", "imposed: bob", "radau3")) and len(page) < 3000
    assert repr(scenario.numerics) == "Numerics(integrator='radau3', tolerance=1e-06)" and repr(Drive()) == "Drive()"


def test_all_of_the_zoo_print_shortly() -> None:
    for name in ("snakeboard", "mobile_manipulator", "snake_seven_pegs", "wheeled_snake", "snake_control", "tendon_arm"):
        lines = repr(getattr(ld.zoo, name)()).splitlines()
        assert len(lines) == 7 and all(len(line) < 200 for line in lines)
        assert not any(re.search(r"object at 0x|\[\.\.\.|array\(", line) for line in lines), lines
