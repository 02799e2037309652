"""Pictures of walking: stick figures over a stride."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

FIGURES = 13  # of a stride
STRIDE = 2  # touchdowns


def walks(result: Result) -> bool:
    """Whether feet touched down in a run through phases."""
    return len(_touchdowns(result)) > STRIDE


def _touchdowns(result: Result) -> list[float]:
    found = json.loads(result.attributes.get("transitions", "[]"))
    return [float(one["time"]) for one in found if one["kind"] == "touchdown"]


def _links(bodies: list[dict[str, Any]]) -> dict[str, str]:
    """Parents of bodies by name, but for slides on something without mass: they carry a robot in its plane and are no link."""
    mass = {one["name"]: one["mass"] for one in bodies}
    slides = ("prismatic", "translation", "planar", "free")
    return {
        one["name"]: one["parent"]
        for one in bodies
        if one["parent"] in mass and not (one["joint"]["type"] in slides and not mass[one["parent"]])
    }


def sticks(result: Result, axes: Axes) -> None:
    """Lines from joint to joint and to the feet at instants of the last stride, from light to dark."""
    touchdowns = _touchdowns(result)
    begin, end = touchdowns[-STRIDE - 1], touchdowns[-1]
    times, body = result.time.values, {str(name): k for k, name in enumerate(result.body.values)}
    parents = _links(json.loads(result.attributes["portrait"])["bodies"])
    feet = {name: about["body"] for name, about in json.loads(result.attributes["contacts"]).items()}
    places, points = result.body_position.values, result.contact_point.values
    across = 0 if np.ptp(result.mass_centre.values[:, 0]) > np.ptp(result.mass_centre.values[:, 1]) else 1
    plane = [across, 2]
    rows = np.unique([int(np.argmin(np.abs(times - t))) for t in np.linspace(begin, end, FIGURES)])
    for shade, row in zip(np.linspace(0.25, 1.0, len(rows)), rows, strict=True):
        for name, parent in parents.items():
            if np.linalg.norm(places[row, body[name]] - places[row, body[parent]]) > 0.0:
                axes.plot(*places[row, [body[parent], body[name]]][:, plane].T, color=PALETTE[0], alpha=shade, linewidth=1.4)
        for number, (_, carrier) in enumerate(feet.items()):
            line = np.array([places[row, body[carrier]], points[row, number]])[:, plane]
            axes.plot(*line.T, color=PALETTE[number % len(PALETTE)], alpha=shade, linewidth=1.4)
        axes.plot(*result.mass_centre.values[row, plane], ".", color="0.3", alpha=shade, markersize=4)
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    title = f"{len(rows)} instants of a stride, t = {begin:.4g} s (light) to {end:.4g} s (dark), and the mass centre"
    axes.set(title=title, xlabel=f"{'xyz'[across]} (m)", ylabel="z (m)")
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)
