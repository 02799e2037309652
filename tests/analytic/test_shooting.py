"""Statics by shooting, the strong form: against strain modes in enough number, and against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipkinc, ellipkm1

import locodyn as ld
from locodyn.equilibria import ShootingInTime
from locodyn.robot import GivenSection
from locodyn.world import CompliantContact
from locodyn.world.feedback import Feedback
from locodyn.world.laws import Thrust, WorldForce
from locodyn.zoo.robots import cantilever as cantilevers
from rod_cases import SOFT, cantilever

pytestmark = pytest.mark.slow

UNIT = GivenSection((1.0,) * 6, mass=1.0)


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


def elastica(load: float) -> tuple[float, float]:
    """Tip (x, y) over L of an inextensible cantilever under a force across it, load = F L^2/EI: elliptic integrals of 1 - k^2."""

    def excess(exponent: float) -> float:
        m1 = np.exp(exponent)
        start = np.arcsin(1.0 / np.sqrt(2.0 * (1.0 - m1)))
        return float((ellipkm1(m1) - ellipkinc(start, 1.0 - m1)) ** 2 - load)

    m1 = np.exp(brentq(excess, -200.0, np.log(0.4999), xtol=1e-14, rtol=1e-14))
    start = np.arcsin(1.0 / np.sqrt(2.0 * (1.0 - m1)))
    tip = 1.0 - 2.0 * m1  # sine of the angle there
    return float(np.sqrt(2.0 * tip / load)), float(1.0 - 2.0 * (ellipe(1.0 - m1) - ellipeinc(start, 1.0 - m1)) / np.sqrt(load))


@pytest.mark.parametrize("load", [5.0, 50.0, 1000.0])
def test_elastica_of_large_loads(load: float) -> None:
    """F L^2/EI to 1000, where one shot from the root loses 14 digits: elliptic integrals to 1e-9, strain modes to 1e-5."""
    robot = cantilever(WorldForce((0, load, 0)), length=1.0, section=UNIT, bending=(0, 28), nodes=40, space="magnus6")
    found = ld.statics(robot, method="shooting", gravity=(0, 0, 0))
    np.testing.assert_allclose(found.rods["rod"].position[-1], (*elastica(load), 0.0), atol=1e-9)
    weak = ld.statics(robot, gravity=(0, 0, 0), steps=8)
    np.testing.assert_allclose(robot.model().pose("rod", weak.q)[1], (*elastica(load), 0.0), atol=1e-5)


def jointed(split: bool) -> ld.Robot:
    """Rods on hinges: a motor at the root, a spring and a ball joint between rods, a slider on one (``split``: made of two)."""
    robot = ld.Robot("jointed")
    solid: dict[str, Any] = {"mass": 0.05, "inertia": ld.about_centre(xx=1e-5, yy=1e-5, zz=1e-5), "centre": (0.01, 0.0, 0.005)}
    rod: dict[str, Any] = {"section": ld.Circle(0.02), "material": SOFT, "bending": 6, "torsion": 5, "nodes": 12}
    ground = robot.base("ground", moves="fixed")
    hub = robot.body("hub", **solid).on(ground, at=(0, 0.1, 0), turned=("y", 0.5)).turning("y").actuator(stiffness=0.5, rest=0.2)
    one = hub.rod("one", at=(0.05, 0, 0), length=0.15 if split else 0.3, **rod)
    end = one.rod("one_more", length=0.15, **rod) if split else one
    knee = robot.body("knee", **solid).on(end, turned=("x", 0.3)).turning("z").actuator(stiffness=0.1)
    two = knee.rod("two", length=0.2, **rod)
    robot.body("bob", **solid).on(two).ball().actuator(stiffness=0.02)
    robot.body("slide", **solid).on(one, at_s=None if split else 0.15).sliding("z").actuator(stiffness=40.0)
    robot.wrench("pull", on="bob", law=WorldForce((0.05, 0.1, 0.02)))
    return robot


def test_joints_between_rods() -> None:
    """Revolute, ball and prismatic joints with springs and a torque: joints and tips as with strain modes, 2e-6."""
    whole, parts = jointed(False), jointed(True)  # the curvature has a kink at the slider, which one set of modes does not
    given: dict[str, Any] = {"torque": {"hub": 0.05}}
    strong, weak = ld.statics(whole, method="shooting", **given), ld.statics(parts, **given)
    one, two = whole.model(), parts.model()
    for joint in ("hub", "knee", "slide", "bob"):
        found, expected = (
            q[m.compiled.joint_positions[m.compiled.joint_index(joint)]] for m, q in ((one, strong.q), (two, weak.q))
        )
        np.testing.assert_allclose(found, expected, atol=2e-6)
    np.testing.assert_allclose(strong.rods["two"].position[-1], two.pose("two", weak.q)[1], atol=2e-6)
    assert np.linalg.norm(strong.rods["two"].position[-1] - one.pose("two", one.neutral())[1]) > 0.05
    held = ld.statics(whole, method="shooting", imposed={"hub": 0.3})
    assert held.q[one.compiled.position_index("hub")] == 0.3


def test_a_rod_hangs_on_a_hinge() -> None:
    """No spring at all: from a rough start the rod swings down, and its weight is in the hinge."""
    robot = ld.Robot("pendulum")
    hub = robot.body("hub", mass=0.1).on(robot.base("ground", moves="fixed")).turning("y")
    hub.rod("rod", length=0.3, section=ld.Circle(0.02), material=SOFT, bending=3)
    found = ld.statics(robot, method="shooting", start={"hub": 1.0})
    np.testing.assert_allclose(found.rods["rod"].position[-1], (0, 0, -0.3), atol=1e-9)
    weight = 1000.0 * np.pi * 0.02**2 * 0.3 * 9.81
    np.testing.assert_allclose(found.rods["rod"].wrench[0], (weight, 0, 0, 0, 0, 0), atol=1e-8)


def test_muscle() -> None:
    """An active moment and stiffness: constant curvature -a m / (EI + a k)."""
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod("rod", length=1.0, section=UNIT, bending=(0, 1))
    rod.muscle("core", (0, 0, 0, 0, 0, 0.8), active_stiffness=(0, 0, 0, 0, 0, 0.5))
    found = ld.statics(robot, method="shooting", gravity=(0, 0, 0), activation={"core": 0.5})
    np.testing.assert_allclose(found.rods["rod"].strain[:, 5], -0.4 / 1.25, atol=1e-11)


@pytest.mark.parametrize(("case", "tip"), [("steel", (0.177265, 0.324641)), ("stiff", (0.019542, 0.392572))])
def test_cantilever_of_the_source(case: str, tip: tuple[float, float]) -> None:
    """Exact tips of the hanging cantilevers before their release (acceptance C2b), F L^2/EI = 10 and 1019."""
    _, _, young, diameter, force, *_ = cantilevers.CASES[case]
    found = ld.statics(
        cantilevers.robot({"case": case, "modes": 1, "nodes": 2}, force), method="shooting", gravity=(0, 0, -9.81), steps=4
    ).rods["rod"]
    np.testing.assert_allclose((-found.position[-1, 2], found.position[-1, 0]), tip, atol=6e-7)
    stiffness = young * np.pi * diameter**4 / 64.0
    assert found.wrench[0, 4] == pytest.approx(stiffness * found.strain[0, 4], rel=1e-9)


def test_a_propped_rod() -> None:
    """A clamped rod whose tip is held in a ball joint carries 3/8 of its weight there (Euler and Bernoulli, small bending)."""
    weight, length = 1e-3, 1.0
    section = GivenSection((1e4, 1e4, 1e4, 1.0, 1.0, 1.0), mass=weight / 9.81)
    robot = cantilever(length=length, section=section, bending=3, stretch=1)
    robot.loop("prop", "rod", "world", joint="spherical", at=(length, 0, 0))
    found = ld.statics(robot, method="shooting", gravity=(0, 0, -9.81))
    force = np.array([found.multipliers[f"prop.{axis}"] for axis in "xyz"])
    assert abs(force[2]) == pytest.approx(3.0 / 8.0 * weight, rel=1e-3)  # shear gives 3 EI / (GA L^2) = 3e-4
    assert found.rods["rod"].position[-1] == pytest.approx((length, 0, 0), abs=1e-9)


def test_refusals() -> None:
    robot = cantilever(length=1.0, section=UNIT, bending=1)
    with pytest.raises(ld.InputError, match="the method of statics is 'shoting'; did you mean 'shooting'"):
        ld.statics(robot, method="shoting")
    with pytest.raises(ld.InputError, match="steps of statics is 0; it must be a whole number, at least 1"):
        ld.statics(robot, method="shooting", steps=0)
    with pytest.raises(ld.InputError, match="has no strain modes; those of rod 'rod' cannot be imposed"):
        ld.statics(robot, method="shooting", imposed={"rod.bending_y.0": 0.1})
    wheeled = ld.Robot("cart")
    wheeled.base("cart", moves="planar", mass=1.0).wheels("axle", axis="y").rod("rod", length=1.0, section=UNIT, bending=1)
    with pytest.raises(ld.InputError, match=r"takes closed loops, but 'axle.*' is none; use method 'modes'"):
        ld.statics(wheeled, method="shooting")
    held = cantilever(Feedback(1.0, 1.0), length=1.0, section=UNIT, bending=1)
    with pytest.raises(ld.InputError, match=r"states are determined at rest.*'load\.x' may have several values there"):
        ld.statics(held, method="shooting")
    spring = ld.Robot("arm")
    rod = spring.base("ground", moves="fixed").rod("rod", length=1.0, section=ld.Circle(0.02), material=SOFT, bending=1)
    rod.tendon("wire", (0.01, 0.0), stiffness=100.0)
    with pytest.raises(ld.InputError, match="takes tendons by their tension; 'wire' is given by its length"):
        ld.statics(spring, method="shooting", tendon_length={"wire": 1.0})
    stiff = ld.Robot("rigid")
    stiff.body("link", mass=1.0, centre=(0, 0, -1)).on(stiff.base("ground", moves="fixed")).turning("y")
    with pytest.raises(ld.InputError, match="needs a rod"):
        ld.statics(stiff, method="shooting")


def hinged(**actuator: float) -> ld.Robot:
    """A link on a hinge with a spring, and a rod on the link."""
    robot = ld.Robot("hinged")
    link = robot.body("link", mass=0.2, centre=(0.05, 0, 0), inertia=ld.about_centre(xx=1e-3, yy=1e-3, zz=1e-3))
    link.on(robot.base("ground", moves="fixed")).turning("z").actuator(stiffness=1.0, **actuator)
    link.rod("whip", at=(0.1, 0, 0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 5))
    return robot


DOWN = {"gravity": (0.0, -2.0, 0.0)}


def test_targets_of_servos_stand_still() -> None:
    """The damping of a servo feels no rate of its target: with modes, and by a hinge whose spring draws to the target alone."""
    servo = {"link": ld.Servo(ld.sine(0.3, omega=5.0, offset=0.2), 2.0, 0.5)}
    strong = ld.statics(hinged(), servo=servo, t=0.3, method="shooting", **DOWN)
    still = {"link": ld.Servo(0.2 + 0.3 * np.sin(1.5), 2.0)}
    assert strong.q[0] == pytest.approx(ld.statics(hinged(), servo=still, **DOWN).q[0], abs=1e-6)
    assert strong.q[0] == pytest.approx(ld.statics(hinged(), servo=servo, t=0.3, **DOWN).q[0], abs=1e-6)


@pytest.mark.parametrize("method", ["modes", "shooting"])
def test_servos_that_begin_later_are_off_before(method: Any) -> None:
    late = {"link": ld.Servo(0.4, 2.0, 0.2, begins=1.0)}
    without, on = ld.statics(hinged(), **DOWN).q[0], ld.statics(hinged(), servo={"link": ld.Servo(0.4, 2.0)}, **DOWN).q[0]
    assert ld.statics(hinged(), servo=late, method=method, **DOWN).q[0] == pytest.approx(without, abs=1e-6)
    assert ld.statics(hinged(), servo=late, t=1.0, method=method, **DOWN).q[0] == pytest.approx(on, abs=1e-6)
    assert abs(on - without) > 0.1


def test_contacts_are_not_passed_over() -> None:
    """A ball that the ground should bear: shooting knows no contact laws, neither way of statics knows hard contact."""
    robot = hinged()
    robot.body("ball", mass=0.05, shape=ld.Sphere(0.02)).on(robot["link"], at=(0.1, 0, 0)).turning("z").actuator(stiffness=0.5)
    robot["ball"].collides(friction=0.0)
    ground: dict[str, Any] = {"obstacles": [ld.Ground(at=(0.0, -0.021, 0.0), normal="y")], **DOWN}
    soft = {**ground, "contact": CompliantContact(stiffness=1e4, damping=1e3, friction="regularised", speed=0.1)}
    assert ld.statics(robot, **soft).q[0] > -0.03  # it hangs at -0.076 without
    with pytest.raises(ld.InputError, match=r"statics by shooting knows no contacts, such as 'ball.surface on ground'"):
        ld.statics(robot, **soft, method="shooting")
    for method in ("modes", "shooting"):
        with pytest.raises(ld.InputError, match=r"'ball.surface on ground' overlap by 0.00657 m, since statics knows no hard"):
            ld.statics(robot, **ground, method=method)  # type: ignore[call-overload]
    with pytest.raises(ld.InputError, match=r"'ball.surface on ground' may: use a run"):
        ShootingInTime(ld.Scenario("ball", robot, **soft).problem)
