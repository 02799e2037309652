"""The frictional contact problem of a step of a run: W, q and mu of its closed contacts, as the solver meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.contact.dense import fill_mass
from locodyn.contact.rows import contact_rows
from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.contact.allocation import with_matrices
from locodyn.locomotion.contact.friction_problem import FrictionProblem
from locodyn.world.contact_pairs import FRICTION

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


def contact_problem_at(scenario: Scenario, t: float) -> FrictionProblem:
    """The contact problem of the step of ``scenario`` that ends at the time t (s), for hard contact by ``moreau``.

    W = J (M + E)^-1 J^T of the closed contacts in the middle of the step, q = J (M + E)^-1 p + shift with p the momentum that the
    step has without impulses, and the shift of rebounds and of contacts that are still open.
    """
    problem, start, step = scenario.problem, scenario.initial_state(), scenario.numerics.step
    if problem.contact is None:
        raise InputError(f"scenario '{scenario.name}' has no hard contact, so that it has no contact problems.")
    arrays, contacts, work = problem.arrays, problem.contact.arrays, problem.workspace
    if contacts.bilateral.kernel.shape[0] > 0:
        raise InputError(f"scenario '{scenario.name}' has wheels or loops beside its contacts; contact problems have none.")
    solution = solve(problem, *start, t_end=t, step=step, method="moreau", record_every=max(1, round(t / step)))
    count, nv = contacts.closed, problem.model.nv
    if count == 0:
        raise InputError(f"nothing touches in the step of '{scenario.name}' that ends at {solution.times[-1]:g} s.")
    law = contacts.pairs.friction_law[contacts.pair[:count]]
    scales = contacts.scales[:count]
    if (
        np.any(law != FRICTION.coulomb)
        or np.any(scales[:, 1] != scales[:, 2])
        or np.any(scales[:, 3:])
        or np.any(scales[:, 0] != 1.0)
    ):
        raise InputError(
            f"a contact of '{scenario.name}' has more than Coulomb's law with one coefficient; contact problems have not."
        )
    work.poses[:] = contacts.detection.poses  # of the middle of the last step
    contacts = with_matrices(contacts, arrays)
    contact_rows(arrays, contacts, solution.q[-1], work)
    fill_mass(arrays, contacts, step, work)
    rows = contacts.robot.jacobian[: 6 * count].reshape(count, 6, nv)[:, :3].reshape(3 * count, nv)
    free = np.flatnonzero(arrays.imposed == 0) if len(arrays.imposed) else np.arange(nv)
    mass, right = contacts.robot.mass[np.ix_(free, free)], contacts.rhs[free]
    imposed = np.setdiff1d(np.arange(nv), free)
    right = right - contacts.robot.mass[np.ix_(free, imposed)] @ contacts.end_velocity[imposed]
    answer = np.linalg.solve(mass, np.column_stack([rows[:, free].T, right]))
    velocity = rows[:, free] @ answer[:, -1] + rows[:, imposed] @ contacts.end_velocity[imposed]
    velocity[::3] += contacts.shift[:count]
    operator = rows[:, free] @ answer[:, :-1]
    return FrictionProblem(0.5 * (operator + operator.T), velocity, scales[:, 1].copy())
