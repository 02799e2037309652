"""Bundles on a device: tables that LLVM reads while it compiles, and the memory of one robot behind them.

All robots of a batch have arrays of the same shapes at the same distances from the start of their memory. The tables of a device
therefore hold distances, not addresses, and are a constant of the program: where LLVM knows which table a kernel is given, and it
nearly always does, distances and extents become numbers in the code, and nothing is looked up.

    a number      lies in the memory of the robot, at the distance that stands in front of its table
    an array      its distance: from the start of the memory of the robot, or, made negative by ``SHARED``, from the start of what
                  all robots read; then its extents
    a bundle      the distance of its table from the first one
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import models, register_model

from locodyn.device.single import is_kept_single, narrow_type
from locodyn.kernel.bundle import BundleType
from locodyn.kernel.handle import view_at

TABLES = "locodyn_tables"
OWN = "locodyn_own"  # function: where the memory of the robot begins
COMMON = "locodyn_common"  # function: where the memory that robots share begins
SHARED = -(2**62)

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)


class DeviceBundleType(BundleType):
    """Type of a bundle on a device."""

    def get(self, context: Any, builder: Any, table: Any, name: str) -> Any:
        """LLVM value of a field, from the pointer to the table."""
        of, word = self.entries[name]
        if isinstance(of, types.Number):
            return builder.load(self.number(context, builder, table, name))
        distance = _word(builder, table, word)
        if isinstance(of, BundleType):
            known = builder.module.globals.get(TABLES)
            tables = known or cgutils.add_global_variable(builder.module, _BYTE, TABLES)
            return builder.gep(tables, [distance])
        shared = builder.icmp_signed("<", distance, ir.Constant(_WORD, 0))
        private = builder.gep(_start(builder, OWN), [distance])
        common = builder.gep(_start(builder, COMMON), [builder.sub(distance, ir.Constant(_WORD, SHARED))])
        return view_at(context, builder, of, builder.select(shared, common, private), self.extents(builder, table, name))

    def number(self, context: Any, builder: Any, table: Any, name: str) -> Any:
        """LLVM pointer to a number."""
        of, word = self.entries[name]
        distance = builder.add(_word(builder, table, -1), ir.Constant(_WORD, 8 * word))
        return builder.bitcast(builder.gep(_start(builder, OWN), [distance]), context.get_value_type(of).as_pointer())


@register_model(DeviceBundleType)
class _DeviceBundleModel(models.OpaqueModel):
    """One pointer, to its table."""


def device_type(of: Any, single: bool = False) -> Any:
    """The type of an argument on a device: that of bundles changes, with the bundles in them; ``single``: and with tables."""
    if not isinstance(of, BundleType):
        return of
    entries = tuple((name, _field_type(of.kind, name, one, single), word) for name, (one, word) in of.entries.items())
    return DeviceBundleType(f"Device{of.kind}", entries, of.columns)


def _field_type(kind: str, name: str, of: Any, single: bool) -> Any:
    return narrow_type(of) if single and is_kept_single(kind, name) else device_type(of, single)


def _word(builder: Any, table: Any, number: int) -> Any:
    place = builder.gep(builder.bitcast(table, _WORD.as_pointer()), [ir.Constant(_WORD, number)])
    found = builder.load(place)
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


def _start(builder: Any, name: str) -> Any:
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_BYTE.as_pointer(), []), name)
    return builder.call(function, [])
