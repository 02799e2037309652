"""Names and units of the inputs and outputs of functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.robot.layout import (
    ANGULAR,
    CHAMBER,
    CODE,
    COUNT_V,
    FIRST_Q,
    FIRST_V,
    FREE,
    MUSCLE,
    NQ,
    PLANAR,
    SPHERICAL,
    SPRING,
    TENDON,
)  # fmt: skip
from locodyn.symbolic.expression import Expression
from locodyn.symbolic.function import Group
from locodyn.symbolic.model import SymbolicModel, plain
from locodyn.symbolic.parameters import ParameterSymbol
from locodyn.symbolic.problem import PULL, WRENCH, SymbolicProblem
from locodyn.symbolic.rows import LAW_PARTS

_LAW_UNITS = {
    "steering": ("rad", "rad/s"), "torque": ("N m",), "rolling": ("rad/s", "rad/s^2"), "speed": ("m/s", "m/s^2"),
}  # fmt: skip
_STRAND_UNITS = {TENDON: "N", SPRING: "m", CHAMBER: "Pa", MUSCLE: "-"}
# Functions of positions, of all speeds v and accelerations a; the others are functions of the independent speeds u.
OF_ALL_SPEEDS = {
    "inverse": "va", "mass_matrix": "", "bias": "v", "constraints": "v", "jacobian": "v", "energy": "v", "sensors": "va",
}  # fmt: skip


def position_units(model: SymbolicModel) -> list[str]:
    """m, rad, or - (quaternions) for each position."""
    units = [""] * model.nq
    for frame in model.frames:
        first, code, count = int(frame[FIRST_Q]), int(frame[CODE]), int(frame[COUNT_V])
        if code in (FREE, SPHERICAL):
            linear = 3 if code == FREE else 0
            units[first : first + NQ[code]] = ["m"] * linear + ["-"] * 4
        elif code == PLANAR:
            units[first : first + 3] = ["m", "m", "rad"]
        else:
            units[first : first + count] = _turns(model, range(int(frame[FIRST_V]), int(frame[FIRST_V]) + count), "rad", "m")
    return units


def _turns(model: SymbolicModel, coordinates: Any, angular: str, linear: str) -> list[str]:
    return [angular if model.dof_constants[i, ANGULAR] != 0 else linear for i in coordinates]


class InputGroups:
    """The inputs of a function of a problem."""

    def __init__(self, problem: SymbolicProblem, parameters: Sequence[ParameterSymbol], what: str) -> None:
        self.problem, self.parameters, self.what = problem, parameters, what

    def groups(self, used: set[str]) -> tuple[Group, ...]:
        """States and forces that a function of this kind takes, in full; laws and wrenches if they enter; parameters."""
        p, m = self.problem, self.problem.model
        names, everything = m.compiled.coordinate_names, range(m.nv)
        found = [self._coordinates("q", m.compiled.position_names, position_units(m), "positions")]
        if self.what in OF_ALL_SPEEDS:
            found.append(self._coordinates("v", names, _turns(m, everything, "rad/s", "m/s"), "velocities"))
            found.append(self._coordinates("a", names, _turns(m, everything, "rad/s^2", "m/s^2"), "accelerations"))
            found = [g for g in found if g.name in "q" + OF_ALL_SPEEDS[self.what]]
        else:
            speeds = [names[i] for i in p.independent]
            found.append(self._coordinates("u", speeds, _turns(m, p.independent, "rad/s", "m/s"), "independent speeds"))
            found += self._imposed(names)
            if self.what != "speeds":
                forces = [names[i] for i in p.forces]
                found.append(
                    self._coordinates("tau", forces, _turns(m, p.forces, "N m", "N"), "forces of the motors of the joints")
                )
        found += [group for group in (*self._strands(), *self._laws(), *self._wrenches()) if used & set(group.symbols)]
        if self.what == "stabilised":
            found.append(Group(PULL, (1,), (PULL,), ("1/s",), "rate at which gaps of loops close", (PULL,)))
        if self.parameters:
            found.append(
                Group(
                    "p",
                    (len(self.parameters),),
                    tuple(x.name for x in self.parameters),
                    tuple(x.unit for x in self.parameters),
                    "parameters",
                    tuple(x.name for x in self.parameters),
                    tuple(x.value for x in self.parameters),
                )
            )
        return tuple(g for g in found if g.size)

    def _imposed(self, names: Sequence[str]) -> list[Group]:
        """Speeds and accelerations of the coordinates whose motion is given."""
        p, imposed = self.problem, [names[i] for i in self.problem.imposed]
        speeds = self._coordinates("v", imposed, _turns(p.model, p.imposed, "rad/s", "m/s"), "speeds that are given")
        rates = self._coordinates("a", imposed, _turns(p.model, p.imposed, "rad/s^2", "m/s^2"), "accelerations that are given")
        found = [replace(speeds, name="v_given"), replace(rates, name="a_given")]
        return found[:1] if self.what == "speeds" else found

    @staticmethod
    def _coordinates(letter: str, names: Sequence[str], units: Sequence[str], meaning: str) -> Group:
        symbols = tuple(f"{letter}_{plain(name)}" for name in names)
        return Group(letter, (len(names),), tuple(names), tuple(units), meaning, symbols)

    def _strands(self) -> list[Group]:
        """What pulls tendons, fills chambers and excites muscles."""
        robot = self.problem.model.compiled
        units = [_STRAND_UNITS[int(kind)] for kind in robot.strands[:, 0]]
        meaning = "tensions, free lengths, pressures, activations of the strands"
        return [replace(self._coordinates("strand", robot.strand_names, units, meaning), name="strands")]

    def _laws(self) -> list[Group]:
        found = []
        for (name, role), row in zip(self.problem.rows.law_roles, self.problem.rows.laws, strict=True):
            symbols = tuple(x.names[0] for x in row if isinstance(x, Expression))
            entries = tuple(part.replace("_", " ") for part in LAW_PARTS[role].values())
            found.append(Group(f"{role}_{plain(name)}", (len(symbols),), entries, _LAW_UNITS[role], f"{role} of {name}", symbols))
        return found

    def _wrenches(self) -> list[Group]:
        units = ("N",) * 3 + ("N m",) * 3
        return [
            Group(
                f"wrench_{plain(n)}",
                (6,),
                WRENCH,
                units,
                f"wrench on {n}, in its axes, about its origin",
                tuple(x.names[0] for x in s),
            )
            for n, s in self.problem.wrenches.items()
        ]


def output(p: SymbolicProblem, name: str, kind: str, meaning: str, values: Any) -> tuple[Group, np.ndarray]:
    """An output with its values."""
    m, values = p.model, np.asarray(values, dtype=object)
    all_names, everything = p.names, range(m.nv)
    speeds = [p.names[i] for i in p.independent] if kind in ("reduced_force", "speed_rate") else []
    entries, units = {
        "force": lambda: (all_names, _turns(m, everything, "N m", "N")),
        "velocity": lambda: (all_names, _turns(m, everything, "rad/s", "m/s")),
        "position_rate": lambda: (m.compiled.position_names, [f"{u}/s" if u != "-" else "1/s" for u in position_units(m)]),
        "speed_rate": lambda: (speeds, _turns(m, p.independent, "rad/s^2", "m/s^2")),
        "reduced_force": lambda: (speeds, _turns(m, p.independent, "N m", "N")),
        "rows": lambda: (p.rows.names, ["SI"] * len(p.rows.names)),
        "xyz": lambda: (("x", "y", "z"), ["m"] * 3),
        "twist": lambda: (("vx", "vy", "vz", "wx", "wy", "wz"), ["m/s"] * 3 + ["rad/s"] * 3),
        "twist_rate": lambda: (("vx", "vy", "vz", "wx", "wy", "wz"), ["m/s^2"] * 3 + ["rad/s^2"] * 3),
        "matrix": lambda: ((), ()),
        "energy": lambda: ((), ()),
    }[kind]()
    return Group(name, values.shape, tuple(entries), tuple(units), meaning), values
