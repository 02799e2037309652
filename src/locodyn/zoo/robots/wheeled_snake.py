"""Wheeled snake of Hirose's ACM type (Ali 2011, section 4.3): lateral undulation on passive wheels.

Module k is an unwheeled body S_2k of length 2 l and a wheeled body S_2k+1 that is pivoted at its centre. F_0 is the centre of the
first module; its x axis points to the tail, so the snake moves along -x. Three modules with given joints determine the motion of
the head (a kinematic connection); the joints behind them follow from their wheels. The rows of the first three wheels lose rank
where the shape is mirror-symmetric, at t = k pi for Ali's gait, and velocities are continuous through these points.
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.errors import InputError
from locodyn.motion import Law, constant, sine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

DOC = "Ali 2011, 4.3"
CHOSEN = "chosen (Ali 2011, 4.3 does not say)"
PHASES = tuple(k * math.pi / 16.0 for k in (1, 9, 0, 7, -1))
PARAMETERS = (
    Parameter("n", 10, "-", DOC, "number of modules", least=3),
    Parameter("l", 0.1, "m", DOC, "half the length of a module", above=0.0),
    Parameter("m_u", 0.2, "kg", f"{DOC} (0.3 kg a module), split chosen", "mass of an unwheeled body", above=0.0),
    Parameter("m_w", 0.1, "kg", f"{DOC} (0.3 kg a module), split chosen", "mass of a wheeled body", above=0.0),
    Parameter("I_w", 1e-4, "kg m^2", CHOSEN, "moment of a wheeled body about z", above=0.0),
    Parameter("a", (0.2, 0.6, -0.2, 0.6, 0.2), "rad", DOC, "amplitudes of joints 1 to 5"),
    Parameter("w", 1.0, "rad/s", DOC, "angular frequency of joints 1 to 5", above=0.0, aliases=("omega",)),
    Parameter("phi", PHASES, "rad", DOC, "phases of joints 1 to 5"),
    Parameter("r_steer", 0.0, "rad", CHOSEN, "angle of the steering joints 7, 9, ... of the modules that follow"),
    Parameter(
        "tail", "actuated", "-", "Ali 2011, ch. 7", "joints 6, 8, ...: with or without motors", choices=("actuated", "passive")
    ),
    Parameter(
        "torques", "exact", "-", "Ali 2011, 3.4 and ch. 7", "how torques are found", choices=("exact", "no_contact", "projective")
    ),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"l": 0.05}, {"torques": "projective"}, {"tail": "passive"}, {"n": 20})


def robot(p: dict[str, Any]) -> Robot:
    """Links 0, 2, 4, ... in a row, hinge to hinge; links 1, 3, 5, ... with wheels at their middles."""
    half = p["l"]
    snake = Robot("wheeled_snake")
    moment = about_centre(zz=p["m_u"] * (2 * half) ** 2 / 12.0)
    tube, axle = Box((1.9 * half, 0.5 * half, 0.3 * half)), Box((0.3 * half, 1.2 * half, 0.3 * half))
    for k in range(p["n"]):
        link, first = f"link_{2 * k}", k == 0
        if first:
            snake.base(link, moves="planar", mass=p["m_u"], inertia=moment, shape=tube)
        else:
            body = snake.body(link, mass=p["m_u"], centre=(half, 0.0, 0.0), inertia=moment, shape=tube)
            body.on(f"link_{2 * k - 2}", at=(half if k == 1 else 2 * half, 0.0, 0.0)).turning("z", name=f"joint_{2 * k}")
        wheeled = snake.body(f"link_{2 * k + 1}", mass=p["m_w"], inertia=about_centre(zz=p["I_w"]), shape=axle)
        wheeled.on(link, at=(0.0 if first else half, 0.0, 0.0)).turning("z", name=f"joint_{2 * k + 1}").wheels(axis="y")
    return snake


def motion(p: dict[str, Any]) -> dict[str, Law]:
    """Joints 1 to 5 as in Ali (2011, 4.3); the steering joints behind them are held."""
    lead = {f"joint_{j + 1}": sine(p["a"][j], omega=p["w"], phase=p["phi"][j]) for j in range(5)}
    return lead | {f"joint_{j}": constant(p["r_steer"]) for j in range(7, 2 * p["n"], 2)}


def scenario(p: dict[str, Any]) -> Scenario:
    """Twenty seconds; hinges 6, 8, ... follow from the wheels behind them, driven or loose."""
    if math.cos(p["r_steer"]) < 1e-3:
        raise InputError(f"parameter 'r_steer' is {p['r_steer']:g}; wheels across the body leave the hinge before them free.")
    actuated = p["tail"] == "actuated"
    return Scenario(
        "wheeled_snake",
        robot(p),
        imposed=motion(p),
        dependent=[f"joint_{j}" for j in range(6, 2 * p["n"], 2)] if actuated else (),
        torque_method=p["torques"],
        t_end=20.0,
        dt=0.01,
        checks=(*own_checks(p), *checks(p)),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters."""
    slip = Check("side slip of all wheels (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM)
    name = "power balance tau.rdot + W_0.eta_0 = dT/dt" if p["torques"] == "projective" else "power balance tau.rdot = dT/dt"
    power = Check(f"{name} (relative)", 0.0, 1e-12, measures.power_balance, "first law", Kind.CONSERVATION)
    return (slip,) if p["torques"] == "no_contact" else (slip, power)


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above; all lengths scale with l, whatever the number of modules."""
    if not all(p[q.name] == q.value for q in PARAMETERS[2:9]):
        return ()
    source, size = "independent integration (DOP853, 1e-12)", p["l"] / 0.1
    pose = (-1.84942 * size, -1.15444 * size, 0.10243)
    advance, speeds = 0.68363 * size, (-0.1268 * size, -0.1066 * size)

    def step(result: Result) -> tuple[float, float]:
        dx, dy, turn = measures.step_of_cycle(result, 2.0 * math.pi)
        return math.hypot(dx, dy), turn

    found = [
        Check("pose(20) (m, rad)", pose, 1e-4, measures.final_pose, source, Kind.INDEPENDENT),
        Check("advance (m) and turn (rad) in 2 pi", (advance, 0.0), 1e-5, step, source, Kind.INDEPENDENT),
        Check("range of V_x (m/s)", speeds, 1e-4, lambda r: measures.extent(r.twist.values[:, 0]), source, Kind.INDEPENDENT),
    ]
    if p["torques"] == "projective" and p["n"] == 10 and size == 1.0:
        limits = (-0.0129, 0.0160)
        found.append(
            Check(
                "range of tau_10 (N m)",
                limits,
                1e-4,
                lambda r: measures.extent(r.joint_torque.sel(joint="joint_10").values),
                source,
                Kind.INDEPENDENT,
            )
        )
    return tuple(found)
