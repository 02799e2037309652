"""Identification: strains and moduli of rods from measured shapes, gains of sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.identify.body_motion import (
        BodyMotion as BodyMotion,
        body_from_csv as body_from_csv,
        measured_body as measured_body,
    )
    from locodyn.identify.motion_capture import (
        Capture as Capture,
        RigidMotion as RigidMotion,
        angles_about as angles_about,
        read_trc as read_trc,
        rigid_motion as rigid_motion,
    )
    from locodyn.identify.rods import (
        ErrorStatistics as ErrorStatistics,
        ModulusFit as ModulusFit,
        StrainFit as StrainFit,
        error_statistics as error_statistics,
        error_table as error_table,
        strain_coordinates as strain_coordinates,
        young_modulus as young_modulus,
    )
    from locodyn.identify.sensor_scale import SensorScale as SensorScale, sensor_scale as sensor_scale
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
