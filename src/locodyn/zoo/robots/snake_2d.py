"""Wheel-less snake robot in the plane: lateral undulation on the floor and among pegs (Transeth 2007, chapters 3 and 7).

Friction acts at the centre of every link under its weight; pegs are smooth and hard.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.gaits import joint_waves, snake_gait
from locodyn.gaits.snake_gaits import IN_THE_PLANE
from locodyn.robot import Friction, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import snake_links
from locodyn.zoo.snake_links import CHANGE, COORDINATES, COURSES, GAIT, HARDWARE, LINK, TABLE_2

PARAMETERS = (
    *LINK,
    Parameter("amplitude", math.radians(40.0), "rad", GAIT, "of the joint angles"),
    Parameter("omega", math.radians(80.0), "rad/s", GAIT, "of the wave", above=0.0),
    Parameter("phase", math.radians(-50.0), "rad", GAIT, "from joint to joint; the wave runs towards the last link if negative"),
    Parameter("steering", 0.0, "rad", "own choice", "offset of the joint angles"),
    Parameter("gait", "lateral", "-", GAIT, "lateral: the wave above; concertina: amplitude and phase do not matter",
              choices=IN_THE_PLANE),
    replace(CHANGE[0], choices=("none", *IN_THE_PLANE)),
    *CHANGE[1:],
    *HARDWARE,
    COORDINATES,
    Parameter("servo", "implicit", "-", TABLE_2, "PD torques are taken: at the end of a step, or as in 3.5 at its start",
              choices=("implicit", "explicit")),
)  # fmt: skip
# The robot of the experiments: 4 degrees of play, references at 10 Hz, 100 ms late (Transeth 2007, 7.4: 3 to 5, 50 to 150).
BUILT: dict[str, Any] = {"play": 0.07, "reference_period": 0.1, "reference_delay": 0.1}
VALIDATION: tuple[dict[str, Any], ...] = (
    {},
    {"mu_y": 0.5},
    {"pegs": "table_7_5"},
    {"pegs": "table_7_3"},
    {"pegs": "table_7_3", "peg_3": "moved"},
    {"pegs": "table_7_3", "peg_3": "removed"},
    {"pegs": "table_7_5", **BUILT},
)


def robot(p: dict[str, Any]) -> Robot:
    """A planar chain; each link rests on the floor at its centre."""
    minimal = p["coordinates"] == "minimal"
    snake = (
        snake_links.chain(p, "snake_2d", "planar", False, Friction(0.0))
        if minimal
        else snake_links.free_links(p, "snake_2d", False, Friction(0.0))
    )
    for k in range(1, p["n"] + 1):
        snake[f"link_{k}"].rests(p["mass"] * p["g"], friction=Friction(p["mu_x"], p["mu_y"]))
    return snake


def scenario(p: dict[str, Any]) -> Scenario:
    """Lateral undulation from the posture of the wave, at rest, centre line along x and link 1 in front."""
    p = snake_links.with_coefficients(p)
    names = [f"joint_{k}" for k in range(1, p["n"])]
    laws = gait(p, p["gait"], names)
    amplitude = p["amplitude"] if p["gait"] == "lateral" else 0.0
    place, angles = snake_links.planar_start(p, amplitude, p["phase"])
    if p["then"] != "none":
        laws = snake_links.changed(p, laws, gait(p, p["then"], names))
    snake = robot(p)
    tolerance = 1e-8 if p["gait"] == "lateral" else 1e-6  # straight parts that hold have more contacts than freedoms
    return Scenario(
        "snake_2d", snake, gravity=(0.0, 0.0, -p["g"]), **snake_links.drive(p, snake, laws),
        obstacles=snake_links.pegs(p), start=snake_links.start(p, place, names, angles),
        contact=snake_links.contact(p, tolerance=tolerance, implicit_servo=p["servo"] == "implicit", midpoint=False),
        t_end=snake_links.END[p["pegs"]], dt=2.5e-4, integrator="moreau", record_every=40, checks=checks(p),
    )  # fmt: skip


def gait(p: dict[str, Any], kind: str, names: list[str]) -> dict[str, Any]:
    """Laws of the joint angles."""
    if kind != "lateral":
        return dict(snake_gait(kind, names, omega=p["omega"], steering=p["steering"]))
    waves = joint_waves(p["n"] - 1, p["amplitude"], p["omega"], p["phase"], offset=p["steering"])
    return dict(zip(names, waves, strict=True))


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Speeds that Transeth (2007, 7.5) prints, and bands of an independent computation of the same model."""
    free = ("pegs", "mu_y", "peg_3", "friction", *BUILT)
    own = all(p[entry.name] == entry.value for entry in PARAMETERS if entry.name not in free)
    source = "independent re-computation of Transeth (2007), 7.3.4 and 7.5"
    if not own:
        return ()
    if any(p[name] for name in BUILT):
        as_built = all(p[name] == value for name, value in BUILT.items()) and p["pegs"] == "table_7_5" and p["mu_y"] == 0.2
        return (printed_speed(p["pegs"]),) if as_built and p["peg_3"] == "placed" else ()
    if p["pegs"] == "table_7_3" and p["mu_y"] == 0.2:
        return (course(p["peg_3"], source),)
    if p["peg_3"] != "placed":
        return ()
    if p["pegs"] == "none" and p["mu_y"] == 0.2:
        return (
            printed_speed(p["pegs"]),
            Check("mean velocity, isotropic (m/s)", -0.0105, 0.0025, forward_speed, source, Kind.INDEPENDENT),
            Check("sideways (m/s)", 0.0, 0.002, sideways_speed, source, Kind.INDEPENDENT),
        )
    if p["pegs"] == "none" and p["mu_y"] == 0.5:
        return (Check("mean velocity, orthotropic (m/s)", 0.0775, 0.0075, forward_speed, source, Kind.INDEPENDENT),)
    if p["pegs"] == "table_7_5" and p["mu_y"] == 0.2:
        return (
            printed_speed(p["pegs"]),
            Check("mean velocity among pegs (m/s)", 0.16, 0.02, forward_speed, source, Kind.INDEPENDENT),
            passes_1_8(source),
            Check(
                "penetration (m)",
                0.0,
                5e-4,
                lambda r: r.attributes["contact_deepest_penetration"],
                "no penetration but 2 m/s times the step",
                Kind.CLOSED_FORM,
            ),
        )
    return ()


# Mean velocity (m/s) that Transeth prints, how far ours may be off, and where it stands. The first is printed with one digit,
# "approximately"; the second is "ca. 15 cm/s", read off the path of link 6, which starts and ends within a period.
PRINTED = {
    "none": (-0.01, 0.005, "Transeth 2007, 7.5.2: approximately -1 cm/s"),
    "table_7_5": (0.15, 0.02, "Transeth 2007, 7.5.3: ca. 15 cm/s"),
}


def printed_speed(pegs: str) -> Check:
    """The mean velocity that Transeth (2007, 7.5) prints, of the robot in the plane or in space."""
    value, near, where = PRINTED[pegs]
    return Check("mean velocity, as printed (m/s)", value, near, forward_speed, where, Kind.PUBLISHED)


def passes_1_8(source: str) -> Check:
    """How far the robot comes among seven pegs, 9 s."""
    return Check("link 6 has passed x = 1.8 m", 1.0, 0.0, lambda r: float(link_path(r)[-1, 0] > 1.8), source, Kind.INDEPENDENT)


def course(third: str, source: str) -> Check:
    """What becomes of the robot among nine pegs, 15 s."""
    last = COURSES["table_7_3"][-1][1]

    def stuck(result: Result) -> float:
        return float(link_path(result)[:, 0].max() < 0.8)

    def through(result: Result) -> float:
        return float(link_path(result, 1)[-1, 0] > last)

    if third == "removed":
        return Check("link 6 stays behind x = 0.8 m", 1.0, 0.0, stuck, source, Kind.INDEPENDENT)
    return Check("link 1 is beyond the last peg", 1.0, 0.0, through, source, Kind.INDEPENDENT)


def link_path(result: Result, number: int = 6) -> np.ndarray:
    """Path (N, 3) of the centre of a link, m."""
    return result.body_position.sel(body=f"link_{number}").values


def _mean_velocity(result: Result, axis: int) -> float:
    """Of the mass centre, over the whole periods after the first, m/s; not a number in runs of less than two."""
    t, x = result.time.values, result.mass_centre.values[:, axis]
    period = 2.0 * math.pi / result.parameters["omega"]
    if t[-1] < 2.0 * period - 1e-9:
        return math.nan
    begin, end = np.searchsorted(t, [period - 1e-9, math.floor(t[-1] / period + 1e-9) * period - 1e-9])
    return float((x[end] - x[begin]) / (t[end] - t[begin]))


def forward_speed(result: Result) -> float:
    """Mean velocity along x, m/s."""
    return _mean_velocity(result, 0)


def sideways_speed(result: Result) -> float:
    """Mean velocity along y, m/s."""
    return _mean_velocity(result, 1)
