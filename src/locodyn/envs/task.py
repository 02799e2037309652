"""A task: what a learner may do with a scenario, what it sees of it and what it is rewarded for, all by names.

Names of quantities, each a number of every robot:

    a position, as ``link_1.x`` or ``joint_2``             the coordinate, m or rad
    ``v.`` and a coordinate, as ``v.joint_2``              its velocity
    ``progress.`` and a position, as ``progress.link_1.x`` its mean velocity since the action before
    ``upright``                                            cosine of the tilt of the reference body, 1 where it stands
    ``action.`` and an action                              the action itself, -1 to 1
    ``effort``                                             mean square of the actions
    ``alive``                                              1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim import Scenario
from locodyn.sim.arguments import positive
from locodyn.sim.stepping import motors, with_actions

Quantity = Callable[["View"], np.ndarray]
Reward = Mapping[str, float] | Callable[[Mapping[str, np.ndarray]], np.ndarray]


@dataclass(frozen=True)
class View:
    """States of all robots after an action: ``q`` (B, nq), ``v`` (B, nv), ``before`` (B, nq), ``action`` (B, n) in -1 to 1."""

    q: np.ndarray
    v: np.ndarray
    before: np.ndarray
    action: np.ndarray
    period: float


@dataclass(frozen=True, eq=False)
class Task:
    """What a learner does with a scenario.

    Parameters
    ----------
    scenario : function(**parameters) -> Scenario, or Scenario
        A function, as ``ld.zoo.snake_2d``, if parameters are drawn at random.
    actions : names of coordinates and strands, see :class:`~locodyn.sim.stepping.Simulation`; by default all motors of the
        robot, and all that the scenario drives by torques and servos.
    scale, offset : number, or one for each action
        The torque, force, target, tension or pressure is ``offset + scale * action``, with actions from -1 to 1; the offset is
        by default what the scenario has at its start, the scale of a motor its largest torque, and of anything else 1.
    observe : names of quantities
    reward : {name of a quantity: weight}, or function({name: (B,)}) -> (B,) of all that is observed
    bounds : {name of a quantity: (least, most)}
        Outside of them an episode ends.
    period, episode : s
        Between two actions; the longest episode.
    spread : rad, m
        Largest random change of the start positions of joints.
    draw : {parameter: (least, most)}
        Parameters of the scenario that are drawn for each robot.
    """

    scenario: Callable[..., Scenario] | Scenario
    actions: tuple[str, ...] = ()
    scale: float | tuple[float, ...] | None = None
    offset: float | tuple[float, ...] | None = None
    observe: tuple[str, ...] = ()
    reward: Reward = field(default_factory=dict)
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    period: float = 0.02
    episode: float = 10.0
    spread: float = 0.0
    draw: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("period", "episode"):
            object.__setattr__(self, name, positive(getattr(self, name), f"the {name} of a task", "s"))
        if not self.observe:
            raise InputError("a task observes nothing; name quantities, as observe=('joint_1', 'v.joint_1').")
        if self.draw and isinstance(self.scenario, Scenario):
            raise InputError(
                "parameters are drawn for a function that makes the scenario, as ld.zoo.snake_2d, not for one that is made."
            )
        for name, (least, most) in {**self.bounds, **self.draw}.items():
            if not least < most:
                raise InputError(f"the range of '{name}' is {least:g} to {most:g}; the first must be smaller.")

    @classmethod
    def read(cls, file: str | Path) -> Task:
        """From a YAML file; the scenario may be a file beside it."""
        from locodyn.files.paths import beside
        from locodyn.files.reading import is_file_name
        from locodyn.files.yaml_reader import read_yaml

        words = read_yaml(Path(file)).plain
        if not isinstance(words, dict):
            raise InputError(f"'{Path(file).name}' is not a task; give its words, as scenario, actions, observe, reward.")
        scenario = str(words.get("scenario", ""))
        return cls.of({**words, "scenario": beside(scenario, Path(file), "the scenario")} if is_file_name(scenario) else words)

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Task:
        """From the words of a YAML file; ``scenario`` is a name of the zoo or a file, with ``parameters`` for it."""
        from locodyn.files import scenario_of

        known = [one.name for one in fields(cls)] + ["parameters"]
        for word in words:
            if word not in known:
                raise InputError(f"a task has no '{word}'{nearest(word, known)}")
        for word in ("scenario", "observe"):
            if word not in words:
                raise InputError(f"a task needs '{word}'.")
        rest = dict(words)
        parameters, name = dict(_mapping(rest.pop("parameters", None), "parameters")), str(rest.pop("scenario"))
        for word in ("actions", "observe"):
            one = rest.get(word, ())
            rest[word] = (one,) if isinstance(one, str) else tuple(_names(one, word))
        for word in ("bounds", "draw"):
            rest[word] = {key: _range(value, key) for key, value in _mapping(rest.get(word), word).items()}
        for word in ("scale", "offset"):
            if isinstance(rest.get(word), list):
                rest[word] = tuple(rest[word])
        rest["reward"] = _mapping(rest.get("reward"), "reward")

        def make(**drawn: float) -> Scenario:
            return scenario_of(name, {**parameters, **drawn}).scenario

        return cls(scenario=make, **rest)

    def make(self, random: np.random.Generator) -> Scenario:
        """The scenario, with parameters drawn."""
        if isinstance(self.scenario, Scenario):
            return self.scenario
        return self.scenario(**{name: float(random.uniform(*bounds)) for name, bounds in self.draw.items()})

    def settled(self, scenario: Scenario) -> Task:
        """The task with its actions and their scales by name and number, for this scenario."""
        own = motors(scenario)
        names = self.actions or with_actions(scenario, None)[1]
        if not names:
            raise InputError(
                f"the task has no action: '{scenario.name}' has neither motors, torques nor servos; name coordinates or strands"
                " that the learner moves."
            )
        scale = tuple(own.get(name, 1.0) for name in names) if self.scale is None else self.scale
        return replace(self, actions=names, scale=scale)

    def quantities(self, scenario: Scenario) -> dict[str, Quantity]:
        """The quantities that observation, reward and bounds name."""
        weighted = self.reward if isinstance(self.reward, Mapping) else {}
        return {name: _quantity(name, scenario, self.actions) for name in (*self.observe, *weighted, *self.bounds)}


def _mapping(value: Any, word: str) -> Mapping[str, Any]:
    if not isinstance(value or {}, Mapping):
        raise InputError(f"the {word} of a task are {value!r}; give them by names, as {word}: {{name: value}}.")
    return value or {}


def _names(value: Any, word: str) -> list[str]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise InputError(f"'{word}' of a task is {value!r}; it must be a list of names.")
    return list(value)


def _range(value: Any, name: str) -> tuple[float, float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2 or not all(isinstance(one, (int, float)) for one in value):
        raise InputError(f"the range of '{name}' is {value!r}; it must be two numbers, [least, most].")
    return float(value[0]), float(value[1])


def _quantity(name: str, scenario: Scenario, actions: tuple[str, ...]) -> Quantity:
    """The function that a name means."""
    positions, coordinates = scenario.compiled.position_names, scenario.compiled.coordinate_names
    simple: dict[str, Quantity] = {
        "effort": lambda view: (view.action**2).mean(axis=1),
        "alive": lambda view: np.ones(len(view.q)),
    }
    own = positions[: scenario.compiled.reference_nq]  # not of balls further on in the tree
    tilt = [k for k, word in enumerate(own) if word.endswith((".qx", ".qy"))]
    if tilt:
        simple["upright"] = lambda view: 1.0 - 2.0 * (view.q[:, tilt] ** 2).sum(axis=1)
    if name in simple:
        return simple[name]
    if name in positions:
        place = positions.index(name)
        return lambda view: view.q[:, place]
    for prefix, words in (("v.", coordinates), ("progress.", positions), ("action.", actions)):
        rest = name.removeprefix(prefix)
        if rest != name and rest in words:
            return _prefixed(prefix, words.index(rest))
    known = [*positions, *simple, *(f"v.{word}" for word in coordinates), *(f"progress.{word}" for word in positions)]
    raise InputError(f"'{scenario.name}' has no quantity '{name}'{nearest(name, known)}")


def _prefixed(prefix: str, place: int) -> Quantity:
    if prefix == "v.":
        return lambda view: view.v[:, place]
    if prefix == "action.":
        return lambda view: view.action[:, place]
    return lambda view: (view.q[:, place] - view.before[:, place]) / view.period
