"""Gaits: closed paths in the space of shapes, what they do to the robot, how to find them; steady motions and their stability;
identification of rods."""

from locodyn.control.backbone import Backbone, fit_backbone, gait_along, serpenoid_curve
from locodyn.control.control_plant import ControlPlant
from locodyn.control.eigenvalue_sweep import Boundary, EigenvalueSweep, eigenvalue_sweep
from locodyn.control.gait import Gait, gait
from locodyn.control.gait_families import harmonic_gait, serpenoid_gait
from locodyn.control.gait_search import InverseGait, inverse_gait
from locodyn.control.gait_transition import gait_transitions
from locodyn.control.identification import (
    ErrorStatistics,
    ModulusFit,
    StrainFit,
    error_statistics,
    strain_coordinates,
    young_modulus,
)
from locodyn.control.joint_control import FeedbackLinearisation, JointPD
from locodyn.control.joint_waves import joint_waves, serpenoid_heading
from locodyn.control.linearisation import Linearisation, Mode
from locodyn.control.linearise import linearise
from locodyn.control.local_curvature import curvature, curvature_grid
from locodyn.control.obstacle_reaction import ObstacleReaction
from locodyn.control.pair_servo import PairServo
from locodyn.control.peg_planner import Chain, PegPlan, place_pegs, plan_gait, plan_start
from locodyn.control.push_points import PushPoint, push_count, push_points
from locodyn.control.reconstruction import Displacement, area_displacement, net_displacement
from locodyn.control.reference_filter import filtered_reference
from locodyn.control.snake_gaits import SNAKE_GAITS, snake_gait, soften
from locodyn.control.steady_motion import SteadyMotion, steady_motion
from locodyn.control.three_links import ThreeLinkPush, three_link_push
from locodyn.locomotion.connection import Connection, connection
from locodyn.locomotion.sampled_controller import Measurement, MeasurementNoise, SampledController

__all__ = [
    "SNAKE_GAITS",
    "Backbone",
    "Boundary",
    "Chain",
    "Connection",
    "ControlPlant",
    "Displacement",
    "EigenvalueSweep",
    "ErrorStatistics",
    "FeedbackLinearisation",
    "Gait",
    "InverseGait",
    "JointPD",
    "Linearisation",
    "Measurement",
    "MeasurementNoise",
    "Mode",
    "ModulusFit",
    "ObstacleReaction",
    "PairServo",
    "PegPlan",
    "PushPoint",
    "SampledController",
    "SteadyMotion",
    "StrainFit",
    "ThreeLinkPush",
    "area_displacement",
    "connection",
    "curvature",
    "curvature_grid",
    "eigenvalue_sweep",
    "error_statistics",
    "filtered_reference",
    "fit_backbone",
    "gait",
    "gait_along",
    "gait_transitions",
    "harmonic_gait",
    "inverse_gait",
    "joint_waves",
    "linearise",
    "net_displacement",
    "place_pegs",
    "plan_gait",
    "plan_start",
    "push_count",
    "push_points",
    "serpenoid_curve",
    "serpenoid_gait",
    "serpenoid_heading",
    "snake_gait",
    "soften",
    "steady_motion",
    "strain_coordinates",
    "three_link_push",
    "young_modulus",
]
