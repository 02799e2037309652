"""The symbolic life of a kernel: the same code object, run as plain Python on symbols.

``twin(kernel)`` is a function with the code of the kernel whose global names resolve to the twins of the kernels it calls,
and whose primitives (``sincos``, ``sqrt``, ``select_lt``, ``lit``) follow the type of their argument.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from locodyn.kernel.primitives import TWINS

_known: dict[Any, Callable[..., Any]] = dict(TWINS)


def _is_kernel(value: Any) -> bool:
    return hasattr(value, "py_func")


def register_twin(kernel: Any, plain: Callable[..., Any]) -> None:
    """Let ``plain`` stand for ``kernel`` in the symbolic life, in place of the code of the kernel itself.

    For kernels that approximate a function which the symbolic engines know by name. To be called next to the kernel's
    definition, before the twin of any kernel that calls it is built.
    """
    _known[kernel] = plain


class _ModuleTwin:
    """A module of kernels (``so3.exp_quaternion``) whose attributes are their twins."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _twin_of(getattr(self._module, name))


def _twin_of(value: Any) -> Any:
    """Twin of a kernel or primitive, a tuple or module of them, or the value itself."""
    if isinstance(value, types.ModuleType):
        return _ModuleTwin(value) if value.__name__.startswith("locodyn.") else value
    if isinstance(value, tuple) and not hasattr(value, "_fields"):  # a record is plain data
        return tuple(_twin_of(v) for v in value)
    try:
        known = _known.get(value)
    except TypeError:  # unhashable: plain data
        return value
    if known is not None:
        return known
    return twin(value) if _is_kernel(value) else value


def twin(kernel: Any) -> Callable[..., Any]:
    """Plain Python function with the code of ``kernel``, for symbols, complex numbers and object arrays."""
    if kernel in _known:
        return _known[kernel]
    function = kernel.py_func
    scope: dict[str, Any] = {}
    closure = None
    if function.__closure__:
        closure = tuple(types.CellType(_twin_of(cell.cell_contents)) for cell in function.__closure__)
    plain = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    _known[kernel] = plain  # before the scope is filled: kernels may call each other
    scope.update({name: _twin_of(value) for name, value in function.__globals__.items()})
    return plain
