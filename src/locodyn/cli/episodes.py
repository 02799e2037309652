"""``locodyn episodes TASK``: robots of a task for learners, with actions drawn at random or none, and what comes of it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from locodyn.cli.options import Quiet, command
from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    import numpy as np

    from locodyn.envs import Task
    from locodyn.envs.environments import Learners

POLICIES = ("random", "none")


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn episodes``."""

    task: str
    robots: int
    policy: str
    seed: int
    json: Path | None
    quiet: bool

    def execute(self) -> int:
        """One episode of every robot; print, write."""
        import numpy as np

        from locodyn.envs.environments import Learners

        if self.policy not in POLICIES:
            raise InputError(f"the actions are '{self.policy}'; they must be one of {', '.join(POLICIES)}.")
        if self.robots < 1:
            raise InputError(f"the number of robots is {self.robots}; it must be 1 or more.")
        random = np.random.default_rng(self.seed)
        learners = Learners(task_of(self.task), self.robots, random)
        found = self.played(learners, random)
        if self.json is not None:
            from locodyn.sim.store import write_beside

            text = json.dumps(found, indent=1) + "\n"
            write_beside(self.json, lambda file: file.write_text(text, encoding="utf-8"))
        if not self.quiet:
            for line in lines(found):
                typer.echo(line)
        return 0

    def played(self, learners: Learners, random: np.random.Generator) -> dict[str, Any]:
        """Returns, lengths and ends of the episodes, by names."""
        import numpy as np

        task, count, batch = learners.task, self.robots, learners.batch
        learners.reset(np.arange(count), random)
        returns, lengths, ended = np.zeros(count), np.zeros(count), np.full(count, "", dtype=object)
        began = time.perf_counter()
        while (playing := np.flatnonzero(ended == "")).size:
            action = random.uniform(-1.0, 1.0, (count, len(task.actions))) if self.policy == "random" else np.zeros(1)
            _, reward, over, late = learners.act(np.broadcast_to(action, (count, len(task.actions))), playing)
            returns[playing] += reward[playing]
            lengths[playing] += learners.period
            ended[playing] = np.where(late, "time", np.where(over, np.where(batch.sound, "bounds", "no solution"), ""))[playing]
        spent = time.perf_counter() - began
        return {
            "scenario": batch.scenario.name, "actions": list(task.actions), "observe": list(task.observe),
            "period": learners.period, "returns": returns.tolist(), "lengths": lengths.tolist(), "ended": ended.tolist(),
            "steps_per_second": float(np.sum(lengths) / batch.dt / spent),
        }  # fmt: skip


def task_of(name: str) -> Task:
    """A task of the library by its name, or of a YAML file."""
    from locodyn.envs import TASKS, Task

    if name in TASKS:
        return TASKS[name]()
    if Path(name).suffix in (".yaml", ".yml"):
        return Task.read(name)
    raise InputError(f"there is no task '{name}'{nearest(name, [*TASKS, 'FILE.yaml'])}")


def lines(found: dict[str, Any]) -> list[str]:
    """What is printed."""
    import numpy as np

    returns, lengths = np.array(found["returns"]), np.array(found["lengths"])
    ends = ", ".join(f"{found['ended'].count(why)} by {why}" for why in dict.fromkeys(found["ended"]))
    return [
        f"{found['scenario']}: {len(found['actions'])} actions every {found['period']:g} s, {len(found['observe'])} observations",
        f"return: mean {returns.mean():.4g}, from {returns.min():.4g} to {returns.max():.4g}",
        f"episodes: {len(returns)}, {lengths.mean():.3g} s on average; ended: {ends}",
        f"{found['steps_per_second']:.3g} robot steps a second",
    ]


def episodes(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task of locodyn.envs (Snake, Bicycle, ...) or a YAML file.")],
    robots: Annotated[int, typer.Option("--robots", metavar="N", help="Robots, one episode each.")] = 16,
    actions: Annotated[str, typer.Option("--actions", metavar="random|none", help="What the robots do.")] = "random",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of actions, starts and parameters that are drawn.")] = 0,
    json_: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write returns and lengths as JSON.")] = None,
    quiet: Quiet = False,
) -> None:
    """Try a task for learners: episodes of many robots, with their returns."""
    raise typer.Exit(Request(task, robots, actions, seed, json_, quiet).execute())


def register(app: typer.Typer) -> None:
    """Add it to the application."""
    command(app, compiles=True)(episodes)
