"""Bending frequencies of rods in water: beams with free ends whose mass is their own and that of the water beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.equilibria.statics import vibrations
from locodyn.locomotion.problem import Problem
from locodyn.robot import Ellipse, Rectangle, RodFluid
from locodyn.robot.fluid import ellipse_added_mass, rectangle_added_mass
from locodyn.robot.rods.section import Section

RHO, LENGTH, YOUNG = 1000.0, 0.5, 3e6
ROOTS = (4.730040744862704, 7.853204624095838, 10.995607838001671)  # of cos x cosh x = 1


@pytest.mark.parametrize("section", [Ellipse(0.002, 0.03), Rectangle(0.004, 0.06)])
def test_free_beam_in_water(section: Section) -> None:
    """w_n = (x_n / l)^2 sqrt(E I / (m + m_a)). Rotary inertia lowers it by 1/2 rho I / (m + m_a) int phi'^2 / int phi^2
    (Rayleigh); the last quotient is y (6 + y) / l^2, y = x (cosh x - cos x) / (sinh x - sin x). Twelve functions of bending and
    80 slices err by less than 1e-6.
    """
    if isinstance(section, Ellipse):
        added = ellipse_added_mass(section.semi_y, section.semi_z, RHO)[0][0]
    else:
        assert isinstance(section, Rectangle)
        added = rectangle_added_mass(section.width / 2, section.height / 2, RHO)[0][0]
    material = ld.Material(YOUNG, RHO)
    own = section.properties(material)
    robot = ld.Robot("beam")
    robot.base("end", moves="planar").rod(
        "beam", length=LENGTH, section=section, material=material, bending=(0, 12), nodes=80, fluid=RodFluid(RHO)
    )
    problem = Problem(robot.model(gravity=(0.0, 0.0, 0.0)))
    found = np.sort(np.abs(vibrations(problem, problem.model.neutral()).imag))
    found = found[found > 1.0][::2][:3]
    x = np.array(ROOTS)
    y = x * (np.cosh(x) - np.cos(x)) / (np.sinh(x) - np.sin(x))
    rotary = 0.5 * own.inertia[2] / (own.mass + added) * y * (6.0 + y) / LENGTH**2
    wanted = (x / LENGTH) ** 2 * math.sqrt(own.stiffness[5, 5] / (own.mass + added)) * (1.0 - rotary)
    np.testing.assert_allclose(found, wanted, rtol=3e-6)
