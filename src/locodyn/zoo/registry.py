"""The robots of the zoo by name; a robot's file is loaded when it is asked for."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, LocodynError, nearest
from locodyn.zoo.remembered import Remembered

if TYPE_CHECKING:
    from locodyn.sim import Result, Scenario
    from locodyn.sim.parameter import Parameter

# name -> one line about it; its file is locodyn/zoo/robots/NAME.py
ROBOTS: dict[str, str] = {
    "pendulum": "n rods hanging from the world, with revolute or spherical joints",
    "free_chain": "n bodies floating in space, joints imposed or torque-driven",
    "satellite": "rigid platform with three rotors (cases A, B, C): turning by moving inside",
    "heavy_top": "spinning top on a fixed pivot, a classical test of integrators",
    "snakeboard": "board, rotor and two steered axles (gaits drive, rotate, park): moving by turning a rotor",
    "wheeled_snake": "n modules on passive wheels (Hirose's ACM type): moving by lateral undulation",
    "mobile_manipulator": "arm of six joints on a car-like platform with two driven front wheels",
    "two_axle": "two bodies, one joint, two axles: ideal wheels or viscous friction",
    "unicycle": "cart with one driven and one passive wheel, and an arm that swings",
    "four_bar": "crank, coupler and rocker: a closed loop in a vertical plane",
    "n_four_bar": "N four-bars in a row: N loops, one freedom, all folded flat at once twice in a turn",
    "bricard": "five bars and the ground on six edges of a cube: a loop that should not move, and does",
    "bennett": "four bars on skew pins (cases free, driven): a loop in space with its relation in closed form",
    "three_axle": "three bodies, two joints, three axles: its motion follows from its shape",
    "chaplygin_sleigh": "rigid body on a knife edge: turns until it glides straight ahead (closed form)",
    "roller_racer": "two axles and one joint: swinging the handle drives it",
    "trikke": "scooter on three wheels with a fork that leans back: swaying and steering drive it",
    "car": "rear wheels driven by a torque, front wheels steered",
    "trailer_truck": "driven and steered truck with two passive trailers",
    "fish": "n elliptic bodies in an ideal fluid: swimming by a travelling wave",
    "eel": "continuous body in water that bends by a given wave: swims by added mass, wake and drag",
    "passive_eel": "muscles on elastic bodies in water, each at its own frequency: the one in bending resonance swims fastest",
    "amphibious_snake": "continuous body that undulates down a beach into the water and swims on",
    "floating_bodies": "spar, barge, egg and pill on the water, a stone that tumbles in the deep (closed forms)",
    "bicycle": "frame, fork and two rolling discs (cases free, turn): steers itself, and turns by counter-steering",
    "benchmark_bicycle": "the bicycle of Meijaard et al. 2007: stable by itself at 4.6 m/s",
    "rolling_disc": "thin disc (cases circle, straight): steady precession, and the speed at which it stays upright",
    "rattleback": "Celtic stone: spins, rattles, and spins back",
    "rolling_sphere_robot": "ball driven by a pendulum inside (cases straight, turn)",
    "skateboard": "board with rider on two trucks and four wheels: steers by leaning, and is stable when fast",
    "falling_cat": "two halves and a waist: turns over with zero angular momentum",
    "elastica": "rod bent by a dead force at its tip: Euler's elastica",
    "bend_45": "curved rod with a load out of its plane: bending and torsion",
    "follower_force": "rod with a force that turns with its tip",
    "princeton_beam": "flat rod with a weight at its tip, turned about its axis: bending both ways and torsion",
    "cantilever": "hanging rod pulled aside and released (cases soft, stiff, steel)",
    "rod_drop": "soft rod dropped from the horizontal",
    "flying_rod": "soft rod in free flight, pushed and turned at one end",
    "spin_up_beam": "rod on a hub that starts to turn: lags, then stretches",
    "swimmer": "head and two rods in water, bent by tendons: swims by the wave that runs to its tail",
    "drones_payload": "two drones that carry a box by two soft rods, under feedback",
    "cpr_rfrfr": "two elastic legs on driven hinges with pinned tips (torque_sign in, out): a continuum parallel robot",
    "elastic_trailer": "car that pulls a trailer through an elastic rod (hitch clamp, hinge): rods and ideal wheels in one robot",
    "tendon_arm": "continuum arm of two sections, each bent by three tendons",
    "soft_gripper": "three soft fingers that close when their chambers are pressurised",
    "cpr_tendon": "two tendon-driven rods on passive joints hold a platform in the plane",
    "cpr_rfrfr_gravity": "two rods on motors hold a platform in a vertical plane (trajectory 1, 2): drops, bounces, snaps back",
    "hexapod_cpr": "six elastic legs on slides carry a platform in space",
    "bouncing_ball": "ball on hard ground: infinitely many impacts in a finite time (closed form)",
    "sliding_block": "block on a rough slope: slides, stops, rests exactly (closed forms)",
    "rolling_ball": "ball on rough ground: slips, rolls, comes to rest (closed forms)",
    "painleve_rod": "rod sliding on rough ground: beyond mu = 4/3 an impact without collision",
    "newton_cradle": "balls in a row: impacts hand the momentum on",
    "billiard_break": "one ball runs into a triangle of fifteen",
    "falling_boxes": "boxes fall on each other and come to rest as a stack",
    "woodpecker": "toy that slides down a pole in jerks: jamming, impacts and friction in a cycle",
    "bouncing_dimer": "two balls on a rod on a shaken plate: one stays down while the other bounces",
    "snake_2d": "wheel-less snake in the plane: lateral undulation on the floor and among pegs",
    "soft_snake_pegs": "rigid and soft links, some on passive wheels, pushing themselves along between pegs",
    "snake_3d": "wheel-less snake in space on hard ground (gaits lateral, sidewinding, rolling, bridge, climbing, ...; drop)",
    "rimless_wheel": "spokes without a rim roll down a slope, from impact to impact (closed form)",
    "simplest_walker": "a hip and two feet that weigh nothing walk down a shallow slope",
    "compass_gait": "two straight legs walk down a slope without motors",
    "kneed_walker": "passive walker with knees: strikes its knee, then its foot, and goes on",
    "piston": "crank, rod and head held on a line by actuators or walls: virtual and physical constraints",
    "slider_crank": "crank, rod and slider: a closed loop with its relations in closed form",
    "andrews": "Andrews' squeezing mechanism: seven bodies, three pins at one point and a spring",
    "governor": "flyball governor: springs between a slider and two rods with balls on a shaft, stiff",
    "jumper_1d": "a mass falls on compliant feet: restitution of Hunt and Crossley's law in closed form",
    "spring_hopper": "a mass on a springy leg without mass runs, stable by itself (SLIP)",
    "stick_slip": "a mass pulled by a spring over LuGre's bristles sticks and slips in turn",
    "rabbit_drop": "planar biped RABBIT falls on its compliant feet (damping 9e6 or 9e5)",
    "rabbit_stand": "planar biped RABBIT lands on bent legs, slips and stands by joint PD",
    "quadruped_trot": "four legs trot on compliant ground (contact compliant, regularised, hard)",
    "soft_leg": "a leg with an elastic rod for a shank falls, rebounds and stands: rod, joint and contact in one robot",
    "rabbit_walk": "planar biped RABBIT walks by virtual constraints (control linearisation, finite_time, pd)",
    "rabbit_run": "planar biped RABBIT runs: stance and flight in turn, a gait found by direct collocation",
    "biped_3d": "biped in space with point feet (12 freedoms, 6 motors) walks a gait found by direct collocation",
    "earthworm": "peristaltic wave along a body (contact place_fixed, no_slip; speed constant, varying): closed forms",
    "inchworm": "body that arches and climbs, held by its head and its tail in turn (closed form)",
    "continuum_snake": "snake without joints that creeps through sleeves: its body follows its head, and turns",
    "continuum_snake_3d": "snake without joints in space (gait undulation, helix): turns out of its plane, winds about a pole",
    "reissner_snake": "snake without joints that bends and shears: its sections slide along their normals (closed form)",
    "concertina": "body whose halves fold and stretch in turn, held behind its front and at its head (closed form)",
    "soft_snake_friction": "snake without joints on viscous ground: slips, and tends to the ideal one as the ground gets stiff",
    "snake_discretised": "rigid modules with the gait of a snake without joints: the same path as their number grows",
    "snake_control": "joint control of a planar snake: input-output linearisation or PD, noise, saturation",
}
# Settings of robots that have a name of their own: name -> (robot, parameters, one line).
NAMED: dict[str, tuple[str, dict[str, Any], str]] = {
    "soft_flying_rod": ("flying_rod", {"case": "soft"}, "a soft rod pushed and turned in space, 10 m long"),
    "stiff_flying_rod": ("flying_rod", {"case": "stiff"}, "a stiff rod pushed and turned in space, 1 m long"),
    "snake_drop": ("snake_3d", {"gait": "drop", "mu_y": 0.5}, "dropped at 30 degrees, lateral undulation from 1 s on"),
    "snake_rolling": ("snake_3d", {"gait": "rolling"}, "U-shaped lateral rolling"),
    "snake_sidewinding": ("snake_3d", {"gait": "sidewinding"}, "sidewinding, soft start from straight"),
    "snake_smoke_ring": ("snake_3d", {"gait": "smoke_ring"}, "a ring about a pole that rolls about its own axis, and so climbs"),
    "snake_climbing": ("snake_3d", {"gait": "climbing"}, "the same as a helix of one and a half turns"),
    "snake_bridge": ("snake_3d", {"gait": "bridge"}, "an arch that stands on its two ends and shuffles ahead"),
    "snake_nine_pegs": ("snake_2d", {"pegs": "table_7_3"}, "obstacle-aided locomotion among nine small pegs"),
    "snake_nine_pegs_3d": ("snake_3d", {"pegs": "table_7_3"}, "the same in space"),
    "snake_peg_moved": (
        "snake_2d",
        {"pegs": "table_7_3", "peg_3": "moved"},
        "peg 3 moved aside: pushed off, arrives all the same",
    ),
    "snake_peg_removed": ("snake_2d", {"pegs": "table_7_3", "peg_3": "removed"}, "without peg 3 it gets stuck"),
    "snake_isotropic": ("snake_2d", {}, "lateral undulation on isotropic friction: it goes backward"),
    "snake_isotropic_3d": ("snake_3d", {}, "the same in space, two points of friction a link"),
    "snake_orthotropic": ("snake_2d", {"mu_y": 0.5}, "lateral undulation with more friction across: forward"),
    "snake_seven_pegs": ("snake_2d", {"pegs": "table_7_5"}, "obstacle-aided locomotion among seven large pegs"),
    "snake_as_built": (
        "snake_2d",
        {"pegs": "table_7_5", "play": 0.07, "reference_period": 0.1, "reference_delay": 0.1},
        "the same with play in its joints and references that come late at 10 Hz, as the real robot",
    ),
    "snake_seven_pegs_3d": ("snake_3d", {"pegs": "table_7_5"}, "the same in space"),
}


def module(name: str) -> ModuleType:
    """The file of a robot. It holds ``PARAMETERS``, ``scenario(values) -> Scenario`` and ``VALIDATION`` (sets of parameters)."""
    if name not in ROBOTS:
        raise InputError(f"there is no scenario '{name}'{nearest(name, [*ROBOTS, *NAMED])}")
    found = importlib.import_module(f"locodyn.zoo.robots.{name}")
    if callable(make_robot := getattr(found, "robot", None)) and not isinstance(make_robot, Remembered):
        found.robot = Remembered(make_robot)  # type: ignore[attr-defined]  # a file of the zoo
    return found


def parameters_of(name: str, values: Mapping[str, Any] | None = None) -> tuple[Parameter, ...]:
    """The parameters of a scenario of the zoo as it takes them; ``values`` override those of its table."""
    from locodyn.sim.parameter import fill

    of, settings, _ = NAMED[name] if name in NAMED else (name, {}, "")
    table = module(of).PARAMETERS
    filled = fill(table, {**settings, **(values or {})}, name)
    return tuple(p if filled[p.name] is p.value else replace(p, value=filled[p.name]) for p in table)


def make(name: str, parameters: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario of this name; ``parameters`` override those of its table."""
    table = parameters_of(name, parameters)
    values = {p.name: p.value for p in table}
    robot = module(robot_of(name) or name)
    try:
        found: Scenario = robot.scenario(values).twin(name=name, summary=summary_of(name), parameters=table)
    except LocodynError:
        raise
    except (ArithmeticError, ValueError) as error:  # of numbers near the ends of what a computer holds: "math domain error"
        raise InputError(
            f"'{name}' cannot be made of {_told(robot.PARAMETERS, values)} ({error}); choose numbers nearer to the usual ones."
        ) from error
    return found


def _told(parameters: Iterable[Parameter], values: Mapping[str, Any]) -> str:
    """The values that are not the usual ones, in words."""
    from locodyn.sim.parameter import format_value

    changed = [f"{p.name} = {format_value(values[p.name])}" for p in parameters if values[p.name] is not p.value]
    return ", ".join(changed) or "its own parameters"


def summary_of(scenario: str) -> str:
    """What a scenario of the zoo is, in one line."""
    return NAMED[scenario][2] if scenario in NAMED else ROBOTS[scenario]


def robot_of(scenario: str) -> str | None:
    """The robot of a scenario of the zoo; None of any other scenario."""
    return NAMED[scenario][0] if scenario in NAMED else scenario if scenario in ROBOTS else None


def from_result(result: Result) -> Scenario:
    """The scenario that made a result, with its parameters, end time, step and integrator."""
    attributes = result.dataset.attrs
    name = str(attributes["scenario"])
    if robot_of(name) is None:
        raise InputError(f"the result is of '{name}', which is not in the zoo; give the scenario that made it.")
    return with_numerics_of(make(name, json.loads(attributes["parameters"])), result)


def with_numerics_of(scenario: Scenario, result: Result) -> Scenario:
    """The scenario with the end time, step, integrator and record of a result."""
    attributes = result.dataset.attrs
    options: dict[str, Any] = {name: float(attributes.get(name, value)) for name, value in scenario.numerics.options().items()}
    return scenario.changed(
        t_end=float(attributes["t_end"]),
        numerics=replace(scenario.numerics, dt=float(attributes["step"]), integrator=str(attributes["integrator"]), **options),
        record_every=int(attributes["record_every"]),
        record=[name for name in str(attributes.get("record", "")).split(",") if name],
    )


def resume(
    path: str | Path,
    t_end: float,
    scenario: Scenario | None = None,
    *,
    progress: bool = True,
    out: str | Path | None = None,
) -> Result:
    """Go on with a saved run to ``t_end`` (s). A run of the zoo knows its scenario; another one needs it."""
    from locodyn.sim import Result
    from locodyn.sim.run import resume as go_on

    return go_on(path, t_end, scenario or from_result(Result.load(path)), progress=progress, out=out)
