"""Forces of dependent joints after a run that moved them as passive ones (:meth:`~locodyn.integrate.base.Method.subject`).

Such a run tells forces Lambda of all rows that move dependent joints D without any force of their own. As the joints are driven,
the same motion has many others: lambda with J_E^T lambda = J_E^T Lambda, where E are the coordinates whose force is known. Rows
share it as in all runs (:func:`~locodyn.locomotion.row_factors.share_forces`), and what they no longer give along D and along
imposed joints is given there: tau += J^T (Lambda - lambda). The sums along all coordinates stay, whatever else acts: weight,
contacts, impacts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.integrate.base import Solution
from locodyn.locomotion.multipliers import apply_multipliers
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import row_names
from locodyn.locomotion.row_factors import share_forces
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.world.rows import FORCE, take_along


def with_driven_followers(problem: Problem, solution: Solution) -> Solution:
    """The solution with recorded forces of rows and joints as of ``problem``, whose followers the run moved as passive joints.

    Forces inside implicit steps (``multipliers``) are dropped: the dynamics of the problem give those at the records.
    """
    told = dict(solution.recorded)
    if "multiplier" in told and "joint_torque" in told:
        number, names = {name: m for m, name in enumerate(problem.constraints.names)}, row_names(problem)
        columns, base = [number[name] for name in names["constraint"]], problem.model.compiled.reference_nv
        forces = np.zeros((len(solution.times), len(problem.constraints.rows)))
        forces[:, columns], torque = told["multiplier"], told["joint_torque"].copy()
        last = forces if solution.row_forces is None else solution.row_forces.copy()  # over the last step, as torques are
        for n, (t, q, v) in enumerate(zip(solution.times, solution.q, solution.v, strict=True)):
            problem.read_inputs(float(t), q, v, forces=False)
            torque[n] += _shared(problem, q, v, last[n])[base:]
            if last is not forces:
                _shared(problem, q, v, forces[n])  # means since the last record
        told["multiplier"], told["joint_torque"] = forces[:, columns], torque
        if "wheel_torque" in told:
            rolling = forces[:, [number[f"{wheel}.roll"] for wheel in names["wheel"]]]
            told["wheel_torque"] = -rolling if problem.constraints.drives.motor_reactions else rolling
    return replace(solution, multipliers=None, row_forces=None, recorded=told)


def _shared(problem: Problem, q: np.ndarray, v: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """What imposed and dependent joints give instead of rows, (nv,); ``forces`` (m,) of the rows are changed to what is left."""
    rows, arrays, work, model = problem.constraints.arrays, problem.arrays, problem.workspace, problem.model
    rows_at(arrays, rows, problem.inputs, q, v, work)
    rod_columns(arrays, rows, q, work.poses)
    row_jacobian(arrays, rows, work.poses)
    shares = rows.flags & FORCE != 0
    rows.sharing.balance[:] = rows.jacobian.T @ np.where(shares, forces, 0.0)
    share_forces(rows)
    change = np.where(shares, forces - rows.multipliers, 0.0)
    forces[shares] = rows.multipliers[shares]
    loads, along, still = np.zeros((model.nf, 6)), np.zeros(model.nv), np.zeros(model.nv)
    apply_multipliers(rows, change, loads)
    inverse_dynamics(arrays.frames, arrays.constants, np.zeros(3), q, still, still, loads, rows.inverse, along)
    for m in np.flatnonzero(shares):
        take_along(rows, m, change[m], along)
    along[rows.place >= 0] = 0.0
    return -along
