"""A mass on the ground, pulled by a spring whose end moves at a constant speed: it sticks and slips in turn.

Bristles after LuGre with the numbers of Canudas de Wit, Olsson, Astrom and Lischinsky (1995, IV.B); spring and speed as in
Aguirre (2010, 4.3). The mass sticks until the spring pulls harder than the static friction, slips, and sticks again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.motion import ramp
from locodyn.robot import Box, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import LuGre

SOURCE = "Canudas de Wit et al. 1995, IV.B"
PARAMETERS = (
    Parameter("m", 1.0, "kg", SOURCE, "mass", above=0.0),
    Parameter("k", 2.0, "N/m", SOURCE, "stiffness of the spring", above=0.0),
    Parameter("speed", 0.1, "m/s", SOURCE, "of the end of the spring", above=0.0),
    Parameter("s_0", 1e5, "N/m", SOURCE, "stiffness of the bristles", above=0.0),
    Parameter("s_1", 316.22776601683796, "N s/m", SOURCE, "damping of the bristles, sqrt(1e5)", least=0.0),
    Parameter("s_2", 0.4, "N s/m", SOURCE, "viscous friction", least=0.0),
    Parameter("F_C", 1.0, "N", SOURCE, "Coulomb friction", above=0.0),
    Parameter("F_S", 1.5, "N", SOURCE, "static friction", above=0.0),
    Parameter("v_S", 1e-3, "m/s", SOURCE, "Stribeck speed", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """The hand that pulls, and the mass on the spring behind it."""
    toy = Robot("stick_slip")
    hand = (
        toy.body("hand", mass=0.01, shape=Box((0.02, 0.1, 0.1))).on(toy.base("ground", moves="fixed")).sliding("x", name="hand")
    )
    mass = toy.body("mass", mass=p["m"], shape=Box((0.1, 0.1, 0.1))).on(hand, at=(-0.3, 0.0, 0.0)).sliding("x", name="mass")
    mass.actuator(stiffness=p["k"])
    law = LuGre(p["F_C"], p["s_0"], static=p["F_S"], speed=p["v_S"], damping=p["s_1"], viscous=p["s_2"])
    toy.wrench("pad", on=mass, law=law)
    return toy


def scenario(p: dict[str, Any]) -> Scenario:
    """Three slips."""
    return Scenario(
        "stick_slip",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        imposed={"hand": ramp(p["speed"])},
        start=Start(velocities={"mass": -p["speed"]}),
        integrator="radau_adaptive",
        t_end=25.0,
        dt=0.01,
        tolerance=1e-7,
        checks=checks(p),
    )


def speeds(result: Result) -> np.ndarray:
    """Of the mass over the ground, m/s."""
    return np.asarray(result.joint_velocity.values.sum(axis=1))


def slips(result: Result) -> np.ndarray:
    """Begin and end (k, 2) s of each slip that is over: the mass is faster than a tenth of the hand."""
    fast = speeds(result) > 0.01
    changes = np.flatnonzero(np.diff(fast.astype(int))) + 1
    return result.time.values[changes[: len(changes) // 2 * 2]].reshape(-1, 2)


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Times, speeds and forces of the cycle, as the equations written out give them."""
    if any(p[q.name] != q.value for q in PARAMETERS):
        return ()
    one = "independent calculation: Radau of SciPy on the equations of Canudas de Wit et al. 1995"

    def friction(r: Result) -> float:
        """k times the spring less m a, N."""
        spring = -p["k"] * r.joint_position.sel(joint="mass").values
        return float((spring - p["m"] * r.joint_acceleration.values.sum(axis=1)).max())

    return (
        Check("first slip (s)", 7.46, 0.0746, lambda r: float(slips(r)[0, 0]), one, Kind.INDEPENDENT),
        Check("period (s)", 6.36, 0.0636, lambda r: float(np.diff(slips(r)[:, 0])[-1]), one, Kind.INDEPENDENT),
        Check("length of a slip (s)", 2.77, 0.0277, lambda r: float(np.diff(slips(r)[-1])[0]), one, Kind.INDEPENDENT),
        Check("largest friction (N)", 1.477, 0.015, friction, one, Kind.INDEPENDENT),
        Check("largest speed (m/s)", 0.370, 0.0037, lambda r: float(speeds(r).max()), one, Kind.INDEPENDENT),
    )
