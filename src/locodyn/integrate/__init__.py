"""Time integration: Lie-group Runge-Kutta, adaptive, variational."""

from locodyn.integrate.base import METHODS, Method, Solution
from locodyn.integrate.choice import StabilityWarning
from locodyn.integrate.solve import solve

__all__ = ["METHODS", "Method", "Solution", "StabilityWarning", "solve"]
