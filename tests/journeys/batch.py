"""A thousand throws of a two-link stick at once: how far do they scatter?"""

import numpy as np

import locodyn as ld

robot = ld.Robot("stick")
grip = robot.base("grip", moves="free", mass=0.3, shape=ld.Capsule(0.02, 0.3, axis="x"))
tail = robot.body("tail", mass=0.2, shape=ld.Capsule(0.02, 0.3, axis="x", at=(0.17, 0, 0)))
tail.on(grip, at=(0.17, 0, 0)).turning("y").actuator(viscous=0.005)

count = 1000
batch = robot.batch(count)
rng = np.random.default_rng(0)
speed = np.zeros((count, batch.model.nv))
speed[:, :3] = (4.0, 0.0, 4.0) + 0.1 * rng.standard_normal((count, 3))
speed[:, 4] = 6.0 + 0.5 * rng.standard_normal(count)
batch.v = speed
place = batch.q
place[:, -1] = 0.5  # rad: the stick is bent when it leaves the hand
batch.q = place
q, v = batch.rollout(steps=400, dt=0.002, record_every=40)
print("records, robots, coordinates:", q.shape)

model = batch.model
energy = [[model.kinetic_energy(q[k, i], v[k, i]) + model.potential_energy(q[k, i]) for k in (0, -1)] for i in range(20)]
lost = np.diff(energy)[:, 0]
print(f"the hinge takes {1e3 * -lost.max():.2f} to {1e3 * -lost.min():.2f} mJ")
print(f"way {q[-1, :, 0].mean():.2f} m, scatter {q[-1, :, 0].std():.2f} m")
