"""Arguments for every portable kernel: through the algorithms that call it, or by itself (:mod:`kernel_lives`)."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from field_cases import fields as strain_fields
from kernel_lives import Case, Own, own
from kernel_robots import (
    State,
    bodies,
    compliant,
    constrained,
    driven,
    field_rod,
    mapped,
    number,
    rng,
    rods,
    room,
    rotation,
    swimmer,
    table,
    vector,
)
from locodyn.batch.kernels import semi_implicit_step
from locodyn.device.functions import exponential
from locodyn.dynamics import forward_dynamics as forward
from locodyn.dynamics import inverse_dynamics as inverse
from locodyn.dynamics import inverse_dynamics_derivatives as derivatives
from locodyn.dynamics import joint_laws, mass_matrix, totals
from locodyn.dynamics import lean_dynamics as lean
from locodyn.dynamics.added_mass import add_fluid_mass
from locodyn.dynamics.dense_dynamics import dense_dynamics
from locodyn.dynamics.strands import strand_forces
from locodyn.integrate.rkmk4 import new_scratch, rkmk4_step
from locodyn.lie import SE2, SE3, SO3, rows, se2, se3, so3
from locodyn.locomotion.arrays import REMEMBERS, DriveMemories, Memory, WorkArrays, new_work
from locodyn.locomotion.drive_memory import strand_values
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.rhs import actuator_forces
from locodyn.locomotion.row_jacobian import row_acceleration, row_jacobian, row_speed
from locodyn.motion import table as laws_of_time
from locodyn.robot.compilation.compiled_parts import CompiledWrench
from locodyn.shape import columns, configuration, jacobian, kinematics
from locodyn.shape.field import field_at, field_direction_at
from locodyn.world import surface as surfaces
from locodyn.world.compliant import compliant_change, compliant_wrench
from locodyn.world.law_slopes import state_slope, wrench_slopes
from locodyn.world.rows import fill_rows
from locodyn.world.wrench_table import WrenchTable
from locodyn.world.wrenches import contact_forces
from random_robots import random_robot, random_rotation, random_unit


# ----------------------------------------------------------------------------------------------------------- algorithms
def trees() -> list[Case]:
    """Algorithms over trees of bodies, with and without fluid."""
    cases = []
    for robot in (bodies(), swimmer()):
        s = State(robot.model(gravity=(0.3, -0.2, -9.81)))
        m = s.model
        imposed = np.zeros(m.nv, dtype=np.int8)
        imposed[6] = 1
        cases += [
            Case(kinematics.frame_poses, (*s.robot, s.q, 1, room(m.nf, 12))),
            Case(kinematics.frame_motions, (*s.robot, s.q, s.v, s.a, room(m.nf, 12))),
            Case(jacobian.frame_jacobian, (m.frames, *s.coordinates, s.poses, s.motions, m.nf - 1, room(m.nv, 6), room(m.nv, 6))),
            Case(configuration.moved_configuration, (m.frames, s.q, s.v, room(m.nq))),
            Case(configuration.configuration_difference, (m.frames, s.q, mapped(m.move, s.q, s.v), room(m.nv))),
            Case(configuration.step_rate, (m.frames, s.v, s.a, room(m.nv))),
            Case(
                inverse.inverse_dynamics,
                (*s.robot, m.gravity, s.q, s.v, s.a, s.wrenches, room(m.nf, inverse.WORK.size), room(m.nv)),
            ),
            Case(
                forward.hybrid_dynamics,
                (
                    *s.robot,
                    m.gravity,
                    imposed,
                    s.q,
                    s.v,
                    s.wrenches,
                    room(m.nf, forward.WORK.size),
                    room(m.nv, forward.DOF_WORK.size),
                    s.a,
                    s.tau,
                ),
            ),
            Case(
                lean.lean_dynamics,
                (
                    lean.Told(),
                    *s.robot,
                    m.gravity,
                    imposed,
                    s.q,
                    s.v,
                    s.wrenches,
                    room(m.nf, forward.WORK.size),
                    room(m.nv, forward.DOF_WORK.size),
                    s.a,
                    s.tau,
                ),
            ),
            Case(semi_implicit_step, (s.robot[0], 0.01, s.q, s.v, s.a, room(m.nv))),
            Case(
                mass_matrix.mass_matrix,
                (*s.robot, *s.coordinates, s.poses, room(m.nf, mass_matrix.COMPOSITE.size), room(m.nv, m.nv)),
            ),
            Case(
                derivatives.inverse_dynamics_derivatives,
                (
                    *s.robot,
                    *s.coordinates,
                    m.gravity,
                    s.q,
                    s.v,
                    s.a,
                    s.wrenches,
                    room(m.nf, derivatives.WORK.size),
                    room(m.nv, derivatives.DOF_WORK.size),
                    *(room(m.nv, m.nv) for _ in range(3)),
                ),
            ),
            Case(totals.totals, (*s.robot, m.gravity, s.q, s.v, room(m.nf, totals.WORK.size), room(totals.TOTALS.size))),
            Case(joint_laws.joint_forces, (m.frames, m.dof_constants, s.q, s.v, s.tau)),
            Case(joint_laws.joint_energy, (m.frames, m.dof_constants, s.q, s.v)),
        ]
    cases.append(_told_hinges())
    work = room(m.nf, inverse.WORK.size)
    cases.append(
        Case(
            mass_matrix.mass_matrix_by_columns,
            (*s.robot, s.q, room(m.nv), np.zeros(3), room(0, 6), room(m.nv), work, room(m.nv, m.nv)),
        )
    )
    of_fluid = (*s.robot, s.poses, table(s.columns, columns.COLUMNS), columns.COLUMN, room(m.nv, m.nv))
    cases.append(Case(add_fluid_mass, of_fluid))  # mass matrices ask for it where something moves fluid along
    return cases


def _told_hinges() -> Case:
    """The recursion of a card, which is told that all joints of its tree are hinges."""
    s = State(random_robot(np.random.default_rng(5), 4, ("revolute",), "free", armature=True).model())
    m = s.model
    spaces = room(m.nf, forward.WORK.size), room(m.nv, forward.DOF_WORK.size)
    told = lean.Told(**lean.tree_facts(m.frames))
    return Case(
        lean.lean_dynamics, (told, *s.robot, m.gravity, np.zeros(0, dtype=np.int8), s.q, s.v, s.wrenches, *spaces, s.a, s.tau)
    )


def rod_trees() -> list[Case]:
    """Algorithms over rods, their tendons, chambers and muscles."""
    s = State(rods().model(), 0.3)
    m = s.model
    work, dof_work = room(m.nf, inverse.ROD_WORK.size), room(s.columns, derivatives.ROD_DOF_WORK.size)
    spaces = (work, room(m.nf, 12), room(m.nf, mass_matrix.COMPOSITE.size), room(s.columns, columns.COLUMNS), room(m.nv, m.nv))
    imposed = np.zeros(m.nv, dtype=np.int8)
    imposed[-4] = 1
    return [
        Case(kinematics.frame_motions, (*s.robot, s.q, s.v, s.a, room(m.nf, 12))),
        Case(configuration.moved_configuration, (m.frames, s.q, s.v, room(m.nq))),
        Case(
            columns.jacobian_from_columns,
            (
                *s.robot,
                *s.coordinates,
                s.q,
                s.v,
                s.poses,
                s.motions,
                m.nf - 1,
                room(s.columns, columns.COLUMNS),
                room(m.nv, 6),
                room(m.nv, 6),
            ),
        ),
        Case(
            dense_dynamics,
            (*s.robot, *s.coordinates, m.gravity, imposed, s.q, s.v, s.wrenches, *spaces, room(m.nv), s.a, s.tau),
        ),
        Case(
            derivatives.inverse_dynamics_derivatives,
            (
                *s.robot,
                *s.coordinates,
                m.gravity,
                s.q,
                s.v,
                s.a,
                s.wrenches,
                room(m.nf, derivatives.WORK.size),
                dof_work,
                *(room(m.nv, m.nv) for _ in range(3)),
            ),
        ),
        Case(totals.totals, (*s.robot, m.gravity, s.q, s.v, room(m.nf, totals.WORK.size), room(totals.TOTALS.size))),
        Case(joint_laws.joint_forces, (m.frames, m.dof_constants, s.q, s.v, s.tau)),
        Case(joint_laws.joint_energy, (m.frames, m.dof_constants, s.q, s.v)),
        Case(
            strand_forces,
            (
                m.dofs,
                m.compiled.strands,
                m.compiled.strand_constants,
                m.compiled.strand_points,
                np.array([1.0, 0.4, 2e3, 0.5]),
                s.q,
                s.tau,
            ),
        ),
    ]


def field_rods() -> list[Case]:
    """Algorithms over rods with strain fields."""
    s = field_rod(strain_fields())
    m, k = s.model, s.model.nf - 1
    at = (m.constants, k, number(0.1, 0.4))
    jacobians = (room(s.columns, columns.COLUMNS), room(m.nv, 6), room(m.nv, 6))
    cases = [
        Case(kinematics.frame_motions, (*s.robot, s.q, s.v, s.a, room(m.nf, 12))),
        Case(columns.jacobian_from_columns, (*s.robot, *s.coordinates, s.q, s.v, s.poses, s.motions, k, *jacobians)),
        Case(
            inverse.inverse_dynamics,
            (*s.robot, m.gravity, s.q, s.v, s.a, s.wrenches, room(m.nf, inverse.ROD_WORK.size), room(m.nv)),
        ),
        Case(field_at, (*at, s.q, m.nq - m.nv + 6, s.v, 6)),
        *(Case(field_direction_at, (*at, number(), s.q, m.nq - m.nv + 6, s.v, 6, c)) for c in range(1, m.nv - 6)),
    ]
    m, work = s.model, (room(s.model.nf, derivatives.WORK.size), room(s.columns, derivatives.ROD_DOF_WORK.size))
    slopes = tuple(room(m.nv, m.nv) for _ in range(3))
    given = (*s.robot, *s.coordinates, m.gravity, s.q, s.v, s.a, s.wrenches)
    cases.append(Case(derivatives.inverse_dynamics_derivatives, (*given, *work, *slopes)))
    return cases


def stick_slip_contact() -> list[Case]:
    """A compliant foot on a spring along the ground that slips."""
    foot = CompiledWrench("foot", "body", 0, np.eye(3), np.zeros(3), compliant("stick_slip", relaxation=0.5))
    memory = own(lambda: Memory(state=np.zeros(2), value=rng.normal(size=2), rate=np.zeros(2), strands=np.zeros(0)))
    place = (own(lambda: tuple(random_rotation(rng).ravel())), *(own(lambda: tuple(rng.normal(size=3))) for _ in range(3)))
    change = (*(own(lambda: tuple(rng.normal(size=3))) for _ in range(4)), own(lambda: tuple(rng.normal(size=6))))
    state = (WrenchTable([foot]).laws, memory, 0, *place)
    return [Case(compliant_wrench, state), Case(compliant_change, (*state, *change))]


def driven_trees() -> list[Case]:
    """A whole step with all laws of the world, and what is asked about these laws."""
    problem = driven()
    s = State(problem.model)
    m, arrays, inputs = s.model, problem.arrays, problem.inputs
    problem.read_inputs(0.3, s.q.values[0], s.v.values[0])
    laws = (arrays.wrenches, inputs.rows, s.world_poses, s.motions)
    count, states = len(problem.wrench_table.wrenches), problem.memories.count

    def remembering() -> WorkArrays:
        work = new_work(m.nf, m.nv, states=states, strands=2)
        work.memory.state[:] = work.memory.value[:] = 0.1 * rng.normal(size=states)
        return work

    memory = own(lambda: remembering().memory)
    step = (arrays, inputs, 0.3, 0.01, s.q, s.v, own(remembering), own(lambda: new_scratch(m.nq, m.nv, states)))
    whole = {"kind": REMEMBERS.strand_lag, "place": 1, "memory": 2}
    slow = DriveMemories(
        **{name: np.array([number]) for name, number in whole.items()}, numbers=np.full((1, 11), 0.2), lags=np.zeros(0, np.int8)
    )
    return [
        Case(rkmk4_step, step),
        Case(actuator_forces, (arrays, inputs, s.q, s.v, room(m.nv))),
        Case(contact_forces, (*laws, memory, room(count, 3))),
        Case(wrench_slopes, (*s.robot, m.gravity, *laws, memory, 1.0, room(m.nf, 72), room(states, 12))),
        *(Case(state_slope, (*laws, memory, row, 1)) for row in np.flatnonzero(arrays.wrenches.memory >= 0).tolist()),
        Case(actuator_forces, (arrays, inputs, s.q, s.v, s.tau)),
        Case(strand_values, (slow, np.array([0.3, 0.4]), memory)),
        *stick_slip_contact(),
    ]


def constraint_rows() -> list[Case]:
    """Rows of wheels, loops and rolling surfaces, and what is made of them."""
    problem = constrained()
    s = State(problem.model)
    m = s.model
    rows = problem.constraints.arrays
    problem.read_inputs(0.3, s.q.values[0], s.v.values[0])
    filled = []
    for state in zip(s.q.values, s.v.values, s.world_poses.values, s.motions.values, strict=True):
        filled.append(copy.copy(rows))
        fill_rows(filled[-1], problem.inputs.rows, 1, *state)
    whole = Own(tuple(filled))
    return [
        Case(fill_rows, (own(lambda: copy.copy(rows)), problem.inputs.rows, 1, s.q, s.v, s.world_poses, s.motions)),
        Case(row_jacobian, (problem.arrays, whole, s.world_poses)),
        *(Case(row_speed, (whole, s.motions, k, s.v)) for k in (0, len(rows.kind) - 1)),
        *(Case(row_acceleration, (whole, s.motions, k, s.v, s.a)) for k in (0, len(rows.kind) - 1)),
        Case(apply_known, (whole, room(m.nf, 6))),
    ]


# ---------------------------------------------------------------------------------------------------- by the signature
def signature(kernel: Any) -> list[str]:
    """Names of the parameters of a kernel."""
    return list(inspect.signature(kernel.py_func).parameters)


def by_signature(module: Any, made: dict[str, Callable[[], Own]], *names: str) -> list[Case]:
    """Kernels on tuples, with what is made for the names of their parameters."""
    kernels = [getattr(module, name) for name in names]
    return [Case(kernel, tuple(made[x]() for x in signature(kernel))) for kernel in kernels]


def on_tuples() -> list[Case]:
    """Kernels on tuples that no algorithm here calls: the rest of the group maps, surfaces that roll, parts of laws of time."""
    turns = {name: lambda: vector(3) for name in ("theta", "u", "v", "w")}
    twists = {name: lambda: vector(6) for name in ("u", "w", "eta", "zeta", "F")} | {"R": rotation, "p": lambda: vector(3)}
    planar = {name: lambda: vector(3) for name in ("u", "w", "eta", "zeta", "F")}
    planar["g"] = lambda: mapped(lambda u: se2.exp_pose(u), vector(3))
    maps = ("adjoint_apply", "adjoint_inverse_apply", "adjoint_transposed_apply", "adjoint_inverse_transposed_apply")
    maps += ("bracket", "bracket_transposed", "tangent_apply", "tangent_transposed_apply", "inverse_tangent_transposed_apply")
    surface = {name: lambda: vector(3) for name in ("axis", "n", "ndot", "e", "edot", "axes")}
    surface |= {"radius": number, "crown": number, "r": rotation}
    time = {"u": number, "t": number, "start": lambda: number(-2.0, -1.0), "inverse_duration": lambda: number(0.1, 0.5)}
    return [
        *by_signature(so3, turns, "right_jacobian_apply", "right_jacobian_transposed_apply", "right_jacobian_second_derivative"),
        *by_signature(so3, turns, "right_jacobian_inverse_second_derivative"),
        *by_signature(se3, twists, *maps),
        *by_signature(se2, planar, *maps),
        *by_signature(surfaces, surface, "disc_point", "ellipsoid_point", "rolling_directions"),
        *by_signature(laws_of_time, time, "cycloid_step", "soft_step"),
        Case(mass_matrix.moves_fluid, (bodies().model().frames,)),
        Case(exponential, (number(),)),
    ]


def group_loops() -> list[Case]:
    """The loops over rows: vectors u, du, elements g, h, quaternions q, and what comes out."""
    cases = []
    for group in (SO3, SE3, SE2):
        element = int(np.prod(group.element_shape))
        given = {name: lambda g=group: own(lambda: rng.normal(size=(2, g.dim))) for name in ("u", "du")}
        given |= {name: lambda g=group: own(lambda: g.exp(rng.normal(size=(2, g.dim))).reshape(2, -1)) for name in ("g", "h")}
        given["q"] = lambda: own(lambda: np.array([random_unit(rng, 4) for _ in range(2)]))
        sizes = {
            "exp": element,
            "compose": element,
            "inverse": element,
            "from_quaternion": element,
            "log": group.dim,
            "to_quaternion": 4,
        }
        for name, loop in vars(rows).items():
            first, _, action = name.partition("_")
            if first == group.name.lower() and action:
                out = room(2, sizes.get(action, group.dim**2))
                cases.append(Case(loop, (*(given[x]() for x in signature(loop)[:-1]), out)))
    return cases


FAMILIES = {
    family.__name__: family for family in (on_tuples, group_loops, trees, rod_trees, field_rods, driven_trees, constraint_rows)
}


@cache
def cases(family: str) -> list[Case]:
    """The cases of a family."""
    return FAMILIES[family]()
