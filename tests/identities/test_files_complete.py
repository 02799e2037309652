"""Whatever a robot or a scenario can say, a file can say: a new field without a word in the tables fails here."""

import inspect
import re
from dataclasses import MISSING, fields

import pytest

import locodyn as ld
from file_robots import assert_same, colliding_robot, full_robot, held_robot, parts, rod_robot, rolling_robot
from locodyn import gaits, motion, robot, world
from locodyn.cli import options
from locodyn.contact.options import HardContact
from locodyn.files import scenario_of
from locodyn.files.contact_words import COMPLIANT, CONTACT, FRICTION, SUPPORT, SURFACE
from locodyn.files.contact_words import OBSTACLES as OBSTACLE_WORDS
from locodyn.files.contacts import SOLIDS
from locodyn.files.motion_words import LAW_KINDS, ONE_LAW
from locodyn.files.part_words import LAW, SHAPES, WRENCH
from locodyn.files.parts import WRENCH_LAWS
from locodyn.files.robot_words import ACTUATOR, BASE, BODY, FLUID, FOOT, JOINT_WORDS, LIMITS, LOOP, ROLLING, SKATE, WHEEL
from locodyn.files.rod_words import CHAMBER, MATERIAL, MUSCLE, ROD, ROUTE, TAPERED, TENDON
from locodyn.files.rod_words import FLUID as ROD_FLUID
from locodyn.files.rod_words import SECTIONS as SECTION_WORDS
from locodyn.files.rods import SECTIONS
from locodyn.files.scenario_words import GAITS, SERVO, SPEED, START
from locodyn.integrate import METHODS
from locodyn.locomotion.servo import Servo
from locodyn.phases import LiftOff, Mirror, Phase, Reaches, Touchdown
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
from locodyn.robot.wheel import WHEEL_KINDS
from locodyn.sim import Scenario, Start
from locodyn.sim.drive import Drive
from locodyn.sim.parts import Numerics, Recording, World

pytestmark = pytest.mark.slow

BUILDS = (full_robot, rolling_robot, rod_robot, colliding_robot, held_robot)
IN_PYTHON_ONLY = {"controller"}  # fields of a scenario that are functions


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
        robot.Friction, robot.RodFluid, Spread, RodContact, robot.StrainField, robot.FieldTerm, robot.Profile,
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
EVERYTHING = """\
scenario: everything
summary: whatever a scenario can say
robot: {zoo: snakeboard}
world: {gravity: [0.1, 0.2, -9.0]}
drives:
  imposed: {joint_1: {sine: {amplitude: 0.3, omega: 2, phase: 0.1, offset: 0.2}, factor: 2, soft_start: {duration: 3, start: 1}}}
  torque: {joint_2: {polynomial: [1, 2]}}
  servo: {joint_3: {target: {cycloid: {start: 0.1, end: 1, duration: 2, at: 1}}, stiffness: -3, damping: 0.5, begins: 0.2}}
  dependent: [board.vx]
  steering: {front.wheel: 0.3}
  rolling: {front.wheel: {ramp: {slope: 2, at: 1, blend: 0.5}}}
  wheel_torque: {rear.wheel: {transition: {start: 0, end: 1, duration: 2, at: 0.5, degree: 7}}}
  speeds: [{of: board, along: [1, 0, 0], distance: {spline: {times: [0, 1, 2, 3], values: [0, 1, 4, 9], degree: 3}}}]
  equal: [[front.wheel, rear.wheel]]
  weights: {front.wheel.side: 2}
  static: {rear.wheel.side: 3}
  torque_method: projective
start:
  {positions: {board.x: 0.1}, velocities: {board.vx: 0.2}, zero_momentum: true, adjust: [board.vy], keep: [board.vx, joint_1],
   memory: {joint_2.drive: 0.3}}
time: {end: 5, step: 0.02}
integrator: {method: adams, tolerance: 1e-7}
record: {every: 2, motor_reactions: true, sensors: {eye: {kind: position, of: board, noise: 0.1, seed: 3, delay: 0.02}}}
checks: [{of: position, expected: [1, 2, 3], tolerance: 1}]
"""


def in_python():
    law = motion
    return Scenario(
        "everything",
        ld.zoo.make("snakeboard").robot,
        gravity=(0.1, 0.2, -9.0),
        imposed={"joint_1": (2.0 * law.sine(0.3, omega=2, phase=0.1, offset=0.2)).soft_start(3, 1)},
        torque={"joint_2": law.polynomial(1, 2)},
        servo={"joint_3": Servo(law.cycloid(0.1, 1, duration=2, at=1), stiffness=-3, damping=0.5, begins=0.2)},
        dependent=["board.vx"],
        steering={"front.wheel": 0.3},
        rolling={"front.wheel": law.ramp(2, at=1, blend=0.5)},
        wheel_torque={"rear.wheel": law.transition(0, 1, duration=2, at=0.5, degree=7)},
        speeds=[("board", [1.0, 0.0, 0.0], law.spline([0, 1, 2, 3], [0, 1, 4, 9], degree=3))],
        equal=[("front.wheel", "rear.wheel")],
        weights={"front.wheel.side": 2.0},
        static={"rear.wheel.side": 3.0},
        torque_method="projective",
        motor_reactions=True,
        sensors={"eye": ld.Sensor("position", "board", noise=0.1, seed=3, delay=0.02)},
        start=Start(
            {"board.x": 0.1},
            {"board.vx": 0.2},
            True,
            adjust=("board.vy",),
            keep=("board.vx", "joint_1"),
            memory={"joint_2.drive": 0.3},
        ),
        t_end=5.0,
        dt=0.02,
        integrator="adams",
        tolerance=1e-7,
        record_every=2,
        summary="whatever a scenario can say",
    )


@pytest.fixture
def everything(tmp_path):
    file = tmp_path / "everything.yaml"
    file.write_text(EVERYTHING)
    return scenario_of(file).scenario


SOFT = """\
robot:
  base: {name: ground, moves: fixed}
  bodies:
    arm:
      parent: ground
      rod: {length: 0.4, section: {circle: {radius: 0.005}}, material: silicone, bending: 2, damping: 0.05}
      tendons: {pulls: {offset: [0.004, 0]}, spring: {offset: [-0.004, 0], stiffness: 200}}
      chambers: {bellows: {area: 1e-5}}
      muscles: {core: {stress: [0, 0, 0, 0, 0, 1e-4], active_stiffness: [0, 0, 0, 0, 0, 1e-4]}}
  wrenches:
    wind: {acts_on: arm, law: {world_force: {force: [0, 0.01, 0]}}, along: [0.1, 0.3], profile: [[0, 1], [0.4, 2]]}
    hold: {acts_on: arm, law: {feedback: {proportional: 0.01}}}
drives:
  activation: {core: 0.5}
  load: {wind: {sine: {amplitude: 1, omega: 3}}}
  desired: {hold.y: {ramp: {slope: 0.1}}}
  tension: {pulls: {sine: {amplitude: 0.01, omega: 6, offset: 0.02}}}
  tendon_length: {spring: 0.399}
  pressure: {bellows: {ramp: {slope: 100}}}
start: {equilibrium: true, load_steps: 2}
time: {end: 0.1, step: 0.01}
integrator: {method: generalized_alpha, rho_inf: 0.7}
"""


@pytest.fixture
def soft(tmp_path):
    file = tmp_path / "soft.yaml"
    file.write_text(SOFT)
    return scenario_of(file).scenario


def test_a_soft_robot_of_a_file_moves_as_one_of_python(soft):
    """Tendons, chambers, an equilibrium to start from and an implicit integrator: the same run, bit for bit."""
    arm = ld.Robot("soft")
    rod = arm.base("ground", moves="fixed").rod(
        "arm", length=0.4, section=ld.Circle(0.005), material=ld.silicone, bending=2, damping=0.05
    )
    rod.tendon("pulls", (0.004, 0)).tendon("spring", (-0.004, 0), stiffness=200).chamber("bellows", area=1e-5)
    rod.muscle("core", (0, 0, 0, 0, 0, 1e-4), active_stiffness=(0, 0, 0, 0, 0, 1e-4))
    arm.wrench("wind", on=rod, law=world.WorldForce((0, 0.01, 0)), along=(0.1, 0.3), profile=[(0, 1), (0.4, 2)])
    arm.wrench("hold", on=rod, law=world.Feedback(0.01))
    theirs = Scenario(
        "soft",
        arm,
        tension={"pulls": motion.sine(0.01, omega=6, offset=0.02)},
        tendon_length={"spring": 0.399},
        pressure={"bellows": motion.ramp(100)},
        activation={"core": 0.5},
        load={"wind": motion.sine(1, omega=3)},
        desired={"hold.y": motion.ramp(0.1)},
        start=Start(equilibrium=True, load_steps=2),
        t_end=0.1,
        dt=0.01,
        integrator="generalized_alpha",
        rho_inf=0.7,
    ).run(progress=False)
    ours = soft.run(progress=False)
    assert ours.dataset.equals(theirs.dataset)
    assert float(abs(ours.joint_velocity).max()) > 1e-3
    assert Start.of("equilibrium").equilibrium


HARD = """\
robot:
  base: {name: block, mass: 2, shape: {box: [0.4, 0.3, 0.1]}, collides: {sole: {friction: 0.3, restitution: 0.2}}}
obstacles:
  - {ground: {friction: {along: 0.2, backward: 0.4}, at: [0, 0, -0.1], normal: [0, 0.1, 1], restitution: 0}}
  - {cylinder: {at: [1, 0], radius: 0.05, axis: y, length: 0.4, name: post, friction: 0, restitution: 1}}
  - {sphere: {at: [2, 0, 0], radius: 0.5, restitution: 0.5, friction: 0.1}}
  - {box: {at: [3, 0, 0], size: [1, 2, 3], turned: [z, 0.3], restitution: 0.1, friction: 0.2}}
  - {capsule: {at: [5, 0, 0], radius: 0.2, length: 1, axis: x, turned: [z, 0.1], name: log, friction: 0.3, restitution: 0.4}}
  - {ellipsoid: {at: [6, 0, 0], semi_axes: [0.1, 0.2, 0.3], turned: [x, 0.2], name: egg, friction: 0.1, restitution: 0.2}}
  - terrain:
      {heights: [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 0]], spacing: 0.5, origin: [4, 5], friction: [0.1, 0.2],
       restitution: 0.3}
self_collision: true
contact:
  {solver: prox, tolerance: 1e-6, iterations: 7, implicit_servo: false, midpoint: false, r_normal: 2,
   r_tangent: 3, stabilise: true, restitution: poisson, theta: 0.7, ahead: false, curved: false, projection: outward}
start: {positions: {block: [0, 0, 0.05, 0, 0, 0]}, resolve: true}
time: {end: 0.1, step: 1e-3}
integrator: moreau
"""


@pytest.fixture
def hard(tmp_path):
    file = tmp_path / "hard.yaml"
    file.write_text(HARD)
    return scenario_of(file).scenario


def test_hard_contact_of_a_file_is_that_of_python(hard):
    block = ld.Robot("hard")
    block.base("block", mass=2, shape=ld.Box((0.4, 0.3, 0.1))).collides(name="sole", friction=0.3, restitution=0.2)
    heights = [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
    obstacles = (
        world.Ground(friction=ld.Friction(0.2, backward=0.4), at=(0, 0, -0.1), normal=(0, 0.1, 1), restitution=0.0),
        world.Obstacle(ld.Cylinder(0.05, 0.4, axis="y"), at=(1, 0), name="post", friction=0, restitution=1.0),
        world.Obstacle(ld.Sphere(0.5), at=(2, 0, 0), friction=0.1, restitution=0.5),
        world.Obstacle(ld.Box((1, 2, 3)), at=(3, 0, 0), turned=("z", 0.3), friction=0.2, restitution=0.1),
        world.Obstacle(ld.Capsule(0.2, 1, axis="x"), at=(5, 0, 0), turned=("z", 0.1), name="log", friction=0.3, restitution=0.4),
        world.Obstacle(ld.Ellipsoid((0.1, 0.2, 0.3)), at=(6, 0, 0), turned=("x", 0.2), name="egg", friction=0.1, restitution=0.2),
        world.Terrain(heights=heights, spacing=0.5, origin=(4, 5), friction=(0.1, 0.2), restitution=0.3),
    )
    assert_same(hard.robot.description, block.description)
    assert_same(tuple(hard.world.obstacles), obstacles)
    solver = {"r_normal": 2.0, "r_tangent": 3.0, "restitution": "poisson", "theta": 0.7}
    solver |= {"ahead": False, "curved": False, "projection": "outward"}
    contact = HardContact("prox", 1e-6, 7, False, False, True, **solver)
    assert_same(hard.world.contact, contact)
    assert hard.world.self_collision and hard.numerics.integrator == "moreau"


SPRINGS = {
    "normal": "same_height", "stiffness": 1e5, "sink": 0.002, "damping": 30.0, "impact_speed": 2.0, "exponent": 2.0,
    "friction": "regularised", "speed": 0.01, "static": 1.2, "bristle_stiffness": 200.0, "bristle_damping": 0.5, "viscous": 0.1,
    "grip_stiffness": 2e4, "grip_damping": 3.0, "relaxation": 0.002,
}  # fmt: skip


def test_compliant_contact_of_a_file_is_that_of_python(tmp_path):
    """All words, one word for another law of contact, and never both."""
    contact = HARD[HARD.index("contact:\n") : HARD.index("start:")]
    words = ", ".join(f"{key}: {value}" for key, value in SPRINGS.items())
    plain = HARD[: HARD.index("  - {cylinder")] + f"compliant: {{{words}}}\n"
    assert set(COMPLIANT.keys) == set(SPRINGS) == {entry.name for entry in fields(world.CompliantContact)}
    file = tmp_path / "soft.yaml"
    file.write_text(plain)
    assert scenario_of(file).scenario.world.contact == world.CompliantContact(**SPRINGS)
    file.write_text(plain + contact)
    with pytest.raises(ld.InputError, match="contact is either hard or compliant; leave out 'contact'"):
        scenario_of(file)


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "restitution: 0.5",
            "restitution: 2",
            "line 6: the restitution of sphere 'sphere' is 2.0; it must be a number from 0 to 1",
        ),
        ("{sole: {", "{sole: {vertices: [[0, 0]], ", "line 2: entry 1 of 'vertices' of surface 'sole' has 2 entries"),
        ("solver: prox", "solver: newtn", "'solver' of 'contact' of the scenario is 'newtn', which is not known"),
        ("{cylinder: {", "{pole: {", "line 5: .* has the key 'pole', which is not known"),
    ],
)
def test_wrong_words_of_hard_contact(old, new, message, tmp_path):
    file = tmp_path / "hard.yaml"
    file.write_text(HARD.replace(old, new))
    with pytest.raises(ld.InputError, match=message):
        scenario_of(file)


STEPPING = """\
robot:
  base: {name: rail, moves: prismatic, axis: x, joint: x}
  bodies:
    hip: {parent: rail, mass: 10, sliding: z}
    left: {parent: hip, mass: 5, centre: [0, 0, -0.5], turning: y, feet: {left_foot: {at: [0, 0, -1]}}}
    right: {parent: hip, mass: 5, centre: [0, 0, -0.5], turning: y, feet: {right_foot: {at: [0, 0, -1]}}}
phases:
  phases: {left: left_foot, right: {feet: [right_foot], locked: {left: 0.5}}, air: {locked: {}}}
  transitions:
    - {from: left, to: right, touchdown: {foot: right_foot, ahead: 0.1, along: [0, 1, 0], stiff: {right: 0.2}}}
    - {from: right, to: left, touchdown: {foot: left_foot, anywhere: true}}
    - {from: left, to: air, lift_off: {foot: left_foot}}
    - {from: air, to: left, reaches: {coordinate: right, value: 0.3, direction: falling, exchange: true}}
  start: right
  mirror: {pairs: {left: right}, feet: {left_foot: right_foot}, negated: [x]}
  friction: 0.4
  scuffing: true
  final: air
"""


@pytest.fixture
def stepping(tmp_path):
    file = tmp_path / "stepping.yaml"
    file.write_text(STEPPING)
    return scenario_of(file).scenario


def test_phases_of_a_file_are_those_of_python(stepping):
    mirror = Mirror({"left": "right"}, {"left_foot": "right_foot"}, ("x",))
    ways = [
        Touchdown("left", "right", "right_foot", 0.1, (0.0, 1.0, 0.0), {"right": 0.2}),
        Touchdown("right", "left", "left_foot", None),
        LiftOff("left", "air", "left_foot"),
        Reaches("air", "left", "right", 0.3, "falling", True),
    ]
    named = {"left": "left_foot", "right": Phase(("right_foot",), locked={"left": 0.5}), "air": Phase()}
    other = ld.Phases(named, ways, "right", mirror=mirror, friction=0.4, scuffing=True, final="air")
    ours = stepping.phases
    assert ours.portrait() == other.portrait() and ours.transitions == other.transitions
    assert (ours.mirror.pairs, ours.mirror.feet, tuple(ours.mirror.negated)) == (mirror.pairs, mirror.feet, ("x",))
    assert (ours.final, ours.scuffing, ours.friction) == (other.final, other.scuffing, other.friction)


def test_wrong_words_of_phases(tmp_path):
    file = tmp_path / "stepping.yaml"
    for old, new, message in (
        ("to: air,", "to: ear,", "line 7: there is no phase 'ear'"),
        ("foot: right_foot, ahead", "foot: rigth_foot, ahead", "'rigth_foot', which robot 'stepping' does not have"),
        ("direction: falling", "direction: down", "'direction' of 'reaches'.*'down'"),
        ("  final: air\n", "", "completes"),
    ):
        file.write_text(STEPPING.replace(old, new))
        if message == "completes":
            scenario_of(file)
            continue
        with pytest.raises(ld.InputError, match=message):
            scenario_of(file)


def test_every_integrator_is_known_to_the_command_line():
    assert set(re.findall(r"[a-z_]+\d?", options.INTEGRATORS)) >= set(METHODS)


PARTS = ("world", "drive", "start", "numerics", "recording")


def test_a_file_says_every_field_of_a_scenario(everything, soft, hard, stepping):
    parts = [
        part
        for scenario in (everything, soft, hard, stepping)
        for part in (scenario, *(getattr(scenario, name) for name in PARTS))
    ]
    said = [*parts, *everything.drive.servo.values(), hard.world.contact, *hard.world.obstacles]
    kinds = (Scenario, World, Drive, Start, Numerics, Recording, Servo, HardContact, *world.Fixture.__subclasses__())
    left = {name for _, name in unsaid(kinds, said)}
    assert left == IN_PYTHON_ONLY


def test_a_file_and_python_say_the_same(everything):
    other = in_python()
    for entry in fields(Scenario):
        if entry.name in ("robot", "parameters", "checks", "source"):  # of the zoo, and of the file itself
            continue
        one, two = getattr(everything, entry.name), getattr(other, entry.name)
        if entry.name == "start":
            one, two = ({key: dict(x) if hasattr(x, "items") else x for key, x in vars(s).items()} for s in (one, two))
        assert_same(one, two, entry.name)


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
    assert set(START.keys) == {entry.name for entry in fields(Start)}
    assert len(SPEED.keys) == 3
    families = {name for name in gaits.__all__ if name.endswith("_gait")} - {"inverse_gait"}
    assert {f"{kind}_gait" for kind in GAITS} == families
    assert set(GAITS["serpenoid"].rule.keys) == arguments(gaits.serpenoid_gait)
    assert set(GAITS["snake"].rule.keys) == arguments(gaits.snake_gait)


ROLLING_SPHERE = """\
robot: sphere.yaml
world: {gravity: 9.81}
drives:
  servo:
    drive: {target: {polynomial: [0, -2]}, damping: 1.5}
    tilt: {target: {cycloid: {start: 0, end: 0.2, duration: 0.1, at: 0.05}}, stiffness: 20, damping: 2}
start: {positions: {shell: [0, 0, 0.31, 0, 0, 0]}, velocities: {drive: 0.5, shell.vy: 1}, adjust: [shell.vz], keep: [drive]}
time: {end: 0.2, step: 0.005}
integrator: adams
"""


def test_a_rolling_robot_of_a_file_moves_as_one_of_python(tmp_path):
    """Contacts, servos and a start that is settled, from files and in Python: the same run, bit for bit."""
    rolls = ld.zoo.make("rolling_sphere_robot").robot
    ld.save_robot(rolls, tmp_path / "sphere.yaml")
    (tmp_path / "run.yaml").write_text(ROLLING_SPHERE)
    ours = scenario_of(tmp_path / "run.yaml").scenario.run(progress=False)
    theirs = Scenario(
        "run",
        rolls,
        servo={
            "drive": Servo(motion.polynomial(0.0, -2.0), damping=1.5),
            "tilt": Servo(motion.cycloid(0.0, 0.2, duration=0.1, at=0.05), 20.0, 2.0),
        },
        start=Start(
            {"shell": (0.0, 0.0, 0.31, 0.0, 0.0, 0.0)},
            {"drive": 0.5, "shell.vy": 1.0},
            adjust=("shell.vz",),
            keep=("drive",),
        ),
        t_end=0.2,
        dt=0.005,
        integrator="adams",
    ).run(progress=False)
    assert ours.dataset.equals(theirs.dataset)
    assert abs(float(ours.joint_velocity.sel(joint="tilt").max())) > 0.1
