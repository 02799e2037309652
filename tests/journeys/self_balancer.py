"""A self-balancing robot of my own: two driven wheels, a tall body, and a regulator from the linear system."""

import numpy as np
from scipy.linalg import solve_continuous_are

import locodyn as ld

robot = ld.Robot("balancer")
body = robot.base("body", moves="free", mass=2.0, shape=ld.Box((0.08, 0.2, 0.3), at=(0, 0, 0.2)))
for side, y in (("left", 0.12), ("right", -0.12)):
    wheel = robot.body(side, mass=0.3, shape=ld.Cylinder(0.08, 0.03, axis="y")).on(body, at=(0, y, 0)).turning("y")
    wheel.rolling(f"{side}_tyre", radius=0.08, axis="y")
standing = ld.Scenario("balancer", robot, start={"body": (0, 0, 0.08, 0, 0, 0)}, t_end=4.0, dt=0.005)
print(standing)

states = ("body.x", "body.pitch")
system = ld.linearise(standing, coordinates=states, inputs=("left", "right")).subsystem(states)
print(system)
push = system.B.sum(axis=1, keepdims=True)  # both motors give the same torque
riccati = solve_continuous_are(system.A, push, np.diag([10.0, 10.0, 1.0, 1.0]), [[5.0]])
gains = (push.T @ riccati)[0] / 5.0
model = robot.model()


def torque(t, q, v):
    rotation, position = model.pose("body", q)
    pitch = ld.roll_pitch_yaw_of(rotation)[1]
    return -gains @ [position[0], pitch, v[0], v[4]]


leaning = {"body": (0, 0, 0.08, 0, 0.2, 0)}  # by 0.2 rad, forward
run = standing.changed(torque={"left": torque, "right": torque}, start=leaning).run(progress=False)
pitch = run.roll_pitch_yaw().sel(angle="pitch")
print(f"pitch at the start {float(pitch[0]):.2f} rad, at the end {float(pitch[-1]):.4f} rad")
run.plot("balancer.png")
