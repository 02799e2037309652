"""What a gait gives: the motion of the reference body over a cycle.

With a connection, the reconstruction equation g' = g hat(-A(r) rdot) is integrated on the group by the Runge-Kutta method of
Munthe-Kaas, order 4; joints that follow from the wheels are integrated along. The result does not depend on the pace. Robots
with inertia of their own (friction, under-constrained, driven by forces) are run as a scenario.

The derivative with respect to the parameters p of the gait is exact for the connection: z = g^-1 dg/dp obeys
d/dt (Ad_g z) = Ad_g x, with x = -(d_a A) (dr_a/dp) rdot - A (drdot/dp).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from locodyn.errors import InputError, RunError, nearest
from locodyn.gaits.gait import PACE, Gait
from locodyn.gaits.local_curvature import as_connection, local_curvature, slopes
from locodyn.lie import SE2, SE3, SO3
from locodyn.locomotion.connection import Connection
from locodyn.robot.layout import FREE, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL
from locodyn.typing import Array

NAMES: dict[int, tuple[str, ...]] = {
    FREE: ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z"),
    PLANAR: ("x", "y", "theta"),
    SPHERICAL: ("rotation_x", "rotation_y", "rotation_z"),
    PRISMATIC: ("distance",),
    REVOLUTE: ("angle",),
}

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model
    from locodyn.locomotion.problem import Problem
    from locodyn.robot.building.builder import Robot
    from locodyn.sim.scenario import Scenario

LocomotorLike: TypeAlias = "Robot | Model | Problem | Connection | Scenario"
"""What has a displacement: by its connection, or, of a scenario, by a run."""


@dataclass(frozen=True, eq=False)
class Displacement:
    """Net displacement g(0)^-1 g(T) of the reference body, seen from where it started.

    Parameters
    ----------
    names : tuple of str, dim G
        ``x, y, theta`` in the plane (m, rad; whole turns are kept), ``x, y, z`` and a rotation vector in space.
    vector : (dim G,)
        Their values.
    twist : (dim G,)
        Logarithm: the constant body twist that gives the same in one second.
    error : float
        Estimate of the largest error of ``vector``, from half as many steps; NaN when there is none.
    times, path : (m,) s, (m, dim G)
        The displacement on the way, at the steps.
    """

    names: tuple[str, ...]
    vector: np.ndarray
    twist: np.ndarray
    error: float
    times: np.ndarray
    path: np.ndarray

    def __getattr__(self, name: str) -> float:
        if name in self.__dict__.get("names", ()):
            return float(self.vector[self.names.index(name)])
        raise AttributeError(f"a displacement has no '{name}'{nearest(name, self.__dict__.get('names', ()))}")

    def __repr__(self) -> str:
        return f"Displacement({', '.join(f'{n}={v:.6g}' for n, v in zip(self.names, self.vector, strict=True))})"


def net_displacement(
    robot: LocomotorLike, gait: Gait, *, q: Array | None = None, steps: int = 200, cycles: int = 1, after: int = 0
) -> Displacement:
    """Displacement of the reference body over ``cycles`` cycles of the gait.

    Parameters
    ----------
    robot : robot, model, problem, :class:`Connection`: by its connection. Scenario: by running it with the gait imposed.
    gait : Gait
    q : (nq,)
        Other joints; by default at zero. Joints that follow start there.
    steps : int
        For each cycle, even.
    after : int
        Of a scenario: cycles to run before, until the motion is periodic.
    """
    if steps < 2 or steps % 2:
        raise InputError(f"the number of steps is {steps}; it must be even and at least 2.")
    if cycles < 1 or after < 0:
        raise InputError(f"{cycles} cycles after {after} are asked for; there must be at least 1, after 0 or more.")
    if hasattr(robot, "changed") and hasattr(robot, "run"):
        if q is not None:
            raise InputError("a scenario has a start of its own; leave q out.")
        return _by_simulation(robot, gait, steps, cycles, after)
    connected = as_connection(robot, gait.names)
    fine = reconstruct(connected, gait, q, steps * cycles, cycles)
    coarse = reconstruct(connected, gait, q, steps * cycles // 2, cycles)
    first, last = fine[0], fine[-1]
    error = float(np.abs(relative(connected.model, first, last) - relative(connected.model, coarse[0], coarse[-1])).max()) / 15.0
    return _displacement(connected.model, np.linspace(0.0, cycles * gait.period, len(fine)), fine, error)


def reconstruct(connection: Connection, gait: Gait, q: Any, steps: int, cycles: int = 1) -> np.ndarray:
    """Configurations (steps + 1, nq) along the gait, the reference body starting at the origin."""
    model, n = connection.model, connection.dim
    h = cycles * gait.period / steps
    half_times = np.linspace(0.0, cycles * gait.period, 2 * steps + 1)
    shapes, rates = gait.shape(half_times).T, gait.rate(half_times).T
    places, following, group = connection.positions, connection.unknown[n:], connection.group
    state = connection.configuration(shapes[0], q)
    known: list[np.ndarray] = []  # without joints that follow, the velocities are functions of time
    if not len(following):
        known = [connection.velocities(connection.configuration(r, state)) @ rate for r, rate in zip(shapes, rates, strict=True)]

    def speed(node: int, base: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Rate of the step u from ``base``, at half step ``node``: T(u)^-1 eta, and the rates of joints that follow."""
        if known:
            velocity = known[node]
        else:
            here = model.move(base, u)
            here[places] = shapes[node]
            velocity = connection.velocities(here) @ rates[node]
        result = np.zeros(model.nv)
        result[:n] = group.inverse_tangent(u[:n]) @ velocity[:n]
        result[following] = velocity[following]
        return result

    result = np.empty((steps + 1, model.nq))
    result[0] = state
    zero = np.zeros(model.nv)
    for k in range(steps):
        k1 = speed(2 * k, state, zero)
        k2 = speed(2 * k + 1, state, 0.5 * h * k1)
        k3 = speed(2 * k + 1, state, 0.5 * h * k2)
        k4 = speed(2 * k + 2, state, h * k3)
        state = model.move(state, h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
        state[places] = shapes[2 * k + 2]
        result[k + 1] = state
    _check_crossings(connection, result, half_times[::2])
    return result


def _check_crossings(connection: Connection, states: np.ndarray, times: np.ndarray) -> None:
    """Refuse a path on which as many rows as unknowns change orientation: between two states they lose rank."""
    rows = connection.rows
    if rows is None or len(rows.active) != len(connection.unknown):
        return
    signs = [np.linalg.slogdet(rows.jacobian(connection.centred(state))[:, connection.unknown])[0] for state in states]
    crossed = np.flatnonzero(np.diff(signs))
    if len(crossed):
        name, t = connection.model.compiled.name, times[crossed[0]]
        raise InputError(
            f"the gait drives robot '{name}' through a singular shape near t = {t:.4g} s,"
            " where its wheels do not determine its motion; change the gait, or find the displacement by simulation."
        )


def relative(model: Any, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Displacement vector (dim G,) from configuration ``first`` to ``last``."""
    n, code = model.compiled.reference_nv, model.compiled.base_code
    if code == PLANAR:
        c, s = np.cos(first[2]), np.sin(first[2])
        x, y = last[:2] - first[:2]
        return np.array([c * x + s * y, c * y - s * x, last[2] - first[2]])
    if code == FREE:
        rotation = SO3.from_quaternion(first[3:7])
        turn = SO3.log(SO3.compose(rotation.T, SO3.from_quaternion(last[3:7])))
        return np.concatenate([rotation.T @ (last[:3] - first[:3]), turn])
    return np.asarray(model.difference(first, last)[:n])


def _displacement(model: Any, times: np.ndarray, states: np.ndarray, error: float) -> Displacement:
    code, n = model.compiled.base_code, model.compiled.reference_nv
    path = np.array([relative(model, states[0], state) for state in states])
    twist = np.asarray(model.difference(states[0], states[-1])[:n])
    return Displacement(NAMES.get(code, ("x", "y", "z")), path[-1], twist, error, times, path)


def _by_simulation(scenario: Any, gait: Gait, steps: int, cycles: int, after: int) -> Displacement:
    total = cycles + after
    imposed = {**scenario.drive.imposed, **gait}
    ready = scenario.changed(imposed=imposed, t_end=total * gait.period, dt=gait.period / steps, record_every=1)
    result = ready.run(progress=False)
    if result.status != "completed":
        raise RunError(f"the run of the gait {result.status}; there is no displacement.")
    times, states = np.asarray(result.time.values), np.asarray(result.q)
    begin = int(np.argmin(np.abs(times - after * gait.period)))
    return _displacement(result.model, times[begin:] - times[begin], states[begin:], float("nan"))


def displacement_derivative(
    connection: Connection, gait: Gait, parameters: Sequence[str], q: Any = None, steps: int = 200
) -> tuple[np.ndarray, np.ndarray]:
    """(displacement vector (dim G,), its derivative (dim G, p)) over one cycle; exact but for the steps.

    The integral of Ad_g x is taken by Simpson's rule over the steps. Joints that follow from rolling are not supported.
    """
    if connection.following:
        raise InputError("the derivative by sensitivity is for shapes without joints that follow; use differences.")
    states = reconstruct(connection, gait, q, steps)
    times = np.linspace(0.0, gait.period, steps + 1)
    shapes, rates = gait.shape(times).T, gait.rate(times).T
    changes = np.zeros((2, steps + 1, len(gait), len(parameters)))
    for k, parameter in enumerate(parameters):
        for j, name in enumerate(gait.names):
            law = None if parameter == PACE else gait.derivative_law(parameter, name)  # a cycle does not depend on the pace
            if law is not None:
                changes[0, :, j, k], changes[1, :, j, k] = law(times), law.rate(times)
    weights = gait.period / steps / 3.0 * np.where(np.arange(steps + 1) % 2, 4.0, 2.0)
    weights[[0, -1]] *= 0.5
    total = np.zeros((connection.dim, len(parameters)))
    for k, state in enumerate(states):
        here = connection.configuration(shapes[k], state)
        slope = np.einsum("aij,j->ia", slopes(connection, here), rates[k])
        x = -slope @ changes[0, k] - connection.at(here) @ changes[1, k]
        total += weights[k] * (_adjoint(connection, state) @ x)
    body = np.linalg.solve(_adjoint(connection, states[-1]), total)
    vector = relative(connection.model, states[0], states[-1])
    return vector, _to_vector(connection, vector, body)


def _adjoint(connection: Connection, state: np.ndarray) -> np.ndarray:
    """Ad of the pose of the reference body."""
    code = connection.model.compiled.base_code
    if code == PLANAR:
        c, s = np.cos(state[2]), np.sin(state[2])
        return SE2.Ad([[c, -s, state[0]], [s, c, state[1]], [0.0, 0.0, 1.0]])
    if code == SPHERICAL:
        return SO3.from_quaternion(state[:4])
    if code == FREE:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = SO3.from_quaternion(state[3:7]), state[:3]
        return SE3.Ad(pose)
    return np.eye(connection.dim)


def _to_vector(connection: Connection, vector: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Changes of the displacement vector from changes g^-1 dg (dim G, p) in body axes."""
    code = connection.model.compiled.base_code
    result = body.copy()
    if code == PLANAR:
        c, s = np.cos(vector[2]), np.sin(vector[2])
        result[:2] = np.array([[c, -s], [s, c]]) @ body[:2]
    elif code in (SPHERICAL, FREE):
        result[-3:] = SO3.inverse_tangent(vector[-3:]) @ body[-3:]
        if code == FREE:
            result[:3] = SO3.exp(vector[-3:]) @ body[:3]
    return result


def area_displacement(
    robot: LocomotorLike, gait: Gait, *, q: Array | None = None, nodes: int = 200, layers: int = 12
) -> np.ndarray:
    """-(integral of the curvature over the cone from the middle of the gait to its path), (dim G,).

    -1/2 int int F_ab dr_a ^ dr_b = -int_0^T int_0^1 F(c + s (r - c))(r - c, rdot) s ds dt, for any number of shape
    coordinates. On Abelian groups it is the net displacement; on others its first approximation, in body axes, for small gaits.
    """
    connected = as_connection(robot, gait.names)
    times = gait.period * np.arange(nodes) / nodes
    shapes, rates = gait.shape(times).T, gait.rate(times).T
    centre = shapes.mean(axis=0)
    points, weights = np.polynomial.legendre.leggauss(layers)
    result = np.zeros(connected.dim)
    for r, rdot in zip(shapes, rates, strict=True):
        for x, weight in zip(0.5 * (points + 1.0), 0.5 * weights, strict=True):
            curved = local_curvature(connected, connected.configuration(centre + x * (r - centre), q))
            result -= weight * x * gait.period / nodes * np.einsum("iab,a,b->i", curved, r - centre, rdot)
    return result
