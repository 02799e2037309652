"""Woodpecker toy: a sleeve slides down a pole, jams, and is freed by a woodpecker that swings on a spring and pecks the pole.

Glocker (1995); Leine, van Campen and Glocker (2003). Three coordinates: height of the sleeve, its tilt, and the swing of the
woodpecker. The sleeve touches the pole with its lower and its upper edge, the woodpecker with its beak. Both take small
angles; here rotations are full, which shortens the cycle by a tenth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.robot import Box, Capsule, Compound, Cylinder, Robot, Sphere, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario, Start
from locodyn.world import Ground

SOURCE = "Leine, van Campen and Glocker (2003), table 2"
PARAMETERS = (
    Parameter("m_M", 3e-4, "kg", SOURCE, "mass of the sleeve", above=0.0),
    Parameter("J_M", 5e-9, "kg m^2", SOURCE, "inertia of the sleeve", above=0.0),
    Parameter("m_S", 4.5e-3, "kg", SOURCE, "mass of the woodpecker", above=0.0),
    Parameter("J_S", 7e-7, "kg m^2", SOURCE, "inertia of the woodpecker", above=0.0),
    Parameter("stiffness", 5.6e-3, "N m/rad", SOURCE, "of the spring between them", above=0.0),
    Parameter("r_0", 2.5e-3, "m", SOURCE, "radius of the pole", above=0.0),
    Parameter("r_M", 3.1e-3, "m", SOURCE, "inner radius of the sleeve", above=0.0),
    Parameter("h_M", 5.8e-3, "m", SOURCE, "half height of the sleeve", above=0.0),
    Parameter("l_M", 0.010, "m", SOURCE, "from the middle of the sleeve to the spring", above=0.0),
    Parameter("l_G", 0.015, "m", SOURCE, "from the spring to the mass centre of the woodpecker", above=0.0),
    Parameter("h_S", 0.020, "m", SOURCE, "height of the beak above that centre", above=0.0),
    Parameter("l_S", 0.0201, "m", SOURCE, "from that centre back to the beak", above=0.0),
    Parameter("mu", 0.3, "-", SOURCE, "friction on the pole", least=0.0),
    Parameter("restitution", 0.5, "-", SOURCE, "of the beak; the sleeve has none", least=0.0, most=1.0),
    Parameter("swing", -0.2788, "rad", SOURCE, "of the woodpecker at the start"),
    Parameter("fall", -0.3411, "m/s", SOURCE, "velocity of the sleeve at the start"),
    Parameter("swing_rate", -7.4583, "rad/s", SOURCE, "of the woodpecker at the start"),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", above=0.0),
)
POLE = 0.2  # m, as drawn
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """Pole along z, everything in the x-z plane; angles are positive where they raise what lies at +x."""
    toy = Robot("woodpecker")
    toy.base("pole", moves="fixed", shape=Cylinder(p["r_0"], POLE, at=(0.0, 0.0, -0.3 * POLE)))
    toy.body("slider", mass=p["m_M"]).on("pole").sliding("z", name="height")
    ring = Compound(
        (Cylinder(1.3 * p["r_M"], 2.0 * p["h_M"]), Capsule(0.2 * p["r_M"], p["l_M"], axis="x", at=(0.5 * p["l_M"], 0, 0)))
    )
    sleeve = toy.body("sleeve", inertia=about_centre(yy=p["J_M"]), shape=ring).on("slider").turning((0, -1, 0), name="tilt")
    edges = [(p["r_M"], 0.0, -p["h_M"]), (p["r_M"], 0.0, p["h_M"])]
    sleeve.collides(vertices=edges, friction=p["mu"], direction="z")
    inertia = about_centre(yy=p["J_S"])
    bird = toy.body("woodpecker", mass=p["m_S"], centre=(p["l_G"], 0.0, 0.0), inertia=inertia, shape=feathers(p))
    bird.on("sleeve", at=(p["l_M"], 0.0, 0.0)).turning((0, -1, 0), name="swing").actuator(stiffness=p["stiffness"])
    beak = [(p["l_G"] - p["l_S"], 0.0, p["h_S"])]
    bird.collides(vertices=beak, friction=p["mu"], restitution=p["restitution"], direction="z")
    return toy


def feathers(p: dict[str, Any]) -> Compound:
    """How the bird is drawn: an upright body about its mass centre, a head, and a beak that ends where it pecks."""
    tip, head, size = p["l_G"] - p["l_S"], 0.35 * p["l_G"], 0.4 * p["l_G"]
    trunk = Capsule(size, p["h_S"], at=(p["l_G"], 0.0, 0.0))
    beak = Box((head - tip, 0.3 * size, 0.3 * size), at=(0.5 * (head + tip), 0.0, p["h_S"]))
    crown = Sphere(0.9 * size, at=(head + 0.8 * size, 0.0, p["h_S"]))
    leg = Capsule(0.15 * size, p["l_G"], axis="x", at=(0.5 * p["l_G"], 0.0, 0.0))
    return Compound((trunk, crown, beak, leg))


def jammed(p: dict[str, Any]) -> float:
    """Tilt (rad) at which the lower edge of the sleeve touches the pole: r_M cos + h_M sin = r_0."""
    return math.asin(p["r_0"] / math.hypot(p["r_M"], p["h_M"])) - math.atan2(p["r_M"], p["h_M"])


def scenario(p: dict[str, Any]) -> Scenario:
    """From the jammed sleeve near the cycle; the surface of the pole is the plane x = r_0."""
    tilt = jammed(p)
    start = Start({"tilt": tilt, "swing": p["swing"] - tilt}, {"height": p["fall"], "swing": p["swing_rate"]})
    return Scenario(
        "woodpecker", robot(p), gravity=(0.0, 0.0, -p["g"]), obstacles=[Ground(name="pole", at=(p["r_0"], 0, 0), normal="x")],
        start=start, t_end=1.0, dt=2e-5, integrator="moreau", record_every=10, checks=checks(p),
    )  # fmt: skip


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """A stable periodic motion. Small angles, as in Leine et al. (2003), would make a cycle longer: 0.146 s and 19.5 mm."""
    own = all(p[entry.name] == entry.value for entry in PARAMETERS)
    if not own:
        return ()
    model = "independent code with full rotations (tests/woodpecker_peer.py)"
    return (
        Check(
            "cycles repeat (relative spread of the period)",
            0.0,
            0.01,
            spread,
            "own limit of the spread",
            Kind.OWN,
        ),
        Check("period (s)", PERIOD, 0.01 * PERIOD, period, model, Kind.INDEPENDENT),
        Check("way down in a cycle (m)", WAY, 0.02 * WAY, way, model, Kind.INDEPENDENT),
    )


PERIOD, WAY = 0.1308, 14.55e-3


def pecks(result: Result) -> np.ndarray:
    """Indices of the records at which the swing of the woodpecker turns at its lowest, one in each cycle."""
    angle = result.joint_position.sel(joint="tilt").values + result.joint_position.sel(joint="swing").values
    lowest = (angle[1:-1] < angle[:-2]) & (angle[1:-1] <= angle[2:]) & (angle[1:-1] < 0.5 * angle.min())
    return 1 + np.flatnonzero(lowest)


def cycles(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Periods (s) and ways down (m) of the cycles after the first four."""
    at = pecks(result)[4:]
    return np.diff(result.time.values[at]), -np.diff(result.joint_position.sel(joint="height").values[at])


def spread(result: Result) -> float:
    """Largest difference of periods over their mean."""
    periods, _ = cycles(result)
    return float(np.ptp(periods) / periods.mean()) if len(periods) > 1 else math.nan


def period(result: Result) -> float:
    """Mean of a cycle, s."""
    return float(cycles(result)[0].mean())


def way(result: Result) -> float:
    """Mean way down in a cycle, m."""
    return float(cycles(result)[1].mean())
