"""Wrong loads along rods, muscles, fluids and feedback laws are refused in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import BodyHandle, GivenSection, RodFluid
from locodyn.world import Anchor, Drag, Feedback, Wake, WorldForce

pytestmark = pytest.mark.slow

GOOD = {"length": 1.0, "section": ld.Circle(0.01), "material": ld.silicone, "bending": 2}
PUSH = WorldForce((0, 1, 0))


def arm(**values: Any) -> tuple[ld.Robot, BodyHandle]:
    robot = ld.Robot("arm")
    return robot, robot.base("ground", moves="fixed").rod("rod", **GOOD | values)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"along": (0.5, 1.2)}, "acts from s = 0.5 to 1.2 m on rod 'rod', which is 1 m long"),
        ({"along": (0.5, 0.5)}, "acts from s = 0.5 to 0.5 m"),
        ({"along": "all"}, "must be True, or \\(start, end\\) in m"),
        ({"along": True, "profile": [(0.5, 1.0), (0.2, 1.0)]}, "two or more pairs \\(s, factor\\), s growing"),
        ({"along": True, "profile": "flat"}, "must be a number, a function of s"),
        ({"along": True, "profile": lambda s: np.nan}, "it must be finite"),
        ({"profile": 2.0}, "A profile is given without 'along'"),
        ({"at_s": 1.5}, "acts at s = 1.5 m on rod 'rod'; it must lie beyond 0 and up to 1 m"),
        ({"at_s": 0.5, "along": True}, "give at_s= or along="),
    ],
)
def test_places_on_a_rod(words: dict[str, Any], message: str) -> None:
    robot, rod = arm()
    with pytest.raises(ld.DescriptionError, match=message):
        robot.wrench("load", on=rod, law=PUSH, **words).compile()


def test_along_a_body() -> None:
    robot, _ = arm()
    with pytest.raises(ld.DescriptionError, match="acts along 'ground', which is not a rod"):
        robot.wrench("load", on="ground", law=PUSH, along=True).compile()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WorldForce((0, 1, 0), (0, 1)), "the moment of a WorldForce is"),
        (lambda: Wake((1.0, -1.0)), "the added mass of a Wake is"),
        (lambda: Wake((1.0, 1.0, 1.0)), "must be 2 finite numbers"),
        (lambda: Feedback(-1.0), "the proportional gain of a Feedback is"),
        (lambda: Feedback(1.0, (1, 2, 3)), "the integral gain of a Feedback is .* must be 6 finite numbers"),
    ],
)
def test_laws(make: Any, message: str) -> None:
    with pytest.raises(ld.InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"load": {"pusch": 1.0}}, "a load is given for 'pusch', but there is no such wrench law; did you mean 'push'"),
        (
            {"load": {"drag": 1.0}},
            "a load is given for 'drag' \\(Drag\\); only a WorldForce, a Thrust, a Feedback or a UserLaw may",
        ),
        ({"load": {"rope": 1.0}}, "a load is given for 'rope' \\(Anchor\\)"),
        ({"desired": {"hold.w": 1.0}}, "a desired motion is given for 'hold.w', which no feedback law follows"),
        ({"desired": {"push.x": 1.0}}, "a desired motion is given for 'push.x'"),
        ({"activation": {"left": 1.0}}, "an activation is given for 'left', which is not a muscle"),
        ({"tension": {"core": 1.0}}, "a tension is given for 'core', which is not a tendon, cable or spring without stiffness"),
        ({"integrator": "quasi_static"}, "takes no laws with memory, such as 'hold'"),
    ],
)
def test_scenarios(fields: dict[str, Any], message: str) -> None:
    robot, rod = arm()
    rod.tendon("left", (0.005, 0.0)).muscle("core", (0, 0, 0, 0, 0, 1e-3))
    for name, law in (("push", PUSH), ("drag", Drag(1.0)), ("rope", Anchor((0, 0, 0), 1.0)), ("hold", Feedback(1.0, 1.0))):
        robot.wrench(name, on=rod, law=law)
    with pytest.raises(ld.InputError, match=message):
        ld.simulate(robot, t_end=0.01, progress=False, **{"integrator": "radau3", **fields})


def test_feedback_along_a_rod() -> None:
    robot, rod = arm()
    robot.wrench("hold", on=rod, law=Feedback(1.0, 1.0), along=True)
    with pytest.raises(ld.InputError, match="is a Feedback along a rod; it must act at a point"):
        ld.simulate(robot, t_end=0.01, progress=False)


@pytest.mark.parametrize(
    ("fluid", "message"),
    [
        (lambda: RodFluid(), "give its density or added masses, one of them"),
        (lambda: RodFluid(density=-1.0), "The density of the fluid of a rod is -1.0"),
        (lambda: RodFluid(added_mass=(1.0, -1.0, 0.0)), "The added mass of a rod is"),
        (lambda: 1000.0, "The fluid of a rod is 1000.0; it must be a RodFluid"),
    ],
)
def test_fluids(fluid: Any, message: str) -> None:
    with pytest.raises(ld.DescriptionError, match=message):
        arm(fluid=fluid())


def test_fluid_of_a_section_without_a_formula() -> None:
    with pytest.raises(ld.DescriptionError, match="The added mass of a GivenSection is not known: give added_mass="):
        arm(section=GivenSection((1.0,) * 6, mass=1.0), material=None, fluid=RodFluid(density=1000.0))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"stress": (1.0, 2.0)}, "The stress of 'core' is .* it must be six finite numbers"),
        ({"stress": (0,) * 6, "active_stiffness": (1.0,)}, "The active stiffness of 'core' is"),
        ({"stress": (0,) * 6, "end": 2.0}, "runs from s = 0 to 2 m on rod 'rod'"),
    ],
)
def test_muscles(words: dict[str, Any], message: str) -> None:
    _, rod = arm()
    with pytest.raises(ld.DescriptionError, match=message):
        rod.muscle("core", **words)


def test_integrals_are_no_bodies() -> None:
    """The integral of a feedback law is a state of the law."""
    robot, rod = arm()
    robot.wrench("hold", on=rod, law=Feedback(1.0, 1.0))
    assert "hold.integral" not in robot.bodies


def test_symbols_of_laws_that_change() -> None:
    from locodyn.symbolic.problem import SymbolicProblem

    robot = ld.Robot("disc")
    robot.wrench("push", on=robot.base("disc", moves="planar", mass=1.0, inertia=ld.about_centre(zz=1.0)), law=PUSH)
    with pytest.raises(ld.InputError, match="the law of time 'load of push' drives a wrench"):
        SymbolicProblem(ld.Scenario("disc", robot, load={"push": ld.sine(1.0, omega=2.0)}).problem)
