"""The variables of an FMU: their names, units, value references and start values, for its description and for its C code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from locodyn.symbolic.function import Function, Group
from locodyn.symbolic.problem import PULL
from locodyn.symbolic.text import decimal

_CONSTANT = ("p", PULL)  # groups of inputs that do not change during a run
_BASE = ("kg", "m", "s", "rad")
_DERIVED = {"N": {"kg": 1, "m": 1, "s": -2}, "Pa": {"kg": 1, "m": -1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}}


@dataclass(frozen=True)
class Variable:
    """One number of an FMU. ``derivative``: the reference of the state whose rate it is."""

    reference: int
    name: str
    unit: str
    meaning: str
    causality: str
    start: float | None = None
    derivative: int | None = None


class Layout:
    """All variables of an FMU of a function ``forward`` or ``stabilised``, in the order of ``model.c``.

    ``start``: values of states and inputs by group and entry; what is left out starts at its default, or at zero. ``step`` s.
    """

    def __init__(self, function: Function, start: Mapping[str, Mapping[str, float]], step: float) -> None:
        self.function, self.step = function, step
        groups = {g.name: g for g in function.inputs}
        self.states = [groups["q"], groups["u"]]
        self.rates = list(function.outputs)
        self.parameters = [g for g in function.inputs if g.name in _CONSTANT]
        self.inputs = [g for g in function.inputs if g.name not in ("q", "u", *_CONSTANT)]
        self.n_states = sum(g.size for g in self.states)
        self.start = {g.name: _starts(g, start.get(g.name, {})) for g in (*self.states, *self.inputs, *self.parameters)}
        self.offsets: dict[str, int] = {}
        place = 1
        for group in (*self.states, *self.rates, *self.inputs, *self.parameters):
            self.offsets[group.name] = place
            place += group.size
        self.step_at = place

    def variables(self) -> list[Variable]:
        """The variables in the order of their references."""
        found = [Variable(0, "time", "s", "time", "independent")]
        for group in self.states:
            found += self._of(group, "output")
        names = [one.name for one in found[1:]]
        units = [(group, unit) for group in self.rates for unit in group.units]
        for i, (name, (group, unit)) in enumerate(zip(names, units, strict=True)):
            found.append(Variable(len(found), f"der({name})", unit, f"{group.meaning}", "local", None, 1 + i))
        for group in self.inputs:
            found += self._of(group, "input")
        for group in self.parameters:
            found += self._of(group, "parameter")
        words = "internal step of co-simulation: no step of the integrator is longer"
        return [*found, Variable(self.step_at, "internal_step", "s", words, "parameter", self.step)]

    def _of(self, group: Group, causality: str) -> list[Variable]:
        """``q.joint_1``, ``steering_front.angle``; a parameter has its own name."""
        first, starts = self.offsets[group.name], self.start[group.name]
        prefix = "" if group.name in _CONSTANT else f"{group.name}."
        return [
            Variable(first + i, f"{prefix}{entry}", unit, group.meaning, causality, starts[i])
            for i, (entry, unit) in enumerate(zip(group.entries, group.units, strict=True))
        ]

    def header(self, stem: str, token: str) -> str:
        """The file ``robot.h``: what ``model.c`` needs to know."""
        name = self.function.name
        everything = [f"(value) + {self.offsets[g.name]}" for g in self.function.inputs]
        change = [f"(change) + {self.offsets[g.name]}" for g in self.function.inputs]
        rates = [f"(rates) + {self.offsets[g.name] - self.offsets['qdot']}" for g in self.rates]
        state = [f"(value) + {self.offsets[g.name]}" for g in self.function.inputs if g.name in ("q", "u")]
        others = [f"(value) + {self.offsets[g.name]}" for g in self.function.inputs if g.name not in ("q", "u")]
        quaternions = [i for i, entry in enumerate(self.states[0].entries) if entry.endswith("qw")]
        lines = [
            f'#include "{stem}.h"',
            f"#define N_STATES {self.n_states}",
            f"#define N_INPUTS {sum(g.size for g in self.inputs)}",
            f"#define N_PARAMETERS {sum(g.size for g in self.parameters)}",
            f"#define START_STATES {self._braces(self.states)}",
            f"#define START_INPUTS {self._braces(self.inputs)}",
            f"#define START_PARAMETERS {self._braces(self.parameters)}",
            f"#define START_STEP {decimal(self.step)}",
            f"#define QUATERNIONS {{{', '.join(map(str, [*quaternions, -1]))}}}",
            f'#define TOKEN "{token}"',
            f"#define RATES(value, rates) {name}({', '.join([*everything, *rates])})",
            f"#define TANGENT(value, change, rates) {name}_tangent({', '.join([*everything, *change, *rates])})",
            f"#define STEP(h, value) {name}_step({', '.join(['h', *state, *others])})",
        ]
        return "\n".join(lines) + "\n"

    def _braces(self, groups: list[Group]) -> str:
        values = [decimal(x) for g in groups for x in self.start[g.name]]
        return "{" + ", ".join(values or ["0.0"]) + "}"  # C has no empty arrays


def _starts(group: Group, values: Mapping[str, float]) -> list[float]:
    usual = group.defaults or (0.0,) * group.size
    return [float(values.get(entry, value)) for entry, value in zip(group.entries, usual, strict=True)]


def unit_element(unit: str) -> ET.Element | None:
    """The definition of a unit by base units, as FMI has it; None of ``-`` and of what is not one product.

    >>> ET.tostring(unit_element("N m"), encoding="unicode")
    '<Unit name="N m"><BaseUnit kg="1" m="2" s="-2" /></Unit>'
    """
    powers = dict.fromkeys(_BASE, 0)
    for sign, part in zip((1, -1), [*unit.split("/"), ""][:2], strict=True):
        for factor in part.strip(" ()").split():
            found = re.fullmatch(r"([A-Za-z]+)(?:\^(\d+))?", factor)
            if factor == "1":
                continue
            if found is None or found[1] not in (*_BASE, *_DERIVED):
                return None
            for base, power in _DERIVED.get(found[1], {found[1]: 1}).items():
                powers[base] += sign * power * int(found[2] or 1)
    if not any(powers.values()):
        return None
    one = ET.Element("Unit", name=unit)
    ET.SubElement(one, "BaseUnit", {base: str(power) for base, power in powers.items() if power})
    return one
