"""Runs of MuJoCo models that are given as MJCF, recorded at equal distances; CPU time of its steps alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from locodyn.judge import timed

Read = Callable[[Any, Any], np.ndarray]


def mujoco_run(
    text: str, samples: int, t_end: float, read: Read, start: Callable[[Any, Any], None] | None = None
) -> tuple[np.ndarray, float]:
    """What ``read(model, data)`` gives at ``samples`` times from 0 to ``t_end`` (s), and CPU time (s)."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    if start is not None:
        start(model, data)
    every = round(t_end / (samples - 1) / model.opt.timestep)
    mujoco.mj_forward(model, data)
    found, spent = [np.array(read(model, data), dtype=float)], 0.0
    for _ in range(samples - 1):
        _, taken = timed(lambda: mujoco.mj_step(model, data, every))
        spent += taken
        found.append(np.array(read(model, data), dtype=float))
    return np.array(found), spent
