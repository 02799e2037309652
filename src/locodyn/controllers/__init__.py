"""Controllers: joint control, virtual constraints, reaction to obstacles, planning between pegs, push points of a run."""

from locodyn.controllers.control_plant import ControlPlant
from locodyn.controllers.curves import Bezier, Curve, SplineCurve
from locodyn.controllers.decoupled_snake import DecoupledSnake, SnakeMotion
from locodyn.controllers.joint_control import FeedbackLinearisation, JointPD
from locodyn.controllers.obstacle_reaction import Course, ObstacleReaction
from locodyn.controllers.output_control import OutputLinearisation, OutputPD
from locodyn.controllers.pair_servo import PairServo
from locodyn.controllers.peg_planner import Chain, PegPlan, place_pegs, plan_gait, plan_start
from locodyn.controllers.push_points import PushPoint, push_count, push_points
from locodyn.controllers.reference_filter import filtered_reference, held_reference
from locodyn.controllers.three_links import ThreeLinkPush, three_link_push
from locodyn.controllers.virtual_constraints import Place, TimedConstraints, VirtualConstraints
from locodyn.locomotion.sampled_controller import Measurement, MeasurementNoise, SampledController

__all__ = [
    "Bezier",
    "Chain",
    "ControlPlant",
    "Course",
    "Curve",
    "DecoupledSnake",
    "FeedbackLinearisation",
    "JointPD",
    "Measurement",
    "MeasurementNoise",
    "ObstacleReaction",
    "OutputLinearisation",
    "OutputPD",
    "PairServo",
    "PegPlan",
    "Place",
    "PushPoint",
    "SampledController",
    "SnakeMotion",
    "SplineCurve",
    "ThreeLinkPush",
    "TimedConstraints",
    "VirtualConstraints",
    "filtered_reference",
    "held_reference",
    "place_pegs",
    "plan_gait",
    "plan_start",
    "push_count",
    "push_points",
    "three_link_push",
]
