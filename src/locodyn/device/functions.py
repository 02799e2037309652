"""What stands in for others on a card: for functions of the C library, and for kernels that need more memory."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from locodyn.kernel import exp, lit, portable, select_lt
from locodyn.kernel.exponential import decay


@portable
def exponential(x):
    """e^x to 1e-15. On the processor it is the C library's, so that the last bits may differ."""
    zero = lit(x, 0.0)
    falling = decay(select_lt(x, zero, -x, x))
    return select_lt(x, zero, falling, lit(x, 1.0) / falling)


_FUNCTIONS = {exp: exponential}
_LANES, _TURNS = "locodyn.integrate.implicit.lanes", "locodyn.integrate.implicit.stages_in_turn"
# Kernels with the same results that keep less in memory, by name: they are in rooms below this one.
_LEAN = {
    ("locodyn.contact.recursion", "recursive_velocity"): ("locodyn.contact.lean_recursion", "lean_velocity_on_card"),
    ("locodyn.dynamics.forward_dynamics", "hybrid_dynamics"): ("locodyn.dynamics.lean_dynamics", "lean_on_card"),
    (_LANES, "scheme_in_lanes"): (_TURNS, "no_scheme_on_card"),
    (_LANES, "evaluate_in_lanes"): (_TURNS, "evaluate_on_card"),
    (_LANES, "pack_factors"): (_TURNS, "order_on_card"),
    (_LANES, "correct_in_lanes"): (_TURNS, "correct_on_card"),
    ("locodyn.dynamics.joint_laws", "joint_forces"): ("locodyn.dynamics.lean_steps", "joint_forces_on_card"),
    ("locodyn.shape.configuration", "moved_configuration"): ("locodyn.dynamics.lean_steps", "moved_on_card"),
    ("locodyn.shape.configuration", "step_rate"): ("locodyn.dynamics.lean_steps", "step_rate_on_card"),
}
# Where tables are kept single (:mod:`locodyn.device.single`).
_SINGLE = {
    ("locodyn.kernel.swap", "bring"): ("locodyn.device.views", "bring_on_card"),
    ("locodyn.kernel.swap", "take"): ("locodyn.device.views", "take_on_card"),
}


def stand_in_files() -> list[Path]:
    """Sources of the kernels that stand in for others: code that calls those names these."""
    modules = sorted({module for module, _ in (*_LEAN.values(), *_SINGLE.values())})
    found = (importlib.util.find_spec(module) for module in modules)
    return [Path(one.origin).resolve() for one in found if one is not None and one.origin is not None]


def stand_in(value: Any, asked_by: str = "", single: bool = False) -> Any:
    """What a card runs in place of a function or kernel; the value itself where it has no other.

    ``asked_by``: the module that asks. One with kernels that stand in for others gets these others. ``single``: tables may be
    kept single.
    """
    try:
        value = _FUNCTIONS.get(value, value)
    except TypeError:  # unhashable: plain data
        return value
    function = getattr(value, "py_func", None)
    known = _LEAN | _SINGLE if single else _LEAN
    lean = known.get((function.__module__, function.__name__)) if function is not None else None
    return value if lean is None or lean[0] == asked_by else getattr(importlib.import_module(lean[0]), lean[1])
