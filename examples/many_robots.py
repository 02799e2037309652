"""Two thousand copies of a robot, each with its own push, moved at once.

Run: python examples/many_robots.py [folder for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import locodyn as ld
from locodyn.batch import Batch

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(exist_ok=True)

# A box in space with a damped pendulum inside, spun about the axis of its middle moment of inertia.
robot = ld.Robot("tumbler")
hull = robot.base("hull", mass=2.0, shape=ld.Box((0.5, 0.3, 0.1)), moves="free")
robot.body("pendulum", mass=0.1, centre=(0, 0, -0.1), shape=ld.Sphere(0.03)).on(hull).turning("y").actuator(viscous=0.01)

count = 2000
batch = Batch(robot.model(gravity=(0, 0, 0)), count)
rng = np.random.default_rng(1)
v = np.zeros((count, batch.model.nv))
v[:, 3:6] = (0.01, 3.0, 0.01) + 0.02 * rng.standard_normal((count, 3))
batch.v = v
q, v = batch.rollout(steps=2000, dt=0.005, record_every=20)

# The spin axis should keep its direction in space; about the middle axis it does not.
w, x, y, z = np.moveaxis(q[..., 3:7], -1, 0)
upright = 1 - 2 * (x * x + z * z)  # cosine between the hull's y axis and the world's y axis
time = 0.1 * np.arange(len(q))
plt.figure(figsize=(6, 3.5))
plt.plot(time, upright[:, :40], color="#0072B2", alpha=0.25, linewidth=0.8)
plt.plot(time, upright.mean(axis=1), color="#D55E00", linewidth=2, label=f"mean of {count}")
plt.xlabel("time (s)")
plt.ylabel("cosine of the tumbling angle (1)")
plt.title("Spin about the middle axis, 40 of 2000 robots")
plt.legend(frameon=False)
plt.tight_layout()
plt.savefig(folder / "many_robots.png", dpi=150)
momentum = np.array([[batch.model.momentum(q[k, i], v[k, i])[1] for i in range(3)] for k in (0, -1)])
print(f"{count} robots, 2000 steps each; angular momentum kept to {np.abs(momentum[1] - momentum[0]).max():.1e} N m s")
print(f"wrote {folder / 'many_robots.png'}")
