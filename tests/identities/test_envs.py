"""Environments: Gymnasium's own checker, vector environments that are single ones side by side, tasks by names."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import locodyn.envs
from locodyn import InputError, Robot, about_centre, constant, load_robot, zoo
from locodyn.envs import TASKS, LocodynEnv, LocodynVectorEnv, Task
from locodyn.sim import Scenario
from locodyn.sim.stepping import motors

QUICK = "Snakeboard"
FILES = Path(__file__).parents[1] / "files"


def pendulum(**drawn: Any) -> Scenario:
    return zoo.pendulum(n=2, **drawn).changed(integrator="rkmk4", dt=0.005)


def task(**words: Any) -> Task:
    given: dict[str, Any] = {
        "scenario": pendulum, "actions": ("joint_1",), "scale": 2.0, "observe": ("joint_1", "joint_2", "v.joint_1"),
        "reward": {"progress.joint_1": 2.0, "effort": -0.1}, "period": 0.02, "episode": 0.2,
    }  # fmt: skip
    return Task(**{**given, **words})


def ball_on_a_post() -> Scenario:
    """A robot whose reference body does not tilt: a quaternion further on is not its own."""
    robot = Robot("post")
    inertia = about_centre(xx=1e-3, yy=1e-3, zz=1e-3)
    crank = robot.body("crank", mass=1.0, inertia=inertia).on(robot.base("ground", moves="fixed")).turning("z", name="joint_1")
    robot.body("ball", mass=1.0, inertia=inertia).on(crank).ball()
    return Scenario("post", robot, integrator="rkmk4", dt=0.005)


def test_motors_of_a_file_are_the_actions_by_default() -> None:
    """Of arm.xml: a motor with gear and range, whose scale is its largest torque, beside a servo, whose scale is 1 rad."""
    scenario = load_robot(FILES / "arm.xml", collides=False).scenario().changed(integrator="rkmk4", dt=0.002)
    limits = motors(scenario)
    names = scenario.open().action_names
    assert set(names) == {*limits, *scenario.drive.servo} and limits
    env = LocodynEnv(Task(scenario, observe=(f"v.{names[0]}",), reward={"effort": -1.0}, period=0.01))
    assert env.action_space.shape == (len(names),)
    env.reset(seed=0)
    env.step(np.full(len(names), 0.5))
    held = {name: float(one.law.at(0.0)[0]) for name, one in scenario.drive.servo.items()}
    wanted = [0.5 * limits[name] if name in limits else held[name] + 0.5 for name in names]
    assert env._learners.batch.action[0].tolist() == wanted
    passive = scenario.changed(torque=dict.fromkeys(limits, constant(0.0)))
    assert motors(passive) == {} and passive.open().action_names == names


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one == QUICK else pytest.mark.slow) for one in TASKS])
def test_checker_of_gymnasium(name: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*A Box observation space m.*")  # unbounded on purpose
        check_env(gymnasium.make(f"locodyn/{name}-v0").unwrapped, skip_render_check=True)


def test_robots_of_a_vector_are_single_environments() -> None:
    """Same actions, same bits; also over the end of episodes, which the next step begins anew."""
    single, many = LocodynEnv(task()), LocodynVectorEnv(task(), 3)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (25, 3, 1))
    seen, _ = many.reset(seed=0)
    tables = [many.step(row) for row in actions]
    for r in range(3):
        expected, _ = single.reset(seed=0)
        np.testing.assert_array_equal(seen[r], expected)
        over = False
        for k, row in enumerate(actions):
            one = (single.reset()[0], 0.0, False, False) if over else single.step(row[r])[:4]
            over = one[2] or one[3]
            for found, wanted in zip(tables[k][:4], one, strict=True):
                np.testing.assert_array_equal(found[r], wanted)
    # Ten actions an episode (0.2 s in periods of 0.02 s), and one step between.
    assert [k for k, table in enumerate(tables) if table[3].all()] == [9, 20]


def test_reward_and_bounds_are_what_their_names_say() -> None:
    env = LocodynEnv(task(bounds={"joint_2": (-0.05, 0.05)}, spread=0.0))
    first, _ = env.reset(seed=0)
    seen, reward, over, late, _ = env.step(np.array([0.5]))
    assert reward == pytest.approx(2.0 * (seen[0] - first[0]) / 0.02 - 0.1 * 0.25, rel=1e-12)
    while not (over or late):
        seen, _, over, late, _ = env.step(np.array([1.0]))
    assert over == (abs(seen[1]) > 0.05)


def test_parameters_are_drawn_for_each_robot_and_each_episode() -> None:
    """As robots with these very parameters, the same ones for the same seed; the action of the second one ends its episodes."""
    ended = task(bounds={"action.joint_1": (-1.0, 0.5)})
    many, random = LocodynVectorEnv(replace(ended, draw={"g": (5.0, 20.0)}), 2), np.random.default_rng(0)
    first, _ = many.reset(seed=0)
    actions = np.array([[0.0], [1.0]])
    drawn, episodes = [random.uniform(5.0, 20.0) for _ in range(2)], [[], []]
    single = [LocodynEnv(replace(ended, scenario=lambda g=g: pendulum(g=g))) for g in drawn]
    for env in single:
        env.reset(seed=0)
    over = np.zeros(2, dtype=bool)
    for _ in range(9):
        seen = many.step(actions)
        for r in np.flatnonzero(over):
            drawn.append(random.uniform(5.0, 20.0))
            single[r] = LocodynEnv(replace(ended, scenario=lambda g=drawn[-1]: pendulum(g=g)))
            np.testing.assert_array_equal(seen[0][r], single[r].reset(seed=0)[0])
            episodes[r].append(drawn[-1])
        for r in np.flatnonzero(~over):
            np.testing.assert_array_equal(seen[0][r], single[r].step(actions[r])[0])
        over = seen[2] | seen[3]
    assert len(set(drawn)) == len(drawn) > 2 and episodes[1] and not episodes[0]
    one = LocodynEnv(task(draw={"g": (5.0, 20.0)}))
    ends = []
    for seed in (7, 8, 7):
        one.reset(seed=seed)
        ends.append(one.step(np.ones(1))[0].tolist())
    assert ends[0] == ends[2] != ends[1]
    np.testing.assert_array_equal(many.reset(seed=0)[0], first)
    with pytest.raises(
        InputError, match="the new robot number 1 differs in 'gravity', in which the robots of this batch are alike"
    ):
        pendulum().batch(2).replace([1], [pendulum(g=3.0)])


def test_words_of_a_file() -> None:
    words = {
        "scenario": "pendulum", "parameters": {"n": 2}, "actions": ["joint_1"], "observe": ["joint_1", "v.joint_2"],
        "reward": {"alive": 1.0}, "bounds": {"joint_1": [-3, 3]}, "period": 0.05,
    }  # fmt: skip
    env = LocodynEnv(Task.of(words))
    env.reset(seed=0)
    assert env.step(np.zeros(1))[1] == 1.0


TASK = """
scenario: pendulum
parameters: {n: 2}
actions: joint_1
observe: [joint_1, v.joint_2]
reward: {alive: 1.0, effort: -0.5}
bounds: {joint_1: [-3, 3]}
period: 0.05
episode: 0.2
"""


def test_episodes_of_a_file(tmp_path: Path, locodyn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four actions of 1 - 0.5 times their mean square each: none cost nothing, random ones a third on average."""
    monkeypatch.chdir(tmp_path)
    Path("task.yaml").write_text(TASK)
    Path("wrong.yaml").write_text(TASK.replace("[-3, 3]", "3"))
    code, said, _ = locodyn("episodes", "task.yaml", "--robots", "3", "--actions", "none", "--json", "none.json")
    assert code == 0 and "1 actions every 0.05 s, 2 observations" in said and "3 by time" in said
    assert json.loads(Path("none.json").read_text())["returns"] == pytest.approx([4.0] * 3)
    code, _, _ = locodyn("episodes", "task.yaml", "--robots", "200", "--json", "random.json", "--quiet")
    returns = np.array(json.loads(Path("random.json").read_text())["returns"])
    assert code == 0 and abs(returns.mean() - (4.0 - 4.0 * 0.5 / 3.0)) < 4.0 * 0.5 * 0.3 * 2.0 / np.sqrt(200.0)  # four sigma
    Path("far.yaml").write_text(TASK.replace("pendulum", "../pendulum.yaml"))
    code, _, said = locodyn("episodes", "far.yaml")
    assert code == 2 and "the scenario is '../pendulum.yaml', which lies outside of the folder" in said
    refused = locodyn("episodes", "wrong.yaml")
    assert refused == (2, "", "locodyn: the range of 'joint_1' is 3; it must be two numbers, [least, most].\n")
    code, _, said = locodyn("episodes", "Snak")
    assert code == 2 and "did you mean 'Snake'" in said


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Task.of({"scenario": "pendulum", "actions": [1], "observe": ["joint_1"]}), "'actions' of a task is \\[1\\]"),
        (
            lambda: Task.of({"scenario": "pendulum", "actions": "joint_1", "observe": "joint_1", "reward": 3}),
            "the reward of a task",
        ),
        (lambda: task(observe=()), "observes nothing"),
        (lambda: LocodynEnv(task(actions=())), "has no action: 'pendulum' has neither motors"),
        (lambda: task(period=-1.0), "the period of a task is -1 s"),
        (lambda: task(bounds={"joint_1": (1.0, -1.0)}), "the range of 'joint_1' is 1 to -1"),
        (lambda: task(scenario=pendulum(), draw={"g": (1.0, 2.0)}), "for a function that makes the scenario"),
        (lambda: LocodynEnv(task(observe=("joint_7",))), "has no quantity 'joint_7'; did you mean"),
        (lambda: LocodynEnv(task(actions=("wrist",))), "has no coordinate 'wrist'"),
        (lambda: LocodynVectorEnv(task(), 2).step(np.zeros((3, 1))), r"take[s]? \(2, 1\)"),
        (lambda: LocodynVectorEnv(task(), 2).step(np.array([[0.0], [np.nan]])), "an action holds a number that is not finite"),
        (lambda: LocodynEnv(task(scenario=ball_on_a_post(), observe=("upright",))), "has no quantity 'upright'"),
        (lambda: locodyn.envs.make("Snak"), "there is no task 'Snak'; did you mean 'Snake'"),
        (lambda: Task.of({"scenario": "pendulum", "reward_": {}}), "a task has no 'reward_'; did you mean"),
        (lambda: Task.of({"scenario": "pendulum", "actions": ["joint_1"]}), "a task needs 'observe'"),
    ],
)
def test_bad_input(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make()


def test_registered_names() -> None:
    assert {f"locodyn/{name}-v0" for name in TASKS} <= set(gymnasium.registry)
    assert locodyn.envs.make_many(QUICK, 2).num_envs == 2
