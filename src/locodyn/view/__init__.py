"""Plots and reports of a result; eigenvalues along a parameter."""

from typing import Any

__all__ = ["plot", "plot_eigenvalues", "report"]


def __getattr__(name: str) -> Any:
    if name == "plot":
        from locodyn.view.plots import plot

        return plot
    if name == "plot_eigenvalues":
        from locodyn.view.eigenvalues import plot_eigenvalues

        return plot_eigenvalues
    if name == "report":
        from locodyn.view.report import report

        return report
    raise AttributeError(f"module 'locodyn.view' has no attribute '{name}'")
