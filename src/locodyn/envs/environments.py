"""Gymnasium environments of a task: one robot, or many that are stepped together in compiled batches."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from locodyn.envs.task import Task, View
from locodyn.errors import InputError
from locodyn.sim import ScenarioBatch
from locodyn.sim.batch_input import here

Array = np.ndarray


class Learners:
    """The robots of a task in one batch: what both kinds of environment are made of."""

    def __init__(
        self, task: Task, count: int, random: np.random.Generator, threads: int | None = None, device: str | None = None
    ) -> None:
        scenarios = [task.make(random) for _ in range(count if task.draw else 1)]
        self._places = threads, device
        self.task = task = task.settled(scenarios[0])
        self.batch = ScenarioBatch(scenarios, count, task.actions, threads, device)
        if self.batch.action_names != task.actions:
            raise InputError(f"the actions of this task stand in the order {', '.join(self.batch.action_names)}: name them so.")
        self.scale = np.broadcast_to(np.asarray(task.scale, dtype=float), (len(task.actions),))
        self.steps = max(1, round(task.period / self.batch.dt))
        self.period = self.steps * self.batch.dt
        self.longest = max(1, round(task.episode / self.period))
        self.quantities = task.quantities(self.batch.scenario)
        offset = self.batch.action if task.offset is None else np.asarray(task.offset, dtype=float)
        self.offset = np.broadcast_to(offset, self.batch.action.shape).copy()
        self.made = np.zeros(count, dtype=np.int64)  # actions in the present episode
        size = (len(task.observe),)
        self.observations = Box(-np.inf, np.inf, size, np.float64)
        self.actions = Box(-1.0, 1.0, (len(task.actions),), np.float64)

    def reset(self, robots: Array, random: np.random.Generator) -> None:
        """New episodes of the robots with these numbers."""
        batch, task = self.batch, self.task
        self.made[robots] = 0
        if task.draw and len(robots):
            drawn = [task.make(random) for _ in robots]
            if batch.count == 1:
                self.batch = batch = ScenarioBatch(drawn, 1, task.actions, *self._places)
            else:
                batch.replace(robots, drawn)
        else:
            batch.reset(robots)
        if task.offset is None:
            self.offset[robots] = batch.action[robots]
        if task.spread > 0.0 and len(robots):
            compiled = batch.scenario.compiled
            first = len(compiled.position_names) - (len(compiled.coordinate_names) - compiled.reference_nv)
            q = batch.q[robots]
            q[:, first:] += random.uniform(-task.spread, task.spread, (len(robots), q.shape[1] - first))
            batch.reset(robots, q=q)

    def act(self, action: Array, robots: Array) -> tuple[Array, Array, Array, Array]:
        """Observation, reward, end and time limit of all robots, of which those with the numbers ``robots`` act."""
        batch = self.batch
        scaled = here(action)
        if scaled.shape != (batch.count, len(self.scale)):
            raise InputError(f"actions have the shape {scaled.shape}; this environment takes {(batch.count, len(self.scale))}.")
        if not np.isfinite(scaled).all():
            raise InputError("an action holds a number that is not finite.")
        scaled = np.clip(scaled, -1.0, 1.0)
        batch.set_actions(self.offset + self.scale * scaled, robots)
        before = batch.q.copy()
        batch.advance(self.steps, robots)
        self.made[robots] += 1
        seen = self.see(before, scaled)
        reward = self._reward(seen)
        over = ~batch.sound
        for name, (least, most) in self.task.bounds.items():
            over |= ~((seen[name] >= least) & (seen[name] <= most))
        observation = np.stack([seen[name] for name in self.task.observe], axis=1)
        return observation, reward, over, ~over & (self.made >= self.longest)

    def see(self, before: Array, action: Array) -> dict[str, Array]:
        """All quantities of the task."""
        view = View(self.batch.q, self.batch.v, before, action, self.period)
        return {name: quantity(view) for name, quantity in self.quantities.items()}

    def look(self) -> Array:
        """Observations (count, n) of robots that have not acted yet."""
        seen = self.see(self.batch.q, np.zeros((self.batch.count, len(self.scale))))
        return np.stack([seen[name] for name in self.task.observe], axis=1)

    def _reward(self, seen: dict[str, Array]) -> Array:
        reward = self.task.reward
        if callable(reward):
            return np.asarray(reward(seen), dtype=float)
        return sum((weight * seen[name] for name, weight in reward.items()), np.zeros(self.batch.count))


class LocodynEnv(gymnasium.Env[Array, Array]):
    """One robot of a task. Parameters that the task draws are drawn anew in every episode.

    Where a step has no solution the episode ends; ``info["status"]`` says so.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  as Gymnasium declares it

    def __init__(self, task: Task) -> None:
        self.task = task
        self._learners = Learners(task, 1, np.random.default_rng(0), threads=1)
        self.observation_space, self.action_space = self._learners.observations, self._learners.actions

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """As of Gymnasium."""
        super().reset(seed=seed)
        self._learners.reset(np.zeros(1, dtype=np.int64), self.np_random)
        return self._learners.look()[0], self._info()

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """As of Gymnasium."""
        row = here(action)[None]
        seen, reward, over, late = self._learners.act(row, np.zeros(1, dtype=np.int64))
        return seen[0], float(reward[0]), bool(over[0]), bool(late[0]), self._info()

    def _info(self) -> dict[str, Any]:
        batch = self._learners.batch
        return {"time": float(batch.time[0]), "status": batch.status[0]}


class LocodynVectorEnv(VectorEnv[Array, Array, Array]):
    """Many robots of a task, stepped together; an episode that is over begins anew with the next step (``NEXT_STEP``).

    Parameters that the task draws differ from robot to robot and are drawn anew for each episode. ``device``: ``"cuda"``, robots
    on a graphics card. ``info["failed"]`` (count,): robots whose step had no solution, where their episodes ended.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  as Gymnasium declares it

    def __init__(self, task: Task, num_envs: int, threads: int | None = None, seed: int = 0, device: str | None = None) -> None:
        self.task, self.num_envs = task, num_envs
        self._learners = Learners(task, num_envs, np.random.default_rng(seed), threads, device)
        self.single_observation_space, self.single_action_space = self._learners.observations, self._learners.actions
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """As of Gymnasium: all robots."""
        super().reset(seed=seed)
        self._over[:] = False
        self._learners.reset(np.arange(self.num_envs), self.np_random)
        return self._learners.look(), {}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """As of Gymnasium: robots whose episode was over begin a new one, without reward; the others act."""
        new = self._over.copy()
        if new.any():
            self._learners.reset(np.flatnonzero(new), self.np_random)
        seen, reward, over, late = self._learners.act(actions, np.flatnonzero(~new))
        over[new] = late[new] = False
        reward[new] = 0.0
        if new.any():
            seen[new] = self._learners.look()[new]
        self._over = over | late
        return seen, reward, over, late, {"failed": ~self._learners.batch.sound}
