"""Environments for learning: Gymnasium's interface to any scenario. ``import locodyn.envs`` registers those of the library.

>>> import gymnasium, locodyn.envs
>>> env = gymnasium.make("locodyn/Snakeboard-v0")
>>> env.action_space.shape
(3,)

Environments of your own: :class:`Task` says by names what a learner does, sees and is rewarded for; ``LocodynEnv(task)`` and
``LocodynVectorEnv(task, 1024)`` run it.
"""

from __future__ import annotations

from typing import Any

from locodyn.errors import InputError, LocodynError, nearest

try:
    import gymnasium
except ImportError as error:
    raise LocodynError("environments need Gymnasium: pip install 'locodyn[envs]'.") from error

from locodyn.envs.environments import LocodynEnv, LocodynVectorEnv
from locodyn.envs.task import Task
from locodyn.envs.tasks import TASKS

__all__ = ["TASKS", "LocodynEnv", "LocodynVectorEnv", "Task", "make", "make_many"]


def make(name: str, **parameters: Any) -> LocodynEnv:
    """The environment of a task of the library, with other parameters of its robot."""
    return LocodynEnv(_task(name, parameters))


def make_many(
    name: str, num_envs: int, threads: int | None = None, device: str | None = None, **parameters: Any
) -> LocodynVectorEnv:
    """Many robots of it; ``device``: as of :class:`~locodyn.sim.batch.ScenarioBatch`."""
    return LocodynVectorEnv(_task(name, parameters), num_envs, threads, device=device)


def _task(name: str, parameters: dict[str, Any]) -> Task:
    if name not in TASKS:
        raise InputError(f"there is no task '{name}'{nearest(name, TASKS)}")
    return TASKS[name](**parameters)


for _name in TASKS:
    if f"locodyn/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(
            f"locodyn/{_name}-v0",
            entry_point="locodyn.envs:make",
            vector_entry_point="locodyn.envs:make_many",
            kwargs={"name": _name},
        )
