"""Four-bar linkage (Ali 2011, appendix A.1: closed loops by cut joints): crank, coupler, rocker in a vertical plane.

The pin between coupler and rocker is cut; the crank is driven, the other two joints are passive and follow. Ali's gravity
is along -y of the plane; here the plane is the world's x-z plane, and the bars turn about -y (a positive angle lifts a bar).
"""

from __future__ import annotations

import math
from typing import Any

from locodyn.errors import InputError
from locodyn.motion import Law, polynomial, sine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen (Ali 2011, A.1 gives formulas only)"
PARAMETERS = (
    Parameter("d", 0.3, "m", CHOSEN, "distance of the fixed pivots", above=0.0),
    Parameter("l_1", 0.10, "m", CHOSEN, "length of the crank", above=0.0),
    Parameter("l_2", 0.30, "m", CHOSEN, "length of the coupler", above=0.0),
    Parameter("l_3", 0.25, "m", CHOSEN, "length of the rocker", above=0.0),
    Parameter("m_1", 0.5, "kg", CHOSEN, "mass of the crank, uniform", above=0.0),
    Parameter("m_2", 1.0, "kg", CHOSEN, "mass of the coupler, uniform", above=0.0),
    Parameter("m_3", 0.8, "kg", CHOSEN, "mass of the rocker, uniform", above=0.0),
    Parameter("r_0", 0.6, "rad", CHOSEN, "crank angle: r_0 + w t + a sin(2 t)"),
    Parameter("w", 3.0, "rad/s", CHOSEN, "mean rate of the crank"),
    Parameter("a", 0.2, "rad", CHOSEN, "amplitude of the crank about its mean motion"),
    Parameter("g", 9.81, "m/s^2", CHOSEN, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Three bars; the pin is the cut joint."""
    bars = Robot("four_bar")
    ground = bars.base("ground", moves="fixed")
    places: dict[str, tuple[Any, float]] = {"crank": (ground, 0.0), "coupler": ("crank", p["l_1"]), "rocker": (ground, p["d"])}
    for k, (name, (parent, x)) in enumerate(places.items(), start=1):
        mass, length = p[f"m_{k}"], p[f"l_{k}"]
        moment = mass * length**2 / 12.0
        inertia = about_centre(xx=1e-6 + 0.01 * moment, yy=moment, zz=moment)
        bar = bars.body(name, mass=mass, centre=(0.5 * length, 0.0, 0.0), inertia=inertia, shape=Box((length, 0.02, 0.02)))
        bar.on(parent, at=(x, 0.0, 0.0)).turning("-y", name=f"joint_{k}").marker(f"{name}_end", at=(length, 0.0, 0.0))
    bars.loop("pin", "coupler_end", "rocker_end", joint="revolute", axis="y")
    return bars


def crank(p: dict[str, Any]) -> Law:
    """Crank angle."""
    return polynomial(p["r_0"], p["w"]) + sine(p["a"], omega=2.0)


def assembled(p: dict[str, Any]) -> dict[str, float]:
    """Angles of coupler and rocker at the start, the pin above the line of the pivots (law of cosines)."""
    x, z = p["l_1"] * math.cos(p["r_0"]), p["l_1"] * math.sin(p["r_0"])
    span = math.hypot(p["d"] - x, z)
    cosine = (p["l_2"] ** 2 + span**2 - p["l_3"] ** 2) / (2.0 * p["l_2"] * span)
    if abs(cosine) > 1.0:
        raise InputError(f"the bars of 'four_bar' do not reach each other at the crank angle r_0 = {p['r_0']:g} rad.")
    coupler = math.atan2(-z, p["d"] - x) + math.acos(cosine)
    pin = (x + p["l_2"] * math.cos(coupler), z + p["l_2"] * math.sin(coupler))
    return {"joint_2": coupler - p["r_0"], "joint_3": math.atan2(pin[1], pin[0] - p["d"])}


def scenario(p: dict[str, Any]) -> Scenario:
    """Four seconds."""
    return Scenario(
        "four_bar",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        imposed={"joint_1": crank(p)},
        start=assembled(p),
        t_end=4.0,
        dt=0.002,
        checks=(*own_checks(p), *checks()),
    )


def checks() -> tuple[Check, ...]:
    """What holds for any parameters."""
    return (
        Check(
            "pin closed (m)", 0.0, 1e-11, lambda r: measures.gap(r, "coupler_end", "rocker_end"), "loop closure", Kind.CLOSED_FORM
        ),
        Check(
            "power balance tau_a rdot_a = d(T+U)/dt (relative)",
            0.0,
            1e-12,
            measures.power_balance,
            "first law",
            Kind.CONSERVATION,
        ),
    )


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above."""
    source = "independent computation (B11 against the energy balance)"
    if not all(p[q.name] == q.value for q in PARAMETERS):
        return ()

    def torques(result: Result) -> tuple[float, float]:
        return measures.extent(result.joint_torque.sel(joint="joint_1").values[::100])

    return (Check("range of tau_a on the grid of 0.2 s (N m)", (-1.122, 1.103), 5e-4, torques, source, Kind.INDEPENDENT),)
