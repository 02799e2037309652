"""The motion of a body from measured centre lines: laws of its strain coordinates, to be imposed on a rod.

Marks along the body are measured at instants, anywhere in the world. At each instant the pose of the head and the strain
coordinates are found whose centre line passes nearest to them (Gauss and Newton, with the exact Jacobian of the slices). The
coordinates are then smoothed along the body and in time as far as their noise asks for (:mod:`locodyn.identify.smoothing`), and
the smooth shapes laid upon the marks again, which gives the pose of the head. That is not imposed: the body finds its way by
itself, and can be held against the measured one.

A rod with a basis of B-splines takes any smooth centre line: ``bending=(0, 12), basis="bspline"``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.identify.smoothing import rough, smoothed
from locodyn.motion import Law, from_csv, spline
from locodyn.newton import Linearised, damped_newton
from locodyn.robot import Robot, Rod

_ITERATIONS, _SETTLED = 30, 1e-11
_FEWEST_TIMES = 8


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """A measured body.

    ``laws`` {strain coordinate: Law}, smooth; ``times`` (T,) s; ``q`` (T, n) strain coordinates before they were smoothed;
    ``head_position`` (T, 3) m and ``head_rotation`` (T, 3, 3) of the smooth shapes where they lie nearest to the marks;
    ``residual`` (T, P) m from each mark to the centre line of ``q``; ``noise`` m, the standard deviation of a coordinate of a
    mark; ``cutoff`` Hz, above which the laws hold nothing (half the rate of the samples where nothing was smoothed away).
    """

    laws: dict[str, Law]
    times: np.ndarray
    q: np.ndarray
    head_position: np.ndarray
    head_rotation: np.ndarray
    residual: np.ndarray
    noise: float
    cutoff: float

    def imposed(self, rod: str) -> dict[str, Law]:
        """The laws by the names of the coordinates of this rod (of its joint), for ``imposed=`` of a scenario."""
        return {f"{rod}.{name}": law for name, law in self.laws.items()}


def measured_body(rod: Rod, places: Any, times: Any, points: Any, *, cutoff: float | None = None) -> BodyMotion:
    """The motion of a rod from marks on its centre line.

    Parameters
    ----------
    rod : Rod
        Its modes are what can be found; it has no strain fields.
    places : (P,) m
        Where the marks are on the rod.
    times : (T,) s
    points : (T, P, 2) or (T, P, 3) m
        In the world. In a plane: the rod may bend about z and stretch.
    cutoff : Hz
        What is faster is left out. Without it, as much is kept as stands out of the noise, by cross-validation.
    """
    s, t, marks = _checked(rod, places, times, points)
    planar = np.asarray(points).shape[-1] == 2
    model = _marked(rod, s, planar)
    frames = _frames(model, len(s))
    state, states, residual = _first(model, marks[0], s), [], []
    information = np.zeros((rod.count, rod.count))
    for sample in marks:
        state, away = _nearest(model, state, sample, frames)
        states.append(state)
        residual.append(np.linalg.norm(away.reshape(-1, 3), axis=1))
        information += _information(_slope(model, state, frames), rod.count) / len(marks)
    q = np.array(states)[:, -rod.count :]
    numbers = len(t) * (len(s) * (2 if planar else 3) - (3 if planar else 6))
    smooth = smoothed(t, q, information, rough(rod), float(np.square(residual).sum()), numbers, cutoff)
    laws = {name: spline(t, values, 5) for name, values in zip(rod.coordinate_names, smooth.values.T, strict=True)}
    turns, origins = _laid_upon(model, frames, smooth.values, marks, planar)
    return BodyMotion(laws, t, q, origins, turns, np.array(residual), smooth.noise, smooth.cutoff)


def body_from_csv(rod: Rod, path: str | Path, places: Any, *, time: str = "time", cutoff: float | None = None) -> BodyMotion:
    """:func:`measured_body` from a CSV file with a header line: ``time``, ``x0``, ``y0`` (and ``z0``), ``x1``, ``y1``, ..."""
    laws = from_csv(path, time=time, degree=1)
    times = next(iter(laws.values())).terms[0].knots
    count = len(np.atleast_1d(places))
    axes = "xyz" if "z0" in laws else "xy"
    for k in range(count):
        for axis in axes:
            if f"{axis}{k}" not in laws:
                raise InputError(
                    f"the file '{path}' has no column '{axis}{k}'; it needs {', '.join(axes)} of {count} marks, from 0 on."
                )
    points = np.array([[laws[f"{axis}{k}"](times) for axis in axes] for k in range(count)])
    return measured_body(rod, places, times, np.moveaxis(points, 2, 0), cutoff=cutoff)


def _checked(rod: Rod, places: Any, times: Any, points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    s, t, marks = (np.asarray(x, dtype=float) for x in (places, times, points))
    if not isinstance(rod, Rod):
        raise InputError(f"the rod is a {type(rod).__name__}; it must be a Rod, robot.description.body(name).joint.rod.")
    if rod.fields:
        raise InputError(f"a measured body is fitted by strain modes; this rod has the strain field '{rod.fields[0].name}'.")
    if marks.ndim != 3 or marks.shape[2] not in (2, 3) or not np.isfinite(marks).all():
        raise InputError(
            f"measured centre lines have the shape {marks.shape}; they must be (T, P, 2) or (T, P, 3) finite numbers."
        )
    if s.shape != (marks.shape[1],) or not ((s >= 0.0) & (s <= rod.length)).all() or (np.diff(s) <= 0.0).any():
        raise InputError(
            f"each of the {marks.shape[1]} marks needs its place on the rod, growing, between 0 and {rod.length:g} m."
        )
    if t.shape != (len(marks),) or len(t) < _FEWEST_TIMES:
        raise InputError(
            f"a measured body has {t.size} times and {len(marks)} centre lines; it needs as many, {_FEWEST_TIMES} or more."
        )
    unknown = rod.count + (3 if marks.shape[2] == 2 else 6)
    if marks.shape[1] * marks.shape[2] < unknown:
        raise InputError(
            f"a centre line of {marks.shape[1]} points cannot show {unknown} unknowns (the head, and {rod.count} strain"
            " coordinates); measure more points, or use fewer modes."
        )
    if marks.shape[2] == 2:
        if any(rod.modes[c] for c in (2, 3, 4)):
            raise InputError("marks in a plane show no torsion, no bending about y and no shear along z; leave these modes out.")
        marks = np.concatenate([marks, np.zeros((*marks.shape[:2], 1))], axis=2)
    return s, t, marks


def _marked(rod: Rod, places: np.ndarray, planar: bool) -> Model:
    """The rod, free or in the plane, with a body without mass at each place."""
    robot = Robot("measured body")
    stretch, shear_y, shear_z, torsion, bending_y, bending_z = rod.modes
    plain = replace(rod, fluid=None)
    held = robot.base("head", moves="planar" if planar else "free").rod(
        "body", length=plain.length, section=plain.section, material=plain.material, stretch=stretch, shear=(shear_y, shear_z),
        torsion=torsion, bending=(bending_y, bending_z), basis=plain.basis, nodes=plain.nodes, quadrature=plain.quadrature,
        rest_curvature=plain.rest_curvature, space=plain.space, tolerance=plain.tolerance,
    )  # fmt: skip
    for k, s in enumerate(places):
        robot.body(f"mark {k}").on(held, at_s=float(s)).fixed()
    return robot.model(gravity=(0.0, 0.0, 0.0))


def _first(model: Model, marks: np.ndarray, places: np.ndarray) -> np.ndarray:
    """A straight body near the first centre line: its head at the first mark, along the way to the second."""
    along = marks[1] - marks[0]
    along = along / np.linalg.norm(along)
    q = np.asarray(model.neutral())
    origin = marks[0] - places[0] * along
    angle = np.arctan2(along[1], along[0])
    if model.compiled.reference_nv == 3:
        q[:3] = origin[0], origin[1], angle
        return q
    side = np.cross((1.0, 0.0, 0.0), along)
    q[:3], q[3:7] = origin, (1.0 + along[0], *side)
    if np.linalg.norm(q[3:7]) < 1e-6:
        q[3:7] = 0.0, 0.0, 0.0, 1.0  # the other way round
    return np.asarray(model.normalised(q))


def _frames(model: Model, count: int) -> np.ndarray:
    """Numbers of the frames of the marks; a mark is at the origin of its frame."""
    return np.array([model.compiled.point(f"mark {k}")[0] for k in range(count)])


def _slope(model: Model, q: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """How the marks move with the velocities, (3 P, nv)."""
    turns = model.kinematics(q)[0][frames, :9].reshape(-1, 3, 3)
    rows = [turn @ model.jacobian(f"mark {k}", q)[:3] for k, turn in enumerate(turns)]
    return np.vstack(rows)


def _information(slope: np.ndarray, count: int) -> np.ndarray:
    """What marks with a noise of 1 m tell of the ``count`` strain coordinates when nothing is known of the head, (n, n) m^2."""
    whole = slope.T @ slope
    head = whole[:-count, :-count]
    found: np.ndarray = whole[-count:, -count:] - whole[-count:, :-count] @ np.linalg.pinv(head) @ whole[:-count, -count:]
    return found


def _nearest(model: Model, q: np.ndarray, marks: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state whose marks are nearest to the measured ones, from q on, and what is left (3 P,) m."""

    def away(x: np.ndarray) -> np.ndarray:
        left: np.ndarray = (model.kinematics(x)[0][frames, 9:] - marks).ravel()
        return left

    before = np.inf

    def linearised(x: np.ndarray) -> Linearised[np.ndarray]:
        nonlocal before
        left = away(x)
        size = float(np.linalg.norm(left))
        if before - size <= _SETTLED:
            return Linearised(size, lambda share: (x, size), solved=True)
        before = size
        step = np.linalg.lstsq(_slope(model, x, frames), -left, rcond=1e-10)[0]

        def ahead(share: float) -> tuple[np.ndarray, float]:
            moved = model.move(x, share * step)
            return moved, float(np.linalg.norm(away(moved)))

        return Linearised(size, ahead)

    nearest = damped_newton(q, linearised, most=_ITERATIONS, shortest=1e-3).x  # also where no step leads nearer
    return nearest, away(nearest)


def _laid_upon(
    model: Model, frames: np.ndarray, shapes: np.ndarray, marks: np.ndarray, planar: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Poses of the head, (T, 3, 3) and (T, 3) m, with which the marks of the shapes (T, n) are nearest to the measured ones.

    Kabsch (1976): the rotation from the singular values of the sum of products of both, about their mean places.
    """
    base = np.asarray(model.neutral())[: model.nq - shapes.shape[1]]
    own = np.array([model.kinematics(np.concatenate([base, q]))[0][frames, 9:] for q in shapes])
    middle, centre = own.mean(axis=1), marks.mean(axis=1)
    products = np.einsum("tpi,tpj->tij", own - middle[:, None], marks - centre[:, None])
    if planar:
        angle = np.arctan2(products[:, 0, 1] - products[:, 1, 0], products[:, 0, 0] + products[:, 1, 1])
        turns = np.zeros((len(marks), 3, 3))
        turns[:, 0, 0] = turns[:, 1, 1] = np.cos(angle)
        turns[:, 1, 0] = np.sin(angle)
        turns[:, 0, 1], turns[:, 2, 2] = -turns[:, 1, 0], 1.0
    else:
        left, _, right = np.linalg.svd(products)
        left[:, :, 2] *= np.linalg.det(left @ right)[:, None]
        turns = np.swapaxes(left @ right, 1, 2)
    return turns, centre - np.einsum("tij,tj->ti", turns, middle)
