"""Identification: strains and moduli of rods from measured shapes."""

from locodyn.identify.rods import ErrorStatistics, ModulusFit, StrainFit, error_statistics, strain_coordinates, young_modulus

__all__ = [
    "ErrorStatistics",
    "ModulusFit",
    "StrainFit",
    "error_statistics",
    "strain_coordinates",
    "young_modulus",
]
