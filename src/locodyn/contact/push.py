"""Position stabilisation: penetrating bodies are pushed apart by as much as the step has lost in energy.

The smallest displacement d in the metric of the mass matrix that opens all closed contacts, J_N d >= -gap, is a contact problem
without friction for which the solver of the velocities serves. It lifts bodies against gravity and springs; no more of it is
done than friction and impacts of the same step have taken, so that the energy never grows, and what is given back is taken from
the loss.
"""

from __future__ import annotations

from locodyn.contact.dense import reduce_right_side
from locodyn.contact.islands import sort_islands
from locodyn.contact.solve import solve_islands
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces
from locodyn.kernel import compiled
from locodyn.shape.configuration import moved_configuration

_DEEP = 1e-8  # m: less is left alone
_EXACT = 1e-9  # m


@compiled(called=True)
def push_apart(problem, contacts, step, lost, q_mid, q, work):
    """Move q so that the closed contacts of the step do not penetrate; ``lost`` (J) is what the step has lost in them.

    Returns whether it was moved.
    """
    deepest = 0.0
    for i in range(contacts.closed):
        # Gap at the end of the step, to second order; a support has none.
        gap = (
            contacts.gap[i] + 0.5 * step * (contacts.velocity[i, 0] - contacts.shift[i] + 0.5 * contacts.curve[i])
            if contacts.known_radius[i] < 0.0
            else 0.0
        )
        deepest = min(deepest, gap)
        contacts.shift[i] = min(0.0, gap)
        contacts.velocity[i, 0] = contacts.shift[i]
        for j in range(1, 6):
            contacts.scales[i, j] = 0.0
            contacts.velocity[i, j] = 0.0
        for j in range(6):
            contacts.centre[i, j] = 0.0
    if deepest > -_DEEP or not lost > 0.0:
        return False
    n = contacts.rhs.shape[0]
    shift = contacts.end_velocity
    for i in range(n):
        contacts.rhs[i] = 0.0
        contacts.bilateral.particular[i] = 0.0
        shift[i] = 0.0
    if contacts.bilateral.kernel.shape[0] > 0:
        reduce_right_side(contacts)
    for i in range(contacts.closed):
        contacts.islands.likely[i] = 1
    sort_islands(contacts)
    iterations = contacts.report.iterations
    contacts.crowd.begun = 0
    exact = _EXACT * contacts.mean_mass
    solve_islands(problem, contacts, q_mid, work, work.tau, exact, exact)
    contacts.report.iterations = iterations
    weight = contacts.push.weight
    springs = contacts.push.springs
    still = contacts.zero
    frame_work = work.inverse if has_rods(problem.constants) else work.work
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, still, still, work.wrenches[:0], frame_work, weight)
    for i in range(n):
        springs[i] = 0.0
    joint_forces(problem.frames, problem.dof_constants, q, still, springs)
    part = contacts.push.shift
    raised = 0.0
    for i in range(n):
        raised += (weight[i] - springs[i]) * shift[i]
    share = 1.0 if raised <= lost else lost / raised
    for i in range(n):
        part[i] = share * shift[i]
    moved_configuration(problem.frames, q, part, q)
    contacts.report.impact_loss -= share * raised
    return True
