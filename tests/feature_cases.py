"""A robot for every feature that methods of integration declare, and for those that meet: one arm, on one of few bases.

Parts are put together by their names, so that any pair of features is a robot too, and kernels are shared. All moves
within fractions of a second, slowly enough for steps of 10 ms to resolve it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.controllers import SampledController
from locodyn.integrate import Feature
from locodyn.sim.parameter import fill
from locodyn.sim.scenario import Scenario
from locodyn.world import Buoyancy, CompliantContact, Water, Wave, WetDrag
from locodyn.zoo.robots import bennett

GRAVITY = 2.0  # m/s^2
PERIOD = 0.02  # s, of the sampled controller: a whole number of all steps that tests take
BEGINS = 0.06  # s, of the late servo
LATE = ld.Servo(0.4, 2.0, 0.2, begins=BEGINS)
SOFT = ld.Material(young=1e6, density=1000.0, shear=1e6 / 3.0)
FRICTION: dict[str, ld.Friction | float] = {
    "contact": 0.3,
    "friction law": ld.Friction(0.3, law="regularised", speed=1e-5),
    "one-way friction": ld.Friction(0.3, backward=0.1),
    "drilling friction": ld.Friction(0.3, rolling=0.05),
}

# What a part gives a robot.
HAS: dict[str, set[Feature]] = {
    "planar": set(),
    "held": set(),
    "disc": {Feature.ROLLING, Feature.STANDING},
    "foot": {Feature.STANDING},
    "bennett": {Feature.LOOPS},
    "wheels": {Feature.WHEELS},
    "steering": {Feature.WHEELS},
    "train": {Feature.WHEELS, Feature.IMPOSED, Feature.DEPENDENT},
    "loop": {Feature.LOOPS},
    "gear": {Feature.LOOPS},
    "rod": {Feature.RODS},
    "sleeve": {Feature.RODS, Feature.SLIDING_RODS},
    "anchor": {Feature.RODS, Feature.HELD_RODS},
    "strand": {Feature.RODS, Feature.STRANDS},
    "spectral": {Feature.RODS},
    "field": {Feature.RODS, Feature.IMPOSED},
    "peg": {Feature.RODS, Feature.HELD_RODS},
    "imposed": {Feature.IMPOSED},
    "servo": {Feature.SERVOS},
    "late servo": {Feature.SERVOS, Feature.LATE_SERVOS},
    "wrench": {Feature.WRENCHES},
    "ties": {Feature.WRENCHES},
    "water": {Feature.WRENCHES},
    "compliant": {Feature.WRENCHES},
    "stick": {Feature.WRENCHES, Feature.MEMORY},
    "integral": {Feature.WRENCHES, Feature.MEMORY},
    "lag": {Feature.SERVOS, Feature.LAGS},
    "bristles": {Feature.WRENCHES, Feature.MEMORY},
    "muscle": {Feature.RODS, Feature.STRANDS, Feature.LAGS},
    "memory function": {Feature.FUNCTIONS, Feature.WRENCHES, Feature.MEMORY},
    "fluid": {Feature.FLUID},
    "function": {Feature.FUNCTIONS},
    "imposed function": {Feature.FUNCTIONS, Feature.IMPOSED},
    "wrench function": {Feature.FUNCTIONS, Feature.WRENCHES},
    "sampled": {Feature.FUNCTIONS, Feature.SAMPLED_CONTROLLER},
    "contact": {Feature.HARD_CONTACT},
    "friction law": {Feature.HARD_CONTACT, Feature.FRICTION_LAW},
    "one-way friction": {Feature.HARD_CONTACT, Feature.ONE_WAY_FRICTION},
    "drilling friction": {Feature.HARD_CONTACT, Feature.DRILLING_FRICTION},
}


def features(parts: Sequence[str]) -> set[Feature]:
    """What a robot of these parts has."""
    return set().union(*(HAS[part] for part in parts))


def scenario(*parts: str) -> Scenario:
    """The first part is the base: ``planar``, ``held`` (by springs), ``disc``, ``foot``, ``bennett``, ``train``."""
    base, rest = parts[0], parts[1:]
    robot, fields = BASES[base]()
    arm, joint = (robot["crank"], "joint_1") if base == "bennett" else (robot["arm"], "arm")
    bodies = {"on": "coupler" if base == "bennett" else "cart", "arm": arm, "joint": joint}
    for part in rest:
        if part in PARTS:
            PARTS[part](robot, fields, bodies)
    start = {name: value for name, value in fields.pop("start").items() if name not in fields.get("imposed", {})}
    speeds = {name: value for name, value in fields.pop("speeds").items() if name not in fields.get("imposed", {})}
    return Scenario(" ".join(parts), robot, start=ld.Start(start, speeds), **fields)


# --------------------------------------------------------------------------------------------------------------- bases
def _cart(held: bool = False) -> tuple[ld.Robot, dict[str, Any]]:
    """A cart in the plane x-y, weight along -y, with an arm; ``held``: on slides and a pivot with springs."""
    robot = ld.Robot("cart")
    body: dict[str, Any] = {
        "mass": 1.0, "centre": (0.1, 0.0, 0.0), "inertia": ld.about_centre(xx=0.05, yy=0.05, zz=0.05), "shape": ld.Sphere(0.1),
    }  # fmt: skip
    if held:
        ground = robot.base("ground", moves="fixed")
        rail = robot.body("rail", mass=0.1).on(ground).sliding("x").actuator(stiffness=40.0)
        post = robot.body("post", mass=0.1).on(rail).sliding("y").actuator(stiffness=50.0)
        cart = robot.body("cart", **body).on(post).turning("z").actuator(stiffness=3.0)
        start, speeds = {}, {"rail": 0.3, "cart": 0.4}
    else:
        cart = robot.base("cart", moves="planar", **body)
        start, speeds = {}, {"cart.vx": 0.5, "cart.wz": 0.4}
    _arm(robot, cart, "z")
    gravity = (0.0, -GRAVITY, 0.0)
    return robot, {"gravity": gravity, "start": start | {"arm": 1.2}, "speeds": speeds | {"arm": 1.0}}


def _arm(robot: ld.Robot, on: Any, axis: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
    inertia = ld.about_centre(xx=0.001, yy=0.004, zz=0.004)
    arm = robot.body("arm", mass=0.4, centre=(0.15, 0.0, 0.0), inertia=inertia).on(on, at=at).turning(axis)
    arm.actuator(stiffness=1.0, rest=1.0, viscous=0.02)


def _disc() -> tuple[ld.Robot, dict[str, Any]]:
    """A leaning disc that rolls, with an arm about its axis."""
    robot = ld.Robot("disc")
    cart = robot.base("cart", mass=1.0, inertia=ld.about_centre(xx=0.015, yy=0.03, zz=0.015))
    cart.rolling("rim", radius=0.25, axis="y")
    _arm(robot, cart, "y", (0.0, 0.1, 0.0))
    start = {"cart": (0.0, 0.0, 0.25 * np.cos(0.3), 0.3, 0.0, 0.0), "arm": 1.2}
    return robot, {"gravity": (0.0, 0.0, -GRAVITY), "start": start, "speeds": {"cart.wy": 3.0, "cart.wz": 0.5, "arm": 1.0}}


def _foot() -> tuple[ld.Robot, dict[str, Any]]:
    """A top with an arm, on a point that stays where it stands."""
    robot = ld.Robot("leg")
    cart = robot.base("cart", mass=1.0, inertia=ld.about_centre(xx=0.03, yy=0.02, zz=0.015))
    cart.foot("sole", at=(0.0, 0.0, -0.2))
    _arm(robot, cart, "y", (0.0, 0.1, 0.0))
    start = {"cart": (0.0, 0.0, 0.2 * np.cos(0.3), 0.3, 0.0, 0.0), "arm": 1.2}
    return robot, {"gravity": (0.0, 0.0, -GRAVITY), "start": start, "speeds": {"cart.wx": 0.5, "cart.wz": 2.0, "arm": 1.0}}


def _train() -> tuple[ld.Robot, dict[str, Any]]:
    """Four links on skates: two imposed joints move the first three, the last one follows."""
    robot = ld.Robot("train")
    inertia = ld.about_centre(zz=0.01)
    last: Any = robot.base("cart", moves="planar", mass=1.0, inertia=inertia).skate("edge", along="x")
    for name in ("arm", "second", "third"):
        last = robot.body(name, mass=0.5, centre=(0.1, 0.0, 0.0), inertia=inertia).on(last, at=(0.3, 0.0, 0.0)).turning("z")
        last.skate(f"edge of {name}", at=(0.2, 0.0, 0.0), along="x")
    imposed = {"arm": ld.sine(0.3, omega=4.0, offset=0.8), "second": ld.sine(0.2, omega=3.0, offset=1.3)}
    fields = {"imposed": imposed, "dependent": ["third"], "gravity": (0.0, 0.0, -GRAVITY)}
    return robot, {**fields, "start": {"third": 0.4}, "speeds": {}}


def _bennett() -> tuple[ld.Robot, dict[str, Any]]:
    """Bennett's linkage, with rows that are redundant only where it is closed; weight along -z."""
    p = fill(bennett.PARAMETERS, {}, "bennett")
    robot = bennett.robot(p)
    robot["crank"].actuator(stiffness=1.0, rest=0.5, viscous=0.02)
    return robot, {"gravity": (0.0, 0.0, -GRAVITY), "start": bennett.assembled(p), "speeds": {}}


BASES = {
    "planar": _cart, "held": lambda: _cart(held=True), "disc": _disc, "foot": _foot, "bennett": _bennett,
    "train": _train,
}  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- parts
def _skate(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    robot["cart"].skate("edge", along="x")


def _steering(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    robot["cart"].wheel("steer", axis="y", radius=0.1, kind="steered")
    fields["steering"] = {"steer": ld.sine(0.5, omega=4.0)}


def _loop(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A four-bar of arm, coupler and rocker; the spatial pin has rows that are redundant in the plane."""
    bars = (("coupler", "arm", (0.3, 0.0, 0.0), 0.4), ("rocker", "cart", (0.4, 0.0, 0.0), 0.35))
    for name, on, at, length in bars:
        inertia = ld.about_centre(xx=0.001, yy=0.003, zz=0.003)
        bar = robot.body(name, mass=0.3, centre=(length / 2, 0.0, 0.0), inertia=inertia).on(on, at=at).turning("z")
        bar.marker(f"{name}_end", at=(length, 0.0, 0.0))
    robot.loop("pin", "coupler_end", "rocker_end", joint="revolute", axis="z")
    fields["start"] |= {"coupler": -1.0, "rocker": 1.3}


def _gear(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A flywheel on the arm that turns three times as far as the arm does."""
    inertia = ld.about_centre(xx=0.002, yy=0.001, zz=0.001)
    robot.body("flywheel", mass=0.1, inertia=inertia).on(b["arm"], at=(0.1, 0.0, 0.0)).turning("x")
    robot.coupling("gear", {"flywheel": 1.0, b["joint"]: -3.0})
    fields["start"]["flywheel"] = 3.0 * fields["start"][b["joint"]]
    fields["speeds"]["flywheel"] = 3.0 * fields["speeds"].get(b["joint"], 0.0)


def _rod(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> Any:
    """A whip that bends at 6 rad/s and more."""
    return b["arm"].rod(
        "whip", at=(0.3, 0.0, 0.0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 2), nodes=5, damping=0.01
    )


def _sleeve(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A ring that runs along the whip; from rest, since it forbids the usual speeds."""
    fields["speeds"].clear()
    _rod(robot, fields, b).sleeve("ring", at=ld.sine(0.08, omega=5.0, offset=0.17))


def _anchor(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A place in space through which the whip is drawn."""
    fields["speeds"].clear()
    _rod(robot, fields, b).anchor("grip", at=ld.sine(0.05, omega=5.0, offset=0.17))


def _spectral(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """The whip, with inertia at Chebyshev points and poses as exact as these."""
    b["arm"].rod(
        "whip", at=(0.3, 0.0, 0.0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 2), nodes=5, damping=0.01,
        space="spectral",
    )  # fmt: skip


def _field(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A whip along which a wave of bending travels, which bends by itself as well."""
    wave = ld.StrainField("wave", ld.travelling("bending_z", 3.0, wavelength=0.4))
    b["arm"].rod(
        "whip", at=(0.3, 0.0, 0.0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(0, 1), nodes=5, damping=0.01,
        fields=[wave],
    )  # fmt: skip
    fields["imposed"] = {"whip.wave": ld.sine(0.1, omega=5.0)}


def _peg(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A ring that stays in space while the whip slides through it."""
    fields["speeds"].clear()
    _rod(robot, fields, b).peg("ring", at=0.17)


def _strand(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    _rod(robot, fields, b).tendon("wire", (0.008, 0.0))
    fields["tension"] = {"wire": ld.sine(0.5, omega=6.0, offset=0.6)}


def _imposed(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    fields["imposed"] = {b["joint"]: ld.sine(0.2, omega=4.0, offset=1.2 if b["joint"] == "arm" else 1.0)}


def _imposed_function(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    fields["imposed"] = {
        b["joint"]: ld.function(
            lambda t: 1.2 + 0.2 * np.sin(4.0 * t), lambda t: 0.8 * np.cos(4.0 * t), lambda t: -3.2 * np.sin(4.0 * t)
        )
    }


def _servo(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    fields["servo"] = {b["joint"]: ld.Servo(ld.sine(0.3, omega=5.0, offset=1.0), 2.0, 0.2)}


def _late_servo(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    fields["servo"] = {b["joint"]: LATE}


def _wrench(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    robot.wrench("water", on=b["arm"], at=(0.2, 0.0, 0.0), law=ld.Drag((0.5, 1.0, 2.0), 0.0, 0.1))


def _ties(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A spring to the world, a rope over an eye that is wound up and stays taut, a torsion spring."""
    robot.spring("stay", ("world", (0.1, 0.6, 0.0)), (b["arm"], (0.2, 0.0, 0.0)), stiffness=2.0, damping=0.1, rest_length=0.2)
    eye, end = (b["on"], (0.0, 0.4, 0.0)), (b["arm"], (0.25, 0.05, 0.0))
    robot.cable("rope", [("world", (-0.5, 0.7, 0.0)), eye, end], stiffness=3.0, damping=0.1)
    robot.torsion_spring("coil", "world", b["arm"], "z", stiffness=0.1, damping=0.01, rest_angle=0.5)
    fields["tendon_length"] = {"rope": ld.sine(0.05, omega=4.0, offset=0.4)}


def _water(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """The body stands half in a light fluid with a wave on it, and feels its resistance; weight along -z."""
    water, ball = Water(density=100.0, level=0.2, wave=Wave(0.02, 2.0, 1.5)), ld.Sphere(0.15)
    robot.wrench("floats", on=b["on"], law=Buoyancy(ball, water))
    robot.wrench("swims", on=b["on"], law=WetDrag(ld.Drag(3.0, 2.0, 0.1), ball, water))


def _compliant(friction: str) -> Any:
    def add(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
        """The cart slides on a soft floor that it has sunk into by 5 mm, where its weight is borne."""
        robot["cart"].collides(friction=0.3)
        fields["obstacles"] = [ld.Ground(at=(0.0, -0.095, 0.0), normal="y")]
        fields["contact"] = CompliantContact(stiffness=8e3, damping=2e4, friction=friction, speed=0.1, bristle_stiffness=20.0)

    return add


def _wrench_function(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    def drag(t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray) -> np.ndarray:
        return np.concatenate([-(np.array([0.5, 1.0, 2.0]) * twist[:3]), -0.1 * twist[3:]])

    robot.wrench("wind", on=b["arm"], at=(0.2, 0.0, 0.0), law=ld.UserLaw(drag))


def _integral(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    robot.wrench("hover", on=b["on"], law=ld.Feedback(0.5, 2.0))
    fields["desired"] = {"hover.x": ld.sine(0.1, omega=3.0), "hover.wz": 0.2}


def _lag(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A servo whose actuator lags."""
    b["arm"].actuator(stiffness=1.0, rest=1.0, viscous=0.02, time_constant=0.05)
    _servo(robot, fields, b)


def _bristles(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """A pad under the cart that turns with it."""
    robot.wrench("pad", on=b["on"], at=(0.1, 0.0, 0.0), law=ld.LuGre(0.5, 20.0, static=0.8, speed=0.3, damping=0.4, viscous=0.1))


def _muscle(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    _rod(robot, fields, b).tendon("wire", (0.008, 0.0), time_constant=0.1)
    fields["tension"] = {"wire": ld.sine(0.5, omega=6.0, offset=0.6)}


def _memory_function(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    """Drag that follows the velocity with a delay of 0.05 s."""

    def lagging(t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray, z: np.ndarray) -> Any:
        return np.concatenate([-(np.array([0.5, 1.0, 2.0]) * z), -0.1 * twist[3:]]), 20.0 * (twist[:3] - z)

    law = ld.UserLaw(lagging, {"x": "m/s", "y": "m/s", "z": "m/s"})
    robot.wrench("wind", on=b["arm"], at=(0.2, 0.0, 0.0), law=law)


def _fluid(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    robot[b["on"]].fluid((0.3, 0.8, 0.5), (0.01, 0.01, 0.02), at=(0.05, 0.0, 0.0))


def _function(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    def torque(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(0.3 * np.sin(5.0 * t) - 0.1 * v[-1])

    fields["torque"] = {b["joint"]: torque}


def _sampled(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
    number = robot.compile().coordinate_index(b["joint"])

    def law(measured: Any) -> np.ndarray:
        torque = np.zeros(len(measured.v))
        torque[number] = 0.3 * np.sin(5.0 * measured.time) - 0.1 * measured.v[number]
        return torque

    fields["controller"] = SampledController(law, period=PERIOD)


def _contact(kind: str) -> Any:
    def add(robot: ld.Robot, fields: dict[str, Any], b: dict[str, Any]) -> None:
        """The cart falls 5 mm on a floor under its round shape, and slides there."""
        robot["cart"].collides(friction=FRICTION[kind])
        fields["obstacles"] = [ld.Ground(at=(0.0, -0.105, 0.0), normal="y")]

    return add


PARTS: dict[str, Any] = {
    "wheels": _skate, "steering": _steering, "loop": _loop, "gear": _gear, "rod": _rod, "sleeve": _sleeve, "anchor": _anchor,
    "strand": _strand, "spectral": _spectral, "field": _field, "peg": _peg, "imposed": _imposed, "ties": _ties, "water": _water,
    "compliant": _compliant("regularised"), "stick": _compliant("lugre"),
    "imposed function": _imposed_function, "servo": _servo, "late servo": _late_servo, "wrench": _wrench,
    "wrench function": _wrench_function, "integral": _integral, "lag": _lag, "bristles": _bristles, "muscle": _muscle,
    "memory function": _memory_function, "fluid": _fluid, "function": _function, "sampled": _sampled,
    **{kind: _contact(kind) for kind in FRICTION},
}  # fmt: skip
