"""Parking a car by optimal control: the reduced dynamics of the zoo's car as a CasADi function, solved with Ipopt.

The car is to end 3 m to the left of where it stood, at rest and with the same heading, within 8 s and with the least effort.

Run: python examples/optimal_control.py [FOLDER]   (needs the extra: pip install locodyn[symbolic])
"""

import sys
from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

from locodyn.symbolic.zoo import generator

STEPS, DURATION, SHIFT = 60, 8.0, 3.0

# qdot and udot from q = (x, y, angle), u = (forward speed), the torque of each rear wheel, and the steering angle and its rate.
forward = generator("car", symbols="none").function("forward")
print(f"forward dynamics of the car: {forward.program.size} operations")
dynamics = forward.casadi()

# State: x, y, angle, speed, steering angle. Control: torque of each rear wheel (kN m), steering rate.
x, c = ca.SX.sym("x", 5), ca.SX.sym("c", 2)
torque = 1000 * c[0]
qdot, udot = dynamics(x[:3], x[3], torque, torque, ca.vertcat(x[4], c[1]))
rate = ca.Function("rate", [x, c], [ca.vertcat(qdot, udot, c[1])])

# One step of the classical Runge-Kutta method.
h = DURATION / STEPS
k1 = rate(x, c)
k2 = rate(x + h / 2 * k1, c)
k3 = rate(x + h / 2 * k2, c)
k4 = rate(x + h * k3, c)
step = ca.Function("step", [x, c], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])

opti = ca.Opti()
states, controls = opti.variable(5, STEPS + 1), opti.variable(2, STEPS)
opti.subject_to(states[:, 1:] == step.map(STEPS)(states[:, :-1], controls))
opti.subject_to(states[:, 0] == 0)
opti.subject_to(states[:, -1] == ca.DM([0, SHIFT, 0, 0, 0]))
opti.subject_to(opti.bounded(-0.6, states[4, :], 0.6))
opti.subject_to(opti.bounded(-0.8, controls[1, :], 0.8))
opti.minimize(ca.sumsqr(controls[0, :]) + ca.sumsqr(controls[1, :]))
guess = np.linspace(0.0, 1.0, STEPS + 1)
opti.set_initial(states[0, :], 6 * np.sin(np.pi * guess))
opti.set_initial(states[1, :], SHIFT * guess)
opti.set_initial(states[2, :], 0.5 * np.sin(2 * np.pi * guess))  # turned left while going forth, right while coming back
opti.set_initial(states[3, :], 6 * np.pi / DURATION * np.cos(np.pi * guess))
opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
solution = opti.solve()

path, effort = solution.value(states), solution.value(opti.f)
print(
    f"effort {effort:.4f}; forward to x = {path[0].max():.2f} m and back; largest steering angle {np.abs(path[4]).max():.3f} rad"
)


# The same controls through the NumPy function, ten times finer.
def slope(y, torque, turn):
    """Rate of the state."""
    qdot, udot = forward(y[:3], y[3:4], [1000 * torque], [1000 * torque], [y[4], turn])
    return np.concatenate([qdot, udot, [turn]])


state = np.zeros(5)
for control in np.repeat(solution.value(controls).T, 10, axis=0):
    s1 = slope(state, *control)
    s2 = slope(state + h / 20 * s1, *control)
    s3 = slope(state + h / 20 * s2, *control)
    s4 = slope(state + h / 10 * s3, *control)
    state = state + h / 60 * (s1 + 2 * s2 + 2 * s3 + s4)
print(f"integrated again in finer steps it ends {np.hypot(state[0], state[1] - SHIFT):.1e} m from the goal")

figure, axes = plt.subplots(figsize=(6, 4))
axes.plot(path[0], path[1], color="#1f5fa8")
axes.quiver(path[0, ::4], path[1, ::4], np.cos(path[2, ::4]), np.sin(path[2, ::4]), color="#1f5fa8", width=0.004, scale=18)
axes.plot([0, 0], [0, SHIFT], "o", color="#b03a2e")
axes.set(xlabel="x (m)", ylabel="y (m)", title="Rear axle of the car, parking sideways", aspect="equal")
file = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "optimal_control.png"
figure.savefig(file, dpi=150, bbox_inches="tight")
print(f"wrote {file}")
