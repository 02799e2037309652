"""The snake of Transeth (2007) on compliant ground, the baseline of his survey (2.3)-(2.4): springs, dampers and friction in
proportion to the normal force.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.world import CompliantContact
from locodyn.zoo.snake_links import HALF_AXIS, RADIUS

pytestmark = pytest.mark.slow

STIFFNESS, DAMPING = 2e4, 50.0  # N/m, N s/m of each of 22 points


def crawl(mu_y: float, t_end: float, **words: Any) -> ld.Result:
    snake = ld.zoo.snake_3d(rolling=0.0, mu_x=0.2, mu_y=mu_y)
    result = snake.changed(t_end=t_end, checks=(), **words).run(progress=False)
    assert result.status == "completed"
    return result


def springs(speed: float) -> dict[str, Any]:
    law = CompliantContact(normal="linear", stiffness=STIFFNESS, damping=DAMPING, friction="regularised", speed=speed)
    return {"contact": law, "integrator": "radau_adaptive", "tolerance": 1e-4, "dt": 0.05, "record_every": 1}


def test_forces_are_those_of_the_survey() -> None:
    """(2.3): f_N = -k z - d zdot; (2.4): f = -c_t f_N v_t - c_n f_N v_n, along and across a link. Written in NumPy.

    Regularised friction mu^2 f_N v / sqrt(|mu v|^2 + (m s)^2), m the larger mu, is that with c = mu^2 / (m s) where points slide
    slowly, to the square of v / s.
    """
    s = 20.0
    result = crawl(0.5, 0.5, **springs(s))
    model, slow = result.model, 0.0
    for n in range(0, len(result.time), 3):
        for row, name in enumerate(result.dataset["contact"].values):
            body = str(name).split(".")[0]
            rotation, place = model.pose(body, result.q[n])
            twist = model.twist(body, result.q[n], result.v[n])
            ends = np.array([place + sign * HALF_AXIS * rotation[:, 0] for sign in (1.0, -1.0)])
            point = result.contact_point.values[n, row]
            arm = ends[int(np.argmin(np.linalg.norm(ends - point, axis=1)))] - place - (0.0, 0.0, RADIUS)
            velocity = rotation @ twist[:3] + np.cross(rotation @ twist[3:], arm)
            depth = -(place + arm)[2]
            push = STIFFNESS * depth - DAMPING * velocity[2] if depth > 0.0 else 0.0
            along = rotation[:2, 0] / np.linalg.norm(rotation[:2, 0])
            across = np.array([-along[1], along[0]])
            rub = -push / s * (0.2**2 / 0.5 * along @ velocity[:2] * along + 0.5 * across @ velocity[:2] * across)
            slip = np.linalg.norm(velocity[:2]) / s
            slow = max(slow, slip)
            found = result.contact_force.values[n, row]
            assert found[2] == pytest.approx(push, abs=1e-8)
            assert found[:2] == pytest.approx(rub, abs=slip**2 * np.linalg.norm(rub) + 1e-8)
    assert 0.0 < slow < 0.05


def test_it_crawls_as_on_hard_ground() -> None:
    """A period of lateral undulation: head first where friction across is larger, with the wave where it is not (Transeth 2007,
    7.6), by the way of hard contact within 10 %. The 22 loads share the weight otherwise on springs, and friction goes with them.
    """
    for mu_y, sign in ((0.5, 1.0), (0.2, -1.0)):
        ways = [
            run.mass_centre.values[-1, 0] - run.mass_centre.values[0, 0]
            for run in (crawl(mu_y, 4.5), crawl(mu_y, 4.5, **springs(1e-3)))
        ]
        assert sign * ways[0] > 0.04 and ways[1] == pytest.approx(ways[0], rel=0.1)
