"""A snakeboard learns to ride: the cross-entropy method on a vector environment, a robot for each candidate.

Run: python examples/learn_to_ride.py [folder for the picture] [generations]

A policy is tanh(W o + S sin(w t) + C cos(w t)) of the observation o. In every generation 64 robots try policies drawn around the
present mean at the same time; the eight that came furthest along x give mean and spread of the next (Rubinstein 1999, "The
cross-entropy method for combinatorial and continuous optimization").
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import locodyn.envs

ROBOTS, ELITE, OMEGA = 64, 8, 4.0


def returns(env, policies):
    """What each of the robots earns in one episode with its own policy (ROBOTS, actions, observations + 2)."""
    seen, _ = env.reset(seed=1)
    earned, alive = np.zeros(ROBOTS), np.ones(ROBOTS, dtype=bool)
    steps = round(env.task.episode / env.task.period)
    for k in range(steps):
        angle = OMEGA * k * env.task.period
        inputs = np.column_stack([seen, np.full(ROBOTS, np.sin(angle)), np.full(ROBOTS, np.cos(angle))])
        seen, reward, over, late, _ = env.step(np.tanh(np.einsum("rao,ro->ra", policies, inputs)))
        earned += reward * alive
        alive &= ~(over | late)
    return earned


def learn(generations):
    """Mean and best return of each generation."""
    env = locodyn.envs.make_many("Snakeboard", ROBOTS)
    random = np.random.default_rng(0)
    shape = env.single_action_space.shape[0], env.single_observation_space.shape[0] + 2
    mean, spread = np.zeros(shape), np.full(shape, 0.2)
    curve = []
    for generation in range(generations):
        policies = mean + spread * random.standard_normal((ROBOTS, *shape))
        earned = returns(env, policies)
        best = policies[np.argsort(earned)[-ELITE:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.01
        curve.append((earned.mean(), earned.max()))
        print(f"generation {generation + 1:3d}: mean {earned.mean():7.3f}, best {earned.max():7.3f}")
    return np.array(curve)


folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(exist_ok=True)
curve = learn(int(sys.argv[2]) if len(sys.argv) > 2 else 5)
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.plot(range(1, 1 + len(curve)), curve[:, 1], label=f"best of {ROBOTS}")
axes.plot(range(1, 1 + len(curve)), curve[:, 0], label="mean")
axes.set(xlabel="generation", ylabel="return of an episode")
axes.legend(frameon=False)
figure.savefig(folder / "learn_to_ride.png", dpi=150)
print(f"wrote {folder / 'learn_to_ride.png'}")
