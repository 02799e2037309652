"""Time integration: methods that declare themselves, and what runs them. Names load when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.integrate.base import Method as Method, Past as Past, Solution as Solution, Watch as Watch
    from locodyn.integrate.choice import StabilityWarning as StabilityWarning
    from locodyn.integrate.features import Feature as Feature
    from locodyn.integrate.initial_value import solve as solve
    from locodyn.integrate.methods import (
        HHT as HHT,
        METHODS as METHODS,
        RKMK4 as RKMK4,
        WBZ as WBZ,
        Adams as Adams,
        Adaptive as Adaptive,
        EnergyMomentum as EnergyMomentum,
        EventDriven as EventDriven,
        Gauss2 as Gauss2,
        GeneralizedAlpha as GeneralizedAlpha,
        ImplicitEuler as ImplicitEuler,
        Moreau as Moreau,
        Newmark as Newmark,
        QuasiStatic as QuasiStatic,
        Radau3 as Radau3,
        RadauAdaptive as RadauAdaptive,
        Variational as Variational,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
