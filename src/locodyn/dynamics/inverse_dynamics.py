"""Inverse dynamics: motion in, generalised forces out. Two passes on a tree (Luh, Walker and Paul 1980; Ali 2011, 3.2).

Gravity costs nothing: the world is given the acceleration -g, which the recursion carries to every body.
"""

from __future__ import annotations

from locodyn.dynamics.inertia import fluid_wrench, inertial_wrench, load_inertia
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.vector import (
    add,
    cross,
    increase3,
    load3,
    load9,
    rotate_back,
    store3,
    store9,
    subtract,
)
from locodyn.record import record
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT, REVOLUTE, ROD, ROOT, SLICE
from locodyn.shape.field import along_field, has_fields
from locodyn.shape.joint import joint_force, joint_pose, joint_twist
from locodyn.shape.kinematics import ACCELERATION, ROTATION, TWIST, to_child, to_parent
from locodyn.shape.rod import add_slice_force, mode_motions, motion_of_slice, pulled_back, slice_motion, strain_forces

# Workspace of a frame: pose in the parent, twist, its derivative, wrench.
WORK = record(rotation=9, position=3, twist=6, rate=6, wrench=6)
# Robots with rods: T(Omega) as a block pair and the strains at the two points of a slice.
ROD_WORK = record(WORK, tangent=18, strain_1=6, strain_2=6)


def work_columns(has_rods: bool) -> int:
    """Columns of the workspace that a robot needs."""
    return int(ROD_WORK.size if has_rods else WORK.size)


@portable(inline=True)
def inverse_dynamics(frames, constants, gravity, q, v, a, wrenches, work, tau):
    """tau = M(q) a + bias(q, v) - J^T wrenches, for all coordinates, those of the reference joint included.

    Parameters
    ----------
    frames, constants : the compiled robot, see :mod:`locodyn.robot.layout`.
    gravity : (3,) m/s^2, world axes.
    q, v, a : (nq,), (nv,), (nv,) configuration, velocity, acceleration.
    wrenches : (n, 6) external wrench on each frame (force; moment at its origin, in its axes), N and N m, or (0, 6) for none.
    work : (n, :func:`work_columns`) workspace; on return ``work[k, WRENCH:]`` is the wrench that the parent exerts on frame k,
    in frame k:
        row 0 is what the world must exert on the reference body.
    tau : (nv,) result, N m or N.
    """
    outward_motions(frames, constants, gravity, q, v, a, wrenches, work, tau)
    inward_wrenches(frames, constants, q, a, 1, work, tau)


@portable(inline=True)
def outward_motions(frames, constants, gravity, q, v, a, wrenches, work, tau):
    """(3.7)-(3.10) poses, twists, accelerations, reference body to tips; each frame starts with the wrench of its own body."""
    loaded = wrenches.shape[0] > 0
    o = lit(q[0], 0.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        if code == ROD:
            slice_outward(frames, constants, k, q, v, a, work, tau)
            r = load9(work, k, WORK.rotation)
            p = load3(work, k, WORK.position)
        else:
            r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
            store9(work, k, WORK.rotation, r)
            store3(work, k, WORK.position, p)
        if parent < 0:
            x = (o, o, o)
            w = (o, o, o)
            ax = rotate_back(r, (o - gravity[0], o - gravity[1], o - gravity[2]))
            aw = (o, o, o)
        else:
            x, w = to_child(r, p, load3(work, parent, WORK.twist), load3(work, parent, WORK.twist + 3))
            ax, aw = to_child(r, p, load3(work, parent, WORK.rate), load3(work, parent, WORK.rate + 3))
        if code == REVOLUTE:
            rate = v[i]
            w = (w[0], w[1], w[2] + rate)
            ax = (ax[0] + x[1] * rate, ax[1] - x[0] * rate, ax[2])
            aw = (aw[0] + w[1] * rate, aw[1] - w[0] * rate, aw[2] + a[i])
        else:
            if code == ROD:
                sx, sw = load3(work, k, WORK.twist), load3(work, k, WORK.twist + 3)
                dx, dw = load3(work, k, WORK.rate), load3(work, k, WORK.rate + 3)
            else:
                sx, sw = joint_twist(code, constants, k, v, i)
                dx, dw = joint_twist(code, constants, k, a, i)
            x = add(x, sx)
            w = add(w, sw)
            # zeta = ad(eta) s + sdot, of lumped joints ad(eta) S v + S a
            ax = add(ax, add(add(cross(w, sx), cross(x, sw)), dx))
            aw = add(aw, add(cross(w, sw), dw))
        store3(work, k, WORK.twist, x)
        store3(work, k, WORK.twist + 3, w)
        store3(work, k, WORK.rate, ax)
        store3(work, k, WORK.rate + 3, aw)
        start_wrench(frames, constants, k, x, w, ax, aw, loaded, wrenches, work)


@portable(inline=True)
def start_wrench(frames, constants, k, x, w, ax, aw, loaded, wrenches, work):
    """What the motion of the body of frame k needs, less the external wrench on it where there are any."""
    m, h, inertia = load_inertia(constants, k)
    f, c = inertial_wrench(m, h, inertia, x, w, ax, aw)
    if frames[k, FLUID] != 0:
        df, dc = fluid_wrench(constants, k, x, w, ax, aw)
        f = add(f, df)
        c = add(c, dc)
    if loaded:
        f = subtract(f, load3(wrenches, k, 0))
        c = subtract(c, load3(wrenches, k, 3))
    store3(work, k, WORK.wrench, f)
    store3(work, k, WORK.wrench + 3, c)


@compiled(called=True, lanes=True)
def begin_motion(frames, constants, gravity, q, v, a, work, tau):
    """The motion of all frames into ``work``, for :func:`change_accelerations` and :func:`forces_under`."""
    outward_motions(frames, constants, gravity, q, v, a, work[:0], work, tau)


@compiled(called=True, lanes=True)
def change_accelerations(frames, constants, change, work):
    """Add to the accelerations in ``work`` what a ``change`` (nv,) of those of lumped joints makes; rods bend as they did.

    Wrenches in ``work`` are lost: see :func:`forces_under`.
    """
    o = lit(change[0], 0.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        ax, aw = (o, o, o), (o, o, o)
        if parent >= 0:
            r, p = load9(work, k, WORK.rotation), load3(work, k, WORK.position)
            ax, aw = to_child(r, p, load3(work, parent, WORK.wrench), load3(work, parent, WORK.wrench + 3))
        if frames[k, CODE] != ROD:
            dx, dw = joint_twist(frames[k, CODE], constants, k, change, frames[k, FIRST_V])
            ax, aw = add(ax, dx), add(aw, dw)
        store3(work, k, WORK.wrench, ax)
        store3(work, k, WORK.wrench + 3, aw)
        increase3(work, k, WORK.rate, ax)
        increase3(work, k, WORK.rate + 3, aw)


@compiled(called=True, lanes=True)
def forces_under(frames, constants, q, a, wrenches, along_rods, work, tau):
    """:func:`inverse_dynamics` of the same motion under other ``wrenches``: all but these is in ``work`` from the call before.

    ``along_rods``: whether forces along the coordinates of rods are asked for (1), or left at zero (0).
    """
    loaded = wrenches.shape[0] > 0
    for k in range(frames.shape[0]):
        if frames[k, CODE] == ROD and frames[k, PARENT] == frames[k, ROOT]:
            begin_rod(frames, k, 0.0, tau)
        x, w = load3(work, k, WORK.twist), load3(work, k, WORK.twist + 3)
        ax, aw = load3(work, k, WORK.rate), load3(work, k, WORK.rate + 3)
        start_wrench(frames, constants, k, x, w, ax, aw, loaded, wrenches, work)
    inward_wrenches(frames, constants, q, a, along_rods, work, tau)


@compiled(called=True, lanes=True)
def motions_of(work, gravity, poses, motions):
    """Twists and accelerations of all frames, as of :func:`~locodyn.shape.kinematics.frame_motions`, in ``motions``.

    ``work``: of :func:`inverse_dynamics` of the motion, whose accelerations have -g in them; ``poses`` in the world.
    """
    for k in range(work.shape[0]):
        fall = rotate_back(load9(poses, k, ROTATION), (gravity[0], gravity[1], gravity[2]))
        store3(motions, k, TWIST, load3(work, k, WORK.twist))
        store3(motions, k, TWIST + 3, load3(work, k, WORK.twist + 3))
        store3(motions, k, ACCELERATION, add(load3(work, k, WORK.rate), fall))
        store3(motions, k, ACCELERATION + 3, load3(work, k, WORK.rate + 3))


@portable(inline=True)
def inward_wrenches(frames, constants, q, a, along_rods, work, tau):
    """(3.11)-(3.13) wrenches between bodies and their projection on the joints: tips to reference body."""
    for k in range(frames.shape[0] - 1, -1, -1):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        f = load3(work, k, WORK.wrench)
        c = load3(work, k, WORK.wrench + 3)
        if code == REVOLUTE:
            tau[i] = c[2] + constants[k, ARMATURE] * a[i]
        elif code == ROD:
            if along_rods != 0:
                slice_inward(frames, constants, k, q, work, tau)
        else:
            for j in range(frames[k, COUNT_V]):
                tau[i + j] = joint_force(code, constants, k, j, f, c) + constants[k, ARMATURE + j] * a[i + j]
        if parent >= 0:
            f, c = to_parent(load9(work, k, WORK.rotation), load3(work, k, WORK.position), f, c)
            increase3(work, parent, WORK.wrench, f)
            increase3(work, parent, WORK.wrench + 3, c)


@portable(late=())
def slice_outward(frames, constants, k, q, v, a, work, tau):
    """Slice k of a rod on the way outward: its pose, its own twist and acceleration (TWIST, RATE), its tangent map."""
    if has_fields(constants, k):
        bent_slice_outward(frames, constants, k, q, v, a, work)
    else:
        moving = mode_motions(constants, k, q, frames[k, FIRST_Q], v, a, frames[k, FIRST_V])
        keep_motion(k, motion_of_slice(constants, k, moving), work)
    if frames[k, PARENT] == frames[k, ROOT]:
        begin_rod(frames, k, lit(q[0], 0.0), tau)


@portable(late=())
def bent_slice_outward(frames, constants, k, q, v, a, work):
    """Of a rod with strain fields: apart, since strains that may come from two places do not stay in registers."""
    keep_motion(k, slice_motion(constants, k, q, frames[k, FIRST_Q], v, a, frames[k, FIRST_V]), work)


@portable(inline=True)
def keep_motion(k, motion, work):
    """The ``motion`` of slice k, as of :func:`~locodyn.shape.rod.motion_of_slice`, in its row of ``work``."""
    r, p, sx, sw, dx, dw, d, u, v1, w1, v2, w2 = motion
    store9(work, k, WORK.rotation, r)
    store3(work, k, WORK.position, p)
    store3(work, k, WORK.twist, sx)
    store3(work, k, WORK.twist + 3, sw)
    store3(work, k, WORK.rate, dx)
    store3(work, k, WORK.rate + 3, dw)
    store9(work, k, ROD_WORK.tangent, d)
    store9(work, k, ROD_WORK.tangent + 9, u)
    store3(work, k, ROD_WORK.strain_1, v1)
    store3(work, k, ROD_WORK.strain_1 + 3, w1)
    store3(work, k, ROD_WORK.strain_2, v2)
    store3(work, k, ROD_WORK.strain_2 + 3, w2)


@portable(inline=True)
def begin_rod(frames, k, zero, tau):
    """No force yet along the coordinates of the rod whose first slice is k."""
    for j in range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]):
        tau[j] = zero


@portable(late=())
def slice_inward(frames, constants, k, q, work, tau):
    """Slice k of a rod on the way inward: add the forces along its coordinates to ``tau``."""
    d = load9(work, k, ROD_WORK.tangent)
    u = load9(work, k, ROD_WORK.tangent + 9)
    v1 = load3(work, k, ROD_WORK.strain_1)
    w1 = load3(work, k, ROD_WORK.strain_1 + 3)
    v2 = load3(work, k, ROD_WORK.strain_2)
    w2 = load3(work, k, ROD_WORK.strain_2 + 3)
    f = load3(work, k, WORK.wrench)
    c = load3(work, k, WORK.wrench + 3)
    add_slice_force(constants, k, d, u, v1, w1, v2, w2, f, c, tau, frames[k, FIRST_V])
    if has_fields(constants, k):
        bent_slice_inward(frames, constants, k, q, work, tau)


@portable(late=())
def bent_slice_inward(frames, constants, k, q, work, tau):
    """The forces along the coordinates of strain fields."""
    d = load9(work, k, ROD_WORK.tangent)
    u = load9(work, k, ROD_WORK.tangent + 9)
    v1 = load3(work, k, ROD_WORK.strain_1)
    w1 = load3(work, k, ROD_WORK.strain_1 + 3)
    v2 = load3(work, k, ROD_WORK.strain_2)
    w2 = load3(work, k, ROD_WORK.strain_2 + 3)
    f, c = pulled_back(d, u, load3(work, k, WORK.wrench), load3(work, k, WORK.wrench + 3))
    f1, n1, f2, n2 = strain_forces(constants[k, SLICE.length], v1, w1, v2, w2, f, c)
    j = frames[k, FIRST_V]
    for n in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
        tau[j + n] = tau[j + n] + along_field(constants, k, q, frames[k, FIRST_Q], n, f1, n1, f2, n2)
