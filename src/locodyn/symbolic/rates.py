"""Rates of the positions: qdot from velocities, joint by joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.kernel import twin
from locodyn.kernel.vector import rotate
from locodyn.lie.so3 import quaternion_matrix, quaternion_product
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, FREE, PLANAR, SPHERICAL
from locodyn.shape.joint import turn_about_z
from locodyn.symbolic.model import SymbolicModel

_IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1)


def configuration_rate(model: SymbolicModel, q: Any, v: Any) -> np.ndarray:
    """qdot (nq,): body velocities turned into the axes of the joint's offset; quaternions by 1/2 q (0, w)."""
    rate = model.room(model.nq)
    for frame in model.frames:
        code, i, j, count = (int(frame[column]) for column in (CODE, FIRST_Q, FIRST_V, COUNT_V))
        if code in (SPHERICAL, FREE):
            at = i + (3 if code == FREE else 0)
            turn = tuple(q[at : at + 4])
            w = v[j + count - 3 : j + count]
            rate[at : at + 4] = twin(quaternion_product)(turn, (0, *(0.5 * x for x in w)))
            if code == FREE:
                rate[i : i + 3] = twin(rotate)(twin(quaternion_matrix)(turn), tuple(v[j : j + 3]))
        elif code == PLANAR:
            turned = twin(rotate)(twin(turn_about_z)(_IDENTITY, q[i + 2]), (v[j], v[j + 1], 0))
            rate[i : i + 3] = turned[0], turned[1], v[j + 2]
        else:
            rate[i : i + count] = v[j : j + count]
    return rate
