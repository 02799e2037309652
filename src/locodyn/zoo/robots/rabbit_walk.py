"""RABBIT walks on level ground by virtual constraints (Aguirre 2010, chapter 5; Westervelt, Grizzle, Koditschek 2003).

Four joint angles follow Bezier polynomials of the angle of the standing leg; feet are rigid and impacts plastic. On the
constraints one freedom is left, whose map from step to step is a straight line with the slope delta^2.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.controllers import ObservedVelocities
from locodyn.errors import InputError, RunError
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.walking import ZeroDynamics, controllers
from locodyn.world import Ground
from locodyn.zoo import rabbit, walkers

SOURCE = "Aguirre 2010"
OWN = "own choice"
FEET = (2.5e6, 9e6)  # stiffness N/m^1.5 and damping N s/m^2.5 of a compliant foot
BRISTLES = (260.0, 0.6)  # 1/m, s/m
LAWS = ("linearisation", "finite_time", "pd")
FITTING = {"rigid": "linearisation", "compliant": "pd"}  # by feet
SPEED_C5 = 0.7  # m/s
PARAMETERS = (
    Parameter("links", "T21", "-", SOURCE, "data of the links: Table 2.1, or section 3.4", choices=tuple(rabbit.LINKS)),
    Parameter("gait", "C5", "-", OWN, "the gait C5 for 0.7 m/s, or one optimised for the speed", choices=("C5", "optimised")),
    Parameter("speed", SPEED_C5, "m/s", OWN, "of an optimised gait", above=0.1, most=2.0),
    Parameter("control", "auto", "-", OWN, "how outputs are brought to zero; auto: as the feet allow", choices=("auto", *LAWS)),
    Parameter("K_P", 400.0, "1/s^2", OWN, "stiffness of the outputs, with linearisation", above=0.0),
    Parameter("K_D", 40.0, "1/s", OWN, "damping of the outputs, with linearisation", above=0.0),
    Parameter("pd", (3000.0, 120.0), "N m/rad, N m s/rad", SOURCE, "stiffness and damping of joint PD", above=0.0),
    Parameter("limit", 150.0, "N m", SOURCE, "largest torque of a joint; an optimised gait keeps it", above=0.0),
    Parameter("observer", 0.0, "rad/s", SOURCE, "of velocities from encoders; 0: the controller knows them", least=0.0),
    Parameter("mu", 0.6, "-", OWN, "friction of the ground, for the check of slip and of an optimised gait", above=0.0),
    Parameter("feet", "rigid", "-", SOURCE, "rigid feet with plastic impacts, or compliant ones", choices=("rigid", "compliant")),
    Parameter("stiffness", 1.0, "-", OWN, "of compliant feet, as a multiple of Aguirre's; bristles with it", above=0.0),
    Parameter("boom", "off", "-", SOURCE, "its weight and inertia, unknown to the controller", choices=("off", "on")),
    Parameter("drives", "ideal", "-", SOURCE, "or with their friction (Table 2.3), known to it", choices=("ideal", "friction")),
    Parameter("faster", 1.0, "-", OWN, "factor of the velocities at the start, 1 on the gait", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = (
    {},
    {"faster": 1.05},
    {"control": "pd"},
    {"drives": "friction"},
    {"feet": "compliant", "control": "pd", "mu": rabbit.FOOT_FRICTION},
    {"feet": "compliant", "control": "pd", "mu": rabbit.FOOT_FRICTION, "observer": 400.0},
)


@functools.lru_cache(maxsize=4)
def zero_dynamics(
    links: str, gait: str, speed: float, drives: str = "ideal", torque: float = 150.0, friction: float = 0.6
) -> ZeroDynamics:
    """The gait, an optimised one within the limits, and what is left of walking on it; friction of drives is no part of that."""
    hybrid = Scenario("rabbit", rabbit.robot(links, drives=drives == "friction"), phases=rabbit.phases()).hybrid
    if gait == "C5":
        return ZeroDynamics(rabbit.gait_c5(hybrid))
    design = rabbit.design(hybrid)
    try:
        return design.solve(speed, limits=replace(design.limits, torque=torque, friction=friction)).dynamics
    except RunError as error:  # what was asked for cannot be
        raise InputError(str(error)) from None


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten steps from the beginning of the step that repeats."""
    if p["gait"] == "C5" and p["speed"] != SPEED_C5:
        raise InputError(
            f"the gait C5 of 'rabbit_walk' goes at {SPEED_C5:g} m/s; for speed = {p['speed']:g} m/s set gait=optimised."
        )
    p = {**p, "control": FITTING[p["feet"]]} if p["control"] == "auto" else p
    if p["feet"] == "compliant" and p["control"] != "pd":
        raise InputError(
            f"control={p['control']} of 'rabbit_walk' cancels the accelerations of a robot whose foot stays where it stands,"
            " which a compliant foot does not; set control=pd, or feet=rigid."
        )
    limits = (p["limit"], p["mu"]) if p["gait"] == "optimised" else ()
    reduced = zero_dynamics(p["links"], p["gait"], p["speed"], p["drives"], *limits)
    law = {"pd": {"stiffness": p["pd"][0], "damping": p["pd"][1], "limit": p["limit"]}, "finite_time": {"settling": 0.1}}
    options = law.get(p["control"], {"stiffness": p["K_P"], "damping": p["K_D"]})
    laws = controllers(reduced.gait, p["control"], **options)
    if p["observer"]:
        model = reduced.gait.biped.hybrid.model
        laws = (ObservedVelocities(laws[0], model, p["observer"]), ObservedVelocities(laws[1], model, p["observer"]))
    if p["feet"] == "compliant":
        return compliant_scenario(p, reduced, laws)
    return Scenario(
        "rabbit_walk",
        rabbit.robot(p["links"], p["limit"], p["boom"] == "on", drives=p["drives"] == "friction"),
        phases=rabbit.phases(laws, friction=p["mu"]),
        start=start(p, reduced, laws),
        t_end=10.2 * reduced.duration,
        dt=0.01,
        tolerance=1e-9,
        checks=checks(p, reduced),
    )


def start(p: dict[str, Any], reduced: ZeroDynamics, laws: tuple[Any, Any], sunk: float = 0.0) -> Start:
    """The beginning of the step that repeats, ``sunk`` in (m); an observer has settled there."""
    q, v = reduced.start()
    q[0], v = q[0] - sunk, p["faster"] * v
    return Start(q, v, memory=laws[0].start(q, v) if p["observer"] else None)


def compliant_scenario(p: dict[str, Any], reduced: ZeroDynamics, laws: tuple[Any, Any]) -> Scenario:
    """Ten steps on compliant feet, which slip a little as they land, from the rigid gait, sunk in by what 350 N press in."""
    # k d^(3/2) = force: all that gives way does so in parts of this, also the speed k / lambda at which feet may leave an impact.
    small = p["stiffness"] ** (-2.0 / 3.0)
    feet = replace(
        rabbit.FEET, stiffness=p["stiffness"] * FEET[0], damping=p["stiffness"] * FEET[1] / small,
        bristle_stiffness=BRISTLES[0] / small, bristle_damping=BRISTLES[1] / small**0.5,
    )  # fmt: skip
    return Scenario(
        "rabbit_walk",
        rabbit.robot(p["links"], None, p["boom"] == "on", p["mu"], drives=p["drives"] == "friction"),
        phases=rabbit.soft_phases(laws, depth=5e-4 * small),
        obstacles=(Ground(),),
        contact=feet,
        start=start(p, reduced, laws, (350.0 / FEET[0]) ** (2.0 / 3.0) * small),
        t_end=11.0 * reduced.duration,
        dt=0.01,
        tolerance=1e-8 if p["observer"] else 1e-6,  # velocities that are late drive joints to their limits after impacts
        checks=compliant_checks(p),
    )


def as_usual(p: dict[str, Any], *free: str) -> bool:
    """Whether all parameters but those that may be any have their usual values."""
    return all(p[one.name] == one.value for one in PARAMETERS if one.name not in free)


def compliant_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The last step against Aguirre's equations, integrated independently with the numbers of the gait C5 and of its feet."""

    def step(result: Result) -> tuple[float, float]:
        places = [one["place"][1] for one in json.loads(result.attributes["transitions"])]
        return walkers.last_step_time(result), float(places[-1] - places[-2])

    energy = Check("energy balance (relative)", 0.0, 1e-4, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if p["mu"] != rabbit.FOOT_FRICTION or not as_usual(p, "feet", "control", "mu", "K_P", "K_D"):
        return (energy,)
    one, share = "independent calculation: the same 7 freedoms, feet and gains (LSODA), to 3 %", 0.03
    wanted = {"step time (s)": 0.681, "advance of a step (m)": 0.455}
    return (
        *(Check(name, value, share * value, lambda r, k=k: step(r)[k], one, Kind.INDEPENDENT)  # type: ignore[misc]
          for k, (name, value) in enumerate(wanted.items())),
        energy,
    )  # fmt: skip


def zetas(result: Result, reduced: ZeroDynamics) -> np.ndarray:
    """sigma^2/2 before each touchdown, from the energy that the impact takes: it is proportional to it on the constraints."""
    per_zeta = reduced.gait.impact.loss / (0.5 * float(reduced.inertia(reduced.gait.end)) ** 2)
    return np.array([one["loss"] for one in json.loads(result.attributes["transitions"])]) / per_zeta


def checks(p: dict[str, Any], reduced: ZeroDynamics) -> tuple[Check, ...]:
    """The scalar map of the zero dynamics against the whole robot; joint PD against the planned speed; energy."""
    energy = Check("energy balance through impacts (relative)", 0.0, 1e-7, walkers.energy_kept, "first law", Kind.CONSERVATION)

    def speed(result: Result) -> float:
        places = [one["place"][1] for one in json.loads(result.attributes["transitions"])]
        return float((places[-1] - places[-2]) / walkers.last_step_time(result))

    cut = p["limit"] < 150.0  # N m: then torques may be cut off, and outputs go off their curves
    if p["boom"] == "on" or p["observer"] or cut:  # after an impact, an observer is late by more than outputs can bear
        return (energy,)
    if p["control"] == "pd":
        if not as_usual(p, "control", "mu", "K_P", "K_D", "faster"):
            return (energy,)
        planned = "closed form: the zero dynamics of the gait, which joint PD follows within 3 %"
        return (Check("speed (m/s)", reduced.speed, 0.03 * reduced.speed, speed, planned, Kind.CLOSED_FORM), energy)
    form = "closed form: zeta' = delta^2 zeta - V of the hybrid zero dynamics (Westervelt et al. 2003)"

    def off_map(result: Result) -> float:
        found = zetas(result, reduced)
        wanted = reduced.delta_squared * found[:-1] - reduced.final_potential
        return float(np.abs(found[1:] / wanted - 1.0).max())

    found = [
        Check("zeta against the scalar map (relative)", 0.0, 1e-6, off_map, form, Kind.CLOSED_FORM),
        energy,
    ]
    if p["faster"] == 1.0:
        found.append(Check("step time (s)", reduced.duration, 1e-6, walkers.last_step_time, form, Kind.CLOSED_FORM))
    if p["gait"] == "C5" and p["links"] == "T21":
        numbers = (0.6148, 581.16, -223.86)
        source = "independent calculation: closed-form model of the five links, to the digits given"
        own = (reduced.delta_squared, reduced.fixed_point, reduced.final_potential)
        found.append(Check("delta^2, zeta*, V (relative)", 0.0, 1e-3, lambda _: np.array(own) / numbers - 1.0, source,
                           Kind.INDEPENDENT))  # fmt: skip
    return tuple(found)
