"""How much more must the ground resist across a body than along it, for a wave to carry the body ahead?

A snake without joints on viscous ground, with several waves on its body. Where inertia does not count and the body is long, the
forces along the path balance when each metre is pushed as much as it resists (Gray and Hancock 1955, for any amplitude Lighthill
1976): with the ratio r = c_n / c_t, the heading theta, alpha = mean(cos theta) and beta = mean(cos^2 theta),

    U = alpha c (r - 1)(1 - beta) / (beta + r (1 - beta)),

c being the speed of the wave on the body: nothing at r = 1, the ideal snake that does not slip at r -> infinity.
Check: runs come to this formula as the number of waves doubles, at least as one over their number.
Run: python studies/friction_ratio.py [folder] [--quick]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import j0

import locodyn as ld

BEND, SPEED, ALONG = 0.7, 0.5, 1.0  # rad: largest heading; m/s of the wave on the body; N s/m^2 along it


def theory(ratio: np.ndarray) -> np.ndarray:
    """Speed of a long body (m/s); serpenoid: alpha = J0(theta_0), beta = (1 + J0(2 theta_0)) / 2."""
    alpha, beta = j0(BEND), 0.5 * (1.0 + j0(2.0 * BEND))
    return np.asarray(alpha * SPEED * (ratio - 1.0) * (1.0 - beta) / (beta + ratio * (1.0 - beta)))


def ahead(result: ld.Result) -> float:
    """Mean speed of the mass centre over the last two waves, m/s."""
    span = 2.0 * next(one.value for one in result.scenario.parameters if one.name == "lambda") / SPEED
    times, place = result.time.values, result.mass_centre.values
    return float(np.linalg.norm(place[-1] - place[np.searchsorted(times, times[-1] - span - 1e-9)])) / span


ahead.unit = "m/s"


def speeds(ratios: list[float], waves: int) -> np.ndarray:
    """Of a body of 1 m with so many waves on it, 20 g/m, m/s; four waves pass."""
    length = 1.0 / waves
    settings = {
        "A": 2.0 * np.pi * BEND / length, "lambda": length, "V": -SPEED, "c_t": ALONG, "m": 0.02, "t_end": 4.0 * length / SPEED,
        "dt": length / SPEED / 50.0,
    }  # fmt: skip
    vary = {"c_n": [ALONG * r for r in ratios]}
    found = ld.study.Study("soft_snake_friction", vary, {"ahead": ahead}, settings=settings).run(progress=False)
    return found.column("ahead")


def main(folder: Path, quick: bool) -> None:
    """Speeds over the ratio, for bodies with few and with many waves."""
    folder.mkdir(exist_ok=True)
    ratios = [1.0, 3.0, 10.0] if quick else [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0]
    counts = (2, 4)
    found = {waves: speeds(ratios, waves) for waves in counts}
    errors = {waves: float(np.abs(found[waves] - theory(np.array(ratios))).max()) for waves in counts}
    print(", ".join(f"{waves} waves: {error:.4f} m/s from the long body" for waves, error in errors.items()))
    assert errors[4] < 0.5 * errors[2]
    assert errors[4] < 0.05 * SPEED
    fine = np.geomspace(1.0, ratios[-1], 200)
    plt.figure(figsize=(5.4, 3.6))
    plt.semilogx(fine, theory(fine), color="#0072B2", label="long body (Gray and Hancock)")
    for (waves, values), colour, mark in zip(found.items(), ("#E69F00", "#D55E00"), "so", strict=True):
        plt.semilogx(ratios, values, mark, color=colour, label=f"runs, {waves} waves on the body")
    plt.axhline(SPEED * j0(BEND), color="#777777", linestyle="--", label="ideal: no slip across")
    plt.xlabel("resistance across over resistance along the body")
    plt.ylabel("speed (m/s)")
    plt.legend(frameon=False, fontsize=8)
    plt.tight_layout()
    plt.savefig(folder / "friction_ratio.png", dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
