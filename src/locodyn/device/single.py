"""Steps in single precision: large tables in memory are float32, what is computed with them is float64.

A step waits for memory, not for arithmetic: threads of a card spend their time on loads. So ``dtype="float32"`` of a scenario
halves what most of them load and store, and keeps float64 in registers. A kernel stays as it is. Where its arrays are *kept
single* (:class:`SingleType`), reading one gives a float64, and writing one rounds it, once: with the unit round-off u = 2^-24 of
float32 (round to nearest), an entry that is stored is (1 + d) of what was computed, |d| <= u (Higham 2002, chapter 2).

What is kept so (:data:`KEPT`): recursions over the bodies, derivatives, and matrices that are solved with. They are most of the
memory of a robot, and what they give is right to some u of itself. What stays float64 is what sums up, what is differenced and
what decides: positions, velocities and states of laws, so that a small increment is not lost in a large coordinate, however long
a run is; time and what is a function of it; poses, constraint rows and their factors, so that loops and wheels are held as
closely as ever, and ranks are told as ever; the unknowns of implicit steps.

Iterations that come down to round-off end at that of float32. A kernel names its tolerances: in float64 they are what stands
beside these names, and nothing here is asked; in the life of a kernel in which tables are kept single, the names in
:data:`CONSTANTS` mean multiples of u. What such an iteration finds is a function of tables that are right to u, by sums along
chains of tens of bodies or slices. A sum of n rounded terms misses its value by at most n u times the sum of their sizes, to
first order, and as a rule by sqrt(n) u (Higham 2002, chapters 2 and 3). ``FEW`` is what that leaves of a correction, and
``MOST``, which is ours, of one whose forces cancel: a stiff robot whose strains nearly balance what they carry.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.typeconv.castgraph import Conversion
from numba.extending import lower_cast, register_model

# Fields by the names of their bundles.
KEPT = {
    kind: frozenset(names.split())
    for kind, names in {
        "WorkArrays": "work dof_work inverse composites columns matrix",
        "RowDynamics": "mass reduced composites full_mass",
        "Tangent": (
            "by_q by_v by_a inverse work dof_work poses local motions composites slopes rate_slopes by_z rate_by_q rate_by_v"
            " rate_by_z jacobian other_jacobian held geometry product columns"
        ),
        "NewtonMatrix": "real pair slopes real_memory pair_memory",
        "EndOnRows": "matrix",
        "StageLanes": "work",
    }.items()
}

ROUNDING = 2.0**-24
FEW, MOST = 16.0 * ROUNDING, 1024.0 * ROUNDING
CONSTANTS: dict[str, dict[str, float]] = {
    # Newton's corrections, relative to accelerations: none is smaller; the least error that is asked for; one that stands still.
    "locodyn.integrate.implicit.newton": {"ROUND_OFF": FEW, "LEAST_TOLERANCE": ROUNDING, "SLOWED": MOST, "STANDS": MOST},
}


class SingleType(types.Type):
    """Element type of arrays that are kept single; ``wide``, what reading gives."""

    def __init__(self, wide: Any) -> None:
        self.wide = wide
        super().__init__(name=f"Single({wide})")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Numbers are rounded when they are written."""
        return Conversion.unsafe if isinstance(other, (types.Number, types.Boolean)) else None


class SingleFloat(SingleType):
    """A float32 in memory."""

    def __init__(self) -> None:
        super().__init__(types.float64)


class SingleComplex(SingleType):
    """Two of them."""

    underlying_float: Any = SingleFloat()

    def __init__(self) -> None:
        super().__init__(types.complex128)


single, single_complex = SingleFloat(), SingleComplex()
_NARROW = {types.float64: single, types.complex128: single_complex}


@register_model(SingleFloat)
class _SingleModel(models.PrimitiveModel):
    """Double in registers, float in memory."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.DoubleType())

    def get_data_type(self) -> Any:
        return ir.FloatType()

    def as_data(self, builder: Any, value: Any) -> Any:
        return builder.fptrunc(value, ir.FloatType())

    def from_data(self, builder: Any, value: Any) -> Any:
        return builder.fpext(value, ir.DoubleType())


register_model(SingleComplex)(models.ComplexModel)


@lower_cast(types.Number, SingleFloat)
@lower_cast(types.Boolean, SingleFloat)
@lower_cast(types.Number, SingleComplex)
@lower_cast(types.Boolean, SingleComplex)
def _cast_to_single(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return context.cast(builder, value, fromty, toty.wide)


def read_wide(context: Any) -> None:
    """Let ``a[i]`` of arrays that are kept single be a number like others, in all that a typing context reads from now on."""
    function = context.resolve_value_type(operator.getitem)
    look_up = function.get_call_type
    if getattr(look_up, "reads_wide", False):
        return

    def get_call_type(context: Any, arguments: Any, keywords: Any) -> Any:
        found = look_up(context, arguments, keywords)
        if found is None or not isinstance(found.return_type, SingleType):
            return found
        return found.replace(return_type=found.return_type.wide)

    get_call_type.reads_wide = True  # type: ignore[attr-defined]
    function.__dict__["get_call_type"] = get_call_type


# ------------------------------------------------------------------------------------------------------- what is kept so
def is_kept_single(kind: str, name: str) -> bool:
    """Whether a field of a bundle is kept single."""
    return name in KEPT.get(kind, ())


def narrow_type(of: Any) -> Any:
    """The Numba type of an array that is kept single."""
    return types.Array(_NARROW[of.dtype], of.ndim, of.layout)


def single_constants(module: str) -> dict[str, Any]:
    """What names of a module mean to kernels whose tables are kept single."""
    return CONSTANTS.get(module, {})
