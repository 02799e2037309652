"""Charts of what varies along rods and in time: strains, and the force and moment in the sections, signed where they have one
direction.

A chart of a field is an image over time and arc length; at an instant, or where nothing moves, it is a curve over arc length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.chart import Chart, Panel

if TYPE_CHECKING:
    from locodyn.sim import Result

FEW = 6  # rods that one image can tell apart
NOTHING = 1e-6  # of the largest force (or moment): less is the error of slices, and no field


def has_rods(result: Result) -> bool:
    """Whether there is a field to draw."""
    return "rod_strain" in result.dataset


def carried(result: Result) -> np.ndarray:
    """Wrench of the material in the sections, without tendons, chambers and muscles: (n, rods, s, 6)."""
    wrench: np.ndarray = result.rod_wrench.values
    return wrench - result.rod_actuation.values if "rod_actuation" in result.dataset else wrench


def _sizes(result: Result) -> np.ndarray:
    """Largest force along x, y, z (N) and moment about x, y, z (N m) in any section at any time (6,); what is unknown is 0."""
    wrench = np.abs(carried(result)).reshape(-1, 6)
    return np.asarray(np.nan_to_num(wrench).max(axis=0, initial=0.0))


def _least(result: Result) -> np.ndarray:
    """What is less than this is zero in the sense of each component of the wrench, (6,) N and N m."""
    sizes = _sizes(result)
    force, moment = float(sizes[:3].max()), float(sizes[3:].max())
    centre = result.rod_position.values[0]
    length = float(np.linalg.norm(np.diff(centre, axis=1), axis=2).sum(axis=1).max())
    return np.repeat([max(NOTHING * force, 1e-12), max(NOTHING * max(moment, force * length), 1e-12)], 3)


def _loaded(*components: int) -> Callable[[Result], bool]:
    """Whether some section carries one of these components."""
    return lambda result: "rod_wrench" in result.dataset and any((_sizes(result) > _least(result))[list(components)].tolist())


def field(title: str, unit: str, values: np.ndarray, result: Result, level: float = 0.0) -> Chart:
    """``values`` (n, rods, s) as an image; a scale on both sides of the ``level`` where values are on both."""
    names = tuple(str(name) for name in result.rod.values)
    return Chart(title, "field", "", unit, names, values, labels=("time (s)", "s / length"), level=level)


def _component(title: str, unit: str, component: int) -> Callable[[Result], Chart]:
    return lambda result: field(title, unit, carried(result)[..., component], result)


def _across(title: str, preposition: str, unit: str, first: int) -> Callable[[Result], Chart]:
    """Of the components across the rod, y and z: the one that there is, with its sign, or the size of both."""

    def make(result: Result) -> Chart:
        pair = carried(result)[..., first : first + 2]
        there = (_sizes(result) > _least(result))[first : first + 2]
        if there.sum() == 1:
            k = int(there.argmax())
            return field(f"{title} {preposition} {'yz'[k]}", unit, pair[..., k], result)
        return field(title, unit, np.linalg.norm(pair, axis=-1), result)

    return make


def _bent(title: str, preposition: str, unit: str, first: int) -> Callable[[Result], Chart]:
    """Likewise of the strains across the rod."""

    def make(result: Result) -> Chart:
        pair = result.rod_strain.values[..., first : first + 2]
        sizes = np.abs(pair).reshape(-1, 2).max(axis=0)
        if sizes.min() <= NOTHING * sizes.max() and sizes.max() > 0.0:
            k = int(sizes.argmax())
            return field(f"{title} {preposition} {'yz'[k]}", unit, pair[..., k], result)
        return field(title, unit, np.linalg.norm(pair, axis=-1), result)

    return make


def _stretch(result: Result) -> Chart:
    """Gamma_x, 1 where the rod has its own length."""
    return field("stretch", "-", result.rod_strain.values[..., 0], result, level=1.0)


def _shown(*components: int) -> Callable[[Result], bool]:
    """By default: where one of these components is carried, known everywhere, and the rods are few."""
    loaded = _loaded(*components)
    return lambda result: (
        loaded(result) and result.dataset.sizes["rod"] <= FEW and bool(np.isfinite(result.rod_wrench.values).all())
    )


def _never(result: Result) -> bool:
    return False


FIELDS: tuple[Panel, ...] = (
    Panel("curvature", "rods", has_rods, _bent("curvature", "about", "1/m", 4), _never),
    Panel("stretch", "rods", has_rods, _stretch, _never),
    Panel("shear", "rods", has_rods, _bent("shear", "along", "-", 1), _never),
    Panel("moment", "rods", has_rods, _across("bending moment", "about", "N m", 4), _shown(4, 5)),
    Panel("moment_y", "rods", _loaded(4), _component("bending moment about y", "N m", 4), _never),
    Panel("moment_z", "rods", _loaded(5), _component("bending moment about z", "N m", 5), _never),
    Panel("torsion", "rods", has_rods, _component("torsion moment", "N m", 3), _shown(3)),
    Panel("tension", "rods", has_rods, _component("tension", "N", 0), _shown(0)),
    Panel("shear_force", "rods", has_rods, _across("shear force", "along", "N", 1), _shown(1, 2)),
    Panel("shear_force_y", "rods", _loaded(1), _component("shear force along y", "N", 1), _never),
    Panel("shear_force_z", "rods", _loaded(2), _component("shear force along z", "N", 2), _never),
)
FIELD_NAMES = frozenset(panel.name for panel in FIELDS)
