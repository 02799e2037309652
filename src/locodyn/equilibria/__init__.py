"""Statics: equilibria, paths of them with folds and branches, shooting along rods, workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.equilibria.critical_step import critical_step as critical_step
    from locodyn.equilibria.equilibrium_path import (
        CriticalPoint as CriticalPoint,
        EquilibriumPath as EquilibriumPath,
        branch as branch,
        equilibrium_path as equilibrium_path,
    )
    from locodyn.equilibria.shooting import StrongEquilibrium as StrongEquilibrium, shooting as shooting
    from locodyn.equilibria.statics import Equilibrium as Equilibrium, equilibrium as equilibrium, vibrations as vibrations
    from locodyn.equilibria.strong_motion import ShootingInTime as ShootingInTime, StrongMotion as StrongMotion
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
