"""Random robots and random arguments for kernels (:mod:`kernel_cases`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import locodyn as ld
from kernel_lives import Own, own
from locodyn.dynamics.model import Model
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem, Schedule
from locodyn.robot.layout import COUNT_V
from locodyn.shape import kinematics
from locodyn.world import (
    Anchor,
    ArctanFriction,
    Buoyancy,
    CompliantContact,
    Drag,
    Feedback,
    LuGre,
    Sliding,
    Thrust,
    Wake,
    Water,
    Wave,
    WetDrag,
    WorldForce,
)
from locodyn.world.compliant_law import CompliantLaw
from random_robots import ALL, random_configuration, random_motion, random_robot, random_rotation, random_unit

rng = np.random.default_rng(14)


# ---------------------------------------------------------------------------------------------------------- arguments
def vector(count: int) -> Own:
    """A tuple of random numbers."""
    return own(lambda: tuple(map(float, rng.normal(size=count))))


def number(least: float = -1.0, most: float = 1.0) -> Own:
    """A random number."""
    return own(lambda: float(rng.uniform(least, most)))


def rotation() -> Own:
    """A random rotation matrix, row by row."""
    return own(lambda: tuple(map(float, random_rotation(rng).ravel())))


def quaternion() -> Own:
    """A random unit quaternion."""
    return own(lambda: tuple(map(float, random_unit(rng, 4))))


def table(*shape: int) -> Own:
    """An array of random numbers."""
    return own(lambda: rng.normal(size=shape))


def room(*shape: int) -> Own:
    """Zeros to write into."""
    return own(lambda: np.zeros(shape))


def mapped(function: Callable[..., Any], *given: Own) -> Own:
    """What a function gives for each robot."""
    return Own(tuple(function(*values) for values in zip(*(g.values for g in given), strict=True)))


# ------------------------------------------------------------------------------------------------------------- robots
class State:
    """A model with the random states of some robots."""

    def __init__(self, model: Model, size: float = 1.0) -> None:
        self.model = m = model
        self.robot = (m.frames, m.constants)
        self.coordinates = (m.dofs, m.dof_constants)
        self.q = own(lambda: random_configuration(rng, m.compiled, size))
        self.v, self.a, self.tau = (own(lambda: size * rng.normal(size=m.nv)) for _ in range(3))
        self.wrenches = table(m.nf, 6)
        self.poses = mapped(lambda q: self.call(kinematics.frame_poses, q, 0, (m.nf, 12)), self.q)
        self.world_poses = mapped(lambda q: self.call(kinematics.frame_poses, q, 1, (m.nf, 12)), self.q)
        self.motions = mapped(lambda *s: self.call(kinematics.frame_motions, *s, (m.nf, 12)), self.q, self.v, self.a)
        self.columns = int(m.frames[:, COUNT_V].sum())

    def call(self, kernel: Any, *arguments: Any) -> np.ndarray:
        """What a kernel writes into an array, whose shape comes last."""
        result = np.zeros(arguments[-1])
        kernel(*self.robot, *arguments[:-1], result)
        return result


def bodies() -> ld.Robot:
    """One joint of each kind on a free base, with rotors, springs and friction."""
    robot = random_robot(rng, 2, ("revolute",), "free", armature=True)
    for number, kind in enumerate(ALL[1:], start=2):
        body = robot.body(f"body_{number}", mass=0.7, centre=(0.1, 0.2, 0.3), inertia=ld.about_centre(xx=0.02, yy=0.03, zz=0.04))
        random_motion(body.on(f"body_{number // 2}", at=0.3 * rng.standard_normal(3), turned=random_rotation(rng)), kind, rng)
        if kind not in ("fixed", "free", "planar"):
            body.actuator(armature=0.01, viscous=0.2, coulomb=0.3, stiffness=2.0)
    return robot


def swimmer() -> ld.Robot:
    """Three bodies that move fluid along."""
    robot = random_robot(rng, 3, ("revolute", "spherical"), "free")
    for body in robot.bodies:
        robot[body].fluid(rng.random(3), 0.1 * rng.random(3), at=0.2 * rng.standard_normal(3), turned=random_rotation(rng))
    return robot


def rods() -> ld.Robot:
    """A rod with all strains on a free base, a joint on it, a rod with a body at its tip; tendons, a chamber, a muscle."""
    robot = ld.Robot("rods")
    base = robot.base("ground", moves="free", mass=0.3, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.015))
    one = base.rod(
        "one", length=0.5, at=(0.1, 0.2, 0), turned=("z", 0.3), section=ld.Circle(0.02), material=ld.silicone, nodes=1,
        bending=(2, 1), stretch=1, shear=(1, 1), torsion=1, rest_curvature=(0.5, 0.2, -1.0), damping=0.01,
    )  # fmt: skip
    robot.body("ball", mass=0.1, shape=ld.Sphere(0.01)).on(one, at_s=0.2, at=(0, 0.1, 0)).turning("y")
    one.tendon("pulled", (0.01, 0.0))
    one.tendon("sprung", (0.0, 0.01), stiffness=300.0)
    one.chamber("blown", (0.0, -0.01), area=1e-4)
    one.muscle("tensed", (1.0, 0.2, 0.3, 0.01, 0.02, 0.03), active_stiffness=(1.0,) * 6)
    two = one.rod("two", length=0.3, section=ld.Circle(0.01), material=ld.silicone, nodes=1, bending=1)
    robot.body("end", mass=0.2, inertia=ld.about_centre(xx=0.001, yy=0.002, zz=0.0015), centre=(0.05, 0, 0.01)).on(two).ball()
    return robot


def compliant(friction: str, **options: Any) -> CompliantLaw:
    """A ball deep in a tilted plane."""
    contact = CompliantContact(
        stiffness=8.0, damping=0.7, friction=friction, speed=0.4, static=1.5, bristle_stiffness=3.0, bristle_damping=0.3,
        viscous=0.2, **options,
    )  # fmt: skip
    return contact.law(ld.Ground(at=(0, 0, 3), normal=(0.1, 0.2, 1.0)), ld.Friction(0.6), 0.5, 0.3, 10.0)


def driven() -> Problem:
    """Two bodies on which all laws act that are data, with an imposed joint and a servo, which lags in a rough joint."""
    robot = random_robot(rng, 3, ("revolute",), "free")
    laws = (
        Drag(0.5, 0.3, 0.1, (0.2, 0.1, 0)), Anchor((1, 0, 0), 5.0, 0.4), Thrust((1, 2, 3)), WorldForce((0, 1, 0), (0.1, 0.2, 0)),
        Wake((0.1, 0.2)), Feedback(0.3, 0.2), Sliding((0.1, 0.3), 2.0), ArctanFriction((0.1, 0.3), 2.0),
        LuGre(0.4, 20.0, 0.6, 0.5, 0.3, 0.1), compliant("lugre"), compliant("stick_slip", relaxation=0.5),
        compliant("regularised", normal="same_height", exponent=2),
        Buoyancy(ld.Ellipsoid((0.5, 0.4, 0.3))), WetDrag(Drag(0.2, 0.1, 0.1), ld.Box((0.6, 0.5, 0.4)), Water(1.0, 0.1)),
        Buoyancy(ld.Cylinder(0.3, 0.8, "y"), Water(1.0, 0.1, Wave(0.2, 4.0, 2.0))), Buoyancy(ld.Capsule(0.3, 0.8), Water(1.0)),
    )  # fmt: skip
    for i, law in enumerate(laws):
        robot.wrench(f"law {i}", on=f"body_{i % 3}", at=(0.1, 0.2, 0.3), law=law)
    one, two = ("body_0", (0.1, 0.2, 0.3)), ("body_2", (-0.3, 0.1, 0.2))
    robot.spring("spring", one, two, curve=[(-1, -20), (0, 0), (0.5, 4), (2, 30)], damping=0.3, rest_length=0.4)
    robot.cable("cable", [("world", (0.4, 0.5, 0.6)), one, "body_1", two], stiffness=9, damping_curve=[(-1, -2), (0, 0), (1, 3)])
    robot.cable("pulled", [one, two], damping=0.1)
    robot.torsion_spring("coil", "world", "body_2", "y", stiffness=2.0, damping=0.1, rest_angle=0.3)
    robot["body_2"].actuator(torque_limit=3, no_load_speed=2, time_constant=0.1, bristles=LuGre(0.4, 20.0, 0.6, 0.5, 0.3, 0.1))
    model = robot.model()
    return Problem(
        model, imposed={6: ld.sine(0.3, omega=3.0)}, servo={7: ld.Servo(ld.constant(0.4), 2.0, 0.1)},
        schedule=Schedule(
            strands={"cable": ld.sine(0.1, omega=2.0, offset=0.6), "pulled": ld.constant(3.0)},
            loads={"law 3": ld.sine(1.0, omega=4.0)}, desired={"law 5.y": ld.sine(0.2, omega=3.0)},
        ),
    )  # fmt: skip


def field_rod(fields: tuple[ld.StrainField, ...]) -> State:
    """A rod on a free base whose strains are functions of the place and of coordinates."""
    robot = ld.Robot("fields")
    base = robot.base("ground", moves="free", mass=0.3, inertia=ld.about_centre(xx=0.01, yy=0.02, zz=0.015))
    base.rod("rod", length=0.5, section=ld.Circle(0.02), material=ld.silicone, nodes=2, bending=1, fields=fields)
    return State(robot.model(), 0.3)


def constrained() -> Problem:
    """A free body with wheels of all kinds, joints of a chain closed in all ways and geared, and surfaces that roll."""
    robot = random_robot(rng, 3, ("revolute",), "free")
    body = robot["body_0"]
    body.wheel("fixed", axis="y").wheel("steered", kind="steered", axis="y").wheel("driven", axis="y", radius=0.1, actuated=True)
    body.wheel("pushed", axis="y", radius=0.1, actuated=True)
    body.wheel("turning", axis="y", radius=0.1, mass=0.3, spin_inertia=0.01, across_inertia=0.006)
    body.rolling("ball", radius=0.2).rolling("disc", radius=0.2, axis="y", crown=0.01).rolling("egg", semi_axes=(0.1, 0.2, 0.3))
    body.foot("foot")
    for joint in ("fixed", "revolute", "universal"):
        robot.loop(joint, "body_1", "body_2", joint=joint, second_axis="y")
    robot.loop("helical", "body_2", "world", joint="helical", pitch=0.1)
    first, second = (robot.description.body(f"body_{i}").joint.name for i in (1, 2))
    robot.coupling("gear", {first: 1.0, second: -2.5}, offset=0.3)
    law = ld.sine(0.3, omega=2.0)
    return Problem(robot.model(), drives=Drives({"steered": law}, {"driven": law}, {"pushed": law}))
