"""A function in closed form: named inputs and outputs with units, and the program between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.symbolic.engines import casadi_functions, to_sympy
from locodyn.symbolic.program import Program


@dataclass(frozen=True)
class Group:
    """One input or output: an array of this shape, row by row, with a name, a unit and a symbol (inputs) for each entry."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[str, ...]
    units: tuple[str, ...]
    meaning: str
    symbols: tuple[str, ...] = ()
    defaults: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)


@dataclass(frozen=True)
class Function:
    """A function from arrays to arrays.

    Parameters
    ----------
    name : str
    summary : str
        What it computes, in a line.
    inputs, outputs : groups of numbers, in order
    program : Program
        Its outputs are those of ``outputs``, one after the other.
    notes : sentences for the reader of a generated file
    """

    name: str
    summary: str
    inputs: tuple[Group, ...]
    outputs: tuple[Group, ...]
    program: Program
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def _compiled(self) -> Any:
        from locodyn.symbolic.write_python import python_source

        scope: dict[str, Any] = {}
        exec(compile(python_source(self), f"<{self.name}>", "exec"), scope)
        return scope[self.name]

    def __call__(self, *arrays: Any, **named: Any) -> tuple[np.ndarray, ...]:
        """The outputs as arrays, for the inputs in order or by name; a parameter vector that is left out has its defaults."""
        values = dict(zip([g.name for g in self.inputs], arrays, strict=False)) | named
        arguments = []
        for group in self.inputs:
            value = values.pop(group.name, group.defaults if group.defaults else None)
            if value is None:
                raise InputError(f"'{self.name}' needs the input '{group.name}' ({group.size} numbers).")
            arguments.append(np.asarray(value, dtype=float).reshape(-1))
            if arguments[-1].shape != (group.size,):
                raise InputError(
                    f"input '{group.name}' of '{self.name}' has {arguments[-1].size} numbers; it must have {group.size}."
                )
        if values:
            raise InputError(
                f"'{self.name}' has no input '{next(iter(values))}'; it has {', '.join(g.name for g in self.inputs)}."
            )
        found = self._compiled(*arguments)
        return found if isinstance(found, tuple) else (found,)

    def symbol_places(self, form: str = "{name}[{index}]", first: int = 0) -> dict[str, str]:
        """How each symbol is reached in the input arrays."""
        return {
            symbol: form.format(name=group.name, index=i + first)
            for group in self.inputs
            for i, symbol in enumerate(group.symbols)
        }

    def slices(self) -> list[tuple[Group, list[int]]]:
        """For each output, the numbers of its entries among the outputs of the program."""
        found, start = [], 0
        for group in self.outputs:
            found.append((group, list(range(start, start + group.size))))
            start += group.size
        return found

    # ------------------------------------------------------------------------------------------------------ other engines
    def sympy(self) -> dict[str, Any]:
        """The outputs by name as SymPy matrices, written out in full; numbers become rationals where they are short."""
        import sympy

        found = to_sympy(self.program)
        return {g.name: sympy.Matrix(*_matrix(g.shape), [found[i] for i in places]) for g, places in self.slices()}

    def casadi(self) -> Any:
        """The same as ``casadi.Function``, with the inputs and outputs by name: it has derivatives of any order."""
        import casadi

        inputs = [casadi.SX.sym(group.name, group.size) for group in self.inputs]
        values = {s: x[i] for group, x in zip(self.inputs, inputs, strict=True) for i, s in enumerate(group.symbols)}
        found = self.program.run(values, casadi_functions())
        outputs = [
            casadi.reshape(casadi.vertcat(*(found[i] for i in places)), *_matrix(g.shape)[::-1]).T for g, places in self.slices()
        ]
        return casadi.Function(self.name, inputs, outputs, [g.name for g in self.inputs], [g.name for g in self.outputs])


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of an output: a vector is a column."""
    return (shape[0], shape[1]) if len(shape) == 2 else (prod(shape), 1)
