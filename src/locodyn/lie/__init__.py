"""SO(3), SE(3), SE(2), R^3 and R: exp, log, Ad, ad, tangent maps and their derivatives, exact to round-off at zero and pi.

``SO3``, ``SE3``, ``SE2``, ``R3``, ``R1`` work on NumPy arrays of any leading batch shape. Kernels take their functions from
``locodyn.lie.so3``, ``locodyn.lie.se3`` and ``locodyn.lie.se2``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from locodyn.lie.groups import R1, R3, SE2, SE3, SO3

__all__ = ["R1", "R3", "SE2", "SE3", "SO3"]


def __getattr__(name: str) -> Any:
    # The compiler loads when a group is used, not when the library is imported.
    if name in __all__:
        from locodyn.lie import groups

        return getattr(groups, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
