"""``locodyn new NAME.yaml``: a scenario to begin with; it says what can be changed, and runs as it is."""

from __future__ import annotations

from pathlib import Path

from locodyn.errors import InputError
from locodyn.files.reading import YAML
from locodyn.files.yaml_writer import word
from locodyn.sim.store import write_beside

TEXT = """\
# A scenario of locodyn: run it with            locodyn run {file} --plot run.png
#                        say what it is with    locodyn describe {file}
# Units are SI, angles in radians. What can be said: docs/files.md, or 'locodyn schema scenario' for your editor.
scenario: {name}
summary: a cart on two wheels that swings an arm

robot:                            # or another file: robot: my_robot.yaml, my_robot.urdf, my_robot.xml
  base:                           # the body that carries the robot
    name: cart
    moves: planar                 # free, planar, fixed, spherical, translating, revolute, prismatic
    mass: 2.0
    shape: {{box: [0.4, 0.2, 0.06]}}                        # without 'inertia' that of the shape
    wheels:                       # ideal contact: no motion along the axle
      rear: {{at: [-0.1, 0, 0], axis: "y", radius: 0.05}}
  bodies:
    arm:
      parent: cart                # the body that carries it
      at: [0.15, 0, 0.05]         # where its joint is on the parent
      turning: z                  # sliding: x, ball: true, universal: [x, y], fixed: true, ...
      mass: 0.8
      centre: [0.1, 0, 0]
      shape: {{capsule: {{radius: 0.02, length: 0.2, axis: x}}}}
      limits: {{lower: -2.0, upper: 2.0}}                  # a run that passes them says so
      actuator: {{torque_limit: 5, viscous: 0.01}}
      markers:
        tip: {{at: [0.2, 0, 0]}}
      wheels:
        front: {{at: [0.1, 0, 0], axis: "y"}}
      # rolling: {{tyre: {{radius: 0.3, axis: "y", crown: 0.02}}}}   # in space: discs, tyres, balls that may lean and fall

world:
  gravity: 9.81
  # slope: 0.1                    # the ground rises towards x by 0.1 rad

drives:                           # a coordinate that is not named is passive
  imposed:                        # motion given, torque computed; 'torque:' is the other way round
    arm: {{sine: {{amplitude: 0.8, omega: 3}}, soft_start: 0.5}}
  # servo: {{arm: {{target: 0.3, stiffness: 10, damping: 1}}}}  # a spring and damper to a target that may move

start:
  positions: {{cart: [0, 0, 0]}}    # x, y and angle of the base
  velocities: {{cart.vx: 0.0}}

time: {{end: 10, step: 0.01}}
integrator: auto                  # chosen from the robot; or rkmk4, radau3, {{method: adaptive, tolerance: 1.0e-9}}
record: {{every: 1}}
"""


def write_template(path: str | Path) -> Path:
    """Write the template; a file that is there already is not touched."""
    file = Path(path)
    if file.suffix.lower() not in YAML:
        raise InputError(f"the new file '{file}' must end in {' or '.join(YAML)}.")
    if file.exists():
        raise InputError(f"'{file}' is there already; give another name.")
    text = TEXT.format(name=word(file.stem), file=file.name)
    return write_beside(file, lambda target: target.write_text(text, encoding="utf-8"))
