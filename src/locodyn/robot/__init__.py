"""What a robot is: immutable, validated descriptions; the builder; re-rooting; compilation to flat arrays."""

from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body, Marker, WrenchLaw
from locodyn.robot.builder import Robot
from locodyn.robot.compile import compile_robot
from locodyn.robot.compiled import CompiledLoop, CompiledRobot, CompiledWheel, CompiledWrench
from locodyn.robot.description import RobotDescription
from locodyn.robot.friction import Friction
from locodyn.robot.inertia import Inertia, about_centre, about_origin
from locodyn.robot.joint import Joint
from locodyn.robot.loop import Loop
from locodyn.robot.pose import Pose, roll_pitch_yaw, rotation_about
from locodyn.robot.reroot import Rerooting, reroot
from locodyn.robot.sentence import BodyHandle
from locodyn.robot.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from locodyn.robot.validate import validate
from locodyn.robot.wheel import Wheel

__all__ = [
    "Actuator",
    "Body",
    "BodyHandle",
    "Box",
    "Capsule",
    "CompiledLoop",
    "CompiledRobot",
    "CompiledWheel",
    "CompiledWrench",
    "Cylinder",
    "Ellipsoid",
    "Friction",
    "Inertia",
    "Joint",
    "Loop",
    "Marker",
    "Mesh",
    "Pose",
    "Rerooting",
    "Robot",
    "RobotDescription",
    "Shape",
    "Sphere",
    "Wheel",
    "WrenchLaw",
    "about_centre",
    "about_origin",
    "compile_robot",
    "reroot",
    "roll_pitch_yaw",
    "rotation_about",
    "validate",
]
