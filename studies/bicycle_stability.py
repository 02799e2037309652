"""Where is the benchmark bicycle stable by itself, over speed and trail?

Check: with the trail of the benchmark, 0.08 m, it is stable from 4.292 m/s (weave) to 6.024 m/s (capsize): Meijaard,
Papadopoulos, Ruina and Schwab 2007, section 5. Run: python studies/bicycle_stability.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import locodyn as ld
from locodyn.view.study_pictures import plot_study

WEAVE, CAPSIZE = 4.292, 6.024  # m/s


def main(folder: Path) -> None:
    """Map, and the boundaries at the benchmark's trail."""
    folder.mkdir(exist_ok=True)
    vary = {"v": "2..9:15", "c": "0.02..0.16:8"}
    found = ld.study.Study("benchmark_bicycle", vary, ["stability_margin"], settings={"lean_rate": 0.0}).run(progress=False)
    plot_study(found, folder / "bicycle_stability.png")
    margins = found.dataset["stability_margin"].sel(c=0.08, method="nearest")
    crossings = boundaries(margins["v"].values, margins.values)
    print(f"stable from {crossings[0]:.2f} to {crossings[1]:.2f} m/s at c = 0.08 m, by lines between speeds 0.5 m/s apart")
    speeds = {"v": [WEAVE - 0.001, WEAVE + 0.001, CAPSIZE - 0.001, CAPSIZE + 0.001]}  # the numbers have three decimals
    exact = ld.study.Study("benchmark_bicycle", speeds, ["stability_margin"], settings={"lean_rate": 0.0}).run(progress=False)
    assert (np.sign(exact.column("stability_margin")) == [-1, 1, 1, -1]).all()
    print(f"stability changes within 1 mm/s of {WEAVE} and {CAPSIZE} m/s")


def boundaries(speeds: np.ndarray, margins: np.ndarray) -> list[float]:
    """Where the margin passes zero."""
    places = np.flatnonzero(np.sign(margins[1:]) != np.sign(margins[:-1]))
    return [float(speeds[k] - margins[k] * (speeds[k + 1] - speeds[k]) / (margins[k + 1] - margins[k])) for k in places]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
