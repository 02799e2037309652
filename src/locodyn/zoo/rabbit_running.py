"""RABBIT runs: stance and flight in turn, its phases and the design of its gait (own choice; robot of Aguirre 2010).

``python -m locodyn.zoo.rabbit_running`` designs the gait and the feedback from step to step, and stores both
(``zoo/data/rabbit_run*.json``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.phases import LiftOff, Phase, Phases, Touchdown
from locodyn.zoo import rabbit

if TYPE_CHECKING:
    from locodyn.phases import HybridProblem
    from locodyn.walking.trajectory import Trajectory
    from locodyn.walking.trajectory_design import TrajectoryDesign

LIMIT, SHARE = 150.0, 0.1  # N m, of the drives (Aguirre 2010, 2.2), and what part of it is left to the feedback of the outputs
SPEED = 3.0  # m/s; without feedback the largest multiplier of a step is 1.01, those of slower runs of this kind are larger
PATH = ("left", "left_flight")
DATA = Path(__file__).parent / "data" / "rabbit_run.json"
FEEDBACK = DATA.with_name("rabbit_run_feedback.json")
COMMAND = "python -m locodyn.zoo.rabbit_running"


def phases(controllers: Mapping[str, Any] | None = None, friction: float | None = None) -> Phases:
    """On foot 1, flight, on foot 2, flight: a foot leaves where the ground would have to pull, and the other one lands."""
    feet = {"left": ("foot_1",), "left_flight": (), "right": ("foot_2",), "right_flight": ()}
    named = {name: Phase(held, (controllers or {}).get(name)) for name, held in feet.items()}
    ways = [
        LiftOff("left", "left_flight", "foot_1"),
        Touchdown("left_flight", "right", "foot_2", None),
        LiftOff("right", "right_flight", "foot_2"),
        Touchdown("right_flight", "left", "foot_1", None),
    ]
    return Phases(named, ways, mirror=rabbit.MIRROR, friction=friction)


def design(hybrid: HybridProblem, **options: Any) -> TrajectoryDesign:
    """The optimisation of its gaits: knees bent by 0.05 rad or more, trunk within 0.5 rad of upright."""
    from locodyn.walking.limits import GaitLimits
    from locodyn.walking.trajectory_design import TrajectoryDesign

    begin = {"z": 0.74, "hip_1": 0.45, "knee_1": -0.5, "hip_2": 0.0, "knee_2": -1.0, "trunk": -0.1}
    middle = {"z": 0.76, "hip_1": -0.1, "knee_1": -0.3, "hip_2": 0.6, "knee_2": -1.1, "trunk": -0.1}
    end = {"z": 0.74, "hip_1": 0.0, "knee_1": -1.0, "hip_2": 0.45, "knee_2": -0.5, "trunk": -0.1}
    knees = {name: (-2.5, -0.05) for name in ("knee_1", "knee_2")}
    limits = GaitLimits((1.0 - SHARE) * LIMIT, clearance=0.015, length=(0.3, 1.5), joints={**knees, "trunk": (-0.5, 0.5)})
    words = {"limits": limits, **options}
    return TrajectoryDesign(hybrid, PATH, rabbit.JOINTS, [begin, middle, end], [0.15, 0.25], along=rabbit.ALONG, **words)


def gait() -> Trajectory:
    """The stored gait."""
    from locodyn.walking.trajectory import Trajectory

    return Trajectory.load(DATA)


if __name__ == "__main__":
    from locodyn.sim import Scenario
    from locodyn.walking.following import followers
    from locodyn.walking.phase_path import PhasePath
    from locodyn.walking.stride_control import found_feedback, save_feedback

    found = design(Scenario("rabbit_run", rabbit.robot(), phases=phases()).hybrid).solve(SPEED)
    print(f"{found.status}, {found.iterations} iterations, {found.seconds:.2f} s, cost {found.cost:.2f} (N m)^2 s/m")
    found.save(DATA, COMMAND)
    path = PhasePath(Scenario("rabbit_run", rabbit.robot(), phases=phases()).hybrid, PATH)
    control = followers(path, gait(), rabbit.JOINTS, {"left": rabbit.PHASE})
    orbit, feedback = found_feedback(Scenario("run", rabbit.robot(), phases=phases(control)), *found.start())
    print(f"without feedback the largest multiplier is {abs(orbit.multipliers[0]):.3g}")
    save_feedback(FEEDBACK, COMMAND, feedback)
