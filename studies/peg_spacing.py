"""How far apart should pegs be for a wheel-less snake to push itself along by them?

`snake_2d` on isotropic floor with Transeth's wave (2007, 7.5), which takes it backward without pegs, among pegs that stand left
and right in turn, a distance d apart along the path. A peg lies in a bend of the body and stays in it while the bend runs to the
tail: two pegs a wave gear the snake to them, and in a period T it passes two, U = 2 d / T. On its own track the body goes
alpha lambda ahead in a wave, with lambda the length of the wave on the body and alpha the mean cosine of its heading
(J0(theta_0) of a serpenoid, theta_0 = A / (2 sin(beta / 2))): d = alpha lambda / 2 fits best. Wider pegs stretch the snake and
carry it further, until it loses them. Check: from a little below that distance to a sixth above it, speeds are 2 d / T to 5 %
(two periods from rest).
Run: python studies/peg_spacing.py [folder] [--quick]
"""

import math
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import j0

import locodyn as ld
from locodyn.zoo.snake_links import COURSES

END = 9.0  # s, two periods
AMPLITUDE, PHASE, LINK, PERIOD = math.radians(40.0), math.radians(50.0), 0.122, 4.5
AHEAD = j0(AMPLITUDE / (2.0 * math.sin(0.5 * PHASE))) * LINK * 2.0 * math.pi / PHASE  # m that a wave takes along x


def among(spacing: float = 0.37) -> ld.Scenario:
    """The snake of the zoo among pegs this far apart along x (m), the first and their sides as in Transeth's table 7.5."""
    snake = ld.zoo.snake_2d(pegs="table_7_5")
    (radius, first, left), (_, _, right) = COURSES["table_7_5"][:2]
    pegs = [
        ld.Obstacle(ld.Cylinder(radius), at=(first + k * spacing, right if k % 2 else left), name=f"peg_{k + 1}", friction=0.0)
        for k in range(7)
    ]
    start = replace(snake.start, resolve=True)  # where a peg stands in the body, the body is moved aside
    return snake.changed(obstacles=pegs, start=start, dt=1e-3, t_end=END, checks=())


def main(folder: Path, quick: bool) -> None:
    """Speeds over the distance of the pegs."""
    folder.mkdir(exist_ok=True)
    spacings = [0.37, 0.43] if quick else [0.31, 0.33, 0.35, 0.37, 0.39, 0.41, 0.43, 0.45, 0.47]
    found = ld.study.Study(among, {"spacing": spacings}, ["displacement_x"]).run(processes=1, progress=False)
    speeds, geared = found.column("displacement_x") / END, 2.0 * np.array(spacings) / PERIOD
    for spacing, speed, ideal in zip(spacings, speeds, geared, strict=True):
        print(f"pegs {spacing:.2f} m apart: {speed:.3f} m/s, geared {ideal:.3f} m/s")
    print(f"half a wave along the path is {AHEAD / 2:.3f} m; fastest with {spacings[int(np.nanargmax(speeds))]:g} m")
    fitting = [k for k, spacing in enumerate(spacings) if 0.95 < spacing / (0.5 * AHEAD) < 7.0 / 6.0]
    assert np.allclose(speeds[fitting], geared[fitting], rtol=0.05)
    plt.figure(figsize=(5.4, 3.6))
    plt.plot(spacings, geared, color="#0072B2", label="two pegs a period, 2 d / T")
    plt.plot(spacings, speeds, "o", color="#D55E00", label="runs")
    plt.axvline(0.5 * AHEAD, color="#777777", linestyle="--", label="half a wave along the path")
    plt.xlabel("distance d of the pegs along the path (m)")
    plt.ylabel("speed (m/s)")
    plt.ylim(bottom=0.0)
    plt.legend(frameon=False, fontsize=8, loc=(0.5, 0.3))
    plt.tight_layout()
    plt.savefig(folder / "peg_spacing.png", dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
