"""Wheel-less snake robot in space: the gaits of Transeth (2007, chapters 2, 4 and 7), on the ground and about a pole; a drop.

Every link touches the ground with the balls at its ends: friction along and across the link, and rolling friction.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits import SNAKE_GAITS, joint_waves, snake_gait, soften
from locodyn.gaits.snake_gaits import FEET, ON_A_POLE, WAVES
from locodyn.robot import Friction, Robot, rotation_about
from locodyn.robot.pose import quaternion_of_rotation
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.world import Fixture, Ground
from locodyn.zoo import snake_joints, snake_links, snake_on_pole
from locodyn.zoo.robots import snake_2d
from locodyn.zoo.snake_links import CHANGE, COORDINATES, GAIT, HARDWARE, LINK, TABLE_2

PARAMETERS = (
    *LINK,
    Parameter(
        "gait",
        "lateral",
        "-",
        GAIT,
        "what the joints do; drop: fall with free joints, lateral undulation from 1 s on",
        choices=(*SNAKE_GAITS, "drop"),
    ),
    Parameter("scale", 1.0, "-", "own choice", "factor of the amplitudes of the gait", least=0.0),
    Parameter("omega", math.radians(80.0), "rad/s", GAIT, "of the wave", above=0.0),
    Parameter("steering", 0.0, "rad", "own choice", "offset of the yaw angles"),
    *CHANGE,
    *HARDWARE,
    snake_joints.AXES,
    COORDINATES,
    Parameter("rolling", 0.02, "-", TABLE_2, "mu_V: rolling friction", least=0.0),
    Parameter("ground", True, "-", "own choice", "whether there is ground"),
    Parameter("grip", 0.02, "-", "own choice", "on a pole: by how much more the joints are bent than it lets them", least=0.0),
    Parameter("mu_pole", 0.5, "-", "own choice", "friction of the pole", least=0.0),
)
FREE = 1.0  # s: from then on the joints of a dropped robot are driven
HARDEST = 2000  # iterations of a step at most: six steps of the dropped robot, when its gait begins, need more than 400
VALIDATION: tuple[dict[str, Any], ...] = (
    {"gait": "drop", "mu_y": 0.5},
    {"gait": "rolling"},
    {"gait": "rolling", "mu_y": 0.5},
    {"gait": "sidewinding"},
    {"gait": "smoke_ring"},
    {"gait": "climbing"},
    {"gait": "bridge"},
    {},
    {"pegs": "table_7_3"},
    {"pegs": "table_7_5"},
)
SOFT = math.radians(3.0)
SMOOTH = 1.0  # s
END = {"rolling": 10.0, "sidewinding": 15.0, "drop": 10.0}  # s; lateral undulation as long as in the plane, others 9 s


def robot(p: dict[str, Any]) -> Robot:
    """A free chain of yaw and pitch joints."""
    friction = Friction(p["mu_x"], p["mu_y"], rolling=p["rolling"])
    if p["coordinates"] == "maximal":
        return snake_links.free_links(p, "snake_3d", True, friction)
    if p["axis_offset"]:
        return snake_joints.chain(p, "snake_3d", friction)
    return snake_links.chain(p, "snake_3d", "free", True, friction)


def scenario(p: dict[str, Any]) -> Scenario:
    """The gait from its start posture, at rest; sidewinding by a soft start from straight."""
    p = snake_links.with_coefficients(p)
    if p["gait"] != "drop" and not p["ground"]:
        raise InputError(f"the gait '{p['gait']}' needs ground to move on; leave ground=true, or choose gait=drop.")
    snake_joints.check(p)
    yaw, pitch = ([f"joint_{k}.{axis}" for k in range(1, p["n"])] for axis in (0, 1))
    names = [name for both in zip(yaw, pitch, strict=True) for name in both]
    laws = gait(p, p["gait"], yaw, pitch)
    place, angles = start(p, [laws[name](0.0) for name in yaw], [laws[name](0.0) for name in pitch])
    if p["then"] != "none":
        laws = snake_links.changed(p, laws, gait(p, p["then"], yaw, pitch, soft=False))
    ground: list[Fixture] = [Ground()] if p["ground"] else []
    if p["gait"] in ON_A_POLE:
        ground.append(snake_on_pole.pole(p))
    drop = p["gait"] == "drop"
    end = snake_links.END[p["pegs"]] if p["gait"] == "lateral" else END.get(p["gait"], 9.0)
    snake = robot(p)
    return Scenario(
        "snake_3d", snake, gravity=(0.0, 0.0, -p["g"]), **snake_links.drive(p, snake, laws, FREE if drop else 0.0),
        obstacles=[*ground, *snake_links.pegs(p)], start=snake_links.start(p, place, names, angles),
        contact=snake_links.contact(p, tolerance=1e-6, midpoint=drop, iterations=HARDEST if drop else 400), t_end=end, dt=2.5e-4,
        integrator="moreau", record_every=40, checks=checks(p),
    )  # fmt: skip


def gait(p: dict[str, Any], kind: str, yaw: list[str], pitch: list[str], soft: bool = True) -> dict[str, Any]:
    """Laws of the joint angles; gaits that start from straight begin softly (Transeth 2007, 7.2.2), or smoothly."""
    if kind == "drop" or (kind == "sidewinding" and soft):
        w, scale, joints = WAVES["lateral" if kind == "drop" else kind], p["scale"], p["n"] - 1
        held = {"soft": SOFT, "begin": FREE if kind == "drop" else 0.0}
        laws = joint_waves(joints, scale * w.yaw, p["omega"], w.yaw_phase, offset=p["steering"], **held)
        laws += joint_waves(joints, scale * w.pitch, p["omega"], w.pitch_phase, w.first, **held)
        return dict(zip([*yaw, *pitch], laws, strict=True))
    scale = p["scale"] * (1.0 + p["grip"]) if kind in ON_A_POLE else p["scale"]
    laws_of = dict(snake_gait(kind, yaw, pitch, omega=p["omega"], scale=scale, steering=p["steering"]))
    smooth = soft and kind in ("inchworm", "sinus_lifting", "wheel", "bridge")
    return {name: soften(law, SMOOTH) for name, law in laws_of.items()} if smooth else laws_of


def start(p: dict[str, Any], yaw: list[float], pitch: list[float]) -> tuple[np.ndarray, list[float]]:
    """Pose of link 1 (position, quaternion) and joint angles."""
    angles = [angle for both in zip(yaw, pitch, strict=True) for angle in both]
    if p["gait"] in ON_A_POLE:
        return snake_on_pole.start(p)
    if p["gait"] == "lateral":
        (x, y, heading), _ = snake_links.planar_start(p, p["scale"] * WAVES["lateral"].yaw, WAVES["lateral"].yaw_phase)
        first = rotation_about("z", heading)
        if p["axis_offset"]:  # the last link at the origin
            x, y, _ = -first @ snake_joints.link_pose(p, p["n"], yaw, pitch)[1]
        return np.array([x, y, p["radius"], *quaternion_of_rotation(first)]), angles
    if p["gait"] == "drop":  # link 1 lowest, the chain rises towards -x at 30 degrees
        rise = math.pi / 6.0
        axes = np.column_stack([(-math.cos(rise), 0.0, math.sin(rise)), (0.0, -1.0, 0.0), (math.sin(rise), 0.0, math.cos(rise))])
        return np.array([0.0, 0.0, 0.3525, *quaternion_of_rotation(axes)]), angles
    # The middle link at the origin, its axis along -x; a rolling robot lies with its pitch axes upright.
    middle = np.column_stack([(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])
    if p["gait"] == "rolling":
        middle = np.column_stack([(-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)])
    rotation, position = snake_joints.link_pose(p, (p["n"] + 1) // 2, yaw, pitch)
    first = middle @ rotation.T
    height = float((first @ position)[2]) if p["gait"] == "bridge" else 0.0  # the ends of an arch lie on the ground
    return np.array([*(np.array([0.0, 0.0, p["radius"] + height]) - first @ position), *quaternion_of_rotation(first)]), angles


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The drop: free fall to the first impact, then rest. Others: printed speeds (Transeth 2007, 7.5), bands of an
    independent computation.
    """
    own = all(
        p[entry.name] == entry.value for entry in PARAMETERS if entry.name not in ("gait", "mu_y", "scale", "friction", "pegs")
    )
    if not own or (p["gait"] == "drop" and p["pegs"] != "none"):
        return ()
    if p["gait"] != "drop":
        return _bands(p) if p["scale"] == 1.0 else ()
    source = "free fall of the lower end of link 1 from rest"
    drop = 0.3525 - HALF_DROP - p["radius"]
    ahead = Check("link 6 goes ahead by more than 0.1 m", 1.0, 0.0, advance, "own limit", Kind.OWN)
    return (
        *((ahead,) if p["mu_y"] > p["mu_x"] else ()),
        Check("first impact (s)", math.sqrt(2.0 * drop / p["g"]), 0.01, first_impact, source, Kind.CLOSED_FORM),
        Check(
            "heights at rest (m)", p["radius"], 1e-3, rest_heights, "on the ground; penetration is about v dt", Kind.CLOSED_FORM
        ),
        Check(
            "part of the steps that did not converge",
            0.0,
            0.0005,
            unconverged_part,
            "own record of the solver: none of 40000",
            Kind.OWN,
        ),
        Check("worst residual of a step", 0.0, 1e-5, worst_residual, "own record of the solver: 1e-6, its tolerance", Kind.OWN),
    )


def _bands(p: dict[str, Any]) -> tuple[Check, ...]:
    """Gaits other than the drop. Of motions that slip the most is known; below half of it they slip more than they move."""
    source = "independent re-computation of Transeth (2007), 7.3.2 and 7.3.3"
    speeds = {0.2: (0.0675, 0.0075), 0.5: (0.081, 0.009)}  # m/s by mu_y: middle and half width of the band
    if p["gait"] == "lateral":
        return _lateral(p)
    if p["pegs"] != "none":
        return ()
    if p["gait"] in ON_A_POLE:
        most, way = snake_on_pole.rolling_speed(p), "at most that of rolling without slip, r omega cos a; half of it and more"
        return (Check("upward speed (m/s)", 0.75 * most, 0.25 * most, snake_on_pole.climbed, way, Kind.CLOSED_FORM),)
    if p["gait"] == "bridge":
        most, way = bridge_stroke(p), "at most the stroke by which its ends come nearer and part; half of it and more"
        return (Check("way in the last period (m)", 0.75 * most, 0.25 * most, stride, way, Kind.CLOSED_FORM),)
    if p["gait"] == "rolling" and p["mu_y"] in speeds:
        return (Check("mean velocity, sideways (m/s)", *speeds[p["mu_y"]], sideways, source, Kind.INDEPENDENT),)
    if p["gait"] == "sidewinding" and p["mu_y"] == 0.2:
        return (Check("way along x over that along y, 1.5 periods", 0.0, 0.15, slant, source, Kind.INDEPENDENT),)
    return ()


def _lateral(p: dict[str, Any]) -> tuple[Check, ...]:
    """Lateral undulation on isotropic friction: Transeth (2007, 7.5.2) has it in the plane and in
    space, with the same speeds.
    """
    if p["mu_y"] != 0.2:
        return ()
    plane = "own record: as the snake in the plane"
    if p["pegs"] == "table_7_3":
        return (replace(snake_2d.course("placed", plane), kind=Kind.OWN),)
    printed = snake_2d.printed_speed(p["pegs"])
    return (printed,) if p["pegs"] == "none" else (printed, replace(snake_2d.passes_1_8(plane), kind=Kind.OWN))


def bridge_stroke(p: dict[str, Any]) -> float:
    """By how much the distance of the two feet of a bridge changes in a period, m."""
    names = [f"joint_{k}.1" for k in range(1, p["n"])]
    walk = snake_gait("bridge", [f"joint_{k}.0" for k in range(1, p["n"])], names, omega=p["omega"], scale=p["scale"])
    times = np.linspace(0.0, walk.period, 181)
    slopes = np.cumsum([0.0 * times, *(walk[name](times) for name in names[FEET : len(names) - FEET])], axis=0)
    return float(np.ptp(p["length"] * np.abs(np.exp(1j * slopes).sum(axis=0))))


def stride(result: Result) -> float:
    """Way of the mass centre along x in the last period, m; not a number in shorter runs."""
    t, x = result.time.values, result.mass_centre.values[:, 0]
    begin = t[-1] - math.tau / result.parameters["omega"]
    return float(x[-1] - np.interp(begin, t, x)) if begin >= 0.0 else math.nan


def sideways(result: Result) -> float:
    """Mean velocity of the mass centre towards -y over the whole periods, m/s."""
    t, y = result.time.values, result.mass_centre.values[:, 1]
    period = 2.0 * math.pi / result.parameters["omega"]
    end = int(np.searchsorted(t, math.floor(t[-1] / period + 1e-9) * period - 1e-9))
    return float((y[0] - y[end]) / t[end]) if end else math.nan


def slant(result: Result) -> float:
    """Way of the mass centre along x over that along +y in the first one and a half periods; not a number in shorter runs."""
    end = int(np.searchsorted(result.time.values, 3.0 * math.pi / result.parameters["omega"] - 1e-9))
    if end == len(result.time):
        return math.nan
    x, y, _ = result.mass_centre.values[end] - result.mass_centre.values[0]
    return float(x / y) if y > 0.0 else math.nan


HALF_DROP = snake_links.HALF_AXIS * math.sin(math.pi / 6.0)


def first_impact(result: Result) -> float:
    """First record at which the velocity of link 1 is no longer that of free fall, s."""
    t = result.time.values
    free = result.body_position.sel(body="link_1").values[0, 2] - 0.5 * result.parameters["g"] * t**2
    return float(t[np.argmax(np.abs(result.body_position.sel(body="link_1").values[:, 2] - free) > 1e-4)])


def worst_residual(result: Result) -> float:
    """Largest residual that the solver left in a step."""
    return float(result.attributes["contact_worst_residual"])


def unconverged_part(result: Result) -> float:
    """Steps that did not reach the tolerance, over all steps."""
    about = result.attributes
    return float(about["contact_unconverged_steps"] * about["step"] / about["t_end"])


def rest_heights(result: Result) -> np.ndarray:
    """Of the links when the joints are switched on, m."""
    return result.body_position.sel(time=FREE, method="nearest").values[:, 2]


def advance(result: Result) -> float:
    """Whether link 6 has gone ahead since the joints were switched on."""
    x = result.body_position.sel(body="link_6").values[:, 0]
    return float(x[-1] > x[np.searchsorted(result.time.values, FREE)] + 0.1)
