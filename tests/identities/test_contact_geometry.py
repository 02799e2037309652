"""Gaps, contact points and normals of hard contact: against finite differences, brute force and Transeth's case form."""

import itertools

import numpy as np
import pytest

from contact_cases import HILLS, OBSTACLES, point_velocity, poses_at, problem_of, random_configuration, rates_of_gaps
from locodyn.contact.detection import find_closed
from locodyn.robot import Box, Capsule, Cylinder, Ellipsoid, Sphere, rotation_about
from locodyn.robot.pose import rotation_of_quaternion
from locodyn.shape.configuration import moved_configuration
from locodyn.world import Obstacle
from locodyn.world.contact_pairs import pair_gap
from locodyn.world.gaps import PAIR
from locodyn.world.terrain_gaps import terrain_gap, terrain_height

pytestmark = pytest.mark.slow

SHAPES = (Sphere(0.1), Capsule(0.08, 0.3, axis=(1.0, 0.5, 0.0), at=(0.02, 0.0, 0.01)), Box((0.3, 0.2, 0.25)))
EGG = Ellipsoid((0.1, 0.2, 0.3), at=(0.01, 0.02, -0.03))
CAN = Cylinder(0.1, 0.3, axis=(1.0, 0.2, 0.1))


@pytest.mark.parametrize(
    "shapes",
    [(s,) for s in SHAPES] + [(SHAPES[0], SHAPES[1]), (SHAPES[1], SHAPES[2]), (SHAPES[2], SHAPES[2])]
    + [(EGG,), (EGG, SHAPES[0]), (SHAPES[1], EGG), (EGG, EGG), (EGG, SHAPES[2])]
    + [(CAN,), (CAN, CAN), (CAN, EGG), (CAN, SHAPES[1]), (SHAPES[2], CAN)],
)  # fmt: skip
def test_rate_of_a_gap_is_the_normal_velocity_of_its_point(shapes):
    """d gap / dt along random velocities; all pairs of shapes, also edges under edges."""
    problem = problem_of(*shapes, self_collision=len(shapes) > 1)
    pairs, rng, seen, inside = problem.contact.table.arrays, np.random.default_rng(1), 0, 0
    for k in range(120 if len(problem.contact.table) < 60 else 40):
        q, v = random_configuration(problem, rng, 1.0 if k % 3 == 0 else 0.4), rng.normal(size=problem.model.nv)
        poses, motions = poses_at(problem, q), problem.model.kinematics(q, v)[1]
        rates, kinks = rates_of_gaps(problem, q, v)
        for n in range(len(problem.contact.table)):
            gap, point, normal = pair_gap(pairs, poses, n)
            kind = pairs.kind[n]
            if gap < -0.05 or (kind in (PAIR.terrain, PAIR.rim_terrain, PAIR.ellipsoid_terrain) and gap > 0.1):
                continue  # deep inside the nearest face changes, far from hills the nearest foot does
            if (kind == PAIR.sides and gap == 1e-6) or pairs.lean[n] > 0.0:
                continue  # two sides that do not cross; a point of a flat end, which is farther where the cylinder leans
            # Under the rim of a cylinder normals are right to first order of the depth.
            bent = 30.0 * max(0.0, -gap) if kind in (PAIR.round_cylinder, PAIR.rim_box, PAIR.rim_cylinder) else 0.0
            speed = point_velocity(motions, poses, pairs.frame[n], np.array(point))
            speed = speed - point_velocity(motions, poses, pairs.other[n], np.array(point))
            if kinks[n] < 3e-7:  # the nearest face, edge or corner stays the same
                assert rates[n] == pytest.approx(normal @ speed, abs=1e-7 + bent), (problem.contact.table.names[n], gap)
                seen, inside = seen + 1, inside + (gap < 0.0)
    assert seen > 100
    assert inside > 2


@pytest.mark.parametrize("endless", [False, True])
def test_ellipsoid_on_peg_by_brute_force(endless):
    """Least distance of 20000 points of the ellipsoid from the axis of a tilted peg: from above, and to 1e-4."""
    solid = Cylinder(0.05, axis=(1.0, 0.3, 0.2)) if endless else Capsule(0.05, 0.4, axis=(1.0, 0.3, 0.2))
    peg = Obstacle(solid, at=(0.2, 0.4, 0.3))
    problem = problem_of(Ellipsoid((0.1, 0.2, 0.3)), obstacles=(peg,))
    rng = np.random.default_rng(7)
    sphere = rng.normal(size=(20000, 3))
    surface = sphere / np.linalg.norm(sphere, axis=1)[:, None] * (0.1, 0.2, 0.3)
    seen = 0
    for _ in range(20):
        q = random_configuration(problem, rng, 0.6)
        pose = poses_at(problem, q)[1]
        points = surface @ pose[:9].reshape(3, 3).T + pose[9:] - peg.at
        along = points @ solid.axis
        along = along if endless else np.clip(along, -0.2, 0.2)
        least = np.linalg.norm(points - along[:, None] * solid.axis, axis=1).min() - 0.05
        gap = problem.contact.gaps(q)[0]
        if gap > 0.0:
            assert -1e-12 < least - gap < 2e-3  # of the spacing h of the points: h^2 / 2 (1/distance + curvature)
            seen += 1
    assert seen > 5


def test_inside_an_ellipsoid():
    """A small ball at the centre and on the axes: depth of the nearest end of the shortest axis, or of the near end."""
    problem = problem_of(Ellipsoid((0.1, 0.2, 0.3)), obstacles=(Obstacle(Sphere(0.01), at=(0.0, 0.0, 0.0)),))

    def at(*x):
        return problem.contact.gaps(np.array([*x, 1.0, 0.0, 0.0, 0.0]))[0]

    assert at(0.0, 0.0, 0.0) == pytest.approx(-0.1 - 0.01, abs=1e-12)
    assert at(0.09, 0.0, 0.0) == pytest.approx(-0.01 - 0.01, abs=1e-12)
    assert at(0.0, 0.0, 0.299) == pytest.approx(-0.001 - 0.01, abs=1e-12)
    assert at(0.0, 0.5, 0.0) == pytest.approx(0.3 - 0.01, abs=1e-12)


def test_capsule_on_peg_is_the_case_form_of_transeth():
    """Side, front and rear circle of a link against a circle: Transeth (2007), (3.8)-(3.12)."""
    half, radius = 0.15, 0.08
    problem = problem_of(Capsule(radius, 2.0 * half, axis="x"), obstacles=(Obstacle(Cylinder(0.05), at=(0.3, 0.1)),))
    rng = np.random.default_rng(3)
    cases = set()
    for _ in range(200):
        centre, angle = rng.uniform(-1.0, 1.0, 2), rng.uniform(-np.pi, np.pi)
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        to_peg = np.array([0.3, 0.1]) - centre
        if abs(to_peg @ along) <= half:
            gap, case = abs(to_peg @ across) - 0.05 - radius, "side"
        else:
            sign = np.sign(to_peg @ along)
            gap, case = np.linalg.norm(centre + sign * half * along - (0.3, 0.1)) - 0.05 - radius, f"end {sign}"
        q = np.array([*centre, 0.4, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
        assert problem.contact.gaps(q)[0] == pytest.approx(gap, abs=1e-12)
        cases.add(case)
    assert len(cases) == 3


@pytest.mark.parametrize("obstacle", OBSTACLES[1:5], ids=lambda o: o.name)
def test_capsule_gap_by_brute_force(obstacle):
    """The least distance of 4001 points of the axis from the obstacle, sampled: right to 1e-6."""
    problem = problem_of(SHAPES[1], obstacles=(obstacle,))
    rng = np.random.default_rng(4)
    ends = problem.contact.table.arrays.first[0], problem.contact.table.arrays.last[0]
    for _ in range(10):
        q = random_configuration(problem, rng)
        pose = poses_at(problem, q)[1]
        s = np.linspace(0.0, 1.0, 4001)[:, None]
        points = (ends[0] + s * (ends[1] - ends[0])) @ pose[:9].reshape(3, 3).T + pose[9:]
        solid = obstacle.solid
        if isinstance(solid, Box):
            local = np.abs((points - obstacle.at) @ obstacle.turned) - 0.5 * solid.size
            distance = np.linalg.norm(np.maximum(local, 0.0), axis=1)
            if distance.min() == 0.0:
                continue
        elif isinstance(solid, Sphere):
            distance = np.linalg.norm(points - obstacle.at, axis=1) - solid.radius
        else:
            reach = (points - obstacle.at) @ solid.axis
            reach = reach if solid.length is None else np.clip(reach, -solid.length / 2, solid.length / 2)
            distance = np.linalg.norm(points - obstacle.at - reach[:, None] * solid.axis, axis=1) - solid.radius
        assert problem.contact.gaps(q)[0] == pytest.approx(distance.min() - 0.08, abs=1e-6)


SOLIDS = (Sphere(0.1), Capsule(0.08, 0.3, axis="x"), Cylinder(0.1, 0.2), Box((0.2, 0.3, 0.1)), Ellipsoid((0.1, 0.2, 0.15)))


@pytest.mark.parametrize("one, two", list(itertools.combinations(SOLIDS, 2)), ids=lambda solid: solid.word)
def test_a_solid_is_the_same_on_a_body_and_in_the_world(one, two):
    """The distance of two solids does not depend on which of them stands in the world: to the tolerance of iterated gaps."""
    here, there = (problem_of(body, obstacles=(Obstacle(other, at=(0, 0, 0)),)) for body, other in ((one, two), (two, one)))
    rng, apart = np.random.default_rng(11), 0
    for _ in range(12):
        q = random_configuration(here, rng, 0.5)
        rotation = rotation_of_quaternion(q[3:])
        back = np.array([*(-rotation.T @ q[:3]), q[3], *-q[4:]])
        gap = here.contact.gaps(q).min()
        if gap > 0.0:  # overlaps of edges are measured differently
            assert there.contact.gaps(back).min() == pytest.approx(gap, abs=1e-9)
            apart += 1
    assert apart > 3


def test_terrain_gap_by_brute_force():
    problem = problem_of(Sphere(0.1), obstacles=(HILLS,))
    rng = np.random.default_rng(5)
    grid = np.linspace(-0.3, 0.3, 121)
    for _ in range(5):
        centre = np.array([*rng.uniform(-1.0, 1.5, 2), 0.0])
        h = terrain_height(problem.contact.table.arrays.heights, 0, 12, 11, 0.4, centre[0] + 2.0, centre[1] + 2.0)[0]
        centre[2] = h + 0.2
        surface = []
        for a, b in itertools.product(grid, grid):
            h = terrain_height(problem.contact.table.arrays.heights, 0, 12, 11, 0.4, centre[0] + a + 2.0, centre[1] + b + 2.0)[0]
            surface.append((centre[0] + a, centre[1] + b, h))
        least = np.linalg.norm(np.array(surface) - centre, axis=1).min()
        q = np.array([*centre, 1.0, 0.0, 0.0, 0.0])
        assert problem.contact.gaps(q)[0] == pytest.approx(least - 0.1, abs=2e-4)  # of the grid: 0.005^2 / 0.2


@pytest.mark.parametrize("slope", [1.0, 3.0])
def test_terrain_gap_on_steep_hills(slope):
    """Near the surface of waves of 45 and 72 degrees: the least distance of 20001 points of a section (error 2e-6)."""
    number, spacing = 40, 0.05
    heights = slope / (2.0 * np.pi) * np.sin(2.0 * np.pi * spacing * np.arange(number))
    flat = np.repeat(heights, number)
    along = np.linspace(0.1, 1.85, 20001)
    h = np.array([terrain_height(flat, 0, number, number, spacing, float(a), 1.0)[0] for a in along])
    rise = np.gradient(h, along)
    rng = np.random.default_rng(8)
    for n, distance in zip(rng.integers(5000, 15000, 60), rng.uniform(0.002, 0.02, 60), strict=True):
        at = np.array([along[n], h[n]]) + distance * np.array([-rise[n], 1.0]) / np.hypot(rise[n], 1.0)
        least = np.hypot(along - at[0], h - at[1]).min()
        gap, _, _ = terrain_gap((at[0], 1.0, at[1]), 0.0, flat, 0, number, number, spacing, 0.0, 0.0)
        assert gap == pytest.approx(least, abs=1e-5)


@pytest.mark.parametrize("ahead, skin", [(False, 1e-7), (True, 1e-6)])
def test_no_contact_is_missed_by_looking_seldom(ahead, skin):
    """Along a random way the closed pairs are exactly those of looking at all pairs in every step.

    Closed is what lies within the skin for round-off, 0.1 micrometre; where a step looks ahead, 1 micrometre (and the way of its
    sides in a step, which is not known here).
    """
    problem = problem_of(*SHAPES, CAN, EGG, self_collision=True, ahead=ahead)
    rng, contacts = np.random.default_rng(6), problem.contact.arrays
    q = random_configuration(problem, rng)
    problem.contact.begin(q)
    v, closed, looked = rng.normal(size=problem.model.nv), 0, 0
    for _ in range(250):
        v = 0.98 * v + 0.2 * rng.normal(size=v.size)
        for k in range(5):  # kept near the obstacles
            v[6 * k : 6 * k + 3] -= 0.05 * rotation_from_quaternion(q[7 * k + 3 : 7 * k + 7]).T @ q[7 * k : 7 * k + 3]
        moved_configuration(problem.arrays.frames, q, 0.01 * v, q)
        due = contacts.detection.due.copy()
        find_closed(contacts, poses_at(problem, q), 0.01)
        found = set(contacts.pair[: contacts.closed].tolist())
        assert found == set(np.flatnonzero(problem.contact.gaps(q) <= skin).tolist())
        closed, looked = closed + len(found), looked + int((contacts.detection.due != due).sum())
    assert closed > 50
    assert looked < 0.7 * 250 * len(problem.contact.table)


def rotation_from_quaternion(h):
    angle = 2.0 * np.arctan2(np.linalg.norm(h[1:]), h[0])
    return np.eye(3) if angle == 0.0 else rotation_about(h[1:] / np.linalg.norm(h[1:]), angle)
