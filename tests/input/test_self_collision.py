"""Bodies of a robot hit each other, but for neighbours, which a joint or a loop keeps in touch; the user may change it."""

import pytest
from typer.testing import CliRunner

import locodyn as ld
from locodyn.world.contact_table import ContactPairs

BALL = ld.Sphere(0.1)
# Joints that hold a point of one body in the other, or on a line of it; and those in which bodies move past each other.
HOLDING = {
    "fixed": lambda body: body.fixed(),
    "revolute": lambda body: body.turning("z"),
    "prismatic": lambda body: body.sliding("x"),
    "helical": lambda body: body.screwing("x", pitch=0.1),
    "cylindrical": lambda body: body.cylindrical("x"),
    "universal": lambda body: body.universal("x", "y"),
    "spherical": lambda body: body.ball(),
}
LOOSE = {
    "planar": lambda body: body.planar(),
    "translating": lambda body: body.translating(),
    "free": lambda body: body.free(),
}


def two_balls(join, *more):
    robot = ld.Robot("pair")
    first = robot.base("first", mass=1, shape=BALL).collides()
    second = join(robot.body("second", mass=1, shape=BALL).on(first, at=(0.5, 0, 0))).collides()
    for k, name in enumerate(more):
        robot.body(name, mass=1, shape=BALL).on(first, at=(0, 1 + k, 0)).free().collides()
    return robot, first, second


def names(robot, self_collision=True):
    scenario = ld.Scenario("pair", robot, self_collision=self_collision, integrator="moreau", dt=1e-3, t_end=0.1)
    return scenario, ContactPairs(scenario.compiled, (), self_collision).names


@pytest.mark.parametrize("kind", HOLDING)
def test_bodies_that_a_joint_keeps_in_touch_do_not_hit(kind):
    robot, *_ = two_balls(HOLDING[kind])
    scenario, found = names(robot)
    assert found == []
    ((pair, why),) = scenario.left_out().items()
    assert pair == ("first", "second")
    assert why == ("fixed to each other" if kind == "fixed" else f"joint 'second', {kind}")


@pytest.mark.parametrize("kind", LOOSE)
def test_bodies_that_move_past_each_other_hit(kind):
    robot, *_ = two_balls(LOOSE[kind])
    scenario, found = names(robot)
    assert found == ["first.surface on second.surface"]
    assert scenario.left_out() == {}


def test_a_loop_keeps_bodies_in_touch():
    robot, first, second = two_balls(LOOSE["free"])
    robot.loop("pin", first, second, "spherical", first_at=(0.25, 0, 0), second_at=(-0.25, 0, 0))
    scenario, found = names(robot)
    assert found == []
    assert scenario.left_out() == {("first", "second"): "loop 'pin', spherical"}


def test_bodies_fixed_to_neighbours_are_neighbours():
    robot, _, second = two_balls(HOLDING["revolute"])
    robot.body("horn", mass=1, shape=BALL).on(second, at=(0, 0.1, 0)).fixed().collides()
    scenario, found = names(robot)
    assert found == []
    assert scenario.left_out()["first", "horn"] == "joint 'second', revolute"
    assert scenario.left_out()["second", "horn"] == "fixed to each other"


def rod_with_tip():
    robot = ld.Robot("arm")
    base = robot.base("base", moves="fixed", shape=BALL).collides()
    soft = ld.Material(young=1e6, density=1000.0)
    arm = base.rod("arm", length=1.0, section=ld.Circle(0.01), material=soft, bending=(2, 0)).collides()
    arm.collides(BALL, name="arm.tip")
    robot.body("hand", mass=0.1, shape=BALL).on(arm).turning("z").collides()
    return robot


def test_a_rod_touches_what_holds_it_and_what_it_holds_but_its_tip_may_hit_the_base():
    scenario, found = names(rod_with_tip())
    assert "base.surface on arm.tip" in found
    assert "base.surface on hand.surface" in found
    assert not any("arm.surface" in name for name in found)
    assert scenario.left_out() == {
        ("arm", "arm"): "a rod does not hit itself",
        ("base", "arm"): "joint 'arm', rod",
        ("arm", "hand"): "joint 'hand', revolute",
    }


def test_the_user_includes_and_excludes_pairs():
    robot, *_ = two_balls(HOLDING["revolute"], "third")
    scenario, found = names(robot, ld.SelfCollision(include=[("second", "first")], exclude=[("first", "third")]))
    assert found == ["first.surface on second.surface", "second.surface on third.surface"]
    assert scenario.left_out() == {("first", "third"): "excluded"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: ld.SelfCollision(include=[("first", "secnd")]), "no body 'secnd'; did you mean 'second'?"),
        (lambda: ld.SelfCollision(exclude=[("frst", "second")]), "no body 'frst'; did you mean 'first'?"),
        (lambda: ld.SelfCollision(exclude=[("first", "bare")]), "'bare', which has no surface"),
        (lambda: ld.SelfCollision(include=[("first", "horn")]), "fixed to each other"),
        (lambda: ld.SelfCollision(include=[("first", "first")]), "names 'first' twice"),
        (lambda: ld.SelfCollision(include=[("first", "second")], exclude=[("second", "first")]), "both includes and excludes"),
        (lambda: ld.SelfCollision(include="first"), "must be a list of pairs"),
        (lambda: ld.SelfCollision(include=["first", "second"]), "must hold pairs"),
        (lambda: "yes", "must be True, False or SelfCollision"),
        (lambda: None, "must be True, False or SelfCollision"),
    ],
)
def test_wrong_pairs_are_refused(given, words):
    robot, first, _ = two_balls(HOLDING["revolute"])
    robot.body("bare", mass=1, shape=BALL).on(first).turning("z")
    robot.body("horn", mass=1, shape=BALL).on(first, at=(0, 0.1, 0)).fixed().collides()
    with pytest.raises(ld.InputError, match=r"self_collision|robot 'pair'") as caught:
        ld.Scenario("pair", robot, self_collision=given(), integrator="moreau")
    assert words in str(caught.value)


FILE = """
robot:
  base: {name: first, mass: 1, shape: {sphere: 0.1}, collides: {skin: {}}}
  bodies:
    second: {parent: first, turning: z, at: [0.5, 0, 0], mass: 1, shape: {sphere: 0.1}, collides: {shell: {}}}
self_collision: SAID
integrator: moreau
"""


def said(tmp_path, words):
    path = tmp_path / "pair.yaml"
    path.write_text(FILE.replace("SAID", words))
    return path


def test_files_say_it_too(tmp_path):
    left_out = ld.scenario_of(said(tmp_path, "true")).scenario.left_out()
    assert left_out == {("first", "second"): "joint 'second', revolute"}
    changed = ld.scenario_of(said(tmp_path, "{include: [[first, second]]}")).scenario
    assert changed.left_out() == {} and changed.world.self_collision.include == (("first", "second"),)


def test_a_file_that_names_an_unknown_body_is_refused_with_its_line(tmp_path):
    with pytest.raises(ld.InputError, match=r"line 6.*no body 'secnd'; did you mean 'second'\?"):
        ld.scenario_of(said(tmp_path, "{exclude: [[first, secnd]]}"))


def test_describe_lists_what_is_left_out(tmp_path):
    from locodyn.cli.app import app

    shown = CliRunner().invoke(app, ["describe", str(said(tmp_path, "true"))]).output
    assert "Self-collision: all bodies with surfaces, but for" in shown
    assert "first, second: joint 'second', revolute" in shown
