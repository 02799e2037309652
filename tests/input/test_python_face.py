"""The Python face with things that are wrong or mean nothing: an error of the library, in one sentence."""

from __future__ import annotations

import functools

import pytest

import locodyn as ld
from locodyn.sim import Check, Kind
from locodyn.sim.start import positions

NAN = float("nan")


@functools.cache
def arm() -> ld.Robot:
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("link", mass=1.0, shape=ld.Box((1, 0.1, 0.1))).on(ground).turning("y")
    return robot


@functools.cache
def result() -> ld.Result:
    return ld.zoo.pendulum().changed(t_end=0.1, dt=0.01).run(progress=False)


def made(**fields):
    return ld.Scenario("x", arm(), **fields)


def started(**words):
    return made(start=ld.Start(**words)).initial_state()


def word(t, q, v):
    return "a"


CASES = {
    "robot": (lambda: ld.Scenario("x", "snake"), "the robot is 'snake'; it must be a Robot"),
    "scenario as a robot": (
        lambda: ld.simulate(made()),
        "the robot is the scenario 'x'; give its robot, scenario.robot, or run it",
    ),
    "robot of simulate": (lambda: ld.simulate(None), "the robot is None"),
    "gravity in words": (lambda: made(gravity="down"), "gravity is 'down'; it must be three finite numbers"),
    "gravity as a number": (lambda: made(gravity=9.81), "gravity is 9.81; it must be three finite numbers"),
    "time that is a flag": (lambda: made(t_end=True), "the end time is True"),
    "record that is a flag": (lambda: made(record_every=True), "record_every is True"),
    "too many records": (lambda: made(t_end=1e9, dt=1e-6), "keeps 1e\\+15 records"),
    "list of imposed": (lambda: made(imposed=["link"]), "imposed is .* must be a mapping"),
    "torque": (lambda: made(torque=3), "torque is 3; it must be a mapping"),
    "dependent": (lambda: made(dependent=3), "dependent is 3; it must be a list"),
    "equal": (lambda: made(equal=3), "equal is 3; it must be a list"),
    "obstacles": (lambda: made(obstacles=3), "obstacles is 3; it must be a list"),
    "contact": (lambda: made(contact=3), "contact is 3; it must be a HardContact"),
    "controller": (lambda: made(controller=3), "the controller is 3"),
    "controller in words": (lambda: made(controller=word, t_end=0.1).run(progress=False), "the controller returned 'a'"),
    "weights": (lambda: made(weights={"left": 1.0}).problem, "'left' is weighted or loaded, but robot 'arm' has no wheels"),
    "static": (lambda: made(static={"left": 1.0}).problem, "'left' is weighted or loaded, but robot 'arm' has no wheels"),
    "adjust": (lambda: started(adjust="link"), "adjust says what wheels, contacts and loops may change"),
    "keep": (lambda: started(keep="link"), "keep says what wheels, contacts and loops may change"),
    "keep a number": (lambda: ld.Start(keep=3), "keep of the start is 3; it must be a list"),
    "resolve": (lambda: started(resolve=True), "has nothing to overlap"),
    "load steps": (lambda: ld.Start(equilibrium=True, load_steps=0), "load_steps of the start is 0"),
    "imposed velocity": (
        lambda: made(imposed={"link": ld.sine(1.0, omega=2.0)}, start=ld.Start(None, {"link": 5.0})).initial_state(),
        "'link' is imposed and its motion starts with the velocity 2, but the start says 5",
    ),
    "quaternion": (
        lambda: positions(ld.zoo.free_chain().compiled, {ld.zoo.free_chain().compiled.reference_body: (0, 0, 0, 2, 0, 0, 0)}),
        "has length 2; it must have length one",
    ),
    "plot later": (lambda: result().plot("x.png", at=99.0), "wanted at t = 99 s, but the run goes from 0 to 0.1 s"),
    "plot at a word": (lambda: result().plot("x.png", at="a"), "the time of the plot is 'a'"),
    "report": (lambda: result().report("r.pdf"), "must end in .html"),
    "save": (lambda: result().save("x.txt"), "must end in .nc"),
    "table": (lambda: result().to_csv("x.nc"), "must end in .csv"),
    "picture": (lambda: result().picture("x.png", size=(20000, 20000)), "from 16 to 8192 pixels"),
    "size in words": (lambda: result().picture("x.png", size="big"), "the size is 'big'"),
    "picture at a word": (lambda: result().picture("x.png", at="a"), "the time of a picture is 'a'"),
    "statics, option": (lambda: ld.statics(arm(), stiffness=1), "statics has no option 'stiffness'"),
    "statics, time": (lambda: ld.statics(arm(), t=NAN), "the time of statics is nan"),
    "statics, steps": (lambda: ld.statics(arm(), steps=0), "steps of statics is 0"),
    "workspace of a robot": (lambda: ld.workspace(arm(), "link", {}), "a workspace is that of a scenario"),
    "grid": (lambda: ld.workspace(made(), "link", {"x": (0, 1), "z": (0, 1, 3)}), "must be two directions with"),
    "count": (lambda: ld.workspace(made(), "link", {"x": (0, 1, 2.5), "z": (0, 1, 3)}), "2 places or more"),
    "linearise": (lambda: ld.linearise(ld.zoo.pendulum()), "not steady: 'joint_1' has the acceleration"),
    "linearise, time": (lambda: ld.linearise(ld.zoo.pendulum(angle=0), t=NAN), "the time is nan s"),
    "check": (lambda: Check("a", 1.0, -1.0, lambda r: 1.0, "s", Kind.OWN), "the tolerance of the check 'a' is -1.0"),
    "kind": (
        lambda: Check("a", 1.0, 1.0, lambda r: 1.0, "s", "own"),
        "the kind of the check 'a' is 'own'; it must be one of Kind",
    ),
    "published": (lambda: Check("a", 1.0, 1.0, lambda r: 1.0, "Euler 1744", Kind.PUBLISHED), "name author, year and place"),
    "own record": (lambda: Check("a", 1.0, 1.0, lambda r: 1.0, "own record; Euler 1744 sees it", Kind.OWN), "name no source"),
    "root": (lambda: ld.load_robot("r.urdf", root="nowhere"), "there is no folder 'nowhere'"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    act, words = CASES[case]
    with pytest.raises(ld.LocodynError, match=words):
        act()
    assert not list(tmp_path.iterdir())


def test_a_quaternion_typed_in_decimals_is_taken():
    robot = ld.zoo.free_chain().compiled
    q = positions(robot, {robot.reference_body: (0, 0, 0, 0.7071068, 0.7071068, 0, 0)})
    assert abs(sum(x * x for x in q[3:7]) - 1.0) < 1e-15
