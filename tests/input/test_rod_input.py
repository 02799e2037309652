"""Wrong rods are refused with one sentence."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from feature_cases import BASES
from locodyn.robot import Annulus, GivenSection, Helix, PolynomialRoute, Rod, Tapered
from locodyn.sim import StretchWarning

pytestmark = pytest.mark.slow

GOOD: dict[str, Any] = {"length": 1.0, "section": ld.Circle(0.01), "material": ld.steel, "bending": 2}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"length": -1.0}, "length of a rod is -1 m, but it must be positive"),
        ({"section": ld.Circle(-0.1)}, "radius of a circular section is -0.1 m"),
        ({"section": Annulus(0.1, 0.2)}, "inner radius 0.2 m of an annular section must be smaller"),
        ({"section": 3.0}, "section of a rod is 3.0; it must be a section"),
        ({"material": None}, "needs a material"),
        ({"material": 5}, "material of a rod is 5; it must be a Material"),
        ({"bending": 0}, "no strain function at all"),
        ({"bending": (1, 2, 3)}, "it must be a number, or one for y and one for z"),
        ({"bending": -1}, "it must be whole, 0 or more"),
        ({"torsion": 1.5}, "it must be whole, 0 or more"),
        ({"basis": "legendr"}, "did you mean 'legendre'"),
        ({"basis": ["legendre"]}, "one for each of its six strains"),
        ({"nodes": 0}, "it must have a whole number of them, 1 or more"),
        ({"damping": -1.0}, "it must not be negative"),
        ({"rest_curvature": (1.0, 2.0)}, "it must be three finite numbers"),
        ({"space": "magnus5"}, "There is no space integrator 'magnus5' for rods; did you mean 'magnus"),
        ({"quadrature": "gaus"}, "There is no quadrature 'gaus' for rods; did you mean 'gauss'"),
        ({"quadrature": "chebyshev", "nodes": 2}, "it must have 3 or more"),
        ({"tolerance": 0.0}, "The tolerance along a rod is 0.0; it must be between 1e-13 and 1"),
        ({"bendin": 2}, "did you mean 'bending'"),
        ({"basis": "hermite", "bending": 3}, "even number of functions"),
    ],
)
def test_wrong_rod(change: dict[str, Any], words: str) -> None:
    ground = ld.Robot("arm").base("ground", moves="fixed")
    with pytest.raises(ld.DescriptionError, match=words.replace("(", r"\(")):
        ground.rod("rod", **{**GOOD, **change})._robot.compile()


def test_wrong_material() -> None:
    with pytest.raises(ld.DescriptionError, match="Young's modulus is -1 Pa, but it must be positive"):
        ld.Material(young=-1.0, density=1.0)
    with pytest.raises(ld.DescriptionError, match=r"Poisson's ratio is 0\.7"):
        ld.Material(young=1.0, density=1.0, poisson=0.7)


def test_rod_without_length() -> None:
    with pytest.raises(ld.DescriptionError, match="Rod 'rod' has no length"):
        ld.Robot("arm").base("ground", moves="fixed").rod("rod", section=ld.Circle(0.1))


def test_place_beyond_the_rod() -> None:
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod("rod", **GOOD)
    robot.body("ball", mass=1.0).on(rod, at_s=1.2).fixed()
    with pytest.raises(ld.DescriptionError, match=r"at s = 1\.2 m along rod 'rod', which is 1 m long"):
        robot.compile()


def test_place_along_something_that_is_no_rod() -> None:
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    robot.body("ball", mass=1.0).on(ground, at_s=0.2).fixed()
    with pytest.raises(ld.DescriptionError, match="along 'ground', which is not a rod"):
        robot.compile()


def test_methods_that_take_no_rods() -> None:
    robot = ld.Robot("arm")
    robot.base("ground", moves="fixed").rod("rod", **GOOD)
    with pytest.raises(ld.InputError, match="a batch takes robots without them"):
        robot.batch(4)
    with pytest.raises(ld.DescriptionError, match="is a rod and has no actuator"):
        robot["rod"].actuator(viscous=1.0)._robot.compile()


def test_what_rods_do_not_do_yet() -> None:
    robot = ld.Robot("arm")
    robot.base("ground", moves="planar", mass=1.0).rod("rod", **GOOD)
    with pytest.raises(ld.InputError, match="projective torques are not possible"):
        ld.simulate(robot, torque_method="projective", t_end=0.1, progress=False)


def test_dependent_joints_beside_contacts_on_rods() -> None:
    """Refused before a run, whatever its method, and said which contact it is."""
    robot, given = BASES["train"]()
    del given["speeds"]
    robot["third"].rod("tail", at=(0.3, 0.0, 0.0), **GOOD).anchor("grip", at=0.1)
    for integrator in ("rkmk4", "moreau", "event_driven", "radau3"):
        with pytest.raises(ld.InputError, match=r"'third' cannot be dependent: .* on rods \('grip'\).* make the joint passive\."):
            ld.simulate(robot, **given, integrator=integrator, t_end=0.1, progress=False)


def test_parameters_of_a_rod_by_name() -> None:
    robot = ld.Robot("arm")
    robot.base("ground", moves="fixed").rod("rod", **GOOD)
    changed = robot.changed({"rod.space": "magnus6", "rod.quadrature": "chebyshev", "rod.tolerance": 1e-6})
    rod = changed.description.bodies[1].joint.rod
    assert rod is not None
    assert (rod.space, rod.quadrature, rod.tolerance) == ("magnus6", "chebyshev", 1e-6)
    assert {"rod.space", "rod.fluid"} < set(robot.parameters)
    with pytest.raises(ld.InputError, match=r"did you mean 'rod\.damping'"):
        robot.changed({"rod.dampin": 0.1})


def test_tapers_and_routes() -> None:
    """A taper is the function of s that it says; what makes none is refused."""
    cone = Rod(0.5, Tapered(ld.Circle(0.02), ld.Circle(0.01)), ld.steel, (0, 0, 0, 0, 0, 2))
    same = Rod(0.5, lambda s: ld.Circle(0.02 - 0.02 * s), ld.steel, (0, 0, 0, 0, 0, 2))
    assert cone.mass == pytest.approx(same.mass, rel=1e-15)
    assert cone.stiffness == pytest.approx(same.stiffness, rel=1e-13)
    with pytest.raises(ld.DescriptionError, match="it must be between sections of one kind, such as circles"):
        Tapered(ld.Circle(0.01), ld.Rectangle(0.01, 0.02))
    with pytest.raises(ld.DescriptionError, match="One end of a taper has a torsion and the other has none"):
        Rod(0.5, Tapered(ld.Rectangle(0.1, 0.1), ld.Rectangle(0.1, 0.1, torsion=1e-5)), ld.steel, (0, 0, 0, 0, 0, 2))
    with pytest.raises(ld.DescriptionError, match="The radius of a helix is -1 m, but it must be positive"):
        Helix(-1.0, 0.1)
    with pytest.raises(ld.DescriptionError, match="The pitch of a helix is 0; it must be a finite number other than 0"):
        Helix(0.01, 0)
    with pytest.raises(ld.DescriptionError, match="The coefficients y of a route are"):
        PolynomialRoute(y=())


@pytest.mark.parametrize("pressed", [0.4, 0.6])
def test_a_rod_that_is_pressed_until_it_turns_inside_out(pressed: float) -> None:
    """A bar with one strain q, a mass of 3 kg and EA = 1 N, pressed at once by a share F of EA: with the kinetic energy
    m l^2 qdot^2 / 6 its stretch is 1 - F (1 - cos t). Below 1/2 it stays positive; 0.6 makes it zero at cos t = -2/3.
    """
    robot = ld.Robot("bar")
    rod = robot.base("ground", moves="fixed").rod("bar", length=1.0, section=GivenSection((1.0,) * 6, mass=3.0), stretch=1)
    robot.wrench("press", on=rod, law=ld.WorldForce((-pressed, 0.0, 0.0)))
    scenario = ld.Scenario("bar", robot, gravity=(0, 0, 0), t_end=3.0, dt=0.01, integrator="rkmk4")
    if pressed < 0.5:
        assert "inside_out" not in scenario.run(progress=False).attributes
        return
    with pytest.warns(StretchWarning, match=r"rod 'bar' turns inside out from t = 2\.31 s on: its stretch is -0\.00\d+ at"):
        result = scenario.run(progress=False)
    first = 0.01 * math.ceil(math.acos(-2.0 / 3.0) / 0.01)
    told = json.loads(result.attributes["inside_out"])["bar"]
    assert told["time"] == pytest.approx(first)
    assert told["stretch"] == pytest.approx(1.0 - 0.6 * (1.0 - math.cos(first)), abs=1e-6)
    assert np.all(result.rod_strain.values[result.time.values < first - 1e-9, ..., 0] > 0.0)
