"""The fluid that frames move along, in the mass matrix and in the derivatives of inverse dynamics.

Its inertia M of a frame is symmetric, but not that of a rigid body, so that it cannot join the composite bodies; it is added
frame by frame. With the columns J_j of the coordinates that move the frame, in its axes, and Q(x, y) = -ad(x)^T M y,

    F = M etadot + Q(eta, eta),       M_ij += J_i^T M J_j
    d tau_i / d q_j += J_i^T (M A_j + Q(eta, E_j) + Q(E_j, eta))
    d tau_i / d v_j += J_i^T (M B_j + Q(eta, J_j) + Q(J_j, eta))

where E_j, A_j are the changes of eta and etadot with coordinate j, B_j that of etadot with its rate, in the axes of the frame. In
the notation of :mod:`locodyn.dynamics.inverse_dynamics_derivatives` and in fixed axes they are Psi', Psi'' - v x Psi' and
Psi' + Phi' - v x Phi. That F itself turns with the frame is in the recursion over wrenches there.
"""

from __future__ import annotations

from locodyn.dynamics.inertia import articulated_times, fluid_wrench, load_fluid
from locodyn.kernel import portable
from locodyn.kernel.vector import add, cross, dot, load3, load9, subtract
from locodyn.robot.layout import COUNT_V, FIRST_COLUMN, FIRST_V, FLUID, ROOT
from locodyn.shape.kinematics import POSITION, ROTATION, to_child, to_parent
from locodyn.shape.rod import bracket


@portable(inline=True)
def spin(x, w, px, pw):
    """-ad(x; w)^T (px; pw) = (w x px; w x pw + x x px)."""
    return cross(w, px), add(cross(w, pw), cross(x, px))


@portable(inline=True)
def change(inertia, x, w, ex, ew, ax, aw):
    """M (ax; aw) + Q(eta, e) + Q(e, eta) with eta = (x; w)."""
    a, b, c = inertia
    fx, fw = articulated_times(a, b, c, ax, aw)
    px, pw = articulated_times(a, b, c, ex, ew)
    qx, qw = spin(x, w, px, pw)
    px, pw = articulated_times(a, b, c, x, w)
    rx, rw = spin(ex, ew, px, pw)
    return add(fx, add(qx, rx)), add(fw, add(qw, rw))


@portable
def add_row(frames, k, columns, at, f, n, j, matrix):
    """matrix[i, j] += X_i . (f; n) for the coordinates i that move frame k, X their columns from ``at`` on."""
    c = k
    while c >= 0:
        for m in range(frames[c, COUNT_V]):
            row = frames[c, FIRST_COLUMN] + m
            i = frames[c, FIRST_V] + m
            matrix[i, j] = matrix[i, j] + dot(load3(columns, row, at), f) + dot(load3(columns, row, at + 3), n)
        c = frames[c, ROOT]


@portable(late=())
def add_fluid_mass(frames, constants, poses, columns, at, matrix):
    """Add J^T M J of all frames that move fluid along to the mass matrix; columns X from ``at`` on, in the axes of ``poses``."""
    for k in range(frames.shape[0]):
        if frames[k, FLUID] == 0:
            continue
        a, b, d = load_fluid(constants, k)
        r = load9(poses, k, ROTATION)
        p = load3(poses, k, POSITION)
        c = k
        while c >= 0:
            for m in range(frames[c, COUNT_V]):
                row = frames[c, FIRST_COLUMN] + m
                x, w = to_child(r, p, load3(columns, row, at), load3(columns, row, at + 3))
                f, n = articulated_times(a, b, d, x, w)
                f, n = to_parent(r, p, f, n)
                add_row(frames, k, columns, at, f, n, frames[c, FIRST_V] + m, matrix)
            c = frames[c, ROOT]


@portable
def fluid_wrench_in_axes(constants, k, r, p, vx, vw, ax, aw):
    """F of the fluid of frame k, its pose (r, p), twist (vx; vw) and acceleration (ax; aw) in fixed axes, and F too."""
    x, w = to_child(r, p, vx, vw)
    dx, dw = to_child(r, p, ax, aw)
    f, n = fluid_wrench(constants, k, x, w, dx, dw)
    return to_parent(r, p, f, n)


@portable(late=())
def add_fluid_derivatives(frames, constants, work, twist, dof_work, phi, by_q, by_v, by_a):
    """Add the parts of all frames that move fluid along to the derivatives of inverse dynamics.

    ``work``: poses in fixed axes, their twists from column ``twist`` on; ``dof_work``: Phi, Psi', Psi'', Psi' + Phi' of the
    coordinates from column ``phi`` on, six numbers each.
    """
    for k in range(frames.shape[0]):
        if frames[k, FLUID] == 0:
            continue
        inertia = load_fluid(constants, k)
        r = load9(work, k, ROTATION)
        p = load3(work, k, POSITION)
        vx = load3(work, k, twist)
        vw = load3(work, k, twist + 3)
        x, w = to_child(r, p, vx, vw)
        c = k
        while c >= 0:
            for m in range(frames[c, COUNT_V]):
                row = frames[c, FIRST_COLUMN] + m
                j = frames[c, FIRST_V] + m
                fx = load3(dof_work, row, phi)
                fw = load3(dof_work, row, phi + 3)
                px = load3(dof_work, row, phi + 6)
                pw = load3(dof_work, row, phi + 9)
                jx, jw = to_child(r, p, fx, fw)
                ex, ew = to_child(r, p, px, pw)
                tx, tw = bracket(vx, vw, px, pw)
                dx, dw = to_child(
                    r, p, subtract(load3(dof_work, row, phi + 12), tx), subtract(load3(dof_work, row, phi + 15), tw)
                )
                tx, tw = bracket(vx, vw, fx, fw)
                sx, sw = to_child(
                    r, p, subtract(load3(dof_work, row, phi + 18), tx), subtract(load3(dof_work, row, phi + 21), tw)
                )
                f, n = change(inertia, x, w, ex, ew, dx, dw)
                f, n = to_parent(r, p, f, n)
                add_row(frames, k, dof_work, phi, f, n, j, by_q)
                f, n = change(inertia, x, w, jx, jw, sx, sw)
                f, n = to_parent(r, p, f, n)
                add_row(frames, k, dof_work, phi, f, n, j, by_v)
                f, n = articulated_times(inertia[0], inertia[1], inertia[2], jx, jw)
                f, n = to_parent(r, p, f, n)
                add_row(frames, k, dof_work, phi, f, n, j, by_a)
            c = frames[c, ROOT]
