"""Robots with strain fields for tests."""

from __future__ import annotations

from typing import Any

import locodyn as ld
from locodyn.robot import Ellipse, front, polynomial_shape, window
from rod_cases import SOFT


def fields() -> tuple[ld.StrainField, ...]:
    """All kinds of profiles: a wave of two strains with an amplitude, a bump with a travelling front, a standing shape."""
    wave = ld.travelling("bending_z", 3.0, wavelength=0.7, phase=0.4) + ld.travelling("shear_y", 0.1, wavelength=0.5)
    turn = ld.travelling_bump("bending_y", 2.0, centre=0.2, half_width=3.0) * front(-2.5, 3.0)
    turn = turn + polynomial_shape("torsion", (0.5, 1.0, -0.7, 0.3)) * window(0.1, 0.4)
    still = ld.standing("stretch", 0.1, wavelength=0.4, phase=-0.3)
    return (
        ld.StrainField("wave", wave, amplitude=True),
        ld.StrainField("turn", turn),
        ld.StrainField("breath", still),
    )


def tree(base: str = "free", space: str = "magnus4", **options: Any) -> ld.Robot:
    """A damped elastic rod with fields, one of them of a strain that is elastic too; a body along it, a rod at its tip."""
    robot = ld.Robot(f"fields on a {base} base")
    body = {} if base == "fixed" else {"mass": 0.3, "inertia": ld.about_centre(xx=0.01, yy=0.02, zz=0.015)}
    one = robot.base("ground", moves=base, **body).rod(
        "one", length=0.5, at=(0.1, 0.2, 0.0), turned=("z", 0.3), section=Ellipse(0.02, 0.015), material=SOFT, bending=(2, 1),
        stretch=1, rest_curvature=(0.5, 0.2, -1.0), damping=0.01, space=space, fields=fields(), nodes=5, **options,
    )  # fmt: skip
    robot.body("ball", mass=0.1, shape=ld.Sphere(0.01)).on(one, at_s=0.2, at=(0, 0.1, 0)).turning("y")
    one.rod("two", length=0.3, section=ld.Rectangle(0.02, 0.01), material=ld.silicone, bending=(1, 1), nodes=3)
    return robot
