"""Position stabilisation: penetrating bodies are pushed apart by as much as the step has lost in energy.

The smallest displacement d in the metric of the mass matrix that opens all closed contacts, J_N d >= -gap, is a contact problem
without friction for which the solver of the velocities serves. It lifts bodies against gravity and springs; no more of it is
done than friction and impacts of the same step have taken, so that the energy never grows, and what is given back is taken from
the loss.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces
from locodyn.kernel import routine
from locodyn.locomotion.contact.arrays import (
    CENTRE,
    CLOSED,
    CURVE,
    GAP,
    IMPACT_LOSS,
    ITERATIONS,
    KNOWN_RADIUS,
    MASS_SCALE,
    PARTICULAR,
    RHS,
    SCALES,
    SHIFT,
    ZERO,
    W,
    X,
)
from locodyn.locomotion.contact.dense import reduce_right_side
from locodyn.locomotion.contact.newton import solve_newton
from locodyn.shape.configuration import moved_configuration

_DEEP = 1e-8  # m: less is left alone
_EXACT = 1e-9  # m


@routine
def push_apart(p, c, step, lost, q_mid, q, w):
    """Move q so that the closed contacts of the step do not penetrate; ``lost`` (J) is what the step has lost in them."""
    row = c.contact
    deepest = 0.0
    for i in range(c.counts[CLOSED]):
        # Gap at the end of the step, to second order; a support has none.
        gap = row[i, GAP] + 0.5 * step * (row[i, W] - row[i, SHIFT] + 0.5 * row[i, CURVE]) if row[i, KNOWN_RADIUS] < 0.0 else 0.0
        deepest = min(deepest, gap)
        row[i, SHIFT] = min(0.0, gap)
        row[i, W] = row[i, SHIFT]
        for j in range(1, 6):
            row[i, SCALES + j] = 0.0
            row[i, W + j] = 0.0
        for j in range(6):
            row[i, CENTRE + j] = 0.0
    if deepest > -_DEEP or not lost > 0.0:
        return
    n = c.vectors.shape[1]
    shift = c.vectors[X]
    for i in range(n):
        c.vectors[RHS, i] = 0.0
        c.vectors[PARTICULAR, i] = 0.0
        shift[i] = 0.0
    if c.kernel.shape[0] > 0:
        reduce_right_side(c)
    iterations = c.report[ITERATIONS]
    exact = _EXACT * c.settings[MASS_SCALE]
    solve_newton(p, c, q_mid, w, w.tau, exact, exact)
    c.report[ITERATIONS] = iterations
    weight = w.stage[2]
    springs = w.stage[4]
    still = c.vectors[ZERO]
    work = w.inverse if has_rods(p.constants) else w.work
    inverse_dynamics(p.frames, p.constants, p.gravity, q, still, still, w.wrenches[:0], work, weight)
    for i in range(n):
        springs[i] = 0.0
    joint_forces(p.frames, p.dof_constants, q, still, springs)
    raised = 0.0
    for i in range(n):
        raised += (weight[i] - springs[i]) * shift[i]
    share = 1.0 if raised <= lost else lost / raised
    for i in range(n):
        w.stage[3, i] = share * shift[i]
    moved_configuration(p.frames, q, w.stage[3], q)
    c.report[IMPACT_LOSS] -= share * raised
