"""Identification: strains and moduli of rods from measured shapes."""

from locodyn.identify.body_motion import BodyMotion, body_from_csv, measured_body
from locodyn.identify.rods import ErrorStatistics, ModulusFit, StrainFit, error_statistics, strain_coordinates, young_modulus

__all__ = [
    "BodyMotion",
    "ErrorStatistics",
    "ModulusFit",
    "StrainFit",
    "body_from_csv",
    "error_statistics",
    "measured_body",
    "strain_coordinates",
    "young_modulus",
]
