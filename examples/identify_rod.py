"""Measure a rod (here: make up the measurements), find its stiffness and its motion, and simulate what drove it.

1. Young's modulus from shapes under known tensions. 2. Strain coordinates of a moving rod from noisy points. 3. The coordinates,
filtered, as an imposed motion: which forces did it need? 4. The same motion from the tension alone, and its errors.

Run: python examples/identify_rod.py [folder for the picture]
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

import locodyn as ld
from locodyn.identify import error_table, strain_coordinates, young_modulus
from locodyn.view import plot_modulus

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(exist_ok=True)
rng = np.random.default_rng(1)
LENGTH, OFFSET, NOISE = 0.48, 0.011, 3e-4  # m
SECTION = ld.Rectangle(0.51e-3, 19.05e-3)
MOMENT = 19.05e-3 * 0.51e-3**3 / 12.0


def arm(young: float) -> ld.Robot:
    """A strip of steel that a tendon bends in the horizontal plane."""
    robot = ld.Robot("arm")
    material = ld.Material(young, density=9538.0)
    rod = robot.base("ground", moves="fixed").rod(
        "rod", length=LENGTH, section=SECTION, material=material, bending=(0, 2), damping=0.02
    )
    rod.tendon("wire", (OFFSET, 0.0))
    return robot


truth = arm(293e9)  # what nobody knows
pull = ld.sine(2.0, omega=2.0, phase=-np.pi / 2, offset=2.5)
steady = {"gravity": (0.0, 0.0, 0.0), "integrator": "radau3", "dt": 0.02, "record_every": 2, "progress": False}
run = ld.simulate(
    truth, tension={"wire": pull}, start=ld.statics(truth, tension={"wire": 0.5}, gravity=(0, 0, 0)), t_end=6.0, **steady
)
shapes = run.rod_position.values[:, 0] + NOISE * rng.standard_normal(run.rod_position.values[:, 0].shape)
times = run.time.values

# 1. Modulus: twenty shapes, slow enough to be at rest.
some = np.linspace(0, len(times) - 1, 20).astype(int)
fit = young_modulus(shapes[some], [pull(times[i]) for i in some], offset=OFFSET, moment=MOMENT, drop=3)
print(f"Young's modulus {fit.young / 1e9:.1f} GPa (spread {fit.std / 1e9:.1f}), made up with 293 GPa")
print(f"wrote {plot_modulus(fit, folder / 'modulus.png')}")

# 2. Strain coordinates of every shape.
found = arm(fit.young)
rod = found.description.bodies[1].joint.rod
places = np.linspace(0.0, LENGTH, shapes.shape[1])
fitted = strain_coordinates(rod, places, shapes).q

# 3. Impose them; the forces that the rod needs are those of the tendon.
laws = {f"rod.bending_z.{k}": ld.motion.filtered(times, fitted[:, k], cutoff=2.0) for k in range(rod.count)}
driven = ld.simulate(found, imposed=laws, t_end=6.0, **steady)
force = driven.joint_torque.values[:, 0] / (OFFSET * LENGTH)  # along the constant curvature, the work of a tension T is T d L
print(f"tension found from the motion: {force.min():.2f} ... {force.max():.2f} N, applied 0.50 ... 4.50 N")

# 4. The motion from the tension, with the modulus found.
again = ld.simulate(
    found, tension={"wire": pull}, start=ld.statics(found, tension={"wire": 0.5}, gravity=(0, 0, 0)), t_end=6.0, **steady
)
simulated = again.rod_position.values[:, 0, -1]
print(error_table({f"tip {'xy'[axis]} (m)": (shapes[:, -1, axis], simulated[:, axis]) for axis in (0, 1)}))

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for i in some[::4]:
    axes[0].plot(shapes[i, :, 0], shapes[i, :, 1], "k.", markersize=3)
    axes[0].plot(again.rod_position.values[i, 0, :, 0], again.rod_position.values[i, 0, :, 1], color="tab:blue")
axes[0].set(xlabel="x (m)", ylabel="y (m)", title="measured points, simulated rod", aspect="equal")
axes[1].plot(times, [pull(t) for t in times], "k", label="applied")
axes[1].plot(driven.time, force, "tab:orange", label="from the motion")
axes[1].set(xlabel="t (s)", ylabel="tension (N)", title="what drove it")
axes[1].legend()
figure.savefig(folder / "identify_rod.png", dpi=120)
print(f"wrote {folder / 'identify_rod.png'}")
