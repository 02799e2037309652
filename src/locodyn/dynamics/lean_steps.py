"""What steps do to every coordinate, for graphics cards: loops over hinges that know where their coordinates are.

On the processor these loops go from frame to frame and ask for the kind of each joint. A card would wait for every answer. Where
its program knows that all joints but that of the reference body are hinges (:func:`~locodyn.dynamics.lean_dynamics.tree_facts`),
they go over the coordinates instead. Sums and products are the same, in the same order, and so are the bits.
"""

from __future__ import annotations

from locodyn.device.facts import FIRST_HINGE_Q, FIRST_HINGE_V, HINGES, known_fact
from locodyn.dynamics.joint_laws import friction, joint_forces
from locodyn.kernel import compiled
from locodyn.robot.layout import COULOMB, REST, STIFFNESS, VISCOUS
from locodyn.shape.configuration import moved_configuration, step_rate


@compiled(inline=True)
def moved_on_card(frames, q, u, result):
    """:func:`~locodyn.shape.configuration.moved_configuration`."""
    if known_fact(HINGES) != 0:
        i = known_fact(FIRST_HINGE_Q)
        j = known_fact(FIRST_HINGE_V)
        moved_configuration(frames[:1], q, u, result)
        for n in range(frames.shape[0] - 1):
            result[i + n] = q[i + n] + u[j + n]
    else:
        moved_configuration(frames, q, u, result)


@compiled(inline=True)
def step_rate_on_card(frames, u, v, rate):
    """:func:`~locodyn.shape.configuration.step_rate`."""
    if known_fact(HINGES) != 0:
        j = known_fact(FIRST_HINGE_V)
        step_rate(frames[:1], u, v, rate)
        for n in range(frames.shape[0] - 1):
            rate[j + n] = v[j + n]
    else:
        step_rate(frames, u, v, rate)


@compiled(inline=True)
def joint_forces_on_card(frames, dof_constants, q, v, tau):
    """:func:`~locodyn.dynamics.joint_laws.joint_forces`; where there is no Coulomb friction, no quotient is formed."""
    if known_fact(HINGES) != 0:
        i = known_fact(FIRST_HINGE_Q)
        first = known_fact(FIRST_HINGE_V)
        joint_forces(frames[:1], dof_constants, q, v, tau)
        for n in range(frames.shape[0] - 1):
            j = first + n
            taken = v[j] * dof_constants[j, VISCOUS]
            if dof_constants[j, COULOMB] != 0.0:
                taken = friction(dof_constants, j, v[j])
            tau[j] = (tau[j] - taken) - dof_constants[j, STIFFNESS] * (q[i + n] - dof_constants[j, REST])
    else:
        joint_forces(frames, dof_constants, q, v, tau)
