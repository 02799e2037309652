"""Controllers: joint control, virtual constraints, reaction to obstacles, planning between pegs, push points of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.controllers.control_plant import ControlPlant as ControlPlant
    from locodyn.controllers.curves import Bezier as Bezier, Curve as Curve, SplineCurve as SplineCurve
    from locodyn.controllers.decoupled_snake import DecoupledSnake as DecoupledSnake, SnakeMotion as SnakeMotion
    from locodyn.controllers.joint_control import FeedbackLinearisation as FeedbackLinearisation, JointPD as JointPD
    from locodyn.controllers.obstacle_reaction import Course as Course, ObstacleReaction as ObstacleReaction
    from locodyn.controllers.output_control import OutputLinearisation as OutputLinearisation, OutputPD as OutputPD
    from locodyn.controllers.pair_servo import PairServo as PairServo
    from locodyn.controllers.peg_planner import (
        Chain as Chain,
        PegPlan as PegPlan,
        place_pegs as place_pegs,
        plan_gait as plan_gait,
        plan_start as plan_start,
    )
    from locodyn.controllers.push_points import PushPoint as PushPoint, push_count as push_count, push_points as push_points
    from locodyn.controllers.reference_filter import filtered_reference as filtered_reference, held_reference as held_reference
    from locodyn.controllers.three_links import ThreeLinkPush as ThreeLinkPush, three_link_push as three_link_push
    from locodyn.controllers.velocity_observer import ObservedVelocities as ObservedVelocities
    from locodyn.controllers.virtual_constraints import (
        Place as Place,
        TimedConstraints as TimedConstraints,
        VirtualConstraints as VirtualConstraints,
    )
    from locodyn.locomotion.sampled_controller import (
        Measurement as Measurement,
        MeasurementNoise as MeasurementNoise,
        SampledController as SampledController,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
