"""Andrews' squeezing mechanism (Schiehlen 1990): seven bodies in a plane, closed at one point and driven by a constant torque.

A spring between the ground and K3 is squeezed 2.5 times within 0.03 s. Numbers, start and reference are those of the test set for
initial value problems (Mazzia and Magherini 2008, problem 10). K1 to K7 turn about z; K2, K4 and K6 are on K1, K5 and K7, and K2
meets K3, K4 and K6 at the point P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Box, Robot, Sphere, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

SOURCE = "Mazzia and Magherini 2008, 10: Andrews' squeezing mechanism"
NAMES = ("K1", "K2", "K3", "K4", "K5", "K6", "K7")
PARAMETERS = (
    Parameter("m", (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498), "kg", SOURCE, "masses of K1-K7", above=0.0),
    Parameter(
        "I", (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5), "kg m^2", SOURCE, "their moments of inertia",
        above=0.0,
    ),
    Parameter("torque", 0.033, "N m", SOURCE, "of the motor on K1"),
    Parameter("c_0", 4530.0, "N/m", SOURCE, "stiffness of the spring", above=0.0),
    Parameter("l_0", 0.07785, "m", SOURCE, "its rest length", above=0.0),
)  # fmt: skip
VALIDATION: tuple[dict[str, Any], ...] = ({},)

# Pivots A, B and the end C of the spring on the ground; mass centres in the axes of the bodies; m.
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
CENTRES = (
    (0.00092, 0.0), (-0.0115, 0.0), (0.01874, 0.01043), (0.0, -0.00579), (0.02308, 0.00916), (0.00579, 0.0), (0.01228, 0.00449),
)  # fmt: skip
ENDS = (
    (0.007, 0.0),
    (-0.028, 0.0),
    (0.0, -0.035),
    (0.0, -0.02),
    (0.04, 0.0),
    (0.02, 0.0),
    (0.0, -0.04),
)  # where others meet them
START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
SOLUTION = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
    1.048080741042263,
)  # fmt: skip


def robot(p: dict[str, Any]) -> Robot:
    """The tree of seven bodies, three pins at P, the spring."""
    mechanism = Robot("andrews")
    ground = mechanism.base("ground", moves="fixed", shape=Sphere(0.002))
    on: dict[str, tuple[Any, Any]] = {
        "K1": (ground, (0.0, 0.0, 0.0)), "K2": ("K1", (0.007, 0.0, 0.0)), "K3": (ground, B), "K5": (ground, A),
        "K4": ("K5", (0.04, 0.0, 0.0)), "K7": (ground, A), "K6": ("K7", (0.0, -0.04, 0.0)),
    }  # fmt: skip
    for name, (parent, at) in on.items():
        k = NAMES.index(name)
        inertia, end = about_centre(xx=p["I"][k], yy=p["I"][k], zz=p["I"][k]), np.array([*ENDS[k], 0.0])  # zz alone counts
        shape = Box(tuple(np.maximum(np.abs(end), 0.003)), at=tuple(0.5 * end))
        body = mechanism.body(name, mass=p["m"][k], centre=(*CENTRES[k], 0.0), inertia=inertia, shape=shape)
        body.on(parent, at=at).turning("z")
    for name in ("K3", "K4", "K6"):
        first, second = ((*ENDS[NAMES.index(one)], 0.0) for one in ("K2", name))
        mechanism.loop(f"P.{name}", "K2", name, joint="pin", axis="z", first_at=first, second_at=second)
    return mechanism.spring("spring", ("world", C), ("K3", (0.02, -0.018, 0.0)), stiffness=p["c_0"], rest_length=p["l_0"])


def scenario(p: dict[str, Any]) -> Scenario:
    """0.03 s, in which the crank turns 2.5 times."""
    return Scenario(
        "andrews",
        robot(p),
        gravity=(0.0, 0.0, 0.0),
        torque={"K1": p["torque"]},
        start=dict(zip(NAMES, START, strict=True)),
        t_end=0.03,
        dt=2e-6,
        record_every=50,
        integrator="rkmk4",
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """The energy; for the numbers of the test set its solution."""
    energy = Check(
        "energy against work of the motor (relative)", 0.0, 1e-7, measures.energy_defect, "first law", Kind.CONSERVATION
    )
    if not all(p[q.name] == q.value for q in PARAMETERS):
        return (energy,)

    def angles(result: Result) -> tuple[float, ...]:
        return tuple(float(result.joint_position.sel(joint=name)[-1]) for name in NAMES)

    # Steps of 2 and 1 us give the same 1.43e-9: what is left is the reference, which its authors trust to 10 digits.
    reference = Check("angles of K1 to K7 after 0.03 s (rad)", SOLUTION, 3e-9, angles, SOURCE, Kind.PUBLISHED)
    return (reference, energy)
