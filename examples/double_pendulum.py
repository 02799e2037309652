"""Describe a robot, look at it, let it fall, and check the energy.

Run: python examples/double_pendulum.py [folder for the picture and the result]
"""

import sys
from pathlib import Path

import locodyn as ld

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(exist_ok=True)

robot = ld.Robot("double pendulum")
ground = robot.base("ground", moves="fixed")
parent, place = ground, (0.0, 0.0, 0.0)
for name, length in (("upper", 0.6), ("lower", 0.4)):
    rod = ld.Capsule(radius=0.02, length=length)
    link = robot.body(name, mass=1.0, centre=(0, 0, -length / 2), shape=rod).on(parent, at=place).turning("y")
    link.actuator(viscous=0.002)
    parent, place = link, (0.0, 0.0, -length)
parent.marker("tip", at=(0, 0, -0.4))

print(robot)

result = ld.simulate(robot, start={"upper": 2.0, "lower": -1.0}, t_end=5.0, dt=0.002, progress=False)
print(result)

energy = result.kinetic_energy + result.potential_energy
lost = result.power_dissipated.integrate("time")
print(f"energy lost {float(energy[0] - energy[-1]):.6f} J, taken by friction {float(lost):.6f} J")

result.save(folder / "double_pendulum.nc")
result.plot(folder / "double_pendulum.png")
print(f"wrote {folder / 'double_pendulum.nc'} and {folder / 'double_pendulum.png'}")
