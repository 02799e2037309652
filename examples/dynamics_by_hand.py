"""The dynamics of a robot as numbers: torques, accelerations, mass matrix, derivatives, Jacobians.

Run: python examples/dynamics_by_hand.py
"""

import numpy as np

import locodyn as ld

# A free-floating body with an arm of three joints.
robot = ld.Robot("free arm")
parent = robot.base("hull", mass=10.0, shape=ld.Box((0.6, 0.4, 0.3)), moves="free")
at = (0.3, 0.0, 0.0)
for name, axis in (("shoulder", "z"), ("elbow", "y"), ("wrist", "x")):
    link = ld.Cylinder(radius=0.04, length=0.3, axis="x")
    parent = robot.body(name, mass=1.5, centre=(0.15, 0, 0), shape=link).on(parent, at=at).turning(axis)
    at = (0.3, 0.0, 0.0)
parent.marker("hand", at=(0.3, 0, 0))

model = robot.model(gravity=(0, 0, 0))
rng = np.random.default_rng(0)
q = model.move(model.neutral(), 0.3 * rng.standard_normal(model.nv))
v, a = rng.standard_normal(model.nv), rng.standard_normal(model.nv)

# Forces that a motion needs, and back.
tau = model.inverse_dynamics(q, v, a)
assert np.allclose(model.forward_dynamics(q, v, tau), a)

# The joints follow a given acceleration, the hull is free: hybrid dynamics.
imposed = np.arange(model.nv) >= 6
accelerations, forces = model.hybrid_dynamics(q, v, a=np.where(imposed, a, 0.0), tau=np.zeros(model.nv), imposed=imposed)
print("acceleration of the hull:", accelerations[:6].round(3))
print("torques of the joints:   ", forces[6:].round(3))

# Structure: M = [[M0, Mr], [Mr^T, m]], the connection, and a hull that keeps zero momentum.
locked, coupling, _ = model.mass_blocks(q)
still = model.zero_momentum(q, v)
linear, angular = model.momentum(q, still)
print("momentum left:", np.abs(np.concatenate([linear, angular])).max())
assert np.allclose(locked @ still[:6] + coupling @ still[6:], 0.0)

# Derivatives: how the torques change with position, velocity, acceleration.
by_q, by_v, by_a = model.inverse_dynamics_derivatives(q, v, a)
step = 1e-6 * rng.standard_normal(model.nv)
change = model.inverse_dynamics(model.move(q, step), v, a) - tau
print("derivative by position, error of a small step:", np.abs(change - by_q @ step).max())

# A force of 5 N on the hand, along its x axis, seen by the joints.
jacobian = model.jacobian("hand", q)
pushed = model.inverse_dynamics(q, v, a, wrenches={"hand": (5, 0, 0, 0, 0, 0)})
assert np.allclose(pushed, tau - jacobian.T @ np.array([5, 0, 0, 0, 0, 0]))
