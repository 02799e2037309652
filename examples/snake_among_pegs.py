"""A snake among pegs: a gait for the course, push points, and a controller that feels its way where pegs are not as planned."""

import math
import sys
from pathlib import Path

import numpy as np

import locodyn as ld
from locodyn.controllers import ObstacleReaction, SampledController, place_pegs, plan_gait, push_points

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
omega, joints = math.radians(80.0), [f"joint_{k}" for k in range(1, 11)]

planned = np.array(place_pegs(math.radians(45.0), math.radians(-60.0), 9))
plan = plan_gait(planned)
print(f"plan: amplitude {math.degrees(plan.amplitude):.1f}, phase {math.degrees(plan.phase):.1f} deg")
print(f"      {plan.push_points:.1f} push points on average")

real = planned.copy()  # the first four pegs are where they were planned, the others are not
real[4:, :2] += np.random.default_rng(3).uniform(-0.08, 0.08, (5, 2))
start = ld.Start({"link_1": plan.place, **dict(zip(joints, plan.angles, strict=True))})
servo = {name: ld.Servo(law, 800.0, 2.0) for name, law in zip(joints, plan.laws(omega), strict=True)}


def scenario(pegs: np.ndarray, **drive) -> ld.Scenario:
    """The snake at the start of the plan among these pegs."""
    posts = [ld.Obstacle(ld.Cylinder(r), at=(x, y), name=f"peg_{k}", friction=0.0) for k, (x, y, r) in enumerate(pegs, start=1)]
    return ld.zoo.snake_2d().changed(obstacles=posts, start=start, t_end=11.0, checks=(), **drive)


model = scenario(real, servo=servo).model
runs = {
    "as planned": scenario(planned, servo=servo),
    "pegs elsewhere, open loop": scenario(real, servo=servo),
    "pegs elsewhere, reacting": scenario(real, servo={}, controller=SampledController(ObstacleReaction(model, plan, omega))),
}
for name, one in runs.items():
    result = one.run(progress=False)
    x = result.body_position.sel(body="link_6").values[:, 0]
    print(f"{name}: {x[-1] - x[0]:.2f} m in 11 s")
    for point in push_points(result, 2.0, 2.2):
        print(f"      at 2 s {point.obstacle} pushes {point.body} with {point.forward:.1f} N")
    result.plot(folder / f"{name.replace(', ', '_').replace(' ', '_')}.png", "push_view")
