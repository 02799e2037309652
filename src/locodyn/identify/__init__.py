"""Identification: strains and moduli of rods from measured shapes, gains of sensors."""

from locodyn.identify.body_motion import BodyMotion, body_from_csv, measured_body
from locodyn.identify.motion_capture import Capture, RigidMotion, angles_about, read_trc, rigid_motion
from locodyn.identify.rods import (
    ErrorStatistics,
    ModulusFit,
    StrainFit,
    error_statistics,
    error_table,
    strain_coordinates,
    young_modulus,
)
from locodyn.identify.sensor_scale import SensorScale, sensor_scale

__all__ = [
    "BodyMotion",
    "Capture",
    "ErrorStatistics",
    "ModulusFit",
    "RigidMotion",
    "SensorScale",
    "StrainFit",
    "angles_about",
    "body_from_csv",
    "error_statistics",
    "error_table",
    "measured_body",
    "read_trc",
    "rigid_motion",
    "sensor_scale",
    "strain_coordinates",
    "young_modulus",
]
