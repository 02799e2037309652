"""How the normal velocities of a motion change within half a step: what rolls and turns must not sink.

Rows of contacts are those of the middle of a step, M, and the velocity that they choose is gone with until the middle of the next
one. With the coordinate velocities v kept, a gap then changes at the rate gapdot_M + t gapddot, and over the step by

    dt (gapdot_M + s),      s = dt/2 gapddot,      gapddot = d^2/dt^2 gap(q_M exp(t v)).

So gapdot_M + s >= 0 is asked instead of gapdot_M >= 0, and a velocity that came in at gapdot_M was gapdot_M - s at the end of the
step before. A ball that rolls, for one, turns about its lowest point at the end of the step, not in the middle, about which it
would go down by v omega dt / 2 in a second. The gap after half a step has all of it: turning bodies, curved surfaces, joints,
rods. All gaps change as those of one motion, so that contacts that are more than the freedoms need (a snake that lies on the
ground and rolls) agree about s as far as their rows do.
"""

from __future__ import annotations

from locodyn.contact.operator import relative_twist
from locodyn.kernel import compiled
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gap

_STILL = 1e-8  # m or rad in half a step: below it nothing curves beyond round-off


@compiled(called=True)
def curve_contacts(problem, contacts, frame_work, q_mid, v, step, work):
    """``curve`` of the closed contacts, for the velocity v of the start of the step, from gaps half a step later:

        gap(t) = gap + t gapdot + t^2 / 2 gapddot,      t = dt/2.

    ``work.poses`` are those at q_mid, and stay; ``frame_work`` has the twists of the frames.
    """
    half = 0.5 * step
    way_later = contacts.probe.way
    q_later = contacts.probe.q
    way = 0.0
    for i in range(v.shape[0]):
        way_later[i] = half * v[i]
        way = max(way, abs(way_later[i]))
    curved = contacts.curved and contacts.closed > 0 and way > _STILL
    if curved:
        moved_configuration(problem.frames, q_mid, way_later, q_later)
        frame_poses(problem.frames, problem.constants, q_later, 1, work.poses)
    for i in range(contacts.closed):
        contacts.curve[i] = 0.0
        if curved and contacts.known_radius[i] < 0.0:
            u, _ = relative_twist(contacts, frame_work, i)
            gap, _, _ = pair_gap(contacts.pairs, work.poses, contacts.pair[i])
            contacts.curve[i] = 2.0 * ((gap - contacts.gap[i]) / half - u[0])
    if curved:
        for k in range(work.poses.shape[0]):
            for j in range(12):
                work.poses[k, j] = contacts.detection.poses[k, j]
