"""Height functions: the curvature of the connection over the two shape coordinates, with gaits drawn on it.

Shown is -F_12: the integral of the surface inside a loop that goes round counterclockwise is, on an Abelian group exactly and
for small gaits approximately, the displacement that the loop gives (:mod:`locodyn.gaits.local_curvature`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.gaits.gait import Gait
from locodyn.gaits.local_curvature import as_connection, curvature_grid
from locodyn.gaits.reconstruction import area_displacement, net_displacement
from locodyn.robot.layout import ANGULAR, FREE, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL
from locodyn.view.style import DASHES, STYLE, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.locomotion.connection import Connection

MAP = "PuOr_r"  # diverging, told apart by colour-blind readers; orange is positive
LOOP = "#000000"
LEVELS = 17
_NOTHING = 1e-12  # m, rad: round-off
SIZE = 3.4  # of one panel, inch
COMPONENTS: dict[int, tuple[tuple[str, str], ...]] = {
    PLANAR: (("x", "m"), ("y", "m"), ("theta", "rad")),
    FREE: (("x", "m"), ("y", "m"), ("z", "m"), ("rotation_x", "rad"), ("rotation_y", "rad"), ("rotation_z", "rad")),
    SPHERICAL: (("rotation_x", "rad"), ("rotation_y", "rad"), ("rotation_z", "rad")),
    REVOLUTE: (("angle", "rad"),),
    PRISMATIC: (("distance", "m"),),
}
SYMBOLS = {"theta": "\u03b8", "rotation_x": "turn about x", "rotation_y": "turn about y", "rotation_z": "turn about z"}


def figure(
    robot: Any,
    gaits: Gait | Sequence[Gait] = (),
    *,
    shape: Sequence[str] | None = None,
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
    components: Sequence[str] | None = None,
    points: int = 61,
    q: Any = None,
    area: bool = False,
) -> Figure:
    """A figure with one panel for each component of the height function.

    Parameters
    ----------
    robot : robot, model, problem, scenario or Connection with two shape coordinates.
    gaits : gaits to draw; arrows show the way they go.
    shape : names of the two coordinates, horizontal first; by default those of the first gait, or all.
    limits : ((low, high), (low, high)) of the two coordinates; by default a little more than the gaits need.
    components : names of those to show (``x``, ``y``, ``theta``, ...), by default those that are not zero.
    points : of the grid, in each direction.
    q : (nq,) other joints.
    area : shade what the first gait encloses, and say what this area gives and what the gait gives along its path: the same on
        an Abelian group and for the turn in the plane (Gauss and Bonnet; Ali 2011, 2.2), nearly the same for small gaits.
    """
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    loops = [gaits] if isinstance(gaits, Gait) else list(gaits)
    connection = as_connection(robot, shape or (loops[0].names if loops else None))
    paths = [_path(connection, loop) for loop in loops]
    first, second = _axes_of(limits, paths, points)
    _, curved = curvature_grid(connection, first, second, q=q)
    known = COMPONENTS.get(connection.model.compiled.base_code, (("x", "m"), ("y", "m"), ("z", "m")))
    chosen = _chosen(known, components, curved)
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        new = NewFigure(figsize=(1.3 * SIZE * len(chosen), SIZE), layout="constrained")
        places: Any = new.subplots(1, len(chosen), squeeze=False)[0]
        for axes, k in zip(places, chosen, strict=True):
            _panel(new, axes, connection, first, second, -curved[k], known[k])
            for number, path in enumerate(paths):
                _loop(axes, path, number)
        if area:
            _enclosed(places, chosen, known, connection, loops, q)
    return new


def _enclosed(
    places: Any, chosen: list[int], known: Sequence[tuple[str, str]], connection: Connection, loops: list[Gait], q: Any
) -> None:
    """Shade the area of the first gait, and write its integral of -F_12 beside the net displacement."""
    if not loops:
        raise InputError("the area of the height function needs a gait that encloses it; give gaits.")
    enclosed, net = area_displacement(connection, loops[0], q=q), net_displacement(connection, loops[0], q=q).vector
    for axes, k in zip(places, chosen, strict=True):
        axes.fill(*_path(connection, loops[0]), facecolor="none", edgecolor=LOOP, hatch="///", linewidth=0.0, alpha=0.45)
        name, unit = known[k]
        by_area, by_path = (0.0 if abs(x[k]) < _NOTHING else x[k] for x in (enclosed, net))
        axes.set_title(f"{SYMBOLS.get(name, name)}   area {by_area:.3g} {unit}, path {by_path:.3g} {unit}")


def plot(robot: Any, file: str | Path, gaits: Gait | Sequence[Gait] = (), **options: Any) -> Path:
    """Draw the height functions into a file (png, pdf, svg); the options are those of :func:`figure`."""
    import matplotlib

    from locodyn.sim.store import write_beside

    path = Path(file)
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise InputError(f"the plot '{path}' must end in .png, .pdf or .svg; the ending says the format.")
    drawing = figure(robot, gaits, **options)

    def write(target: Path) -> None:
        with matplotlib.rc_context(STYLE):
            drawing.savefig(target)

    return write_beside(path, write)


def _path(connection: Connection, gait: Gait) -> np.ndarray:
    """(2, n) the loop of a gait in the two coordinates."""
    for name in connection.shape:
        if name not in gait:
            raise InputError(f"the gait does not move '{name}'{nearest(name, gait)}")
    values = gait.shape(np.linspace(0.0, gait.period, 241))
    return np.array([values[gait.names.index(name)] for name in connection.shape])


def _axes_of(
    limits: tuple[tuple[float, float], tuple[float, float]] | None, paths: list[np.ndarray], points: int
) -> tuple[np.ndarray, np.ndarray]:
    if limits is None:
        if not paths:
            raise InputError("the height function needs limits of the two coordinates, or a gait that shows them.")
        both = np.hstack(paths)
        middle, reach = 0.5 * (both.max(axis=1) + both.min(axis=1)), 0.65 * np.ptp(both, axis=1).max()
        if reach == 0.0:
            raise InputError("the gait does not move, so that there are no limits to take from it; give limits.")
        limits = ((middle[0] - reach, middle[0] + reach), (middle[1] - reach, middle[1] + reach))
    for low, high in limits:
        if not low < high:
            raise InputError(f"the limits of the height function are {low!r} and {high!r}; the first must be the smaller one.")
    return np.linspace(*limits[0], points), np.linspace(*limits[1], points)


def _chosen(known: Sequence[tuple[str, str]], wanted: Sequence[str] | None, curved: np.ndarray) -> list[int]:
    names = [name for name, _ in known]
    if wanted is None:
        sizes = np.abs(curved).max(axis=(1, 2))
        chosen = [k for k in range(len(names)) if sizes[k] > 1e-9 * max(1e-300, sizes.max())]
        return chosen or list(range(len(names)))
    for name in wanted:
        if name not in names:
            raise InputError(f"the height function has no component '{name}'{nearest(name, names)}")
    return [names.index(name) for name in wanted]


def _panel(
    new: Figure,
    axes: Axes,
    connection: Connection,
    first: np.ndarray,
    second: np.ndarray,
    values: np.ndarray,
    component: tuple[str, str],
) -> None:
    """Filled contours, symmetric about zero, and the line where the height vanishes."""
    name, unit = component
    top = float(np.abs(values).max()) or 1.0
    levels = np.linspace(-top, top, LEVELS)
    drawn = axes.contourf(first, second, values.T, levels=levels, cmap=MAP, vmin=-top, vmax=top)
    if values.min() < 0.0 < values.max():
        smooth = _without_noise(values, top)
        axes.contour(first, second, smooth.T, levels=[0.0], colors="#555555", linewidths=0.8, linestyles="--")
    units = ["rad" if connection.model.dof_constants[i, ANGULAR] else "m" for i in connection.indices]
    per = f"{units[0]}^2" if units[0] == units[1] else " ".join(units)
    bar = new.colorbar(drawn, cax=axes.inset_axes((1.04, 0.0, 0.05, 1.0)), ticks=np.linspace(-top, top, 5), format="%.2g")
    bar.set_label(f"$-F_{{12}}$ ({pretty_unit(f'{unit}/{per}')})")
    labels = [f"{label} ({u})" for label, u in zip(connection.shape, units, strict=True)]
    axes.set(title=SYMBOLS.get(name, name), xlabel=labels[0], ylabel=labels[1])
    if units[0] == units[1]:
        axes.set_aspect("equal")


def _without_noise(values: np.ndarray, top: float) -> np.ndarray:
    """Round-off where the height vanishes without changing its sign, replaced by the mean of what is around."""
    edged = np.pad(values, 1, mode="edge")
    n, m = values.shape
    around = sum(edged[i : i + n, j : j + m] for i in range(3) for j in range(3)) / 9.0
    return np.where(np.abs(values) < 1e-9 * top, around, values)


def _loop(axes: Axes, path: np.ndarray, number: int) -> None:
    """The loop with three arrows, and a dot where it starts."""
    axes.plot(*path, color=LOOP, linewidth=1.6, linestyle=DASHES[number % len(DASHES)])
    axes.plot(*path[:, :1], "o", color=LOOP, markersize=4.5)
    n = path.shape[1] - 1
    for k in (n // 6, n // 2, 5 * n // 6):
        begin, end = path[:, k], path[:, k + 2]
        axes.annotate("", (end[0], end[1]), (begin[0], begin[1]), arrowprops={"arrowstyle": "-|>", "color": LOOP, "lw": 1.6})
