"""Linearise an upside-down pendulum on a wheeled cart, design a regulator (LQR), and run it on the full equations.

Run: python examples/balance_on_wheels.py [folder for the pictures]
"""

import sys
from pathlib import Path

import numpy as np
from scipy.linalg import solve_continuous_are

import locodyn as ld

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(exist_ok=True)

# A cart on two axles; a motor turns the rear one; a pole stands on the cart.
robot = ld.Robot("cart")
cart = robot.base("cart", mass=2.0, inertia=ld.about_centre(zz=0.1), moves="planar")
cart.wheel("front", at=(0.3, 0, -0.1), axis="y")
cart.wheel("rear", at=(-0.3, 0, -0.1), axis="y", radius=0.1, mass=0.4, actuated=True)
pole = robot.body("pole", mass=0.5, centre=(0, 0, 0.4), inertia=ld.about_centre(xx=0.03, yy=0.03, zz=1e-4))
pole.on(cart).turning("y")
standing = ld.Scenario("cart", robot, t_end=6.0, dt=0.005)

# Standing upright is a steady motion. Of all coordinates the place of the cart and the pole are enough.
system = ld.linearise(standing, coordinates=("cart.x", "pole"), inputs=("rear",)).subsystem(("cart.x", "pole"))
print(system)
for mode in system.modes():
    print(f"  {mode.eigenvalue:.4f} 1/s, {mode.stability}")

# The regulator: torque = -gains x, least integral of x^T Q x + torque^2 / 4.
weights, effort = np.diag([4.0, 20.0, 1.0, 1.0]), np.array([[0.25]])
riccati = solve_continuous_are(system.A, system.B, weights, effort)
gains = np.linalg.solve(effort, system.B.T @ riccati)[0]
print("gains", gains.round(3))

names = standing.compiled.coordinate_names
x, angle = names.index("cart.vx"), names.index("pole")


def regulator(t: float, q: np.ndarray, v: np.ndarray) -> float:
    """Torque of the motor, N m."""
    return float(-gains @ [q[0], q[angle], v[x], v[angle]])


closed = standing.changed(torque={"rear": regulator}, start=ld.Start(positions={"pole": 0.5}))
result = closed.run(progress=False)
tilt = result.joint_position.sel(joint="pole").values
print(f"tilt {tilt[0]:.3f} rad at the start, {abs(tilt[-1]):.1e} rad after {result.time.values[-1]:g} s")

# The same function of the library tells how stable the loop is, and over which range of the gain.
swept = ld.linearisation.eigenvalue_sweep(
    lambda factor: ld.linearise(
        closed.changed(torque={"rear": lambda t, q, v: factor * regulator(t, q, v)}, start=None), coordinates=("cart.x", "pole")
    ).subsystem(("cart.x", "pole")),
    np.linspace(0.05, 2.0, 40),
    "gain of the regulator",
)
for boundary in swept.boundaries:
    print(f"unstable {boundary.unstable} {boundary.value:.6f} of the gain ({boundary.kind})")
print(
    f"wrote {ld.view.plot_eigenvalues(swept, folder / 'balance_gains.png')} and {result.plot(folder / 'balance.png', 'joints')}"
)
