"""Momentum in a step of hard contact: what every body has at both ends of the step, in the axes of the world.

    sum_k J_k(q_M)^T (pi_k(q_E, v_E) - pi_k(q_A, v_A)) = dt tau + J^T P

with pi_k the momentum of frame k (linear; angular about the origin of the world) and J_k its Jacobian in world axes: d'Alembert's
principle for finite changes of momentum, at the configuration q_M of the middle, where impulses act. The rows of a free or planar
base say that the total momentum changes by what acts from outside, whatever the joints do: it is exact, for any step and through
any impact. Both halves of a step are each other's mirror image, so that the order is 2. For one rigid body it is the midpoint
rule of Austin, Krishnaprasad and Wang (1993) with the exponential in place of Cayley's map.

Of the energy: with v_M the velocities at q_M that have the momenta of an end, M v_M = sum_k J_k^T pi_k, the impulses of a step
change T(q_M, v_M) by exactly their work on the mean of both v_M. Between the end (q, v) and the middle it is

    T(q_M, v_M) = T(q, v) + dt^2 C(q, v) + O(dt^3)

in the step that begins there as in the one that ends there, its mirror image. So T + dt^2 C is what a free flight keeps to third
order in a step, and what an elastic impact keeps as well: the energy itself changes in it by dt^2 (C before - C after), a second
order that returns when C does, and does not grow with the number of impacts.

The equation is solved by sweeps. With x the velocity v_E of the sweep before,

    M(q_M) v_E = dt tau + J^T P + M(q_M) x - sum_k J_k^T (pi_k(x) - pi_k(A)),

and M(q_M) x needs no more than inverse dynamics at rest. A sweep brings v_E nearer by a factor of about the turn in half a step.
"""

from __future__ import annotations

import numpy as np

from locodyn.contact.impact import at_contacts
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inertia import fluid_momentum, load_inertia, momentum
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.totals import WORK, carried_frame
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.dense import fill
from locodyn.kernel.vector import add, cross, load3, load9, rotate, rotate_back, store3, subtract
from locodyn.locomotion.rhs import impose
from locodyn.robot.layout import ARMATURE, CODE, DOF_FRAME, FIRST_V, FLUID, ROD
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import POSITION, ROTATION, frame_poses

_CARRIES, _CARRIED = 20, 1e-15  # iterations at most, and the change of a velocity that is round-off, relative to 1 + |v|


class MomentumScratch(Bundle):
    """Momenta of the frames at the ends of a step, and the place of its end."""

    start: np.ndarray = columns(6)  # (nf, 6) N s and N m s, world axes, about the origin of the world
    end: np.ndarray = columns(6)  # (nf, 6)
    room: np.ndarray = columns(WORK.size)  # (nf, 18)
    q_end: np.ndarray  # (nq,)
    way: np.ndarray  # (nv,) from the middle to the end
    unread: np.ndarray  # (nv,) accelerations of imposed motions


def new_momentum_scratch(nf: int, nq: int, nv: int) -> MomentumScratch:
    """Scratch of one robot."""
    return MomentumScratch(
        start=np.zeros((nf, 6)), end=np.zeros((nf, 6)), room=np.zeros((nf, WORK.size)), q_end=np.zeros(nq), way=np.zeros(nv),
        unread=np.zeros(nv),
    )  # fmt: skip


@compiled(late=())
def frame_momenta(frames, constants, q, v, room, momenta):
    """``momenta`` (nf, 6) of the bodies at (q, v), with the fluid that they move along; ``room`` (nf, WORK.size) is scratch."""
    for k in range(frames.shape[0]):
        r, p, x, w = carried_frame(frames, constants, k, q, v, room)
        m, h, inertia = load_inertia(constants, k)
        linear, angular = momentum(m, h, inertia, x, w)
        if frames[k, FLUID] != 0:
            dx, dw = fluid_momentum(constants, k, x, w)
            linear = add(linear, dx)
            angular = add(angular, dw)
        linear = rotate(r, linear)
        store3(momenta, k, 0, linear)
        store3(momenta, k, 3, add(rotate(r, angular), cross(p, linear)))


@compiled(late=())
def end_momenta(problem, inputs, step, q_mid, x, momenta):
    """``momenta.end`` of a step that ends with velocity x; ``inputs`` are those of the end."""
    for i in range(x.shape[0]):
        momenta.way[i] = 0.5 * step * x[i]
    moved_configuration(problem.frames, q_mid, momenta.way, momenta.q_end)
    impose(problem, inputs, momenta.q_end, momenta.way, momenta.unread)
    frame_momenta(problem.frames, problem.constants, momenta.q_end, x, momenta.room, momenta.end)


@compiled(called=True)
def load_bodies(problem, work, factor, momenta):
    """Add ``factor`` times ``momenta`` (nf, 6) to ``work.wrenches``; ``work.poses`` are those of the middle."""
    for k in range(problem.frames.shape[0]):
        r = load9(work.poses, k, ROTATION)
        f = load3(momenta, k, 0)
        n = rotate_back(r, subtract(load3(momenta, k, 3), cross(load3(work.poses, k, POSITION), f)))
        f = rotate_back(r, f)
        for j in range(3):
            work.wrenches[k, j] += factor * f[j]
            work.wrenches[k, 3 + j] += factor * n[j]


@compiled(late=())
def load_change(problem, work, factor, before, after):
    """Likewise for ``factor`` times the change of the momenta from ``before`` (nf, 6) to ``after``."""
    for k in range(problem.frames.shape[0]):
        r = load9(work.poses, k, ROTATION)
        f = subtract(load3(after, k, 0), load3(before, k, 0))
        n = subtract(load3(after, k, 3), load3(before, k, 3))
        n = rotate_back(r, subtract(n, cross(load3(work.poses, k, POSITION), f)))
        f = rotate_back(r, f)
        for j in range(3):
            work.wrenches[k, j] += factor * f[j]
            work.wrenches[k, 3 + j] += factor * n[j]


@compiled(late=())
def momentum_bias(problem, contacts, q_mid, momenta, v, work):
    """``impact.bias`` = sum J_k^T pi_k - M v at q_M, for the ``momenta`` (nf, 6) of one end of the step and its velocity v."""
    fill(work.wrenches, 0.0)
    load_bodies(problem, work, 1.0, momenta)
    still = contacts.zero
    room = work.inverse if has_rods(problem.constants) else work.work
    bias = contacts.impact.bias
    inverse_dynamics(problem.frames, problem.constants, contacts.no_gravity, q_mid, still, v, work.wrenches, room, bias)
    for i in range(v.shape[0]):
        bias[i] = armature(problem, i) * v[i] - bias[i]


@compiled(late=())
def carry_momentum(problem, contacts, q_mid, q, v, work, momenta):
    """Change v at the configuration q so that the momenta there are ``momenta.end``, which were found before q was moved.

    The matrix is that of the step, whose joints may add to M; in the rows of a base they do not, so that total momentum follows.
    """
    frame_poses(problem.frames, problem.constants, q_mid, 1, work.poses)
    for _ in range(_CARRIES):
        frame_momenta(problem.frames, problem.constants, q, v, momenta.room, momenta.start)
        fill(work.wrenches, 0.0)
        load_change(problem, work, 1.0, momenta.start, momenta.end)
        room = work.inverse if has_rods(problem.constants) else work.work
        still = contacts.zero
        bias = contacts.impact.bias
        inverse_dynamics(problem.frames, problem.constants, contacts.no_gravity, q_mid, still, still, work.wrenches, room, bias)
        for i in range(v.shape[0]):
            bias[i] = -bias[i]
        at_contacts(problem, contacts, q_mid, work, contacts.impact.after)
        rest = 0.0
        for i in range(v.shape[0]):
            v[i] += contacts.impact.velocity[i]
            rest = max(rest, abs(contacts.impact.velocity[i]) / (1.0 + abs(v[i])))
        if rest <= _CARRIED:
            break


@compiled
def armature(problem, i):
    """Inertia of the rotor of coordinate i, kg or kg m^2; rods have none."""
    k = problem.dofs[i, DOF_FRAME]
    return 0.0 if problem.frames[k, CODE] == ROD else problem.constants[k, ARMATURE + i - problem.frames[k, FIRST_V]]
