"""What a problem may have that not every method of integration takes: the words that declarations, refusals and tables share."""

from __future__ import annotations

from enum import Enum


class Feature(Enum):
    """One such thing: its name, what a sentence calls it, and what else a user may do than take another method."""

    WHEELS = "wheels"
    STANDING = "surfaces held on the ground"
    ROLLING = "rolling surfaces"
    LOOPS = "loops"
    RODS = "rods"
    HELD_RODS = "anchors or pegs that hold rods in place"
    SLIDING_RODS = "sleeves, or contacts that come and go, on rods"
    STRANDS = "tendons, chambers or muscles"
    IMPOSED = "imposed motions", "drive by torques"
    DEPENDENT = "dependent joints", "make them passive"
    SERVOS = "servos"
    LATE_SERVOS = "servos that begin after the start", "leave out begins"
    WRENCHES = "wrench laws"
    LAGS = "actuators that lag"
    MEMORY = "laws with memory"
    FLUID = "bodies that move fluid along"
    FUNCTIONS = "Python functions"
    SAMPLED_CONTROLLER = "sampled controllers"
    EVENTS = "events"
    HARD_CONTACT = "hard contact", "leave out obstacles"
    FRICTION_LAW = "friction by another law than Coulomb's"
    ONE_WAY_FRICTION = "friction that differs forward and backward"
    DRILLING_FRICTION = "rolling or spinning friction"

    def __init__(self, words: str, remedy: str = "") -> None:
        self.words = words
        self.remedy = remedy


CONTACT = frozenset((Feature.HARD_CONTACT, Feature.FRICTION_LAW, Feature.ONE_WAY_FRICTION, Feature.DRILLING_FRICTION))
SMOOTH = frozenset(Feature) - CONTACT - {Feature.LATE_SERVOS, Feature.EVENTS}
