"""Time integration: methods that declare themselves, and what runs them. Names load when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.integrate.base import Method as Method, Solution as Solution
    from locodyn.integrate.choice import StabilityWarning as StabilityWarning
    from locodyn.integrate.features import Feature as Feature
    from locodyn.integrate.initial_value import solve as solve
    from locodyn.integrate.methods import METHODS as METHODS
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
