"""Tasks of the library, each a robot of the zoo: ``gymnasium.make("locodyn/Snake-v0")`` after ``import locodyn.envs``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from locodyn import zoo
from locodyn.envs.task import Task
from locodyn.sim import Scenario


def _rates(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"v.{name}" for name in names)


def snake(**parameters: Any) -> Task:
    """Eleven links on the ground, dry friction, hard contact: go forward by the targets of ten servos."""
    joints = tuple(f"joint_{k}" for k in range(1, 11))
    return Task(
        scenario=lambda **drawn: zoo.snake_2d(**parameters, **drawn),
        actions=joints, scale=0.7, offset=0.0,
        observe=("link_1.angle", *joints, *_rates(("link_1.vx", "link_1.vy", "link_1.wz", *joints))),
        reward={"progress.link_1.x": 1.0, "effort": -0.01},
        period=0.1, episode=10.0,
    )  # fmt: skip


def snakeboard(**parameters: Any) -> Task:
    """A board on two axles: go forward by the torques of rotor and axles, since nothing else pushes."""
    joints = ("joint_1", "joint_2", "joint_3")

    def make(**drawn: Any) -> Scenario:
        return zoo.snakeboard(**parameters, **drawn).changed(imposed={}, integrator="rkmk4", dt=0.01)

    return Task(
        scenario=make, actions=joints, scale=0.05,
        observe=("board.angle", *joints, *_rates(("board.vx", "board.vy", "board.wz", *joints))),
        reward={"progress.board.x": 1.0, "effort": -0.01},
        bounds={"joint_2": (-1.4, 1.4), "joint_3": (-1.4, 1.4)},  # beyond, an axle stands along the board
        period=0.05, episode=10.0, spread=0.1,
    )  # fmt: skip


def bicycle(**parameters: Any) -> Task:
    """A bicycle that falls over by itself at low speed: keep it upright by a torque at the handlebar."""
    states = ("frame.qx", "frame.qz", "steer")
    return Task(
        scenario=lambda **drawn: zoo.bicycle(**parameters, **drawn).changed(integrator="rkmk4", dt=0.005),
        actions=("steer",), scale=5.0,
        observe=(*states, *_rates(("frame.vx", "frame.wx", "frame.wz", "steer"))),
        reward={"alive": 1.0, "effort": -0.01},
        bounds={"upright": (0.7, 1.0), "steer": (-1.0, 1.0)},
        period=0.02, episode=10.0,
    )  # fmt: skip


def swimmer(**parameters: Any) -> Task:
    """An elastic body in water with a tendon on each side: go forward by their tensions."""
    body = tuple(f"{part}.bending_z.{k}" for part in ("actuated", "passive") for k in range(3))
    return Task(
        scenario=lambda **drawn: zoo.swimmer(**parameters, **drawn),
        actions=("left", "right"), scale=20.0, offset=20.0,
        observe=("head.angle", *body, *_rates(("head.vx", "head.vy", "head.wz"))),
        reward={"progress.head.x": 1.0, "effort": -0.001},
        period=0.05, episode=10.0,
    )  # fmt: skip


def soft_arm(**parameters: Any) -> Task:
    """A continuum arm of two segments: come to rest in a bent shape by the tensions of its tendons."""
    tendons = ("near_1", "near_2", "near_3")
    shape = tuple(f"{part}.bending_{axis}.0" for part in ("near", "far") for axis in "yz")

    def reward(seen: Any) -> Any:
        return -abs(seen["near.bending_y.0"] - 1.0) - 0.01 * abs(seen["v.near.bending_y.0"])

    return Task(
        scenario=lambda **drawn: zoo.tendon_arm(**parameters, **drawn).changed(start={}),
        actions=tendons, scale=6.0, offset=6.0,
        observe=(*shape, *_rates(shape)),
        reward=reward, period=0.05, episode=4.0,
    )  # fmt: skip


def quadruped(**parameters: Any) -> Task:
    """Four legs with compliant feet: go forward by the targets of eight servos, and do not fall."""
    joints = tuple(
        f"{leg}_{joint}" for leg in ("front_left", "front_right", "back_left", "back_right") for joint in ("hip", "knee")
    )
    return Task(
        scenario=lambda **drawn: zoo.quadruped_trot(**parameters, **drawn),
        actions=joints, scale=0.3,
        observe=("trunk.z", "trunk.qx", "trunk.qy", *joints, *_rates(("trunk.vx", "trunk.vz", "trunk.wy", *joints))),
        reward={"progress.trunk.x": 1.0, "alive": 0.1, "effort": -0.01},
        bounds={"upright": (0.7, 1.0)},
        period=0.02, episode=5.0,
    )  # fmt: skip


def hopper(**parameters: Any) -> Task:
    """A leg whose shank is an elastic rod: hop high by the target of the servo in its hip."""
    states = ("z", "hip_joint", "bow.bending_y.0")
    return Task(
        scenario=lambda **drawn: zoo.soft_leg(**parameters, **drawn),
        actions=("hip_joint",), scale=0.5,
        observe=(*states, *_rates(states)),
        reward={"z": 1.0, "effort": -0.01},
        period=0.02, episode=3.0,
    )  # fmt: skip


TASKS: dict[str, Callable[..., Task]] = {
    "Snake": snake,
    "Swimmer": swimmer,
    "Hopper": hopper,
    "Quadruped": quadruped,
    "SoftArm": soft_arm,
    "Bicycle": bicycle,
    "Snakeboard": snakeboard,
}
