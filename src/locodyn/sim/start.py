"""Where a run starts: positions and velocities by name or as arrays, or with zero momentum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.errors import InputError, nearest
from locodyn.motion import Law
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.sim.arguments import listed, shortened
from locodyn.typing import Array

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model
    from locodyn.sim.fields import StartLike

_UNIT = 1e-6  # by which the length of a quaternion of the start may differ from 1

Values = Mapping[str, Array] | np.ndarray | Sequence[float] | None


@dataclass(frozen=True, eq=False)
class Start:
    """The state at the beginning of a run.

    ``positions``: names of joints, of the reference body or of single position coordinates with their values, or all ``nq``
    numbers; what is not named is at zero. An orientation is a quaternion (w, x, y, z) or a rotation vector (3 numbers, rad).
    ``velocities``: likewise with the ``nv`` velocities. Imposed coordinates start where their laws start.
    ``zero_momentum``: the reference body gets the twist for which the robot has no momentum at all.
    ``adjust``: names of the coordinates that may move to close loops and to touch the ground (by default all, by the smallest
    change). ``keep``: names of those whose velocities stay as given while the others follow from wheels, contacts and loops.
    ``equilibrium``: the run starts at the equilibrium near the positions, found with ``load_steps`` steps of the loads.
    ``resolve``: where surfaces of hard contact overlap, the robot is moved out of them first, by the smallest change.
    ``memory``: states of laws with memory by their names, such as ``{"pad.x": 1e-5}``; those not named are zero. At an
    equilibrium, actuators that lag start with what they give there.
    ``joints``: names of the coordinates, behind those of the reference body, to which arrays belong, as those of a result do: a
    robot that has others is refused. Empty: not asked.
    """

    positions: Values = None
    velocities: Values = None
    zero_momentum: bool = False
    adjust: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    equilibrium: bool = False
    load_steps: int = 1
    resolve: bool = False
    memory: Mapping[str, float] | None = None
    joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what in ("adjust", "keep", "joints"):
            value = getattr(self, what)
            object.__setattr__(self, what, tuple(map(str, listed(value, f"{what} of the start"))))
        if isinstance(self.load_steps, bool) or not isinstance(self.load_steps, int) or self.load_steps < 1:
            raise InputError(f"load_steps of the start is {self.load_steps!r}; it must be a whole number, at least 1.")

    def describe(self) -> str:
        """``positions of bob, zero momentum``."""
        words = ["the equilibrium nearby"] if self.equilibrium else []
        for what in ("positions", "velocities"):
            value = getattr(self, what)
            if value is not None:
                words.append(f"{what} of {shortened(list(value))}" if isinstance(value, Mapping) else f"given {what}")
        words += [word for word, said in (("zero momentum", self.zero_momentum), ("moved out of overlaps", self.resolve)) if said]
        words += [f"{what} {shortened(names)}" for what, names in (("adjust", self.adjust), ("keep", self.keep)) if names]
        return ", ".join(words) or "at rest in the neutral position"

    @classmethod
    def of(cls, start: StartLike) -> Start:
        """A start from a :class:`Start`, an equilibrium, the end of a result, ``zero_momentum``, a mapping of positions, a pair
        (q, v), or nothing."""
        if start is None:
            return cls()
        if isinstance(start, Start):
            return start
        if isinstance(start, str):
            if start not in ("zero_momentum", "equilibrium"):
                raise InputError(
                    f"the start is '{start}'; it must be 'zero_momentum', 'equilibrium', or positions and velocities."
                )
            return cls(zero_momentum=start == "zero_momentum", equilibrium=start == "equilibrium")
        if isinstance(start, Mapping):
            return cls(positions=start)
        if isinstance(start, (tuple, list)) and len(start) == 2:
            return cls(positions=start[0], velocities=start[1])
        from locodyn.equilibria.shooting import StrongEquilibrium
        from locodyn.equilibria.statics import Equilibrium

        if isinstance(start, Equilibrium):
            return cls(positions=start.q, memory=start.memory or None)
        if isinstance(start, StrongEquilibrium):
            return cls(positions=start.q)
        from locodyn.sim.result import Result

        if isinstance(start, Result):
            end = start.attributes
            q, v, memory = (np.atleast_1d(end.get(f"resume_{name}", ())) for name in ("position", "velocity", "memory"))
            names = [str(name) for name in start.dataset["state"].values] if len(memory) else []
            told = dict(zip(names, memory.tolist(), strict=True)) or None
            # Contacts are held by velocities: a step in which surfaces meet leaves them a little inside each other.
            joints = tuple(map(str, start.dataset["joint"].values)) if "joint" in start.dataset.coords else ()
            return cls(positions=q, velocities=v, memory=told, resolve="contact_deepest_penetration" in end, joints=joints)
        raise InputError(f"the start is {start!r}; it must be 'zero_momentum', a Start, or a pair of positions and velocities.")

    @classmethod
    def carried_over(cls, before: Model, q: Array, v: Array, after: Model) -> Start:
        """The state (q, v) of the model ``before`` as the start of the model ``after``, a robot with parts added or removed.

        Joints of the same name keep their positions and velocities; those that only ``after`` has start at zero.
        """
        one, two = before.compiled, after.compiled
        place, speed = _array(q, one.nq, "positions"), _array(v, one.nv, "velocities")
        starts, rates = np.array(two.neutral, dtype=float), np.zeros(two.nv)
        for name in set(one.joint_names) & set(two.joint_names):
            i, j = one.joint_index(name), two.joint_index(name)
            for source, target, spans_one, spans_two in (
                (place, starts, one.joint_positions, two.joint_positions),
                (speed, rates, one.joint_velocities, two.joint_velocities),
            ):
                own, new = spans_one[i], spans_two[j]
                if own.stop - own.start != new.stop - new.start or one.joint_types[i] != two.joint_types[j]:
                    raise InputError(f"joint '{name}' has other coordinates in robot '{two.name}'; give its state by hand.")
                target[new] = source[own]
        return cls(positions=starts, velocities=rates)

    def state(self, model: Model, imposed: Mapping[int, Law]) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq,) and velocities (nv,) at t = 0."""
        robot: CompiledRobot = model.compiled
        own = robot.coordinate_names[robot.reference_nv :]
        if self.joints and self.joints != own:
            raise InputError(
                f"the start is of a robot with the coordinates {shortened(list(self.joints))}, and '{robot.name}' has"
                f" {shortened(list(own)) or 'none'}; give positions by name, or take Start.carried_over."
            )
        q = positions(robot, self.positions)
        v = velocities(robot, self.velocities)
        for i, (value, rate) in zip(imposed, _at_start(imposed), strict=True):
            k = _position_of(robot, i)
            if k is not None:
                if self.positions is not None and q[k] != robot.neutral[k] and abs(q[k] - value) > 1e-9 * (1.0 + abs(value)):
                    raise InputError(
                        f"'{robot.coordinate_names[i]}' is imposed and its motion starts at {value:g}, but the start says"
                        f" {q[k]:g}; leave it out of the start."
                    )
                q[k] = value
            if self.velocities is not None and v[i] != 0.0 and abs(v[i] - rate) > 1e-9 * (1.0 + abs(rate)):
                raise InputError(
                    f"'{robot.coordinate_names[i]}' is imposed and its motion starts with the velocity {rate:g}, but the start"
                    f" says {v[i]:g}; leave it out of the start."
                )
            v[i] = rate
        if self.zero_momentum:
            v = np.asarray(model.zero_momentum(q, v), dtype=float)
        return q, v


def _at_start(imposed: Mapping[int, Law]) -> list[tuple[float, float]]:
    """Values and rates of laws at t = 0."""
    from locodyn.motion.table import MotionTable

    found = MotionTable(list(imposed.values())).at(0.0)
    return [(float(value), float(rate)) for value, rate in zip(found[0], found[1], strict=True)]


def _position_of(robot: CompiledRobot, i: int) -> int | None:
    """Index of the position that velocity i is the rate of, or None (rotations in space)."""
    frame = int(robot.dofs[i, layout.DOF_FRAME])
    code = int(robot.frames[frame, layout.CODE])
    if code in (layout.SPHERICAL, layout.FREE, layout.PLANAR):
        return None
    return int(robot.frames[frame, layout.FIRST_Q] + i - robot.frames[frame, layout.FIRST_V])


def _array(values: Any, count: int, what: str) -> np.ndarray:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"the {what} are {values!r}; they must be numbers.") from None
    if array.shape != (count,):
        raise InputError(f"the {what} have shape {array.shape}; they must be {count} numbers.")
    if not np.isfinite(array).all():
        raise InputError(f"the {what} hold a number that is not finite.")
    return array


def positions(robot: CompiledRobot, values: Values) -> np.ndarray:
    """All positions (nq,) from what is given."""
    q = np.array(robot.neutral, dtype=float)
    if values is None:
        return q
    if not isinstance(values, Mapping):
        q = _array(values, robot.nq, "positions of the start")
    else:
        for name, value in values.items():
            _set(robot, q, name, value, robot.position_names, robot.joint_positions, "position")
    for frame in robot.frames:  # orientations: what is typed in decimals is taken to unit length
        first = {layout.SPHERICAL: 0, layout.FREE: 3}.get(int(frame[layout.CODE]))
        if first is not None:
            k = int(frame[layout.FIRST_Q]) + first
            length = float(np.linalg.norm(q[k : k + 4]))
            if abs(length - 1.0) > _UNIT:
                raise InputError(
                    f"the quaternion '{robot.position_names[k]}' ... of the start has length {length:.6g}; it must have length"
                    " one."
                )
            if abs(length - 1.0) > 4e-16:
                q[k : k + 4] /= length
    return q


def velocities(robot: CompiledRobot, values: Values) -> np.ndarray:
    """All velocities (nv,) from what is given."""
    v = np.zeros(robot.nv)
    if values is None:
        return v
    if not isinstance(values, Mapping):
        return _array(values, robot.nv, "velocities of the start")
    for name, value in values.items():
        _set(robot, v, name, value, robot.coordinate_names, robot.joint_velocities, "velocity")
    return v


def _set(
    robot: CompiledRobot,
    target: np.ndarray,
    name: str,
    value: Any,
    names: tuple[str, ...],
    spans: tuple[slice, ...],
    what: str,
) -> None:
    """Write the value of one coordinate, or of a whole joint (the reference joint also by the name of its body)."""
    span = span_of(robot, name, value, names, spans, what)
    turns = what == "position"  # a rotation vector may stand for a quaternion
    count = span.stop - span.start
    label = f"values of '{name}' in the start"
    if turns and count in (4, 7) and np.size(value) == count - 1:
        flat = _array(np.ravel(value), count - 1, label)
        target[span] = np.concatenate([flat[:-3], quaternion_of(flat[-3:])])
    else:
        target[span] = _array(np.ravel(value), count, label)


def span_of(robot: CompiledRobot, name: str, value: Any, names: tuple[str, ...], spans: tuple[slice, ...], what: str) -> slice:
    """Where the coordinate or joint of this name stands.

    A joint may have the name of the reference body, as in a bicycle that its rear wheel carries: then the number of values tells
    which of them is meant.
    """
    whole = [*zip(robot.joint_names, spans, strict=True), (robot.reference_body, spans[0])]
    found = [slice(k, k + 1) for k, own in enumerate(names) if own == name] + [span for own, span in whole if own == name]
    if not found:
        known = [*names, *(own for own, _ in whole)]
        raise InputError(f"robot '{robot.name}' has no {what} '{name}'{nearest(name, known)}")
    turns = what == "position"
    sizes = [(count := span.stop - span.start, count - 1 if turns and count in (4, 7) else count) for span in found]
    return next((span for span, fits in zip(found, sizes, strict=True) if np.size(value) in fits), found[0])


def quaternion_of(rotation_vector: np.ndarray) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of a rotation vector (3,) rad."""
    half = 0.5 * float(np.linalg.norm(rotation_vector))
    return np.concatenate([[np.cos(half)], 0.5 * np.sinc(half / np.pi) * np.asarray(rotation_vector)])
