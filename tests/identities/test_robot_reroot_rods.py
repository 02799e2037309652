"""Another reference body beyond a rod: the same poses, twists, energies and accelerations, with the rod counted from its tip."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import DescriptionError
from locodyn.locomotion.problem import Problem
from locodyn.robot import GivenSection, RodFluid, Tapered
from locodyn.robot.rods.reverse import reversed_coordinates, reversed_rod
from locodyn.robot.rods.strain_basis import BASES
from random_robots import random_inertia

pytestmark = pytest.mark.slow

SOFT = ld.Material(young=1e6, density=1000.0)
COUPLED = np.diag([900.0, 400.0, 300.0, 0.03, 0.02, 0.05])
COUPLED[0, 5] = COUPLED[5, 0] = 1.0
COUPLED[3, 4] = COUPLED[4, 3] = 0.005
SECTIONS = {
    "circle": {"section": ld.Circle(0.01), "material": SOFT, "fluid": RodFluid(500.0)},
    "taper": {"section": Tapered(ld.Circle(0.012), ld.Circle(0.006)), "material": SOFT},
    "coupled": {"section": GivenSection(COUPLED, mass=0.3, inertia=(2e-5, 1e-5, 1e-5))},
}


def arm(section: str, rng: np.random.Generator) -> ld.Robot:
    """A free body, an arm, a rod that is curved at rest with bodies at its middle and its end, and a hand."""
    robot = ld.Robot("arm")
    robot.base("base", **random_inertia(rng))
    robot.body("link", **random_inertia(rng)).on("base", at=(0.1, 0.2, 0.0)).turning("y").actuator(stiffness=0.5, viscous=0.1)
    modes = {"stretch": 1, "shear": 1, "torsion": 2, "bending": (2, 3)}
    rod = robot["link"].rod(
        "rod", at=(0.1, 0.0, 0.05), length=0.6, rest_curvature=lambda s: (0.3, 0.5 + s, -0.8 * s), damping=0.01, nodes=5,
        **modes, **SECTIONS[section],
    )  # fmt: skip
    robot.body("ring", **random_inertia(rng)).on(rod, at=(0.0, 0.02, 0.01), at_s=0.2).turning("x")
    robot.body("cap", **random_inertia(rng)).on(rod, at_s=0.6).turning("z")
    robot.body("hand", **random_inertia(rng)).on(rod, at=(0.05, 0.0, 0.0)).ball()
    robot.spring("stay", ("base", (0.0, 0.1, 0.0)), (rod, 0.4, (0.0, 0.01, 0.0)), stiffness=20.0, rest_length=0.3)
    return robot.wrench("push", on=rod, at_s=0.3, law=ld.WorldForce((0.2, -0.1, 0.3)))


@pytest.mark.parametrize("target", ["rod", "hand"])
@pytest.mark.parametrize("section", SECTIONS)
def test_same_physics(section: str, target: str) -> None:
    """Slices are symmetric, so that both robots are the same discrete system: all agrees to round-off."""
    rng = np.random.default_rng(5)
    robot = arm(section, rng)
    there = robot.rerooting(target)
    before, after = (Problem(ld.Robot.from_description(one).model()) for one in (robot.description, there.description))
    assert after.model.compiled.reference_body == target
    q = before.model.move(before.model.neutral(), 0.3 * rng.standard_normal(before.model.nv))
    v = rng.standard_normal(before.model.nv)
    new_q, new_v = there.convert(q, v)
    for body in robot.bodies:
        for one, two in zip(before.model.pose(body, q), after.model.pose(body, new_q), strict=True):
            np.testing.assert_allclose(two, one, atol=1e-11)
        np.testing.assert_allclose(after.model.twist(body, new_q, new_v), before.model.twist(body, q, v), atol=1e-10)
    assert after.model.kinetic_energy(new_q, new_v) == pytest.approx(before.model.kinetic_energy(q, v), rel=1e-10)
    a, new_a = before.accelerations(0.0, q.copy(), v.copy()), after.accelerations(0.0, new_q.copy(), new_v.copy())
    for body in robot.bodies:
        one, two = before.model.acceleration(body, q, v, a), after.model.acceleration(body, new_q, new_v, new_a)
        np.testing.assert_allclose(two, one, atol=1e-8 * np.abs(a).max())
    back = ld.Robot.from_description(there.description).rerooting("base")
    old_q, old_v = back.convert(new_q, new_v)
    places = [back.after.coordinate_index(name) for name in before.model.compiled.coordinate_names]
    np.testing.assert_allclose(old_v[places], v, atol=1e-9)
    assert len(old_q) == len(q)


@pytest.mark.parametrize("basis", sorted(BASES))
def test_coordinates_of_the_reversed_rod(basis: str) -> None:
    """Strains at s from the root are, up to sign, those at L - s from the tip."""
    rod = ld.robot.Rod(
        0.5, ld.Circle(0.01), SOFT, modes=(4, 4, 4, 4, 4, 4), basis=basis, rest_curvature=lambda s: (0.1, 0.2 + s, 0.3 * s)
    )
    rng = np.random.default_rng(1)
    q, s = rng.standard_normal(rod.count), np.linspace(0.013, 0.481, 11)
    other = reversed_rod(rod)
    signs = np.array([1.0, 1.0, -1.0, 1.0, 1.0, -1.0])
    np.testing.assert_allclose(other.strain(0.5 - s, reversed_coordinates(rod) @ q), signs * rod.strain(s, q), atol=1e-11)


def test_a_planar_robot() -> None:
    robot = ld.Robot("planar")
    base = robot.base("base", moves="planar", mass=1.0, inertia=ld.about_centre(zz=0.1))
    base.rod("tail", at=(0.1, 0.0, 0.0), length=0.4, section=ld.Circle(0.01), material=SOFT, bending=(0, 2), stretch=1)
    robot.body("fin", mass=0.2, inertia=ld.about_centre(zz=0.01)).on("tail").turning("z")
    there = robot.rerooting("fin")
    model, other = robot.model(), ld.Robot.from_description(there.description).model()
    q = np.array([0.1, 0.2, 0.3, 0.05, 1.0, -2.0, 0.4])
    v = np.array([0.3, -0.1, 0.5, 0.2, -1.0, 0.7, 0.9])
    new_q, new_v = there.convert(q, v)
    for body in robot.bodies:
        np.testing.assert_allclose(other.pose(body, new_q)[1], model.pose(body, q)[1], atol=1e-12)
        np.testing.assert_allclose(other.twist(body, new_q, new_v), model.twist(body, q, v), atol=1e-11)


def test_what_cannot_be_reversed() -> None:
    robot = ld.Robot("worm")
    head = robot.base("head", mass=1.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1))
    rod = head.rod("body", length=0.4, section=ld.Circle(0.01), material=SOFT, bending=2)
    robot.body("fin", mass=0.1, inertia=ld.about_centre(xx=0.01, yy=0.01, zz=0.01)).on(rod, at_s=0.2).turning("z")
    with pytest.raises(DescriptionError, match="carried by 'fin': 'fin' is on rod 'body' between its ends, which would be cut"):
        robot.rerooted("fin")
    rod.tendon("wire", (0.005, 0.0))
    with pytest.raises(DescriptionError, match="carried by 'body': 'wire' runs along rod 'body', which lies in between"):
        robot.rerooted("body")
