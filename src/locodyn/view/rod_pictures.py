"""Fields along the rods of a result for print: over time and arc length as an image, or over arc length at an instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.draw import legend
from locodyn.view.style import curve_style, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

STILL = 1e-6  # a field that changes by less than this share of its size is at rest
COLUMNS = 600  # instants of an image; more cannot be seen
GAP = 0.06  # between two rods in an image, over the length of one
FEW = 6  # rods whose curves are named


def has_rods(result: Result) -> bool:
    """Whether there is a field to draw."""
    return "rod_strain" in result.dataset


def curvature(result: Result, axes: Axes, at: float | None = None) -> None:
    """Bending sqrt(kappa_y^2 + kappa_z^2), 1/m."""
    _field(result, np.linalg.norm(result.rod_strain.values[..., 4:], axis=-1), "curvature", "1/m", axes, at)


def moment(result: Result, axes: Axes, at: float | None = None) -> None:
    """Bending moment sqrt(m_y^2 + m_z^2) of the material, without tendons, chambers and muscles, N m."""
    _field(result, np.linalg.norm(_carried(result)[..., 4:], axis=-1), "bending moment", "N m", axes, at)


def stretch(result: Result, axes: Axes, at: float | None = None) -> None:
    """Stretch Gamma_x, 1 where the rod has its own length."""
    _field(result, result.rod_strain.values[..., 0], "stretch", "-", axes, at)


def shear(result: Result, axes: Axes, at: float | None = None) -> None:
    """Shear sqrt(Gamma_y^2 + Gamma_z^2)."""
    _field(result, np.linalg.norm(result.rod_strain.values[..., 1:3], axis=-1), "shear", "-", axes, at)


def tension(result: Result, axes: Axes, at: float | None = None) -> None:
    """Force along the rod in its sections, positive where they are pulled apart; of the material, N."""
    _field(result, _carried(result)[..., 0], "tension", "N", axes, at)


def shear_force(result: Result, axes: Axes, at: float | None = None) -> None:
    """Force across the rod in its sections, sqrt(f_y^2 + f_z^2), of the material, N."""
    _field(result, np.linalg.norm(_carried(result)[..., 1:3], axis=-1), "shear force", "N", axes, at)


ROD_PICTURES: dict[str, Callable[..., None]] = {
    "curvature": curvature,
    "moment": moment,
    "stretch": stretch,
    "tension": tension,
    "shear": shear,
    "shear_force": shear_force,
}


def _carried(result: Result) -> np.ndarray:
    """Wrench of the material in the sections, without tendons, chambers and muscles: (n, rods, s, 6)."""
    wrench: np.ndarray = result.rod_wrench.values
    return wrench - result.rod_actuation.values if "rod_actuation" in result.dataset else wrench


def _field(result: Result, values: np.ndarray, word: str, unit: str, axes: Axes, at: float | None) -> None:
    """``values`` (n, rods, s): an image with the time to the right and each rod upwards, or curves over s at the time ``at``."""
    times, names = result.time.values, [str(name) for name in result.rod.values]
    label = f"{word} ({pretty_unit(unit)})"
    still = np.ptp(values, axis=0).max() <= STILL * max(float(np.abs(values).max()), 1e-300)
    if still or at is not None:
        s, row = result.s.values, len(times) - 1 if at is None else int(np.argmin(np.abs(times - at)))
        for k, name in enumerate(names):
            axes.plot(s, values[row, k], label=name, **curve_style(k))
        when = "" if at is None else f" at {times[row]:.3g} s"
        axes.set(title=f"{word} along the rod{when}", xlabel="s / length", ylabel=label, xlim=(0.0, 1.0))
        if 1 < len(names) <= FEW:
            legend(axes, names, axes.get_title(loc="left"))
        return
    few = np.unique(np.linspace(0, len(times) - 1, min(COLUMNS, len(times))).round().astype(int))
    low, high = min(0.0, float(values.min())), float(values.max())
    image: Any = None
    for k in range(len(names)):
        extent = (times[0], times[-1], k * (1.0 + GAP), k * (1.0 + GAP) + 1.0)
        image = axes.imshow(
            values[few, k].T,
            origin="lower",
            aspect="auto",
            extent=extent,
            cmap="cividis",
            vmin=low,
            vmax=high,
            interpolation="bilinear",
        )
    axes.set(title=f"{word} over time and arc length", xlabel="time (s)", xlim=(times[0], times[-1]))
    axes.set_ylim(0.0, len(names) * (1.0 + GAP) - GAP)
    if len(names) == 1:
        axes.set_ylabel("s / length")
    else:
        axes.set_yticks([k * (1.0 + GAP) + 0.5 for k in range(len(names))], names)
    axes.grid(visible=False)
    axes.figure.colorbar(image, ax=axes, label=label, pad=0.02)
