"""A run as an MCAP log, which Foxglove and other tools of the field open: frames, bodies, rods, forces and numbers over time.

Three channels of JSON messages, at the instants of a scene:

    /tf      foxglove.FrameTransforms   pose of each body in the frame ``world``
    /scene   foxglove.SceneUpdate       the bodies once, each in its frame; rods, tendons and contact forces at every instant
    /state   locodyn.State              positions, velocities and torques of the joints, energy, by name
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.store import check_writable, write_beside
from locodyn.view.parts import Part, surface
from locodyn.view.scene import Sampler, Scene, scene_of

if TYPE_CHECKING:
    from locodyn.sim import Result

ENDING = (".mcap",)
WORLD = "world"
_GREY, _BLUE, _RED = (0.72, 0.74, 0.78, 1.0), (0.0, 0.45, 0.7, 1.0), (0.84, 0.37, 0.0, 1.0)
_VARIABLES = ("joint_position", "joint_velocity", "joint_torque", "kinetic_energy", "potential_energy")
_OPEN = {"type": "object"}  # Foxglove knows the rest of its own schemas by their names


def check_possible(file: Path) -> None:
    """Refuse another ending, and a machine without the package; before a run, not after it."""
    check_writable(file, "log", ENDING)
    if importlib.util.find_spec("mcap") is None:
        raise InputError("a log needs the package mcap; 'pip install locodyn[log]' brings it.")


def log(result: Result, path: str | Path) -> Path:
    """Write the log of a run."""
    from mcap.writer import Writer

    check_possible(Path(path))
    scene = scene_of(result)

    def write(beside: Path) -> None:
        with open(beside, "wb") as stream:
            writer = Writer(stream)
            writer.start(profile="", library="locodyn")
            _write(writer, scene, _state(result, scene.times))
            writer.finish()

    return write_beside(path, write)


def _write(writer: Any, scene: Scene, states: list[dict[str, Any]]) -> None:
    channels = {}
    for topic, name in (("/tf", "foxglove.FrameTransforms"), ("/scene", "foxglove.SceneUpdate"), ("/state", "locodyn.State")):
        schema = writer.register_schema(name=name, encoding="jsonschema", data=json.dumps({"title": name, **_OPEN}).encode())
        channels[topic] = writer.register_channel(topic=topic, message_encoding="json", schema_id=schema)
    for n, time in enumerate(scene.times):
        messages = {"/tf": _transforms(scene, n), "/scene": _scene(scene, n), "/state": states[n]}
        for topic, message in messages.items():
            stamp = round(float(time) * 1e9)
            data = json.dumps(message, allow_nan=False).encode()
            writer.add_message(channel_id=channels[topic], log_time=stamp, publish_time=stamp, data=data)


def _stamp(time: float) -> dict[str, int]:
    whole = round(float(time) * 1e9)
    return {"sec": whole // 10**9, "nsec": whole % 10**9}


def _xyz(values: Any) -> dict[str, float]:
    return dict(zip("xyz", map(float, values), strict=True))


def _rotation(quaternion: Any) -> dict[str, float]:
    return dict(zip("wxyz", map(float, quaternion), strict=True))


def _colour(values: tuple[float, ...]) -> dict[str, float]:
    return dict(zip("rgba", (*values, 1.0)[:4], strict=True))


_HERE = {"position": _xyz((0, 0, 0)), "orientation": _rotation((1, 0, 0, 0))}


def _transforms(scene: Scene, n: int) -> dict[str, Any]:
    """Poses of the bodies at instant n."""
    return {
        "transforms": [
            {
                "timestamp": _stamp(scene.times[n]),
                "parent_frame_id": WORLD,
                "child_frame_id": body.name,
                "translation": _xyz(scene.positions[n, b] + scene.lift),
                "rotation": _rotation(scene.orientations[n, b]),
            }
            for b, body in enumerate(scene.bodies)
        ]
    }


def _scene(scene: Scene, n: int) -> dict[str, Any]:
    """What is drawn anew at instant n; the bodies at the first one, since they go with their frames."""
    entities = [_lines(scene, n)]
    if scene.contacts is not None:
        entities.append(_arrows(scene, n))
    if n == 0:
        entities += [_solids(scene, body.name, body.parts, body.name) for body in scene.bodies if body.parts]
        if scene.fixtures:
            entities.append(_solids(scene, "fixtures", scene.fixtures, WORLD))
    return {"deletions": [], "entities": entities}


def _entity(scene: Scene, n: int, name: str, frame: str, **primitives: Any) -> dict[str, Any]:
    return {
        "timestamp": _stamp(scene.times[n]), "frame_id": frame, "id": name, "lifetime": {"sec": 0, "nsec": 0},
        "frame_locked": True, "metadata": [], **primitives,
    }  # fmt: skip


def _solids(scene: Scene, name: str, parts: tuple[Part, ...], frame: str) -> dict[str, Any]:
    lists = []
    for part in parts:
        vertices, triangles = surface(part)
        lists.append(
            {
                "pose": _HERE,
                "points": [_xyz(point) for point in vertices],
                "indices": [int(k) for k in triangles.ravel()],
                "color": _colour(part.colour or _GREY),
                "colors": [],
            }
        )
    return _entity(scene, 0, name, frame, triangles=lists)


def _lines(scene: Scene, n: int) -> dict[str, Any]:
    """Rods as thick lines, tendons as thin ones."""
    strips = [(rod.centre[n], 2.0 * float(np.mean(rod.radius[n])), _BLUE) for rod in scene.rods]
    strips += [(one.points[n], 0.005 * scene.size, _GREY) for one in scene.tendons]
    lines = [
        {
            "type": 0, "pose": _HERE, "thickness": thickness, "scale_invariant": False,
            "points": [_xyz(point) for point in points if np.isfinite(point).all()], "color": _colour(colour),
            "colors": [], "indices": [],
        }
        for points, thickness, colour in strips
    ]  # fmt: skip
    return _entity(scene, n, "rods", WORLD, lines=lines)


def _arrows(scene: Scene, n: int) -> dict[str, Any]:
    """Contact forces on the robot; those that are zero are not drawn."""
    assert scene.contacts is not None
    arrows = []
    for point, force in zip(scene.contacts.points[n], scene.contacts.forces[n], strict=True):
        length = scene.contacts.scale * float(np.linalg.norm(force))
        if np.isfinite([*point, *force]).all() and length > 1e-3 * scene.size:
            thick = 0.02 * scene.size
            arrows.append(
                {
                    "pose": {"position": _xyz(point), "orientation": _rotation(_from_x(force))},
                    "shaft_length": 0.8 * length, "shaft_diameter": thick,
                    "head_length": 0.2 * length, "head_diameter": 2.0 * thick, "color": _colour(_RED),
                }
            )  # fmt: skip
    return _entity(scene, n, "contact forces", WORLD, arrows=arrows)


def _from_x(direction: np.ndarray) -> np.ndarray:
    """The quaternion that turns the x axis into a direction the shortest way."""
    unit = direction / np.linalg.norm(direction)
    quaternion = np.array([1.0 + unit[0], 0.0, -unit[2], unit[1]])
    norm = float(np.linalg.norm(quaternion))
    return quaternion / norm if norm > 1e-9 else np.array([0.0, 0.0, 0.0, 1.0])


def _state(result: Result, times: np.ndarray) -> list[dict[str, Any]]:
    """Numbers by name at the instants; what is not finite is left out."""
    at = Sampler(result.time.values, times)
    columns: dict[str, dict[str, np.ndarray] | np.ndarray] = {}
    for name in _VARIABLES:
        if name in result.dataset:
            recorded = result.dataset[name]
            values = at.linear(recorded.values)
            labels = [str(label) for label in recorded[recorded.dims[1]].values] if values.ndim > 1 else []
            columns[name] = {label: values[:, k] for k, label in enumerate(labels)} if labels else values
    rows = []
    for n, time in enumerate(times):
        row: dict[str, Any] = {"timestamp": _stamp(time)}
        for name, column in columns.items():
            if isinstance(column, dict):
                row[name] = {label: float(x[n]) for label, x in column.items() if np.isfinite(x[n])}
            elif np.isfinite(column[n]):
                row[name] = float(column[n])
        rows.append(row)
    return rows
