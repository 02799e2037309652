"""How fast is a wheel-less snake over amplitude and phase of its wave, on a floor that resists alike and on one that does not?

`snake_2d` (Transeth 2007): eleven links, lateral undulation, Coulomb friction at each link; isotropic (0.2 both ways), and
orthotropic (0.5 across). Check: with Transeth's wave (40 and -50 degrees) the snake goes backward on the isotropic floor
and forward on the other, at the speeds of an independent computation of the same model (the bands of the zoo); and on every wave
of the grid the orthotropic floor carries it further ahead.
Run: python studies/snake_gaits_on_floors.py [folder] [--quick]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import locodyn as ld

PERIOD = 4.5  # s, of 80 degrees a second
FLOORS = ("isotropic", "orthotropic")
BANDS = {"isotropic": (-0.0105, 0.0025), "orthotropic": (0.0775, 0.0075)}  # m/s, as of the zoo's checks


def main(folder: Path, quick: bool) -> None:
    """Two maps, of the mean speed in the first period from rest."""
    folder.mkdir(exist_ok=True)
    vary = {
        "friction": list(FLOORS),
        "amplitude": "40deg" if quick else "20..50:4deg",
        "phase": "-50deg" if quick else "-80..-20:7deg",
    }
    settings = {"t_end": PERIOD, "dt": 1e-3}
    found = ld.study.Study("snake_2d", vary, ["displacement_x"], settings=settings).run(progress=False)
    data = found.dataset["displacement_x"] / PERIOD
    for floor in FLOORS:
        values, (speed, width) = data.sel(friction=floor), BANDS[floor]
        own = float(values.sel(amplitude=np.radians(40.0), phase=np.radians(-50.0), method="nearest"))
        print(
            f"{floor}: {own:.4f} m/s with Transeth's wave, {float(values.min()):.4f} to {float(values.max()):.4f} m/s on the grid"
        )
        assert abs(own - speed) < width
    difference = data.sel(friction="orthotropic") - data.sel(friction="isotropic")
    assert (difference.values > 0.0).all()
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.4))
    for axis, floor in zip(axes, FLOORS, strict=True):
        values = data.sel(friction=floor)
        shown = axis.pcolormesh(
            np.degrees(data["phase"]), np.degrees(data["amplitude"]), values, cmap="viridis", shading="nearest"
        )
        figure.colorbar(shown, ax=axis, label="speed (m/s)")
        axis.set(title=floor, xlabel="phase from joint to joint (deg)", ylabel="amplitude (deg)")
    figure.tight_layout()
    figure.savefig(folder / "snake_gaits_on_floors.png", dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
