"""Wrong water is refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import locodyn as ld
from locodyn.robot import GivenSection
from locodyn.world import Buoyancy, Water, Wave, WetDrag


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Water(0.0), "the density of water is 0; it must be positive"),
        (lambda: Water(level=float("nan")), "the level of water is"),
        (lambda: Water(wave=2.0), "it must be a Wave\\(amplitude, length, period\\)"),
        (lambda: Wave(0.1, 0.0, 1.0), "the length of a wave is 0; it must be positive"),
        (lambda: Wave(0.1, 1.0, 1.0, (0, 0)), "the direction of a wave is \\(0, 0\\)"),
        (lambda: Buoyancy(water=1000.0), "the water of a Buoyancy is 1000.0; it must be a Water"),
        (lambda: Buoyancy(ld.Mesh("hull.stl")), "what a Mesh displaces of water is not known"),
        (lambda: Buoyancy(ld.Cylinder(0.1, 1.0, (1, 1, 0))), "it must be x, y or z: turn the shape instead"),
        (lambda: ld.Drag(1.0, current=(1.0, 0.0)), "the current of a Drag is .*; it must be 3 finite numbers"),
        (lambda: WetDrag(2.0), "the drag of a WetDrag is 2.0; it must be a Drag"),
    ],
)
def test_laws(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ld.InputError, match=message):
        make()


def floater(**body: Any) -> ld.Robot:
    robot = ld.Robot("floater")
    robot.base("hull", mass=1.0, inertia=ld.about_centre(xx=1, yy=1, zz=1), **body)
    return robot


def test_body_without_a_shape() -> None:
    robot = floater().wrench("water", on="hull", law=Buoyancy())
    with pytest.raises(ld.DescriptionError, match="'water' needs a shape that displaces water, since body 'hull' has none"):
        robot.compile()


def test_gravity_across_the_surface() -> None:
    robot = floater(shape=ld.Sphere(0.1)).wrench("water", on="hull", law=Buoyancy())
    with pytest.raises(ld.InputError, match=r"gravity is \(0, -9.81, 0\) m/s\^2; it must point along -z"):
        ld.simulate(robot, gravity=(0.0, -9.81, 0.0), t_end=0.1, progress=False)


def arm(**words: Any) -> ld.Robot:
    robot = ld.Robot("arm")
    rod = robot.base("ground", moves="fixed").rod(
        "rod", length=1.0, section=words.pop("section", ld.Circle(0.01)), material=words.pop("material", ld.silicone), bending=2
    )
    return robot.wrench("water", on=rod, **words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"law": Buoyancy(ld.Sphere(0.1)), "along": True}, "leave the shape out, since the sections of the rod displace"),
        ({"law": Buoyancy()}, "acts at a point of rod 'rod': say along=True, or give a shape"),
        (
            {"law": Buoyancy(), "along": True, "section": GivenSection((1.0,) * 6, mass=1.0), "material": None},
            "a rod with a GivenSection section displaces of water is not known",
        ),
    ],
)
def test_rods(words: dict[str, Any], message: str) -> None:
    with pytest.raises((ld.DescriptionError, ld.InputError), match=message):
        arm(**words).compile()


def test_ellipsoid_in_a_fluid() -> None:
    body = floater()["hull"]
    with pytest.raises(ld.DescriptionError, match="give added masses, an ellipsoid or a matrix, one of them"):
        body.fluid((1, 1, 1), ellipsoid=(1, 1, 1))
    with pytest.raises(ld.DescriptionError, match="they must be positive"):
        body.fluid(ellipsoid=(1, 0, 1))
    with pytest.raises(ld.DescriptionError, match="The density of a fluid is -1"):
        body.fluid(ellipsoid=(1, 1, 1), density=-1)


def test_added_mass_in_a_current() -> None:
    """Added mass is that of a fluid at rest."""
    robot = floater(shape=ld.Sphere(0.1)).wrench("stream", on="hull", law=ld.Drag(1.0, current=(1.0, 0.0, 0.0)))
    robot["hull"].fluid((1.0, 1.0, 1.0))
    with pytest.raises(ld.InputError, match="wrench 'stream' has a current, but robot 'floater' has added mass"):
        ld.simulate(robot, gravity=(0.0, 0.0, 0.0), t_end=0.1, progress=False)
