"""What acts on the robot from outside. Public: the wrench laws."""

from locodyn.world.laws import Anchor, Drag, Thrust, UserLaw, WorldForce, WrenchLaw

__all__ = ["Anchor", "Drag", "Thrust", "UserLaw", "WorldForce", "WrenchLaw"]
