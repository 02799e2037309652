"""From one gait of a library to another in one step (Westervelt, Grizzle, Canudas de Wit 2003: switching between gaits).

The step in between begins as a step of the first gait does and ends as one of the second: the first two and the last two
coefficients of its curve are theirs, so that it is on the constraints after the impact before it, and the second gait is after
the impact that ends it. In between it has the mean of both. With zeta = sigma^2 / 2 at the ends of steps,

    zeta -> delta_1^2 zeta - V(theta-),     possible where delta_1^2 zeta > V_max of the step in between,

and from there on the map of the second gait applies.

Gaits of two slopes: the ground bends under the foot that stands in the step in between. Joints and momentum know nothing of
that; in the axes of the new ground the whole robot, and with it theta, is turned by the bend, and the foot behind begins on the
old one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from locodyn.controllers.curves import Bezier
from locodyn.errors import InputError, RunError
from locodyn.walking.limits import GaitLimits, StepPath, path_excess, powers, stride_limits
from locodyn.walking.step_gait import StepGait
from locodyn.walking.zero_dynamics import ZeroDynamics

_ALLOWED = 1e-6  # what a limit may be passed by, in its unit


@dataclass(frozen=True)
class GaitTransition:
    """The step in between, and ``zetas`` at the ends of it and of the steps of the second gait that follow.

    ``excess``: limits that the step in between passes, and by how much.
    """

    step: StepGait
    zetas: tuple[float, ...]
    excess: dict[str, float]


def slope_of(gait: StepGait) -> float:
    """By how much the ground of a gait rises in the direction of walking, rad."""
    along, up = gait.biped.axes.T @ gait.model.gravity
    return float(np.arctan2(-along, -up))


def turn_of(gait: StepGait) -> float:
    """By how much theta grows where the ground rises by 1 rad more under a robot that stays as it is in the world."""
    biped, model = gait.biped, gait.model
    q, lean = gait.at(gait.begin)[0], biped.rates[biped.leaning]
    body = model.compiled.body_names[-1]  # the lean turns the whole robot
    rate = model.pose(body, q)[0] @ model.jacobian(body, q)[3:, lean]
    return -biped.phase[biped.leaning] * float(np.cross(*biped.axes.T) @ rate)


def transition_step(one: StepGait, two: StepGait) -> StepGait:
    """The step that begins like a step of ``one`` and ends like one of ``two``, two Bezier curves of one degree.

    On the ground of ``two``, under its gravity.
    """
    other = one.biped.unlike(two.biped.words())
    if other is not None:
        raise InputError(f"the two gaits are of bipeds with other {other}; give gaits of one biped.")
    first, second = one.curve.coefficients, two.curve.coefficients
    if first.shape != second.shape:
        raise InputError(
            f"the curves of two gaits have degrees {one.curve.degree} and {two.curve.degree}; give gaits of one degree."
        )
    turned = turn_of(one) * (slope_of(two) - slope_of(one))
    begin_at = one.begin + turned
    span = two.end - begin_at
    # Slopes by theta stay, so that coefficients next to the ends move with the range of theta.
    begin = first[:, 0] + (first[:, 1] - first[:, 0]) * span / one.span
    end = second[:, -1] - (second[:, -1] - second[:, -2]) * span / two.span
    inner = 0.5 * (first[:, 2:-2] + second[:, 2:-2])
    curve = Bezier(np.column_stack([first[:, 0], begin, inner, end, second[:, -1]]))
    return StepGait(one.biped, curve, begin_at, two.end, two.model.gravity)


def gait_transition(one: ZeroDynamics, two: ZeroDynamics, limits: GaitLimits, steps: int = 10) -> GaitTransition:
    """From the steady walk of ``one`` to that of ``two``; :class:`RunError` where the robot would fall back."""
    step = transition_step(one.gait, two.gait)
    between = ZeroDynamics(step)
    start = one.delta_squared * one.fixed_point  # after the impact that ends the last step of the first gait
    if start <= between.highest_potential:
        raise RunError(
            f"the robot falls back in the step between the gaits: its energy {start:.4g} does not carry it over"
            f" {between.highest_potential:.4g} (N m s)^2; take gaits that are nearer to each other."
        )
    zetas = [start - between.final_potential]
    for _ in range(steps):
        zetas.append(two.next(zetas[-1]))
    sample = between.sampled(zeta=zetas[0])
    biped = step.biped
    limits = stride_limits(limits, biped.hybrid, biped.places)
    angles = {name: sample.q[:, biped.places[name]] for name in limits.joints}
    s, power = (sample.theta - step.begin) / step.span, powers(biped, sample)
    behind = [min(0.0, float(np.dot(biped.along, biped.hybrid.feet.place(biped.swing, q)))) for q in sample.q]
    height = sample.height - np.tan(slope_of(one.gait) - slope_of(two.gait)) * np.array(behind)  # above the old ground there
    path = StepPath(s, sample.torque, power, sample.normal, sample.along, height, angles)
    excess = {name: amount for name, amount in path_excess(path, limits).items() if amount > _ALLOWED}
    return GaitTransition(step, tuple(zetas), excess)
