"""Joint control of a wheel-less snake in the plane: input-output linearisation and PD (Transeth 2007, chapters 6 and 7.3).

Every link rests on the ground at two points, with dry and viscous friction along and across the link. The robot starts straight
and at rest; its references are those of lateral undulation, with the soft start of 7.2.2 and its steps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.controllers import FeedbackLinearisation, JointPD, MeasurementNoise, SampledController, filtered_reference
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.gaits import joint_waves
from locodyn.gaits.snake_gaits import WAVES
from locodyn.locomotion.servo import Servo
from locodyn.robot import Friction, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import ArctanFriction, Drag
from locodyn.zoo import snake_links
from locodyn.zoo.snake_links import GAIT, TABLE_2

# Noise of r_O2 (m, m/s), theta and phi (degrees, degrees per second): Transeth (2007), table 7.4.
NOISE = {"none": (0.0, 0.0, 0.0), "b": (0.1, 0.1, 0.1), "c": (10.0, 10.0, 0.1), "d": (10.0, 10.0, 1.0)}
SOFT = math.radians(3.0)
FILTERED = 30.0  # s: how long filtered references are known
PARAMETERS = (
    Parameter("controller", "io", "-", "Transeth (2007), 6.5, 7.3", "io: input-output linearisation; pd", choices=("io", "pd")),
    Parameter("friction", "set_valued", "-", "Transeth (2007), 6.3", "of the ground; smooth: arctan, for solvers of ordinary"
              " differential equations", choices=("set_valued", "smooth")),
    Parameter("noise", "none", "-", "Transeth (2007), table 7.4", "of measurements", choices=tuple(NOISE)),
    Parameter("seed", 0, "-", "own choice", "of the noise", least=0),
    Parameter("saturation", 0.0, "N m", "Transeth (2007), 7.3", "limit of the joint torques: 0 none", least=0.0),
    Parameter("filter", 0.0, "rad/s", "own choice", "of the references: 0 none", least=0.0),
    *(entry for entry in snake_links.LINK if entry.name in ("n", "length", "half_axis", "radius", "mass", "inertia", "g")),
    Parameter("mu_x", 0.2, "-", TABLE_2, "mu_C along a link", least=0.0),
    Parameter("mu_y", 0.5, "-", TABLE_2, "mu_C across a link", least=0.0),
    Parameter("viscous_x", 0.1, "s/m", TABLE_2, "mu_V along a link", least=0.0),
    Parameter("viscous_y", 0.2, "s/m", TABLE_2, "mu_V across a link", least=0.0),
    Parameter("smoothing", 1e-3, "m/s", TABLE_2, "eps_C of the arctan", above=0.0),
    Parameter("k_p", 200.0, "N m/rad", TABLE_2, "of pd", above=0.0),
    Parameter("k_d", 1.2, "N m s/rad", TABLE_2, "of pd", above=0.0),
    Parameter("gain_p", 4.0e5, "1/s^2", TABLE_2, "K_P of io", above=0.0),
    Parameter("gain_d", 2.4e3, "1/s", TABLE_2, "K_D of io", above=0.0),
    Parameter("omega", math.radians(80.0), "rad/s", GAIT, "of the wave", above=0.0),
    *snake_links.HARDWARE,
)  # fmt: skip
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"controller": "pd"}, {"controller": "pd", "friction": "smooth"})


def robot(p: dict[str, Any], friction: str) -> Robot:
    """A planar chain on two points under each link, with markers there."""
    snake = snake_links.chain({"stiffness": 0.0, "damping": 0.0, **p}, "snake_control", "planar", False, Friction(0.0))
    load, viscous = 0.5 * p["mass"] * p["g"], (p["viscous_x"], p["viscous_y"])
    for k in range(1, p["n"] + 1):
        link = snake[f"link_{k}"]
        if k > 1 and p["saturation"] > 0.0:
            link.actuator(torque_limit=p["saturation"])
        for end, x in (("front", p["half_axis"]), ("rear", -p["half_axis"])):
            link.marker(f"{end}_{k}", at=(x, 0.0, 0.0))
            if friction == "smooth":
                law: Any = ArctanFriction((p["mu_x"], p["mu_y"]), load, p["smoothing"], viscous)
            else:
                link.rests(load, at=(x, 0.0, 0.0), friction=Friction(p["mu_x"], p["mu_y"]))
                law = Drag(linear=(load * viscous[0], load * viscous[1], 0.0))
            snake.wrench(f"friction_{end}_{k}", on=f"link_{k}", at=(x, 0.0, 0.0), law=law)
    return snake


def targets(p: dict[str, Any]) -> dict[str, Any]:
    """References of the joints."""
    wave = WAVES["lateral"]
    laws: list[Any] = joint_waves(p["n"] - 1, wave.yaw, p["omega"], wave.yaw_phase, soft=SOFT)
    if p["filter"] > 0.0:
        laws = [filtered_reference(law, p["filter"], FILTERED) for law in laws]
    return snake_links.sent(p, {f"joint_{k}": law for k, law in enumerate(laws, start=1)})


def control(p: dict[str, Any]) -> dict[str, Any]:
    """What drives the joints. io knows the smooth plant, whatever the real one is; it is continuous on the smooth plant, else
    sampled at every step. pd is a servo of the kernel (implicit beside hard contact), with noise, play or delay a sampled
    controller.
    """
    if p["controller"] == "io" and p["play"] > 0.0:
        raise InputError("play is that of a PD controller and its motors; with play, choose controller=pd.")
    gravity = (0.0, 0.0, -p["g"])
    known = Model(robot(p, "smooth").compile(), gravity=gravity)
    goals = targets(p)
    law: FeedbackLinearisation | JointPD = FeedbackLinearisation(known, goals, p["gain_p"], p["gain_d"])
    if p["controller"] == "pd" and p["noise"] == "none" and p["play"] == p["delay"] == 0.0:
        return {"servo": {name: Servo(goal, p["k_p"], p["k_d"]) for name, goal in goals.items()}}
    if p["controller"] == "pd":
        law = JointPD(known, goals, p["k_p"], p["k_d"], p["play"])
    if p["friction"] == "smooth" and p["noise"] == "none" and p["delay"] == 0.0:
        return {"controller": law}
    place, speed, angle = NOISE[p["noise"]]
    first = 0.1 if p["noise"] == "b" else 10.0  # theta; only phi differs between c and d
    angles = np.radians([first, *[angle] * (p["n"] - 1)])
    noise = MeasurementNoise([place, place, *angles], [speed, speed, *angles], p["seed"])
    return {"controller": SampledController(law, noise=noise if p["noise"] != "none" else None, delay=p["delay"])}


def scenario(p: dict[str, Any]) -> Scenario:
    """Lateral undulation from a straight start."""
    if p["n"] < 6:
        raise InputError(f"the robot has {p['n']} links; the controllers are looked at in joint 5, so there must be 6 or more.")
    return Scenario(
        "snake_control", robot(p, p["friction"]), gravity=(0.0, 0.0, -p["g"]), **control(p),
        start=Start({"link_1": (0.5 * p["length"], 0.0, 0.0)}), contact=HardContact(tolerance=1e-6, midpoint=False),
        integrator="rkmk4" if p["friction"] == "smooth" else "moreau", dt=2.5e-4, t_end=7.25, record_every=20, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Steady errors of joint 5."""
    own = all(p[entry.name] == entry.value for entry in PARAMETERS if entry.name not in ("controller", "friction"))
    source = "independent re-computation of Transeth (2007), 7.3.5"
    if not own:
        return ()
    smooth = p["friction"] == "smooth"
    if p["controller"] == "io":
        name = "steady error of joint 5 (deg)"
        if smooth:
            return (Check(name, 0.0, 1e-6, steady_error, "e'' + K_D e' + K_P e = 0", Kind.CLOSED_FORM),)
        words = "own limit: 0.006"
        return (Check(name, 0.0, 0.02, steady_error, words, Kind.OWN),)
    kind = Kind.INDEPENDENT if smooth else Kind.OWN
    words = source if smooth else "own record: 0.353"
    return (
        Check("steady error of joint 5 (deg)", 0.525 if smooth else 0.36, 0.125 if smooth else 0.04, steady_error, words, kind),
        Check("half a period later it is opposite (deg)", 0.0, 0.02, asymmetry, source if smooth else "own limit: 2.4e-5", kind),
    )


def error_of(result: Result, joint: str = "joint_5") -> np.ndarray:
    """Angle less reference, degrees."""
    found: np.ndarray = np.degrees(result.tracking_error().sel(tracked=joint).values)
    return found


def _steady(result: Result) -> np.ndarray:
    """Error of joint 5 over the last period, degrees."""
    period = 2.0 * math.pi / result.parameters["omega"]
    found: np.ndarray = error_of(result)[result.time.values >= result.time.values[-1] - period - 1e-9]
    return found


def steady_error(result: Result) -> float:
    """Largest error of joint 5 in the last period, degrees."""
    return float(np.abs(_steady(result)).max())


def asymmetry(result: Result) -> float:
    """Largest |e(t + T/2) + e(t)| in the last period, degrees."""
    error = _steady(result)
    half = len(error) // 2
    return float(np.abs(error[:half] + error[half : 2 * half]).max())
