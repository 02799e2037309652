"""Inertia and friction of a robot from the torques of its joints: linear least squares with the regressor of the kernels.

Torques are linear in mass, first moment and inertia of each moving frame, in rotor inertias and in the friction of joints:
tau = Y(q, v, a) p. A column of Y is what inverse dynamics gives for a robot of which one parameter is one and all others are
zero. Not all of p show: motion tells the base parameters only, combinations of p that the columns of Y leave independent
(Gautier 1991, by QR with column pivoting of Y at random states).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import locodyn.robot.layout as layout
from locodyn.dynamics.model import Model
from locodyn.errors import InputError, RunError, nearest
from locodyn.sim import Result, Scenario
from locodyn.study.estimate import Estimate
from locodyn.study.measured import Measured
from locodyn.study.subject import Maker, Subject

_INERTIA = ("mass", "moment_x", "moment_y", "moment_z", "xx", "xy", "xz", "yy", "yz", "zz")
_UNITS = ("kg", "kg m", "kg m", "kg m", *("kg m^2",) * 6)
_SAME = 1e-9  # of the largest pivot: columns below are combinations of others
_RANDOM = 60  # states at which the structure of the regressor is looked at
_LEAST = 1e-6  # smallest over largest singular value of the scaled regressor: below, the motion does not tell the parameters


@dataclass(frozen=True, eq=False)
class TorqueFit(Estimate):
    """Base parameters of a robot.

    ``combinations`` {name: {parameter: factor}}: what each base parameter is a sum of, named after its first term;
    ``described`` (p,): what the robot of the scenario has in their place.
    """

    combinations: dict[str, dict[str, float]]
    described: np.ndarray

    def __repr__(self) -> str:
        return f"TorqueFit({self._told()} (95 %))"


def fit_torques(source: str | Scenario | Maker, measured: str | Path | Result | Measured, *, coulomb: bool = True) -> TorqueFit:
    """Base parameters of inertia, and friction of the joints, from measured motion and torques.

    Parameters
    ----------
    source : as of :class:`Study`: a robot on a fixed base with joints of one axis; its lengths count, its masses do not
    measured : a CSV file, a result or a :class:`Measured` with ``joint_position.NAME``, ``joint_velocity.NAME``,
        ``joint_acceleration.NAME`` and ``joint_torque.NAME`` of all joints
    coulomb : whether joints have dry friction beside the viscous one
    """
    scenario = Subject(source).scenario({})
    names = _joints(scenario)
    columns = [tuple(f"joint_{what}.{name}" for name in names) for what in ("position", "velocity", "acceleration", "torque")]
    wanted = tuple(name for group in columns for name in group)
    data = Measured.of(measured, wanted)
    for name in wanted:
        if name not in data.columns:
            raise InputError(f"the measurements have no column '{name}'{nearest(name, data.columns)}")
    q, v, a, torque = (np.column_stack([data.values[:, data.columns.index(name)] for name in group]) for group in columns)
    model = Model(scenario.compiled, scenario.world.gravity)
    parameters, units = _parameters(scenario, names, coulomb)
    base, shares = _base(_random_regressor(model, coulomb))
    regressor = _regressor(model, q, v, a, coulomb)
    slopes = regressor[:, :, base]
    flat = slopes.reshape(-1, len(base))
    scale = np.linalg.norm(flat, axis=0)
    if len(flat) <= len(base):
        raise InputError(f"there are {len(flat)} measured torques for {len(base)} base parameters; a fit needs more of them.")
    if not scale.all() or np.linalg.cond(flat / scale) > 1.0 / _LEAST:
        weak = [parameters[base[k]] for k in _weak(flat, scale)]
        raise RunError(f"the motion does not tell {' and '.join(map(repr, weak))}; move all joints more, and at other speeds.")
    values = np.linalg.lstsq(flat / scale, torque.ravel(), rcond=None)[0] / scale
    fitted = slopes @ values
    left = float(((torque - fitted) ** 2).sum()) / (flat.shape[0] - len(base))
    covariance = left * np.linalg.inv((flat / scale).T @ (flat / scale)) / np.outer(scale, scale)
    combinations = {parameters[k]: {parameters[j]: share for j, share in shares[k].items()} for k in base}
    known = _described(model, coulomb)
    described = np.array([sum(share * known[j] for j, share in shares[k].items()) for k in base])
    shown = Measured(data.times, torque, columns[3])
    return TorqueFit(
        tuple(parameters[k] for k in base), tuple(units[k] for k in base), values, covariance, shown, fitted, slopes,
        combinations, described,
    )  # fmt: skip


def _joints(scenario: Scenario) -> tuple[str, ...]:
    """Names of the coordinates of a robot that this method can take."""
    robot = scenario.compiled
    if robot.reference_nv or robot.has_rods or robot.nq != robot.nv or scenario.problem.constraints.rows:
        raise InputError(
            f"robot '{robot.name}' has a base that moves, rods, wheels, loops or joints with several axes; inertia from joint"
            " torques needs a fixed base and joints of one axis: fit parameters of its motion with fit(...) instead."
        )
    return tuple(robot.coordinate_names)


def _parameters(scenario: Scenario, joints: Sequence[str], coulomb: bool) -> tuple[list[str], list[str]]:
    """Names and units of all parameters: inertia of what each joint moves (in its frame), rotor, friction."""
    names = [f"{joint}.{what}" for joint in joints for what in _INERTIA]
    units = [unit for _ in joints for unit in _UNITS]
    for word, unit in (("rotor", "kg m^2 or kg"), ("viscous", "N m s or N s/m"), *([("coulomb", "N m or N")] if coulomb else [])):
        names += [f"{joint}.{word}" for joint in joints]
        units += [unit] * len(joints)
    return names, units


def _frames(model: Model) -> np.ndarray:
    """The frame that each joint moves, (n,)."""
    return np.asarray(model.dofs[:, layout.DOF_FRAME], dtype=int)


def _regressor(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, coulomb: bool) -> np.ndarray:
    """Y (T, n, p): inverse dynamics of robots that have one parameter each."""
    n, columns = model.nv, []
    own = model.constants[:, layout.MASS : layout.INERTIA + 6]
    kept, rotors = model.constants.copy(), slice(layout.ARMATURE, layout.ARMATURE + 6)
    try:
        own[:], model.constants[:, rotors] = 0.0, 0.0
        for frame in _frames(model):
            for k in range(len(_INERTIA)):
                own[frame, k] = 1.0
                columns.append(np.array([model.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)]))
                own[frame, k] = 0.0
    finally:
        model.constants[:] = kept
    each = np.eye(n)
    columns += [a[:, [i]] * each[i] for i in range(n)]
    columns += [v[:, [i]] * each[i] for i in range(n)]
    if coulomb:
        speed = np.hypot(v, model.dof_constants[:, layout.COULOMB_SPEED])
        dry = np.divide(v, speed, out=np.zeros_like(v), where=speed > 0.0)
        columns += [dry[:, [i]] * each[i] for i in range(n)]
    return np.stack(columns, axis=-1)


def _random_regressor(model: Model, coulomb: bool) -> np.ndarray:
    """Y at random states, all rows, (rows, p)."""
    rng = np.random.default_rng(0)
    q, v, a = (size * rng.standard_normal((_RANDOM, model.nv)) for size in (1.0, 2.0, 4.0))
    found = _regressor(model, q, v, a, coulomb)
    return found.reshape(-1, found.shape[-1])


def _base(matrix: np.ndarray) -> tuple[list[int], dict[int, dict[int, float]]]:
    """Independent columns, and for each of these the columns that act like it with their factors (its own: 1)."""
    from scipy.linalg import qr

    size = np.linalg.norm(matrix, axis=0)
    seen = np.flatnonzero(size > _SAME * size.max())
    upper, order = qr(matrix[:, seen] / size[seen], mode="r", pivoting=True)
    upper = upper[: len(seen)]
    rank = int((np.abs(np.diag(upper)) > _SAME * abs(upper[0, 0])).sum())
    ahead, behind = seen[order[:rank]], seen[order[rank:]]
    factors = np.linalg.solve(upper[:rank, :rank], upper[:rank, rank:]) / size[ahead][:, None] * size[behind]
    shares = {}
    for row, k in enumerate(ahead):
        others = {int(j): float(x) for j, x in zip(behind, factors[row], strict=True) if abs(x) > 1e-7}
        shares[int(k)] = {int(k): 1.0, **others}
    return sorted(int(k) for k in ahead), shares


def _described(model: Model, coulomb: bool) -> np.ndarray:
    """All parameters as the robot has them."""
    frames, constants, drives = _frames(model), model.constants, model.dof_constants
    inertia = constants[frames, layout.MASS : layout.INERTIA + 6].ravel()
    words = [drives[:, layout.DOF_ARMATURE], drives[:, layout.VISCOUS], *([drives[:, layout.COULOMB]] if coulomb else [])]
    return np.concatenate([inertia, *words])


def _weak(flat: np.ndarray, scale: np.ndarray) -> list[int]:
    """Numbers of the base parameters with a large share in what the motion shows least."""
    unseen = np.flatnonzero(scale == 0.0)
    if len(unseen):
        return [int(k) for k in unseen]
    last = np.abs(np.linalg.svd(flat / scale, full_matrices=False)[2][-1])
    return [int(k) for k in np.flatnonzero(last > 0.3)]
