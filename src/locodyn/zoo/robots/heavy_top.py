"""Heavy top on a fixed pivot (Bruls, Cardona, Arnold 2012): m = 15 kg, mass centre 1 m from the pivot.

They take the body's y axis as axis of symmetry, J = diag(0.234375, 0.46875, 0.234375) about the mass centre at (0, 1, 0),
R(0) = 1 and Omega(0) = (0, 150, -4.61538) rad/s. Here the axis of symmetry is z: our body axes (x, y, z) are their
(z, x, y). So Omega(0) = (-4.61538, 0, 150), the moments are (0.234375, 0.234375, 0.46875), and at the start our z axis
points along the world's y axis: a turn by -120 degrees about (1, 1, 1).
"""

from __future__ import annotations

from typing import Any

from locodyn.robot import Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Scenario, Start
from locodyn.zoo import measures

SOURCE = "Bruls, Cardona, Arnold 2012"
PARAMETERS = (
    Parameter("m", 15.0, "kg", SOURCE, "mass", above=0.0),
    Parameter("J", (0.234375, 0.234375, 0.46875), "kg m^2", SOURCE, "principal moments about the mass centre", above=0.0),
    Parameter("l", 1.0, "m", SOURCE, "distance of the mass centre from the pivot, along the axis", above=0.0),
    Parameter("Omega", (-4.61538, 0.0, 150.0), "rad/s", SOURCE, "initial angular velocity, body axes (converted)"),
    Parameter("q_0", (0.5, -0.5, -0.5, -0.5), "-", SOURCE, "initial orientation, quaternion (w, x, y, z) (converted)"),
    Parameter("g", 9.81, "m/s^2", SOURCE, "gravity", least=0.0),
)
VALIDATION: tuple[dict[str, Any], ...] = ({},)


def robot(p: dict[str, Any]) -> Robot:
    """One body that turns about the pivot."""
    top = Robot("heavy_top")
    xx, yy, zz = p["J"]
    shape = Cylinder(radius=0.25, length=0.1, axis="z", at=(0.0, 0.0, p["l"]))
    top.base(
        "top", moves="spherical", mass=p["m"], centre=(0.0, 0.0, p["l"]), inertia=about_centre(xx=xx, yy=yy, zz=zz), shape=shape
    )
    return top


def scenario(p: dict[str, Any]) -> Scenario:
    """Two seconds of precession and nutation."""
    return Scenario(
        "heavy_top",
        robot(p),
        gravity=(0.0, 0.0, -p["g"]),
        start=Start(positions={"top": p["q_0"]}, velocities={"top": p["Omega"]}),
        t_end=2.0,
        dt=5e-5,
        record_every=40,
        checks=checks(p),
    )


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Three constants of motion (Lagrange's top).

    Tolerances are measured: about ten times the drift at the default step (3e-12, 6e-10, 0), which falls with order 4 or more.
    """
    own = "constants of Lagrange's top"
    symmetric = p["J"][0] == p["J"][1]
    found = [
        Check("energy constant (drift, relative)", 0.0, 1e-10, measures.energy_drift, own, Kind.CONSERVATION),
        Check(
            "vertical angular momentum constant (relative)", 0.0, 5e-9, measures.vertical_momentum_drift, own, Kind.CONSERVATION
        ),
    ]
    if symmetric:
        found.append(
            Check("axial angular velocity constant (rad/s)", 0.0, 1e-9, measures.axial_spin_drift, own, Kind.CONSERVATION)
        )
    return tuple(found)
