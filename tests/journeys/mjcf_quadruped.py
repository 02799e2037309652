"""A quadruped from an MJCF file: it stands on its ground, then it steps in place."""

from pathlib import Path

import numpy as np

import locodyn as ld

loaded = ld.load_robot(Path(__file__).parent / "quadruped.xml")
for note in loaded.notes:
    print(note)
scenario = loaded.scenario().changed(t_end=1.0)
print(scenario)
stands = scenario.run(progress=False)
weight = 9.81 * loaded.robot.mass
carried = float(stands.contact_force[-1].sel(xyz="z").sum())
print(f"stands at {float(stands.position[-1, 2]):.3f} m; weight {weight:.1f} N, the ground carries {carried:.1f} N")

sim = scenario.open()
print(sim.action_names)
rest = sim.action.copy()
lift = np.array([name.endswith("knee") for name in sim.action_names])
for k in range(50):
    q, v = sim.step(rest + lift * 0.3 * np.sin(2 * np.pi * k / 25), steps=10)
rotation, place = scenario.model.pose("trunk", q)
print(f"after {sim.time:.2f} s at height {place[2]:.3f} m")
stands.plot("quadruped.png", "energy,contacts")
