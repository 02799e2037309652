"""Kernels as seen from Python: one signature, fixed, so that a call costs little and never compiles by surprise."""

from __future__ import annotations

from typing import Any

import numpy as np

F1, F2, I1, I2, FLAGS = "float64[::1]", "float64[:,::1]", "int64[::1]", "int64[:,::1]", "int8[::1]"
_prepared: set[int] = set()


def prepared(kernel: Any, *arguments: str) -> Any:
    """Compile (or load) ``kernel`` for these argument types and for no others; a call with others raises TypeError."""
    if id(kernel) not in _prepared and hasattr(kernel, "compile"):
        kernel.compile(f"({', '.join(arguments)})")
        kernel.disable_compile()
        _prepared.add(id(kernel))
    return kernel


def vector(x: Any) -> np.ndarray:
    """A fresh writable contiguous float64 copy of ``x``, as kernels take it."""
    return np.array(x, dtype=np.float64, order="C")
