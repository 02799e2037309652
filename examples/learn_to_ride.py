"""A snakeboard learns to ride: evolution strategy on a vector environment, a robot for each candidate.

    python examples/learn_to_ride.py [generations] [curve.png]

A policy is tanh(W o + S sin(w t) + C cos(w t)) of the observation o. In every generation 64 robots try policies around the
present one at the same time; it then moves towards those that came furthest along x (ranked, antithetic pairs; Salimans et al.
2017, "Evolution strategies as a scalable alternative to reinforcement learning").
"""

import sys

import numpy as np

import locodyn.envs

ROBOTS, SPREAD, RATE, OMEGA = 64, 0.1, 0.3, 4.0


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
    policy = np.zeros((env.single_action_space.shape[0], env.single_observation_space.shape[0] + 2))
    curve = []
    for generation in range(generations):
        half = random.standard_normal((ROBOTS // 2, *policy.shape))
        noise = np.concatenate([half, -half])
        earned = returns(env, policy + SPREAD * noise)
        ranks = np.argsort(np.argsort(earned)) / (ROBOTS - 1) - 0.5
        policy += RATE / (ROBOTS * SPREAD) * np.einsum("r,rao->ao", ranks, noise)
        curve.append((earned.mean(), earned.max()))
        print(f"generation {generation + 1:3d}: mean {earned.mean():7.3f}, best {earned.max():7.3f}")
    return np.array(curve)


def main():
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    curve = learn(generations)
    if len(sys.argv) > 2:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
        axes.plot(curve[:, 1], label="best of 64")
        axes.plot(curve[:, 0], label="mean")
        axes.set(xlabel="generation", ylabel="return of an episode of 10 s")
        axes.legend()
        figure.savefig(sys.argv[2], dpi=150)


if __name__ == "__main__":
    main()
