"""What a robot is: immutable, validated descriptions; the builder; re-rooting; compilation to flat arrays."""

from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body, Marker, WrenchLaw
from locodyn.robot.building.builder import Robot
from locodyn.robot.building.sentence import BodyHandle
from locodyn.robot.building.tie_draft import Guides
from locodyn.robot.checks.validate import validate
from locodyn.robot.compilation.compile import compile_robot
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.compiled_parts import CompiledLoop, CompiledWheel, CompiledWrench
from locodyn.robot.contact import Contact
from locodyn.robot.description import RobotDescription
from locodyn.robot.friction import Friction
from locodyn.robot.inertia import Inertia, about_centre, about_origin
from locodyn.robot.joint import Joint
from locodyn.robot.loop import Coupling, Loop
from locodyn.robot.pose import Pose, roll_pitch_yaw, roll_pitch_yaw_of, rotation_about
from locodyn.robot.reroot import Rerooting, reroot
from locodyn.robot.rods.field import FieldShape, FieldTerm, Profile, StrainField
from locodyn.robot.rods.field_shapes import front, polynomial_shape, standing, travelling, travelling_bump, window
from locodyn.robot.rods.fluid import RodFluid
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.routing import Helix, PolynomialRoute, Tapered
from locodyn.robot.rods.section import (
    Annulus,
    Circle,
    Ellipse,
    GivenSection,
    Material,
    Rectangle,
    aluminium,
    silicone,
    steel,
)
from locodyn.robot.shapes import Box, Capsule, Compound, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from locodyn.robot.wheel import Wheel

__all__ = [
    "Actuator",
    "Annulus",
    "Body",
    "BodyHandle",
    "Box",
    "Capsule",
    "Circle",
    "CompiledLoop",
    "CompiledRobot",
    "CompiledWheel",
    "CompiledWrench",
    "Compound",
    "Contact",
    "Coupling",
    "Cylinder",
    "Ellipse",
    "Ellipsoid",
    "FieldShape",
    "FieldTerm",
    "Friction",
    "GivenSection",
    "Guides",
    "Helix",
    "Inertia",
    "Joint",
    "Loop",
    "Marker",
    "Material",
    "Mesh",
    "PolynomialRoute",
    "Pose",
    "Profile",
    "Rectangle",
    "Rerooting",
    "Robot",
    "RobotDescription",
    "Rod",
    "RodFluid",
    "Shape",
    "Sphere",
    "StrainField",
    "Tapered",
    "Wheel",
    "WrenchLaw",
    "about_centre",
    "about_origin",
    "aluminium",
    "compile_robot",
    "front",
    "polynomial_shape",
    "reroot",
    "roll_pitch_yaw",
    "roll_pitch_yaw_of",
    "rotation_about",
    "silicone",
    "standing",
    "steel",
    "travelling",
    "travelling_bump",
    "validate",
    "window",
]
