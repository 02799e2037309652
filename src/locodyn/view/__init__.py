"""A result as a scene and as charts; reports, plots, pictures, videos, viewer, studio; eigenvalues along a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.view.eigenvalues import plot_eigenvalues as plot_eigenvalues
    from locodyn.view.film import picture as picture, video as video
    from locodyn.view.modulus import plot_modulus as plot_modulus
    from locodyn.view.viewer import inline as inline
    from locodyn.view.plots import plot as plot
    from locodyn.view.report_page import report as report
    from locodyn.view.scene import scene_of as scene_of
    from locodyn.view.studio import Studio as Studio
    from locodyn.view.viewer import view as view
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
