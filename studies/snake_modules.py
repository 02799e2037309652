"""How many rigid modules does a snake need to move like one without joints?

Check: the head of a snake of n modules differs from that of the continuous body by c / n^2: the measured order is 2 to 0.1.
Run: python studies/snake_modules.py [folder]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import locodyn as ld
from locodyn.zoo import measures
from locodyn.zoo.robots import soft_snake_friction


def x_of_head(result: ld.Result) -> float:
    """Where the head is after two waves, along x, m."""
    return float(measures.final_pose(result)[0])


def y_of_head(result: ld.Result) -> float:
    """Where the head is after two waves, along y, m."""
    return float(measures.final_pose(result)[1])


def main(folder: Path) -> None:
    """Errors over the number of modules."""
    folder.mkdir(exist_ok=True)
    counts = [8, 12, 16, 24, 32]
    found = ld.study.Study("snake_discretised", {"n": counts}, {"x": x_of_head, "y": y_of_head}).run(progress=False)
    friction = next(p.value for p in soft_snake_friction.PARAMETERS if p.name == "c_n")
    pose = np.array(soft_snake_friction.POSES[friction][:2])
    errors = np.hypot(found.column("x") - pose[0], found.column("y") - pose[1])
    order = -np.polyfit(np.log(counts[1:]), np.log(errors[1:]), 1)[0]
    print(
        f"error of the head: {errors[0]:.3f} m with {counts[0]} modules, {errors[-1]:.4f} m with {counts[-1]}; order {order:.2f}"
    )
    assert abs(order - 2.0) < 0.1
    plt.figure(figsize=(5, 3.4))
    plt.loglog(counts, errors, "o-", color="#0072B2", label="runs")
    plt.loglog(counts, errors[-1] * (counts[-1] / np.array(counts)) ** 2, "--", color="#777777", label="second order")
    plt.xlabel("number of modules")
    plt.ylabel("error of the head (m)")
    plt.legend(frameon=False)
    plt.tight_layout()
    plt.savefig(folder / "snake_modules.png", dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
