"""Compliant contacts of two surfaces in the tangent of the equation of motion.

The force F at the point c sees the poses and twists of two frames A and B. Along a coordinate these are displaced by (u, theta),
each at its own origin, and their velocities change: for each coordinate that moves one of them, the changes of gap, normal and
point follow from the geometry (:func:`~locodyn.world.compliant_pairs.geometry_slopes`), those of F and of the rates of
deflections from the law, and those of the wrenches on A and B in their own axes from all of these. They are then projected on all
coordinates, as in :mod:`locodyn.locomotion.wrench_tangent`.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, subtract
from locodyn.locomotion.frame_jacobian import frame_jacobian
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST
from locodyn.world.compliant_pairs import geometry_slopes, pair_change, pair_contact
from locodyn.world.law_table import LAW

_NOTHING = (0.0, 0.0, 0.0)


@compiled
def pair_state_slopes(pairs, laws, poses, motions, memory, slopes):
    """``slopes`` (nz, 6): change of the rates of the deflections of compliant pairs by themselves."""
    if pairs is not None:
        for row in range(laws.frame.shape[0]):
            if laws.kind[row] == LAW.pair and laws.memory[row] >= 0:
                contact = pair_contact(pairs, laws, poses, motions, memory, row)
                for c in range(3):
                    _, rate = state_change(pairs, laws, poses, row, contact, c)
                    for j in range(3):
                        slopes[laws.memory[row] + j, c] = rate[j]


@compiled
def state_change(pairs, laws, poses, row, contact, c):
    """Changes of the force on A (world axes) and of the rates (in B) for a unit of the deflection c in B."""
    other = contact[0][1]
    dz = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
    dz = dz if other < 0 else rotate(load9(poses, other, ROTATION), dz)
    df, dr = pair_change(pairs, laws, poses, row, contact, (0.0, _NOTHING, _NOTHING), _NOTHING, dz)
    return df, (dr if other < 0 else rotate_back(load9(poses, other, ROTATION), dr))


@compiled
def add_pairs_tangent(pairs, problem, memory, tangent, load, exact):
    """All compliant pairs that touch or remember into the tangent."""
    if pairs is not None:
        laws = problem.wrenches
        for row in range(laws.frame.shape[0]):
            if laws.kind[row] != LAW.pair:
                continue
            contact = pair_contact(pairs, laws, tangent.poses, tangent.motions, memory, row)
            if contact[1][0] < 0.0:
                add_pair_tangent(pairs, problem, tangent, load, exact, row, contact)
            elif laws.memory[row] >= 0:
                # Off the ground deflections fall back by themselves.
                for c in range(3):
                    _, rate = state_change(pairs, laws, tangent.poses, row, contact, c)
                    for j in range(3):
                        tangent.rate_by_z[laws.memory[row] + j, c] = rate[j]


@compiled(inline=True)
def side_motion(poses, motions, k, jacobian, j, point):
    """Of frame k along coordinate j: displacement at the origin, turn, changes of velocity there and of spin, for by_q; for by_v.

    World axes. The velocity of the frame at a point that moves by dc changes by dx + dw x (c - p) + w x (dc - u).
    """
    if k < 0:
        return _NOTHING, _NOTHING, (_NOTHING, _NOTHING), (_NOTHING, _NOTHING)
    r = load9(poses, k, ROTATION)
    u = rotate(r, load3(jacobian, j, 0))
    theta = rotate(r, load3(jacobian, j, 3))
    x = rotate(r, load3(motions, k, TWIST))
    w = rotate(r, load3(motions, k, TWIST + 3))
    dx = add(cross(theta, x), rotate(r, load3(jacobian, j, 6)))
    dw = add(cross(theta, w), rotate(r, load3(jacobian, j, 9)))
    lever = subtract(point, load3(poses, k, POSITION))
    by_place = subtract(add(dx, cross(dw, lever)), cross(w, u))
    return u, theta, (by_place, w), (add(u, cross(theta, lever)), _NOTHING)


@compiled(inline=True)
def wrench_change(poses, k, point, force, df, u, theta, dc):
    """Change of the wrench of a force at a point on frame k, in the axes of the frame, which is displaced by (u; theta)."""
    r = load9(poses, k, ROTATION)
    lever = subtract(point, load3(poses, k, POSITION))
    f = rotate_back(r, force)
    more = rotate_back(r, subtract(df, cross(theta, force)))
    further = rotate_back(r, subtract(subtract(dc, u), cross(theta, lever)))
    return more, add(cross(further, f), cross(rotate_back(r, lever), more))


@compiled(inline=True)
def project(jacobian, i, wrench):
    """J_i . (force; moment)."""
    return dot(load3(jacobian, i, 0), wrench[0]) + dot(load3(jacobian, i, 3), wrench[1])


@compiled(inline=True)
def is_still(jacobian, j):
    """Whether coordinate j leaves a frame where it is."""
    for d in range(12):
        if jacobian[j, d] != 0.0:
            return False
    return True


@compiled(called=True)
def add_pair_tangent(pairs, problem, tangent, load, exact, row, contact):
    """One contact that touches."""
    laws, poses, motions = problem.wrenches, tangent.poses, tangent.motions
    (frame, other), (_, point, normal, _, _), _, (force, _), _ = contact
    one, two, geometry = tangent.jacobian, tangent.other_jacobian, tangent.geometry
    frame_jacobian(problem, tangent, other, exact, two)
    frame_jacobian(problem, tangent, frame, exact, one)
    geometry_slopes(pairs, poses, laws.pair[row], geometry)
    lead = rotate(load9(poses, frame, ROTATION), load3(pairs.direction, laws.pair[row], 0))
    back = scale(-1.0, force)
    nv, m = one.shape[0], laws.memory[row]
    for j in range(nv):
        if is_still(one, j) and is_still(two, j):
            continue
        ua, ta, (va, wa), ea = side_motion(poses, motions, frame, one, j, point)
        ub, tb, (vb, wb), eb = side_motion(poses, motions, other, two, j, point)
        # What A moves over B, at the point; B takes the geometry along.
        drag = ub
        if other >= 0:
            drag = add(ub, cross(tb, subtract(point, load3(poses, other, POSITION))))
        slip = subtract(add(ua, cross(ta, subtract(point, load3(poses, frame, POSITION)))), drag)
        turn = subtract(ta, tb)
        gap = 0.0
        dn = cross(tb, normal)
        dc = drag
        for d in range(3):
            gap += geometry[0, d] * slip[d] + geometry[0, 3 + d] * turn[d]
            dn = add(dn, scale(slip[d], (geometry[1, d], geometry[2, d], geometry[3, d])))
            dn = add(dn, scale(turn[d], (geometry[1, 3 + d], geometry[2, 3 + d], geometry[3, 3 + d])))
            dc = add(dc, scale(slip[d], (geometry[4, d], geometry[5, d], geometry[6, d])))
            dc = add(dc, scale(turn[d], (geometry[4, 3 + d], geometry[5, 3 + d], geometry[6, 3 + d])))
        dv = subtract(add(va, cross(wa, dc)), add(vb, cross(wb, dc)))
        df, dr = pair_change(pairs, laws, poses, row, contact, (gap, dn, cross(ta, lead)), dv, cross(tb, contact[2][1]))
        ef, er = pair_change(pairs, laws, poses, row, contact, (0.0, _NOTHING, _NOTHING), subtract(ea[0], eb[0]), _NOTHING)
        on_a = wrench_change(poses, frame, point, force, df, ua, ta, dc)
        by_v = wrench_change(poses, frame, point, force, ef, _NOTHING, _NOTHING, _NOTHING)
        for i in range(nv):
            tangent.by_q[i, j] -= load * project(one, i, on_a)
            tangent.by_v[i, j] -= load * project(one, i, by_v)
        if other >= 0:
            on_b = wrench_change(poses, other, point, back, scale(-1.0, df), ub, tb, dc)
            by_v = wrench_change(poses, other, point, back, scale(-1.0, ef), _NOTHING, _NOTHING, _NOTHING)
            for i in range(nv):
                tangent.by_q[i, j] -= load * project(two, i, on_b)
                tangent.by_v[i, j] -= load * project(two, i, by_v)
        if m >= 0:
            dr = subtract(dr, cross(tb, contact[3][1]))
            if other >= 0:
                r = load9(poses, other, ROTATION)
                dr = rotate_back(r, dr)
                er = rotate_back(r, er)
            for c in range(3):
                tangent.rate_by_q[m + c, j] = dr[c]
                tangent.rate_by_v[m + c, j] = er[c]
    if m >= 0:
        add_pair_states(pairs, problem, tangent, load, row, contact)


@compiled
def add_pair_states(pairs, problem, tangent, load, row, contact):
    """Slopes by the deflections of a contact, on whose frames the Jacobians of ``tangent`` are."""
    (frame, other), (_, point, _, _, _), _, _, _ = contact
    laws, poses = problem.wrenches, tangent.poses
    m = laws.memory[row]
    for c in range(3):
        df, rate = state_change(pairs, laws, poses, row, contact, c)
        for j in range(3):
            tangent.rate_by_z[m + j, c] = rate[j]
        on_a = wrench_change(poses, frame, point, _NOTHING, df, _NOTHING, _NOTHING, _NOTHING)
        for i in range(tangent.jacobian.shape[0]):
            tangent.by_z[i, m + c] -= load * project(tangent.jacobian, i, on_a)
        if other >= 0:
            on_b = wrench_change(poses, other, point, _NOTHING, scale(-1.0, df), _NOTHING, _NOTHING, _NOTHING)
            for i in range(tangent.jacobian.shape[0]):
                tangent.by_z[i, m + c] -= load * project(tangent.other_jacobian, i, on_b)
