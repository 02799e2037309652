"""The benchmark bicycle too slow to stand by itself, kept upright by a regulator on its handlebar."""

import numpy as np
from scipy.linalg import solve_continuous_are

import locodyn as ld

slow = ld.zoo.benchmark_bicycle(v=2.0, lean_rate=0.0)
names = {"lean": "frame.roll", "steer": "steer"}
system = ld.linearise(slow, coordinates=names, inputs=("steer",)).subsystem(("lean", "steer"))
print(system)
print("unstable modes:", [mode.eigenvalue for mode in system.modes() if mode.stability == "unstable"])

riccati = solve_continuous_are(system.A, system.B, np.eye(4), [[0.01]])
gains = (system.B.T @ riccati)[0] / 0.01
robot, model = slow.compiled, slow.model
steer, steer_rate, lean_rate = robot.position_index("steer"), robot.coordinate_index("steer"), robot.coordinate_index("frame.wx")


def handlebar(t, q, v):
    lean = ld.roll_pitch_yaw_of(model.pose("frame", q)[0])[0]
    return -gains @ [lean, q[steer], v[lean_rate], v[steer_rate]]


pushed = ld.zoo.benchmark_bicycle(v=2.0, lean_rate=0.3).changed(t_end=5.0)
free = pushed.changed(t_end=1.8).run(progress=False)
held = pushed.changed(torque={"steer": handlebar}).run(progress=False)
falls, stands = (run.roll_pitch_yaw().sel(angle="roll") for run in (free, held))
print(
    f"without hands it leans by {float(abs(falls).max()):.2f} rad in 1.8 s, with hands by {float(stands[-1]):.4f} rad after 5 s"
)
held.plot("bicycle.png", "tracks,orientation")
