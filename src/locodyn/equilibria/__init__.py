"""Statics: equilibria, paths of them with folds and branches, shooting along rods, workspaces."""

from locodyn.equilibria.dynamic_shooting import DynamicShooting, FlownMotion, FreeShooting, ShotMotion, critical_step
from locodyn.equilibria.equilibrium_path import CriticalPoint, EquilibriumPath, branch, equilibrium_path
from locodyn.equilibria.shooting import StrongEquilibrium, shooting
from locodyn.equilibria.statics import Equilibrium, equilibrium, vibrations
from locodyn.equilibria.strong_motion import ShootingInTime, StrongMotion

__all__ = [
    "CriticalPoint",
    "DynamicShooting",
    "Equilibrium",
    "EquilibriumPath",
    "FlownMotion",
    "FreeShooting",
    "ShootingInTime",
    "ShotMotion",
    "StrongEquilibrium",
    "StrongMotion",
    "branch",
    "critical_step",
    "equilibrium",
    "equilibrium_path",
    "shooting",
    "vibrations",
]
