"""Scenario files that together say whatever a scenario can say."""

from pathlib import Path

from locodyn.files import scenario_of
from locodyn.sim import Scenario

EVERYTHING = """\
scenario: everything
summary: whatever a scenario can say
robot: {zoo: snakeboard}
world: {gravity: [0.1, 0.2, -9.0]}
drives:
  imposed: {joint_1: {sine: {amplitude: 0.3, omega: 2, phase: 0.1, offset: 0.2}, factor: 2, soft_start: {duration: 3, start: 1}}}
  torque: {joint_2: {polynomial: [1, 2]}}
  servo: {joint_3: {target: {cycloid: {start: 0.1, end: 1, duration: 2, at: 1}}, stiffness: -3, damping: 0.5, begins: 0.2}}
  dependent: [board.vx]
  steering: {front.wheel: 0.3}
  rolling: {front.wheel: {ramp: {slope: 2, at: 1, blend: 0.5}}}
  wheel_torque: {rear.wheel: {transition: {start: 0, end: 1, duration: 2, at: 0.5, degree: 7}}}
  speeds: [{of: board, along: [1, 0, 0], distance: {spline: {times: [0, 1, 2, 3], values: [0, 1, 4, 9], degree: 3}}}]
  equal: [[front.wheel, rear.wheel]]
  weights: {front.wheel.side: 2}
  static: {rear.wheel.side: 3}
  torque_method: projective
start:
  {positions: {board.x: 0.1}, velocities: {board.vx: 0.2}, zero_momentum: true, adjust: [board.vy], keep: [board.vx, joint_1],
   memory: {joint_2.drive: 0.3}}
time: {end: 5, step: 0.02}
integrator: {method: adaptive, tolerance: 1e-7}
record:
  {every: 2, only: [position, measured], motor_reactions: true,
   sensors: {eye: {kind: position, of: board, noise: 0.1, seed: 3, delay: 0.02}}}
checks: [{of: position, expected: [1, 2, 3], tolerance: 1}]
"""

SOFT = """\
robot:
  base: {name: ground, moves: fixed}
  bodies:
    arm:
      parent: ground
      rod: {length: 0.4, section: {circle: {radius: 0.005}}, material: silicone, bending: 2, damping: 0.05}
      tendons: {pulls: {offset: [0.004, 0]}, spring: {offset: [-0.004, 0], stiffness: 200}}
      chambers: {bellows: {area: 1e-5}}
      muscles: {core: {stress: [0, 0, 0, 0, 0, 1e-4], active_stiffness: [0, 0, 0, 0, 0, 1e-4]}}
  wrenches:
    wind: {acts_on: arm, law: {world_force: {force: [0, 0.01, 0]}}, along: [0.1, 0.3], profile: [[0, 1], [0.4, 2]]}
    hold: {acts_on: arm, law: {feedback: {proportional: 0.01}}}
drives:
  activation: {core: 0.5}
  load: {wind: {sine: {amplitude: 1, omega: 3}}}
  desired: {hold.y: {ramp: {slope: 0.1}}}
  tension: {pulls: {sine: {amplitude: 0.01, omega: 6, offset: 0.02}}}
  tendon_length: {spring: 0.399}
  pressure: {bellows: {ramp: {slope: 100}}}
start: {equilibrium: true, load_steps: 2}
time: {end: 0.1, step: 0.01}
integrator: {method: generalized_alpha, rho_inf: 0.7, split: 1}
"""

HARD = """\
robot:
  base: {name: block, mass: 2, shape: {box: [0.4, 0.3, 0.1]}, collides: {sole: {friction: 0.3, restitution: 0.2}}}
obstacles:
  - {ground: {friction: {along: 0.2, backward: 0.4}, at: [0, 0, -0.1], normal: [0, 0.1, 1], restitution: 0}}
  - {cylinder: {at: [1, 0], radius: 0.05, axis: y, length: 0.4, name: post, friction: 0, restitution: 1}}
  - {sphere: {at: [2, 0, 0], radius: 0.5, restitution: 0.5, friction: 0.1}}
  - {box: {at: [3, 0, 0], size: [1, 2, 3], turned: [z, 0.3], restitution: 0.1, friction: 0.2}}
  - {capsule: {at: [5, 0, 0], radius: 0.2, length: 1, axis: x, turned: [z, 0.1], name: log, friction: 0.3, restitution: 0.4}}
  - {ellipsoid: {at: [6, 0, 0], semi_axes: [0.1, 0.2, 0.3], turned: [x, 0.2], name: egg, friction: 0.1, restitution: 0.2}}
  - terrain:
      {heights: [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 0]], spacing: 0.5, origin: [4, 5], friction: [0.1, 0.2],
       restitution: 0.3}
self_collision: true
contact:
  {solver: prox, tolerance: 1e-6, iterations: 7, implicit_servo: false, midpoint: false, r_normal: 2,
   r_tangent: 3, stabilise: true, restitution: poisson, theta: 0.7, ahead: false, curved: false, projection: outward, stops: true,
   sleeping: true}
start: {positions: {block: [0, 0, 0.05, 0, 0, 0]}, resolve: true}
time: {end: 0.1, step: 1e-3}
integrator: moreau
"""

STEPPING = """\
robot:
  base: {name: rail, moves: prismatic, axis: x, joint: x}
  bodies:
    hip: {parent: rail, mass: 10, sliding: z}
    left: {parent: hip, mass: 5, centre: [0, 0, -0.5], turning: y, feet: {left_foot: {at: [0, 0, -1]}}}
    right: {parent: hip, mass: 5, centre: [0, 0, -0.5], turning: y, feet: {right_foot: {at: [0, 0, -1]}}}
phases:
  phases: {left: left_foot, right: {feet: [right_foot], locked: {left: 0.5}}, air: {locked: {}}}
  transitions:
    - {from: left, to: right, touchdown: {foot: right_foot, ahead: 0.1, along: [0, 1, 0], stiff: {right: 0.2}}}
    - {from: right, to: left, touchdown: {foot: left_foot, anywhere: true}}
    - {from: left, to: air, lift_off: {foot: left_foot}}
    - {from: air, to: left, reaches: {coordinate: right, value: 0.3, direction: falling, exchange: true}}
  start: right
  mirror: {pairs: {left: right}, feet: {left_foot: right_foot}, negated: [x]}
  friction: 0.4
  scuffing: true
  final: air
"""


def made(text: str, folder: Path, name: str) -> Scenario:
    """The scenario of a file ``name.yaml`` with this text."""
    file = folder / f"{name}.yaml"
    file.write_text(text)
    return scenario_of(file).scenario
