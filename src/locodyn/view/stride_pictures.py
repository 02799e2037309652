"""Pictures of walking: stick figures over a stride, phase portraits with the limit cycle, the Poincare section."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.chart import MANY
from locodyn.view.motion_charts import own_joints
from locodyn.view.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

FIGURES = 13  # of a stride
STRIDE = 2  # touchdowns
LEAST = 1e-3  # of the cycle, that a section shows at least: smaller changes are errors of the records
STATE = ("joint_position", "joint_velocity")


def walks(result: Result) -> bool:
    """Whether feet touched down in a run through phases."""
    return len(_touchdowns(result)) > STRIDE


def _touchdowns(result: Result) -> list[float]:
    found = json.loads(result.attributes.get("transitions", "[]"))
    return [float(one["time"]) for one in found if one["kind"] == "touchdown"]


def _links(bodies: list[dict[str, Any]]) -> dict[str, str]:
    """Parents of bodies by name, but for slides on carriers: they hold a robot in its plane and are no link.

    A carrier has no mass, and nothing that carries it has. Bodies come after those that they are on.
    """
    carriers: set[str] = set()
    names = {one["name"] for one in bodies}
    for one in bodies:
        if not one["mass"] and (one["parent"] not in names or one["parent"] in carriers):
            carriers.add(one["name"])
    slides = ("prismatic", "translation", "planar", "free")
    return {
        one["name"]: one["parent"]
        for one in bodies
        if one["parent"] in names and not (one["joint"]["type"] in slides and one["parent"] in carriers)
    }


def _colours(parents: dict[str, str], feet: dict[str, str]) -> dict[str, str]:
    """Colours of the bodies of one leg; those that carry several legs have none."""
    legs: dict[str, set[int]] = {}
    for number, carrier in enumerate(feet.values()):
        name: str | None = carrier
        while name is not None:
            legs.setdefault(name, set()).add(number)
            name = parents.get(name)
    return {name: PALETTE[min(own) % len(PALETTE)] for name, own in legs.items() if len(own) == 1}


def _trunks(bodies: list[dict[str, Any]], feet: dict[str, str]) -> dict[str, np.ndarray]:
    """Mass centres, in their own axes, of bodies that reach from their joint neither to another one nor to a foot."""
    reaching = {one["parent"] for one in bodies if np.any(one["joint"]["at"])} | set(feet.values())
    return {
        one["name"]: np.array(one["centre"])
        for one in bodies
        if one["mass"] > 0.0 and np.any(one["centre"]) and one["name"] not in reaching
    }


def _turned(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    w, axis = quaternion[0], quaternion[1:]
    return vector + 2.0 * np.cross(axis, w * vector + np.cross(axis, vector))


def sticks(result: Result, axes: Axes) -> None:
    """Lines from joint to joint and to the feet at instants of the last stride, from light to dark, a colour for each leg.

    A body that nothing hangs on, as a trunk, is a line to its mass centre; a rod is its centre line.
    """
    touchdowns = _touchdowns(result)
    begin, end = touchdowns[-STRIDE - 1], touchdowns[-1]
    times, body = result.time.values, {str(name): k for k, name in enumerate(result.body.values)}
    bodies = json.loads(result.attributes["portrait"])["bodies"]
    parents = _links(bodies)
    rods = list(map(str, result.dataset["rod"].values)) if "rod" in result.dataset else []
    feet = {name: about["body"] for name, about in json.loads(result.attributes["contacts"]).items()}
    colours, trunks = _colours(parents, feet), _trunks(bodies, feet)
    places, turns, points = result.body_position.values, result.body_orientation.values, result.contact_point.values
    across = 0 if np.ptp(result.mass_centre.values[:, 0]) > np.ptp(result.mass_centre.values[:, 1]) else 1
    plane = [across, 2]
    rows = np.unique([int(np.argmin(np.abs(times - t))) for t in np.linspace(begin, end, FIGURES)])
    for shade, row in zip(np.linspace(0.25, 1.0, len(rows)), rows, strict=True):
        for name, parent in parents.items():
            if np.linalg.norm(places[row, body[name]] - places[row, body[parent]]) > 0.0:
                line = places[row, [body[parent], body[name]]][:, plane]
                if name in rods:
                    line = np.vstack([line[:1], result.dataset["rod_position"].values[row, rods.index(name)][:, plane]])
                axes.plot(*line.T, color=colours.get(parent, "0.4"), alpha=shade, linewidth=1.4)
        for name, centre in trunks.items():
            line = places[row, body[name]] + np.array([np.zeros(3), _turned(turns[row, body[name]], centre)])
            axes.plot(*line[:, plane].T, color="0.4", alpha=shade, linewidth=1.4)
        for number, (_, carrier) in enumerate(feet.items()):
            line = np.array([places[row, body[carrier]], points[row, number]])[:, plane]
            axes.plot(*line.T, color=PALETTE[number % len(PALETTE)], alpha=shade, linewidth=1.4)
        axes.plot(*result.mass_centre.values[row, plane], ".", color="0.3", alpha=shade, markersize=4)
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    title = f"a stride from t = {begin:.4g} s (light) to {end:.4g} s (dark); dots: mass centre"
    axes.set(title=title, xlabel=f"{'xyz'[across]} (m)", ylabel="z (m)")
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)


def limit_cycle(result: Result, axes: Axes) -> None:
    """Velocity of each joint over its position: the whole run thin, its last stride thick."""
    touchdowns, times = _touchdowns(result), result.time.values
    last = (times >= touchdowns[-STRIDE - 1]) & (times <= touchdowns[-1])
    names = [name for name in own_joints(result) if np.ptp(result.joint_position.sel(joint=name).values[last]) > 1e-9]
    names = [name for name in names if not _travels(result, name, last)]
    for k, name in enumerate(names[:MANY]):
        q, v = (result.dataset[f"joint_{what}"].sel(joint=name).values for what in ("position", "velocity"))
        colour = PALETTE[k % len(PALETTE)]
        for inside in _pieces(result, np.ones(len(times), dtype=bool)):
            axes.plot(q[inside], v[inside], color=colour, linewidth=0.6, alpha=0.45)
        width = max(3.0 - 0.5 * k, 1.0)  # left and right coincide; thinner ones lie on thicker ones
        for number, inside in enumerate(_pieces(result, last)):
            axes.plot(q[inside], v[inside], color=colour, linewidth=width, label=name if number == 0 else None)
    shown = f" of {MANY} of {len(names)} joints" if len(names) > MANY else ""
    axes.set(xlabel="position (rad or m)", ylabel="velocity (rad/s or m/s)")
    axes.set_title(f"phase portrait{shown}, the last stride thick")
    axes.legend(loc="best")


def _travels(result: Result, name: str, last: np.ndarray) -> bool:
    """Whether a joint carries the robot along: a stride does not bring it back."""
    values = result.joint_position.sel(joint=name).values[last]
    return bool(abs(values[-1] - values[0]) > 0.5 * np.ptp(values))


def _pieces(result: Result, wanted: np.ndarray) -> list[np.ndarray]:
    """Records (numbers) among those wanted, cut where the phase changes: velocities jump there."""
    rows = np.flatnonzero(wanted)
    return [one for one in np.split(rows, np.flatnonzero(np.diff(result.phase.values[rows])) + 1) if len(one) > 1]


def section(result: Result, axes: Axes) -> None:
    """Where one phase begins, stride after stride, from light to dark: the joint whose state there changes most."""
    names = own_joints(result)
    phase, begins, states = section_states(result, names)
    times = result.time.values
    cycle = np.array(
        [np.ptp(result.dataset[f"joint_{what}"].sel(joint=names).values, axis=0) for what in ("position", "velocity")]
    )
    last = (times >= begins[-STRIDE]) & (times <= begins[-1])
    returns = [k for k, name in enumerate(names) if not _travels(result, name, last)]
    spread = (np.ptp(states, axis=0) / np.maximum(cycle, 1e-300)).max(axis=0)
    worst = max(returns or range(len(names)), key=lambda k: spread[k])
    q, v = states[:, :, worst].T
    axes.plot(q, v, color="0.7", linewidth=0.7)
    for shade, x, y in zip(np.linspace(0.25, 1.0, len(q)), q, v, strict=True):
        axes.plot(x, y, "o", color=PALETTE[0], alpha=shade, markersize=4)
    axes.plot(q[-1], v[-1], "o", color=PALETTE[1], markersize=7, fillstyle="none")
    word = result.phase.attrs["flag_meanings"].split()[phase]
    title = f"{names[worst]} where {word} begins, stride 1 to {len(q)} (circle)"
    units = [result.dataset[f"joint_{what}"].attrs["units_by_joint"].split(", ") for what in ("position", "velocity")]
    order = [str(name) for name in result.joint.values].index(names[worst])
    axes.set(title=title, xlabel=f"position ({units[0][order]})", ylabel=f"velocity ({units[1][order]})")
    for values, size, set_span in ((q, cycle[0, worst], axes.set_xlim), (v, cycle[1, worst], axes.set_ylim)):
        half = max(0.6 * float(np.ptp(values)), LEAST * float(size))
        set_span(0.5 * (values.min() + values.max()) - half, 0.5 * (values.min() + values.max()) + half)


def section_states(result: Result, names: list[str]) -> tuple[int, list[float], np.ndarray]:
    """The phase that begins most often, when (s), and positions and velocities (strides, 2, joints) there.

    The start of the run counts if the ground pushes there: a run that begins in the air begins no phase. The states are those
    after the transitions, not of records near them.
    """
    words = result.phase.attrs["flag_meanings"].split()
    columns = [[str(name) for name in result.joint.values].index(name) for name in names]
    first = [result.dataset[what].values[0] for what in STATE]
    found: dict[int, list[tuple[float, np.ndarray]]] = {}
    if result.contact_force.values[0].any():
        found[int(result.phase.values[0])] = [(float(result.time.values[0]), np.array(first)[:, columns])]
    for one in json.loads(result.attributes["transitions"]):
        if not {*STATE} <= {*one}:  # of an older result
            continue
        state = np.array([one[what] for what in STATE])[:, columns]
        found.setdefault(words.index(one["to"].replace(" ", "_")), []).append((float(one["time"]), state))
    phase = max(found, key=lambda k: len(found[k]), default=0)
    passed = found.get(phase, [])
    return phase, [time for time, _ in passed], np.array([state for _, state in passed])


def recurs(result: Result) -> bool:
    """Whether a phase began three times or more."""
    return "phase" in result.dataset and walks(result) and len(section_states(result, [])[1]) > STRIDE
