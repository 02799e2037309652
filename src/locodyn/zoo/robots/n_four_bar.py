"""N four-bars in a row (IFToMM library of multibody benchmarks, A02): N loops, one freedom, and all of them fold flat at once.

N + 1 upright rods stand on pins in the ground, N level ones connect their tops; each is 1 m long. They start with 1 m/s to +x,
fall over and swing around. Twice in a turn all rods lie on one line: a singular position, where rows are lost for an instant, and
which the rods cross. The pins between level rods and the tops after them are cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import measures

A02 = "IFToMM library of multibody benchmarks, A02"
PARAMETERS = (
    Parameter("N", 10, "-", A02, "number of four-bars", least=1),
    Parameter("l", 1.0, "m", A02, "length of a rod", above=0.0),
    Parameter("m", 1.0, "kg", A02, "mass of a rod, uniform", above=0.0),
    Parameter("v", 1.0, "m/s", A02, "speed of the level rods at the start", least=0.0),
    Parameter("g", 9.81, "m/s^2", A02, "gravity", least=0.0),
    Parameter("t_end", 10.0, "s", A02, "duration", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"N": 40})
THICK = 0.06  # of its length, for the picture and the inertia about its axis, which does not count


def robot(p: dict[str, Any]) -> Robot:
    """Upright rods on the ground, level ones on all but the last of them."""
    bars, count = Robot("n_four_bar"), int(p["N"])
    length, thick, moment = p["l"], THICK * p["l"], p["m"] * p["l"] ** 2 / 12.0
    small = p["m"] * thick**2 / 6.0
    ground = bars.base("ground", moves="fixed", shape=Box((thick, thick, thick)))
    for n in range(count + 1):
        upright = bars.body(
            f"rod_{n}", mass=p["m"], centre=(0.0, 0.0, 0.5 * length), inertia=about_centre(xx=moment, yy=moment, zz=small),
            shape=Box((thick, thick, length)),
        )  # fmt: skip
        upright.on(ground, at=(n * length, 0.0, 0.0)).turning("y", name=f"joint_{n}").marker(f"top_{n}", at=(0.0, 0.0, length))
    for n in range(count):
        level = bars.body(
            f"bar_{n}", mass=p["m"], centre=(0.5 * length, 0.0, 0.0), inertia=about_centre(xx=small, yy=moment, zz=moment),
            shape=Box((length, thick, thick)),
        )  # fmt: skip
        level.on(f"rod_{n}", at=(0.0, 0.0, length)).turning("y", name=f"knee_{n}").marker(f"end_{n}", at=(length, 0.0, 0.0))
        bars.loop(f"pin_{n}", f"end_{n}", f"top_{n + 1}", joint="revolute", axis="y")
    return bars


def scenario(p: dict[str, Any]) -> Scenario:
    """Upright, and pushed."""
    count, rate = int(p["N"]), p["v"] / p["l"]
    rates = {f"joint_{n}": rate for n in range(count + 1)} | {f"knee_{n}": -rate for n in range(count)}
    return Scenario(
        "n_four_bar", robot(p), gravity=(0.0, 0.0, -p["g"]), start=Start({}, rates), t_end=p["t_end"], dt=0.01, record_every=5,
        checks=checks(p),
    )  # fmt: skip


def rod_angle(p: dict[str, Any], times: np.ndarray) -> np.ndarray:
    """Angle (rad) of the upright rods: ((N + 1) / 3 + N) l theta'' = ((N + 1) / 2 + N) g sin(theta), by DOP853 at 1e-13."""
    from scipy.integrate import solve_ivp

    count = p["N"]
    factor = p["g"] / p["l"] * ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
    span, start = (0.0, float(times[-1])), (0.0, p["v"] / p["l"])
    found = solve_ivp(lambda t, y: (y[1], factor * np.sin(y[0])), span, start, "DOP853", times, rtol=1e-13, atol=1e-13)
    angle: np.ndarray = found.y[0]
    return angle


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters.

    Steps of 10 ms that go near a singular position err by up to some 1e-5 rad, the nearer the more, see docs/performance.md.
    """

    def off(result: Result) -> float:
        wanted = rod_angle(p, result.time.values)
        return float(np.abs(result.joint_position.sel(joint="joint_0").values - wanted).max())

    def open_pins(result: Result) -> float:
        return max(measures.gap(result, f"end_{n}", f"top_{n + 1}") for n in range(int(p["N"])))

    closed, count = Kind.CLOSED_FORM, int(p["N"])
    rank = "one freedom: 2 N + 1 joints"
    return (
        Check("angle of the rods off its equation (rad)", 0.0, 1e-4, off, f"{A02}, one equation", Kind.INDEPENDENT),
        Check("energy (relative)", 0.0, 1e-5, measures.energy_drift, "no force does work", Kind.CONSERVATION),
        Check("pins closed (m)", 0.0, 1e-11, open_pins, "loop closure", closed),
        Check("independent rows", 2 * count, 0, lambda r: int(r.constraint_rank.max()), rank, closed),
    )
