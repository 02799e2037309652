"""The longest step at which explicit integrators follow servos and compliant contacts: a linear test of the stiffest mode.

At rest, on joints of inverse mass matrix W, k (r_d - r) + d (rdot_d - rdot) has the eigenvalues of [[0, 1], [-W k, -W d]]. A
mode of eigenvalue lambda grows in a step h by the factor that the method has for xdot = lambda x, h lambda (Hairer, Wanner, IV.2,
V.1).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Method
from locodyn.integrate.features import Feature
from locodyn.integrate.linear_modes import Modes
from locodyn.integrate.methods import alternatives, takers
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import contact_at
from locodyn.robot.compilation.compiled_parts import CompiledWrench


def longest_servo_step(method: Method, inverse: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> float:
    """Longest step (s) of ``method`` for n servos; ``inverse`` (n, n) is the inverse mass matrix on their joints.

    >>> from locodyn.integrate.methods import RKMK4
    >>> round(longest_servo_step(RKMK4(), np.eye(1), np.zeros(1), np.array([100.0])), 4)  # 2.785 / 100
    0.0279
    """
    n = len(stiffness)
    rates = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-inverse * stiffness, -inverse * damping]]))
    return Modes(rates[rates.real <= 0.0], ()).longest_step(method)  # of those that decay


def check_servos(problem: Problem, method: Method, features: Iterable[Feature], q: np.ndarray, step: float) -> None:
    """Refuse a step at which servos of a robot without rows and rods are unstable under an explicit integrator."""
    if method.growth(0j) is None or not problem.servos or problem.constraints.rows or problem.model.compiled.has_rods:
        return
    driven = np.flatnonzero(problem.arrays.target >= 0)
    inverse = np.linalg.inv(problem.model.mass_matrix(q))[np.ix_(driven, driven)]
    longest = longest_servo_step(method, inverse, *problem.arrays.gains[driven].T)
    if step > longest:
        others = alternatives(takers(features, fits=lambda one: one.implicit_servos))
        raise InputError(
            f"the step is {step:g} s, but these servos are stable up to {longest:.3g} s only with '{method.name}'; take a smaller"
            f" step, or {others}, in which servos are implicit."
        )


def check_compliant(problem: Problem, method: Method, features: Iterable[Feature], q: np.ndarray, step: float) -> None:
    """Refuse a step at which a compliant contact that carries the robot is unstable under an explicit integrator."""
    if method.growth(0j) is None or not method.fixed_step or not problem.compliant:
        return
    contacts = [contact_stiffness(problem, one, q) for one in problem.compliant]
    limits = [longest_servo_step(method, *one) for one in contacts]
    worst = int(np.argmin(limits))
    if step > limits[worst]:
        inverse, stiffness, damping = contacts[worst]
        stiffest = int(np.argmax(np.diag(inverse) * (stiffness + damping / step)))
        others = alternatives(takers(features, fits=lambda one: one.always_stable))
        raise InputError(
            f"the step is {step:g} s, but '{problem.compliant[worst].name}' under the weight of the robot has"
            f" {stiffness[stiffest]:.3g} N/m and {damping[stiffest]:.3g} N s/m against an effective mass of"
            f" {1.0 / inverse[stiffest, stiffest]:.3g} kg, with which '{method.name}' is stable up to {limits[worst]:.3g} s; take"
            f" a smaller step, or {others}."
        )


def _velocity(pose: np.ndarray, motion: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Velocity (3,) of a frame at a point of the world."""
    rotation = pose[:9].reshape(3, 3)
    velocity: np.ndarray = rotation @ motion[:3] + np.cross(rotation @ motion[3:6], point - pose[9:])
    return velocity


def contact_stiffness(problem: Problem, contact: CompiledWrench, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a contact in the configuration ``q`` (nq,), pressed down by the weight of the robot, along normal, forward and side:
    inverse mass (3, 3) 1/kg, stiffness (3,) N/m, damping (3,) N s/m.
    """
    model = problem.model
    poses = model.kinematics(q, np.zeros(model.nv))[0]
    _, point, axes = contact_at(problem, contact, poses)
    columns = []
    for unit in np.eye(model.nv):
        motions = model.kinematics(q, unit)[1]
        columns.append(sum(sign * _velocity(poses[k], motions[k], point) for k, sign in contact.law.frames(contact.frame)))
    jacobian = axes @ np.column_stack(columns)
    inverse = jacobian @ np.linalg.solve(model.mass_matrix(q), jacobian.T)
    return (inverse, *contact.law.loaded(problem.weight))
