"""Plots and reports of a result."""

from typing import Any

__all__ = ["plot", "report"]


def __getattr__(name: str) -> Any:
    if name == "plot":
        from locodyn.view.plots import plot

        return plot
    if name == "report":
        from locodyn.view.report import report

        return report
    raise AttributeError(f"module 'locodyn.view' has no attribute '{name}'")
