"""Kernels as seen from Python: one signature, fixed, so that a call costs little and never compiles by surprise."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel.plain import NotCompiled

F1, F2, FLAGS = "float64[::1]", "float64[:,::1]", "int8[::1]"
_prepared: set[int] = set()


def prepared(kernel: Any, *arguments: str) -> Any:
    """Compile (or load) ``kernel`` for these argument types and for no others; a call with others raises TypeError.

    It is given back as it is where it shall not be compiled: then a call runs it in its plain life.
    """
    if id(kernel) not in _prepared and hasattr(kernel, "compile"):
        try:
            kernel.compile(f"({', '.join(arguments)})")
        except NotCompiled:
            return kernel
        kernel.disable_compile()
        _prepared.add(id(kernel))
    return kernel


def is_prepared(kernel: Any) -> bool:
    """Whether a kernel has been compiled, or loaded, for the one signature that it has."""
    return id(kernel) in _prepared


def numbers(x: Any, name: str) -> np.ndarray:
    """A fresh, writable, contiguous float64 copy of the vector ``x`` as kernels take it, or InputError that names it."""
    try:
        result = np.array(x, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{name} is not an array of numbers.") from None
    if result.ndim != 1:
        raise InputError(f"{name} has shape {result.shape}; it must be one row of numbers.")
    if not np.isfinite(result).all():
        raise InputError(f"{name} holds NaN or infinity; all its entries must be finite.")
    return result
