"""Statics by shooting, the strong form: against strain modes in enough number, and against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.world.laws import Thrust, WorldForce
from locodyn.zoo.robots import cantilever as cantilevers
from rod_cases import SOFT, cantilever

UNIT = ld.GivenSection((1.0,) * 6, mass=1.0)


def tree(split: bool) -> ld.Robot:
    """A rod with a rod on its middle; tendon, chamber, a body, forces that turn along or not. Split: the first in two."""
    robot = ld.Robot("tree")
    modes: dict[str, Any] = {"bending": 6, "torsion": 6, "stretch": 5, "shear": 5, "section": ld.Circle(0.02), "material": SOFT}
    trunk: dict[str, Any] = {**modes, "rest_curvature": (0.1, 0.4, -0.6), "nodes": 12, "length": 0.15 if split else 0.3}
    lower = robot.base("ground", moves="fixed").rod("lower", at=(0.1, 0, 0), turned=("y", -1.2), **trunk)
    upper = lower.rod("upper", **trunk) if split else lower
    for part, rod in {"lower": lower, "upper": upper}.items() if split else (("lower", lower),):
        rod.tendon(f"wire {part}", (0.01, 0.005)).chamber(f"air {part}", (0.0, -0.01), area=1e-4)
    twig = lower.rod("twig", length=0.2, turned=("z", 0.4), at_s=None if split else 0.15, **modes)
    robot.body("nut", mass=0.05, inertia=ld.about_centre(xx=1e-5, yy=1e-5, zz=1e-5), centre=(0.01, 0.02, 0)).on(twig).fixed()
    robot.wrench("pull", on=upper, law=WorldForce((0.02, 0.05, 0.03)))
    robot.wrench("push", on=twig, law=Thrust(force=(0.0, 0.03, 0.0), moment=(0.001, 0.0, 0.002)))
    return robot


def loads(robot: ld.Robot) -> dict[str, Any]:
    names = robot.model().compiled.strand_names
    return {"tension": {n: 1.0 for n in names if "wire" in n}, "pressure": {n: 2000.0 for n in names if "air" in n}}


def test_tree_of_rods() -> None:
    """Shooting over the place of a branch, and modes on a rod in two parts: the same tips to 2e-6 m."""
    whole, parts = tree(False), tree(True)
    strong = ld.statics(whole, method="shooting", **loads(whole))
    weak = ld.statics(parts, steps=2, **loads(parts))
    assert strong.residual < 1e-8
    for name, same in (("lower", "upper"), ("twig", "twig")):
        shape = strong.rods[name]
        rotation, position = parts.model().pose(same, weak.q)
        np.testing.assert_allclose(shape.position[-1], position, atol=2e-6)
        np.testing.assert_allclose(shape.rotation[-1], rotation, atol=2e-5)
        assert len(shape.s) == 101


def test_loads_along_a_rod() -> None:
    """Snow with a kink in its profile, jets that turn along, a hook in the middle, factors of time: as with modes."""
    law: dict[str, Any] = {"bending": 8, "torsion": 6, "nodes": 20}
    robot = ld.Robot("shelf")
    rod = robot.base("ground", moves="fixed").rod("rod", length=0.4, section=ld.Circle(0.02), material=SOFT, **law)
    robot.wrench("snow", on=rod, law=WorldForce((0, 0, -1.0)), along=True, profile=[(0, 0), (0.2, 1), (0.4, 0)])
    robot.wrench("jets", on=rod, law=Thrust((0, 0.5, 0)), along=(0.1, 0.4))
    robot.wrench("hook", on=rod, law=WorldForce((0, 0.1, -0.1)), at_s=0.4)
    given: dict[str, Any] = {"load": {"jets": 0.5 * ld.constant(1.0)}}
    strong, weak = ld.statics(robot, method="shooting", **given), ld.statics(robot, **given)
    np.testing.assert_allclose(strong.rods["rod"].position[-1], robot.model().pose("rod", weak.q)[1], atol=2e-6)


def test_elastica() -> None:
    """F L^2/EI = 5 on an inextensible cantilever: elliptic integrals; the nearest modes are those of the other method."""
    robot = cantilever(WorldForce((0, 5.0, 0)), length=1.0, section=UNIT, bending=(0, 8), nodes=20, space="magnus6")
    found = ld.statics(robot, method="shooting", gravity=(0, 0, 0))
    np.testing.assert_allclose(found.rods["rod"].position[-1], (1.0 - 0.38762836, 0.71379152, 0.0), atol=6e-9)
    np.testing.assert_allclose(found.q, ld.statics(robot, gravity=(0, 0, 0), steps=2).q, atol=1e-4)
    assert ld.simulate(robot, start=found, t_end=0.01, integrator="gauss2", progress=False).time.values[-1] == 0.01


def test_cantilever_of_the_source() -> None:
    """Exact tip of the hanging steel cantilever before its release (acceptance C2b)."""
    _, _, young, diameter, force, *_ = cantilevers.CASES["steel"]
    found = ld.statics(
        cantilevers.robot({"case": "steel", "modes": 1, "nodes": 2}, force), method="shooting", gravity=(0, 0, -9.81), steps=4
    ).rods["rod"]
    np.testing.assert_allclose((-found.position[-1, 2], found.position[-1, 0]), (0.177265, 0.324641), atol=6e-7)
    stiffness = young * np.pi * diameter**4 / 64.0
    assert found.wrench[0, 4] == pytest.approx(stiffness * found.strain[0, 4], rel=1e-9)


def test_refusals() -> None:
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("link", mass=1.0).on(ground).turning("y").rod("rod", length=1.0, section=UNIT, bending=1)
    with pytest.raises(ld.InputError, match="takes rods and fixed joints; joint 'link' is turns about"):
        ld.statics(robot, method="shooting")
    with pytest.raises(ld.InputError, match="the method of statics is 'shoting'; did you mean 'shooting'"):
        ld.statics(robot, method="shoting")
    spring = ld.Robot("arm")
    rod = spring.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.02), material=SOFT, bending=1)
    rod.tendon("wire", (0.01, 0.0), stiffness=100.0)
    with pytest.raises(ld.InputError, match="takes tendons by their tension; 'wire' is given by its length"):
        ld.statics(spring, method="shooting", tendon_length={"wire": 1.0})
