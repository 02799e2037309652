"""The trikke (Chitta et al. 2005) against bodies by Newton and Euler in NumPy, and against the equation of a roller racer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.zoo import measures
from locodyn.zoo.robots.trikke import PLAIN, POSES
from roller_racer_peer import reduced
from rolling_bodies import Bodies

pytestmark = pytest.mark.slow

X, Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def peer(p: dict[str, float]) -> Bodies:
    """The same scooter: all points as it stands with its angles zero, from the middle of the rear axle."""
    r, steer = p["r"], np.array([-np.sin(p["tilt"]), 0.0, np.cos(p["tilt"])])
    foot = np.array([p["l_1"], 0.0, -r])
    hubs = {"left": p["b"] * Y, "right": -p["b"] * Y, "front": foot + p["l_2"] * X + (0.0, 0.0, r)}
    disc = 0.5 * p["m_w"] * r**2 * np.diag([0.5, 1.0, 0.5])
    inertia = {
        "frame": (p["m_0"], 0.5 * p["l_1"] * X, p["I_0"] * np.eye(3)),
        "rider": (p["m_r"], p["x_r"] * X + (0.0, 0.0, p["h_r"]), np.diag(p["I_r"])),
        "fork": (p["m_1"], foot + 0.5 * steer, p["I_1"] * np.eye(3)),
        **{name: (p["m_w"], hub, disc) for name, hub in hubs.items()},
    }
    joints = {"rider": ("frame", p["x_r"] * X, X), "fork": ("frame", foot, steer)}
    joints |= {name: ("fork" if name == "front" else "frame", hub, Y) for name, hub in hubs.items()}
    return Bodies(inertia, joints, {name: (Y, r) for name in hubs})


def course(scenario: ld.Scenario, times: np.ndarray) -> np.ndarray:
    """Positions (N, nq) of the peer under the same laws, from rest, by DOP853; the soft start ends at 2 s with a kink."""
    bodies = peer({parameter.name: parameter.value for parameter in scenario.parameters})
    laws = [scenario.drive.imposed[name] for name in ("sway", "steer")]
    q, v = scenario.initial_state()

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:12].copy(), y[12:].copy()
        q[3:7] /= np.linalg.norm(q[3:7])
        motion = np.array([law.at(t) for law in laws])
        q[7:9], v[6:8] = motion[:, 0], motion[:, 1]
        return np.concatenate([bodies.rate(q, v), bodies.accelerations(q, v, {6: motion[0, 2], 7: motion[1, 2]})])

    state, found = np.concatenate([q, v]), []
    for begin, end in ((0.0, 2.0), (2.0, float(times[-1]))):
        inside = times[(times >= begin) & (times <= end)]
        part = solve_ivp(rate, (begin, end), state, "DOP853", t_eval=np.unique([*inside, end]), rtol=1e-10, atol=1e-11)
        found.append(part.y[:12].T if begin == 2.0 else part.y[:12, part.t < end].T)
        state = part.y[:, -1]
    return np.vstack(found)


def test_run_is_that_of_newton_and_euler() -> None:
    """Wheels that roll, one redundant row, a fork that leans, two imposed joints: all positions over the run."""
    scenario = ld.zoo.trikke()
    result = scenario.run(progress=False)
    expected = course(scenario, result.time.values[::20])
    off = np.abs(result.q[::20, [0, 1, 2]] - expected[:, [0, 1, 2]]).max()
    assert off < 1e-6  # rkmk4 at 0.01 s
    assert (result.constraint_rank.values == 8).all()
    assert np.abs(expected[-1, :2] - POSES[0][1][:2]).max() < 1e-5
    forward = result.twist.values[:, 0]
    assert forward[-1] > 0.3  # it gains speed


def test_with_an_upright_axis_it_is_a_roller_racer() -> None:
    """Chitta et al. 2005: their model of the trikke becomes that of the roller racer. Light wheels: 1e-6 kg."""
    scenario = ld.zoo.trikke(**PLAIN)
    p = {parameter.name: parameter.value for parameter in scenario.parameters}
    seat, rider = (p["m_0"], 0.5 * p["l_1"], p["I_0"]), (p["m_r"], p["x_r"], p["I_r"][2])
    mass = seat[0] + rider[0]
    centre = (seat[0] * seat[1] + rider[0] * rider[1]) / mass
    moment = sum(inertia + m * (x - centre) ** 2 for m, x, inertia in (seat, rider))
    end = reduced(scenario.drive.imposed["steer"], (p["l_1"], p["l_2"], mass, moment, p["m_1"], p["I_1"], centre))
    result = scenario.run(progress=False)
    assert np.abs(measures.final_pose(result) - end[:3]).max() < 1e-6
    assert np.abs(end[:3] - POSES[1][1]).max() < 1e-5
