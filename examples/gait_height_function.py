"""Three links float in the plane with no momentum. Which loop of the two joint angles turns them most, and how far?

Run: python examples/gait_height_function.py [folder for the picture]
"""

import math
import sys
from pathlib import Path

import locodyn as ld
from locodyn.gaits import area_displacement, harmonic_gait, inverse_gait, net_displacement
from locodyn.view import height_function

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
folder.mkdir(exist_ok=True)

# Three equal rods, 1 kg and 0.4 m each; the middle one is the reference body, the others hang on its ends.
rod = {"mass": 1.0, "inertia": ld.about_centre(xx=1e-4, yy=1.0 * 0.4**2 / 12, zz=1.0 * 0.4**2 / 12)}
robot = ld.Robot("three links")
middle = robot.base("middle", moves="planar", **rod)
robot.body("front", centre=(0.2, 0, 0), **rod).on(middle, at=(0.2, 0, 0)).turning("z")
robot.body("rear", centre=(-0.2, 0, 0), **rod).on(middle, at=(-0.2, 0, 0)).turning("z")

# A round loop in the plane of the two angles, counterclockwise, in a corner where the height of theta has one sign.
loop = harmonic_gait(
    omega=2.0,
    front={"amplitude": 1.0, "phase": math.pi / 2, "offset": -1.2},
    rear={"amplitude": 1.0, "offset": 1.2},
)
net = net_displacement(robot, loop)
print(f"one cycle: {net}, estimated error {net.error:.1e}")
print(f"turn by the area under the height function: {area_displacement(robot, loop, nodes=64)[2]:.6f} rad")
print(f"the same loop the other way round: {net_displacement(robot, loop.reversed())}")
print(f"forth and back on half of it: {net_displacement(robot, loop.retraced(0.5))}")

# How large must the loop be to turn by 10 degrees?
goal = math.radians(10.0)
found = inverse_gait(robot, loop, {"theta": goal}, vary={"front.amplitude": (0.1, 2.5), "rear.amplitude": (0.1, 2.5)})
sizes = ", ".join(f"{name} = {value:.4f} rad" for name, value in found.parameters.items())
print(f"10 degrees in one cycle: {sizes} ({found.iterations} iterations, missed by {found.residual:.1e} rad)")

wide = (-3.0, 3.0)
path = height_function.plot(robot, folder / "height_function.png", [loop, found.gait], limits=(wide, wide), area=True)
print(f"wrote {path}")
