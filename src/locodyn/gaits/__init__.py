"""Gaits: closed paths in the space of shapes, what they do to the robot, and how to find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.gaits.backbone import Backbone as Backbone, fit_backbone as fit_backbone, gait_along as gait_along
    from locodyn.gaits.body_mobility import BodyMobility as BodyMobility, admissible_rates as admissible_rates
    from locodyn.gaits.body_modules import ModuleGait as ModuleGait, module_gait as module_gait
    from locodyn.gaits.body_waves import (
        BODY_GAITS as BODY_GAITS,
        BodyGait as BodyGait,
        Turn as Turn,
        concertina as concertina,
        helix as helix,
        lateral_undulation as lateral_undulation,
        omega_bend as omega_bend,
        peristalsis as peristalsis,
        rolling as rolling,
        shearing_undulation as shearing_undulation,
        sidewinding as sidewinding,
    )
    from locodyn.gaits.gait import Gait as Gait, gait as gait
    from locodyn.gaits.harmonics import harmonic_gait as harmonic_gait
    from locodyn.gaits.local_curvature import curvature as curvature, curvature_grid as curvature_grid
    from locodyn.gaits.pattern_generator import Command as Command, pattern_generator as pattern_generator
    from locodyn.gaits.reconstruction import (
        Displacement as Displacement,
        area_displacement as area_displacement,
        net_displacement as net_displacement,
    )
    from locodyn.gaits.search import InverseGait as InverseGait, inverse_gait as inverse_gait
    from locodyn.gaits.serpenoid import (
        joint_waves as joint_waves,
        serpenoid_curve as serpenoid_curve,
        serpenoid_gait as serpenoid_gait,
        serpenoid_heading as serpenoid_heading,
    )
    from locodyn.gaits.snake_gaits import SNAKE_GAITS as SNAKE_GAITS, snake_gait as snake_gait, soften as soften
    from locodyn.gaits.gait import gait_transitions as gait_transitions
    from locodyn.locomotion.connection import Connection as Connection, connection as connection
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
