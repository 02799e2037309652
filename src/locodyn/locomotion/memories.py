"""What the laws of a problem remember: the states of wrench laws, actuators, strands, joint friction and controllers, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from locodyn.errors import InputError, check_takes, nearest
from locodyn.locomotion.arrays import REMEMBERS, TORQUE, DriveMemories, MemoryBlocks
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.layout import CHAMBER, LINEAR, MUSCLE, SPRING, TENDON
from locodyn.world import law_table
from locodyn.world.law_table import CONTACT, LAW
from locodyn.world.laws import LuGre
from locodyn.world.wrench_table import WrenchTable

_BRISTLES = {LAW.lugre: 0, LAW.compliant: CONTACT.bristles, LAW.pair: CONTACT.bristles}  # where their numbers begin
_STRAND_UNITS = {TENDON: "N", SPRING: "m", CHAMBER: "Pa", MUSCLE: "1"}


@dataclass(frozen=True)
class ControllerWithMemory:
    """A continuous controller with states: ``function(t, q, v, z) -> (forces (nv,), zdot)``.

    ``memory``: names of the states z with units, such as ``{"integral": "rad s"}``. They start at zero, every integrator carries
    them with the robot, and results record them as ``controller.NAME``.
    """

    function: Callable[[float, np.ndarray, np.ndarray, np.ndarray], tuple[Any, Any]]
    memory: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(self.function) or not isinstance(self.memory, Mapping) or not self.memory:
            raise InputError("a ControllerWithMemory needs a function of (t, q, v, z), and names of its states with their units.")
        check_takes(self.function, "t, q, v, z", "a controller with memory")

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[Any, np.ndarray]:
        """Forces, and rates of the states, which are as many as the states."""
        try:
            forces, rates = self.function(t, q, v, z)
            rates = np.asarray(rates, dtype=float).ravel()
        except (TypeError, ValueError):
            raise InputError("a controller with memory must return its forces and the rates of its states.") from None
        if rates.shape != z.shape:
            raise InputError(f"the controller returned {len(rates)} rates; it has {len(z)} states.")
        return forces, rates

    @property
    def driven(self) -> Sequence[int] | None:
        """Numbers of the coordinates that it drives, where the function tells them."""
        return getattr(self.function, "driven", None)

    def restart(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """A phase that it drives begins at the time t (s) in the state (q, v); the states go on."""
        getattr(self.function, "restart", lambda *state: None)(t, q, v)

    def describe(self) -> str:
        """In words."""
        describe = getattr(self.function, "describe", None)
        return str(describe()) if callable(describe) else f"Python function with {len(self.memory)} states"


class Memories:
    """States of all laws of a problem: those of wrench laws first, then drives, then the controller.

    ``names`` and ``units`` of the states, ``drives`` and ``blocks`` for the kernels, ``controller``: the first state of the
    controller, or the number of states.
    """

    def __init__(self, robot: CompiledRobot, table: WrenchTable, drive: np.ndarray, controller: Any) -> None:
        self._blocks, self._laws = list(table.memory), table.laws
        rows: list[tuple[int, int, int, tuple[float, ...]]] = []
        for i, law in robot.bristles.items():
            if not isinstance(law, LuGre):
                raise InputError(f"the bristles of joint '{robot.coordinate_names[i]}' are {law!r}; they must be a LuGre law.")
            if law.by_direction:
                raise InputError(
                    f"the bristles of joint '{robot.coordinate_names[i]}' have two directions; a joint has one: give numbers."
                )
            unit = "m" if robot.dof_constants[i, LINEAR] != 0.0 else "rad"
            rows.append((REMEMBERS.bristles, i, self._add(f"{robot.coordinate_names[i]}.bristles", unit), law.parameters()))
        for i, constant in robot.lags.items():
            if drive[i] == TORQUE or (controller is not None and drive[i] == 0):
                unit = "N" if robot.dof_constants[i, LINEAR] != 0.0 else "N m"
                rows.append((REMEMBERS.lag, i, self._add(f"{robot.coordinate_names[i]}.drive", unit), (constant,)))
        for k, constant in robot.strand_lags.items():
            unit = _STRAND_UNITS[int(robot.strands[k, 0])]
            rows.append((REMEMBERS.strand_lag, k, self._add(f"{robot.strand_names[k]}.drive", unit), (constant,)))
        self.drives = _drives(rows, robot.nv)
        self.controller = self.count
        if isinstance(controller, ControllerWithMemory):
            self._blocks.append([(f"controller.{name}", str(unit)) for name, unit in controller.memory.items()])
        known = [state for block in self._blocks for state in block]
        self.names, self.units = tuple(name for name, _ in known), tuple(unit for _, unit in known)
        sizes = [len(block) for block in self._blocks if len(block)]
        # States of a controller may be many: Newton's method does not know their slopes, so that each is a block of its own.
        if isinstance(controller, ControllerWithMemory):
            sizes[-1:] = [1] * sizes[-1]
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if sizes else np.zeros(0)
        self.blocks = MemoryBlocks(first=first.astype(np.int64), count=np.array(sizes, dtype=np.int64))

    @property
    def count(self) -> int:
        """Number of states."""
        return sum(map(len, self._blocks))

    @property
    def lagging(self) -> np.ndarray:
        """Numbers of the states of actuators and strands that lag behind their commands."""
        return np.asarray(self.drives.memory[self.drives.kind != REMEMBERS.bristles])

    def refuse_undetermined(self, who: str) -> None:
        """:class:`InputError` where rest does not determine a state, which ``who`` needs; it does those of lags.

        Bristles may be bent as far as friction holds, an integral stays where it is, and functions in Python do as they like.
        """
        for number in sorted(set(range(self.count)) - set(self.lagging.tolist())):
            raise InputError(
                f"{who} takes laws with memory whose states are determined at rest, as those of actuators that lag;"
                f" '{self.names[number]}' may have several values there: let a run in time come to rest."
            )

    def at_rest(self, rates: np.ndarray) -> np.ndarray:
        """States (nz,) of lags that do not change, from the ``rates`` (nz,) that they have at zero: T zdot = u - z."""
        states = np.zeros(self.count)
        states[self.lagging] = self.drives.numbers[self.drives.kind != REMEMBERS.bristles, 0] * rates[self.lagging]
        return states

    @cached_property
    def sizes(self) -> np.ndarray:
        """Sizes (nz,) that count as large: how far bristles bend before they slip; one unit otherwise."""
        sizes = np.ones(self.count)
        for row, numbers in enumerate(self._laws.numbers):
            if self._laws.kind[row] in _BRISTLES and self._laws.memory[row] >= 0:
                own = slice(self._laws.memory[row], self._laws.memory[row] + self._laws.states[row])
                sizes[own] = _deflection(numbers[_BRISTLES[int(self._laws.kind[row])] :])
        for kind, number, numbers in zip(self.drives.kind, self.drives.memory, self.drives.numbers, strict=True):
            if kind == REMEMBERS.bristles:
                sizes[number] = _deflection(numbers)
        return sizes

    def _add(self, name: str, unit: str) -> int:
        self._blocks.append([(name, unit)])
        return self.count - 1

    def start(self, states: Mapping[str, float] | Sequence[float] | np.ndarray | None) -> np.ndarray:
        """States (nz,) at the start: by name, all of them, or zero."""
        if states is None:
            return np.zeros(self.count)
        if isinstance(states, Mapping):
            result = np.zeros(self.count)
            for name, value in states.items():
                if name not in self.names:
                    raise InputError(f"the start gives '{name}' a value, which no law remembers{nearest(name, self.names)}")
                result[self.names.index(name)] = value
        else:
            result = np.array(states, dtype=float)
        if result.shape != (self.count,) or not np.isfinite(result).all():
            raise InputError(f"the memory at the start is {states!r}; it must be {self.count} finite numbers.")
        return result


def _deflection(numbers: np.ndarray) -> float:
    """Of bristles with these numbers, a ``BRISTLES``: Coulomb's friction over stiffness."""
    return float(numbers[law_table.BRISTLES.coulomb] / numbers[law_table.BRISTLES.along])


def _drives(rows: list[tuple[int, int, int, tuple[float, ...]]], nv: int) -> DriveMemories:
    numbers = np.zeros((len(rows), law_table.BRISTLES.size))
    for k, row in enumerate(rows):
        numbers[k, : len(row[3])] = row[3]
    slow = [row[1] for row in rows if row[0] == REMEMBERS.lag]
    lags = np.zeros(nv if slow else 0, dtype=np.int8)
    lags[slow] = 1
    kind, place, memory = (np.array([row[c] for row in rows], dtype=np.int64) for c in range(3))
    return DriveMemories(kind=kind, place=place, memory=memory, numbers=numbers, lags=lags)


NO_MEMORIES = _drives([], 0)
