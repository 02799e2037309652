"""Dependent joints: actuated joints whose motion follows from the wheels that they carry (Ali 2011, (3.44))."""

from __future__ import annotations

from locodyn.dynamics.mass_matrix import along
from locodyn.kernel import compiled, lit
from locodyn.kernel.vector import add, cross, load3, load9, rotate, store3, subtract
from locodyn.robot.layout import CODE, FIRST_Q, FIRST_V, PARENT, ROD
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import ACCELERATION, POSITION, ROTATION, TWIST, to_child
from locodyn.shape.rod import slice_motion


@compiled(late=(3, 3, 3, 3), lanes=True)
def motion_along_slice(problem, q, k, v, a, x, w, ax, aw):
    """:func:`motion_beyond` of a slice of a rod."""
    i = problem.frames[k, FIRST_V]
    r, at, sx, sw, dx, dw, _, _, _, _, _, _ = slice_motion(problem.constants, k, q, problem.frames[k, FIRST_Q], v, a, i)
    return carried(r, at, sx, sw, dx, dw, x, w, ax, aw)


@compiled(inline=True, lanes=True)
def carried(r, at, sx, sw, dx, dw, x, w, ax, aw):
    """Twist and acceleration of a frame at (r, at) in its parent, which has (x, w), (ax, aw); those of its joint are s, sdot."""
    x, w = to_child(r, at, x, w)
    x, w = add(x, sx), add(w, sw)
    ax, aw = to_child(r, at, ax, aw)
    return x, w, add(add(ax, dx), add(cross(w, sx), cross(x, sw))), add(add(aw, dw), cross(w, sw))


@compiled(inline=True, lanes=True)
def motion_beyond(problem, q, k, v, a, x, w, ax, aw):
    """Twist (x, w) and acceleration (ax, aw) of frame k from those of its parent."""
    code = problem.frames[k, CODE]
    if code == ROD:
        return motion_along_slice(problem, q, k, v, a, x, w, ax, aw)
    i = problem.frames[k, FIRST_V]
    r, at = joint_pose(code, problem.constants, k, q, problem.frames[k, FIRST_Q])
    sx, sw = joint_twist(code, problem.constants, k, v, i)
    dx, dw = joint_twist(code, problem.constants, k, a, i)
    return carried(r, at, sx, sw, dx, dw, x, w, ax, aw)


@compiled(lanes=True)
def row_value(problem, rows, q, v, a, motions, m, f):
    """(speed, acceleration) of row m on a frame that frame f carries, with the motion of the parent of f from ``motions``."""
    path = rows.path
    depth = 0
    k = rows.frame[m]
    while k != f:
        path[depth] = k
        depth += 1
        k = problem.frames[k, PARENT]
    path[depth] = f
    parent = problem.frames[f, PARENT]
    x, w = load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3)
    ax, aw = load3(motions, parent, ACCELERATION), load3(motions, parent, ACCELERATION + 3)
    for n in range(depth, -1, -1):
        x, w, ax, aw = motion_beyond(problem, q, path[n], v, a, x, w, ax, aw)
    speed = lit(v[0], 0.0)
    acceleration = lit(v[0], 0.0)
    for j in range(3):
        speed += rows.cotwist[m, j] * x[j] + rows.cotwist[m, 3 + j] * w[j]
        acceleration += rows.cotwist[m, j] * ax[j] + rows.cotwist[m, 3 + j] * aw[j]
        acceleration += rows.cotwist_rate[m, j] * x[j] + rows.cotwist_rate[m, 3 + j] * w[j]
    return speed, acceleration


@compiled(late=(), lanes=True)
def dependent_motion(problem, rows, q, v, a, poses, motions):
    """v and a of the dependent coordinates, and the motion of all frames, in one pass outward.

    Each dependent coordinate takes up one row on a frame that it carries (its absorbed row), given everything before it.
    Rods and joints that no row feels are carried along, with the accelerations in ``a``.
    """
    follower = rows.follower
    absorbed = rows.absorbed
    for k in range(problem.frames.shape[0]):
        parent = problem.frames[k, PARENT]
        d = follower[k]
        if d >= 0:
            i = problem.frames[k, FIRST_V]
            m = absorbed[d]
            r = load9(poses, rows.frame[m], ROTATION)
            f = rotate(r, load3(rows.cotwist, m, 0))
            n = rotate(r, load3(rows.cotwist, m, 3))
            lever = subtract(load3(poses, rows.frame[m], POSITION), load3(poses, k, POSITION))
            gain = 1.0 / along(problem.dofs, problem.dof_constants, poses, k, i, f, add(n, cross(lever, f)))
            v[i] = 0.0
            speed, _ = row_value(problem, rows, q, v, a, motions, m, k)
            v[i] = (rows.right_side[m] - speed) * gain
            a[i] = 0.0
            _, acceleration = row_value(problem, rows, q, v, a, motions, m, k)
            a[i] = (rows.right_side_rate[m] - acceleration) * gain
        if parent < 0:
            sx, sw = joint_twist(problem.frames[k, CODE], problem.constants, k, v, problem.frames[k, FIRST_V])
            dx, dw = joint_twist(problem.frames[k, CODE], problem.constants, k, a, problem.frames[k, FIRST_V])
            x, w, ax, aw = sx, sw, dx, dw
        else:
            x, w = load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3)
            ax, aw = load3(motions, parent, ACCELERATION), load3(motions, parent, ACCELERATION + 3)
            x, w, ax, aw = motion_beyond(problem, q, k, v, a, x, w, ax, aw)
        store3(motions, k, TWIST, x)
        store3(motions, k, TWIST + 3, w)
        store3(motions, k, ACCELERATION, ax)
        store3(motions, k, ACCELERATION + 3, aw)
