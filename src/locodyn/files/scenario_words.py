"""The scenario file: which keys it has and what they mean. Units are SI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from locodyn.files.contact_words import COMPLIANT, CONTACT, OBSTACLE, SELF_COLLISION
from locodyn.files.motion_words import MOTION, MOTIONS
from locodyn.files.part_words import AXIS, NAME, NOT_NEGATIVE, NUMBER, POSITIVE, VECTOR, WRENCH
from locodyn.files.phase_words import PHASES
from locodyn.files.records import Key, Record, kinds
from locodyn.files.robot_words import ROBOT, ROBOT_KEYS
from locodyn.files.rules import AnyOf, Flag, ListOf, MapOf, Number, Text
from locodyn.gaits.snake_gaits import SNAKE_GAITS
from locodyn.integrate.base import AUTO, fraction, positive, tolerable, zero_or_one
from locodyn.integrate.methods import METHODS, all_options, option_words
from locodyn.sim.check import Kind
from locodyn.sim.sensors import KINDS

# ------------------------------------------------------------------------------------------------------------------- drives
_SEVERAL = AnyOf((NUMBER, ListOf(NUMBER, least=1)), "a number, or a list with one for each harmonic")
_HARMONICS = AnyOf(
    (
        NUMBER,
        Record(
            "harmonics",
            {"amplitude": Key(_SEVERAL, "rad or m"), "phase": Key(_SEVERAL, "rad"), "offset": Key(NUMBER, "rad or m")},
        ),
    ),
    "an amplitude, or a mapping with amplitude, phase and offset",
)
GAITS = kinds(
    {
        "harmonic": (
            "sums of harmonics",
            {
                "omega": Key(POSITIVE, "rad/s", needed=True),
                "joints": Key(MapOf(_HARMONICS, "joint"), "amplitude, phase and offset of each", needed=True),
            },
        ),
        "serpenoid": (
            "a wave that travels along the joints",
            {
                "joints": Key(ListOf(NAME, least=1), "from head to tail", needed=True),
                "amplitude": Key(NUMBER, "rad", needed=True),
                "omega": Key(POSITIVE, "rad/s", needed=True),
                "lag": Key(NUMBER, "between neighbours, rad", needed=True),
                "offset": Key(NUMBER, "steers, rad"),
                "phase": Key(NUMBER, "rad"),
                "growth": Key(NUMBER, "of the amplitude towards the tail"),
            },
        ),
        "snake": (
            "gaits of snake robots",
            {
                "kind": Key(Text(SNAKE_GAITS), "which gait", needed=True),
                "yaw": Key(ListOf(NAME, least=2), "coordinates that turn about z, from the first joint on"),
                "pitch": Key(ListOf(NAME, least=2), "coordinates that turn about y, from the first joint on"),
                "omega": Key(POSITIVE, "2 pi over the period, rad/s"),
                "scale": Key(NUMBER, "factor of the amplitudes"),
                "steering": Key(NUMBER, "added to yaw angles, rad"),
            },
        ),
    }
)
SPEED = Record(
    "speed",
    {
        "of": Key(NAME, "a body or marker", needed=True),
        "along": Key(VECTOR, "direction in its axes", needed=True),
        "distance": Key(MOTION, "law of the distance, m", needed=True),
    },
    meaning="A speed that the motors of driven wheels provide.",
)
SERVO = Record(
    "servo",
    {
        "target": Key(MOTION, "r_d(t), rad or m; 0 by default"),
        "stiffness": Key(NUMBER, "N m/rad or N/m"),
        "damping": Key(NUMBER, "N m s/rad or N s/m"),
        "begins": Key(NUMBER, "s, when it is switched on; 0 by default, later only with moreau"),
    },
    meaning="An actuator with the force stiffness (r_d - r) + damping (rdot_d - rdot).",
)
GAIT = Record(
    "gait",
    {
        **GAITS,
        "stiffness": Key(NUMBER, "of servos that follow the gait, N m/rad; without it the gait is imposed"),
        "damping": Key(NUMBER, "of these servos, N m s/rad"),
    },
    exactly_one=tuple(GAITS),
)
MEASURED = Record(
    "measured",
    {
        "file": Key(NAME, "a CSV file beside this one: columns time, x0, y0 (and z0), x1, y1, ..., m", needed=True),
        "places": Key(ListOf(NOT_NEGATIVE, least=2), "of the marks on the rod, m", needed=True),
        "time": Key(NAME, "name of the time column, 'time' by default"),
        "cutoff": Key(POSITIVE, "Hz; what is faster is left out, by default what the noise hides"),
    },
    meaning="A centre line that was measured: all strain coordinates of the rod are imposed.",
)
DRIVES = Record(
    "drives",
    {
        "imposed": Key(MOTIONS, "motion of coordinates, rad or m; the torque comes out"),
        "measured": Key(MapOf(MEASURED, "rod"), "rods that move as marks on them were measured"),
        "torque": Key(MOTIONS, "torque or force of coordinates, N m or N; the motion comes out"),
        "servo": Key(MapOf(SERVO, "servo of"), "actuators that follow a target; added to their torque"),
        "gait": Key(GAIT, "motion of several joints at once: imposed, or with a stiffness followed by servos"),
        "dependent": Key(ListOf(NAME), "actuated joints whose motion follows from their wheels"),
        "steering": Key(MOTIONS, "angle of steered wheels, rad"),
        "rolling": Key(MOTIONS, "rolling angle of driven wheels, rad"),
        "wheel_torque": Key(MOTIONS, "torque of driven wheels, N m"),
        "tension": Key(MOTIONS, "tension of tendons, and of cables and springs without stiffness, N"),
        "tendon_length": Key(MOTIONS, "free length of tendons, rest length of cables and springs that have a stiffness, m"),
        "pressure": Key(MOTIONS, "pressure of chambers, Pa"),
        "activation": Key(MOTIONS, "activation of muscles"),
        "load": Key(MOTIONS, "factors of wrench laws that change with time"),
        "desired": Key(MOTIONS, "motion that feedback laws follow: NAME.x, .y, .z (m), .wx, .wy, .wz (rad/s)"),
        "speeds": Key(ListOf(SPEED), "speeds that driven wheels provide"),
        "equal": Key(ListOf(ListOf(NAME, least=2)), "groups of driven wheels that share one torque"),
        "weights": Key(MapOf(NUMBER, "row"), "how redundant contacts share their load"),
        "static": Key(MapOf(NUMBER, "row"), "static loading, N"),
        "torque_method": Key(Text(("exact", "no_contact", "projective", "min_torque")), "exact by default"),
    },
    meaning="What moves the robot. A coordinate that is not named is passive.",
)

# -------------------------------------------------------------------------------------------------------- world, start, time
SLOPE = AnyOf(
    (
        NUMBER,
        Record(
            "slope",
            {"angle": Key(NUMBER, "rad", needed=True), "towards": Key(AXIS, "the ground rises towards this axis, x by default")},
        ),
    ),
    "an angle (rad), or {angle: 0.1, towards: x}",
)
WORLD = Record(
    "world",
    {
        "gravity": Key(
            AnyOf((NOT_NEGATIVE, VECTOR), "a number, zero or more, or three"),
            "downwards, or a vector in the axes of the ground, m/s^2; 9.81 by default",
        ),
        "slope": Key(SLOPE, "the ground rises towards x by this angle; x, y, z are axes of the ground, gravity is tilted"),
        "laws": Key(MapOf(WRENCH, "wrench law"), "wrench laws on the robot beside its own"),
    },
)
_STATE = AnyOf((NUMBER, ListOf(NUMBER, least=1)), "a number or a list of numbers")
START = Record(
    "start",
    {
        "positions": Key(MapOf(_STATE, "position"), "of joints, of the base or of single coordinates, rad or m"),
        "velocities": Key(MapOf(_STATE, "velocity"), "likewise, rad/s or m/s"),
        "zero_momentum": Key(Flag(), "the base gets the twist for which the robot has no momentum"),
        "adjust": Key(ListOf(NAME), "coordinates that may move to close loops and to touch the ground; by default all"),
        "keep": Key(ListOf(NAME), "coordinates that keep their velocities while the others follow from wheels, contacts, loops"),
        "equilibrium": Key(Flag(), "starts at the equilibrium near the positions"),
        "load_steps": Key(Number(whole=True, least=1), "of the loads on the way to it, 1 by default"),
        "resolve": Key(Flag(), "surfaces that overlap are moved apart first"),
        "memory": Key(MapOf(NUMBER, "state"), "states of laws with memory by name, such as pad.x; by default zero"),
    },
)
TIME = Record("time", {"end": Key(POSITIVE, "s"), "step": Key(POSITIVE, "s")})
_OPTION_KINDS: dict[Callable[[str, Any], float], Number] = {
    positive: POSITIVE,
    tolerable: POSITIVE,
    fraction: NOT_NEGATIVE,
    zero_or_one: NOT_NEGATIVE,
}


INTEGRATOR = AnyOf(
    (
        Text((AUTO, *METHODS)),
        Record(
            "integrator",
            {
                "method": Key(Text((AUTO, *METHODS)), "auto by default: chosen from the robot", needed=True),
                **{option.name: Key(_OPTION_KINDS[option.check], option_words(option)) for option in all_options()},
            },
        ),
    ),
    f"one of {', '.join((AUTO, *METHODS))}, or {{method: adaptive, tolerance: 1e-9}}",
)
SENSOR = Record(
    "sensor",
    {
        "kind": Key(Text(tuple(KINDS)), "what it reads", needed=True),
        "of": Key(NAME, "the body, marker, joint or contact that it is on", needed=True),
        "at": Key(VECTOR, "the point, in the axes of the body, m"),
        "axes": Key(Text(("world", "body")), "of velocities and accelerations, world by default"),
        "noise": Key(NOT_NEGATIVE, "standard deviation, in the unit of the sensor"),
        "delay": Key(NOT_NEGATIVE, "by which it reads late, s"),
        "seed": Key(Number(whole=True, least=0), "of the noise"),
        "threshold": Key(NOT_NEGATIVE, "force above which a switch is on, N; 1 by default"),
    },
    meaning="An instrument on the robot.",
)
RECORD = Record(
    "record",
    {
        "every": Key(Number(whole=True, least=1), "steps between records"),
        "only": Key(ListOf(NAME), "variables that are recorded, such as position; by default all"),
        "motor_reactions": Key(
            Flag(), "torques of wheel motors with the sign of Ali (2011), as reactions: negative where they drive"
        ),
        "sensors": Key(MapOf(SENSOR, "sensor"), "instruments by name; what they read is 'measured'"),
    },
)
CHECK = Record(
    "check",
    {
        "of": Key(NAME, "a variable of the result, such as position", needed=True),
        "name": Key(NAME, "of the joint, body, wheel, contact or constraint, where there are several"),
        "at": Key(NOT_NEGATIVE, "time, s; by default the end"),
        "expected": Key(AnyOf((NUMBER, ListOf(NUMBER, least=1)), "a number or a list"), "value", needed=True),
        "tolerance": Key(POSITIVE, "largest difference", needed=True),
        "source": Key(NAME, "where the value comes from"),
        "kind": Key(Text(tuple(kind.word for kind in Kind)), "of the value; by default own, a record of this run"),
    },
    meaning="What 'locodyn validate FILE' expects of the run.",
)

# -------------------------------------------------------------------------------------------------------------------- robot
ZOO = Record(
    "zoo",
    {
        "zoo": Key(NAME, "name of a robot of the zoo", needed=True),
        "parameters": Key(
            MapOf(AnyOf((NUMBER, Flag(), Text(), ListOf(NUMBER)), "a number, a word or a list of numbers"), "parameter"),
            "its parameters, see 'locodyn describe NAME'",
        ),
    },
    mark="zoo",
)


ROBOT_IN_PLACE = Record(
    "robot_in_place",
    {"name": ROBOT_KEYS["robot"], **{key: rule for key, rule in ROBOT_KEYS.items() if key != "robot"}},
    exactly_one=ROBOT.exactly_one,
    meaning="A robot in place: the keys of a robot file, with its name as 'name'.",
)
SCENARIO_KEYS = {
    "scenario": Key(NAME, "its name, by default that of the file"),
    "summary": Key(NAME, "a line about it"),
    "robot": Key(
        AnyOf(
            (Text(), ZOO, ROBOT_IN_PLACE),
            "the name of a file, {zoo: NAME, parameters: ...}, or a robot in place with base and bodies",
        ),
        "a file beside this one (yaml, urdf, xml), a robot of the zoo, or a robot in place",
        needed=True,
    ),
    "moves": Key(ROBOT_KEYS["moves"].rule, "how the base moves, for a robot file that does not say (URDF)"),
    "collides": Key(ROBOT_KEYS["collides"].rule, "whether collision shapes of a URDF or MJCF file are surfaces of hard contact"),
    "world": Key(WORLD, "gravity, slope, laws"),
    "obstacles": Key(ListOf(OBSTACLE), "what its surfaces hit; needs the integrator moreau"),
    "self_collision": Key(SELF_COLLISION, "whether bodies hit each other, but for those that a joint keeps in touch"),
    "contact": Key(CONTACT, "how hard contact is solved"),
    "compliant": Key(COMPLIANT, "springs and dampers in place of hard contact"),
    "phases": Key(PHASES, "which feet hold when, and what leads from one phase to the next"),
    "drives": Key(DRIVES, "what moves the robot"),
    "start": Key(
        AnyOf((Text(("zero_momentum", "equilibrium")), START), "zero_momentum, equilibrium, or a mapping"), "where it starts"
    ),
    "time": Key(TIME, "end (10 s by default) and step (0.01 s)"),
    "integrator": Key(INTEGRATOR, "auto by default: chosen from the robot"),
    "record": Key(RECORD, "what is kept"),
    "checks": Key(ListOf(CHECK), "what 'locodyn validate' expects"),
}
SCENARIO = Record("scenario", SCENARIO_KEYS, meaning="A scenario: a robot, what drives it, where it starts, how it is computed.")
