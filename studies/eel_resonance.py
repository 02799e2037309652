"""Which frequency drives an elastic swimmer fastest, and how does that depend on its stiffness?

Eels whose muscles ask for a small travelling wave, side by side at several frequencies (`passive_eel`), with bodies of several
stiffnesses. Check: each is fastest at its own bending frequency in water, which grows as the root of Young's modulus: that of a
slender beam with free ends, (4.730 / l)^2 sqrt(E I / (m + added mass)), to 5 % (damping and the stream past the body shift it).
Run: python studies/eel_resonance.py [folder] [--quick]
"""

import sys
from functools import partial
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import locodyn as ld
from locodyn.zoo.robots import passive_eel

RATIOS = (0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5)  # of the muscles' frequency to that of the beam
SHIFT = 0.05  # of the frequency, as in the zoo


def values_of(result: ld.Result) -> dict:
    """The parameters of the run by name."""
    return {one.name: one.value for one in result.scenario.parameters}


def fastest(result: ld.Result) -> float:
    """Frequency of the fastest eel over that of the beam, by a parabola through it and its neighbours."""
    return passive_eel.best_frequency(result, values_of(result))


def speed_of(number: int, result: ld.Result) -> float:
    """Of one of the eels, m/s."""
    return float(passive_eel.speeds(result, values_of(result))[number])


def main(folder: Path, quick: bool) -> None:
    """Speeds over frequency, for each stiffness; where they peak."""
    folder.mkdir(exist_ok=True)
    moduli = [1.5e6, 6e6] if quick else [1.5e6, 3e6, 6e6, 12e6]
    metrics = {"fastest": fastest, **{f"speed_{n}": partial(speed_of, n) for n in range(len(RATIOS))}}
    found = ld.study.Study("passive_eel", {"E": moduli}, metrics, settings={"frequencies": RATIOS}).run(progress=False)
    peaks = found.column("fastest")
    assert np.abs(peaks - 1.0).max() < SHIFT, peaks
    base = {one.name: one.value for one in passive_eel.PARAMETERS}
    natural = np.array([passive_eel.bending_frequency({**base, "E": modulus}) for modulus in moduli])
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4))
    for run, modulus in enumerate(moduli):
        speeds = 1e3 * np.array([found.column(f"speed_{n}")[run] for n in range(len(RATIOS))])
        left.plot(np.array(RATIOS) * natural[run], speeds, "o-", label=f"E = {modulus / 1e6:g} MPa")
        print(
            f"E = {modulus / 1e6:g} MPa: fastest at {peaks[run] * natural[run]:.3f} Hz, bending frequency {natural[run]:.3f} Hz"
        )
    left.set(xlabel="frequency of the muscles (Hz)", ylabel="speed (mm/s)")
    left.legend(frameon=False, fontsize=8)
    fine = np.linspace(0.5 * moduli[0], 1.1 * moduli[-1], 100)
    beam = [passive_eel.bending_frequency({**base, "E": modulus}) for modulus in fine]
    right.plot(fine / 1e6, beam, color="#0072B2", label="beam with free ends in water")
    right.plot(np.array(moduli) / 1e6, peaks * natural, "o", color="#D55E00", label="fastest eel")
    right.set(xlabel="Young's modulus (MPa)", ylabel="best frequency (Hz)")
    right.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / "eel_resonance.png", dpi=150)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--quick"]
    main(Path(words[0] if words else "out"), "--quick" in sys.argv)
