"""A soft arm that a tendon bends: its equilibrium, then its motion when the tendon is pulled."""

import locodyn as ld

arm = ld.Robot("tendon arm")
wall = arm.base("wall", moves="fixed")
rod = wall.rod("arm", length=0.3, section=ld.Circle(0.01), material=ld.silicone, bending=4, torsion=1, stretch=1, damping=0.05)
rod.tendon("top", offset=(0.0, 0.012))
rod.tendon("bottom", offset=(0.0, -0.012))
arm.body("camera", mass=0.005, shape=ld.Sphere(0.008)).on(rod).fixed()

slack = ld.statics(arm)
pulled = ld.statics(arm, tension={"top": 3.0})
model = arm.model()
for name, shape in (("slack", slack), ("pulled", pulled)):
    print(name, "tip at", model.pose("arm", shape.q)[1].round(3))

run = ld.simulate(arm, start=slack, tension={"top": ld.motion.transition(0.0, 3.0, duration=0.5)}, t_end=3.0, progress=False)
height = run.rod_position.sel(rod="arm", s=1.0, xyz="z")
print(f"the tip rises from {float(height[0]):.3f} m to {float(height[-1]):.3f} m")
run.plot("arm.png", "snapshots,rod_modes")
