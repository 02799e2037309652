"""What acts on the robot from outside. Public: the wrench laws, and compliant contact, the obstacles and the self-collision
of hard contact."""

from locodyn.world.compliant_law import CompliantContact
from locodyn.world.feedback import Feedback
from locodyn.world.law_base import WrenchLaw
from locodyn.world.laws import (
    Anchor,
    ArctanFriction,
    Drag,
    LuGre,
    Sliding,
    Thrust,
    UserLaw,
    Wake,
    WorldForce,
)
from locodyn.world.obstacles import Fixture, Ground, Obstacle, Terrain
from locodyn.world.self_collision import SelfCollision
from locodyn.world.water import Buoyancy, Water, Wave, WetDrag

__all__ = [
    "Anchor",
    "ArctanFriction",
    "Buoyancy",
    "CompliantContact",
    "Drag",
    "Feedback",
    "Fixture",
    "Ground",
    "LuGre",
    "Obstacle",
    "SelfCollision",
    "Sliding",
    "Terrain",
    "Thrust",
    "UserLaw",
    "Wake",
    "Water",
    "Wave",
    "WetDrag",
    "WorldForce",
    "WrenchLaw",
]
