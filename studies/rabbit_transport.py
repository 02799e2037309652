"""What does walking cost RABBIT over its speed, and how much of it can a gait save that is made for it?

At each speed two gaits are designed (hybrid zero dynamics, five links, Aguirre 2010): one with the least torques squared, one
with the least cost of transport, int |power| dt / (m g length). Check: the second is never dearer than the first; and a run of
ten steps of the whole robot, with its controller and impacts, costs what the design says, to 1 % (power is recorded every 10 ms,
and its magnitude has kinks).
Run: python studies/rabbit_transport.py [folder] [--quick]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import locodyn as ld
from locodyn.zoo import rabbit
from locodyn.zoo.robots import rabbit_walk

STEPS, TRIED = 10, 0.7  # steps of the run, m/s


def walked() -> tuple[float, float]:
    """Cost of transport of ten steps as they are simulated, and as the gait was designed."""
    duration = rabbit_walk.zero_dynamics("T21", "optimised", TRIED).duration
    settings = {"gait": "optimised", "t_end": STEPS * duration}
    found = ld.study.Study("rabbit_walk", {"speed": [TRIED]}, ["cost_of_transport"], settings=settings).run(progress=False)
    assert found.completed == 1, found.failures()
    reduced = rabbit_walk.zero_dynamics("T21", "optimised", TRIED)
    return float(found.column("cost_of_transport")[0]), float(reduced.costs(reduced.sampled())[1])


def main(folder: Path, quick: bool) -> None:
    """Both costs over the speed."""
    folder.mkdir(exist_ok=True)
    hybrid = ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid
    design = rabbit.design(hybrid)
    speeds = np.array([0.6, 0.7, 0.8]) if quick else np.round(np.arange(0.4, 1.01, 0.05), 3)
    costs = np.empty((2, len(speeds)))
    last = [None, None]
    for n, speed in enumerate(speeds):
        for k, share in enumerate((0.0, 1.0)):
            last[k] = design.solve(float(speed), transport=share, near=last[k] or last[0])
            costs[k, n] = last[k].transport
    print(f"cost of transport from {costs[0].min():.3f} to {costs[0].max():.3f} with least torques,"
          f" {costs[1].min():.3f} to {costs[1].max():.3f} with least work")  # fmt: skip
    assert (costs[1] <= costs[0] * (1.0 + 1e-6)).all()
    simulated, designed = walked()
    print(f"{STEPS} steps at {TRIED} m/s: {simulated:.4f} simulated, {designed:.4f} designed")
    assert abs(simulated - designed) < 0.01 * designed
    plt.figure(figsize=(5.4, 3.6))
    plt.plot(speeds, costs[0], "o-", color="#0072B2", label="gaits of least torques")
    plt.plot(speeds, costs[1], "s-", color="#D55E00", label="gaits of least work")
    plt.plot([TRIED], [simulated], "k*", markersize=11, label="run of ten steps")
    plt.xlabel("speed (m/s)")
    plt.ylabel("cost of transport")
    plt.legend(frameon=False, fontsize=8)
    plt.tight_layout()
    plt.savefig(folder / "rabbit_transport.png", dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
