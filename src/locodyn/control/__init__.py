"""Gaits: closed paths in the space of shapes, what they do to the robot, how to find them; steady motions and their stability;
identification of rods."""

from locodyn.control.eigenvalue_sweep import Boundary, EigenvalueSweep, eigenvalue_sweep
from locodyn.control.gait import Gait, gait
from locodyn.control.gait_families import harmonic_gait, serpenoid_gait
from locodyn.control.gait_search import InverseGait, inverse_gait
from locodyn.control.identification import (
    ErrorStatistics,
    ModulusFit,
    StrainFit,
    error_statistics,
    strain_coordinates,
    young_modulus,
)
from locodyn.control.linearisation import Linearisation, Mode
from locodyn.control.linearise import linearise
from locodyn.control.local_curvature import curvature, curvature_grid
from locodyn.control.reconstruction import Displacement, area_displacement, net_displacement
from locodyn.control.steady_motion import SteadyMotion, steady_motion
from locodyn.locomotion.connection import Connection, connection

__all__ = [
    "Boundary",
    "Connection",
    "Displacement",
    "EigenvalueSweep",
    "ErrorStatistics",
    "Gait",
    "InverseGait",
    "Linearisation",
    "Mode",
    "ModulusFit",
    "SteadyMotion",
    "StrainFit",
    "area_displacement",
    "connection",
    "curvature",
    "curvature_grid",
    "eigenvalue_sweep",
    "error_statistics",
    "gait",
    "harmonic_gait",
    "inverse_gait",
    "linearise",
    "net_displacement",
    "serpenoid_gait",
    "steady_motion",
    "strain_coordinates",
    "young_modulus",
]
