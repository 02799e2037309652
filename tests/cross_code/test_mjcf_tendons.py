"""Spatial tendons of MJCF with springs and dampers: accelerations against MuJoCo, and what cannot be held is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import locodyn as ld
from locodyn.files import load_robot, save_robot

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.slow

ARM = """
<mujoco>
  <worldbody>
    <site name="roof" pos="0.1 0.3 1.4"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0" mass="1"/>
      <site name="ring" pos="0.4 0.05 0.02"/>
      <body name="lower" pos="0.5 0 0">
        <joint name="elbow" axis="0 0.6 0.8"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="0.5"/>
        <site name="hook" pos="0.3 0 -0.02"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="strut" stiffness="80" damping="3" springlength="0.3"><site site="roof"/><site site="hook"/></spatial>
    <spatial name="rope" stiffness="150" springlength="0 1.0"><site site="roof"/><site site="ring"/><site site="hook"/></spatial>
    <spatial name="rest" stiffness="40"><site site="roof"/><site site="ring"/></spatial>
    {more}
  </tendon>
</mujoco>
"""


def accelerations(robot: ld.Robot, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return ld.Scenario("arm", robot).problem.accelerations(0.0, q.copy(), v.copy())


def test_springs_through_sites(tmp_path: Path) -> None:
    """At random states, taut and slack, to round-off; and once more through a file that is written from the robot."""
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(more=""))
    robot = load_robot(file).robot
    assert [tie.words_of_kind for tie in robot.description.ties] == ["spring", "spring", "cable"]
    again = tmp_path / "again.xml"
    save_robot(robot, again)
    peer = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(2)
    taut = []
    for _ in range(10):
        data.qpos[:], data.qvel[:] = rng.uniform(-2, 2, size=2), rng.normal(size=2)
        mujoco.mj_forward(peer, data)
        taut.append(data.ten_length[1] > 1.0)
        for one in (robot, load_robot(again).robot):
            found = accelerations(one, data.qpos, data.qvel)
            np.testing.assert_allclose(found, data.qacc, atol=1e-9 * np.abs(data.qacc).max())
    assert any(taut) and not all(taut)


def test_what_cannot_be_held_is_said(tmp_path: Path) -> None:
    more = """
    <spatial name="band" stiffness="40" springlength="0.2 0.5"><site site="roof"/><site site="ring"/></spatial>
    <spatial name="bare"><site site="roof"/><site site="ring"/></spatial>
    <fixed name="sum" stiffness="3"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="2"/></fixed>
    <fixed name="ruler"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="2"/></fixed>
    <fixed name="rub" frictionloss="1"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="2"/></fixed>
    <spatial name="dry" stiffness="1" frictionloss="2"><site site="roof"/><site site="ring"/></spatial>
    """
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(more=more))
    notes = "\n".join(str(note) for note in load_robot(file).notes)
    for words in (
        "tendon 'band': its spring has no force",
        "tendon 'bare': it has no spring",
        "tendon 'sum': spring of a sum of joints",
        "tendon 'rub': dry friction of a sum of joints",
        "dry friction",
    ):
        assert words in notes
    assert "ruler" not in notes  # a length that exerts nothing
