"""Gaits: closed paths in the space of shapes, what they do to the robot, and how to find them."""

from locodyn.control.gait import Gait, gait
from locodyn.control.gait_families import harmonic_gait, serpenoid_gait
from locodyn.control.gait_search import InverseGait, inverse_gait
from locodyn.control.local_curvature import curvature, curvature_grid
from locodyn.control.reconstruction import Displacement, area_displacement, net_displacement
from locodyn.locomotion.connection import Connection, connection

__all__ = [
    "Connection",
    "Displacement",
    "Gait",
    "InverseGait",
    "area_displacement",
    "connection",
    "curvature",
    "curvature_grid",
    "gait",
    "harmonic_gait",
    "inverse_gait",
    "net_displacement",
    "serpenoid_gait",
]
