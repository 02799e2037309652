"""Gaps of all pairs of shapes against coal (GJK and EPA on support functions)."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from contact_cases import poses_at, problem_of, random_configuration
from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Sphere
from locodyn.world.contact_pairs import pair_gap
from locodyn.world.gaps import PAIR

pytestmark = pytest.mark.slow

coal = pytest.importorskip("coal")

SHAPES = {
    "sphere": (Sphere(0.15), lambda: coal.Sphere(0.15)),
    "capsule": (Capsule(0.1, 0.4), lambda: coal.Capsule(0.1, 0.4)),
    "cylinder": (Cylinder(0.15, 0.3), lambda: coal.Cylinder(0.15, 0.3)),
    "box": (Box((0.2, 0.4, 0.3)), lambda: coal.Box(0.2, 0.4, 0.3)),
    "ellipsoid": (Ellipsoid((0.1, 0.2, 0.3)), lambda: coal.Ellipsoid(0.1, 0.2, 0.3)),
}
PAIRS = list(combinations_with_replacement(SHAPES, 2))


def coal_distance(shapes, poses):
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
    request.epa_tolerance, request.epa_max_iterations = 1e-8, 1000
    places = [coal.Transform3s(pose[:9].reshape(3, 3), pose[9:]) for pose in poses]
    coal.distance(shapes[0], places[0], shapes[1], places[1], request, result)
    return result.min_distance, result.normal


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(pair))
def test_gap_of_two_bodies(pair):
    """Random poses: distances that are positive to 1e-6 m, and shallow depths of smooth surfaces; the same normals."""
    problem = problem_of(*(SHAPES[name][0] for name in pair), obstacles=(), self_collision=True)
    shapes = [SHAPES[name][1]() for name in pair]
    pairs, rng, apart, inside = problem.contact.table.arrays, np.random.default_rng(11), 0, 0
    for _ in range(150):
        q = random_configuration(problem, rng, 0.25)
        poses = poses_at(problem, q)
        rows = [pair_gap(pairs, poses, n) for n in range(len(problem.contact.table))]
        axes = poses[1:, 2:9:3]
        if pairs.kind[-1] == PAIR.sides and np.abs(axes @ rows[-1][2]).max() > 1e-9:
            rows.pop()  # sides that do not cross: a lower bound only
        n = int(np.argmin([row[0] for row in rows]))
        gap, normal = rows[n][0], np.array(rows[n][2])
        distance, direction = coal_distance(shapes, poses[1:])
        if distance > 1e-6:
            assert gap == pytest.approx(distance, abs=1e-6)
            assert abs(normal @ direction) == pytest.approx(1.0, abs=1e-4)
            apart += 1
        elif -0.02 < distance < 0.0 and "ellipsoid" in pair:
            assert gap == pytest.approx(distance, abs=2e-4)  # of the polytope of EPA
            inside += 1
    assert apart > 20
    assert inside > 0 or "ellipsoid" not in pair
