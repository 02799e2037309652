"""The wheel-less snake robot Aiko and its courses of pegs (Transeth 2007, tables 7.1, 7.3 and 7.5)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.controllers import JointPD, PairServo, SampledController, held_reference
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.gaits import SNAKE_GAITS, gait_transitions, joint_waves, serpenoid_heading
from locodyn.locomotion.servo import Servo
from locodyn.robot import Capsule, Cylinder, Friction, Robot, about_centre, rotation_about
from locodyn.robot.pose import quaternion_of_rotation, rotation_of_quaternion
from locodyn.sim import Parameter, Start
from locodyn.world import Obstacle

TABLE_1 = "Transeth (2007), table 7.1"
TABLE_2 = "Transeth (2007), table 7.2"
GAIT = "Transeth (2007), (7.3)-(7.5)"
ACROSS = 0.5  # friction across a link where Transeth (2007, 7.3) has more there than along it
LENGTH, HALF_AXIS, RADIUS, MASS = 0.122, 0.0393, 0.0525, 7.5 / 11.0
LINK = (
    Parameter("n", 11, "-", TABLE_1, "number of links", least=2),
    Parameter("length", LENGTH, "m", TABLE_1, "between joints", above=0.0),
    Parameter("half_axis", HALF_AXIS, "m", TABLE_1, "from the centre of a link to those of its round ends", above=0.0),
    Parameter("radius", RADIUS, "m", TABLE_1, "of a link", above=0.0),
    Parameter("mass", MASS, "kg", TABLE_1, "of a link", above=0.0),
    Parameter("inertia", 1.32e-3, "kg m^2", TABLE_1, "of a link across its axis", above=0.0),
    Parameter("stiffness", 800.0, "N m/rad", TABLE_2, "k_P of the joints", least=0.0),
    Parameter("damping", 2.0, "N m s/rad", TABLE_2, "k_D of the joints", least=0.0),
    Parameter("pegs", "none", "-", "Transeth (2007), tables 7.3, 7.5", "course", choices=("none", "table_7_3", "table_7_5")),
    Parameter("peg_3", "placed", "-", "Transeth (2007), 7.3.4", "third peg", choices=("placed", "moved", "removed")),
    Parameter("mu_x", 0.2, "-", TABLE_1, "friction along a link", least=0.0),
    Parameter("mu_y", 0.2, "-", TABLE_1, "friction across a link", least=0.0),
    Parameter("friction", "given", "-", "Transeth (2007), 7.3, 7.6", "given: mu_x and mu_y; isotropic: mu_x both ways;"
              " orthotropic: mu_y across, or 0.5 where it is mu_x", choices=("given", "isotropic", "orthotropic")),
    Parameter("g", 9.81, "m/s^2", TABLE_1, "gravity", above=0.0),
)  # fmt: skip
COORDINATES = Parameter(
    "coordinates", "minimal", "-", "Transeth (2007), chapters 3 and 4",
    "minimal: joint angles; maximal: as Transeth has it, free links, bilateral joints, PD at the start of a step, projection",
    choices=("minimal", "maximal"),
)  # fmt: skip
REAL = "Transeth (2007), 7.4: 3 to 5 degrees, 10 Hz, 50 to 150 ms"
HARDWARE = (
    Parameter("play", 0.0, "rad", REAL, "of the joints, from stop to stop", least=0.0),
    Parameter(
        "reference_period", 0.0, "s", REAL, "between two messages with references, held in between: 0 continuous", least=0.0
    ),
    Parameter("reference_delay", 0.0, "s", REAL, "by which these messages are late", least=0.0),
    Parameter("delay", 0.0, "s", "own choice", "from a measurement to the torques that answer it", least=0.0),
)
SENT = 60.0  # s: how long references that are sent are known
CHANGE = (
    Parameter("then", "none", "-", "own choice", "second gait, which follows the first", choices=("none", *SNAKE_GAITS)),
    Parameter("change_at", 4.5, "s", "own choice", "when the second gait begins", above=0.0),
    Parameter("change_for", 1.0, "s", "own choice", "how long the change takes", above=0.0),
)
END = {"none": 13.5, "table_7_5": 9.0, "table_7_3": 15.0}  # s, of lateral undulation
# radius, x, y of every peg in m
COURSES = {
    "none": (),
    "table_7_3": (
        (0.02, 0.087, 0.077), (0.03, 0.474, 0.082), (0.01, 0.882, 0.101), (0.02, 1.201, 0.097), (0.03, 1.671, 0.178),
        (0.01, 1.927, 0.110), (0.02, 2.394, 0.153), (0.03, 2.705, 0.061), (0.01, 3.119, 0.128),
    ),
    "table_7_5": tuple(
        (0.125, x, y)
        for x, y in (
            (0.051, 0.176), (0.422, 0.003), (0.804, 0.185), (1.153, 0.003), (1.530, 0.178), (1.888, 0.002), (2.259, 0.175),
        )
    ),
}  # fmt: skip


def with_coefficients(p: dict[str, Any]) -> dict[str, Any]:
    """The parameters with mu_y as ``friction`` says."""
    across = p["mu_x"] if p["friction"] == "isotropic" else p["mu_y"]
    if p["friction"] == "orthotropic" and p["mu_y"] == p["mu_x"]:
        across = ACROSS
    return {**p, "mu_y": across}


def pegs(p: dict[str, Any], friction: float = 0.0) -> list[Obstacle]:
    """The pegs of the course: vertical cylinders, smooth ones by default."""
    course = list(COURSES[p["pegs"]])
    names = [f"peg_{k}" for k in range(1, len(course) + 1)]
    if course and p["peg_3"] == "moved":
        r, x, y = course[2]
        course[2] = (r, x, y + 2.0 * p["radius"])
    elif course and p["peg_3"] == "removed":
        del course[2], names[2]
    return [Obstacle(Cylinder(r), at=(x, y), name=name, friction=friction) for name, (r, x, y) in zip(names, course, strict=True)]


def link_words(p: dict[str, Any]) -> dict[str, Any]:
    """Mass, inertia and shape of a link."""
    along = 0.5 * p["mass"] * p["radius"] ** 2
    return {
        "mass": p["mass"],
        "inertia": about_centre(xx=along, yy=p["inertia"], zz=p["inertia"]),
        "shape": Capsule(p["radius"], 2.0 * p["half_axis"], axis="x"),
    }


def free_links(p: dict[str, Any], name: str, pitch: bool, friction: Friction) -> Robot:
    """The same snake in maximal coordinates (Transeth 2007, chapter 4): every link moves by itself, joints are loops."""
    snake, half = Robot(name), 0.5 * p["length"]
    world = snake.base("world_frame", moves="fixed")
    links = []
    for k in range(1, p["n"] + 1):
        link = snake.body(f"link_{k}", **link_words(p)).on(world)
        links.append((link.free(name=f"link_{k}") if pitch else link.planar(name=f"link_{k}")).collides(friction=friction))
    kind: dict[str, Any] = {"joint": "universal", "second_axis": "y"} if pitch else {"joint": "revolute"}
    for k in range(1, p["n"]):
        places: dict[str, Any] = {"first_at": (half, 0.0, 0.0), "second_at": (-half, 0.0, 0.0)}
        snake.loop(f"joint_{k}", links[k - 1], links[k], axis="z", **kind, **places)
    return snake


def chain(p: dict[str, Any], name: str, moves: str, pitch: bool, friction: Friction) -> Robot:
    """Links along x, from the first to the last; joints turn about z, and then about y where there is pitch."""
    snake, link = Robot(name), link_words(p)
    half = (0.5 * p["length"], 0.0, 0.0)
    last = snake.base("link_1", moves=moves, **link).collides(friction=friction)
    for k in range(1, p["n"]):
        body = snake.body(f"link_{k + 1}", **link).on(last, at=half, body_at=half)
        last = body.universal("z", "y", name=f"joint_{k}") if pitch else body.turning("z", name=f"joint_{k}")
        last.collides(friction=friction)
    return snake


def drive(p: dict[str, Any], snake: Robot, laws: dict[str, Any], begins: float = 0.0) -> dict[str, Any]:
    """What moves the joints, as fields of a scenario: servos; with play or delay, or between free links, a sampled controller."""
    laws, late = sent(p, laws), {"delay": p["delay"]}
    if p["coordinates"] == "maximal":
        targets = list(laws.values())
        if "joint_1.0" in laws:
            targets = [(laws[f"joint_{k}.0"], laws[f"joint_{k}.1"]) for k in range(1, p["n"])]
        return {"controller": SampledController(PairServo(targets, p["stiffness"], p["damping"], begins, p["play"]), **late)}
    if p["play"] == p["delay"] == 0.0:
        return {"servo": servos(p, laws, begins)}
    model = Model(snake.compile(), gravity=(0.0, 0.0, -p["g"]))
    return {"controller": SampledController(JointPD(model, laws, p["stiffness"], p["damping"], p["play"], begins), **late)}


def sent(p: dict[str, Any], laws: dict[str, Any]) -> dict[str, Any]:
    """References as they reach the joints: as they are, or sampled, held and late."""
    every, late = p["reference_period"], p["reference_delay"]
    if every == 0.0 and late > 0.0:
        raise InputError(
            f"references are {late:g} s late (reference_delay), but come without a period; set reference_period, such as 0.1 s."
        )
    return {name: held_reference(law, every, SENT, late) for name, law in laws.items()} if every > 0.0 else laws


def contact(p: dict[str, Any], **options: Any) -> HardContact:
    """How contacts are solved.

    Of free links as in Transeth (2007, algorithms 4.1 and 4.3): only closed ones take part, with normal velocities in the middle
    of a step, and joints are closed outward.
    """
    own: dict[str, Any] = {} if p["coordinates"] == "minimal" else {"ahead": False, "curved": False, "projection": "outward"}
    return HardContact(**options, **own)


def servos(p: dict[str, Any], laws: dict[str, Any], begins: float = 0.0) -> dict[str, Servo]:
    """One servo for each coordinate, switched on at ``begins`` s."""
    return {name: Servo(law, p["stiffness"], p["damping"], begins) for name, law in laws.items()}


def changed(p: dict[str, Any], first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """Laws of the first gait, and from ``change_at`` on those of the second."""
    return gait_transitions(first, (p["change_at"], p["change_for"], then))


def unit_vector(angle: float) -> np.ndarray:
    """(cos, sin) of an angle."""
    return np.array([math.cos(angle), math.sin(angle)])


def planar_start(p: dict[str, Any], amplitude: float, phase: float) -> tuple[np.ndarray, list[float]]:
    """(x, y, heading) of link 1 and the joint angles, centre line along x, link 1 in front, the last link at the origin."""
    angles = [law(0.0) for law in joint_waves(p["n"] - 1, amplitude, 1.0, phase)]
    heading = math.pi + serpenoid_heading(amplitude, phase) if amplitude else math.pi
    place, theta = np.zeros(2), heading
    for angle in angles:
        before = unit_vector(theta)
        theta += angle
        place += 0.5 * p["length"] * (before + unit_vector(theta))
    return np.array([*-place, heading]), angles


def start(p: dict[str, Any], place: np.ndarray, joints: list[str], angles: list[float]) -> Start:
    """The start from the pose of link 1 (planar, or position and quaternion) and the joint angles, in either coordinates."""
    if p["coordinates"] == "minimal":
        return Start({"link_1": place, **dict(zip(joints, angles, strict=True))})
    planar = len(place) == 3
    first = rotation_about("z", place[2]) if planar else rotation_of_quaternion(place[3:])
    origin = np.array([*place[:2], 0.0]) if planar else place[:3]
    yaw, pitch = (angles, [0.0] * len(angles)) if planar else (angles[0::2], angles[1::2])
    places = {}
    for k in range(1, p["n"] + 1):
        rotation, position = link_pose(p, k, yaw, pitch)
        x = origin + first @ position
        heading = [place[2] + sum(yaw[: k - 1])] if planar else quaternion_of_rotation(first @ rotation)
        places[f"link_{k}"] = np.array([*(x[:2] if planar else x), *heading])
    return Start(places)


def link_pose(p: dict[str, Any], number: int, yaw: list[float], pitch: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position of link ``number`` in link 1."""
    rotation, position, half = np.eye(3), np.zeros(3), np.array([0.5 * p["length"], 0.0, 0.0])
    for k in range(number - 1):
        position = position + rotation @ half
        rotation = rotation @ rotation_about("z", yaw[k]) @ rotation_about("y", pitch[k])
        position = position + rotation @ half
    return rotation, position
