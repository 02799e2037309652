"""Free bodies that nothing touches and that carry nothing: their velocity at once, without the recursion.

    m v - h x w = f,        h x v + I w = n        (f; n) momentum,        so that        (I + hat(h)^2 / m) w = n - h x f / m

with h = m c the first moment and I the inertia about the origin of the frame (Ali 2011, 3.5). The matrix of w is
the inertia about the centre of mass.
"""

from __future__ import annotations

from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.inertia import load_inertia
from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, dot, scale, store3, subtract
from locodyn.robot.layout import ARMATURE


@compiled(inline=True)
def is_bare(constants, k):
    """Whether the free joint of frame k adds nothing to the inertia of its body."""
    for j in range(6):
        if constants[k, ARMATURE + j] != 0.0:
            return False
    return True


@compiled(inline=True)
def lone_velocity(constants, k, i, momentum, x, frame_work):
    """Velocity x of the free frame k, whose coordinates begin at i, from its momentum there; its twist into ``frame_work``."""
    m, h, inertia = load_inertia(constants, k)
    per_mass = 1.0 / m
    f = (momentum[i], momentum[i + 1], momentum[i + 2])
    n = subtract((momentum[i + 3], momentum[i + 4], momentum[i + 5]), scale(per_mass, cross(h, f)))
    square = per_mass * dot(h, h)
    hx = scale(per_mass, h)
    xx, xy, xz = inertia[0] - square + hx[0] * h[0], inertia[1] + hx[0] * h[1], inertia[2] + hx[0] * h[2]
    yy, yz, zz = inertia[3] - square + hx[1] * h[1], inertia[4] + hx[1] * h[2], inertia[5] - square + hx[2] * h[2]
    w = solve_three(xx, xy, xz, yy, yz, zz, n)
    u = scale(per_mass, add(f, cross(h, w)))
    for j in range(3):
        x[i + j] = u[j]
        x[i + 3 + j] = w[j]
    store3(frame_work, k, WORK.twist, u)
    store3(frame_work, k, WORK.twist + 3, w)


@compiled(inline=True)
def solve_three(xx, xy, xz, yy, yz, zz, n):
    """A w = n for a symmetric positive matrix, by L D L^T."""
    first = 1.0 / xx
    a = xy * first
    b = xz * first
    yy = yy - a * xy
    yz = yz - a * xz
    second = 1.0 / yy
    c = yz * second
    zz = zz - b * xz - c * yz
    n1 = n[1] - a * n[0]
    w2 = (n[2] - b * n[0] - c * n1) / zz
    w1 = n1 * second - c * w2
    return (n[0] * first - a * w1 - b * w2, w1, w2)
