"""A log holds the run: read back with the reader of the format's own library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader

from locodyn import InputError, zoo
from locodyn.view.quaternions import rotate
from locodyn.view.scene import scene_of


def messages(path: Path) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    with path.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            assert schema is not None and schema.encoding == "jsonschema"
            content = json.loads(message.data)
            found.setdefault(channel.topic, []).append({"log_time": message.log_time, **content})
    return found


def test_frames_are_the_bodies_and_numbers_those_of_the_result(tmp_path: Path) -> None:
    result = zoo.snakeboard().changed(t_end=1.0).run(progress=False)
    log = messages(result.log(tmp_path / "run.mcap"))
    assert set(log) == {"/tf", "/scene", "/state"}
    last = log["/tf"][-1]
    assert last["log_time"] == 10**9
    poses = {one["child_frame_id"]: one for one in last["transforms"]}
    assert list(poses) == [str(name) for name in result.body.values]
    heights = []
    for name, pose in poses.items():
        at = np.array(list(pose["translation"].values()))
        body = result.dataset.sel(body=name).isel(time=-1)
        np.testing.assert_allclose(at[:2], body.body_position.values[:2], atol=1e-12)
        heights.append(at[2] - body.body_position.values[2])
        turn = np.array([pose["rotation"][k] for k in "wxyz"])
        np.testing.assert_allclose(rotate(turn, np.eye(3)), rotate(body.body_orientation.values, np.eye(3)), atol=1e-12)
    # All are drawn as much higher, so that wheels stand on the ground.
    np.testing.assert_allclose(heights, scene_of(result).lift[2], atol=1e-12)
    assert heights[0] > 0.0
    state = log["/state"][-1]
    np.testing.assert_allclose(list(state["joint_position"].values()), result.joint_position.values[-1], rtol=1e-14)
    solids = {one["id"] for one in log["/scene"][0]["entities"] if one.get("triangles")}
    assert {str(name) for name in result.body.values} <= solids


@pytest.mark.slow
def test_rods_and_forces_are_drawn_at_every_instant(tmp_path: Path) -> None:
    rod = messages(zoo.rod_drop().changed(t_end=0.2).run(progress=False).log(tmp_path / "rod.mcap"))
    for scene in rod["/scene"]:
        (lines,) = [one["lines"] for one in scene["entities"] if one["id"] == "rods"]
        assert len(lines) == 1 and len(lines[0]["points"]) > 2
    run = zoo.snake_2d().changed(t_end=0.2).run(progress=False)
    snake, drawn = messages(run.log(tmp_path / "snake.mcap")), scene_of(run)
    arrows = [one["arrows"] for scene in snake["/scene"] for one in scene["entities"] if one["id"] == "contact forces"]
    assert any(arrows)
    assert drawn.contacts is not None
    for row, forces in zip(arrows, drawn.contacts.forces, strict=True):
        lengths = drawn.contacts.scale * np.linalg.norm(forces, axis=1)
        wanted = [force / np.linalg.norm(force) for force in forces[lengths > 1e-3 * drawn.size]]
        turns = [np.array([arrow["pose"]["orientation"][k] for k in "wxyz"]) for arrow in row]
        seen = np.reshape([rotate(turn, np.eye(3))[0] for turn in turns], (-1, 3))
        np.testing.assert_allclose(seen, np.reshape(wanted, (-1, 3)), atol=1e-12)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    result = zoo.snakeboard().changed(t_end=0.1).run(progress=False)
    with pytest.raises(InputError, match=r"must end in \.mcap"):
        result.log(tmp_path / "run.bag")
    assert not list(tmp_path.iterdir())
