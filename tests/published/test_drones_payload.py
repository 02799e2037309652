"""Two drones with a payload (Gotelli 2024, 3.9.2): rows C4a to C4c of its acceptance list."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent

pytestmark = pytest.mark.slow


@functools.lru_cache
def run() -> ld.Result:
    return ld.zoo.make("drones_payload").run(progress=False)


def test_drones_follow() -> None:
    """C4a: large gain, no integral, soft rods that may stretch: heights between 0 and 2/pi within 10 %.

    Rods that keep their length are too short for the desired heights (2 m between drones up to 1.2 m apart in height): the chain
    comes taut at 1.3 s and shifts the left drone up by 0.08 m; its swing is 2/pi all the same.
    """
    soft = {"k_P": 500.0, "k_I": 0.0, "E": 1e4}
    z = ld.zoo.make("drones_payload", {**soft, "stretch": 2}).changed(t_end=6.0).run(progress=False).position.values[:, 2]
    assert abs(z.min()) < 0.1 * 2.0 / np.pi and abs(z.max() - 2.0 / np.pi) < 0.1 * 2.0 / np.pi
    stiff = ld.zoo.make("drones_payload", soft).changed(t_end=6.0).run(progress=False)
    z = stiff.position.values[stiff.time.values > 3.0, 2]
    assert abs(np.ptp(z) - 2.0 / np.pi) < 0.02


def test_momentum_changes_by_the_forces_of_the_drones() -> None:
    """C4b: d/dt of the linear momentum = sum of R (K_P e + K_I z), e and z from the records, 1e-6."""
    result = run()
    problem, model = result.scenario.problem, result.model
    names = list(model.compiled.coordinate_names)
    h = 1e-5
    for n in range(50, len(result.time), 190):
        t, q, v = float(result.time[n]), result.q[n].copy(), result.v[n].copy()
        a = problem.accelerations(t, q, v)
        ahead, behind = (model.totals(model.move(q, s * (v + 0.5 * s * a)), v + s * a)[6:9] for s in (h, -h))
        total = np.zeros(3)
        for drone, w in (("left", np.pi), ("right", np.pi / 2.0)):
            rotation = model.pose(drone, q)[0]
            twist = model.jacobian(drone, q) @ v
            error = rotation.T @ (0.0, 0.0, np.sin(w * t)) - twist[:3]
            first = names.index(f"fly {drone}.integral.0")
            total += rotation @ (20.0 * error + 2.5 * v[first : first + 3])
        np.testing.assert_allclose((ahead - behind) / (2 * h), total, atol=1e-6)


def test_payload_goes_round() -> None:
    """The box moves on a closed path in the x-z plane after the start: it comes back every 4 s, as the desired speeds do."""
    result = run()
    box = result.body_position.sel(body="box").values
    t = result.time.values
    late, back = box[(t > 6.0 - 1e-9) & (t < 10.0)], box[(t > 2.0 - 1e-9) & (t < 6.0)]
    assert np.abs(box[:, 1]).max() < 1e-9
    assert np.ptp(late[:, 2]) > 0.3
    size = min(len(late), len(back))
    assert np.abs(late[:size] - back[:size]).max() < 0.2 * np.ptp(late[:, 2])  # it settles: measured 0.16


def test_newton_with_the_exact_tangent() -> None:
    """C4c: 2 to 4 corrections per step of 0.01 s: Newmark's rule with the library's residual and tangent, full Newton, E16."""
    scenario = ld.zoo.make("drones_payload")
    problem, model = scenario.problem, scenario.problem.model
    room, step = new_tangent(model), 0.01
    beta, gamma = 0.25, 0.5
    q, v = scenario.initial_state()
    a = problem.accelerations(0.0, q.copy(), v.copy())
    used = []
    for n in range(1, 101):
        t, new, corrections = n * step, np.zeros(model.nv), 0
        while True:
            speed = v + step * ((1.0 - gamma) * a + gamma * new)
            place = model.move(q, step * v + step**2 * ((0.5 - beta) * a + beta * new))
            problem.read_inputs(t, place, speed)
            motion_residual(problem.arrays, problem.inputs, place, speed, new, problem.workspace, room, 1.0)
            if np.abs(room.residual).max() < 1e-8 * 20.0:
                break
            motion_tangent(problem.arrays, problem.inputs, place, speed, new, problem.workspace, room, 1.0, 1)
            matrix = room.by_a + gamma * step * room.by_v + beta * step**2 * room.by_q
            new = new - np.linalg.solve(matrix, room.residual)
            corrections += 1
            assert corrections < 8
        q, v, a = place, speed, new
        used.append(corrections)
    assert 2.0 <= np.mean(used) <= 4.0
    assert np.abs(q - run().q[100]).max() < 2e-3  # order 2 against Radau: 0.01^2 times the accelerations
