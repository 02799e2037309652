"""Bricard's mechanism (IFToMM library of multibody benchmarks, A04; Bricard 1897): six pins on six edges of a cube, one freedom.

Counted by Gruebler and Kutzbach, 6 (5 - 6) + 6 = 0 freedoms are left; the loop moves because one of its five rows is redundant in
every closed position. Five bars fall under gravity, the sixth edge is the ground, the last pin is cut. In A04 gravity is
along -y; here its (x, y, z) are the world's (x, z, -y), so that gravity is along -z.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.robot import Box, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

A04 = "IFToMM library of multibody benchmarks, A04"
PARAMETERS = (
    Parameter("l", 1.0, "m", A04, "length of a bar", above=0.0),
    Parameter("m", 1.0, "kg", A04, "mass of a bar, uniform", above=0.0),
    Parameter("s", 0.1, "m", A04, "side of the square section of a bar", above=0.0),
    Parameter("g", 9.81, "m/s^2", A04, "gravity", least=0.0),
    Parameter("t_end", 10.0, "s", A04, "duration", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
# Pins at the start, in lengths of a bar, and their axes: P0 to P5 of A04 about y, z, x, y, z, x.
PINS = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 1), (1, -1, 1), (0, -1, 1), (0, -1, 0)]) * (1.0, 1.0, -1.0)
AXES = ("z", "-y", "x", "z", "-y", "x")


def robot(p: dict[str, Any]) -> Robot:
    """Bars from pin to pin; the pin between the fifth and the ground is the cut joint."""
    bars = Robot("bricard")
    bars.base("ground", moves="fixed").marker("last_pin", at=p["l"] * PINS[5])
    parent, place = "ground", PINS[0]
    for k in range(5):
        along = p["l"] * (PINS[k + 1] - PINS[k])
        size = np.where(along != 0.0, p["l"], p["s"])
        xx, yy, zz = (p["m"] * (size @ size - size**2) / 12.0).tolist()
        bar = bars.body(
            f"bar_{k + 1}", mass=p["m"], centre=0.5 * along, inertia=about_centre(xx=xx, yy=yy, zz=zz), shape=Box(size)
        )
        bar.on(parent, at=place).turning(AXES[k], name=f"joint_{k + 1}").marker(f"pin_{k + 1}", at=along)
        parent, place = f"bar_{k + 1}", along
    bars.loop("pin", "last_pin", "pin_5", joint="revolute", axis=AXES[5])
    return bars


def scenario(p: dict[str, Any]) -> Scenario:
    """From rest, where the pins lie on a cube."""
    return Scenario(
        "bricard",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        t_end=p["t_end"],
        dt=0.01,
        checks=(*own_checks(p), *checks()),
    )


def third_pin(result: Result, t: float) -> np.ndarray:
    """Position of P3 of A04 at the record nearest to t, in its axes, (3,) m."""
    x, y, z = measures.body_place(result, "bar_4", t)  # which begins there
    return np.array([x, z, -y])


def checks() -> tuple[Check, ...]:
    """What holds for any parameters."""
    return (
        # Order 4: the drift over 10 s is 16 times smaller with half the step.
        Check("energy (relative)", 0.0, 1e-6, measures.energy_drift, "no force does work", Kind.CONSERVATION),
        Check(
            "last pin closed (m)", 0.0, 1e-11, lambda r: measures.gap(r, "last_pin", "pin_5"), "loop closure", Kind.CLOSED_FORM
        ),
        Check(
            "independent rows",
            4,
            0,
            lambda r: int(r.constraint_rank.max()),
            "one freedom: 5 joints, 4 independent rows",
            Kind.CLOSED_FORM,
        ),
    )


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Where P3 is at 1 s, for the parameters of A04; known to six decimals."""
    if p["t_end"] < 1.0 or not all(p[q.name] == q.value for q in PARAMETERS[:4]):
        return ()
    place = (0.510501, -1.649168, 0.140123)
    source = "independent computation (three methods, and Exudyn)"
    return (Check("P3 at 1 s (m)", place, 1e-6, lambda r: third_pin(r, 1.0), source, Kind.INDEPENDENT),)
