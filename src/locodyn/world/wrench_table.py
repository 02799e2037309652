"""The wrench laws of a robot in one table, for the kernels of :mod:`locodyn.world.wrenches`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.motion import Law, constant
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.compiled_parts import CompiledWrench
from locodyn.world.compliant_law import CompliantLaw
from locodyn.world.contact_pairs import PairArrays
from locodyn.world.feedback import DESIRED
from locodyn.world.law_base import WrenchLaw
from locodyn.world.law_table import LAW, LOAD, MOST_STATES, WET, TieArrays, WrenchLaws, new_laws
from locodyn.world.tie_table import TieLaw
from locodyn.world.water import Wave, WetLaw, surface_weight


class WrenchTable:
    """The bundle ``laws`` of the wrench laws on a robot, and what they remember.

    ``steering``: for wrenches whose point turns about its z axis, by name, the number of the law of that angle. ``varying``
    holds the laws of time that the laws of wrenches need, as pairs (name, law), in the order of their numbers from ``first`` on.
    Water weighs as the ``gravity`` (3,) m/s^2 says, and its wave is a law of time.
    ``pairs``: surfaces that compliant contacts are between; ``ties``: cables and springs, ``drawn``: laws of their rest lengths
    or tensions by name.
    ``loads``: factors by the names of wrenches; ``desired``: motions for feedback, by ``name.x``, ``name.wz``, ...
    ``memory``: for each law with states their names and units, in the order of their places from 0 on; a law at several places
    along a rod has states at each, ``name.0.x``, ``name.1.x``, ...
    """

    def __init__(
        self,
        wrenches: Sequence[CompiledWrench],
        steering: Mapping[str, int] | None = None,
        loads: Mapping[str, Law] | None = None,
        desired: Mapping[str, Law] | None = None,
        first: int = 0,
        gravity: np.ndarray | None = None,
        pairs: PairArrays | None = None,
        ties: TieArrays | None = None,
        drawn: Mapping[str, Law] | None = None,
    ) -> None:
        self.wrenches = tuple(wrenches)
        self.laws = new_laws(len(wrenches), pairs, ties)
        self.memory: list[list[tuple[str, str]]] = []
        self.varying: list[tuple[str, Law]] = []
        self._first = first
        self._waves: dict[Wave, int] = {}
        factors, targets = self._loads(dict(loads or {})), self._targets(dict(desired or {}))
        for row, wrench in enumerate(wrenches):
            if not isinstance(wrench.law, WrenchLaw):
                raise InputError(
                    f"wrench '{wrench.name}' has the law {wrench.law!r}; it must be one of locodyn.world (WorldForce, Thrust,"
                    " Drag, Anchor, Wake, Feedback, Buoyancy) or a UserLaw(function)."
                )
            if wrench.abscissa is not None and wrench.law.kind == LAW.feedback and wrench.law.states and wrench.share != 1.0:
                raise InputError(f"wrench '{wrench.name}' is a Feedback along a rod; it must act at a point, with at_s=.")
            laws = self.laws
            laws.frame[row], laws.kind[row] = wrench.frame, wrench.law.kind
            laws.steering[row] = (steering or {}).get(wrench.name, -1)
            laws.factor[row], laws.target[row] = factors.get(wrench.name, -1), targets.get(wrench.name, -1)
            laws.shared[row], laws.share[row] = wrench.share != 1.0, wrench.share
            laws.flows[row] = wrench.law.flows
            laws.rotation[row], laws.position[row] = np.ravel(wrench.rotation), wrench.position
            store_numbers(laws, row, wrench, np.zeros(3) if gravity is None else gravity)
            if isinstance(wrench.law, CompliantLaw):
                laws.rubs[row], laws.pair[row] = wrench.law.rubs, wrench.law.pair
            if isinstance(wrench.law, WetLaw):
                laws.shape[row], laws.axis[row], _, _ = wrench.law.solid()
                laws.target[row] = self._wave(wrench.law)
            if isinstance(wrench.law, TieLaw) and wrench.name in (drawn or {}):
                law = (drawn or {})[wrench.name]
                timed = laws.ties.rest_law if wrench.law.tie.is_elastic else laws.ties.tension_law
                timed[wrench.law.number] = self._number(wrench.name, law)
            self._remember(row, wrench)

    def _remember(self, row: int, wrench: CompiledWrench) -> None:
        """Places for the states of law ``row``."""
        states = wrench.law.states
        if not states:
            return
        if len(states) > MOST_STATES:
            raise InputError(f"wrench '{wrench.name}' has {len(states)} states; a law may have {MOST_STATES} at most.")
        rows = [number for number, one in enumerate(self.wrenches) if one.name == wrench.name]
        name = wrench.name if len(rows) == 1 else f"{wrench.name}.{row - rows[0]}"
        self.laws.memory[row], self.laws.states[row] = sum(map(len, self.memory)), len(states)
        self.memory.append([(f"{name}.{state}", unit) for state, unit in states])

    def _wave(self, law: WetLaw) -> int:
        """Number of the law of the phase of its wave, one for all laws in that wave; -1: the surface is flat."""
        wave = law.water.wave
        if wave is None:
            return -1
        if wave not in self._waves:
            self._waves[wave] = self._number("phase of the wave", wave.phase_law)
        return self._waves[wave]

    def _number(self, name: str, law: Law) -> int:
        self.varying.append((name, law))
        return self._first + len(self.varying) - 1

    def _loads(self, loads: dict[str, Law]) -> dict[str, int]:
        """Numbers of the laws of the factors, by the names of the wrenches."""
        known = {wrench.name: wrench.law for wrench in self.wrenches}
        for name in loads:
            if name not in known:
                raise InputError(f"a load is given for '{name}', but there is no such wrench law{nearest(name, known)}")
            if not getattr(known[name], "may_vary", True):
                raise InputError(
                    f"a load is given for '{name}' ({type(known[name]).__name__}); only a WorldForce, a Thrust, a Feedback or a"
                    " UserLaw may change with time."
                )
        return {name: self._number(f"load of {name}", law) for name, law in loads.items()}

    def _targets(self, desired: dict[str, Law]) -> dict[str, int]:
        """Numbers of the first of the six laws of each desired motion, by the names of the wrenches."""
        follow = {w.name: None for w in self.wrenches if isinstance(w.law, WrenchLaw) and w.law.kind == LAW.feedback}
        names = [f"{name}.{part}" for name in follow for part in DESIRED]
        for name in desired:
            if name not in names:
                raise InputError(f"a desired motion is given for '{name}', which no feedback law follows{nearest(name, names)}")
        result = {}
        for name in follow:
            numbers = [self._number(f"{name}.{part}", desired.get(f"{name}.{part}", constant(0.0))) for part in DESIRED]
            result[name] = numbers[0]
        return result

    @property
    def gives_power(self) -> bool:
        """Whether some law does work from outside."""
        laws = self.laws
        dead = (laws.kind == LAW.world_force) & laws.numbers[:, LOAD.moment : LOAD.moment + 3].any(axis=1)
        powers = np.isin(laws.kind, (LAW.thrust, LAW.user, LAW.feedback)) | (laws.factor >= 0) | dead | (laws.flows == 1)
        return bool(np.any(powers) or self._waves or np.any(laws.ties.rest_law >= 0) or np.any(laws.ties.tension_law >= 0))


def store_numbers(laws: WrenchLaws, row: int, wrench: CompiledWrench, gravity: np.ndarray) -> None:
    """The numbers of the law itself, which may be symbols."""
    numbers = wrench.law.parameters()
    laws.numbers[row, : len(numbers)] = numbers
    if isinstance(wrench.law, WetLaw):
        laws.numbers[row, WET.weight] = surface_weight(wrench.law, gravity, wrench.name)


def wheel_wrenches(compiled: CompiledRobot) -> list[CompiledWrench]:
    """Wheels whose contact is a law, as wrenches at the contact point: x along the heading, y along the axle, z up.

    For a steered wheel these are the axes at the steering angle zero.
    """
    result = []
    for wheel in compiled.wheels:
        if wheel.contact is not None:
            axes = np.column_stack([wheel.heading, wheel.axle, wheel.vertical])
            result.append(CompiledWrench(wheel.name, wheel.body, wheel.frame, axes, np.asarray(wheel.point), wheel.contact))
    return result
