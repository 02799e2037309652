"""An arm from a URDF file: what the file holds, where the hand is, and servos that follow a path."""

from pathlib import Path

import numpy as np

import locodyn as ld

loaded = ld.load_robot(Path(__file__).parent / "arm.urdf", moves="fixed")
for note in loaded.notes:
    print(note)
robot = loaded.robot
print(robot)

model = robot.model()
q = np.array([0.3, -0.6, 0.9])
rotation, position = model.pose("hand", q)
print("hand at", position.round(3), "torques that hold it", model.inverse_dynamics(q, 0 * q, 0 * q).round(2))

targets = {"shoulder_pan": ld.sine(0.5, omega=2), "shoulder_lift": -0.6, "elbow": ld.cosine(0.4, omega=3, offset=0.9)}
servo = {name: ld.Servo(target, stiffness=400.0, damping=40.0) for name, target in targets.items()}
run = ld.simulate(robot, servo=servo, start={"shoulder_lift": -0.6, "elbow": 1.3}, t_end=3.0, progress=False)
print(f"largest tracking error {float(abs(run.tracking_error()).max()):.3f} rad")
print(f"largest torque {float(abs(run.joint_torque).max()):.1f} N m")
run.plot("arm.png", "joints,torques")
