"""Identification of rods from measured shapes: Young's modulus, strain coordinates; errors of a simulation.

Young's modulus from a rod bent to arcs by a tendon at the distance d (Gotelli 2024, appendix D): each shape is laid into its
plane, an arc of curvature K fitted, E = T d / (I K). Strain coordinates: the q whose centre line is nearest to measured points,
by nonlinear least squares with the exact Jacobian of the slices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot import Robot
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.section import positive


@dataclass(frozen=True)
class ModulusFit:
    """Young's modulus of samples.

    ``values`` (n,) Pa, ``curvatures`` (n,) 1/m and ``tensions`` (n,) N of all samples, by rising tension; ``used`` (n,) which of
    them count; ``young`` and ``std``: mean and standard deviation of those, Pa.
    """

    values: np.ndarray
    curvatures: np.ndarray
    used: np.ndarray
    tensions: np.ndarray

    @property
    def young(self) -> float:
        """Mean of the samples that count, Pa."""
        return float(self.values[self.used].mean())

    @property
    def std(self) -> float:
        """Their standard deviation, Pa."""
        return float(self.values[self.used].std())


@dataclass(frozen=True)
class StrainFit:
    """Strain coordinates ``q`` (n,) of a centre line, ``residual`` (P,) m from each measured point to it, ``iterations``.

    Of a motion of T samples: (T, n), (T, P), and the largest number of iterations.
    """

    q: np.ndarray
    residual: np.ndarray
    iterations: int


@dataclass(frozen=True)
class ErrorStatistics:
    """Errors e = simulated - measured as the tables of Gotelli 2024, 4.9 have them.

    ``max``: largest |e|; ``mean``: |mean of e|, signs count; ``std``: standard deviation of e; ``percent``: 100 mean / amplitude,
    the amplitude being the range of the measured values.
    """

    max: float
    mean: float
    std: float
    percent: float


def _points(points: Any, what: str) -> np.ndarray:
    array = np.asarray(points, dtype=float)
    if array.ndim != 2 or array.shape[1] != 3 or len(array) < 3 or not np.isfinite(array).all():
        raise InputError(f"{what} must be at least 3 points of 3 finite numbers, (P, 3) m; it has the shape {array.shape}.")
    return array


def arc_curvature(points: Any) -> float:
    """Curvature (1/m) of the arc through points (P, 3), a straight line included.

    The plane is that of the two largest singular values. In it, A (x^2 + y^2) + B x + C y + D = 0 is fitted with
    B^2 + C^2 - 4 A D = 1 (Pratt 1987), so that the left side is the distance of a point from the arc, and the curvature 2 |A|.

    >>> angles = np.linspace(0.0, 0.5, 20)
    >>> round(arc_curvature(np.column_stack([2 * np.sin(angles), 2 - 2 * np.cos(angles), 0 * angles])), 10)
    0.5
    """
    array = _points(points, "a measured shape")
    centred = array - array.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    x, y = centred @ axes[0], centred @ axes[1]
    scale = float(np.sqrt(np.mean(x**2 + y**2)))
    if scale == 0.0:
        raise InputError("a measured shape has all its points in one place; it must be a line of points.")
    x, y = x / scale, y / scale
    rows = np.column_stack([x**2 + y**2, x, y, np.ones_like(x)])
    constraint = np.zeros((4, 4))
    constraint[0, 3] = constraint[3, 0] = -2.0
    constraint[1, 1] = constraint[2, 2] = 1.0
    # M a = eta N a with the smallest eta >= 0; N is its own inverse but for factors.
    values, vectors = np.linalg.eig(np.linalg.solve(constraint, rows.T @ rows))
    values = np.where(values.real < -1e-12 * np.abs(values).max(), np.inf, values.real)
    a = np.real(vectors[:, int(np.argmin(values))])
    return float(2.0 * abs(a[0]) / np.sqrt(a[1] ** 2 + a[2] ** 2 - 4.0 * a[0] * a[3]) / scale)


def young_modulus(shapes: Sequence[Any], tensions: Any, *, offset: float, moment: float, drop: int = 3) -> ModulusFit:
    """Young's modulus (Pa) from shapes under known tensions of one tendon.

    Parameters
    ----------
    shapes : sequence of (P, 3) m
        Points of the centre line, in any axes; P may differ.
    tensions : (n,) N
        Of the tendon, or the difference of those of two tendons on both sides.
    offset : m
        Distance of the tendon from the centre line.
    moment : m^4
        Second moment of area of the section about the axis of bending.
    drop : int
        So many samples of the lowest tension do not count: there noise and friction are as large as the bend.
    """
    loads = np.asarray(tensions, dtype=float)
    if loads.ndim != 1 or len(loads) != len(shapes) or not np.isfinite(loads).all() or (loads <= 0.0).any():
        raise InputError(f"there are {len(shapes)} shapes and tensions {tensions!r}; each shape needs a tension above zero.")
    arm, area = positive(offset, "The offset of the tendon", "m"), positive(moment, "The second moment of area", "m^4")
    if not 0 <= int(drop) < len(loads):
        raise InputError(f"{drop} of {len(loads)} samples are dropped; at least one must be left.")
    by_load = np.argsort(loads, kind="stable")
    curvatures = np.array([arc_curvature(shapes[i]) for i in by_load])
    if (curvatures[int(drop) :] <= 0.0).any():
        raise InputError("a measured shape is straight under load; its modulus cannot be found: drop it.")
    with np.errstate(divide="ignore"):
        values = loads[by_load] * arm / (area * curvatures)
    return ModulusFit(values, curvatures, np.arange(len(loads)) >= int(drop), loads[by_load])


def strain_coordinates(rod: Rod, places: Any, points: Any, start: Any = None) -> StrainFit:
    """The strain coordinates of a rod whose centre line passes nearest to measured points.

    Parameters
    ----------
    rod : Rod
    places : (P,) m
        Where on the rod the points are, 0 ... length.
    points : (P, 3) or (T, P, 3) m
        Measured, seen from the root of the rod: x along it. T samples of a motion are fitted one after the other.
    start : (n,), optional
        Where the search begins; by default the rod without load.

    Notes
    -----
    Coordinates that the points do not show (the torsion of a straight rod) stay as near to ``start`` as they can.
    """
    from scipy.optimize import least_squares

    lines = np.asarray(points, dtype=float)
    samples = [_points(one, "a measured centre line") for one in (lines if lines.ndim == 3 else lines[None])]
    s, measured = np.asarray(places, dtype=float), samples[0]
    if s.shape != (len(measured),) or not ((s >= 0.0) & (s <= rod.length)).all():
        raise InputError(f"each of the {len(measured)} points needs its place on the rod, between 0 and {rod.length:g} m.")
    if 3 * len(measured) < rod.count:
        raise InputError(f"{len(measured)} points cannot show {rod.count} strain coordinates; measure more, or use fewer modes.")
    model = _marked(rod, s).model(gravity=(0.0, 0.0, 0.0))
    names = [f"mark {k}" for k in range(len(s))]
    q0 = np.zeros(rod.count) if start is None else np.asarray(start, dtype=float)
    if q0.shape != (rod.count,):
        raise InputError(f"the search starts at {q0.shape[0] if q0.ndim else 1} coordinates; the rod has {rod.count}.")

    def away(q: np.ndarray, measured: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.concatenate([model.pose(name, q)[1] for name in names]) - measured.ravel()
        return found

    def slope(q: np.ndarray, measured: np.ndarray) -> np.ndarray:
        return np.vstack([model.pose(name, q)[0] @ model.jacobian(name, q)[:3] for name in names])

    fits: list[Any] = []
    for one in samples:
        options: dict[str, Any] = {"method": "trf", "x_scale": "jac", "xtol": 1e-12, "ftol": 1e-12, "gtol": 1e-14}
        fits.append(least_squares(away, fits[-1].x if fits else q0, slope, args=(one,), **options))
    q = np.array([fit.x for fit in fits])
    residual = np.array([np.linalg.norm(fit.fun.reshape(-1, 3), axis=1) for fit in fits])
    shape = slice(None) if lines.ndim == 3 else 0
    return StrainFit(q[shape], residual[shape], max(int(fit.njev) for fit in fits))


def _marked(rod: Rod, places: np.ndarray) -> Robot:
    """The rod, clamped, with a body without mass at each place."""
    robot = Robot("measured rod")
    stretch, shear_y, shear_z, torsion, bending_y, bending_z = rod.modes
    held = robot.base("root", moves="fixed").rod(
        "rod", length=rod.length, section=rod.section, material=rod.material, stretch=stretch, shear=(shear_y, shear_z),
        torsion=torsion, bending=(bending_y, bending_z), basis=rod.basis, nodes=rod.nodes, rest_curvature=rod.rest_curvature,
        quadrature=rod.quadrature, space=rod.space, tolerance=rod.tolerance, fields=rod.fields,
    )  # fmt: skip
    for k, s in enumerate(places):
        robot.body(f"mark {k}").on(held, at_s=float(s)).fixed()
    return robot


def error_statistics(measured: Any, simulated: Any) -> ErrorStatistics:
    """Errors of simulated values against measured ones of equal shape.

    >>> error_statistics([0.0, 1.0, 2.0], [0.5, 1.0, 2.0]).max
    0.5
    """
    truth, found = np.asarray(measured, dtype=float), np.asarray(simulated, dtype=float)
    if truth.shape != found.shape or not truth.size:
        raise InputError(f"measured and simulated values have the shapes {truth.shape} and {found.shape}; they must be equal.")
    error = found - truth
    mean, amplitude = abs(float(error.mean())), float(np.ptp(truth))
    percent = 100.0 * mean / amplitude if amplitude > 0.0 else (0.0 if mean == 0.0 else float("inf"))
    return ErrorStatistics(float(np.abs(error).max()), mean, float(error.std()), percent)


def error_table(pairs: Mapping[str, tuple[Any, Any]]) -> str:
    """The table of Gotelli 2024, 4.9 (Tables 4.2 to 4.4) in Markdown: a row for each (measured, simulated) pair, by its name.

    >>> print(error_table({"r (m)": ([0.0, 1.0, 2.0], [0.5, 1.0, 2.0])}))
    |   | max | mean | std | % of the range |
    |---|---|---|---|---|
    | r (m) | 0.5 | 0.167 | 0.236 | 8.33 |
    """
    if not pairs:
        raise InputError("a table of errors needs at least one pair of measured and simulated values.")
    lines = ["|   | max | mean | std | % of the range |", "|---|---|---|---|---|"]
    for name, (measured, simulated) in pairs.items():
        e = error_statistics(measured, simulated)
        lines.append(f"| {name} | {e.max:.3g} | {e.mean:.3g} | {e.std:.3g} | {e.percent:.3g} |")
    return "\n".join(lines)
