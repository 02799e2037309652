"""Fields along the rods of a result for print: over time and arc length as an image, or over arc length where nothing moves."""

from __future__ import annotations

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


def curvature(result: Result, axes: Axes) -> None:
    """Bending sqrt(kappa_y^2 + kappa_z^2), 1/m."""
    _field(result, np.linalg.norm(result.rod_strain.values[..., 4:], axis=-1), "curvature", "1/m", axes)


def moment(result: Result, axes: Axes) -> None:
    """Bending moment sqrt(m_y^2 + m_z^2) of the material, without tendons, chambers and muscles, N m."""
    wrench = result.rod_wrench.values
    if "rod_actuation" in result.dataset:
        wrench = wrench - result.rod_actuation.values
    _field(result, np.linalg.norm(wrench[..., 4:], axis=-1), "bending moment", "N m", axes)


def stretch(result: Result, axes: Axes) -> None:
    """Stretch Gamma_x, 1 where the rod has its own length."""
    _field(result, result.rod_strain.values[..., 0], "stretch", "-", axes)


def tension(result: Result, axes: Axes) -> None:
    """Force along the rod in its sections, positive where they are pulled apart, N."""
    _field(result, result.rod_wrench.values[..., 0], "tension", "N", axes)


def _field(result: Result, values: np.ndarray, word: str, unit: str, axes: Axes) -> None:
    """``values`` (n, rods, s): an image with the time to the right and each rod upwards, or curves over s."""
    times, names = result.time.values, [str(name) for name in result.rod.values]
    label = f"{word} ({pretty_unit(unit)})"
    if np.ptp(values, axis=0).max() <= STILL * max(float(np.abs(values).max()), 1e-300):
        s = result.s.values
        for k, name in enumerate(names):
            axes.plot(s, values[-1, k], label=name, **curve_style(k))
        axes.set(title=f"{word} along the rod", xlabel="s / length", ylabel=label, xlim=(0.0, 1.0))
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
