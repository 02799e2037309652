"""Unicycle with one driven and one passive wheel on an axle, and a swinging arm (Ali 2011, Table 3.1, named only).

The axle forbids one direction of SE(2), the driven wheel imposes another: under-constrained with actuation, one free direction
(turning about the driven wheel).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.motion import polynomial, sine
from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

CHOSEN = "chosen (Ali 2011, Table 3.1 names the system only)"
PARAMETERS = (
    Parameter("R", 0.1, "m", CHOSEN, "radius of the wheels", above=0.0),
    Parameter("d", 0.2, "m", CHOSEN, "distance of each wheel from the middle of the axle (right one driven)", above=0.0),
    Parameter("m_o", 5.0, "kg", CHOSEN, "mass of the cart", above=0.0),
    Parameter("s_o", 0.1, "m", CHOSEN, "mass centre of the cart, before the axle"),
    Parameter("I_o", 0.2, "kg m^2", CHOSEN, "moment of the cart about its mass centre", above=0.0),
    Parameter("P", 0.15, "m", CHOSEN, "pin of the arm, before the axle"),
    Parameter("m_1", 1.0, "kg", CHOSEN, "mass of the arm", above=0.0),
    Parameter("s_1", 0.2, "m", CHOSEN, "mass centre of the arm, from its pin"),
    Parameter("I_1", 0.01, "kg m^2", CHOSEN, "moment of the arm about its mass centre", above=0.0),
    Parameter("v_a", 2.5, "rad/s", CHOSEN, "mean rate of the driven wheel: v_a (1 - cos t)"),
    Parameter("a", 0.5, "rad", CHOSEN, "amplitude of the arm: r_1 = a sin(w t)"),
    Parameter("w", 2.0, "rad/s", CHOSEN, "angular frequency of the arm", above=0.0, aliases=("omega",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Cart with two wheels, arm."""
    unicycle = Robot("unicycle")
    inertia = about_centre(zz=p["I_o"])
    cart = unicycle.base(
        "cart", moves="planar", mass=p["m_o"], centre=(p["s_o"], 0.0, 0.0), inertia=inertia, shape=Box((0.4, 0.3, 0.1))
    )
    cart.wheel("right", at=(0.0, -p["d"], 0.0), axis="y", radius=p["R"], actuated=True)
    cart.wheel("left", at=(0.0, p["d"], 0.0), axis="y", radius=p["R"])
    rod = Box((2 * p["s_1"], 0.04, 0.04))
    arm = unicycle.body("arm", mass=p["m_1"], centre=(p["s_1"], 0.0, 0.0), inertia=about_centre(zz=p["I_1"]), shape=rod)
    arm.on(cart, at=(p["P"], 0.0, 0.0)).turning("z", name="joint_1")
    return unicycle


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest."""
    return Scenario(
        "unicycle",
        robot(p),
        imposed={"joint_1": sine(p["a"], omega=p["w"])},
        rolling={"right": p["v_a"] * (polynomial(0.0, 1.0) - sine(1.0, omega=1.0))},
        t_end=10.0,
        dt=0.01,
        checks=(*own_checks(p), *checks(p)),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters: theta_a - theta_f = 2 d theta / R for an axle of width 2 d."""

    def relation(result: Result) -> float:
        difference = result.wheel_angle.sel(wheel="right") - result.wheel_angle.sel(wheel="left")
        turned = measures.headings(result) - measures.headings(result)[0]
        return float(np.abs(difference.values - 2.0 * p["d"] / p["R"] * turned).max())

    return (
        Check("side slip of the axle (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check(
            "power balance Gamma.thetadot + tau.rdot = dT/dt (relative)",
            0.0,
            1e-12,
            measures.power_balance,
            "first law",
            Kind.CONSERVATION,
        ),
        Check("theta_a - theta_f = 2 d theta / R (rad)", 0.0, 1e-7, relation, "rolling without slipping", Kind.CLOSED_FORM),
    )


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above."""
    source = "independent integration (DOP853, 1e-12)"
    if not all(p[q.name] == q.value for q in PARAMETERS):
        return ()
    return (
        Check("pose(10) (m, rad)", (1.22464, 1.84588, 0.69258), 1e-4, measures.final_pose, source, Kind.INDEPENDENT),
        Check("theta_f(10) (rad)", 23.5897, 1e-4, lambda r: r.wheel_angle.sel(wheel="left").values[-1], source, Kind.INDEPENDENT),
    )
