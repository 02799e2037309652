"""What drives a robot: laws of its joints, wheels, strands and wrenches, a controller, and how contacts share their load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

import numpy as np

from locodyn.errors import InputError, check_takes, nearest
from locodyn.motion import Law, as_law
from locodyn.robot.layout import SPRING, TENDON
from locodyn.sim.arguments import finite, listed, mapping, servo_of, shortened, speed_of
from locodyn.sim.fields import StateLaw
from locodyn.sim.parts import Part
from locodyn.typing import Axis

if TYPE_CHECKING:
    from locodyn.locomotion.servo import Servo
    from locodyn.phases import Phases
    from locodyn.robot.compilation.compiled import CompiledRobot
    from locodyn.robot.compilation.compiled_parts import CompiledWheel
    from locodyn.sim.fields import DriveFields

# Laws of time by names: of wheels and wrenches; of strands, in the order of their kinds, with what they belong to.
_BY_LAWS = ("steering", "rolling", "wheel_torque", "load", "desired")
_STRANDS = {
    "tension": "a tendon, cable or spring without stiffness",
    "tendon_length": "a tendon, cable or spring with a stiffness",
    "pressure": "a chamber",
    "activation": "a muscle",
}

Torque = Law | StateLaw


@dataclass(frozen=True, eq=False, repr=False)
class Drive(Part):
    """What drives the robot. Where a law is asked for, numbers and Python functions of time are taken too.

    Parameters
    ----------
    imposed : mapping of coordinate names to laws
        Motion given. Needs two derivatives.
    torque : mapping of coordinate names to laws or functions f(t, q, v)
        Torque (N m) or force (N) given.
    servo : mapping of coordinate names to :class:`~locodyn.locomotion.servo.Servo`
        Actuators that follow a target with a stiffness and a damping; added to ``torque``. A coordinate in none of these
        mappings is passive.
    tension, tendon_length, pressure, activation : mappings of names of tendons, chambers or muscles to laws
        Tension (N) of tendons; free length (m) of those that have a stiffness; pressure (Pa) of chambers; activation of muscles.
        None: zero, or the length at rest. Also of cables and springs between bodies, in place of the tension or rest length
        (rest angle, rad) that they have.
    load : mapping of names of wrench laws to laws
        What they are multiplied with; 1 without it.
    desired : mapping of ``name.x``, ``name.y``, ``name.z``, ``name.wx``, ... to laws
        Motion that the feedback laws of these names follow, m and rad/s, see :class:`~locodyn.world.laws.Feedback`.
    controller : f(t, q, v) -> torques (nv,), optional
    dependent : names of coordinates
        Actuated joints whose motion follows from the wheels that they carry; their torque comes out.
    steering, rolling, wheel_torque : mappings of wheel names to laws
        Angle of steered wheels (rad); rolling angle (rad) or torque (N m) of driven ones.
    speeds : triples (body or marker, direction in its axes, law of the distance)
        Speeds (m/s) that the motors of the driven wheels without a law of their own provide.
    equal : groups of wheel names
        Driven wheels that share one torque.
    weights, static : mappings of row names (``front.wheel.side``, ...) to numbers
        How redundant contacts share their load: a larger weight takes more of it; a static loading (N) is added.
    torque_method : str
        ``exact``, ``no_contact`` (as if only the reference body touched the ground), ``projective`` (Ali 2011, 3.73-3.85) or
        ``min_torque``: contacts share their load so that the moments in the rods are least (Ali 2011, 7.2).
    """

    imposed: Mapping[str, Law] = field(default_factory=dict)
    torque: Mapping[str, Torque] = field(default_factory=dict)
    servo: Mapping[str, Servo] = field(default_factory=dict)
    tension: Mapping[str, Law] = field(default_factory=dict)
    tendon_length: Mapping[str, Law] = field(default_factory=dict)
    pressure: Mapping[str, Law] = field(default_factory=dict)
    activation: Mapping[str, Law] = field(default_factory=dict)
    load: Mapping[str, Law] = field(default_factory=dict)
    desired: Mapping[str, Law] = field(default_factory=dict)
    controller: StateLaw | None = None
    dependent: Sequence[str] = ()
    steering: Mapping[str, Law] = field(default_factory=dict)
    rolling: Mapping[str, Law] = field(default_factory=dict)
    wheel_torque: Mapping[str, Law] = field(default_factory=dict)
    speeds: Sequence[tuple[str, Axis, Law]] = ()
    equal: Sequence[Sequence[str]] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    static: Mapping[str, float] = field(default_factory=dict)
    torque_method: str = "exact"

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(self, **fields: Unpack[DriveFields]) -> None: ...

    def __post_init__(self) -> None:
        laws = (*_BY_LAWS, *_STRANDS)
        kept = {what: mapping(getattr(self, what), what) for what in ("imposed", "torque", "servo", *laws, "weights", "static")}
        for what in ("imposed", *laws):
            kept[what] = {name: as_law(law) for name, law in kept[what].items()}
        kept["torque"] = {name: law if callable(law) else as_law(law) for name, law in kept["torque"].items()}
        for name, law in kept["torque"].items():
            if not isinstance(law, Law):
                check_takes(law, "t, q, v", f"the torque of '{name}'")
        kept["servo"] = {name: servo_of(name, value) for name, value in kept["servo"].items()}
        for what in ("weights", "static"):
            kept[what] = {name: finite(value, f"{what} of '{name}'") for name, value in kept[what].items()}
        groups = (listed(group, "a group of equal") for group in listed(self.equal, "equal"))
        self._keep(
            **kept,
            dependent=tuple(map(str, listed(self.dependent, "dependent"))),
            speeds=tuple(map(speed_of, listed(self.speeds, "speeds"))),
            equal=tuple(tuple(map(str, group)) for group in groups),
        )
        if self.controller is not None and not callable(self.controller):
            raise InputError(f"the controller is {self.controller!r}; it must be a function f(t, q, v) -> torques.")
        if self.controller is not None and not hasattr(self.controller, "memory"):  # those check themselves
            check_takes(self.controller, "t, q, v", "the controller")
        both = set(self.imposed) & set(self.torque)
        if both:
            raise InputError(f"coordinate '{min(both)}' is both imposed and torque-driven; choose one.")

    def check_names(self, robot: CompiledRobot) -> None:
        """Refuse drives of coordinates, strands and wheels that the robot does not have."""
        for name in (*self.imposed, *self.torque, *self.servo, *self.dependent):
            if name not in robot.coordinate_names:
                raise InputError(f"robot '{robot.name}' has no coordinate '{name}'{nearest(name, robot.coordinate_names)}")
        self._check_strands(robot)
        wheels = [wheel.name for wheel in robot.wheels]
        for name in (*self.steering, *self.rolling, *self.wheel_torque, *(name for group in self.equal for name in group)):
            if name not in wheels:
                raise InputError(f"robot '{robot.name}' has no wheel '{name}'{nearest(name, wheels)}")

    def _check_strands(self, robot: CompiledRobot) -> None:
        """Tensions are given for tendons, lengths for those with a stiffness, pressures for chambers."""
        kinds = dict(zip(robot.strand_names, (int(row[0]) for row in robot.strands), strict=True))
        kinds |= {one.name: SPRING if one.tie.is_elastic else TENDON for one in robot.ties}
        for kind, (what, words) in enumerate(_STRANDS.items()):
            for name in getattr(self, what):
                if kinds.get(name) != kind:
                    hint = nearest(name, [n for n, k in kinds.items() if k == kind])
                    article = "an" if what == "activation" else "a"
                    raise InputError(f"{article} {what.replace('_', ' ')} is given for '{name}', which is not {words}{hint}")

    # ------------------------------------------------------------------------------------------------------------- in words
    def describe(self) -> str:
        """``imposed: rotor, front, rear``."""
        words = []
        for name, value in self.chosen().items():
            if name == "speeds":
                words.append(f"speeds: {', '.join(point for point, *_ in value)}")
            elif isinstance(value, str):
                words.append(f"{name.replace('_', ' ')} {value}")
            elif name == "controller":
                words.append(f"controller {getattr(value, '__name__', type(value).__name__)}")
            else:
                named = (", ".join(one) if isinstance(one, tuple) else one for one in value)
                words.append(f"{name.replace('_', ' ')}: {shortened(list(named))}")
        return "; ".join(words) or "nothing: all joints are passive"

    def words(self, robot: CompiledRobot, phases: Phases | None = None) -> dict[str, str]:
        """Name of a coordinate, wheel or speed -> what drives it, also in phases."""
        words, others = {}, {} if phases is None else phases.drives(robot)
        for i, name in enumerate(robot.coordinate_names):
            if name in self.imposed:
                words[name] = f"imposed: {self.imposed[name].describe()}"
            elif name in self.torque or name in self.servo:
                parts = [self.servo[name].describe()] if name in self.servo else []
                if name in self.torque:
                    law = self.torque[name]
                    parts.insert(0, law.describe() if isinstance(law, Law) else "Python function of time and state")
                words[name] = f"torque: {', plus '.join(parts)}"
            elif name in self.dependent:
                words[name] = "dependent: follows from the wheels"
            elif i < robot.reference_nv:
                words[name] = "free (reference body)"
            else:
                words[name] = others.get(name, "controller" if self.controller is not None else "passive")
        for wheel in robot.wheels:
            own = self._wheel_words(wheel)
            words[wheel.name] = f"{words[wheel.name]}; {own}" if wheel.name in words else own
        for point, direction, law in self.speeds:
            axis = ", ".join(f"{x:g}" for x in np.asarray(direction, dtype=float))
            words[f"{point}.speed"] = f"distance along ({axis}) imposed: {law.describe()}"
        return words

    def _wheel_words(self, wheel: CompiledWheel) -> str:
        """How a wheel is steered, and what turns it."""
        words = [f"wheel on {wheel.body}"] if wheel.kind != "skate" else [f"skate on {wheel.body}"]
        if wheel.name in self.steering:
            words.append(f"steering imposed: {self.steering[wheel.name].describe()}")
        if wheel.contact is not None:
            words.append(f"contact law {type(wheel.contact).__name__}")
        if wheel.name in self.rolling:
            words.append(f"rolling imposed: {self.rolling[wheel.name].describe()}")
        elif wheel.name in self.wheel_torque:
            words.append(f"motor torque: {self.wheel_torque[wheel.name].describe()}")
        elif wheel.actuated and self.speeds:
            words.append("its motor provides the imposed speed")
            words += [f"same torque as {', '.join(n for n in g if n != wheel.name)}" for g in self.equal if wheel.name in g]
        elif wheel.kind not in ("castor", "skate"):
            words.append("rolls freely")
        return ", ".join(words)
