"""Whatever a robot or a scenario can say, a file can say: a new field without a word in the tables fails here."""

import inspect
import re
from dataclasses import MISSING, fields

import pytest

import locodyn as ld
from file_robots import assert_same, colliding_robot, full_robot, held_robot, parts, rod_robot, rolling_robot
from file_scenarios import EVERYTHING, HARD, SOFT, STEPPING, made
from locodyn import gaits, motion, robot, world
from locodyn.cli import options
from locodyn.contact.options import HardContact
from locodyn.files.contact_words import CONTACT, FRICTION, SUPPORT, SURFACE
from locodyn.files.contact_words import OBSTACLES as OBSTACLE_WORDS
from locodyn.files.motion_words import LAW_KINDS, ONE_LAW
from locodyn.files.part_words import LAW, SHAPES, WRENCH
from locodyn.files.parts import SOLIDS, WRENCH_LAWS
from locodyn.files.robot_words import ACTUATOR, BASE, BODY, FLUID, FOOT, JOINT_WORDS, LIMITS, LOOP, ROLLING, SKATE, WHEEL
from locodyn.files.rod_words import CHAMBER, MATERIAL, MUSCLE, ROD, ROUTE, TAPERED, TENDON
from locodyn.files.rod_words import FLUID as ROD_FLUID
from locodyn.files.rod_words import SECTIONS as SECTION_WORDS
from locodyn.files.rods import SECTIONS
from locodyn.files.scenario_words import GAITS, SERVO, SPEED, START
from locodyn.files.tie_words import CABLE, SPRING, TORSION_SPRING
from locodyn.integrate import METHODS
from locodyn.locomotion.servo import Servo
from locodyn.robot import Actuator
from locodyn.robot.building.sentence import BodyHandle
from locodyn.robot.collision import COLLISION_KINDS, Collision
from locodyn.robot.contact import CONTACT_KINDS
from locodyn.robot.loop import LOOP_JOINTS
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.rods.load import Spread
from locodyn.robot.rods.routing import ROUTES
from locodyn.robot.rods.section import STRAINS
from locodyn.robot.rods.strand import Strand
from locodyn.robot.tie import Hold, Tie
from locodyn.robot.wheel import WHEEL_KINDS
from locodyn.sim import Scenario, Start
from locodyn.sim.drive import Drive
from locodyn.sim.parts import Numerics, Recording, World

pytestmark = pytest.mark.slow

BUILDS = (full_robot, rolling_robot, rod_robot, colliding_robot, held_robot)
IN_PYTHON_ONLY = {"controller", "joints"}  # functions; to which joints arrays of a start belong: files name each number


def arguments(function, *without):
    return set(inspect.signature(function).parameters) - {"self", "name", *without}


def unsaid(kinds, things):
    """Fields of the classes that have their default in all of the things."""
    left = {(kind, entry.name) for kind in kinds for entry in fields(kind)}
    for thing in things:
        for entry in fields(thing):
            value, default = getattr(thing, entry.name), entry.default
            if default is MISSING and entry.default_factory is not MISSING:
                default = entry.default_factory()
            if default is MISSING or not same(value, default):
                left.discard((type(thing), entry.name))
    return left


def same(one, other):
    try:
        assert_same(one, other)
    except AssertionError:
        return False
    return True


# ------------------------------------------------------------------------------------------------------------------- robots
def test_the_full_robots_leave_nothing_unsaid():
    """Every field of every part differs from its default in one of the robots that go through YAML bit for bit."""
    kinds = (
        robot.RobotDescription, robot.Body, robot.Joint, robot.Inertia, robot.Actuator, robot.Marker, robot.Wheel, robot.Contact,
        robot.Loop, robot.WrenchLaw, *WRENCH_LAWS.values(), robot.Rod, robot.Material, Strand, *SECTIONS.values(), Collision,
        Tie, Hold, robot.Friction, robot.RodFluid, Spread, RodContact, robot.StrainField, robot.FieldTerm, robot.Profile,
    )  # fmt: skip
    said = [part for build in BUILDS for part in parts(build().description)]
    assert unsaid(kinds, said) == set()
    assert {type(part) for part in said} >= set(kinds)
    assert {wheel.kind for wheel in said if isinstance(wheel, robot.Wheel)} == set(WHEEL_KINDS)
    assert {contact.kind for contact in said if isinstance(contact, robot.Contact)} == set(CONTACT_KINDS)
    assert {surface.kind for surface in said if isinstance(surface, Collision)} == set(COLLISION_KINDS)


def test_words_of_the_builder_are_keys_of_the_file():
    body = BodyHandle
    for record, words in (
        (WHEEL, arguments(body.wheel)),
        (SKATE, arguments(body.skate)),
        (ROLLING, arguments(body.rolling)),
        (FOOT, arguments(body.foot)),
        (SURFACE, arguments(body.collides)),
        (SUPPORT, arguments(body.rests)),
        (FLUID, arguments(body.fluid)),
        (LIMITS, arguments(body.limits)),
        (LOOP, arguments(ld.Robot.loop)),
        (SPRING, arguments(ld.Robot.spring)),
        (CABLE, arguments(ld.Robot.cable)),
        (TORSION_SPRING, arguments(ld.Robot.torsion_spring, "first_turned", "second_turned")),  # said of the ends
        (TENDON, arguments(body.tendon)),
        (CHAMBER, arguments(body.chamber)),
        (MUSCLE, arguments(body.muscle)),
        (WRENCH, arguments(ld.Robot.wrench, "on") | {"acts_on"}),  # 'on' is a truth value in YAML 1.1
        (ACTUATOR, {entry.name for entry in fields(Actuator)}),
    ):
        assert set(record.keys) == words, record.name
    assert arguments(ld.Robot.base) <= set(BASE.keys)
    assert arguments(ld.Robot.body) | arguments(body.on, "parent") | set(JOINT_WORDS) <= set(BODY.keys)
    told = {word for word, act in vars(body).items() if inspect.isfunction(act) and not word.startswith("_")}
    plural = {
        "marker": "markers",
        "wheel": "wheels",
        "skate": "skates",
        "foot": "feet",
        "tendon": "tendons",
        "chamber": "chambers",
        "muscle": "muscles",
        "on": "parent",
    }
    assert {plural.get(word, word) for word in told} <= set(BODY.keys)
    assert set(LOOP.keys["joint"].rule.choices) == set(LOOP_JOINTS)


def test_rods_sections_and_materials():
    modes = {strain.split("_")[0] for strain in STRAINS}  # bending and shear: one word for both directions
    assert set(ROD.keys) == {entry.name for entry in fields(robot.Rod)} - {"modes"} | modes
    assert set(ROD_FLUID.keys) == {entry.name for entry in fields(robot.RodFluid)}
    assert set(SECTION_WORDS) == set(SECTIONS)
    for kind, section in SECTIONS.items():
        assert set(SECTION_WORDS[kind].rule.keys) == {entry.name for entry in fields(section)}
    sections = {
        kind for kind in vars(robot).values() if inspect.isclass(kind) and "properties" in vars(kind) and kind is not robot.Rod
    }
    assert set(SECTIONS.values()) == sections
    assert set(TAPERED.keys) == {entry.name for entry in fields(robot.Tapered)} - {"length"}  # which its rod sets
    assert set(ROUTE.keys) == set(ROUTES)
    for kind, route in ROUTES.items():
        assert set(ROUTE.keys[kind].rule.keys) == {entry.name for entry in fields(route)}
    names, numbers = MATERIAL.rules
    assert set(numbers.keys) == {entry.name for entry in fields(robot.Material)}
    assert set(names.choices) == {name for name, value in vars(robot).items() if isinstance(value, robot.Material)}


def test_wrench_laws_and_shapes():
    others = (
        "WrenchLaw",
        "UserLaw",
        "CompliantContact",
        "Fixture",
        "Ground",
        "Obstacle",
        "SelfCollision",
        "Terrain",
        "Water",
        "Wave",
    )
    laws = {name for name in world.__all__ if name not in others}
    assert {law.__name__ for law in WRENCH_LAWS.values()} == laws
    for kind, law in WRENCH_LAWS.items():
        assert set(LAW.keys[kind].rule.keys) == {entry.name for entry in fields(law)}
    shapes = {kind.__name__.lower() for kind in vars(robot).values() if inspect.isclass(kind) and issubclass(kind, robot.Shape)}
    assert shapes - {"shape", "compound"} == set(SHAPES)


def test_friction_obstacles_and_solvers():
    assert set(FRICTION.keys) == {entry.name for entry in fields(robot.Friction)}
    assert set(CONTACT.keys) == {entry.name for entry in fields(HardContact)}
    assert set(OBSTACLE_WORDS) == {"ground", "terrain", *SOLIDS}
    assert set(world.Fixture.__subclasses__()) == {world.Ground, world.Obstacle, world.Terrain}
    for kind, fixture in (("ground", world.Ground), ("terrain", world.Terrain)):
        assert set(OBSTACLE_WORDS[kind].rule.keys) == {entry.name for entry in fields(fixture)}, kind
    placing = {entry.name for entry in fields(world.Obstacle)} - {"solid"}
    for kind, solid in SOLIDS.items():
        lengths = {entry.name for entry in fields(solid)} - {"colour"}
        assert set(OBSTACLE_WORDS[kind].rule.keys) == lengths | placing, kind


# ---------------------------------------------------------------------------------------------------------------- scenarios
PARTS = ("world", "drive", "start", "numerics", "recording")


def test_a_file_says_every_field_of_a_scenario(tmp_path):
    texts = {"everything": EVERYTHING, "soft": SOFT, "hard": HARD, "stepping": STEPPING}
    everything, soft, hard, stepping = (made(text, tmp_path, name) for name, text in texts.items())
    parts = [
        part
        for scenario in (everything, soft, hard, stepping)
        for part in (scenario, *(getattr(scenario, name) for name in PARTS))
    ]
    said = [*parts, *everything.drive.servo.values(), hard.world.contact, *hard.world.obstacles]
    kinds = (Scenario, World, Drive, Start, Numerics, Recording, Servo, HardContact, *world.Fixture.__subclasses__())
    left = {name for _, name in unsaid(kinds, said)}
    assert left == IN_PYTHON_ONLY


def test_motion_laws_servos_and_gaits():
    """Functions of the library that make laws, and their arguments."""
    names = set(motion.__all__) - {"Law", "LawLike", "MotionTable", "as_law", "function", "from_csv"}
    assert set(LAW_KINDS) == names | {"csv"}
    for name in names - {"constant", "polynomial"}:
        assert set(LAW_KINDS[name].rule.keys) == set(inspect.signature(getattr(motion, name)).parameters), name
    csv = arguments(motion.from_csv, "path", "columns") | {"file", "column"}
    assert set(LAW_KINDS["csv"].rule.keys) == csv
    assert set(ONE_LAW.keys) - set(LAW_KINDS) == {"soft_start", "factor"}
    assert set(SERVO.keys) == {entry.name for entry in fields(Servo)}
    assert set(START.keys) == {entry.name for entry in fields(Start)} - IN_PYTHON_ONLY
    assert len(SPEED.keys) == 3
    families = {name for name in gaits.__all__ if name.endswith("_gait")} - {
        "inverse_gait",
        "module_gait",
    }  # these turn one gait into another
    assert {f"{kind}_gait" for kind in GAITS} == families
    assert set(GAITS["serpenoid"].rule.keys) == arguments(gaits.serpenoid_gait)
    assert set(GAITS["snake"].rule.keys) == arguments(gaits.snake_gait)


def test_every_integrator_is_known_to_the_command_line():
    assert set(re.findall(r"[a-z_]+\d?", options.INTEGRATORS)) >= set(METHODS)
