"""Rows of chosen contacts at a configuration, and how fast their velocities change along a motion."""

from __future__ import annotations

from locodyn.contact.detection import place
from locodyn.contact.islands import one_island
from locodyn.contact.rows import contact_rows, dense_twist
from locodyn.kernel import compiled
from locodyn.kernel.vector import load9, rotate
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gap

# Differences of fourth order, (places, weights): their error is about (size / radius of curvature)^4 / 30.
_PLACES, _WEIGHTS = (-2.0, -1.0, 1.0, 2.0), (1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0)
_SIZE = 1e-4  # m or rad


@compiled(called=True)
def rows_at(problem, contacts, numbers, step, q, work):
    """Contacts ``numbers`` (k,) at q become the closed ones of c: axes, friction, and rows ``contacts.robot.jacobian`` (6 k, nv).

    ``step`` (s) turns known loads into impulses.
    """
    frame_poses(problem.frames, problem.constants, q, 1, work.poses)
    for i in range(numbers.shape[0]):
        gap, point, normal = pair_gap(contacts.pairs, work.poses, numbers[i])
        place(contacts, work.poses, i, numbers[i], gap, point, normal, step)
    contacts.closed = numbers.shape[0]
    one_island(contacts)
    contact_rows(problem, contacts, q, work)


@compiled
def add_velocities(contacts, v, weight, out):
    """Add ``weight`` times the velocities at the closed contacts to ``out`` (k, 4): along the normal, and in world axes."""
    for i in range(contacts.closed):
        u, _ = dense_twist(contacts, v, i)
        x = rotate(load9(contacts.basis, i, 0), u)
        out[i, 0] += weight * u[0]
        for j in range(3):
            out[i, 1 + j] += weight * x[j]


@compiled(called=True)
def bends_at(problem, contacts, numbers, q, v, work, out):
    """``out`` (k, 4), m/s^2: d/dt of the velocities of :func:`add_velocities` while q goes on with the velocities v, (dJ/dt) v.

    By differences along the motion, so that curved surfaces and contact points that move on them are in it.
    """
    probe = contacts.probe
    fastest = 1.0
    for i in range(v.shape[0]):
        fastest = max(fastest, abs(v[i]))
    size = _SIZE / fastest
    for i in range(numbers.shape[0]):
        for j in range(4):
            out[i, j] = 0.0
    for k in range(4):
        for i in range(v.shape[0]):
            probe.way[i] = _PLACES[k] * size * v[i]
        moved_configuration(problem.frames, q, probe.way, probe.q)
        rows_at(problem, contacts, numbers, 0.0, probe.q, work)
        add_velocities(contacts, v, _WEIGHTS[k] / size, out)
