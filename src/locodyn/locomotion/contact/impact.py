"""Impacts by Poisson's law: compression, in which contacts stop approaching, then expansion, in which they give impulses back.

    compression:  M (v_C - v_A) = J^T P_C,   0 <= u_C  perp  P_C >= 0
    expansion:    M (v_E - v_C) = J^T P_E,   0 <= u_E  perp  P_E - e P_C >= 0

for the normals of all closed contacts, Coulomb friction in both phases (Pfeiffer and Glocker 1996, 8.2). No time passes, so that
forces and supports with a known load do nothing. A contact that is only pressed, not approached, gives back as well: the impulse
runs through a row of bodies, which it does not with Newton's law. Steps in which nothing approaches have no impact: a resting
robot stays at rest.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import kernel, routine
from locodyn.kernel.vector import load9, rotate
from locodyn.locomotion.contact.arrays import (
    BASIS,
    BEFORE,
    CENTRE,
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    D_RADIUS,
    DENSE,
    FRICTION_LOSS,
    IMPACT_LOSS,
    KNOWN_RADIUS,
    LEAST,
    OFFSET,
    PAIR,
    PARTICULAR,
    RHS,
    SHIFT,
    SUPPLIED,
    W_NEXT,
    ZERO,
    W,
    X,
    Z,
)
from locodyn.locomotion.contact.bilateral import reduce_rows
from locodyn.locomotion.contact.dense import balance, contact_rows, fill_mass
from locodyn.locomotion.contact.detection import find_closed
from locodyn.locomotion.contact.joints import joint_diagonal
from locodyn.locomotion.contact.law import impulses
from locodyn.locomotion.contact.operator import respond
from locodyn.locomotion.contact.step import judge, solve_contacts
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import RESTITUTION

_AT_REST = 1e-6  # m/s: slower approaches are left to the step


@routine
def momentum_of(p, c, q_mid, v, w):
    """RHS := M v, from which a phase starts; bilateral rows are kept by changes of v in their kernel."""
    zero = c.vectors[ZERO]
    work = w.inverse if has_rods(p.constants) else w.work
    inverse_dynamics(p.frames, p.constants, c.still, q_mid, zero, v, w.wrenches[:0], work, c.vectors[RHS])
    for i in range(v.shape[0]):
        c.vectors[PARTICULAR, i] = v[i]
    reduce_rows(p.constraints, c)


@kernel
def begin_phase(c, share):
    """Velocities W_NEXT become those before the phase; normal impulses are at least ``share`` times e Z from now on."""
    row = c.contact
    for i in range(c.counts[CLOSED]):
        row[i, LEAST] = share * c.data[c.closed[i, PAIR], RESTITUTION] * row[i, Z]
        for j in range(6):
            row[i, BEFORE + j] = row[i, W_NEXT + j]
            row[i, W + j] = row[i, W_NEXT + j]
            row[i, CENTRE + j] = 0.0
        row[i, CENTRE] = row[i, LEAST]


@kernel
def end_phase(c, residual):
    """Impulses of the pairs and losses of a phase into the report; velocities W become W_NEXT."""
    row = c.contact
    judge(c, residual)
    for i in range(c.counts[CLOSED]):
        f, _ = impulses(c, i)
        if row[i, KNOWN_RADIUS] < 0.0:
            force = rotate(load9(row, i, BASIS), f)
            for j in range(3):
                c.impulse[c.closed[i, PAIR], j] += force[j]
        c.report[IMPACT_LOSS] -= 0.5 * row[i, Z] * (row[i, BEFORE] + row[i, W])
        for j in range(1, 6):
            c.report[FRICTION_LOSS] -= 0.5 * row[i, Z + j] * (row[i, BEFORE + j] + row[i, W + j])
        for j in range(6):
            row[i, W_NEXT + j] = row[i, W + j]


@routine
def collide(p, c, step, q_mid, v, w):
    """Velocities v before the impacts at q_mid become those after them; nothing happens where nothing approaches."""
    frame_poses(p.frames, p.constants, q_mid, 1, w.poses)
    find_closed(c, w.poses, 0.0)
    row = c.contact
    x = c.vectors[X]
    joint_diagonal(p, c, v, 0.0)
    if c.counts[DENSE] != 0:
        contact_rows(p, c, q_mid, w)
        fill_mass(p, c, 0.0, w)
    momentum_of(p, c, q_mid, v, w)
    for i in range(c.counts[CLOSED]):
        row[i, SHIFT] = 0.0
        for j in range(6):
            row[i, OFFSET + j] = 0.0
            row[i, D_LINEAR + j] = 0.0
            row[i, D_ANGULAR + j] = 0.0
            row[i, Z + j] = 0.0
        for j in range(5):
            row[i, D_RADIUS + j] = 0.0
    for i in range(v.shape[0]):
        x[i] = v[i]
    respond(p, c, q_mid, w, x, w.tau)
    fastest = 0.0
    for i in range(c.counts[CLOSED]):
        if row[i, KNOWN_RADIUS] < 0.0:
            fastest = min(fastest, row[i, W_NEXT])
    if fastest > -_AT_REST:
        return
    # The first half of the step was gone with v as it is: half the work of the weight goes by the velocities before the impact.
    weight = w.stage[2]
    zero = c.vectors[ZERO]
    work = w.inverse if has_rods(p.constants) else w.work
    inverse_dynamics(p.frames, p.constants, p.gravity, q_mid, zero, zero, w.wrenches[:0], work, weight)
    for i in range(v.shape[0]):
        c.report[IMPACT_LOSS] -= 0.5 * step * weight[i] * v[i]
    for share in (0.0, 1.0):
        begin_phase(c, share)
        end_phase(c, solve_contacts(p, c, q_mid, w, w.tau, step))
        if c.counts[DENSE] != 0:
            balance(c, x, w.tau)
        for i in range(v.shape[0]):
            v[i] = x[i]
            if p.imposed.shape[0] > 0 and p.imposed[i] != 0:
                c.report[SUPPLIED] += (w.tau[i] - c.vectors[RHS, i]) * v[i]  # its actuator takes the impulse
        momentum_of(p, c, q_mid, v, w)
    for i in range(v.shape[0]):
        c.report[IMPACT_LOSS] += 0.5 * step * weight[i] * v[i]
