"""Time integration: methods that declare themselves, and what runs them. Names load when they are first used."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "METHODS": "locodyn.integrate.methods",
    "Method": "locodyn.integrate.base",
    "Solution": "locodyn.integrate.base",
    "Feature": "locodyn.integrate.features",
    "StabilityWarning": "locodyn.integrate.choice",
    "solve": "locodyn.integrate.initial_value",
}

__all__ = ["METHODS", "Feature", "Method", "Solution", "StabilityWarning", "solve"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'locodyn.integrate' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
