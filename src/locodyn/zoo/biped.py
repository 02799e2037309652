"""A biped in space with point feet: RABBIT's links (Aguirre 2010, 3.4) on hips that also roll, 12 freedoms, 6 motors.

Coordinates: place x, y, z of the hip, yaw, roll and pitch of the trunk about z, x, y, and of each leg the roll and the pitch of
the hip, and the knee. With all angles zero it stands straight; a bent knee is positive. It walks towards +x. On one foot it has
nine freedoms, of which three have no motor: it turns freely about the foot.

``python -m locodyn.zoo.biped`` designs its gait and the feedback from step to step, and stores both
(``zoo/data/biped_3d*.json``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.phases import Mirror, Phases
from locodyn.robot import Capsule, Robot, about_centre
from locodyn.zoo import rabbit

if TYPE_CHECKING:
    from locodyn.phases import HybridProblem
    from locodyn.walking.trajectory import Trajectory
    from locodyn.walking.trajectory_design import TrajectoryDesign

WIDTH = 0.2  # m, between the hips
SPEED = 0.5  # m/s, of the stored gait
DATA = Path(__file__).parent / "data" / "biped_3d.json"
FEEDBACK = DATA.with_name("biped_3d_feedback.json")
COMMAND = "python -m locodyn.zoo.biped"
JOINTS = ("hip_roll_1", "hip_1", "knee_1", "hip_roll_2", "hip_2", "knee_2")
MIRROR = Mirror(
    {"hip_roll_1": "hip_roll_2", "hip_1": "hip_2", "knee_1": "knee_2"},
    {"foot_1": "foot_2"},
    negated=("y", "yaw", "roll", "hip_roll_1", "hip_roll_2"),
)
PHASE = {
    "pitch": 1.0,
    "hip_1": 1.0,
    "knee_1": 0.5,
}  # angle of the line from the hip to the standing foot, in the plane of walking
# What follows the gait: joints; the rolls of the hips also answer the roll of the trunk, which has no motor on a point foot. With
# these weights the largest multiplier of a step is 4.8 instead of 11.8.
OUTPUTS: dict[str, dict[str, float]] = {name: {} for name in JOINTS} | {
    "hip_roll_1": {"roll": -1.0},
    "hip_roll_2": {"roll": 2.2},
}


def robot(width: float = WIDTH) -> Robot:
    """Trunk and two legs, carried by three slides and three turns."""
    biped = Robot("biped_3d")
    place: Any = biped.base("rail", moves="prismatic", axis="x", joint="x")
    for axis in "yz":
        place = biped.body(f"slide_{axis}").on(place).sliding(axis, name=axis)
    for axis, name in (("z", "yaw"), ("x", "roll")):
        place = biped.body(f"turn_{name}").on(place).turning(axis, name=name)

    def link(name: str, kind: str, side: float) -> Any:
        mass, length, centre, moment = rabbit.LINKS["S34"][kind]
        shape = Capsule(radius=0.045, length=length - 0.09, axis="z", at=(0.0, 0.0, 0.5 * side * length))
        inertia = about_centre(xx=moment, yy=moment, zz=0.1 * moment)
        return biped.body(name, mass=mass, centre=(0.0, 0.0, side * centre), inertia=inertia, shape=shape)

    trunk = link("trunk", "trunk", 1.0).on(place).turning("y", name="pitch")
    thigh, shank = (rabbit.LINKS["S34"][kind][1] for kind in ("femur", "tibia"))
    for k, side in ((1, 0.5), (2, -0.5)):
        hip = biped.body(f"pelvis_{k}").on(trunk, at=(0.0, side * width, 0.0)).turning("x", name=f"hip_roll_{k}")
        upper = link(f"femur_{k}", "femur", -1.0).on(hip).turning("y", name=f"hip_{k}")
        lower = link(f"tibia_{k}", "tibia", -1.0).on(upper, at=(0.0, 0.0, -thigh)).turning("y", name=f"knee_{k}")
        lower.foot(f"foot_{k}", at=(0.0, 0.0, -shank))
    return biped


def phases(controllers: tuple[Any, Any] = (None, None), friction: float | None = None) -> Phases:
    """``left``: foot 1 holds, ``right``: foot 2."""
    return Phases.walking("foot_1", "foot_2", 0.1, controllers=controllers, mirror=MIRROR, friction=friction)


def design(hybrid: HybridProblem, **options: Any) -> TrajectoryDesign:
    """The optimisation of its gaits: knees bent by 0.05 rad or more, trunk and hips within 0.3 rad of upright."""
    from locodyn.walking.limits import GaitLimits
    from locodyn.walking.trajectory_design import TrajectoryDesign

    begin = {"z": 0.76, "hip_1": -0.35, "knee_1": 0.2, "hip_2": 0.15, "knee_2": 0.3}
    middle = {"z": 0.78, "hip_1": -0.1, "knee_1": 0.2, "hip_2": -0.3, "knee_2": 0.9}
    end = {"z": 0.76, "hip_1": 0.15, "knee_1": 0.3, "hip_2": -0.35, "knee_2": 0.2}
    upright = {name: (-0.3, 0.3) for name in ("yaw", "roll", "pitch", "hip_roll_1", "hip_roll_2")}
    knees = {name: (0.05, 2.5) for name in ("knee_1", "knee_2")}
    limits = GaitLimits(normal=50.0, clearance=0.02, length=(0.2, 0.6), joints=upright | knees)
    return TrajectoryDesign(hybrid, ["left"], JOINTS, [begin, middle, end], [0.6], **{"limits": limits, **options})


def gait() -> Trajectory:
    """The stored gait."""
    from locodyn.walking.trajectory import Trajectory

    return Trajectory.load(DATA)


if __name__ == "__main__":
    from locodyn.sim import Scenario
    from locodyn.walking.following import followers
    from locodyn.walking.phase_path import PhasePath
    from locodyn.walking.stride_control import found_feedback, save_feedback

    found = design(Scenario("biped", robot(), phases=phases()).hybrid).solve(SPEED)
    print(f"{found.status}, {found.iterations} iterations, {found.seconds:.2f} s, cost {found.cost:.2f} (N m)^2 s/m")
    found.save(DATA, COMMAND)
    path = PhasePath(Scenario("biped", robot(), phases=phases()).hybrid, ["left"])
    control = followers(path, gait(), OUTPUTS, {"left": PHASE})
    walk = Scenario("biped", robot(), phases=phases((control["left"], control["right"])))
    orbit, feedback = found_feedback(walk, *found.start())
    print(f"without feedback the largest multiplier is {abs(orbit.multipliers[0]):.3g}")
    save_feedback(FEEDBACK, COMMAND, feedback)
