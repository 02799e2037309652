"""A result as a scene and as charts; reports, plots, pictures, videos, viewer, studio; eigenvalues along a parameter."""

import importlib
from typing import Any

_HOMES = {
    "plot": "plots",
    "plot_eigenvalues": "eigenvalues",
    "report": "report_page",
    "picture": "film",
    "video": "film",
    "view": "viewer",
    "inline": "inline",
    "Studio": "studio",
    "scene_of": "scene",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'locodyn.view' has no attribute '{name}'")
    return getattr(importlib.import_module(f"locodyn.view.{_HOMES[name]}"), name)
