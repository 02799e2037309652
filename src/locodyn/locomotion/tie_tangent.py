"""Cables, springs and torsion springs in the tangent of the equation of motion.

A tie of the coordinate x (:mod:`locodyn.world.ties`) acts by forces F_p at its points, or by moments M_p on their frames. Along
the coordinate q_j point p moves by u_pj, its frame turns by theta_pj, and its velocity changes. From these follow the changes of
x and xdot, of the tension T, of the directions, and of F_p and M_p. In the axes of the frame, which turns along,

    by_q[i, j] -= sum_p u_pi . (dF_p/dq_j - theta_pj x F_p) + theta_pi . (dM_p/dq_j - theta_pj x M_p),
    by_v[i, j] -= sum_p u_pi . dF_p/dv_j + theta_pi . dM_p/dv_j  =  -dT/dxdot dx/dq_i dx/dq_j,

as of all wrench laws (:mod:`locodyn.locomotion.wrench_tangent`); all of it is exact.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, dot, load3, load9, rotate, rotate_back, scale, store3, subtract
from locodyn.locomotion.frame_jacobian import frame_jacobian
from locodyn.shape.kinematics import ROTATION
from locodyn.world.ties import axes_and_spin, point_motion_of, tie_state, twist_motion, way

_MOVED, _FASTER, _TURNED = 0, 3, 6  # columns of ``held``: u, change of the velocity (of a torsion spring: of the spin), theta


@compiled(late=())
def add_ties_tangent(problem, inputs, q, tangent, load, exact):
    """All ties into ``tangent.by_q`` and ``tangent.by_v``; ``exact`` 0: twists do not change with the configuration."""
    ties = problem.wrenches.ties
    for n in range(ties.first.shape[0]):
        for p in range(ties.count[n]):
            hold(problem, tangent, exact, ties.first[n] + p, p * tangent.jacobian.shape[0], ties.turns[n])
        _, answer, _ = tie_state(ties, inputs.rows, n, q, tangent.poses, tangent.motions)
        if ties.turns[n] == 1:
            add_twist_tangent(ties, n, q, answer, tangent, load)
        else:
            add_cable_tangent(ties, n, answer, tangent, load)


@compiled
def hold(problem, tangent, exact, i, first, turns):
    """How all coordinates move point i, world axes, into the rows of ``tangent.held`` from ``first`` on.

    The velocity v = R (x + w x p0) of the point changes by theta x v + R (E_x + E_w x p0), the spin R w likewise.
    """
    ties, jacobian, held = problem.wrenches.ties, tangent.jacobian, tangent.held
    frame_jacobian(problem, tangent, ties.frame[i], exact, jacobian)  # zero for the world
    p0 = load3(ties.position, i, 0)
    _, v = point_motion_of(ties, i, tangent.poses, tangent.motions)
    _, w = axes_and_spin(ties, i, tangent.poses, tangent.motions)
    r = load9(tangent.poses, max(ties.frame[i], 0), ROTATION)
    for j in range(jacobian.shape[0]):
        theta = rotate(r, load3(jacobian, j, 3))
        store3(held, first + j, _TURNED, theta)
        store3(held, first + j, _MOVED, rotate(r, add(load3(jacobian, j, 0), cross(load3(jacobian, j, 3), p0))))
        if turns == 1:
            store3(held, first + j, _FASTER, add(cross(theta, w), rotate(r, load3(jacobian, j, 9))))
        else:
            own = add(load3(jacobian, j, 6), cross(load3(jacobian, j, 9), p0))
            store3(held, first + j, _FASTER, add(cross(theta, v), rotate(r, own)))


@compiled(inline=True)
def over(held, one, two, column):
    """What row ``two`` of ``held`` is more than row ``one``."""
    return subtract(load3(held, two, column), load3(held, one, column))


@compiled(inline=True)
def bend(length, u, d):
    """Change of the direction u of a way of this length as its end moves by d over its start: (d - u u . d) / length."""
    return scale(1.0 / length, subtract(d, scale(dot(u, d), u)))


@compiled
def add_cable_tangent(ties, n, answer, tangent, load):
    """Cable n, whose points are in ``tangent.held``."""
    tension, by_length, by_rate = answer
    nv, held = tangent.jacobian.shape[0], tangent.held
    for j in range(nv):
        longer = 0.0
        faster = 0.0
        for s in range(ties.count[n] - 1):
            a, va = point_motion_of(ties, ties.first[n] + s, tangent.poses, tangent.motions)
            b, vb = point_motion_of(ties, ties.first[n] + s + 1, tangent.poses, tangent.motions)
            length, u = way(ties, a, b)
            d = over(held, s * nv + j, (s + 1) * nv + j, _MOVED)
            longer += dot(u, d)
            faster += dot(u, over(held, s * nv + j, (s + 1) * nv + j, _FASTER))
            faster += dot(bend(length, u, d), subtract(vb, va))
        more = by_length * longer + by_rate * faster
        for s in range(ties.count[n] - 1):
            a, _ = point_motion_of(ties, ties.first[n] + s, tangent.poses, tangent.motions)
            b, _ = point_motion_of(ties, ties.first[n] + s + 1, tangent.poses, tangent.motions)
            length, u = way(ties, a, b)
            one, two = s * nv, (s + 1) * nv
            force = scale(tension, u)
            change = add(scale(more, u), scale(tension, bend(length, u, over(held, one + j, two + j, _MOVED))))
            on_a = subtract(change, cross(load3(held, one + j, _TURNED), force))
            on_b = subtract(change, cross(load3(held, two + j, _TURNED), force))
            by_v = scale(by_rate * longer, u)
            for i in range(nv):
                ui, wi = load3(held, one + i, _MOVED), load3(held, two + i, _MOVED)
                tangent.by_q[i, j] -= load * (dot(ui, on_a) - dot(wi, on_b))
                tangent.by_v[i, j] -= load * (dot(ui, by_v) - dot(wi, by_v))


@compiled
def add_twist_tangent(ties, n, q, answer, tangent, load):
    """Torsion spring n, whose frames are in ``tangent.held``: a moment T m on the first of them and -T m on the second.

    m = R_B g, and g = (R_31, R_32, 1 + R_33) / (1 + R_33) changes with the last row r of R, by r x phi along a turn phi in B.
    """
    tension, by_angle, by_rate = answer
    nv, held = tangent.jacobian.shape[0], tangent.held
    ra, wa = axes_and_spin(ties, ties.first[n], tangent.poses, tangent.motions)
    rb, wb = axes_and_spin(ties, ties.first[n] + 1, tangent.poses, tangent.motions)
    _, _, m = twist_motion(ties, n, q, tangent.poses, tangent.motions)
    last = rotate_back(rb, (ra[2], ra[5], ra[8]))  # z of A in the axes of B
    share = 1.0 / (1.0 + last[2])
    for j in range(nv):
        turn = over(held, j, nv + j, _TURNED)
        moved = cross(last, rotate_back(rb, turn))
        slope = (share * (moved[0] - share * last[0] * moved[2]), share * (moved[1] - share * last[1] * moved[2]), 0.0)
        dm = add(cross(load3(held, nv + j, _TURNED), m), rotate(rb, slope))
        wider = dot(m, turn)
        faster = dot(m, over(held, j, nv + j, _FASTER)) + dot(dm, subtract(wb, wa))
        moment = scale(tension, m)
        change = add(scale(by_angle * wider + by_rate * faster, m), scale(tension, dm))
        on_a = subtract(change, cross(load3(held, j, _TURNED), moment))
        on_b = subtract(change, cross(load3(held, nv + j, _TURNED), moment))
        by_v = scale(by_rate * wider, m)
        for i in range(nv):
            ti, si = load3(held, i, _TURNED), load3(held, nv + i, _TURNED)
            tangent.by_q[i, j] -= load * (dot(ti, on_a) - dot(si, on_b))
            tangent.by_v[i, j] -= load * (dot(ti, by_v) - dot(si, by_v))
