"""RABBIT, a planar biped of five links (Aguirre 2010, chapters 2 and 3): its data, its assembly, its gait C5.

Aguirre's coordinates: height z and place y of the hip, absolute angle of the trunk, and relative angles of hips and knees,
all about +x, positive from y to z; with all angles zero it stands straight. A bent knee is negative, a trunk that leans forward
too. It walks towards +y.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.phases import Mirror, Phase, Phases, Touchdown
from locodyn.robot import Capsule, Robot, about_centre
from locodyn.world import CompliantContact, WorldForce

if TYPE_CHECKING:
    from locodyn.phases import HybridProblem
    from locodyn.walking import Biped, StepGait
    from locodyn.walking.design import GaitDesign

# mass kg, length m, distance of the mass centre from the upper (trunk: lower) joint m, inertia about the mass centre kg m^2.
LINKS: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "T21": {"trunk": (20.0, 0.625, 0.2, 2.22), "femur": (6.8, 0.4, 0.163, 1.08), "tibia": (3.2, 0.4, 0.128, 0.93)},
    "S34": {"trunk": (20.0, 0.63, 0.315, 1.33), "femur": (6.8, 0.4, 0.2, 0.47), "tibia": (3.2, 0.4, 0.2, 0.20)},
}
ALONG = (0.0, 1.0, 0.0)
# Feet (Aguirre 2010, 4.4): Hunt and Crossley's law, and LuGre's without Stribeck's curve. The damping is printed as
# 9e6 and as 9e5: with the first a drop does not bounce, as reported.
FEET = CompliantContact(
    stiffness=2.5e6, damping=9e6, exponent=1.5, bristle_stiffness=260.0, bristle_damping=0.6, viscous=0.18
)  # fmt: skip
FOOT_FRICTION = 0.285
MIRROR = Mirror({"hip_1": "hip_2", "knee_1": "knee_2"}, {"foot_1": "foot_2"})
JOINTS = ("hip_1", "knee_1", "hip_2", "knee_2")
OUTPUTS = ("hip_1", "hip_2", "knee_1", "knee_2")  # of the curves: standing femur, swing femur, standing knee, swing knee
PHASE = {"trunk": -1.0, "hip_1": -1.0, "knee_1": -0.5}  # minus the absolute angle of the line from the hip to the standing foot

# The gait C5: found by optimisation for 0.7 m/s. Posture before the impact (standing femur, swing femur, standing knee, swing
# knee, trunk), alpha_5, and alpha_2 .. alpha_4; alpha_0 and alpha_1 follow from invariance.
C5_POSTURE = {"hip_1": -0.191083, "hip_2": 0.546586, "knee_1": -0.075100, "knee_2": -0.425499, "trunk": -0.090829}
C5_LAST = np.array([-0.078386, 0.681299, -0.022108, -0.747840])
C5_INNER = np.array(
    [
        [0.299588, -0.100343, 0.076413],
        [-0.131308, 0.221974, 0.733269],
        [-0.281277, 0.075498, -0.092911],
        [-0.471635, -1.009969, -1.003235],
    ]
)


# The boom that holds it in its plane (Aguirre 2010, Table 2.2): lengths m, masses kg; l_e is not given there.
BOOM = {"l_b": 1.5, "l_b1": 1.4, "m_b": 5.0, "m_c": 2.0, "m_w": 0.0, "m_e": 20.0, "l_e": 0.6}


# Its drives (Aguirre 2010, Table 2.3): viscous (N m s/rad) and dry friction (N m) of hips and knees, inertia of a rotor at the
# joint (kg m^2). The viscous friction of the hips is missing there: it is taken as that of the knees.
DRIVES = {"hip": {"viscous": 5.48, "coulomb": 15.0}, "knee": {"viscous": 5.48, "coulomb": 8.84}}
ROTOR = 0.83


def boom(data: dict[str, float] | None = None) -> dict[str, float]:
    """What the boom adds at the hip: inertia up and along (kg), and weight (kg) (Aguirre 2010, (2.1)-(2.6), corrected).

    I_s and I_e (kg m^2) are its moments about the column and of the column itself, ``slope`` (kg m) that of its potential.
    """
    b = BOOM | (data or {})
    other, density = b["l_b"] - b["l_b1"], b["m_b"] / b["l_b"]
    shaft = density * (b["l_b1"] ** 3 + other**3) / 3.0 + b["m_w"] * other**2 + b["m_c"] * b["l_b1"] ** 2 / 3.0
    column = b["m_e"] * b["l_e"] ** 2 / 12.0
    slope = 0.5 * density * (b["l_b1"] ** 2 - other**2) - b["m_w"] * other + 0.5 * b["m_c"] * b["l_b1"]
    arm = b["l_b1"] ** 2
    return {"I_s": shaft, "I_e": column, "slope": slope, "up": shaft / arm, "along": (shaft + column) / arm,
            "weight": slope / b["l_b1"]}  # fmt: skip


def robot(
    links: str = "T21", limit: float | None = None, boom_on: bool = False, friction: float | None = None, holds: bool = True,
    drives: bool = False, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> Robot:  # fmt: skip
    """Trunk and two legs on a hip that slides up and along.

    ``limit`` (N m) of the torques of the four joints. ``boom_on``: with inertia and weight of the boom, for small angles of it;
    it has more weight than inertia, so a force stands for it: give ``gravity`` (m/s^2) where that of the scenario is another.
    ``friction``: feet are points that touch the ground with this coefficient; ``holds``: feet may hold (in phases). ``drives``:
    with the friction of Table 2.3, and with its rotors, which the inertias of Table 2.1 have in them already.
    """
    data = LINKS[links]
    rotor = {"armature": ROTOR} if drives and links != "T21" else {}
    rabbit = Robot("rabbit")
    rail = rabbit.base("rail", moves="prismatic", axis="z", joint="z")
    hip = rabbit.body("hip").on(rail).sliding("y", name="y")
    if boom_on:
        added = boom()
        rail.actuator(armature=added["up"])
        hip.actuator(armature=added["along"])
        x, y, z = (added["weight"] * g for g in gravity)
        rabbit.wrench("boom", on=hip, law=WorldForce((x, y, z)))

    def link(name: str, kind: str, side: float) -> Any:
        mass, length, centre, moment = data[kind]
        shape = Capsule(radius=0.045, length=length - 0.09, axis="z", at=(0.0, 0.0, 0.5 * side * length))
        inertia = about_centre(xx=moment, yy=moment, zz=0.5 * moment)
        return rabbit.body(name, mass=mass, centre=(0.0, 0.0, side * centre), inertia=inertia, shape=shape)

    trunk = link("body_3", "trunk", 1.0).on(hip).turning("x", name="trunk")
    thigh, shank = data["femur"][1], data["tibia"][1]
    for k in (1, 2):
        upper = link(f"femur_{k}", "femur", -1.0).on(trunk).turning("x", name=f"hip_{k}")
        lower = link(f"tibia_{k}", "tibia", -1.0).on(upper, at=(0.0, 0.0, -thigh)).turning("x", name=f"knee_{k}")
        if holds:
            lower.foot(f"foot_{k}", at=(0.0, 0.0, -shank))
        if friction is not None:
            lower.collides(name=f"sole_{k}", vertices=[(0.0, 0.0, -shank)], friction=friction)
        for joint, part in (("hip", upper), ("knee", lower)):
            actuator = {"torque_limit": limit} if limit is not None else {}
            actuator |= DRIVES[joint] | rotor if drives else {}
            if actuator:
                part.actuator(**actuator)
    return rabbit


def phases(controllers: tuple[Any, Any] = (None, None), friction: float | None = None, ahead: float = 0.1) -> Phases:
    """``left``: foot 1 holds, ``right``: foot 2."""
    return Phases.walking("foot_1", "foot_2", ahead, ALONG, controllers, mirror=MIRROR, friction=friction)


def soft_phases(controllers: tuple[Any, Any], ahead: float = 0.15, depth: float = 5e-4) -> Phases:
    """On compliant ground: controllers change where a foot presses deeper than ``depth`` (m) in front of the other (5.10)."""
    named = {name: Phase((), controller) for name, controller in zip(("left", "right"), controllers, strict=True)}
    ways = [
        Touchdown("left", "right", "foot_2", ahead, ALONG, depth=depth),
        Touchdown("right", "left", "foot_1", ahead, ALONG, depth=depth),
    ]
    return Phases(named, ways, mirror=MIRROR)


def biped(hybrid: HybridProblem) -> Biped:
    """RABBIT in the words of virtual constraints."""
    from locodyn.walking import Biped

    return Biped(hybrid, OUTPUTS, PHASE, "trunk", ("y", "z"), "foot_1", "foot_2", ALONG)


def gait_c5(hybrid: HybridProblem) -> StepGait:
    """The gait C5; the standing femur gives way so that both feet are on the ground."""
    from locodyn.walking import invariant_gait, level_posture

    walker = biped(hybrid)
    return invariant_gait(walker, level_posture(walker, C5_POSTURE, "hip_1"), C5_LAST, C5_INNER)


def design(hybrid: HybridProblem, **options: Any) -> GaitDesign:
    """The optimisation of its gaits: knees bent by 0.05 rad or more, trunk within 0.35 rad of upright."""
    from locodyn.walking.design import GaitDesign
    from locodyn.walking.limits import GaitLimits

    knees = {"knee_1": (-2.5, -0.05), "knee_2": (-2.5, -0.05)}
    posture = {"hip_1": -0.2, "hip_2": 0.5, "knee_1": -0.1, "knee_2": -0.4, "trunk": -0.1}
    limits = options.pop("limits", GaitLimits(joints={**knees, "trunk": (-0.35, 0.35)}))
    return GaitDesign(biped(hybrid), posture, {"knee_2": -0.5, "hip_2": 0.2}, limits=limits, **options)
