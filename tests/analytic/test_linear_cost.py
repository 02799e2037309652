"""What the recursions cost: in proportion to the number of bodies (Ali 2011, 1.3 and 3.2), where Lagrange's equations take n^4.

The least processor time of several repeats, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow


def least(act: Callable[[], object], calls: int = 20, repeats: int = 15) -> float:
    """Processor time of one call, s."""
    act()
    found = []
    for _ in range(repeats):
        begin = time.process_time()
        for _ in range(calls):
            act()
        found.append(time.process_time() - begin)
    return min(found) / calls


def chain(n: int) -> ld.Model:
    """n bodies on a free one."""
    robot = ld.Robot("chain")
    part = {"mass": 1.0, "inertia": ld.about_centre(xx=0.01, yy=0.02, zz=0.03), "centre": (0.05, 0.0, 0.0)}
    body = robot.base("body_0", moves="free", **part)
    for k in range(1, n + 1):
        body = robot.body(f"body_{k}", **part).on(body, at=(0.1, 0, 0)).turning("xyz"[k % 3])
    return robot.model()


def test_inverse_and_forward_dynamics() -> None:
    """Twice as many bodies take less than 2.5 times as long (row "all" of the table of Ali 2011); four times: 6."""
    costs: dict[str, list[float]] = {"inverse": [], "forward": []}
    for n in (100, 200, 400):
        model, random = chain(n), np.random.default_rng(n)
        q = model.move(model.neutral(), 0.1 * random.standard_normal(model.nv))
        v, a = 0.1 * random.standard_normal((2, model.nv))
        costs["inverse"].append(least(lambda m=model, q=q, v=v, a=a: m.inverse_dynamics(q, v, a)))
        costs["forward"].append(least(lambda m=model, q=q, v=v, a=a: m.forward_dynamics(q, v, a)))
    for name, (one, two, four) in costs.items():
        assert two < 2.5 * one and four < 6.0 * one, (name, one, two, four)
