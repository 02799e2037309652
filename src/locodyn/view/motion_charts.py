"""Charts of the motion: the reference body, the joints, modes of rods and how they were solved."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from locodyn.sim.touching import contacts_of
from locodyn.view.chart import MANY, ROUND_OFF, Chart, at_least, moves, over_time, units_of
from locodyn.view.outlines import fixture_outlines, outlines
from locodyn.view.quaternions import rotation_vectors, upright_angles
from locodyn.view.scene import Scene, scene_of

if TYPE_CHECKING:
    from locodyn.sim import Result

SNAPSHOTS = 6  # of the robot along its path
STRAIGHT = 1e-6  # of its length: a way that leaves an axis by less runs along it
SPOT = 0.02  # of the way: a robot smaller than this is not drawn beside it
PERIOD = 0.5  # s between pictures of the robot in the view from above, or a multiple of it
MOST_PICTURES = 24
STEADY = 1e-5  # rad: a heading that stays within it is drawn as a flat line


# ------------------------------------------------------------------------- reference body
def path_points(result: Result) -> tuple[str, np.ndarray]:
    """Name and positions (n, 3) m of the body whose path is drawn.

    It is the reference body; the first one with mass where that is a carrier without mass, as a rail; the one that moves most
    where that stands still.
    """
    if moves(result.position.values):
        names = [one["name"] for one in json.loads(result.attributes["portrait"])["bodies"] if one["mass"] > 0.0]
        carrier = str(result.attributes["reference_body"])
        if not names or carrier in names or "body_position" not in result.dataset:
            return carrier, result.position.values
        return names[0], result.body_position.sel(body=names[0]).values
    k = farthest(result)
    return str(result.body.values[k]), result.body_position.values[:, k]


def farthest(result: Result) -> int:
    """The body that moves most; the last one of several."""
    way = np.ptp(result.body_position.values, axis=0).max(axis=1)
    return int(np.flatnonzero(way >= 0.999 * way.max())[-1])


def plane_of(points: np.ndarray, around: np.ndarray | None = None) -> tuple[int, int]:
    """The two coordinates of (n, 3) that change most; beside a straight way the one along which ``around`` (k, 3) is longest."""
    size = np.ptp(points, axis=0)
    if around is not None and np.sort(size)[1] < STRAIGHT * size.max():
        size = size + STRAIGHT * size.max() * np.ptp(around, axis=0) / np.ptp(around, axis=0).max()
    first, second = sorted(np.argsort(size, kind="stable")[-2:])
    return int(first), int(second)


def lying(plane: tuple[int, int], points: np.ndarray) -> tuple[int, int]:
    """The plane with the longer way of (n, 3) across: seen from above y goes to the left then, and x up."""
    size = np.ptp(points, axis=0)
    return (1, 0) if plane == (0, 1) and size[1] > 1.5 * size[0] else plane


def path(result: Result) -> Chart:
    """Path in the plane of the two coordinates that change most, and the robot at a few instants."""
    name, points = path_points(result)
    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], SNAPSHOTS))
    plane = plane_of(points, scene.extreme)
    labels = tuple(f"{'xyz'[k]} (m)" for k in plane)
    return Chart(
        f"path of {name}", "plane", "", "m", (name,), points[:, plane], labels, equal=True,
        pictures=_pictures(result, scene, plane), fixtures=tuple(fixture_outlines(scene, plane)),
    )  # fmt: skip


def _pictures(result: Result, scene: Scene, plane: tuple[int, int]) -> tuple[tuple[np.ndarray, ...], ...]:
    """Outlines of the robot at the times of a scene, unless it is a spot beside its way."""
    if scene.size < SPOT * np.ptp(result.position.values, axis=0).max():
        return ()
    return tuple(tuple(outlines(scene, k, plane)) for k in range(len(scene.times)))


def rolls_in_space(result: Result) -> bool:
    """Whether the robot has surfaces that roll in space."""
    return bool(contacts_of(result.dataset))


def seen_from_above(result: Result) -> bool:
    """Whether a view from above says something: all planes that it rolls on are horizontal, and it does not hop along a line."""
    planes = [about["normal"] for about in contacts_of(result.dataset).values()]
    return bool(planes) and bool(np.allclose(planes, (0.0, 0.0, 1.0))) and not hops_along_a_line(result)


def hops_along_a_line(result: Result) -> bool:
    """Whether all bodies stay in one vertical plane along x or y, in which they go up and down."""
    if "body_position" not in result.dataset:
        return False
    place = result.body_position.values
    aside, rise = np.ptp(place.reshape(-1, 3), axis=0)[:2].min(), np.ptp(place[:, :, 2], axis=0).max(initial=0.0)
    return bool(aside <= STRAIGHT * rise)


def tracks(result: Result) -> Chart:
    """Where every contact has touched the ground, and the robot from above each half second; the longer way lies across."""
    names = tuple(contacts_of(result.dataset))
    points = result.contact_point.sel(contact=list(names)).values
    plane = lying((0, 1), points.reshape(-1, 3))
    start, end = result.time.values[[0, -1]]
    period = PERIOD * max(1.0, np.ceil((end - start) / PERIOD / MOST_PICTURES))
    scene = scene_of(result, np.arange(start, end + 1e-9, period))
    pictures = _pictures(result, scene, plane)
    title = f"top view, robot each {period:g} s" if pictures else "top view of the track"
    labels = tuple(f"{'xy'[k]} (m)" for k in plane)
    values = points[:, :, plane].reshape(len(points), -1)
    return Chart(
        title, "plane", "", "m", names, values, labels, equal=True,
        pictures=pictures, fixtures=tuple(fixture_outlines(scene, plane)), mirrored=plane == (1, 0),
    )  # fmt: skip


def orientation(result: Result) -> Chart:
    """Heading of a body that turns about the vertical only, followed over any number of turns; heading, pitch and lean of one
    that rolls and stays upright; else its rotation vector.
    """
    values = result.orientation.values
    if np.abs(values[:, 1:3]).max() < 1e-12:
        heading = np.unwrap(2.0 * np.arctan2(values[:, 3], values[:, 0]))
        chart = over_time("heading", "angle about z", "rad", ["heading"], heading[:, None])
        return at_least(chart, STEADY) if np.abs(heading).max() < STEADY else chart
    upright = upright_angles(values) if rolls_in_space(result) else None
    if upright is not None:
        return over_time("orientation", "angles z, y', x''", "rad", ["heading", "pitch", "lean"], upright)
    return over_time("orientation", "rotation vector", "rad", ["x", "y", "z"], rotation_vectors(values))


def twist(first: int, title: str, quantity: str, unit: str) -> Callable[[Result], Chart]:
    """Three components of the body twist, without those that the body does not have."""

    def make(result: Result) -> Chart:
        values = result.twist.values[:, first : first + 3]
        sizes = np.abs(values).max(axis=0, initial=0.0)
        shown = np.flatnonzero(sizes > ROUND_OFF * sizes.max(initial=0.0))
        return over_time(title, quantity, unit, ["xyz"[k] for k in shown], values[:, shown])

    return make


# ------------------------------------------------------------------------- joints
def axles(result: Result) -> list[str]:
    """Joints that are axles of rolling discs: they turn without end, and are drawn apart from the others."""
    return [about["joint"] for about in contacts_of(result.dataset).values() if "joint" in about]


def driven_axles(result: Result) -> list[str]:
    """Those with a torque."""
    return [name for name in axles(result) if np.abs(result.joint_torque.sel(joint=name).values).max() > 1e-12]


def own_joints(result: Result) -> list[str]:
    """All joints but axles and strain modes of rods, which are many and have a chart of their own."""
    names = result.dataset["joint"].values if "joint_position" in result.dataset else ()
    others = {*axles(result), *modes_of(result)}
    return [str(name) for name in names if name not in others]


def some_torque(result: Result) -> bool:
    """Whether such a joint has a torque."""
    names = own_joints(result)
    return bool(names) and float(np.abs(result.joint_torque.sel(joint=names).values).max()) > 1e-12


def tracking_errors(result: Result) -> Chart:
    """Joint positions less the targets of their servos or controller; angles in degrees."""
    errors = result.tracking_error()
    names = [str(name) for name in errors["tracked"].values]
    turning = units_of(result, "joint_position", names) == "rad"
    values = np.degrees(errors.values) if turning else errors.values
    return over_time("tracking errors", "position less target", "deg" if turning else "rad or m", names, values, level=0.0)


def joints(variable: str, title: str, quantity: str, which: Callable[[Result], list[str]] = own_joints) -> Callable[..., Chart]:
    """A joint variable."""

    def make(result: Result) -> Chart:
        names = which(result)
        array = result.dataset[variable].sel(joint=names)
        return over_time(title, quantity, units_of(result, variable, names), names, array.values)

    return make


def efforts(result: Result, which: Callable[[Result], list[str]], kind: str = "joint") -> Chart:
    """Torques of joints that turn, forces of joints that slide, or both."""
    names = which(result)
    unit = units_of(result, "joint_torque", names)
    word = effort(unit)
    return over_time(f"{kind} {_EFFORTS[word]}", word, unit, names, result.joint_torque.sel(joint=names).values)


_EFFORTS = {"torque": "torques", "force": "forces", "torque or force": "torques and forces"}


def effort(unit: str) -> str:
    """The word for a unit of torques, of forces, or of both."""
    return {"N m": "torque", "N": "force"}.get(unit, "torque or force")


def torque_bars(result: Result) -> Chart:
    """The torques of all joints at an instant."""
    modes = set(modes_of(result))
    names = tuple(str(name) for name in result.joint.values if str(name) not in modes)
    array = result.joint_torque.sel(joint=list(names))
    unit = units_of(result, "joint_torque", names)
    word = effort(unit)
    return Chart(f"joint {_EFFORTS[word]}", "bars", word, unit, names, array.values, ("joint (-)", ""))


def phase(result: Result) -> Chart:
    """Phase portrait: velocity of each joint that moves over its position, at most :data:`MANY` joints."""
    names = own_joints(result)
    position, velocity = result.joint_position.sel(joint=names), result.joint_velocity.sel(joint=names)
    moving = [k for k in range(position.shape[1]) if np.ptp(position.values[:, k]) > 1e-9][:MANY]
    pairs = [column for k in moving for column in (position.values[:, k], velocity.values[:, k])]
    labels = (f"position ({position.attrs['units']})", f"velocity ({velocity.attrs['units']})")
    return Chart("phase portrait", "plane", "", "", tuple(names[k] for k in moving), np.column_stack(pairs), labels)


def modes_of(result: Result) -> list[str]:
    """Names of the coordinates of strains: modes, phases and amplitudes of fields."""
    if "joint" not in result.dataset.coords or "rod" not in result.dataset.coords:
        return []
    rods = tuple(f"{rod}." for rod in result.dataset["rod"].values)
    return [str(name) for name in result.dataset["joint"].values if str(name).startswith(rods)]


def modes(result: Result) -> Chart:
    """Strain coordinates of all rods."""
    names = modes_of(result)
    unit = units_of(result, "joint_position", names)
    return over_time("strain coordinates", "coordinate", unit, names, result.joint_position.sel(joint=names).values)


def iterations(result: Result) -> Chart:
    """Iterations of the solver from record to record."""
    counts = np.asarray(result.solver_iterations.values, dtype=float)[:, None]
    return Chart("iterations", "time", "since the last record", "1", ("iterations",), counts)


def has_iterations(result: Result) -> bool:
    """Whether the number of iterations says something: it changes from record to record."""
    return "solver_iterations" in result.dataset and np.ptp(result.solver_iterations.values[1:]) > 0


def stability(result: Result) -> Chart:
    """Smallest eigenvalue of the stiffness along a quasi-static run; dotted lines where it snaps."""
    snaps = np.atleast_1d(np.asarray(result.attributes.get("snaps", ()), dtype=float))
    marks = tuple((float(t), "snap") for t in snaps[:MANY])
    values = result.least_stiffness.values[:, None]
    return over_time("stability", "least scaled stiffness", "1", ["least stiffness"], values, level=0.0, marks=marks)
