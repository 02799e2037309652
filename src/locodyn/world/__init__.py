"""What acts on the robot from outside. Public: the wrench laws."""

from locodyn.world.laws import Anchor, Drag, Sliding, Thrust, UserLaw, WorldForce, WrenchLaw

__all__ = ["Anchor", "Drag", "Sliding", "Thrust", "UserLaw", "WorldForce", "WrenchLaw"]
