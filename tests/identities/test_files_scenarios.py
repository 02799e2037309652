"""A scenario of a file is the one that Python makes with the same words; wrong words are found where they stand."""

from dataclasses import fields

import pytest

import locodyn as ld
from file_robots import assert_same
from file_scenarios import EVERYTHING, HARD, SOFT, STEPPING, made
from locodyn import motion, world
from locodyn.contact.options import HardContact
from locodyn.files import scenario_of
from locodyn.files.contact_words import COMPLIANT
from locodyn.locomotion.servo import Servo
from locodyn.phases import LiftOff, Mirror, Phase, Reaches, Touchdown
from locodyn.sim import Scenario, Start

pytestmark = pytest.mark.slow


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
        record=("position", "measured"),
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
        integrator="adaptive",
        tolerance=1e-7,
        record_every=2,
        summary="whatever a scenario can say",
    )


def test_a_file_and_python_say_the_same(tmp_path):
    everything, other = made(EVERYTHING, tmp_path, "everything"), in_python()
    for entry in fields(Scenario):
        if entry.name in ("robot", "parameters", "checks", "source"):  # of the zoo, and of the file itself
            continue
        one, two = getattr(everything, entry.name), getattr(other, entry.name)
        if entry.name == "start":
            one, two = ({key: dict(x) if hasattr(x, "items") else x for key, x in vars(s).items()} for s in (one, two))
        assert_same(one, two, entry.name)


def test_a_soft_robot_of_a_file_moves_as_one_of_python(tmp_path):
    """Tendons, chambers, an equilibrium to start from and an implicit integrator: the same run, bit for bit."""
    soft = made(SOFT, tmp_path, "soft")
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


def test_hard_contact_of_a_file_is_that_of_python(tmp_path):
    hard = made(HARD, tmp_path, "hard")
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
    solver |= {"ahead": False, "curved": False, "projection": "outward", "stops": True, "sleeping": True}
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


def test_phases_of_a_file_are_those_of_python(tmp_path):
    mirror = Mirror({"left": "right"}, {"left_foot": "right_foot"}, ("x",))
    ways = [
        Touchdown("left", "right", "right_foot", 0.1, (0.0, 1.0, 0.0), {"right": 0.2}),
        Touchdown("right", "left", "left_foot", None),
        LiftOff("left", "air", "left_foot"),
        Reaches("air", "left", "right", 0.3, "falling", True),
    ]
    named = {"left": "left_foot", "right": Phase(("right_foot",), locked={"left": 0.5}), "air": Phase()}
    other = ld.Phases(named, ways, "right", mirror=mirror, friction=0.4, scuffing=True, final="air")
    ours = made(STEPPING, tmp_path, "stepping").phases
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
