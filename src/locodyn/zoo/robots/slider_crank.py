"""Slider-crank (Aguirre 2010, (3.1)-(3.2)): crank, rod and slider, closed by a cut joint; the crank turns at a given rate.

    x = A cos th + B cos ph,     0 = A sin th - B sin ph

The plane is x-z; crank and rod turn about -y, so that a positive angle lifts them, and the rod hangs down by ph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.motion import polynomial
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

OWN = "own choice (Aguirre 2010, 3.1 gives formulas only)"
PARAMETERS = (
    Parameter("A", 0.1, "m", OWN, "length of the crank, shorter than the rod", above=0.0),
    Parameter("B", 0.3, "m", OWN, "length of the rod", above=0.0),
    Parameter("m", (0.5, 0.6, 0.8), "kg", OWN, "masses of crank, rod and slider; crank and rod are uniform", above=0.0),
    Parameter("th_0", 0.4, "rad", OWN, "angle of the crank at the start"),
    Parameter("omega", 6.0, "rad/s", OWN, "rate of the crank"),
    Parameter("g", 9.81, "m/s^2", OWN, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Crank and rod; the slider on its rail; the pin between rod and slider is cut."""
    bars = Robot("slider_crank")
    ground = bars.base("ground", moves="fixed")
    parent: Any = ground
    for name, joint, length, mass, x in (("crank", "th", p["A"], p["m"][0], 0.0), ("rod", "ph", p["B"], p["m"][1], p["A"])):
        moment = mass * length**2 / 12.0
        inertia = about_centre(xx=0.01 * moment, yy=moment, zz=moment)
        shape = Box((length, 0.02, 0.02), at=(0.5 * length, 0.0, 0.0))
        bar = bars.body(name, mass=mass, centre=(0.5 * length, 0.0, 0.0), inertia=inertia, shape=shape)
        parent = bar.on(parent, at=(x, 0.0, 0.0)).turning("-y", name=joint)
    parent.marker("rod_end", at=(p["B"], 0.0, 0.0))
    bars.body("slider", mass=p["m"][2], shape=Box((0.06, 0.04, 0.04))).on(ground).sliding("x", name="x")
    bars.loop("pin", "rod_end", "slider", joint="revolute", axis="y")
    return bars


def closed(p: dict[str, Any], crank: Any) -> tuple[Any, Any]:
    """Place of the slider (m) and absolute angle of the rod (rad) by (3.1)-(3.2)."""
    down = np.arcsin(p["A"] / p["B"] * np.sin(crank))
    return p["A"] * np.cos(crank) + p["B"] * np.cos(down), -down


def scenario(p: dict[str, Any]) -> Scenario:
    """Two seconds."""
    place, lean = closed(p, p["th_0"])
    return Scenario(
        "slider_crank",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        imposed={"th": polynomial(p["th_0"], p["omega"])},
        start={"ph": float(lean) - p["th_0"], "x": float(place)},
        t_end=2.0,
        dt=0.002,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Both equations of the loop, and the balance of powers."""

    def off(result: Result) -> float:
        crank = result.joint_position.sel(joint="th").values
        place, lean = closed(p, crank)
        wrong = result.joint_position.sel(joint="x").values - place, result.joint_position.sel(joint="ph").values + crank - lean
        return float(max(np.abs(wrong[0]).max(), np.abs(wrong[1]).max()))

    form = "closed form: the loop equations of Aguirre (2010), (3.1)-(3.2)"
    return (
        Check("place of the slider and angle of the rod (m, rad)", 0.0, 1e-11, off, form, Kind.CLOSED_FORM),
        Check("power balance (relative)", 0.0, 1e-12, measures.power_balance, "first law", Kind.CONSERVATION),
    )
