"""How far does an inchworm come with one arch, and how high must it arch?

Check: the stride is l (1 - J0(alpha)), with the Bessel function J0 of the largest angle from the wall (closed form;
Ali 2011, 6.2), to 1e-6 m. Run: python studies/inchworm_stride.py [folder]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import j0

import locodyn as ld

STRIDES = 7  # of a run of the zoo


def stride(result: ld.Result) -> float:
    """Mean climb of the head with one arch, m."""
    return float(result.position.values[-1, 1]) / STRIDES


stride.unit = "m"


def main(folder: Path) -> None:
    """Strides over the angle of the arch."""
    folder.mkdir(exist_ok=True)
    found = ld.study.Study("inchworm", {"alpha": "0.6..2.2:3"}, {"stride": stride}).run(progress=False)
    angles, strides = found.dataset["alpha"].values, found.dataset["stride"].values
    assert np.abs(strides - (1.0 - j0(angles))).max() < 1e-6
    print(f"largest difference from l (1 - J0(alpha)): {np.abs(strides - (1.0 - j0(angles))).max():.1e} m")
    fine = np.linspace(0.0, 2.4, 200)
    plt.figure(figsize=(5, 3.4))
    plt.plot(fine, 1.0 - j0(fine), color="#0072B2", label="l (1 - J0(alpha))")
    plt.plot(angles, strides, "o", color="#D55E00", label="runs")
    plt.xlabel("largest angle of the body from the wall, alpha (rad)")
    plt.ylabel("stride (m)")
    plt.legend(frameon=False)
    plt.tight_layout()
    plt.savefig(folder / "inchworm_stride.png", dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
