"""Robots that say everything that a description can say, and the comparison of two of them field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import locodyn as ld
from field_cases import fields as strain_fields
from locodyn import world
from locodyn.robot import Annulus, Ellipse, GivenSection, Helix, PolynomialRoute, RodFluid, Tapered


def parts(thing: Any) -> Iterator[Any]:
    """All dataclass instances inside of ``thing``, itself included."""
    if is_dataclass(thing):
        yield thing
        for entry in fields(thing):
            yield from parts(getattr(thing, entry.name))
    elif isinstance(thing, (tuple, list)):
        for one in thing:
            yield from parts(one)
    elif isinstance(thing, dict):
        yield from parts(list(thing.values()))


def assert_same(one: Any, other: Any, where: str = "") -> None:
    """The same classes with the same numbers, bit for bit, field by field."""
    assert type(one) is type(other), where
    if is_dataclass(one):
        for entry in fields(one):
            assert_same(getattr(one, entry.name), getattr(other, entry.name), f"{where}.{entry.name}")
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            assert_same(one[key], other[key], f"{where}[{key}]")
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other), where
        for k, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, f"{where}[{k}]")
    else:
        assert np.array_equal(one, other), f"{where}: {one} and {other}"


def full_robot() -> ld.Robot:
    """A robot in the plane with everything that a file can say but rolling in space."""
    robot = ld.Robot("every: 'thing'", massless_ok=True, any_inertia=True)
    hull = robot.base(
        "hull", moves="planar", mass=3.0, shape=ld.Ellipsoid((0.3, 0.2, 0.1), colour=(0.1, 0.2, 0.3)), joint="float"
    )
    hull.fluid((1.0, 2.0, 0.5), (0.1, 0.2, 0.3), at=(0.1, 0, 0), turned=("z", 0.4), unbounded=True)
    hull.wheel("left", at=(0, 0.2, -0.1), radius=0.1, actuated=True, mass=0.2)
    hull.wheel("omni", at=(0.2, 0, -0.1), kind="omni", radius=0.1, roller_angle=0.7, actuated=True)
    hull.wheel("soft", at=(0.3, 0, -0.1), contact=world.Sliding((0.1, 0.7), load=12.0, speed=0.01, coupled=False))
    hull.wheel("pad", contact=world.ArctanFriction((0.2, 0.5), load=3.0, speed=2e-3, viscous=(0.1, 0.2)))
    hull.wheel("slides", kind="steered", radius=0.2, actuated=True, contact=world.Sliding(0.3, load=2.0), axis=(1, 3, 0))
    hull.wheel("castor", at=(0.1, 0, 0), kind="castor")
    hull.wheel("upside", vertical="-z", axis="x")
    hull.skate("blade", at=(-0.2, 0, 0), along=(1, 1, 0))
    arm = robot.body("no", mass=1.0, centre=(0, 0, 0.1), inertia=ld.about_origin(xx=0.1, yy=0.1, zz=0.02, xy=0.001))
    arm.on(hull, at=(0.1, 0, 0), turned=("y", 0.3), body_at=(0, 0, 0.1), body_turned=(0.5, 0.5, -0.5, 0.5)).universal(
        "x", (0, 1, 1)
    )
    arm.coordinates("roll", "1e3").actuator(
        viscous=(0.1, 0.2), torque_limit=4.0, no_load_speed=9.0, stiffness=3.0, rest=(0.1, 0.2), gear=7
    )
    tip = robot.body("tip", mass=0.2, inertia=ld.about_centre(np.diag([1e-3, 1.1e-3, 2e-3])), shape=ld.Compound([ld.Sphere(0.1)]))
    tip.on(arm, at=(0, 0, 0.2)).screwing("-x", pitch=0.01, name="feed").limits(-1.0, 2.0, speed=3.0).marker("end", at=(1, 2, 3))
    robot.body("claw", mass=0.1, shape=ld.Capsule(0.01, 0.1, "y", turned=("x", 0.2))).on(tip).ball()
    slider = robot.body("slider", mass=0.1, shape=ld.Box((0.1, 0.1, 0.1), at=(0, 0, 0.3))).on(tip).cylindrical("z")
    bristles = world.LuGre(1.0, 1e4, static=1.5, speed=0.01, damping=10.0, viscous=0.4)
    slider.actuator(coulomb=0.3, coulomb_speed=0.02, armature=0.1, time_constant=0.05, bristles=bristles)
    robot.wrench("rub", on="hull", law=bristles)
    robot.body("drum", mass=0.1, shape=ld.Cylinder(0.01, 0.1, "x")).on(slider).turning()
    robot.loop("rod", "end", "no", joint="universal", axis="y", second_axis="z", first_at=(0.1, 0, 0), second_turned=("y", 0.1))
    robot.loop("screw", "claw", "world", joint="helical", pitch=0.02, at=(0, 0, 1))
    robot.coupling("gear", {"feed": 2.0, "drum": -1.0}, offset=0.1)
    robot.torsion_spring("coil", "world", tip, (0, 3, 4), stiffness=2.0, rest_angle=0.3, moment=0.1, second_turned=("y", 0.2))
    robot.torsion_spring("stop", arm, tip, "x", curve=[(-1, -5), (0, 0), (2, 3)], damping_curve=[(-1, -1), (0, 0), (1, 2)])
    robot.spring("strut", (hull, (0.1, 0.2, 0.3)), "end", stiffness=30.0, damping=2.0, rest_length=0.4, tension=1.5)
    robot.spring("bumper", tip, ("world", (1, 2, 3)), curve=[(-0.1, 0), (0, 0), (0.1, 20)], pulls_only=True)
    robot.cable("rope", [("world", (0, 0, 1)), hull, (arm, (0.1, 0, 0)), "end"], stiffness=100.0, damping_curve=[(0, 0), (1, 9)])
    robot.wrench("drag", on="end", law=world.Drag(1.0, (0.1, 0.2, 0.3), 0.4, (0.5, 0.2, 0.1)), turned=("x", 1.0))
    robot.wrench("wind", on="hull", law=world.WorldForce((1, 0, 0), (0, 0.1, 0)))
    robot.wrench("jet", on="no", law=world.Thrust((0, 0, 1), (0, 1, 0)))
    sea = world.Water(1025.0, 0.3, world.Wave(0.1, 5.0, 2.0, (1.0, 0.5), 0.2))
    robot.wrench("floats", on="hull", law=world.Buoyancy(water=sea))
    robot.wrench("cork", on="tip", law=world.Buoyancy(ld.Cylinder(0.1, 0.3, "x", at=(0.1, 0, 0), turned=("z", 0.2))))
    stream = world.Drag(1.0, (1.0, 2.0, 3.0), 0.1, (0.2, 0.0, 0.1))
    robot.wrench("wet", on="claw", law=world.WetDrag(stream, ld.Box((0.1, 0.2, 0.3)), sea))
    robot.wrench("rope", on="tip", law=world.Anchor((1, 2, 3), 40.0, 2.0))
    return robot


def rolling_robot() -> ld.Robot:
    """A robot in space with surfaces of every kind on planes of every kind."""
    robot = ld.Robot("rolls")
    hull = robot.base("hull", mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.25))
    hull.rolling("sphere", radius=0.3, at=(0.1, 0.2, 0.3), slips=True)
    hull.rolling("egg", semi_axes=(0.3, 0.2, 0.1), crown=0.03, turned=("x", 0.3), at=(0, 0, 0.1), normal=(0.3, 0.1, 2.0))
    hull.foot("toe", at=(0.1, 0.0, -0.1), ground=(0, 0, 0.2), normal="x")
    tyre = robot.body("tyre", mass=0.3, inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.1)).on(hull).turning("y")
    tyre.rolling("tread", radius=0.35, axis="y", crown=0.1)
    tyre.rolling("tilted", radius=1.1, axis=(0.1, 1.0, -0.2), crown=0.1, ground=(0.1, 0.2, 0.3)).foot(at=(0, 0, -0.3), slips=True)
    return robot


def colliding_robot() -> ld.Robot:
    """A robot with surfaces of hard contact of every kind, and friction of every kind."""
    robot = ld.Robot("hits")
    hull = robot.base(
        "hull", mass=2.0, centre=(0.1, 0, 0), inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.25), shape=ld.Sphere(0.2)
    )
    hull.collides(friction=0.3, restitution=0.4, direction="-y")
    hull.collides(ld.Box((0.3, 0.2, 0.7), at=(0, 0, 0)), name="crate", friction=(0.1, 0.7))
    hull.collides(
        ld.Ellipsoid((0.3, 0.2, 0.1), at=(1, 2, 3), turned=("x", 0.3)), name="egg", friction=ld.Friction(0.1, backward=0.2)
    )
    hull.collides(vertices=[(0.1, 0.2, 0.3), (0, 0, 1)], name="mesh", direction=(1, 2, 0))
    arm = robot.body("arm", mass=0.3, shape=ld.Capsule(0.05, 0.3, (1, 2, 3))).on(hull, at=(0.5, 0, 0)).turning("y")
    arm.collides(friction=ld.Friction(0.1, 0.2, rolling=0.01, spinning=0.02, law="arctan", speed=0.1))
    arm.collides(ld.Capsule(0.05, 0.3, (1, 2, 3), turned=(0.5, 0.5, -0.5, 0.5)), name="other")
    arm.collides(ld.Cylinder(0.04, 0.2, (0, 1, 2), at=(0.1, 0, 0)), name="can")
    arm.rests(12.5, at=(0.1, 0, 0.2), friction=(0.1, 0.3), direction="y").rests(0.0, name="light")
    return robot


def rod_robot() -> ld.Robot:
    """A robot of rods with sections of every kind, tendons and chambers, and bodies along them."""
    robot = ld.Robot("soft")
    rod = robot.base("ground", moves="fixed").rod(
        "root", at=(0.1, 0, 0), turned=("y", 0.3), joint="bends", length=0.4, section=ld.Circle(0.005, shear_factor=0.9),
        material=ld.silicone, stretch=1, shear=(1, 2), torsion=2, bending=(4, 3), nodes=9, quadrature="chebyshev",
        basis=("legendre",) * 5 + ("constant",),
        rest_curvature=(0.1, 0.2, 0.3), damping=(0.01, 0.02, 0.03, 0.04, 0.05, 0.06), space="adaptive", tolerance=1e-3,
    )  # fmt: skip
    rod.tendon("left", (0.004, 0.0), start=0.1, end=0.3, time_constant=0.1).tendon("right", (-0.004, 0.0), stiffness=200.0)
    rod.chamber("bellows", (0.0, 0.001), area=1e-5, end=0.2)
    rod.muscle("core", (0, 0, 0, 0, 1e-3, 2e-3), active_stiffness=(0, 0, 0, 0, 1e-4, 2e-4), start=0.05, end=0.35)
    robot.wrench("flow", on=rod, law=world.Drag(0.1, 0.2), along=(0.1, 0.3), profile=[(0.1, 0.0), (0.2, 1.0)])
    robot.wrench("wind", on=rod, law=world.WorldForce((0, 1, 0)), along=True, profile=0.5)
    robot.wrench("lift", on=rod, law=world.Buoyancy(water=world.Water(900.0)), along=True)
    robot.wrench("nail", on=rod, law=world.Thrust((0, 1, 0)), at_s=0.25, at=(0, 0.001, 0))
    robot.wrench("shed", on=rod, law=world.Wake((1.0, 2.0)))
    robot.wrench("hold", on=rod, law=world.Feedback((1, 1, 1, 0, 0, 0), 0.5))
    robot.cable("pull", ["ground", (rod, 0.15, (0, 0.003, 0)), (rod, 0.3), rod], stiffness=50.0, rest_length=0.35)
    robot.body("camera", mass=0.02, inertia=ld.about_centre(xx=1e-5, yy=1e-5, zz=1e-5)).on(rod, at_s=0.2).fixed()
    soft = ld.Material(1e9, 900.0, poisson=0.4)
    tube = Annulus(0.004, 0.002, 0.5)
    branch = rod.rod(
        "branch",
        at_s=0.3,
        length=0.2,
        section=tube,
        material=soft,
        bending=2,
        basis="bspline",
        damping=0.1,
        fluid=RodFluid(density=1e3),
    )
    branch.tendon("wound", Helix(0.002, -0.1, 0.3))
    branch.tendon("across", PolynomialRoute((0.001, 0.01), (0.0, 0.0, -0.05))).chamber("inner", area=1e-5)
    flat = ld.Rectangle(0.01, 0.002, shear_factor=0.8, torsion=2e-11)
    tip = branch.rod("flat", length=0.2, section=flat, material=ld.Material(1e9, 900.0, shear=3e8), bending=(3, 0))
    tip.marker("end", at=(0.0, 0.0, 0.01))
    tip.rod(
        "waving",
        length=0.5,
        section=ld.Circle(0.01),
        material=soft,
        stretch=1,
        fields=strain_fields(),
        nodes=4,
        keeps_volume=True,
    )
    water = RodFluid(added_mass=(0.0, 1.0, 2.0), added_inertia=(0.1, 0.0, 0.0))
    oval = rod.rod("oval", length=0.1, section=Ellipse(0.003, 0.002, 0.9), material=ld.steel, torsion=1, fluid=water)
    numbers = GivenSection((1e3, 5e2, 5e2, 1e-2, 2e-2, 3e-2), 0.2, (2e-6, 1e-6, 1e-6))
    oval.collides(radius=0.004, friction=0.3, name="oval.skin")
    oval.rod("given", length=0.1, section=numbers, bending=1, stretch=1)
    oval.rod("cone", length=0.1, section=Tapered(ld.Circle(0.003), ld.Circle(0.001)), material=ld.steel, bending=1)
    return robot.changed({"flat.mass": 0.1, "flat.inertia": ld.about_centre(xx=1e-5, yy=1e-5, zz=1e-5)})


def held_robot() -> ld.Robot:
    """A rod that an anchor, a sleeve and a peg hold in the world, with every word of theirs."""
    robot = ld.Robot("held")
    body = robot.base("head", moves="planar").rod(
        "body", length=0.5, section=ld.Circle(0.01), material=ld.silicone, fields=[strain_fields()[0]], nodes=4
    )
    walking = ld.polynomial(0.1, 0.05)
    body.anchor("foot", at=walking, slips=False, wrap=(0.0, 0.4), during=(0.5, 1.5), period=2.0)
    body.sleeve("ring", at=0.2, place=(0.2, 0.1, 0.0), turned=("z", 0.3), moves={"x": ld.sine(0.1, omega=2.0)})
    body.peg("post", at=0.3, axis="y")
    return robot
