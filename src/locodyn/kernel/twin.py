"""Lives of a kernel in plain Python: the same code object, with other primitives.

``twin(kernel)``, the symbolic life, is a function with the code of the kernel whose global names resolve to the twins of the
kernels it calls, and whose primitives (``sincos``, ``sqrt``, ``select_lt``, ``lit``) follow the type of their argument. The life
on float64 is made in the same way (:mod:`locodyn.kernel.plain`).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from locodyn.kernel.primitives import TWINS


class Life:
    """Plain Python functions with the code of kernels, for one kind of numbers.

    ``primitives``: what stands there for the primitives of kernels. ``number``: what constants become.
    """

    def __init__(self, primitives: dict[Any, Any], number: Callable[[float], Any] | None = None) -> None:
        self._known: dict[Any, Callable[..., Any]] = dict(primitives)
        self._number = number

    def register(self, kernel: Any, plain: Callable[..., Any]) -> None:
        """Let ``plain`` stand for ``kernel``."""
        self._known[kernel] = plain

    def __call__(self, kernel: Any) -> Callable[..., Any]:
        """The function with the code of ``kernel`` in this life."""
        if kernel in self._known:
            return self._known[kernel]
        function = kernel.py_func
        scope: dict[str, Any] = {}
        closure = None
        if function.__closure__:
            closure = tuple(types.CellType(self.seen(cell.cell_contents)) for cell in function.__closure__)
        code = function.__code__
        if self._number is not None:
            code = code.replace(co_consts=self._numbers(code.co_consts))
        plain = types.FunctionType(code, scope, function.__name__, function.__defaults__, closure)
        self._known[kernel] = plain  # before the scope is filled: kernels may call each other
        scope.update({name: self.seen(value) for name, value in function.__globals__.items()})
        return plain

    def seen(self, value: Any) -> Any:
        """What a kernel or primitive, a tuple or module of them, or a constant is in this life; other values as they are."""
        if isinstance(value, types.ModuleType):
            return _ModuleInLife(self, value) if value.__name__.startswith("locodyn.") else value
        if isinstance(value, tuple) and not hasattr(value, "_fields"):  # a record is plain data
            return tuple(self.seen(v) for v in value)
        if isinstance(value, float):
            return self._numbers((value,))[0]
        try:
            known = self._known.get(value)
        except TypeError:  # unhashable: plain data
            return value
        if known is not None:
            return known
        return self(value) if hasattr(value, "py_func") else value

    def _numbers(self, constants: tuple[Any, ...]) -> tuple[Any, ...]:
        """Constants, with tuples of them, in the numbers of this life."""
        if self._number is None:
            return constants
        inner = (self._numbers(one) if isinstance(one, tuple) else one for one in constants)
        return tuple(self._number(one) if isinstance(one, float) else one for one in inner)


class _ModuleInLife:
    """A module of kernels (``so3.exp_quaternion``) whose attributes are seen in a life."""

    def __init__(self, life: Life, module: types.ModuleType) -> None:
        self._life, self._module = life, module

    def __getattr__(self, name: str) -> Any:
        return self._life.seen(getattr(self._module, name))


_symbolic = Life(TWINS)


def register_twin(kernel: Any, plain: Callable[..., Any]) -> None:
    """Let ``plain`` stand for ``kernel`` in the symbolic life, in place of the code of the kernel itself.

    For kernels that approximate a function which the symbolic engines know by name. To be called next to the kernel's
    definition, before the twin of any kernel that calls it is built.
    """
    _symbolic.register(kernel, plain)


def twin(kernel: Any) -> Callable[..., Any]:
    """Plain Python function with the code of ``kernel``, for symbols, complex numbers and object arrays."""
    return _symbolic(kernel)
