"""Gaits: closed paths in the space of shapes, what they do to the robot, and how to find them."""

from locodyn.gaits.backbone import Backbone, fit_backbone, gait_along
from locodyn.gaits.body_mobility import BodyMobility, admissible_rates
from locodyn.gaits.body_waves import (
    BODY_GAITS,
    BodyGait,
    Turn,
    concertina,
    helix,
    lateral_undulation,
    omega_bend,
    peristalsis,
    rolling,
    shearing_undulation,
    sidewinding,
)
from locodyn.gaits.gait import Gait, gait
from locodyn.gaits.harmonics import harmonic_gait
from locodyn.gaits.local_curvature import curvature, curvature_grid
from locodyn.gaits.pattern_generator import Command, pattern_generator
from locodyn.gaits.reconstruction import Displacement, area_displacement, net_displacement
from locodyn.gaits.search import InverseGait, inverse_gait
from locodyn.gaits.serpenoid import joint_waves, serpenoid_curve, serpenoid_gait, serpenoid_heading
from locodyn.gaits.snake_gaits import SNAKE_GAITS, snake_gait, soften
from locodyn.gaits.transition import gait_transitions
from locodyn.locomotion.connection import Connection, connection

__all__ = [
    "BODY_GAITS",
    "SNAKE_GAITS",
    "Backbone",
    "BodyGait",
    "BodyMobility",
    "Command",
    "Connection",
    "Displacement",
    "Gait",
    "InverseGait",
    "Turn",
    "admissible_rates",
    "area_displacement",
    "concertina",
    "connection",
    "curvature",
    "curvature_grid",
    "fit_backbone",
    "gait",
    "gait_along",
    "gait_transitions",
    "harmonic_gait",
    "helix",
    "inverse_gait",
    "joint_waves",
    "lateral_undulation",
    "net_displacement",
    "omega_bend",
    "pattern_generator",
    "peristalsis",
    "rolling",
    "serpenoid_curve",
    "serpenoid_gait",
    "serpenoid_heading",
    "shearing_undulation",
    "sidewinding",
    "snake_gait",
    "soften",
]
