"""Spring-mass hopper (SLIP: Blickhan 1989; Seyfarth, Geyer, Guenther, Blickhan 2002): a mass on a springy leg without mass runs.

In flight the leg waits at the angle of attack; in stance the foot holds and the spring pushes; it leaves the ground at its free
length. With a fixed angle the running is stable by itself: 80 kg, 20 kN/m and 68 degrees at 5 m/s. The leg weighs 1e-9 of the
mass, so that impacts, and its return to the angle of attack, take next to nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.phases import Phase, Phases, Reaches, Touchdown
from locodyn.robot import Capsule, Robot
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.zoo import walkers

SOURCE = "Seyfarth et al. 2002"
PARAMETERS = (
    Parameter("m", 80.0, "kg", SOURCE, "mass", above=0.0),
    Parameter("l_0", 1.0, "m", SOURCE, "free length of the leg", above=0.0),
    Parameter("k", 20e3, "N/m", SOURCE, "stiffness of the leg", above=0.0),
    Parameter("attack", 68.0, "deg", SOURCE, "angle of the leg to the ground at touchdown", above=0.0, most=90.0),
    Parameter("speed", 5.0, "m/s", SOURCE, "at the first apex", above=0.0),
    Parameter("height", 1.0, "m", "own choice", "of the first apex", above=0.0),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", above=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)
LIGHT = 1e-9


def robot(p: dict[str, Any]) -> Robot:
    """A mass that moves in the x-z plane, a leg that turns, and a foot that slides along it."""
    hopper = Robot("spring_hopper")
    mass = walkers.hip(hopper, p["m"], 0.1)
    upper = Capsule(radius=0.03, length=0.5 * p["l_0"], axis="z", at=(0.0, 0.0, -0.3 * p["l_0"]))
    leg = hopper.body("leg", shape=upper).on(mass).turning("y", name="angle")
    lower = Capsule(radius=0.02, length=0.5 * p["l_0"], axis="z", at=(0.0, 0.0, 0.3 * p["l_0"]))
    foot = hopper.body("foot", mass=LIGHT * p["m"], shape=lower).on(leg, at=(0.0, 0.0, -p["l_0"])).sliding("z", name="shortening")
    foot.actuator(stiffness=p["k"]).foot("toe")
    return hopper


def scenario(p: dict[str, Any]) -> Scenario:
    """Twelve steps from an apex."""
    lean = math.radians(p["attack"]) - 0.5 * math.pi  # about y: the foot is in front
    ways = [Touchdown("flight", "stance", "toe", None), Reaches("stance", "flight", "shortening", 0.0, "falling")]
    flight = Phase((), locked={"angle": lean, "shortening": 0.0})
    return Scenario(
        "spring_hopper",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        phases=Phases({"flight": flight, "stance": "toe"}, ways, scuffing=True),
        start=Start({"z": p["height"], "angle": lean}, {"x": p["speed"]}),
        t_end=3.2,
        dt=0.005,
        tolerance=1e-10,
        checks=checks(p),
    )


def apexes(result: Result) -> np.ndarray:
    """Height and speed (k, 2) of the apex of every flight after the first, m and m/s."""
    z, vz = result.joint_position.sel(joint="z").values, result.joint_velocity.sel(joint="z").values
    vx = result.mass_centre_velocity.values[:, 0]
    flies = result.phase.values == 0
    begins = np.flatnonzero(flies[1:] & ~flies[:-1]) + 1
    g = float(-result.scenario.world.gravity[2])  # type: ignore[union-attr]
    return np.column_stack([z[begins] + vz[begins] ** 2 / (2.0 * g), vx[begins]])


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Apexes of the first flights and the running that follows; energy."""
    energy = Check("energy balance (relative)", 0.0, 1e-6, walkers.energy_kept, "first law", Kind.CONSERVATION)
    if any(p[q.name] != q.value for q in PARAMETERS):
        return (energy,)
    one = "independent calculation: the equations of a mass on a spring (DOP853, 1e-12)"
    heights = (0.95574041, 0.94052707, 0.94022633, 0.94027376)

    def last(result: Result) -> tuple[float, float]:
        height, speed = apexes(result)[-1]
        return float(height), float(speed)

    return (
        Check("first four apexes (m)", heights, 1e-6, lambda r: tuple(map(float, apexes(r)[:4, 0])), one, Kind.INDEPENDENT),
        Check("steady apex (m, m/s)", (0.94026714, 5.11585366), 1e-6, last, one, Kind.INDEPENDENT),
        energy,
    )
