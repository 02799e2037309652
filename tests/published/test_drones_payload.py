"""Two drones with a payload (Gotelli 2024, 3.9.2): rows C4a to C4c of its acceptance list."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow


@functools.lru_cache
def run() -> ld.Result:
    return ld.zoo.make("drones_payload").run(progress=False)


def test_drones_follow() -> None:
    """C4a: large gain, no integral, soft rods that may stretch: heights between 0 and 2/pi within 10 %."""
    soft = {"k_P": 500.0, "k_I": 0.0, "E": 1e4, "stretch": 2}
    z = ld.zoo.make("drones_payload", soft).changed(t_end=6.0).run(progress=False).position.values[:, 2]
    assert abs(z.min()) < 0.1 * 2.0 / np.pi and abs(z.max() - 2.0 / np.pi) < 0.1 * 2.0 / np.pi


def on_a_string(length: float, times: np.ndarray) -> np.ndarray:
    """(n, 2) place (x, z) of the left drone in the limit of an infinite gain and of rods without bending stiffness.

    Drones then have their desired velocities, up to a pull along the chord where the chain of two rods is taut. Equal gains share
    it evenly, so it takes half of the rate of the chord from each. Explicit Euler, 1 ms.
    """
    ends, found, h = np.array([[0.0, 0.0], [length, 0.0]]), [], 1e-3
    for n in range(round(times[-1] / h) + 1):
        if n % 10 == 0:
            found.append(ends[0].copy())
        t = (n + 0.5) * h
        ends[:, 1] += h * np.sin([np.pi * t, 0.5 * np.pi * t])
        chord = ends[1] - ends[0]
        beyond = max(0.0, 1.0 - length / np.linalg.norm(chord))
        ends += 0.5 * beyond * np.array([chord, -chord])
    return np.array(found)


def test_rods_that_keep_their_length_hold_the_drones_back() -> None:
    """C4a with Gotelli's rods, which keep their length: 2/pi within 10 % cannot be, however large the gain.

    The desired heights are up to 1.2 m apart, so the chain of 2 m comes taut, and in the limit the left drone swings between
    0.074 and 0.710 m, 12 % above 2/pi. It does so here, within the 10 % of the row.
    """
    settings = {"k_P": 5000.0, "k_I": 0.0, "E": 1e4}
    result = ld.zoo.make("drones_payload", settings).changed(t_end=6.0, checks=()).run(progress=False)
    limit = on_a_string(2.0, result.time.values)
    assert limit[:, 1].max() > 1.1 * 2.0 / np.pi
    np.testing.assert_allclose(result.position.values[:, [0, 2]], limit, atol=0.1 * 2.0 / np.pi)


def test_momentum_changes_by_the_forces_of_the_drones() -> None:
    """C4b: d/dt of the linear momentum = sum of R (K_P e + K_I z), e and z from the records, 1e-6."""
    result = run()
    problem, model = result.scenario.problem, result.model
    names, memory = list(problem.memories.names), result.dataset["memory"].values
    h = 1e-5
    for n in range(50, len(result.time), 190):
        t, q, v = float(result.time[n]), result.q[n].copy(), result.v[n].copy()
        problem.workspace.memory.value[:] = memory[n]
        a = problem.accelerations(t, q, v)
        ahead, behind = (model.totals(model.move(q, s * (v + 0.5 * s * a)), v + s * a)[6:9] for s in (h, -h))
        total = np.zeros(3)
        for drone, w in (("left", np.pi), ("right", np.pi / 2.0)):
            rotation = model.pose(drone, q)[0]
            twist = model.jacobian(drone, q) @ v
            error = rotation.T @ (0.0, 0.0, np.sin(w * t)) - twist[:3]
            first = names.index(f"fly {drone}.x")
            total += rotation @ (20.0 * error + 2.5 * memory[n, first : first + 3])
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


@pytest.mark.parametrize("method", ["newmark", "generalized_alpha"])
def test_corrections_of_newton(method: str) -> None:
    """C4c: 2 to 4 corrections per step of 0.01 s on average, counted in the library's own solver, tolerance 1e-5.

    It keeps its matrix while that contracts: at 1e-8 it makes 4.9 corrections, of which most need no new matrix.
    """
    scenario = ld.zoo.make("drones_payload").changed(integrator=method, tolerance=1e-5, checks=())
    result = scenario.run(progress=False)
    assert result.status == "completed"
    assert 2.0 <= result.solver_iterations.values[1:].mean() <= 4.0
    assert np.abs(result.q[100] - run().q[100]).max() < 2e-3  # order 2 against Radau: 0.01^2 times the accelerations
