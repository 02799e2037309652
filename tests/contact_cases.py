"""Bodies among obstacles, at random: what tests of the geometry of contact share."""

import numpy as np

from locodyn.contact.options import HardContact
from locodyn.dynamics.model import Model
from locodyn.locomotion.problem import Problem, Surroundings
from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Robot, Sphere
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world import Ground, Obstacle, Terrain

x, y = np.meshgrid(np.arange(12), np.arange(11), indexing="ij")
HILLS = Terrain(heights=0.3 * np.sin(0.7 * x) * np.cos(0.5 * y), spacing=0.4, origin=(-2.0, -2.0))
OBSTACLES = (
    Ground(normal=(0.1, 0.2, 1.0)),
    Obstacle(Cylinder(0.15), at=(0.7, -0.2)),
    Obstacle(Capsule(0.1, 1.0, axis=(1.0, 0.3, 0.2)), at=(0.2, 0.9, 0.3), name="rail"),
    Obstacle(Sphere(0.2), at=(-0.8, 0.1, 0.4)),
    Obstacle(Box((0.5, 0.6, 0.7)), at=(0.0, -1.0, 0.3), turned=("z", 0.4)),
    HILLS,
    Obstacle(Cylinder(0.15, 0.4, axis=(0.2, 0.3, 1.0)), at=(-0.3, 0.5, -0.4), name="can"),
    Obstacle(Ellipsoid((0.2, 0.15, 0.3)), at=(0.6, 0.3, -0.3), turned=("x", 0.5), name="egg"),
)


def problem_of(*shapes, obstacles=OBSTACLES, self_collision=False, ahead=True):
    robot = Robot("bodies")
    world = robot.base("world", moves="fixed")
    for k, shape in enumerate(shapes):
        robot.body(f"body_{k}", mass=1.0, shape=shape).on(world).free(name=f"body_{k}").collides(friction=0.3)
    options = HardContact(solver="gauss_seidel", ahead=ahead)
    return Problem(Model(robot.compile()), surroundings=Surroundings(obstacles, self_collision, options))


def poses_at(problem, q):
    poses = np.zeros((problem.model.nf, 12))
    frame_poses(problem.arrays.frames, problem.arrays.constants, q, 1, poses)
    return poses


def random_configuration(problem, rng, spread=1.0):
    q = problem.model.compiled.neutral.copy()
    moved = q.copy()
    moved_configuration(problem.arrays.frames, q, spread * rng.normal(size=problem.model.nv), moved)
    return moved


def point_velocity(motions, poses, frame, point):
    """World velocity of the material point of a frame at ``point``."""
    if frame < 0:
        return np.zeros(3)
    r = poses[frame, :9].reshape(3, 3)
    return r @ motions[frame, :3] + np.cross(r @ motions[frame, 3:6], point - poses[frame, 9:])


def rates_of_gaps(problem, q, v, step=1e-5):
    """(n,) d gap / dt by central differences of fourth order, and by how much their curvature times the step jumps at q."""
    gaps = [problem.contact.gaps(q)]
    for k in (1, 2, -2, -1):  # gaps[k], also counted from the end
        moved = q.copy()
        moved_configuration(problem.arrays.frames, q, k * step * v, moved)
        gaps.append(problem.contact.gaps(moved))
    rates = (8.0 * (gaps[1] - gaps[-1]) - (gaps[2] - gaps[-2])) / (12.0 * step)
    return rates, np.abs((gaps[2] - 2.0 * gaps[1]) - (gaps[-2] - 2.0 * gaps[-1])) / step
